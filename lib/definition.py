"""Attention as it is defined; the faster ways, in `lib.paths`, are tested against this one."""

from lib.arrays import all_finite, cast, is_torch, stop_gradient
from lib.masks import blank_unseen
from lib.score_maps import to_weights


def attend(request):
    """Output (..., n_q, d_v) and weights (..., n_q, n_k) for `request`, the checked arguments of `attention`."""
    q, k, v, where = visible(request)
    scores = dot_products(request.xp, q, k)
    weights = to_weights(request, scores, where)  # (..., n_q, n_k) -> (..., n_q, n_k), each row by itself
    output = dropped(request, weights) @ v  # (..., n_q, n_k) @ (..., n_k, d_v) -> (..., n_q, d_v)
    return cast(request.xp, output, request.dtype), cast(request.xp, weights, request.dtype)


def visible(request):
    """Queries, keys and values, with zeros for what the mask hides from everyone, and the mask."""
    where = request.mask()  # True = takes part: (..., n_q, n_k), or None
    return *blank_unseen(request.xp, where, *request.to_compute_with()), where


def dot_products(xp, q, k):
    """Scores: (..., n_q, d) @ (..., d, n_k) -> (..., n_q, n_k). An infinite one has slope 0."""
    scores = q @ xp.matrix_transpose(k)
    if not is_torch(q) or all_finite(xp, scores):
        return scores
    finite = [xp.where(xp.isfinite(x), x, 0.0) for x in (q, k)]
    slopes = finite[0] @ xp.matrix_transpose(finite[1])
    return xp.where(xp.isfinite(scores), slopes, stop_gradient(scores))


def dropped(request, weights):
    """Each weight set to 0 with probability p, or else divided by 1 − p, so that its mean stays."""
    p = request.dropout
    return weights if p == 0 else request.xp.where(request.chance(weights) < p, 0.0, weights / (1 - p))
