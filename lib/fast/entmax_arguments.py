"""What the kernels of sparsemax and entmax attention take, made from the checked arguments of `attention`."""

import math

import numpy as np

from .._arrays import cast, is_integer, is_number, is_torch, stop_gradient
from .kernels import Sight

WIDEST = 700.0  # nats between the entries of a log-prior: its exponential must be a float64


def options_of(request, seed):
    """What the kernels take besides q, k, v and α."""
    return beta_of(request), sight_of(request), request.dropout, seed


def beta_of(request):
    """β for each query, (heads, n_q), float64."""
    xp, shape = request.xp, (*request.lead, request.q.shape[-2])
    heads = math.prod(request.lead), request.q.shape[-2]
    if is_number(request.beta):
        return xp.full(heads, request.beta, dtype=xp.float64, device=request.q.device)
    beta = cast(xp, stop_gradient(request.beta)[..., 0], xp.float64)  # (..., n_q or 1)
    return xp.reshape(xp.broadcast_to(beta, shape), heads)


def sight_of(request):
    """Who sees what."""
    n_k, limited = request.k.shape[-2], request.causal or request.window is not None
    return Sight(
        for_each_head(request, request.offset if limited else n_k),
        request.window,
        for_each_head(request, n_k if request.lengths is None else request.lengths),
        *per_query(request, request.where),
        *per_query(request, prior_of(request)),
    )


def prior_of(request):
    """The prior in float64, but for a factor; None for none."""
    xp, log_prior = request.xp, request.log_prior
    if log_prior is None or 0 in log_prior.shape:
        return request.prior
    log_prior = cast(xp, stop_gradient(log_prior), xp.float64)
    return xp.exp(log_prior - xp.max(log_prior))


def widest_gap(log_prior):
    """How far the finite entries of a log-prior, a NumPy array, are apart."""
    lowest = log_prior.min(where=log_prior != -math.inf, initial=math.inf)
    return log_prior.max(initial=-math.inf) - lowest


def seed_of(request):
    """A seed for dropout, drawn from the generator, or from the library's own: a 0-d array; None for none."""
    if not request.dropout:
        return None
    if is_torch(request.q):
        import torch

        device = "cpu" if request.generator is None else request.generator.device
        return torch.randint(2**63 - 1, (), generator=request.generator, device=device)
    return (request.generator or np.random.default_rng()).integers(2**63 - 1)


def for_each_head(request, x):
    """An integer, or one for each item of the first axis, as (heads,)."""
    xp, heads = request.xp, (math.prod(request.lead),)
    if is_integer(x):
        return xp.full(heads, x, dtype=xp.int64, device=request.q.device)
    return xp.reshape(xp.broadcast_to(cast(xp, x, xp.int64), request.lead), heads)


def per_query(request, x):
    """A mask or prior as (m, n_q or 1, n_k or 1), or None; and for each head which of the m is its own."""
    if x is None:
        return None, for_each_head(request, 0)
    xp, m = request.xp, math.prod(x.shape[:-2])
    which = xp.reshape(xp.arange(m, device=request.q.device), x.shape[:-2])
    return xp.reshape(stop_gradient(x), (m, *x.shape[-2:])), for_each_head(request, which)
