"""One call of torch's `scaled_dot_product_attention`: refused for too large scores, and differentiable twice."""

import functools
import math

import torch
from torch._subclasses import FakeTensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from lib.arrays import quiet
from lib.autocast import autocast_is_around

LARGEST_ROUNDING = 1.0  # of β times a score; where it may be more, or the score infinite, the kernel is not called


class NoKernelError(Exception):
    """Without a kernel torch would compute products, whose gradients autocast rounds."""


class ScoresTooLargeError(NoKernelError):
    """Beside such scores the kernel loses a prior, and mistakes a row of nothing but NaN or −inf for another."""


def call_kernel(q, k, v, mask=None, is_causal=False, *, scale, dropout, only_first, checked=None):
    """q (batch, H, n_q, d), k and v (batch, h, n_k, d) -> (batch, H, n_q, d).

    Of the features only the first `checked` are looked at for too large scores; by default all. The kernel's
    gradient cannot be differentiated. Where that is asked for, `only_first` refuses it; else the gradient is
    computed anew in another way.
    """
    if too_large(*((q, k) if checked is None else (q[..., :checked], k[..., :checked])), scale):
        raise ScoresTooLargeError
    options = {"dropout_p": dropout, "is_causal": is_causal, "scale": scale}
    options["enable_gqa"] = k.shape[1] != q.shape[1]
    inputs = (q, k, v) if mask is None else (q, k, v, mask)
    if not wants_gradient(inputs) or torch.compiler.is_compiling():
        return scaled_dot_product_attention(*inputs, **options)
    if autocast_is_around() and torch._fused_sdp_choice(*inputs, **options) == SDPBackend.MATH.value:
        raise NoKernelError
    run, arriving = functools.partial(scaled_dot_product_attention, **options), {}
    output = run(*Entrance.apply(run, only_first, arriving, *inputs))
    output.register_hook(lambda grad: arriving.update(grad=grad) if torch.is_grad_enabled() else None)
    return output


def wants_gradient(arguments):
    """Does autograd record what is computed from these tensors, numbers and None?"""
    return torch.is_grad_enabled() and any([getattr(x, "requires_grad", False) for x in arguments])


def too_large(q, k, scale):
    """True if values can be read and their lengths do not exclude a score that is infinite or rounded too much."""
    if not readable(q):
        return False
    limit = LARGEST_ROUNDING / torch.finfo(q.dtype).eps / scale
    # A score is at most the length of its query times that of its key. All queries taken as one vector are at
    # least as long as each of them, and so are all keys.
    if length(q) * length(k) < limit:
        return False
    longest = [torch.linalg.vector_norm(x.detach(), dim=-1).amax().item() for x in (q, k)]
    return not longest[0] * longest[1] < limit


def length(x):
    """The Euclidean length of a tensor, all of it taken as one vector."""
    if x.requires_grad:
        x = x.detach()
    if not x.is_contiguous():
        return torch.linalg.vector_norm(x).item()
    x = x.view(-1)
    return math.sqrt(torch.dot(x, x).item())  # in half of the time


def readable(x):
    """May values of a tensor be read? For a GPU the program would wait; a graph and a fake have none yet."""
    return x.is_cpu and not torch.compiler.is_compiling() and not isinstance(x, FakeTensor)


class Entrance(torch.autograd.Function):
    """Passes the inputs on to the kernel, and back from it its gradient, which cannot itself be differentiated.

    If the gradient is going to be (`create_graph=True`), that of the same attention computed without the
    kernel takes its place, made from the gradient that arrived at the kernel's output.
    """

    @staticmethod
    def forward(ctx, run, only_first, arriving, *inputs):
        ctx.run, ctx.only_first, ctx.arriving = run, only_first, arriving
        ctx.save_for_backward(*inputs)
        outputs = tuple(x.view_as(x) for x in inputs)
        # The fast kernels have no gradient for a mask: one that wants none must not seem to want it.
        ctx.mark_non_differentiable(*(outputs[i] for i, x in enumerate(inputs) if not x.requires_grad))
        return outputs

    @staticmethod
    @quiet
    def backward(ctx, *grads):
        if not torch.is_grad_enabled():
            return None, None, None, *grads
        if ctx.only_first:
            raise RuntimeError('path="fused" has first-order gradients alone; for more take path="readable"')
        inputs = ctx.saved_tensors
        grad = ctx.arriving.pop("grad")  # left there, the gradient and this node would keep each other alive
        with sdpa_kernel(SDPBackend.MATH):
            # Autocast, which may still be on when this is differentiated, leaves float64 alone.
            wide = [x.double() if autocast_is_around() and x.is_floating_point() else x for x in inputs]
            output = ctx.run(*wide)
        wanted = [x for x in inputs if x.requires_grad]
        anew = iter(torch.autograd.grad(output, wanted, grad.to(output.dtype), create_graph=True))
        return None, None, None, *(next(anew) if x.requires_grad else None for x in inputs)
