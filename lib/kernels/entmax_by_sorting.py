"""Sparsemax and entmax at α = 1.5 by sorting each row, in NumPy: for few rows the quickest way, and exact.

In a sorted row, z₁ ≥ z₂ ≥ …, the threshold is the one that the k best entries would have by themselves, for the k
at which all others get no weight. (For many rows the compiled kernels are quicker, which sort nothing.)
"""

import numpy as np

SORTED = (1.5, 2)  # the α that sorting can solve


def sorted_weights(z, alpha):
    """[zᵢ − τ]₊^(1/(α − 1)) that sum to 1, for α 1.5 or 2: float64 (..., n) with maximum 0 -> (..., n)."""
    z = np.maximum(z, -1.0)  # an entry at −1 or below has no weight
    return _sorted_sparsemax(z) if alpha == 2 else _sorted_entmax15(z)


def _sorted_sparsemax(z):
    best, count = _best_first(z)
    # With too few or too many of the best entries the threshold is lower, so the largest is the right one.
    tau = np.maximum.reduce((np.add.accumulate(best, axis=-1) - 1) / count, axis=-1, keepdims=True)
    return np.maximum(z - tau, 0)


def _sorted_entmax15(z):
    best, count = _best_first(z)
    mean = np.add.accumulate(best, axis=-1) / count
    squares = np.add.accumulate(best * best, axis=-1) / count - mean * mean
    tau = mean - np.sqrt(np.maximum(1 / count - squares, 0))  # of the k best: where the squares of z − τ sum to 1
    last = np.add.reduce(tau <= best, axis=-1, keepdims=True) - 1
    tau = np.take_along_axis(tau, last, axis=-1)
    root = np.maximum(z - tau, 0)
    # The difference of squares has lost digits to rounding; a Newton step restores them in the weights.
    weights = root * root
    excess = np.add.reduce(weights, axis=-1, keepdims=True) - 1
    return np.maximum(weights - root * (excess / np.add.reduce(root, axis=-1, keepdims=True)), 0)


def _best_first(z):
    """Each row in falling order, and 1, 2, … n."""
    return np.sort(z)[..., ::-1], np.arange(1, z.shape[-1] + 1)
