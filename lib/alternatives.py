"""Three further maps from scores to weights: relu_norm, sigmoid_weights and softmax_plus_one."""

import math

from ._arrays import Array, ArrayT, Real, cast, highest, is_number, or_one
from ._checks import check_sink, one_more_argument, prepare
from ._torch_modes import all_finite, is_torch, isolated, known_true, stop_gradient
from .softmax import softmax_of, taking_part

inf = math.inf


@isolated()
def relu_norm(scores: ArrayT, beta: Real = 1.0, *, where: Array | None = None, axis: int = -1) -> ArrayT:
    r"""The positive parts of the scores, scaled to sum to 1.

    .. math:: w_i = \frac{[\beta s_i]_+}{\sum_j [\beta s_j]_+} .

    :math:`[\beta s]_+` is the point with no negative entry that is nearest to :math:`\beta s`. Only the sign
    of β matters. The zero of the scores matters too: for β > 0 a row with no score above 0 gets no weights.

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
    return relu_norm_of(prepare(scores, beta, None, where, axis))


def relu_norm_of(arguments):
    """The same of checked arguments."""
    xp, axis, some = arguments.xp, arguments.axis, _unless_all(arguments)
    s = arguments.scores if some is None else xp.where(some, arguments.scores, 0.0)  # (..., n)
    if _is_moderate(arguments):
        s = s if arguments.beta > 0 else -s
    else:
        beta, infinite = arguments.beta_array, xp.isinf(s)
        sign = xp.where(beta > 0, 1.0, xp.where(beta < 0, -1.0, 0.0 * beta))  # (..., 1)
        s = xp.where(infinite & (sign > 0), abs(s), sign * xp.where(infinite, 0.0, s))
    s = xp.relu(s) if is_torch(s) else xp.where(s <= 0, 0.0, s)
    total = xp.sum(s, axis=axis, keepdims=True)  # (..., 1)
    if not known_true(xp.all((total == 0) | ((total >= xp.finfo(s.dtype).smallest_normal) & (total < inf)))):
        peak = highest(xp, stop_gradient(s), axis)
        s = xp.where(xp.isinf(peak), xp.where(xp.isinf(s), xp.ones_like(s), 0.0), s / or_one(xp, peak))
        total = xp.sum(s, axis=axis, keepdims=True)
    return cast(xp, s / or_one(xp, total), arguments.dtype)


@isolated()
def sigmoid_weights(
    scores: ArrayT, beta: Real = 1.0, *, bias: Real | None = None, where: Array | None = None, axis: int = -1
) -> ArrayT:
    r"""Ask each entry by itself whether it takes part, and weigh it by the probability of yes.

    .. math:: w_i &= \sigma(\beta s_i + b) = \frac{1}{1 + e^{-\beta s_i - b}} \\
              &= \arg\max_{0 \le w \le 1}\; \beta s_i w + b w \\
              & \qquad - w \log w - (1 - w) \log (1 - w) .

    The weights need not sum to 1: given `bias`, no entry's weight depends on another's score. (The default
    bias depends on how many entries are admissible, and an entry of score −inf is not.)

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
    arguments = prepare(scores, beta, None, where, axis)
    if bias is not None:
        bias = one_more_argument(arguments, "bias", bias, "n or 1")
    return sigmoid_weights_of(arguments, bias)


def sigmoid_weights_of(arguments, bias=None):
    """The same of checked arguments."""
    xp, some = arguments.xp, _unless_all(arguments)
    if arguments.where is not None:
        arguments = arguments._replace(scores=xp.where(arguments.where, arguments.scores, -inf))
    if bias is None and some is None:
        bias = -math.log(max(arguments.scores.shape[arguments.axis], 1))
    elif bias is None:
        bias = -xp.log(or_one(xp, xp.sum(cast(xp, some, arguments.working), axis=arguments.axis, keepdims=True)))
    x = _product(arguments) + bias  # (..., n)
    # Where e^−x overflows, autograd through the quotient would give NaN.
    weights = xp.sigmoid(x) if is_torch(x) else 1 / (1 + xp.exp(-x))
    return cast(xp, weights if some is None else xp.where(some, weights, 0.0), arguments.dtype)


def _unless_all(arguments):
    """Which entries take part, (..., n); None if no mask is given and the scores can be read and are finite."""
    every = arguments.where is None and all_finite(arguments.xp, arguments.scores)
    return None if every else taking_part(arguments)


def _product(arguments):
    """β · score, (..., n), where 0 · ∞ is 0 and no gradient is NaN."""
    xp, scores = arguments.xp, arguments.scores
    if _is_moderate(arguments):
        return arguments.beta * scores
    beta, infinite = arguments.beta_array, xp.isinf(scores)
    product = xp.where(xp.isinf(beta), 0.0, beta) * xp.where(infinite, 0.0, scores)
    endless = (xp.isinf(beta) & (scores != 0) & ~xp.isnan(scores)) | (infinite & (beta != 0))
    agree = (beta > 0) == (scores > 0)
    return xp.where(endless & agree, inf, xp.where(endless, -inf, product))


def _is_moderate(arguments):
    """Is β a number, neither 0 nor infinite in the dtype? Then its product with ±∞ is never NaN."""
    beta, limits = arguments.beta, arguments.xp.finfo(arguments.scores.dtype)
    return is_number(beta) and limits.smallest_normal <= abs(beta) <= limits.max


@isolated()
def softmax_plus_one(
    scores: ArrayT, beta: Real = 1.0, *, sink: Real = 0.0, where: Array | None = None, axis: int = -1
) -> ArrayT:
    r"""Softmax that may also choose nothing: one more entry, an empty place, whose weight is dropped.

    .. math:: w_i = \frac{e^{\beta s_i}}{e^{\beta s_0} + \sum_j e^{\beta s_j}} .

    :math:`s_0` is the score of the empty place; at 0 it adds 1 to the sum. The weights sum to less than 1, and to
    almost nothing where all scores are far below it. So a constant added to the scores changes the result.

    Parameters
    ----------
    scores, beta, where, axis
        As for `softmax`.
    sink : float or array of size 1 along `axis`, default 0.0
        The score :math:`s_0` of the empty place, in the unit of `scores`: β multiplies it, too. It may be learned.
        A sink at −inf is none, which leaves `softmax`.

    Returns
    -------
    weights : array, shape of `scores`
        As `softmax`, but for the sum. β = 0 gives 1/(n + 1) for n admissible entries. At β = ∞ the ties of
        the maximum share the mass if it is above the sink, share it with the empty place if they tie with
        it, and get none if they are below; β = −∞ is the mirror.

    Raises
    ------
    TypeError, ValueError
        As `softmax`, and for a sink that is NaN.

    References
    ----------
    Miller (2023), Attention is off by one, https://www.evanmiller.org/attention-is-off-by-one.html.
    With a learned sink: OpenAI (2025), https://arxiv.org/abs/2508.10925.

    Examples
    --------
    >>> import numpy as np
    >>> softmax_plus_one(np.array([0.0, np.log(2.0)]))
    array([0.25, 0.5 ])
    >>> softmax_plus_one(np.array([0.0, np.log(2.0)]), sink=np.log(5.0))
    array([0.125, 0.25 ])
    """
    arguments = prepare(scores, beta, None, where, axis)
    sink = one_more_argument(arguments, "sink", sink, "1")
    check_sink(arguments.xp, sink)
    return softmax_plus_one_of(arguments._replace(sink=sink))


def softmax_plus_one_of(arguments):
    """The same of checked arguments."""
    xp, s, axis = arguments.xp, arguments.scores, arguments.axis
    if arguments.where is not None:
        s = xp.where(arguments.where, s, -inf)
    nothing = arguments.sink + xp.zeros_like(xp.sum(s, axis=axis, keepdims=True))  # (..., 1)
    s = s if is_number(arguments.sink) else s + xp.zeros_like(nothing)  # one row of scores, and sinks for many
    one_more = arguments._replace(scores=xp.concat([s, nothing], axis=axis), where=None, dtype=s.dtype)
    weights = softmax_of(one_more)  # (..., n + 1)
    return cast(xp, weights[(..., slice(-1), *[slice(None)] * (-axis - 1))], arguments.dtype)
