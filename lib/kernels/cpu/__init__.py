"""Entmax and sparsemax on the CPU, a row at a time, and attention by them; compiled by Numba.

The readable bodies, in `lib.alternatives` and `lib.attention`, say what is computed, and are what these are
tested against.
Nothing outside this folder imports Numba, and this folder is imported only when it is first needed.
"""

import numpy as np

from lib.kernels import threads
from lib.kernels.cpu import attention as _attention
from lib.kernels.cpu import weights as _weights
from lib.kernels.cpu.attention import Sight
from lib.kernels.cpu.products import tiled, widened

__all__ = ["Sight", "attention", "attention_vjp", "entmax", "entmax_vjp"]


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
        threads.over_rows(_weights.forward, scores.shape, *arrays)
    return weights, slopes


def entmax_vjp(weights, grad, alpha, slopes):
    """The gradient in `grad`, that of the weights, (rows, n), carried back to the scores."""
    weights, grad = (ready(x, weights.dtype) for x in (weights, grad))
    out = np.empty_like(weights)
    if weights.size > 0:
        threads.over_rows(_weights.backward, out.shape, weights, bits(weights), grad, float(alpha), slopes, out)
    return out


def attention(q, k, v, alpha, beta, sight):
    """Outputs of entmax attention: (heads, n_q, d), (kv heads, n_k, d), (kv heads, n_k, d_v) -> (heads, n_q, d_v).

    Head h uses kv head h // group. beta (heads, n_q); `sight` says who sees what, and with what prior.
    """
    out = np.zeros((*q.shape[:2], v.shape[2]), q.dtype)
    if 0 not in (q.shape[0] * q.shape[1], v.size):
        arrays = widened(q), tiled(k), ready(v, v.dtype), float(alpha), beta, sight, bits(out[:0]), out
        threads.over_rows(_attention.forward, (q.shape[0] * q.shape[1], k.shape[1]), *arrays)
    return out


def attention_vjp(q, k, v, alpha, beta, sight, grad):
    """The gradient in `grad`, that of the outputs, carried back to q, k and v."""
    shares = 1 if len(v) % threads.count() == 0 else threads.count()
    dq, dk, dv = (np.zeros(shape, q.dtype) for shape in (q.shape, (shares, *k.shape), (shares, *v.shape)))
    if 0 not in (q.shape[0] * q.shape[1], v.size):
        given = [ready(x, q.dtype) for x in (k, v)]
        arrays = widened(q), tiled(k), *given, float(alpha), beta, sight, bits(dq[:0]), ready(grad, q.dtype)
        threads.over_rows(_attention.backward, (len(v) * shares, threads.ENTRIES), *arrays, dq, dk, dv)
    return dq, dk.sum(0), dv.sum(0)


def ready(x, dtype):
    """`x` as the kernels take it: compiled once for a dtype, they know no strides and no read-only arrays."""
    return np.require(x, dtype, ["C_CONTIGUOUS", "ALIGNED", "WRITEABLE"])


def bits(x):
    return x.view(f"i{x.itemsize}")
