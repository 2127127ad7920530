"""Sparsemax and entmax attention by the compiled kernels, which never hold the weights.

Checked arguments become the arrays that the kernels take, and autograd gets the gradients that they give.
"""

import functools
import itertools
import math

import numpy as np

from lib.arrays import cast, compiling, is_number, is_torch, quiet
from lib.attention_shapes import group_size
from lib.definition import attend
from lib.kernels.entmax_on_arrays import SMALLEST, compiled_kernels, in_numpy, why_no_kernels

ALPHA = {"sparsemax": 2.0, "entmax": 1.5}
WIDEST = 700.0  # nats between the entries of a log-prior: its exponential must be a float64


def why_not(request):
    """Why the kernels cannot take this request, or should not unless path="fused" asks for them; or None."""
    weights, log_prior = request.weights, request.log_prior
    if callable(weights):
        return "with a callable: no kernel knows it"
    if request.return_weights:
        return "with return_weights=True: no kernel holds them"
    if weights == "softmax":
        return "with softmax for NumPy arrays: the kernel is torch's"
    if weights not in ALPHA:
        return f"with weights={weights!r}: the kernels are for sparsemax and entmax"
    alpha = alpha_of(request)
    if not (is_number(alpha) and 1.05 <= alpha <= 2):
        return "with an alpha that is an array, or outside [1.05, 2]"
    n_q, n_k = request.q.shape[-2], request.k.shape[-2]
    masks = [x for x in (request.where, request.prior, log_prior) if x is not None]
    if any(x.shape[-1] == 1 < min(n_k, x.shape[-2]) for x in masks):
        return "with a mask or prior over queries alone, which would have to be repeated for every key"
    if request.path != "fused" and math.prod(request.lead) * n_q * n_k < SMALLEST:
        return "for so little to do"
    constants = request.beta, request.prior, log_prior
    arrays = request.q, request.k, request.v, request.where, *constants
    reason = why_no_kernels(request.q, arrays, constants)
    if compiling():  # what the log-prior holds cannot be read, and its gaps may be any
        return reason
    if reason is None and log_prior is not None and not widest_gap(in_numpy(log_prior)) <= WIDEST:
        return f"with a log-prior of which two entries are more than {WIDEST:g} nats apart"
    return reason


def alpha_of(request):
    return ALPHA[request.weights] if request.alpha is None else request.alpha


def widest_gap(log_prior):
    """How far the finite entries of a log-prior are apart."""
    lowest = log_prior.min(where=log_prior != -math.inf, initial=math.inf)
    return log_prior.max(initial=-math.inf) - lowest


def output(request):
    """The output (..., n_q, d_v), by the kernels."""
    xp, lead = request.xp, request.lead
    k, v, group = request.k, request.v, group_size(request.q, request.k)
    if group_size(request.q, v) != group:
        k, v, group = request.with_all_heads(k), request.with_all_heads(v), 1
    shared = (*lead[:-1], lead[-1] // group) if lead else ()
    q, k, v = (
        stacked(xp, cast(xp, x, request.working), axes)
        for x, axes in ((request.q, lead), (k, shared), (v, shared))
    )
    if compiling():
        from lib.paths import entmax_in_graphs  # only now, since it imports torch

        found = entmax_in_graphs.output(request, q, k, v)
        return cast(xp, xp.reshape(found, (*lead, *found.shape[-2:])), request.dtype)
    options = float(alpha_of(request)), beta_of(request), sight_of(request), chance_of(request, seed_of(request))
    if not is_torch(q):
        found = compiled_kernels().attention_forward(q, k, v, *options)
    else:

        def as_defined(q, k, v):
            if request.path == "fused" or request.dropout:
                what = 'path="fused"' if request.path == "fused" else "by a kernel, attention with dropout"
                raise RuntimeError(f'{what} has first-order gradients alone; for more take path="readable"')
            q, k, v = (x.reshape(*axes, *x.shape[-2:]) for x, axes in ((q, lead), (k, shared), (v, shared)))
            return stacked(xp, attend(request._replace(q=q, k=k, v=v))[0], lead)

        found = _differentiable().apply(q, k, v, options, as_defined)
    return cast(xp, xp.reshape(found, (*lead, *found.shape[-2:])), request.dtype)


def stacked(xp, x, lead):
    """(..., n, d) -> (all leading axes in one, n, d)."""
    if tuple(x.shape[:-2]) != lead:
        x = xp.broadcast_to(x, (*lead, *x.shape[-2:]))
    return xp.reshape(x, (math.prod(lead), *x.shape[-2:]))


def beta_of(request):
    """β for each query, (heads, n_q), in NumPy."""
    lead, n_q = request.lead, request.q.shape[-2]
    beta = request.beta if is_number(request.beta) else in_numpy(request.beta)[..., 0]
    return np.full((*lead, n_q), beta, np.float64).reshape(math.prod(lead), n_q)


def sight_of(request):
    """Who sees what, as the kernels take it."""
    n_q, n_k = request.q.shape[-2], request.k.shape[-2]
    limited = request.causal or request.window is not None
    offset = for_each_head(request.offset if limited else n_k, request.lead)
    length = np.minimum(for_each_head(n_k if request.lengths is None else request.lengths, request.lead), n_k)
    window = n_q + n_k + int(np.abs(offset).max(initial=0)) if request.window is None else request.window
    prior = request.prior
    if request.log_prior is not None:
        prior = in_numpy(request.log_prior).astype(np.float64)
        prior = np.exp(prior - prior.max(initial=-math.inf))
    masks = [
        per_query(x, request.lead, n_k, dtype) for x, dtype in ((request.where, np.bool_), (prior, np.float64))
    ]
    return compiled_kernels().Sight(offset, window, length, *masks[0], *masks[1])


def seed_of(request):
    """A seed for dropout, drawn from the generator, or from the library's own: a 0-d array; None for none."""
    if not request.dropout:
        return None
    if is_torch(request.q):
        import torch

        return torch.randint(2**63 - 1, (), generator=request.generator)
    return (request.generator or np.random.default_rng()).integers(2**63 - 1)


def chance_of(request, seed):
    """What dropout drops, as the kernels take it."""
    return compiled_kernels().dropout_of(request.dropout, 0 if seed is None else int(seed))


def for_each_head(x, lead):
    """An integer, or one for each item of the first axis, as (heads,)."""
    return np.full(lead, in_numpy(x), np.int64).reshape(math.prod(lead))


def per_query(x, lead, n_k, dtype):
    """A mask or prior as (m, n_q or 1, n_k), and for each head which of the m is its own; n_k = 0 for none."""
    if x is None:
        return np.empty((1, 1, 0), dtype), np.zeros(math.prod(lead), np.int64)
    x = in_numpy(x)
    x = np.broadcast_to(x, (*x.shape[:-1], n_k))
    which = np.arange(math.prod(x.shape[:-2])).reshape(x.shape[:-2])
    return compiled_kernels().ready(x.reshape(which.size, *x.shape[-2:]), dtype), for_each_head(which, lead)


@functools.cache
def _differentiable():
    import torch

    class SparseAttention(torch.autograd.Function):
        """Output and gradient by the kernels; under create_graph=True it is by `as_defined`, which may refuse."""

        @staticmethod
        def forward(ctx, q, k, v, options, as_defined):
            ctx.save_for_backward(q, k, v)
            ctx.options, ctx.as_defined = options, as_defined
            return torch.from_numpy(compiled_kernels().attention_forward(*map(in_numpy, (q, k, v)), *options))

        @staticmethod
        @quiet
        def backward(ctx, grad):
            inputs, wanted = ctx.saved_tensors, ctx.needs_input_grad
            if not torch.is_grad_enabled():
                grads = compiled_kernels().attention_backward(*map(in_numpy, inputs), *ctx.options, in_numpy(grad))
                return *map(torch.from_numpy, grads), None, None
            some = list(itertools.compress(inputs, wanted))
            anew = iter(torch.autograd.grad(ctx.as_defined(*inputs), some, grad, create_graph=True))
            return tuple(next(anew) if want else None for want in wanted)

    return SparseAttention
