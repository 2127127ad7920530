"""Can you tell? The best test between the weights and their null, its errors exact.

Somebody shows `n` tokens, all drawn from the uniform null u or all from π = softmax(βz). By the lemma of
Neyman and Pearson the best test compares the likelihoods, and log(πⁿ/uⁿ) = β·(sum of the scores) − n log Z:
it adds up the scores of what it sees. So all that is needed is how such a sum is distributed, and where
the scores are multiples of one unit that is a convolution.
"""

import numpy as np

from lib.simplex import log_partition, softmax

DIRECT = 1000  # up to here by plain convolution, beyond by Fourier transform


def score_sum(scores, weights, n, unit=0.1):
    """The distribution of the sum of `n` scores drawn with `weights`.

    Parameters
    ----------
    scores, weights : array, shape (k,)
        The scores must be multiples of `unit`.
    n : int
        How many are drawn; each probability is right to rounding, relative to itself up to n = 1000
        and to the largest beyond.

    Returns
    -------
    sums, probabilities : array, shape (m,)

    Examples
    --------
    >>> sums, chances = score_sum([0.0, 0.1], [0.5, 0.5], 2)
    >>> sums.round(1).tolist(), chances.tolist()
    ([0.0, 0.1, 0.2], [0.25, 0.5, 0.25])
    """
    scores = np.asarray(scores, dtype=float)
    steps = np.rint((scores - scores.min()) / unit).astype(int)
    if not np.allclose(scores.min() + unit * steps, scores, rtol=0, atol=1e-9 * unit):
        raise ValueError(f"score_sum: the scores must be multiples of unit={unit}")
    one = np.bincount(steps, weights=weights)
    if n <= DIRECT:
        chances = _power(one, n)
    else:
        size = n * (len(one) - 1) + 1
        chances = np.clip(np.fft.irfft(np.fft.rfft(one, size) ** n, size), 0, None)
    return n * scores.min() + unit * np.arange(len(chances)), chances


def _power(one, n):
    """`one` convolved with itself, n factors in all, by squaring: sums of positive terms only."""
    if n == 0:
        return np.ones(1)
    half = _power(one, n // 2)
    square = np.convolve(half, half)
    return np.convolve(square, one) if n % 2 else square


def verdicts(scores, beta, n, unit=0.1):
    """What every threshold test on `n` tokens says: π where the sum of scores is at least t, else u.

    Returns
    -------
    under_null, under_weights : array, shape (m + 1, 2)
        The chances of saying (u, π) when the tokens come from u and when they come from π, from the
        test that always says π to the one that never does. Each is summed from its own small end.
    """
    scores = np.asarray(scores, dtype=float)
    null = np.full(len(scores), 1 / len(scores))
    both = []
    for drawn_from in (null, softmax(scores, beta)):
        chances = score_sum(scores, drawn_from, n, unit)[1]
        below = np.concatenate([[0.0], np.cumsum(chances)])
        above = np.append(np.cumsum(chances[::-1])[::-1], 0.0)
        both.append(np.minimum(np.stack([below, above], axis=-1), 1.0))
    return tuple(both)


def log_least_error(scores, beta, n, *, hold, level=0.05, unit=0.1):
    """Log of the least chance of one error on `n` tokens while the other is held at `level`.

    `hold="misses"` holds P_π(say u) and gives log P_u(say π); `hold="false alarms"` the other way round.
    The test may toss a coin at its threshold, as the lemma allows. The error is found by change of
    measure, as the held hypothesis sees it, so that e^−2000 is no harder than 0.1.
    """
    scores = np.asarray(scores, dtype=float)
    if hold not in ("misses", "false alarms"):
        raise ValueError(f'log_least_error: hold must be "misses" or "false alarms"; got {hold!r}')
    sign = 1 if hold == "misses" else -1
    held = softmax(scores, beta) if sign == 1 else np.full(len(scores), 1 / len(scores))
    sums, chances = score_sum(scores, held, n, unit)
    ratio = sign * beta * (sums - n * log_partition(scores, beta))  # log of held over other
    order = np.argsort(ratio)  # what speaks least for the held hypothesis comes first
    ratio, chances = ratio[order], chances[order]
    given_up = np.clip(level - (np.cumsum(chances) - chances), 0, chances)
    kept = chances - given_up
    seen = kept > 0
    logs = np.log(kept[seen]) - ratio[seen]
    return logs.max() + np.log(np.exp(logs - logs.max()).sum())
