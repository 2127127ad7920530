"""Sparsemax and entmax attention by the compiled kernels, which never hold the weights.

Checked arguments become the arrays that the kernels take (`entmax_arguments`), and autograd gets the gradients
that they give.
"""

import functools
import itertools
import math

from lib._arrays import cast, compiling, is_number, is_torch, quiet
from lib._shapes import group_size
from lib.fast import kernels
from lib.fast.entmax_arguments import WIDEST, options_of, seed_of, widest_gap
from lib.fast.kernels import call_kernel, in_numpy, kernels_for, on_gpu


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
    return (why_not_on_gpu if on_gpu(request.q) else why_not_on_cpu)(request)


def why_not_on_gpu(request):
    if request.dropout:
        return "with dropout"
    if compiling():
        return "while compiling"
    reason = why_no_kernels_for(request)
    if reason is None and max(request.q.shape[-1], request.v.shape[-1]) > kernels_for(request.q).WIDEST:
        return f"with more than {kernels_for(request.q).WIDEST} features"
    if reason is None and request.path != "fused":
        return kernels_for(request.q).why_unrecorded(request.q.device)
    return reason


def why_not_on_cpu(request):
    n_q, n_k, log_prior = request.q.shape[-2], request.k.shape[-2], request.log_prior
    masks = [x for x in (request.where, request.prior, log_prior) if x is not None]
    if any(x.shape[-1] == 1 < min(n_k, x.shape[-2]) for x in masks):
        return "with a mask or prior over queries alone, which would have to be repeated for every key"
    if request.path != "fused" and math.prod(request.lead) * n_q * n_k < kernels.SMALLEST:
        return "for so little to do"
    reason = why_no_kernels_for(request)
    # While compiling what the log-prior holds cannot be read, and its gaps may be any.
    known = None if reason is not None or compiling() else log_prior
    if known is not None and not widest_gap(in_numpy(known)) <= WIDEST:
        return f"with a log-prior of which two entries are more than {WIDEST:g} nats apart"
    return reason


def why_no_kernels_for(request):
    constants = request.beta, request.prior, request.log_prior
    arrays = request.q, request.k, request.v, request.where, *constants
    return kernels.why_no_kernels(request.q, arrays, constants)


def result(request, reference):
    """The output (..., n_q, d_v) alone, by the kernels."""
    xp, lead, alpha = request.xp, request.lead, request.alpha
    k, v, group = request.k, request.v, group_size(request.q, request.k)
    if group_size(request.q, v) != group:
        k, v, group = request.with_all_heads(k), request.with_all_heads(v), 1
    shared = (*lead[:-1], lead[-1] // group) if lead else ()
    dtype = request.dtype if on_gpu(request.q) else request.working
    q, k, v = (stacked(xp, cast(xp, x, dtype), axes) for x, axes in ((request.q, lead), (k, shared), (v, shared)))

    def anew(q, k, v):
        """The same as it is defined, for the gradient of a gradient."""
        if request.path == "fused" or request.dropout:
            what = 'path="fused"' if request.path == "fused" else "by a kernel, attention with dropout"
            raise RuntimeError(f'{what} has first-order gradients alone; for more take path="readable"')
        q, k, v = (x.reshape(*axes, *x.shape[-2:]) for x, axes in ((q, lead), (k, shared), (v, shared)))
        return stacked(xp, reference(request._replace(q=q, k=k, v=v))[0], lead)

    if compiling():
        from lib.fast import entmax_in_graphs  # only now, since it imports torch

        found = entmax_in_graphs.attend_as_operator(request, q, k, v, alpha)
    elif is_torch(q):
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

    class SparseAttention(torch.autograd.Function):
        """Output and gradient by the kernels; under create_graph=True it is by `anew`, which may refuse."""

        @staticmethod
        def forward(ctx, q, k, v, options, anew):
            found, kept = call_kernel("attention_forward", q, q, k, v, *options)
            ctx.save_for_backward(q, k, v, *kept)
            ctx.options, ctx.anew = options, anew
            return found

        @staticmethod
        @quiet
        def backward(ctx, grad):
            (q, k, v, *kept), wanted = ctx.saved_tensors, ctx.needs_input_grad[:3]
            if not torch.is_grad_enabled():
                grads = call_kernel("attention_backward", q, q, k, v, *ctx.options, tuple(kept), grad)
                return *grads, None, None
            some = list(itertools.compress((q, k, v), wanted))
            grads = iter(torch.autograd.grad(ctx.anew(q, k, v), some, grad, create_graph=True))
            return *(next(grads) if want else None for want in wanted), None, None

    return SparseAttention
