"""Sparsemax, whose weights are the point nearest to the scores, and entmax, which leads from it to softmax.

In the code `order` is α − 1.
"""

import math

from . import fast
from ._arrays import Array, ArrayT, Real, cast, highest, is_number, or_one
from ._checks import check_alpha, one_more_argument, prepare
from ._slopes import phi
from ._sorting import SORTED, sorted_weights
from ._torch_modes import isolated, known_true, stop_gradient, tracing
from .gradients import with_derivatives
from .softmax import softmax_of, tilt

inf = math.inf


def sparsemax(
    scores: ArrayT, beta: Real = 1.0, *, prior: Array | None = None, where: Array | None = None, axis: int = -1
) -> ArrayT:
    r"""The distribution nearest to the scores: weights with exact zeros.

    .. math:: \pi^\star &= \arg\min_{\pi}\; \| \pi - (\beta s + u) \|_2^2, \\
              \pi^\star_i &= [\beta s_i + u_i - \tau]_+ ,

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


@isolated()
def entmax(
    scores: ArrayT,
    beta: Real = 1.0,
    *,
    alpha: Real = 1.5,
    prior: Array | None = None,
    where: Array | None = None,
    axis: int = -1,
) -> ArrayT:
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
    and 2, and for many there are kernels compiled by Numba, if it is installed (`lib/fast`). On a GPU no value
    of β or the prior is looked at: NaN and a negative prior give NaN.

    With torch, derivatives in scores, `beta`, `prior` and `alpha`, of any order, come from the equation that
    the weights solve (`entmax_vjp`), not from the steps. A program that torch traces (``torch.compile``,
    ``torch.export``, for ONNX) sorts the rows at α = 1.5 and 2; for any other α it holds all the steps that
    could be needed. β = ±∞ and scores of +inf are as in `sparsemax`.

    References
    ----------
    Peters, Niculae and Martins (2019), https://arxiv.org/abs/1905.05702.
    Correia, Niculae and Martins (2019), for a learned α, https://arxiv.org/abs/1909.00015.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([2.0, 1.0, 0.0])
    >>> [entmax(scores, alpha=a).round(3).tolist() for a in (1.0, 1.5, 2.0)]
    [[0.665, 0.245, 0.09], [0.831, 0.169, 0.0], [1.0, 0.0, 0.0]]
    """
    arguments = prepare(scores, beta, prior, where, axis, double=not is_one(alpha))
    alpha = one_more_argument(arguments, "alpha", alpha, "1")
    check_alpha(arguments.xp, alpha)
    return entmax_of(arguments._replace(alpha=alpha))


def entmax_of(arguments):
    """Entmax of checked arguments; at α = 1 it is softmax, and they are not in float64."""
    if is_one(arguments.alpha):
        return softmax_of(arguments)
    kernels = arguments.row_kernels or fast.row_kernels(arguments.scores)
    return cast(arguments.xp, kernels.entmax(arguments, solved), arguments.dtype)


def is_one(alpha):
    return is_number(alpha) and alpha == 1


def solved(arguments):
    """Entmax as it is defined, in float64: each weight is a function of x − θ, with one θ for the row."""
    t = tilt(arguments._replace(scores=cast(arguments.xp, arguments.scores, arguments.xp.float64)))
    xp, axis, order = t.xp, t.axis, arguments.alpha - 1
    x = t.rate * t.gap  # (..., n)
    if arguments.prior is not None:
        counted = xp.where(t.alive | (t.rate != 0), t.mass, 0.0)  # in a hard row only the ties count
        whole = xp.sum(counted, axis=axis, keepdims=True)
        x = x + _logarithm(xp, xp.where(t.alive, t.mass, 1.0) / or_one(xp, whole), order)
        x = x - highest(xp, xp.where(t.alive, stop_gradient(x), -inf), axis)
    if not is_number(order):  # so that both have the same rows
        x, order = x + xp.zeros_like(order), order + xp.zeros_like(t.peak)
    x = xp.where(t.alive, x, -inf)

    if tracing() and is_number(arguments.alpha) and arguments.alpha in SORTED and x.shape[axis] > 0:
        # a loop would be long, as is said of it below
        weights = sorted_weights(stop_gradient(x) * order, arguments.alpha, axis)
    else:
        weights = find_weights(xp, stop_gradient(x), stop_gradient(order), axis)
    limit = stop_gradient(t.tilted / or_one(xp, t.total))  # for β → 0, and in a hard row
    return with_derivatives(xp.where(t.rate == 0, limit, weights), x, order, axis)


def _logarithm(xp, u, order):
    """(u^order − 1) / order, but for a constant; log u at order 0. (..., n) -> (..., n)"""
    u = xp.maximum(u, xp.full_like(u, xp.finfo(u.dtype).smallest_normal))
    if is_number(order) and order >= 0.2:
        return u**order / order
    log_u = xp.log(u)
    return log_u * phi(xp, order * log_u, 1)


def find_weights(xp, x, order, axis):
    """The weights (1 + order · (x − θ))^(1/order), 0 where the base is negative, that sum to 1: (..., n).

    The maximum of x is 0, and `order` is α − 1; at order 0 they are e^(x − θ). With P the largest of them
    they are P · (1 + order · x / P^order)^(1/order), so P is the one unknown. Their sum grows with P, from at
    most 1 at P = 1/n to at least 1 at P = 1. For order ≤ 1 the sum is convex in P, so Newton's steps from
    P = 1 go down to the root and never past it. Each step divides the product of excess and slope by 4 or
    more, so 27 + log₂ n steps are enough (55 for 2²⁸ entries), and 4 to 10 are usual. For order > 1 a step may
    leave the bracket that is known to hold the root; then the bracket is halved. Every step after the 55th
    halves it, which makes the end certain. 5 to 20 steps are usual, and 110 the most.

    A traced program has no end that depends on values, and holds every step. So there each of 52 steps, which
    are short, halves the bracket, in logarithms: relative to P, log(n + 1) · 2⁻⁵² is left of it.
    """

    def total(y):
        return xp.sum(y, axis=axis, keepdims=True)  # (..., n) -> (..., 1)

    n, one = x.shape[axis], xp.ones_like(total(x))
    x = xp.maximum(x, xp.full_like(one, -1e300))  # at order 0, 0 · −inf would be NaN
    rounding = (4 + n**0.5) * xp.finfo(x.dtype).eps  # of a sum of n weights
    low, high, trial = one / (n + 1), one, one
    if tracing():
        for _ in range(52):
            trial = xp.sqrt(low * high)
            enough = trial * total(_relative(xp, x, trial, order)[0]) >= 1
            low, high = xp.where(enough, low, trial), xp.where(enough, trial, high)
        steps = 0
    else:
        steps = 27 + n.bit_length() if is_number(order) and order <= 1 else 110
    done = False
    for k in range(steps):
        ratio, base = _relative(xp, x, trial, order)
        slope = _slope(xp, ratio, base)
        excess = trial * total(ratio) - 1
        enough = excess >= -rounding
        low, high = xp.where(enough, low, trial), xp.where(enough, trial, high)
        done = done | ~(xp.abs(excess) > rounding) | (high - low <= rounding * high)
        newton = trial - excess / total(slope)
        inside = (newton > low) & (newton < high) & (k < 55)
        trial = xp.where(inside, newton, (low + high) / 2)
        trial = xp.where(done, high, trial)
        if known_true(xp.all(done)):
            break
    # The last step corrects the weights instead of P, so that those near 0 lose no digits.
    ratio, base = _relative(xp, x, high, order)
    slope = _slope(xp, ratio, base)
    share = slope / or_one(xp, total(slope))
    weights = high * ratio + share * (1 - high * total(ratio))
    return xp.maximum(weights, xp.zeros_like(one))


def _relative(xp, x, largest, order):
    """For P = `largest`: weight / P, and that to the power of `order`: (..., n), (..., n)."""
    x = x / xp.maximum(largest**order, xp.full_like(largest, 1e-300))
    bend = order * x
    base = xp.maximum(1 + bend, xp.zeros_like(largest))
    if is_number(order) and order >= 0.2:
        ratio = base ** (1 / order)
    else:  # the power 1/order would magnify the rounding of the base; at order 0 the limit is e^x
        bend = xp.maximum(bend, -xp.ones_like(largest))
        ratio = xp.exp(xp.where(bend == 0, x, xp.log1p(bend) / order))
    return ratio, base


def _slope(xp, ratio, base):
    """The slope of the weights in the largest of them, from what `_relative` gives: (..., n)."""
    return xp.where(base > 0, ratio / base, 0.0)
