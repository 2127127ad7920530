"""Sparsemax and entmax attention by the compiled kernels, which never hold the weights.

From checked arguments to arrays as the kernels take them, and back to gradients.
"""

import functools
import math

import numpy as np

from lib.arrays import cast, is_number, is_torch
from lib.attention_arguments import group_size
from lib.kernels.entmax_on_arrays import SMALLEST, compiled_kernels, in_numpy, why_no_kernels

ALPHA = {"sparsemax": 2.0, "entmax": 1.5}
WIDEST = 700.0  # nats between the entries of a log-prior: its exponential must be a float64


def refusal(call, weights, *, strict):
    """Why the kernels cannot take this call or, unless `strict`, had better not; None if they can."""
    n_q, n_k = call.q.shape[-2], call.k.shape[-2]
    masks = [x for x in (call.where, call.prior, call.log_prior) if x is not None]
    if weights not in ALPHA:
        return f"with weights={weights!r}: the kernels are for sparsemax and entmax"
    alpha = ALPHA[weights] if call.alpha is None else call.alpha
    if not (is_number(alpha) and 1.05 <= alpha <= 2):
        return "with an alpha that is an array, or outside [1.05, 2]"
    if call.dropout:
        return "with dropout"
    if any(x.shape[-1] == 1 < min(n_k, x.shape[-2]) for x in masks):
        return "with a mask or prior over queries alone, which would have to be repeated for every key"
    if not strict and math.prod(call.lead) * n_q * n_k < SMALLEST:
        return "for so little to do"
    constants = call.beta, call.prior, call.log_prior
    why_not = why_no_kernels(call.q, (call.q, call.k, call.v, call.where, *constants), constants)
    if why_not is None and call.log_prior is not None and not width(in_numpy(call.log_prior)) <= WIDEST:
        return f"with a log-prior of which two entries are more than {WIDEST:g} nats apart"
    return why_not


def width(log_prior):
    """How far its finite entries are apart."""
    finite = log_prior != -math.inf
    return log_prior.max(where=finite, initial=-math.inf) - log_prior.min(where=finite, initial=math.inf)


def attend(call, weights, readable, *, strict):
    """The output of `attention`. `readable` gives that of a call in a way that can be differentiated twice."""
    xp, lead = call.xp, call.lead
    q, k, v = (cast(xp, x, call.working) for x in (call.q, call.k, call.v))
    group = group_size(q, k)
    if group_size(q, v) != group:
        k, v, group = call.per_head(k), call.per_head(v), 1
    shared = (*lead[:-1], lead[-1] // group) if lead else ()
    q, k, v = (stacked(xp, x, axes) for x, axes in ((q, lead), (k, shared), (v, shared)))
    options = float(ALPHA[weights] if call.alpha is None else call.alpha), beta_of(call), sight_of(call)
    if not is_torch(q):
        output = compiled_kernels().attention_forward(q, k, v, *options)
    else:

        def anew(q, k, v):
            arrays = (x.reshape(*axes, *x.shape[-2:]) for x, axes in ((q, lead), (k, shared), (v, shared)))
            return stacked(xp, readable(call._replace(**dict(zip("qkv", arrays, strict=True)))), lead)

        output = _differentiable().apply(q, k, v, options, None if strict else anew)
    return cast(xp, xp.reshape(output, (*lead, *output.shape[-2:])), call.dtype)


def stacked(xp, x, lead):
    """(..., n, d) -> (all leading axes in one, n, d)."""
    if tuple(x.shape[:-2]) != lead:
        x = xp.broadcast_to(x, (*lead, *x.shape[-2:]))
    return xp.reshape(x, (math.prod(lead), *x.shape[-2:]))


def beta_of(call):
    """β for each query, (heads, n_q), in NumPy."""
    beta = np.asarray(in_numpy(call.beta), np.float64)
    beta = np.broadcast_to(beta[..., 0] if beta.ndim else beta, (*call.lead, call.q.shape[-2]))
    return np.ascontiguousarray(beta).reshape(math.prod(call.lead), -1) if beta.size else np.empty((0, 0))


def sight_of(call):
    """Who sees what, as the kernels take it."""
    n_q, n_k = call.q.shape[-2], call.k.shape[-2]
    limited = call.causal or call.window is not None
    offset = per_head(call.offset if limited else n_k, call.lead)
    length = np.minimum(per_head(n_k if call.lengths is None else call.lengths, call.lead), n_k)
    window = n_q + n_k + int(np.abs(offset).max(initial=0)) if call.window is None else call.window
    prior = call.prior
    if call.log_prior is not None:
        prior = in_numpy(call.log_prior).astype(np.float64)
        prior = np.exp(prior - prior.max(where=prior != -math.inf, initial=-math.inf))
    masks = [per_query(x, call.lead, n_k, dtype) for x, dtype in ((call.where, np.bool_), (prior, np.float64))]
    return compiled_kernels().Sight(offset, window, length, *masks[0], *masks[1])


def per_head(x, lead):
    """An integer, or one for each item of the first axis, as (heads,)."""
    x = np.broadcast_to(np.asarray(in_numpy(x), np.int64), lead)
    return np.ascontiguousarray(x).reshape(math.prod(lead))


def per_query(x, lead, n_k, dtype):
    """A mask or prior as (m, n_q or 1, n_k), and for each head which of the m is its own; n_k = 0 for none."""
    if x is None:
        return np.empty((1, 1, 0), dtype), np.zeros(math.prod(lead), np.int64)
    x = in_numpy(x)
    x = np.broadcast_to(x, (*x.shape[:-1], n_k))
    which = np.arange(math.prod(x.shape[:-2])).reshape(x.shape[:-2])
    return compiled_kernels().ready(x.reshape(-1, *x.shape[-2:]), dtype), per_head(which, lead)


@functools.cache
def _differentiable():
    import torch

    class SparseAttention(torch.autograd.Function):
        """Output and gradient by the kernels; the gradient of the gradient in another way, if there is one."""

        @staticmethod
        def forward(ctx, q, k, v, options, anew):
            ctx.save_for_backward(q, k, v)
            ctx.options, ctx.anew = options, anew
            return torch.from_numpy(compiled_kernels().attention_forward(*map(in_numpy, (q, k, v)), *options))

        @staticmethod
        def backward(ctx, grad):
            inputs, wanted = ctx.saved_tensors, ctx.needs_input_grad[:3]
            if not torch.is_grad_enabled():
                grads = compiled_kernels().attention_backward(*map(in_numpy, inputs), *ctx.options, in_numpy(grad))
                return *map(torch.from_numpy, grads), None, None
            if ctx.anew is None:
                raise RuntimeError('path="fused" has first-order gradients alone; for more take path="readable"')
            some = [x for x, want in zip(inputs, wanted, strict=True) if want]
            anew = iter(torch.autograd.grad(ctx.anew(*inputs), some, grad, create_graph=True))
            return *(next(anew) if want else None for want in wanted), None, None

    return SparseAttention
