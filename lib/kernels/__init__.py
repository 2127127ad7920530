"""Entmax and sparsemax on the CPU, a row at a time, compiled by Numba.

The readable body in `lib.alternatives` says what is computed, and is what these are tested against.
Nothing outside this folder imports Numba, and this folder is imported only when it is first needed.
"""

import numpy as np

from lib.kernels import weights as _weights
from lib.threads import over_rows

__all__ = ["entmax", "entmax_vjp"]


def entmax(scores, alpha, beta=1.0, where=None, prior=None):
    """Weights along the last axis, scores (rows, n) -> (rows, n), and the slopes (rows,) for `entmax_vjp`.

    float32 or float64; 1 < α ≤ 2, which is sparsemax; β is a number or has shape (rows,). `where` and
    `prior` have shape (k, n): row r uses their row r mod k. The prior need not be normalised. Any score
    will do, NaN and the infinities too.
    """
    scores = ready(scores, scores.dtype.newbyteorder("="))
    weights, slopes = np.empty_like(scores), np.zeros(len(scores))
    if scores.size > 0:
        beta = ready(np.broadcast_to(np.asarray(beta, np.float64), slopes.shape), np.float64)
        where = ready(np.empty((1, 0)) if where is None else where, np.bool_)
        prior = ready(np.empty((1, 0)) if prior is None else prior, np.float64)
        arrays = scores, bits(scores), float(alpha), beta, where, prior, weights, slopes
        over_rows(_weights.forward, scores.shape, *arrays)
    return weights, slopes


def entmax_vjp(weights, grad, alpha, slopes):
    """The gradient in `grad`, that of the weights, (rows, n), carried back to the scores."""
    weights, grad = (ready(x, weights.dtype) for x in (weights, grad))
    out = np.empty_like(weights)
    if weights.size > 0:
        over_rows(_weights.backward, out.shape, weights, bits(weights), grad, float(alpha), slopes, out)
    return out


def ready(x, dtype):
    """`x` as the kernels take it: compiled once for a dtype, they know no strides and no read-only arrays."""
    return np.require(x, dtype, ["C_CONTIGUOUS", "ALIGNED", "WRITEABLE"])


def bits(x):
    return x.view(f"i{x.itemsize}")
