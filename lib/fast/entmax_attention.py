"""Sparsemax and entmax attention by the compiled kernels, which never hold the weights."""

import functools
import itertools
import math

import numpy as np

from .._arrays import cast, is_number
from .._request import group_size
from .._torch_modes import is_many, is_torch, isolated, savable
from . import kernels
from .kernels import call_kernel, in_numpy

WIDEST = 700.0  # nats between the entries of a log-prior: its exponential must be a float64


def reason_against(request):
    """Why the kernels cannot take this request, or should not unless path="fused" asks for them; or None."""
    weights = request.weights
    if callable(weights):
        return "with a callable: no kernel knows it"
    if request.return_weights:
        return "with return_weights=True: no kernel holds them"
    if weights == "softmax":
        return "with softmax for NumPy arrays: the kernel is torch's"
    if request.alpha is None:
        return f"with weights={weights!r}: the kernels are for sparsemax and entmax"
    if not (is_number(request.alpha) and 1.05 <= request.alpha <= 2):
        return "with an alpha that is an array, or outside [1.05, 2]"
    n_q, n_k = request.q.shape[-2], request.k.shape[-2]
    constants = request.beta, request.prior, request.log_prior
    masks = [x for x in (request.where, *constants[1:]) if x is not None]
    if any(x.shape[-1] == 1 < min(n_k, x.shape[-2]) for x in masks):
        return "with a mask or prior over queries alone, which would have to be repeated for every key"
    if request.path != "fused" and math.prod(request.leading) * n_q * n_k < kernels.SMALLEST:
        return "for so little to do"
    if request.path != "fused" and n_q * group_size(request.q, request.k) < kernels.FEWEST:
        return "for so few queries: for each call the kernel lays the keys out anew"
    if request.working not in (request.xp.float32, request.xp.float64):
        return f"in {request.working}: the kernels compute in float64 at most"
    arrays = request.q, request.k, request.v, request.where, *constants
    reason = kernels.reason_against_kernels(request.q, arrays, constants)
    if reason is None and request.log_prior is not None:
        log_prior = in_numpy(request.log_prior)
        lowest = log_prior.min(where=log_prior != -math.inf, initial=math.inf)
        if not log_prior.max(initial=-math.inf) - lowest <= WIDEST:
            return f"with a log-prior of which two entries are more than {WIDEST:g} nats apart"
    return reason


def result(request, reference):
    """The output (..., n_q, d_v) alone, by the kernels."""
    xp, leading, k, v = request.xp, request.leading, request.k, request.v
    group = group_size(request.q, k)
    if group_size(request.q, v) != group:
        k, v, group = request.with_all_heads(k), request.with_all_heads(v), 1
    shared = (*leading[:-1], leading[-1] // group) if leading else ()
    arrays = (request.q, leading), (k, shared), (v, shared)
    q, k, v = (stacked(xp, cast(xp, x, request.working), axes) for x, axes in arrays)
    others = request._replace(q=None, k=None, v=None)

    def anew(q, k, v, twice):
        """The same as it is defined, for the gradient of a gradient, or for many gradients at once."""
        only_first = twice and request.path == "fused"
        if only_first or request.dropout:
            what = 'path="fused"' if only_first else "by a kernel, attention with dropout"
            alone = "first-order gradients alone" if twice else "one gradient at a time"
            raise RuntimeError(f'{what} has {alone}; for more take path="readable"')
        q, k, v = (x.reshape(*axes, *x.shape[-2:]) for x, axes in ((q, leading), (k, shared), (v, shared)))
        return stacked(xp, reference(request._replace(q=q, k=k, v=v))[0], leading)

    if is_torch(q):
        output = _differentiable().apply(q, k, v, others, seed_of(request), anew)
    else:
        output = call_kernel("attention_forward", q, q, k, v, others, seed_of(request))
    return (cast(xp, xp.reshape(output, (*leading, *output.shape[-2:])), request.dtype),)


def stacked(xp, x, leading):
    """(..., n, d) -> (all leading axes in one, n, d)."""
    if tuple(x.shape[:-2]) != leading:
        x = xp.broadcast_to(x, (*leading, *x.shape[-2:]))
    return xp.reshape(x, (math.prod(leading), *x.shape[-2:]))


def seed_of(request):
    """A seed for dropout, drawn from the generator, or from the library's own: a 0-d array; None for none."""
    if not request.dropout:
        return None
    if is_torch(request.q):
        import torch

        device = "cpu" if request.generator is None else request.generator.device
        return torch.randint(2**63 - 1, (), generator=request.generator, device=device)
    return (request.generator or np.random.default_rng()).integers(2**63 - 1)


@functools.cache
def _differentiable():
    import torch

    class SparseAttention(torch.autograd.Function):
        """Output and gradient by the kernels; that of a gradient, or many at once, by `anew`, which may refuse.

        1. Forward: a kernel; q, k, v and the rest are kept, no weights. 2. Backward: a kernel makes the weights of
        each row again. 3. Asked for a second derivative, or for many gradients at once: `anew` computes by the
        reference, as one graph, which autograd goes back through; with path="fused" or dropout it raises.
        """

        @staticmethod
        def forward(ctx, q, k, v, others, seed, anew):
            # masks and priors may be the caller's own memory: autograd notices a change
            tensors = {name: x for name, x in others._asdict().items() if isinstance(x, torch.Tensor)}
            ctx.save_for_backward(q, k, v, *map(savable, tensors.values()))
            ctx.others, ctx.names = others._replace(**dict.fromkeys(tensors)), tuple(tensors)
            ctx.seed, ctx.anew = seed, anew
            return call_kernel("attention_forward", q, q, k, v, others, seed)

        @staticmethod
        @isolated()
        def backward(ctx, grad):
            q, k, v, *tensors = ctx.saved_tensors
            wanted, twice = ctx.needs_input_grad[:3], torch.is_grad_enabled()  # create_graph=True
            if not twice and not is_many(grad):
                others = ctx.others._replace(**dict(zip(ctx.names, tensors, strict=True)))
                grads = call_kernel("attention_backward", q, q, k, v, others, ctx.seed, grad)
                return *grads, None, None, None
            with torch.enable_grad():
                leaves = [x.view_as(x) for x in (q, k, v)]  # they may be one tensor: to each its own gradient
                some = list(itertools.compress(leaves, wanted))
                output = ctx.anew(*leaves, twice)
            grads = iter(torch.autograd.grad(output, some, grad, create_graph=twice))
            return *(next(grads) if want else None for want in wanted), None, None, None

    return SparseAttention
