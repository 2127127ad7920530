"""Other derivations of softmax, each followed exactly on a small example."""

import numpy as np

from lib.book.solver import maximise
from lib.figures.tell import score_sum


def nearest_weights(scores):
    """The point of the simplex nearest to half the scores, found by the solver."""
    return maximise(lambda p: p @ scores - p @ p, len(scores))


def first_given_mean(scores, null, n, at_least):
    """The chance of each token to be the first of `n` drawn from `null`, if their mean score is `at_least` that.

    By Bayes' rule it is the null times the chance that the other n − 1 make up the rest of the score.
    """
    scores, null = np.asarray(scores, dtype=float), np.asarray(null, dtype=float)
    sums, chances = score_sum(scores, null, n - 1)
    tail = np.append(np.cumsum(chances[::-1])[::-1], 0.0)  # chance of a sum of at least sums[k]
    joint = null * tail[np.searchsorted(sums, n * at_least - scores - 1e-9)]
    return joint / joint.sum()


def gaussian_smoother(query, keys, width):
    """The weights of Nadaraya–Watson regression with a Gaussian kernel: one per key, falling with distance."""
    squared = ((keys - query) ** 2).sum(axis=-1)
    kernel = np.exp(-squared / (2 * width**2))
    return kernel / kernel.sum()
