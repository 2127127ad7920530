"""Can you tell? The best test between the weights and their null, its errors exact.

Somebody shows `m` tokens, all drawn from the uniform null u or all from π = softmax(βs). By the lemma of
Neyman and Pearson the best test compares the likelihoods, and log(πᵐ/uᵐ) = β·(sum of the scores) − m log Z:
it adds up the scores of what it sees. So all that is needed is how such a sum is distributed, and where
the scores are multiples of one unit that is a convolution.
"""

import numpy as np
from scipy.fft import next_fast_len

from lib import log_partition, softmax

DIRECT = 1000  # up to here by plain convolution, beyond by Fourier transform


def score_sum(scores, weights, m, unit=0.1):
    """The distribution of the sum of `m` scores drawn with `weights`.

    Parameters
    ----------
    scores, weights : array, shape (n,)
        The scores must be multiples of `unit`.
    m : int
        How many are drawn. Each probability is right to rounding: relative to itself up to m = 1000,
        to the largest of them beyond.

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
    if m <= DIRECT:
        chances = _power(one, m)
    else:
        size = m * (len(one) - 1) + 1
        padded = next_fast_len(size, real=True)
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


def log_least_error(scores, beta, m, *, hold, level=0.05, unit=0.1):
    """Log of the least chance of one error on `m` tokens while the other is held at `level`.

    `hold="misses"` holds P_π(say u) and gives log P_u(say π); `hold="false alarms"` the other way round.
    The test may toss a coin at its threshold, as the lemma allows. The error is found by change of
    measure, as the held hypothesis sees it, so that e^−2000 is no harder than 0.1.
    """
    if hold not in ("misses", "false alarms"):
        raise ValueError(f'log_least_error: hold must be "misses" or "false alarms"; got {hold!r}')
    scores = np.asarray(scores, dtype=float)
    sign = 1 if hold == "misses" else -1
    held = softmax(scores, beta if hold == "misses" else 0.0)
    sums, chances = score_sum(scores, held, m, unit)
    ratio = sign * beta * (sums - m * log_partition(scores, beta))  # log of held over other
    step = 1 if sign * beta > 0 else -1  # what speaks least for the held hypothesis comes first
    ratio, chances = ratio[::step], chances[::step]
    kept = chances - np.clip(level - (np.cumsum(chances) - chances), 0, chances)
    seen = kept > 0
    logs = np.log(kept[seen]) - ratio[seen]
    return float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))


def exponent(scores, beta, m, *, hold, level=0.05):
    """The exponent of that error, −log(chance)/m, in nats per token."""
    return -log_least_error(scores, beta, m, hold=hold, level=level) / m


def simulated(scores, null, m, bar, runs, rng, unit=0.1):
    """How often, in `runs` runs, `m` tokens drawn from `null` have a sum of scores above `bar`."""
    steps = np.rint(np.asarray(scores) / unit)
    return (rng.multinomial(m, null, size=runs) @ steps > bar / unit).mean()
