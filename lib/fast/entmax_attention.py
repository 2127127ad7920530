"""Sparsemax and entmax attention by the compiled kernels, which never hold the weights.

Checked arguments become the arrays that the kernels take (`entmax_arguments`), and autograd gets the gradients
that they give.
"""

import functools
import itertools
import math

from .._arrays import cast, is_many, is_number, is_torch, quiet, savable
from .._shapes import group_size
from . import kernels
from .entmax_arguments import WIDEST, options_of, seed_of, widest_gap
from .kernels import call_kernel, in_numpy


def why_not(request):
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
    n_q, n_k, log_prior = request.q.shape[-2], request.k.shape[-2], request.log_prior
    masks = [x for x in (request.where, request.prior, log_prior) if x is not None]
    if any(x.shape[-1] == 1 < min(n_k, x.shape[-2]) for x in masks):
        return "with a mask or prior over queries alone, which would have to be repeated for every key"
    if request.path != "fused" and math.prod(request.lead) * n_q * n_k < kernels.SMALLEST:
        return "for so little to do"
    if request.path != "fused" and n_q * group_size(request.q, request.k) < kernels.FEWEST:
        return "for so few queries: for each call the kernel lays the keys out anew"
    reason = why_no_kernels_for(request)
    if reason is None and log_prior is not None and not widest_gap(in_numpy(log_prior)) <= WIDEST:
        return f"with a log-prior of which two entries are more than {WIDEST:g} nats apart"
    return reason


def why_no_kernels_for(request):
    xp, constants = request.xp, (request.beta, request.prior, request.log_prior)
    if request.working not in (xp.float32, xp.float64):
        return f"in {request.working}: the kernels compute in float64 at most"
    arrays = request.q, request.k, request.v, request.where, *constants
    return kernels.why_no_kernels(request.q, arrays, constants)


def result(request, reference):
    """The output (..., n_q, d_v) alone, by the kernels."""
    xp, lead, alpha = request.xp, request.lead, request.alpha
    k, v, group = request.k, request.v, group_size(request.q, request.k)
    if group_size(request.q, v) != group:
        k, v, group = request.with_all_heads(k), request.with_all_heads(v), 1
    shared = (*lead[:-1], lead[-1] // group) if lead else ()
    arrays = (request.q, lead), (k, shared), (v, shared)
    q, k, v = (stacked(xp, cast(xp, x, request.working), axes) for x, axes in arrays)

    def anew(q, k, v, twice):
        """The same as it is defined, for the gradient of a gradient, or for many gradients at once."""
        only_first = twice and request.path == "fused"
        if only_first or request.dropout:
            what = 'path="fused"' if only_first else "by a kernel, attention with dropout"
            alone = "first-order gradients alone" if twice else "one gradient at a time"
            raise RuntimeError(f'{what} has {alone}; for more take path="readable"')
        q, k, v = (x.reshape(*axes, *x.shape[-2:]) for x, axes in ((q, lead), (k, shared), (v, shared)))
        return stacked(xp, reference(request._replace(q=q, k=k, v=v))[0], lead)

    if is_torch(q):
        found = _differentiable().apply(q, k, v, (alpha, *options_of(request, seed_of(request))), anew)
    else:
        found, _ = call_kernel("attention_forward", q, q, k, v, alpha, *options_of(request, seed_of(request)))
    return (cast(xp, xp.reshape(found, (*lead, *found.shape[-2:])), request.dtype),)


def stacked(xp, x, lead):
    """(..., n, d) -> (all leading axes in one, n, d)."""
    if tuple(x.shape[:-2]) != lead:
        x = xp.broadcast_to(x, (*lead, *x.shape[-2:]))
    return xp.reshape(x, (math.prod(lead), *x.shape[-2:]))


@functools.cache
def _differentiable():
    import torch
    from torch.utils._pytree import tree_flatten, tree_unflatten

    class SparseAttention(torch.autograd.Function):
        """Output and gradient by the kernels; that of a gradient, or many at once, by `anew`, which may refuse."""

        @staticmethod
        def forward(ctx, q, k, v, options, anew):
            found, kept = call_kernel("attention_forward", q, q, k, v, *options)
            flat, ctx.structure = tree_flatten(options)  # masks and priors may be the caller's own memory
            tensors = [savable(x) for x in flat if isinstance(x, torch.Tensor)]
            ctx.save_for_backward(q, k, v, *tensors, *kept)
            ctx.others = [None if isinstance(x, torch.Tensor) else (x,) for x in flat]
            ctx.anew = anew
            return found

        @staticmethod
        @quiet
        def backward(ctx, grad):
            (q, k, v, *kept), wanted = ctx.saved_tensors, ctx.needs_input_grad[:3]
            options = [kept.pop(0) if other is None else other[0] for other in ctx.others]
            options = tree_unflatten(options, ctx.structure)
            twice = torch.is_grad_enabled()  # create_graph=True
            if not twice and not is_many(grad):
                grads = call_kernel("attention_backward", q, q, k, v, *options, tuple(kept), grad)
                return *grads, None, None
            with torch.enable_grad():
                leaves = [x.view_as(x) for x in (q, k, v)]  # they may be one tensor: to each its own gradient
                some = list(itertools.compress(leaves, wanted))
                output = ctx.anew(*leaves, twice)
            grads = iter(torch.autograd.grad(output, some, grad, create_graph=twice))
            return *(next(grads) if want else None for want in wanted), None, None

    return SparseAttention
