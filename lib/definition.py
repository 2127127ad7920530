"""Attention as it is defined; `lib.paths` computes the same, faster.

Letters: n_q queries q and n_k keys k of width d, values v of width d_v.
"""

from lib.arrays import all_finite, cast, is_torch, stop_gradient
from lib.autocast import matrix_product
from lib.masks import blank_unseen
from lib.score_maps import to_weights


def attend(request):
    """Outputs and weights for the checked arguments of `attention`."""
    xp, dtype = request.xp, request.dtype
    q, k, v, where = visible(request)
    scores = dot_products(xp, q, k)  # (..., n_q, n_k)
    weights = to_weights(request, scores, where)  # (..., n_q, n_k)
    output = matrix_product(dropped(request, weights), v)  # (..., n_q, d_v)
    return cast(xp, output, dtype), cast(xp, weights, dtype)


def visible(request):
    """q, k, v, zero where the mask hides them from everyone; the mask."""
    where = request.mask()  # True = takes part: (..., n_q, n_k), or None
    q, k, v = request.to_compute_with()
    return *blank_unseen(request.xp, where, q, k, v), where


def dot_products(xp, q, k):
    """(..., n_q, d) @ (..., d, n_k); an infinite score has slope 0."""
    scores = matrix_product(q, xp.matrix_transpose(k))
    if not is_torch(q) or all_finite(xp, scores):
        return scores
    q, k = (xp.where(xp.isfinite(x), x, 0.0) for x in (q, k))
    slopes = matrix_product(q, xp.matrix_transpose(k))
    return xp.where(xp.isfinite(scores), slopes, stop_gradient(scores))


def dropped(request, weights):
    """Each weight is 0 with probability p, else divided by 1 − p."""
    xp, p = request.xp, request.dropout
    if p == 0:
        return weights
    return xp.where(request.chance(weights) < p, 0.0, weights / (1 - p))
