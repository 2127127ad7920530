"""Entmax and sparsemax on the CPU, a row at a time, and attention by them; compiled by Numba.

The references, of entmax and of attention, say what is computed; these kernels are tested against them. Nothing
outside this folder imports Numba, and this folder is imported only when it is first needed.
"""

import math

import numpy as np

from .. import threads
from .attention import Gradients, Inputs, Masks, attend_queries, pull_back_queries
from .dropout import dropout_of
from .products import tiled, widened
from .rows import pull_back_rows, pull_back_to_alpha, weigh_rows

__all__ = ["attention_backward", "attention_forward", "entmax_alpha_backward", "entmax_backward", "entmax_forward"]


def entmax_forward(scores, alpha, beta=1.0, where=None, prior=None):
    """Weights along the last axis, scores (rows, n) -> (rows, n), and the slopes (rows,) for `entmax_backward`.

    float32 or float64; 1 < α ≤ 2, which is sparsemax; α and β are numbers or have shape (rows,). `where` and
    `prior` have shape (k, n): row r uses their row r mod k. The prior need not be normalised. Any score
    will do, the infinities too, and NaN: in its row the slope is NaN, and the weight of all that is admissible.
    """
    scores = ready(scores, scores.dtype.newbyteorder("="))
    weights, slopes = np.empty_like(scores), np.zeros(len(scores))
    if scores.size > 0:
        alpha, beta = (ready(np.broadcast_to(x, slopes.shape), np.float64) for x in (alpha, beta))
        where = ready(np.empty((1, 0)) if where is None else where, np.bool_)
        prior = ready(np.empty((1, 0)) if prior is None else prior, np.float64)
        threads.over_rows(weigh_rows, scores.shape, scores, alpha, beta, (where, prior), weights, slopes)
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


def attention_forward(q, k, v, request, seed):
    """Outputs of entmax attention: (heads, n_q, d), (kv heads, n_k, d), (kv heads, n_k, d_v) -> (heads, n_q, d_v).

    Head h uses kv head h // group. All else is in the request, and dropout draws from the seed.
    """
    out = np.zeros((*q.shape[:2], v.shape[2]), q.dtype)
    if 0 not in (q.shape[0] * q.shape[1], v.size):
        rows = q.shape[0] * q.shape[1], k.shape[1]
        threads.over_rows(attend_queries, rows, inputs_of(q, k, v, request, seed), out)
    return out


def attention_backward(q, k, v, request, seed, grad):
    """Carry `grad`, the gradient in the outputs, back to q, k and v."""
    shares = 1 if len(v) % threads.count() == 0 else threads.count()
    dq, dk, dv = (np.zeros(shape, q.dtype) for shape in (q.shape, (shares, *k.shape), (shares, *v.shape)))
    if 0 not in (q.shape[0] * q.shape[1], v.size):
        inputs, gradients = inputs_of(q, k, v, request, seed), Gradients(ready(grad, q.dtype), dq, dk, dv)
        threads.over_rows(pull_back_queries, (len(v) * shares, threads.ENTRIES), inputs, gradients)
    return dq, dk.sum(0), dv.sum(0)


def inputs_of(q, k, v, request, seed):
    """What the kernels of attention take. In the request, q, k and v are None, and all arrays of NumPy."""
    (heads, n_q, _), n_k, leading = q.shape, k.shape[1], request.leading

    def per_head(x):
        """An integer, or one for each item of the first axis, as (heads,)."""
        return ready(np.broadcast_to(x, leading).reshape(heads), np.int64)

    def per_query(x, dtype):
        """A mask or prior (m, n_q or 1, n_k), or (1, 1, 0) for none, and which of the m is that of each head."""
        if x is None:
            return ready(np.empty((1, 1, 0)), dtype), per_head(0)
        m = math.prod(x.shape[:-2])
        every_key = np.broadcast_to(x, (*x.shape[:-1], n_k)).reshape(m, x.shape[-2], n_k)
        return ready(every_key, dtype), per_head(np.arange(m).reshape(x.shape[:-2]))

    beta = request.beta if np.ndim(request.beta) == 0 else request.beta[..., 0]  # (..., n_q or 1)
    offset = per_head(request.offset if request.causal or request.window is not None else n_k)
    masks = Masks(
        offset,
        request.window or n_q + n_k + int(np.abs(offset).max()),
        np.minimum(per_head(n_k if request.lengths is None else request.lengths), n_k),
        *per_query(request.where, np.bool_),
        *per_query(prior_of(request), np.float64),
    )
    return Inputs(
        widened(q),
        tiled(k),
        ready(k, k.dtype),
        ready(v, v.dtype),
        float(request.alpha),
        ready(np.broadcast_to(beta, (*leading, n_q)).reshape(heads, n_q), np.float64),
        masks,
        dropout_of(request.dropout, 0 if seed is None else int(seed)),
    )


def prior_of(request):
    """The prior in float64, but for a factor; None for none."""
    if request.log_prior is None:
        return request.prior
    log_prior = request.log_prior.astype(np.float64)
    return np.exp(log_prior - log_prior.max(initial=-math.inf))


def ready(x, dtype):
    """`x` contiguous and writeable: the kernels are compiled once for each dtype, for such arrays alone."""
    return np.require(x, dtype, ["C_CONTIGUOUS", "ALIGNED", "WRITEABLE"])
