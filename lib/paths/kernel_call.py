"""One call of torch's `scaled_dot_product_attention`: with scores that it can be trusted with, and gradients."""

import functools

import torch
from torch._subclasses import FakeTensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

LARGEST_ROUNDING = 1.0  # of β times a score; where it may be more, or infinite, the kernel is not asked


class ScoresTooLargeError(Exception):
    """Beside huge scores the kernel loses a prior, and takes a row of nothing but NaN or −inf for some other."""


def call_kernel(q, k, v, mask=None, is_causal=False, *, scale, dropout, only_first):
    """q (batch, H, n_q, d), k and v (batch, h, n_k, d) -> (batch, H, n_q, d).

    Its gradient is not itself differentiable; if it is to be, that is refused if `only_first`, else computed anew.
    """
    if too_large(q, k, scale):
        raise ScoresTooLargeError
    options = {"dropout_p": dropout, "is_causal": is_causal, "scale": scale}
    options["enable_gqa"] = k.shape[1] != q.shape[1]
    inputs = (q, k, v) if mask is None else (q, k, v, mask)
    if not wants_gradient(inputs) or torch.compiler.is_compiling():
        return scaled_dot_product_attention(*inputs, **options)
    run, arriving = functools.partial(scaled_dot_product_attention, **options), {}
    output = run(*Entrance.apply(run, only_first, arriving, *inputs))
    output.register_hook(lambda grad: arriving.update(grad=grad) if torch.is_grad_enabled() else None)
    return output


def wants_gradient(arguments):
    """Does autograd record what is computed from these tensors, numbers and None?"""
    return torch.is_grad_enabled() and any([getattr(x, "requires_grad", False) for x in arguments])


def too_large(q, k, scale):
    """True if it can be read that, for all one knows, a score is infinite or its rounding counts."""
    if not readable(q):
        return False
    q, k = q.detach(), k.detach()
    limit = LARGEST_ROUNDING / torch.finfo(q.dtype).eps / scale
    # A score is at most the product of two lengths, and these are at most that of all queries, or keys, as one.
    if torch.linalg.vector_norm(q).item() * torch.linalg.vector_norm(k).item() < limit:
        return False
    longest = [torch.linalg.vector_norm(x, dim=-1).amax().item() for x in (q, k)]
    return not longest[0] * longest[1] < limit


def readable(x):
    """May the values of a tensor be looked at? A GPU would be made to wait; a graph and a fake have none yet."""
    return x.device.type == "cpu" and not torch.compiler.is_compiling() and not isinstance(x, FakeTensor)


class Entrance(torch.autograd.Function):
    """Where the kernel's inputs go in and its gradient, which cannot itself be differentiated, comes out.

    Where it is going to be (`create_graph=True`), another takes its place: that of the same attention
    computed without the kernel, from the gradient that arrived at the kernel's output.
    """

    @staticmethod
    def forward(ctx, run, only_first, arriving, *inputs):
        ctx.run, ctx.only_first, ctx.arriving = run, only_first, arriving
        ctx.save_for_backward(*inputs)
        return tuple(x.view_as(x) for x in inputs)

    @staticmethod
    def backward(ctx, *grads):
        if not torch.is_grad_enabled():
            return None, None, None, *grads
        if ctx.only_first:
            raise RuntimeError('path="fused" has first-order gradients alone; for more take path="readable"')
        inputs, wanted = ctx.saved_tensors, ctx.needs_input_grad[3:]
        grad = ctx.arriving.pop("grad")  # left there, it would keep this node alive, and this node it
        with sdpa_kernel(SDPBackend.MATH):
            output = ctx.run(*inputs)
        inputs = [x for x, want in zip(inputs, wanted, strict=True) if want]
        anew = iter(torch.autograd.grad(output, inputs, grad, create_graph=True))
        return None, None, None, *(next(anew) if want else None for want in wanted)
