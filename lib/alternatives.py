"""Other ways from scores to weights, each the answer to a problem of its own."""

import math

from lib.arrays import (
    all_finite,
    besides,
    cast,
    check_alpha,
    eager,
    holds,
    is_number,
    is_torch,
    or_one,
    prepare,
    quiet,
    stop_gradient,
)
from lib.entmax_solver import attach, find
from lib.gibbs import highest, softmax, taking_part, tilt
from lib.gradients import phi
from lib.kernels import entmax_on_arrays as compiled

inf = math.inf


def sparsemax(scores, beta=1.0, *, prior=None, where=None, axis=-1):
    r"""The distribution nearest to the scores: weights with exact zeros.

    .. math:: \pi^\star = \arg\min_{\pi \in \Delta}\; \| \pi - (\beta s + u) \|_2^2,
              \qquad \pi^\star_i = [\beta s_i + u_i - \tau]_+ ,

    with the τ for which the weights sum to 1. Where `softmax` charges for distance from the prior
    :math:`u` in nats, this charges half the squared length. It is `entmax` at α = 2.

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
    return entmax(scores, 2.0, beta, prior=prior, where=where, axis=axis)


@eager
@quiet
def entmax(scores, alpha=1.5, beta=1.0, *, prior=None, where=None, axis=-1):
    r"""The maps between softmax and sparsemax, and beyond: α says how soon a weight is exactly 0.

    .. math:: \pi^\star &= \arg\max_{\pi \in \Delta}\; \langle \pi, s \rangle
              - \tfrac{1}{\beta} D_\alpha(\pi, u), \\
              \pi^\star_i &= \bigl[(\alpha - 1)\,\beta s_i + u_i^{\alpha - 1} - \tau\bigr]_+^{1/(\alpha - 1)},

    with the τ for which the weights sum to 1. :math:`D_\alpha` is the Bregman divergence of the negative
    Tsallis entropy :math:`\sum_i (\pi_i^\alpha - \pi_i) / (\alpha(\alpha - 1))`: the Kullback–Leibler
    divergence at α = 1, half the squared distance at α = 2.

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
    of softmax, at α = 2 each drops entries until none is below 0. (Sorting would help at α = 1.5 and 2
    alone.) Computed in float64, so that float32 gets the exact support and rounds once. Within 8 n eps of
    exact arithmetic for α ≤ 2, with a prior as `softmax`. For α > 2 the slopes of small weights have no
    bound, and the weights are the exact ones of scores a few eps away. Where there is much to do on the CPU,
    kernels compiled by Numba do the same in a tenth of the time, if it is installed (`lib/kernels/cpu`).

    Derivatives in scores, `beta`, `prior` and `alpha`, of any order, come from the equation that the weights
    solve (`entmax_vjp`), not from the steps; torch.compile breaks its graph here. β = ±∞ and scores of
    +inf are as in `sparsemax`.

    References
    ----------
    Peters, Niculae and Martins (2019), https://arxiv.org/abs/1905.05702.
    Correia, Niculae and Martins (2019), for a learned α, https://arxiv.org/abs/1909.00015.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([2.0, 1.0, 0.0])
    >>> [entmax(scores, alpha).round(3).tolist() for alpha in (1.0, 1.5, 2.0)]
    [[0.665, 0.245, 0.09], [0.831, 0.169, 0.0], [1.0, 0.0, 0.0]]
    """
    given = prepare(scores, beta, prior, where, axis, double=True)
    alpha = besides(given, "alpha", alpha, "1")
    check_alpha(given.xp, alpha)
    if is_number(alpha) and alpha == 1:
        return softmax(scores, beta, prior=prior, where=where, axis=axis)
    weights = compiled.entmax(given, alpha)
    if weights is not None:
        return weights
    t, order = tilt(given._replace(scores=cast(given.xp, given.scores, given.xp.float64))), alpha - 1
    xp, axis = t.xp, t.axis

    x = t.rate * t.gap  # (..., n) each weight is a function of x − θ, one θ for the row
    if prior is not None:
        counted = xp.where(t.alive | (t.rate != 0), t.mass, 0.0)  # in a hard row, the ties alone
        whole = xp.sum(counted, axis=axis, keepdims=True)
        u = xp.where(t.alive, t.mass, 1.0) / or_one(xp, whole)
        x = x + _logarithm(xp, u, order)
        x = x - highest(xp, xp.where(t.alive, stop_gradient(x), -inf), axis)
    if not is_number(order):  # to one number of rows
        x, order = x + xp.zeros_like(order), order + xp.zeros_like(t.peak)
    x = xp.where(t.alive, x, -inf)

    weights = find(xp, stop_gradient(x), stop_gradient(order), axis)
    limit = stop_gradient(t.tilted / or_one(xp, t.total))  # for β → 0, and in a hard row
    weights = xp.where(t.rate == 0, limit, weights)
    return cast(xp, attach(weights, x, order, axis), t.dtype)


def _logarithm(xp, u, order):
    """(u^order − 1) / order, but for a constant; log u at order 0. (..., n) -> (..., n)"""
    u = xp.maximum(u, xp.full_like(u, xp.finfo(u.dtype).smallest_normal))
    if is_number(order) and order >= 0.2:
        return u**order / order
    log_u = xp.log(u)
    return log_u * phi(xp, order * log_u, 1)


@quiet
def relu_norm(scores, beta=1.0, *, where=None, axis=-1):
    r"""The positive parts of the scores, scaled to sum to 1.

    .. math:: w_i = \frac{[\beta s_i]_+}{\sum_j [\beta s_j]_+} .

    :math:`[\beta s]_+` is the point with no negative entry that is nearest to :math:`\beta s`. Only the sign
    of β matters, and the zero of the scores does: a row with no score above it gets no weights.

    Parameters
    ----------
    scores, beta, where, axis
        As for `softmax`.

    Returns
    -------
    weights : array, shape of `scores`
        As `softmax`, but zeros where the sum is 0, as for β = 0. β = ±∞ is as ±1. Scores of +inf share all
        the mass if β > 0, and get none if β < 0.

    Raises
    ------
    TypeError, ValueError
        As `softmax`.

    References
    ----------
    Divided by n instead of the sum: Wortsman, Lee, Gilmer and Kornblith (2023),
    https://arxiv.org/abs/2309.08586.

    Examples
    --------
    >>> import numpy as np
    >>> relu_norm(np.array([[3.0, 1.0, -2.0], [-3.0, -1.0, -2.0]]))
    array([[0.75, 0.25, 0.  ],
           [0.  , 0.  , 0.  ]])
    """
    given = prepare(scores, beta, None, where, axis)
    xp, axis, some = given.xp, given.axis, _unless_all(given)
    s = given.scores if some is None else xp.where(some, given.scores, 0.0)  # (..., n)
    if moderate(given, beta):
        s = s if beta > 0 else -s
    else:
        beta, infinite = given.beta, xp.isinf(s)
        sign = xp.where(beta > 0, 1.0, xp.where(beta < 0, -1.0, 0.0 * beta))  # (..., 1)
        s = xp.where(infinite & (sign > 0), abs(s), sign * xp.where(infinite, 0.0, s))
    s = xp.relu(s) if is_torch(s) else xp.where(s <= 0, 0.0, s)
    total = xp.sum(s, axis=axis, keepdims=True)  # (..., 1)
    if not holds(xp.all((total == 0) | ((total >= xp.finfo(s.dtype).smallest_normal) & (total < inf)))):
        peak = highest(xp, stop_gradient(s), axis)
        s = xp.where(xp.isinf(peak), xp.where(xp.isinf(s), xp.ones_like(s), 0.0), s / or_one(xp, peak))
        total = xp.sum(s, axis=axis, keepdims=True)
    return cast(xp, s / or_one(xp, total), given.dtype)


@quiet
def sigmoid_weights(scores, beta=1.0, *, bias=None, where=None, axis=-1):
    r"""Ask each entry by itself whether it takes part, and weigh it by the probability of yes.

    .. math:: w_i = \sigma(\beta s_i + b) = \frac{1}{1 + e^{-\beta s_i - b}}
              = \arg\max_{0 \le w \le 1}\; \beta s_i w + b w - w \log w - (1 - w) \log (1 - w) .

    The weights need not sum to 1: no entry's weight depends on another's score.

    Parameters
    ----------
    scores, beta, where, axis
        As for `softmax`.
    bias : float or array, broadcastable to (..., n), optional
        The log-odds b of a score of 0. By default −log of the number of admissible entries, with which
        n scores of 0 have weights that sum to n/(n + 1).

    Returns
    -------
    weights : array, shape of `scores`
        As `softmax`, but with any sum. β = ±∞ gives 0 and 1 on either side of the score 0, and σ(b) at it.
        Scores of +inf have weight 1 if β > 0, σ(b) if β = 0, and 0 if β < 0; those of −inf have none.

    Raises
    ------
    TypeError, ValueError
        As `softmax`.

    Notes
    -----
    Within 8 eps of exact arithmetic, times 1 + \|b\|.

    References
    ----------
    Ramapuram et al. (2024), https://arxiv.org/abs/2409.04431.

    Examples
    --------
    >>> import numpy as np
    >>> sigmoid_weights(np.array([0.0, 0.0, np.log(3.0)]), bias=0.0)
    array([0.5 , 0.5 , 0.75])
    """
    given = prepare(scores, beta, None, where, axis)
    xp, some = given.xp, _unless_all(given)
    if where is not None:
        given = given._replace(scores=xp.where(given.where, given.scores, -inf))
    if bias is not None:
        bias = besides(given, "bias", bias, "n or 1")
    elif some is None:
        bias = -math.log(max(given.scores.shape[given.axis], 1))
    else:
        bias = -xp.log(or_one(xp, xp.sum(cast(xp, some, given.beta.dtype), axis=given.axis, keepdims=True)))
    x = _product(given, beta) + bias  # (..., n)
    weights = xp.sigmoid(x) if is_torch(x) else 1 / (1 + xp.exp(-x))  # torch's knows its own gradient
    return cast(xp, weights if some is None else xp.where(some, weights, 0.0), given.dtype)


def _unless_all(given):
    """Which entries take part, (..., n); None if it may be read that all do, and that their scores are finite."""
    return None if given.where is None and all_finite(given.xp, given.scores) else taking_part(given)


def _product(given, beta):
    """β · score, (..., n), where 0 · ∞ is 0 and no gradient is NaN."""
    xp, scores = given.xp, given.scores
    if moderate(given, beta):
        return given.beta * scores
    beta, infinite = given.beta, xp.isinf(scores)
    product = xp.where(xp.isinf(beta), 0.0, beta) * xp.where(infinite, 0.0, scores)
    endless = (xp.isinf(beta) & (scores != 0) & ~xp.isnan(scores)) | (infinite & (beta != 0))
    agree = (beta > 0) == (scores > 0)
    return xp.where(endless & agree, inf, xp.where(endless, -inf, product))


def moderate(given, beta):
    """Is `beta` a number, neither 0 nor infinite in the dtype? Then infinite scores need no care."""
    limits = given.xp.finfo(given.scores.dtype)
    return is_number(beta) and limits.smallest_normal <= abs(beta) <= limits.max


@quiet
def softmax_plus_one(scores, beta=1.0, *, where=None, axis=-1):
    r"""Softmax that may also choose nothing: one more entry, of score 0, whose weight is dropped.

    .. math:: w_i = \frac{e^{\beta s_i}}{1 + \sum_j e^{\beta s_j}} .

    The weights sum to less than 1, and to almost nothing where all scores are far below 0. So the zero of
    the scores matters, and a constant added to them changes the result.

    Parameters
    ----------
    scores, beta, where, axis
        As for `softmax`.

    Returns
    -------
    weights : array, shape of `scores`
        As `softmax`, but for the sum. β = 0 gives 1/(n + 1) for n admissible entries. At β = ∞ the ties of
        the maximum share the mass if it is above 0, share it with the entry of score 0 if they tie with
        it, and get none if they are below; β = −∞ is the mirror.

    Raises
    ------
    TypeError, ValueError
        As `softmax`.

    References
    ----------
    Miller (2023), Attention is off by one, https://www.evanmiller.org/attention-is-off-by-one.html.

    Examples
    --------
    >>> import numpy as np
    >>> softmax_plus_one(np.array([0.0, np.log(2.0)]))
    array([0.25, 0.5 ])
    """
    given = prepare(scores, beta, None, where, axis)
    xp, s, axis = given.xp, given.scores, given.axis
    if where is not None:
        s = xp.where(given.where, s, -inf)
    nothing = xp.zeros_like(xp.sum(s, axis=axis, keepdims=True))  # (..., 1)
    weights = softmax(xp.concat([s, nothing], axis=axis), beta, axis=axis)  # (..., n + 1)
    return cast(xp, weights[(..., slice(-1), *[slice(None)] * (-axis - 1))], given.dtype)
