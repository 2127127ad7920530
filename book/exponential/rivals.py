"""Rules that turn scores into weights and break one of the four wishes, and what the wishes alone leave over."""

import numpy as np

from lib import softmax


def two_softmaxes(scores):
    """The mean of softmax at β = 1 and at β = 2: the ratio of two weights depends on the others."""
    return (softmax(scores) + softmax(scores, 2.0)) / 2


def favourite(scores):
    """Softmax with twice the weight for the first token: who it is counts."""
    grown = np.exp(scores) * np.where(np.arange(np.shape(scores)[-1]) == 0, 2.0, 1.0)
    return grown / grown.sum(axis=-1, keepdims=True)


def cubes(scores):
    """Softmax of the cubes of the scores: a common shift counts."""
    return softmax(scores**3)


def wavy(scores):
    """Softmax of the scores with a wave that repeats at each point: a shift counts unless it is a whole number."""
    return softmax(scores + 0.1 * np.sin(2 * np.pi * scores))


def backwards(scores):
    """Softmax at β = −1: a better score gets less."""
    return softmax(scores, -1.0)


def broken_wishes(rule, rows):
    """By how much a rule breaks each of the four wishes on rows of scores, (rows, n); 0 for one that it keeps.

    1: the largest change of the log-ratio of the first two weights when the others' scores change, when the last
    token leaves, and when one joins. 2: the largest change of a weight when two tokens exchange scores, and then
    weights. 3: the same when everybody gets the same number more or less, for each of 20 random ones. 4: the share
    of all weights that do not rise when their score rises by ½.
    """
    weights, n = rule(rows), rows.shape[1]
    shifted = [rule(rows + x) - weights for x in np.random.default_rng(6).normal(0, 2, size=20)]
    others = np.concatenate([rows[:, :2], np.roll(rows[:, 2:], 1, axis=0)], axis=1)
    joined = np.concatenate([rows, np.roll(rows[:, :1], 1, axis=0)], axis=1)
    moved = [
        np.log(w[:, 0] / w[:, 1]) - np.log(weights[:, 0] / weights[:, 1])
        for w in (rule(others), rule(rows[:, :-1]), rule(joined))
    ]
    swaps = [[*range(i), j, *range(i + 1, j), i, *range(j + 1, n)] for j in range(n) for i in range(j)]
    swapped = [rule(rows[:, swap])[:, swap] - weights for swap in swaps]
    raised = [rule(rows + 0.5 * one)[:, i] - weights[:, i] for i, one in enumerate(np.eye(n))]
    return (
        float(np.max(np.abs(moved))),
        float(np.max(np.abs(swapped))),
        float(np.max(np.abs(shifted))),
        float(np.mean(~(np.array(raised) > 0))),
    )


def even(scores):
    """Equal weights: a better score gets no more."""
    return softmax(scores, 0.0)


def sharper_in_company(scores):
    """Softmax at β = log n: how many others there are counts."""
    return softmax(scores, np.log(np.shape(scores)[-1]))


def log_ratios_for_gaps(steps, third_token=True):
    """A basis of all functions of a gap that may be the logarithm of the ratio of two weights.

    Gaps are whole numbers from −steps to steps. Exchanging the two tokens turns the sign. Where a third token may
    stand between them, the two logarithms on the way to it add up to the one past it.

    Returns
    -------
    basis : array, shape (number of solutions, 2·steps + 1)
    """
    size = 2 * steps + 1
    rows = []
    for x in range(-steps, steps + 1):
        for y in range(-steps, steps + 1):
            if abs(x + y) <= steps and (third_token or x + y == 0):
                row = np.zeros(size)
                for gap, sign in ((x, 1), (y, 1), (x + y, -1)):
                    row[gap + steps] += sign
                rows.append(row)
    _, sizes, directions = np.linalg.svd(np.array(rows), full_matrices=False)
    return directions[(sizes > 1e-9).sum() :]
