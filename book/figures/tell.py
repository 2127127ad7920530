"""Can you tell? The best test between the weights and their null, its errors exact.

Somebody shows `m` tokens, all drawn from the uniform null u or all from π = softmax(βs). By the lemma of
Neyman and Pearson the best test compares the likelihoods, and log(πᵐ/uᵐ) = β·(sum of the scores) − m log Z:
it adds up the scores of what it sees. So all that is needed is how such a sum is distributed, and where
the scores are multiples of one unit that is a convolution.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from lib import kl_divergence, log_partition, softmax

DIRECT = 1000  # up to this m by plain convolution, beyond by Fourier transform
HOLDS = ("misses", "false alarms", "neither")


def score_sum(scores, weights, m, unit=0.1, direct=None):
    """The distribution of the sum of `m` scores drawn with `weights`.

    Parameters
    ----------
    scores, weights : array, shape (n,)
        The scores must be multiples of `unit`.
    m : int
        How many are drawn.
    direct : int, default DIRECT
        Up to this m each probability is right to rounding, relative to itself. Beyond, a faster way is
        taken, and the rounding is relative to the largest probability.

    Returns
    -------
    sums, chances : array, shape (k,)

    Examples
    --------
    >>> sums, chances = score_sum([0.0, 0.1], [0.5, 0.5], 2)
    >>> sums.round(1).tolist(), chances.tolist()
    ([0.0, 0.1, 0.2], [0.25, 0.5, 0.25])
    """
    scores = np.asarray(scores, dtype=float)
    steps = np.rint((scores - scores.min()) / unit).astype(int)
    if not np.allclose(scores.min() + unit * steps, scores, rtol=0, atol=1e-9 * unit):
        raise ValueError(f"score_sum: scores must be multiples of unit={unit}; got {scores.tolist()}")
    one = np.bincount(steps, weights=weights)
    if m <= (DIRECT if direct is None else direct):
        chances = _power(one, m)
    else:
        size = m * (len(one) - 1) + 1
        padded = 1 << int(size - 1).bit_length()
        chances = np.clip(np.fft.irfft(np.fft.rfft(one, padded) ** m, padded)[:size], 0, None)
    return m * scores.min() + unit * np.arange(len(chances)), chances


def _power(one, m):
    """`one` convolved with itself, m factors in all, by squaring: sums of positive terms only."""
    if m == 0:
        return np.ones(1)
    half = _power(one, m // 2)
    square = np.convolve(half, half)
    return np.convolve(square, one) if m % 2 else square


def outcomes(scores, beta, m, unit=0.1):
    """What every threshold test on `m` tokens says: π where the sum of scores is at least t, else u.

    Returns
    -------
    under_null, under_weights : array, shape (k + 1, 2)
        The chances of saying (u, π) when the tokens come from u and when they come from π, from the
        test that always says π to the one that never does. Each is summed from its own small end.
    """
    scores = np.asarray(scores, dtype=float)
    both = []
    for drawn_from in (softmax(scores, 0.0), softmax(scores, beta)):
        chances = score_sum(scores, drawn_from, m, unit)[1]
        below = np.concatenate([[0.0], np.cumsum(chances)])
        above = np.append(np.cumsum(chances[::-1])[::-1], 0.0)
        both.append(np.minimum(np.stack([below, above], axis=-1), 1.0))
    return tuple(both)


class BestTest(NamedTuple):
    """The best test on m tokens: it says π where the sum of scores is above `bar` (β > 0).

    At `bar` itself it says π with chance `toss`: a coin that gives the held error exactly its level.
    """

    bar: float
    toss: float
    log_false_alarm: float
    log_miss: float


@cache
def _even(scores, beta):
    """The inverse temperature between 0 and β whose weights have the mean score log Z/β, by bisection."""
    near, far = 0.0, float(beta)  # from one to the other the mean score goes from that under u to that under π
    row = np.array(scores)
    goal = beta * log_partition(row, beta)
    for _ in range(100):
        middle = (near + far) / 2
        if beta * (softmax(row, middle) @ row) < goal:
            near = middle
        else:
            far = middle
    return middle


def tilt(scores, beta, hold):
    """The inverse temperature of the weights under which errors are computed: sums near the bar are common there.

    It is β when misses are held, 0 when false alarms are. When neither is, it is the one in between from
    which u and π are equally far: there the log-likelihood ratio is 0 on average.
    """
    if hold not in HOLDS:
        raise ValueError(f"hold: {hold!r} is none of {', '.join(map(repr, HOLDS))}")
    if hold == "neither":
        return _even(tuple(float(s) for s in scores), float(beta))
    return float(beta) if hold == "misses" else 0.0


def limit(scores, beta, hold):
    r"""The exponent that the least error comes to as m grows, in nats per token.

    With misses held, KL(π‖u) for the false alarms; with false alarms held, KL(u‖π) for the misses (Stein).
    With neither held, Chernoff's for their sum,

    .. math:: C = \max_{0 \le \lambda \le 1} -\log \sum_i u_i^{1-\lambda} \pi_i^{\lambda},

    which is the divergence from u, and from π, of the softmax in between that is equally far from both.

    Examples
    --------
    >>> [round(float(limit([0.0, 1.0], 2.0, hold)), 3) for hold in HOLDS]
    [0.328, 0.434, 0.097]
    """
    row = np.asarray(scores, dtype=float)
    null, between = softmax(row, 0.0), softmax(row, tilt(scores, beta, hold))
    return kl_divergence(null, softmax(row, beta)) if hold == "false alarms" else kl_divergence(between, null)


def best_test(scores, beta, m, *, hold, level=0.05, unit=0.1):
    """The test on `m` tokens with the least of one error while the other is held at `level`.

    `hold="misses"` holds P_π(say u) and lets P_u(say π) be as small as can be; `"false alarms"` the other
    way round; `"neither"` makes the sum of both as small as can be. Both chances are found by change of
    measure, under weights between u and π, so that e^−2000 is no harder than 0.1.
    """
    scores = np.asarray(scores, dtype=float)
    seen_at, even = tilt(scores, beta, hold), m * log_partition(scores, beta)
    sums, chances = score_sum(scores, softmax(scores, seen_at), m, unit, direct=100)
    if beta < 0:  # what speaks most for u comes first
        sums, chances = sums[::-1], chances[::-1]
    if hold == "misses":
        says_u = np.clip(level - (np.cumsum(chances) - chances), 0, chances)
    elif hold == "false alarms":
        later = np.cumsum(chances[::-1])[::-1] - chances
        says_u = chances - np.clip(level - later, 0, chances)
    else:
        says_u = np.where(beta * (sums - even) <= 0, chances, 0)
    may = np.flatnonzero(says_u < chances)[:1]  # the first sum at which it may say π; none at β = 0
    bar = float(sums[may[0]]) if may.size else np.inf
    toss = float(1 - says_u[may[0]] / chances[may[0]]) if may.size else 0.0
    shift = m * seen_at * log_partition(scores, seen_at) if seen_at else 0.0
    log_ratio = shift - seen_at * sums  # log of the chance under u over that under the weights drawn from
    return BestTest(
        bar,
        toss,
        _log_total(chances - says_u, log_ratio),
        _log_total(says_u, log_ratio + beta * (sums - even)),
    )


def _log_total(chances, logs):
    """log Σ chances·e^logs."""
    seen = chances > 0
    if not seen.any():
        return -np.inf
    logs = np.log(chances[seen]) + logs[seen]
    return float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))


def log_least_error(scores, beta, m, *, hold, level=0.05, unit=0.1):
    """Log of the error that `best_test` makes as small as can be: false alarms, misses or their sum."""
    test = best_test(scores, beta, m, hold=hold, level=level, unit=unit)
    free = {"misses": [test.log_false_alarm], "false alarms": [test.log_miss]}.get(hold, test[2:])
    return float(np.logaddexp.reduce(free))


def exponent(scores, beta, m, *, hold, level=0.05):
    """The exponent of `log_least_error`: −log(error)/m, in nats per token."""
    return -log_least_error(scores, beta, m, hold=hold, level=level) / m


def simulated(scores, null, m, bar, runs, rng, unit=0.1):
    """How often, in `runs` runs, `m` tokens drawn from `null` have a sum of scores above `bar`."""
    steps = np.rint(np.asarray(scores) / unit)
    return (rng.multinomial(m, null, size=runs) @ steps > bar / unit).mean()
