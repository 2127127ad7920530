"""Softmax of ordinary rows, in fewer passes through the memory than the readable body takes."""

import math

import numpy as np

from lib.arrays import all_finite, cast, is_number, known_true, or_one, quiet, stop_gradient
from lib.kernels.threads import over_rows

inf = math.inf


def torch_softmax(given, beta):
    """torch's fused kernel where it is the same thing: ordinary rows on the CPU, 0 < β < ∞. Else None."""
    xp, scores, _, prior, where, axis, dtype = given
    if prior is not None or scores.shape[axis] == 0:
        return None
    if where is not None:
        scores = xp.where(where, scores, -inf)
    peak = xp.max(stop_gradient(scores), axis=axis, keepdims=True)
    # an array β may want a gradient, which must not meet a score of −inf
    if not all_finite(xp, peak if is_number(beta) else scores):
        return None
    if not known_true(xp.all((given.beta > 0) & (given.beta < inf))):
        return None
    # Up to n, a product β · score is rounded by n eps at most: then the shift, one more pass, buys nothing.
    if not known_true(xp.all(xp.abs(given.beta * peak) <= scores.shape[axis])):
        scores = scores - peak
    return cast(xp, xp.softmax(scores * given.beta, axis), dtype)


def numpy_softmax(given):
    """The same steps on NumPy, some rows at a time, so that what they share stays in the cache.

    Along the last axis, one β, 0 < β < ∞, no prior, no score of NaN or +inf. Else None.
    """
    xp, scores, beta, prior, where, axis, dtype = given
    plain = type(scores) is np.ndarray and scores.size > 0 and prior is None and axis == -1
    if not plain or beta.ndim > 0 or not 0 < beta < inf:
        return None
    if where is not None and np.broadcast_shapes(where.shape, scores.shape) != scores.shape:
        return None
    rows = scores.reshape(-1, scores.shape[-1])
    keep = None if where is None else np.broadcast_to(where, scores.shape).reshape(rows.shape)
    weights, unusual = np.empty_like(rows), []

    @quiet
    def some_rows(start, stop):
        x = rows[start:stop] if keep is None else np.where(keep[start:stop], rows[start:stop], -inf)
        peak = np.max(x, axis=1, keepdims=True)  # (rows, n) -> (rows, 1)
        if not (peak < inf).all():
            return unusual.append(start)
        w = np.subtract(x, np.where(peak == -inf, 0, peak), out=weights[start:stop])
        w *= beta
        np.exp(w, out=w)
        w /= or_one(np, np.sum(w, axis=1, keepdims=True))

    over_rows(some_rows, rows.shape)
    return None if unusual else cast(xp, weights.reshape(scores.shape), dtype)
