"""Sparsemax and entmax attention on the CPU: how `entmax_attention` calls the kernels by Numba."""

import math

import numpy as np

from lib._arrays import compiling, is_number, is_torch
from lib.fast import kernels
from lib.fast.kernels import in_library_of, in_numpy, kernels_for

WIDEST = 700.0  # nats between the entries of a log-prior: its exponential must be a float64


def why_not(request):
    """Why the kernels cannot take these arrays, or should not unless path="fused" asks for them; or None."""
    n_q, n_k, log_prior = request.q.shape[-2], request.k.shape[-2], request.log_prior
    masks = [x for x in (request.where, request.prior, log_prior) if x is not None]
    if any(x.shape[-1] == 1 < min(n_k, x.shape[-2]) for x in masks):
        return "with a mask or prior over queries alone, which would have to be repeated for every key"
    if request.path != "fused" and math.prod(request.lead) * n_q * n_k < kernels.SMALLEST:
        return "for so little to do"
    constants = request.beta, request.prior, log_prior
    arrays = request.q, request.k, request.v, request.where, *constants
    reason = kernels.why_no_kernels(request.q, arrays, constants)
    if compiling():  # what the log-prior holds cannot be read, and its gaps may be any
        return reason
    if reason is None and log_prior is not None and not widest_gap(in_numpy(log_prior)) <= WIDEST:
        return f"with a log-prior of which two entries are more than {WIDEST:g} nats apart"
    return reason


def widest_gap(log_prior):
    """How far the finite entries of a log-prior are apart."""
    lowest = log_prior.min(where=log_prior != -math.inf, initial=math.inf)
    return log_prior.max(initial=-math.inf) - lowest


def options(request):
    """What the kernels take besides q, k, v and α."""
    return beta_of(request), sight_of(request), chance_of(request, seed_of(request))


def forward(q, k, v, alpha, *options):
    """The output, and nothing that is kept for the gradient."""
    return in_library_of(q, kernels_for(q).attention_forward(*map(in_numpy, (q, k, v)), alpha, *options)), ()


def backward(q, k, v, alpha, *rest):
    *options, _, grad = rest
    grads = kernels_for(q).attention_backward(*map(in_numpy, (q, k, v)), alpha, *options, in_numpy(grad))
    return [in_library_of(q, x) for x in grads]


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
    return kernels_for(request.q).Sight(offset, window, length, *masks[0], *masks[1])


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
    return kernels_for(request.q).dropout_of(request.dropout, 0 if seed is None else int(seed))


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
    return kernels_for(x).ready(x.reshape(which.size, *x.shape[-2:]), dtype), for_each_head(which, lead)
