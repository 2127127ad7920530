"""Three ways to cut a row of weights before drawing from it: each says which tokens it keeps."""

import numpy as np


def top_k(weights, k):
    """Keep the k largest; of equal weights, those that come first.

    >>> top_k(np.array([0.1, 0.4, 0.3, 0.2]), 2)
    array([False,  True,  True, False])
    """
    order = np.argsort(-weights, kind="stable")  # (n,), the largest first
    return np.isin(np.arange(len(weights)), order[:k])


def top_p(weights, p):
    """Keep as few of the largest as have at least p together.

    >>> top_p(np.array([0.1, 0.4, 0.3, 0.2]), 0.6)
    array([False,  True,  True, False])
    """
    order = np.argsort(-weights, kind="stable")  # (n,), the largest first
    ahead = np.append(0, np.cumsum(weights[order])[:-1])  # (n,)
    # kept while those ahead have less than p; at p = 1 all, however rounded
    return np.isin(np.arange(len(weights)), order[(ahead < p) | (p >= 1)])


def min_p(weights, a):
    """Keep those that have at least a times the largest.

    >>> min_p(np.array([0.1, 0.4, 0.3, 0.2]), 0.6)
    array([False,  True,  True, False])
    """
    return weights >= a * weights.max()
