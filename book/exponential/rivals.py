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
