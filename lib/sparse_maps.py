"""Sparsemax, whose weights are the point nearest to the scores, and entmax, which leads from it to softmax."""

import math

from lib.arrays import Array, cast, is_number, or_one, quiet, stop_gradient
from lib.entmax_solver import plain_weights, solve, weights_by_kernels, with_derivatives
from lib.gibbs import highest, softmax, tilt
from lib.gradients import phi
from lib.kernels.plain_calls import is_plain
from lib.map_arguments import check_alpha, one_more_argument, prepare

inf = math.inf


def sparsemax(
    scores: Array,
    beta: float | Array = 1.0,
    *,
    prior: Array | None = None,
    where: Array | None = None,
    axis: int = -1,
) -> Array:
    r"""The distribution nearest to the scores: weights with exact zeros.

    .. math:: \pi^\star = \arg\min_{\pi}\; \| \pi - (\beta s + u) \|_2^2,
              \qquad \pi^\star_i = [\beta s_i + u_i - \tau]_+ ,

    over the distributions on the admissible entries, with the τ for which the weights sum to 1. Where
    `softmax` charges for distance from the prior :math:`u` in nats, this charges half the squared length.
    It is `entmax` at α = 2.

    Parameters
    ----------
    scores, beta, prior, where, axis
        As for `softmax`; the prior is normalised over the admissible entries.

    Returns
    -------
    weights : array, shape of `scores`
        As `softmax`. Without a prior, an entry 1/β or more below the best has weight 0.

    Raises
    ------
    TypeError, ValueError
        As `softmax`.

    Notes
    -----
    As `entmax`. At β = ±∞, and for scores of +inf, the ties share in proportion to the prior, as in
    `softmax`; at a finite β, however large, each gets its prior and the same amount on top.

    References
    ----------
    Martins and Astudillo (2016), https://arxiv.org/abs/1602.02068.

    Examples
    --------
    >>> import numpy as np
    >>> sparsemax(np.array([1.0, 0.5, -1.0]))
    array([0.75, 0.25, 0.  ])
    >>> sparsemax(np.array([1.0, 0.5, -1.0]), 0.0)
    array([0.33333333, 0.33333333, 0.33333333])
    """
    return entmax(scores, beta, alpha=2.0, prior=prior, where=where, axis=axis)


def entmax(
    scores: Array,
    beta: float | Array = 1.0,
    *,
    alpha: float | Array = 1.5,
    prior: Array | None = None,
    where: Array | None = None,
    axis: int = -1,
) -> Array:
    r"""The maps between softmax and sparsemax, and beyond: α says how soon a weight is exactly 0.

    .. math:: \pi^\star &= \arg\max_{\pi}\; \langle \pi, s \rangle
              - \tfrac{1}{\beta} D_\alpha(\pi, u), \\
              \pi^\star_i &= \bigl[(\alpha - 1)\,\beta s_i + u_i^{\alpha - 1} - \tau\bigr]_+^{1/(\alpha - 1)},

    over the distributions on the admissible entries, with the τ for which the weights sum to 1.
    :math:`D_\alpha` is the Bregman divergence of the negative Tsallis entropy
    :math:`\sum_i (\pi_i^\alpha - \pi_i) / (\alpha(\alpha - 1))`: the Kullback–Leibler divergence at α = 1,
    half the squared distance at α = 2.

    Parameters
    ----------
    scores, beta, prior, where, axis
        As for `softmax`; the prior :math:`u` is normalised over the admissible entries.
    alpha : float or array of size 1 along `axis`, default 1.5
        α ≥ 1: 1 is `softmax`, 2 is `sparsemax`. An array may be learned.

    Returns
    -------
    weights : array, shape of `scores`
        As `softmax`. Without a prior, an entry 1/((α − 1)β) or more below the best has weight 0.

    Raises
    ------
    TypeError
        As `softmax`.
    ValueError
        As `softmax`; and for α below 1, infinite or NaN.

    Notes
    -----
    Newton's method finds the largest weight, from which all others follow: at α = 1 one step is the whole
    of softmax, at α = 2 each drops entries until none is below 0. Computed in float64, so that float32 gets
    the exact support and rounds once. Within 8 n eps of exact arithmetic for α ≤ 2, with a prior as
    `softmax`. For α > 2 the slopes of small weights have no bound, and the weights are the exact ones of
    scores a few eps away. On the CPU two quicker ways give the same weights: a few rows are sorted at α = 1.5
    and 2, and for many there are kernels compiled by Numba, if it is installed (`lib/kernels`). On a GPU,
    where a run of `make gpu` on such a device is recorded, float32 and half precision go to kernels by Triton for
    1.05 ≤ α ≤ 2: float32 gets the same weights, half precision is computed in float32. There no value of β or
    the prior is looked at: NaN and a negative prior give NaN.

    Derivatives in scores, `beta`, `prior` and `alpha`, of any order, come from the equation that the weights
    solve (`entmax_vjp`), not from the steps, which torch.compile takes as one operator. β = ±∞ and scores of
    +inf are as in `sparsemax`.

    References
    ----------
    Peters, Niculae and Martins (2019), https://arxiv.org/abs/1905.05702.
    Correia, Niculae and Martins (2019), for a learned α, https://arxiv.org/abs/1909.00015.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([2.0, 1.0, 0.0])
    >>> [entmax(scores, alpha=alpha).round(3).tolist() for alpha in (1.0, 1.5, 2.0)]
    [[0.665, 0.245, 0.09], [0.831, 0.169, 0.0], [1.0, 0.0, 0.0]]
    """
    weights = None
    if prior is where is None and is_plain(scores, beta, axis):
        weights = plain_weights(scores, alpha, beta)
    return _checked_entmax(scores, alpha, beta, prior, where, axis) if weights is None else weights


@quiet
def _checked_entmax(scores, alpha, beta, prior, where, axis):
    given = prepare(scores, beta, prior, where, axis, double=True)
    alpha = one_more_argument(given, "alpha", alpha, "1")
    check_alpha(given.xp, alpha)
    if is_number(alpha) and alpha == 1:
        return softmax(scores, beta, prior=prior, where=where, axis=axis)
    weights = weights_by_kernels(given, alpha)
    if weights is not None:
        return weights
    t, order = tilt(given._replace(scores=cast(given.xp, given.scores, given.xp.float64))), alpha - 1
    xp, axis = t.xp, t.axis

    x = t.rate * t.gap  # (..., n) each weight is a function of x − θ, one θ for the row
    if prior is not None:
        counted = xp.where(t.alive | (t.rate != 0), t.mass, 0.0)  # in a hard row only the ties count
        whole = xp.sum(counted, axis=axis, keepdims=True)
        u = xp.where(t.alive, t.mass, 1.0) / or_one(xp, whole)
        x = x + _logarithm(xp, u, order)
        x = x - highest(xp, xp.where(t.alive, stop_gradient(x), -inf), axis)
    if not is_number(order):  # so that both have the same rows
        x, order = x + xp.zeros_like(order), order + xp.zeros_like(t.peak)
    x = xp.where(t.alive, x, -inf)

    weights = solve(xp, x, order, axis)
    limit = stop_gradient(t.tilted / or_one(xp, t.total))  # for β → 0, and in a hard row
    weights = xp.where(t.rate == 0, limit, weights)
    return cast(xp, with_derivatives(weights, x, order, axis), t.dtype)


def _logarithm(xp, u, order):
    """(u^order − 1) / order, but for a constant; log u at order 0. (..., n) -> (..., n)"""
    u = xp.maximum(u, xp.full_like(u, xp.finfo(u.dtype).smallest_normal))
    if is_number(order) and order >= 0.2:
        return u**order / order
    log_u = xp.log(u)
    return log_u * phi(xp, order * log_u, 1)
