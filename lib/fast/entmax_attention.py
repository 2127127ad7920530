"""Sparsemax and entmax attention by the compiled kernels, which never hold the weights.

Checked arguments become the arrays that the kernels take (`entmax_on_cpu`, `entmax_on_gpu`), and autograd gets the
gradients that they give.
"""

import functools
import itertools
import math

from lib._arrays import cast, compiling, is_number, is_torch, quiet
from lib._shapes import group_size
from lib.fast import entmax_on_cpu
from lib.fast.kernels import on_gpu


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
    return device_of(request).why_not(request)


def device_of(request):
    """The module that hands arrays to the kernels for the device of these."""
    if not on_gpu(request.q):
        return entmax_on_cpu
    from lib.fast import entmax_on_gpu  # only now, since it imports torch

    return entmax_on_gpu


def result(request, reference):
    """The output (..., n_q, d_v) alone, by the kernels."""
    xp, lead, device, alpha = request.xp, request.lead, device_of(request), request.alpha
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
        found = _differentiable().apply(q, k, v, device, (alpha, *device.options(request)), anew)
    else:
        found, _ = device.forward(q, k, v, alpha, *device.options(request))
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
        def forward(ctx, q, k, v, device, options, anew):
            found, kept = device.forward(*(x.detach() for x in (q, k, v)), *options)
            ctx.save_for_backward(q, k, v, *kept)
            ctx.device, ctx.options, ctx.anew = device, options, anew
            return found

        @staticmethod
        @quiet
        def backward(ctx, grad):
            (q, k, v, *kept), wanted = ctx.saved_tensors, ctx.needs_input_grad[:3]
            if not torch.is_grad_enabled():
                return *ctx.device.backward(q, k, v, *ctx.options, kept, grad), None, None, None
            some = list(itertools.compress((q, k, v), wanted))
            grads = iter(torch.autograd.grad(ctx.anew(q, k, v), some, grad, create_graph=True))
            return *(next(grads) if want else None for want in wanted), None, None, None

    return SparseAttention
