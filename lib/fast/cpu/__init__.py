"""Entmax and sparsemax on the CPU, a row at a time, and attention by them; compiled by Numba.

The reference bodies, of entmax and of attention, say what is computed; these kernels are
tested against them. Nothing outside this folder imports Numba, and this folder is imported only when it is
first needed.
"""

import numpy as np

from .. import threads
from .attention import attend_queries, pull_back_queries
from .chance import dropout_of
from .compile import forget_stale
from .products import tiled, widened
from .weights import pull_back_rows, pull_back_to_alpha, weigh_rows

__all__ = ["attention_backward", "attention_forward", "entmax_alpha_backward", "entmax_backward", "entmax_forward"]

forget_stale()


def entmax_forward(scores, alpha, beta=1.0, where=None, prior=None):
    """Weights along the last axis, scores (rows, n) -> (rows, n), and the slopes (rows,) for `entmax_backward`.

    float32 or float64; 1 < α ≤ 2, which is sparsemax; α and β are numbers or have shape (rows,). `where` and
    `prior` have shape (k, n): row r uses their row r mod k. The prior need not be normalised. Any score
    will do, NaN and the infinities too.
    """
    scores = ready(scores, scores.dtype.newbyteorder("="))
    weights, slopes = np.empty_like(scores), np.zeros(len(scores))
    if scores.size > 0:
        alpha, beta = (ready(np.broadcast_to(x, slopes.shape), np.float64) for x in (alpha, beta))
        where = ready(np.empty((1, 0)) if where is None else where, np.bool_)
        prior = ready(np.empty((1, 0)) if prior is None else prior, np.float64)
        arrays = scores, bits(scores), alpha, beta, where, prior, weights, slopes
        threads.over_rows(weigh_rows, scores.shape, *arrays)
    return weights, slopes


def entmax_backward(weights, grad, alpha, slopes):
    """Carry `grad`, the gradient in the weights, (rows, n), back to the scores."""
    weights, grad = (ready(x, weights.dtype) for x in (weights, grad))
    out = np.empty_like(weights)
    if weights.size > 0:
        alpha = ready(np.broadcast_to(alpha, slopes.shape), np.float64)
        threads.over_rows(pull_back_rows, out.shape, weights, grad, alpha, slopes, out)
    return out


def entmax_alpha_backward(weights, grad, alpha):
    """Carry `grad`, the gradient in the weights, (rows, n), back to the α of each row: (rows,)."""
    weights, grad, out = ready(weights, weights.dtype), ready(grad, weights.dtype), np.zeros(len(weights))
    if weights.size > 0:
        threads.over_rows(pull_back_to_alpha, weights.shape, weights, grad, ready(alpha, np.float64), out)
    return out


def attention_forward(q, k, v, alpha, beta, sight, dropout=0.0, seed=None):
    """Outputs of entmax attention: (heads, n_q, d), (kv heads, n_k, d), (kv heads, n_k, d_v) -> (heads, n_q, d_v).

    Head h uses kv head h // group. beta (heads, n_q); `sight` says who sees what, and with what prior. Weights are
    dropped with the probability `dropout`, by numbers from the seed. Nothing is kept for the gradient.
    """
    out = np.zeros((*q.shape[:2], v.shape[2]), q.dtype)
    if 0 not in (q.shape[0] * q.shape[1], v.size):
        options = options_of(q, k, alpha, beta, sight, dropout, seed)
        arrays = widened(q), tiled(k), ready(v, v.dtype), *options, out
        threads.over_rows(attend_queries, (q.shape[0] * q.shape[1], k.shape[1]), *arrays)
    return out, ()


def attention_backward(q, k, v, alpha, beta, sight, dropout, seed, kept, grad):
    """Carry `grad`, the gradient in the outputs, back to q, k and v."""
    shares = 1 if len(v) % threads.count() == 0 else threads.count()
    dq, dk, dv = (np.zeros(shape, q.dtype) for shape in (q.shape, (shares, *k.shape), (shares, *v.shape)))
    if 0 not in (q.shape[0] * q.shape[1], v.size):
        given = [ready(x, q.dtype) for x in (k, v)]
        options = options_of(q, k, alpha, beta, sight, dropout, seed)
        arrays = widened(q), tiled(k), *given, *options, ready(grad, q.dtype), dq, dk, dv
        threads.over_rows(pull_back_queries, (len(v) * shares, threads.ENTRIES), *arrays)
    return dq, dk.sum(0), dv.sum(0)


def options_of(q, k, alpha, beta, sight, dropout, seed):
    """What both kernels of attention take besides arrays of queries, keys and values."""
    n_q, n_k = q.shape[1], k.shape[1]
    offset, length, where_of, prior_of = (
        ready(x, np.int64) for x in (sight.offset, sight.length, sight.where_of, sight.prior_of)
    )
    all_keys = n_q + n_k + int(np.abs(offset).max())
    sight = sight._replace(
        offset=offset,
        window=all_keys if sight.window is None else sight.window,
        length=np.minimum(length, n_k),
        where=for_all_keys(sight.where, n_k, np.bool_),
        where_of=where_of,
        prior=for_all_keys(sight.prior, n_k, np.float64),
        prior_of=prior_of,
    )
    chance = dropout_of(dropout, 0 if seed is None else int(seed))
    return float(alpha), ready(beta, np.float64), sight, chance, bits(q[:0])


def for_all_keys(x, n_k, dtype):
    """A mask or prior (m, n_q or 1, n_k or 1) with an entry for each key; (1, 1, 0) for none."""
    return ready(np.empty((1, 1, 0)) if x is None else np.broadcast_to(x, (*x.shape[:2], n_k)), dtype)


def ready(x, dtype):
    """`x` contiguous and writeable: the kernels are compiled once for each dtype, for such arrays alone."""
    return np.require(x, dtype, ["C_CONTIGUOUS", "ALIGNED", "WRITEABLE"])


def bits(x):
    """The same memory read as integers, which LLVM compares many at a time."""
    return x.view(f"i{x.itemsize}")
