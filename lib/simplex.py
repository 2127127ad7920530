"""The Gibbs family: softmax, its logarithm, its value, and what it trades against each other."""

import math
from typing import Any, NamedTuple

import numpy as np

from lib.arrays import (
    check_fit,
    float_dtype,
    holds,
    is_number,
    is_torch,
    namespace,
    negative_axis,
    prepare,
    quiet,
    stop_gradient,
    working_dtype,
)

inf = math.inf


class _Tilt(NamedTuple):
    """A prior tilted by scores: what softmax, its logarithm and its value have in common.

    β < 0 is turned into |β| with the scores negated (`sign` = −1), so that the best entry
    is the highest. On a *hard* row, |β| or the best score is infinite: only the ties of the
    best are alive, and `rate` is 0.
    """

    xp: Any
    axis: int
    dtype: Any  # of the result
    sign: Any  # (..., 1) −1 where β < 0, else 1
    rate: Any  # (..., 1) |β|, 0 on hard rows
    peak: Any  # (..., 1) highest sign · score; −inf for an empty row
    gap: Any  # (..., n) sign · score − peak ≤ 0; 0 where not alive
    admissible: Any  # (..., n)
    alive: Any  # (..., n) admissible and of weight > 0 in exact arithmetic
    prior: Any  # (..., n) as given, or None
    mass: Any  # (..., n) prior u; 0 where not alive
    tilted: Any  # (..., n) u e^{rate · gap}
    total: Any  # (..., 1) its sum; 0 for an empty row


def _tilt(scores, beta, prior, where, axis):
    xp, scores, beta, prior, where, axis, dtype = prepare(scores, beta, prior, where, axis)
    admissible = scores != -inf
    if where is not None:
        admissible = admissible & where
    if prior is not None:
        admissible = admissible & (prior != 0)

    sign = xp.where(beta < 0, -xp.ones_like(beta), xp.ones_like(beta))
    rate, scores = sign * beta, sign * scores
    peak = _max(xp, stop_gradient(xp.where(admissible, scores, -inf)), axis)  # (..., n) -> (..., 1)
    hard = (xp.isinf(rate) & (peak == peak)) | (xp.isinf(peak) & (rate != 0))
    alive = admissible & xp.where(hard, scores == peak, scores != -inf)

    # Shift first, then multiply: the other order loses the digits that a large offset takes.
    # Entries that are not alive, or infinite, stand on the peak, so that no gradient meets inf − inf.
    ground = xp.where(xp.isinf(peak), 0.0, peak)
    gap = xp.where(alive & ~xp.isinf(scores), scores, ground) - ground
    gap = xp.maximum(gap, xp.full_like(ground, -xp.finfo(gap.dtype).max))
    rate = xp.where(hard, 0.0, rate)
    mass = xp.astype(alive, gap.dtype) if prior is None else xp.where(alive, prior, 0.0)
    tilted = mass * xp.exp(rate * gap)
    total = xp.sum(tilted, axis=axis, keepdims=True)
    return _Tilt(
        xp, axis, dtype, sign, rate, peak, gap, admissible, alive, prior, mass, tilted, total
    )


def _max(xp, x, axis):
    """Maximum along `axis`, kept as size 1; −inf where there is nothing to compare."""
    if x.shape[axis] == 0:
        nothing = xp.full_like(xp.sum(x, axis=axis, keepdims=True), -inf)
        return nothing
    return xp.max(x, axis=axis, keepdims=True)


def _or_one(xp, x):
    """`x`, with 1 in place of 0: a divisor, or what a logarithm is taken of, that is safe for autograd."""
    return xp.where(x == 0, 1.0, x)


@quiet
def softmax(scores, beta=1.0, *, prior=None, where=None, axis=-1):
    t = _tilt(scores, beta, prior, where, axis)
    return t.xp.astype(t.tilted / _or_one(t.xp, t.total), t.dtype, copy=False)


@quiet
def log_softmax(scores, beta=1.0, *, prior=None, where=None, axis=-1):
    t = _tilt(scores, beta, prior, where, axis)
    xp = t.xp
    log_tilted = xp.log(_or_one(xp, t.mass)) + t.rate * t.gap
    log_weights = xp.where(t.alive, log_tilted - xp.log(_or_one(xp, t.total)), -inf)
    return xp.astype(log_weights, t.dtype, copy=False)


def _log_mean_exp(xp, x, p, axis):
    """log Σ p e^x for Σ p = 1 and x ≤ 0, to full relative accuracy also where every x is tiny."""
    growth = xp.sum(p * xp.expm1(x), axis=axis, keepdims=True)  # Σ p e^x − 1, without the subtraction
    small = growth > -0.5
    mean = xp.sum(p * xp.exp(x), axis=axis, keepdims=True)
    return xp.where(
        small, xp.log1p(xp.where(small, growth, 0.0)), xp.log(xp.where(small | (mean == 0), 1.0, mean))
    )


@quiet
def log_partition(scores, beta=1.0, *, prior=None, where=None, axis=-1):
    t = _tilt(scores, beta, prior, where, axis)
    xp = t.xp
    total_mass = xp.sum(t.mass, axis=t.axis, keepdims=True)
    p = t.mass / _or_one(xp, total_mass)
    rise = _log_mean_exp(xp, t.rate * t.gap, p, t.axis)
    mean_gap = xp.sum(p * t.gap, axis=t.axis, keepdims=True)
    above = xp.where(t.rate == 0, mean_gap, rise / _or_one(xp, t.rate))
    value = t.sign * xp.where(xp.isinf(t.peak), t.peak, t.peak + above)
    return _drop(xp, value, t.axis, t.dtype)


def _drop(xp, x, axis, dtype):
    """(..., 1) -> (...), in the dtype of the result."""
    return xp.astype(xp.squeeze(x, axis=axis), dtype, copy=False)[()]


def _two(p, q, axis, names):
    """Two arrays of weights over the same n entries, in one working dtype."""
    xp = namespace(**dict(zip(names, (p, q), strict=True)))
    axis = negative_axis(p, axis, names[0])
    check_fit(names[1], q, names[0], p, axis, (p.shape[axis],), "(..., n)")
    dtype = xp.result_type(float_dtype(xp, p, names[0]), float_dtype(xp, q, names[1]))
    working = working_dtype(xp, dtype)
    return xp, xp.astype(p, working, copy=False), xp.astype(q, working, copy=False), axis, dtype


@quiet
def kl_divergence(p, q, axis=-1):
    xp, p, q, axis, dtype = _two(p, q, axis, ("p", "q"))
    return _drop(xp, _kl(xp, p, q, axis), axis, dtype)


def _kl(xp, p, q, axis):
    d = p - q
    near = (xp.abs(d) <= 0.5 * q) & (q > 0)
    close = xp.log1p(xp.where(near, d, 0.0) / xp.where(near, q, 1.0))
    far = xp.log(_or_one(xp, xp.where(near, 1.0, p))) - xp.log(_or_one(xp, xp.where(near, 1.0, q)))
    terms = p * xp.where(near, close, far) - d
    terms = xp.where((q == 0) & (p != 0), inf, terms)
    total = xp.sum(terms, axis=axis, keepdims=True)
    empty = xp.all(p == 0, axis=axis, keepdims=True)
    total = xp.where(empty, 0.0, total)
    below = stop_gradient(xp.where(total < 0, -total, 0.0))
    return total + below


@quiet
def entropy(p, axis=-1):
    xp = namespace(p=p)
    axis = negative_axis(p, axis, "p")
    dtype = float_dtype(xp, p, "p")
    p = xp.astype(p, working_dtype(xp, dtype), copy=False)
    terms = p * xp.log(_or_one(xp, p))
    return _drop(xp, 0.0 - xp.sum(terms, axis=axis, keepdims=True), axis, dtype)


@quiet
def objective(p, scores, beta, *, prior=None, where=None, axis=-1):
    xp, p, scores, axis, dtype = _two(p, scores, axis, ("p", "scores"))
    xp, scores, beta, prior, where, axis, _ = prepare(scores, beta, prior, where, axis)
    admissible = scores != -inf
    if where is not None:
        admissible = admissible & where
    if prior is not None:
        admissible = admissible & (prior != 0)
    mass = xp.astype(admissible, p.dtype) if prior is None else xp.where(admissible, prior, 0.0)
    u = mass / _or_one(xp, xp.sum(mass, axis=axis, keepdims=True))
    kl = _kl(xp, p, u, axis)
    gain = xp.sum(xp.where(admissible & (p != 0), p * xp.where(admissible, scores, 0.0), 0.0), axis=axis, keepdims=True)
    free = xp.isinf(beta) & ~xp.isinf(kl)
    price = xp.where(kl == 0, 0.0, kl) / xp.where(beta == 0, 0.0, beta)
    value = gain - xp.where(free | (kl == 0), 0.0, price)
    return _drop(xp, value, axis, dtype)


@quiet
def beta_for_kl(scores, epsilon, *, prior=None, where=None, axis=-1):
    t = _tilt(scores, 1.0, prior, where, axis)
    xp = t.xp
    gap = xp.astype(t.gap, xp.float64)
    mass = xp.astype(t.mass, xp.float64)
    p = mass / _or_one(xp, xp.sum(mass, axis=t.axis, keepdims=True))
    width = _or_one(xp, -xp.min(gap, axis=t.axis, keepdims=True))
    gap = gap / width
    eps = xp.asarray(epsilon, dtype=xp.float64)[..., None] if is_number(epsilon) else epsilon[..., None]
    rest = xp.sum(xp.where(gap < 0, p, 0.0), axis=t.axis, keepdims=True)
    limit = -xp.log1p(-rest)
    lo, hi = xp.sqrt(8 * eps) + 0 * width, 1e3 + 0 * (width + eps)
    hi = hi / xp.where(limit > 0, -xp.max(xp.where(gap < 0, gap, -inf), axis=t.axis, keepdims=True), 1.0)
    for _ in range(80):
        mid = xp.sqrt(lo) * xp.sqrt(hi)
        x = mid * gap
        lw = x - _log_mean_exp(xp, x, p, t.axis)
        kl = xp.sum(p * (lw * xp.exp(lw) - xp.expm1(lw)), axis=t.axis, keepdims=True)
        lo, hi = xp.where(kl <= eps, mid, lo), xp.where(kl <= eps, hi, mid)
    beta = xp.where(eps >= limit * (1 - 1e-15), inf, xp.where(eps == 0, 0.0, lo / width))
    return _drop(xp, beta, t.axis, t.dtype)
