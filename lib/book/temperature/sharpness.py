"""One row of weights: how large β must be for a winner, and what dropout does to it."""

import numpy as np


def winning_beta(n, lead, rest):
    """The β at which one score, `lead` points above n − 1 others that tie, leaves them a weight of `rest`.

    Their odds against it are (n − 1) e^(−β lead), and are to be rest/(1 − rest).

    >>> print(f"{winning_beta(2, lead=1.0, rest=0.5):.0f}, {winning_beta(101, lead=1.0, rest=0.5):.3f}")
    0, 4.605
    """
    return np.log((n - 1) * (1 - rest) / rest) / lead


def dropped(weights, rate, renormalise=False):
    """Every way in which dropout can treat a row: what is left (2ⁿ, n), and the chance of each (2ⁿ,).

    A weight is kept with probability 1 − rate, and then divided by that, as in `lib.attention`.
    """
    n = len(weights)
    kept = np.indices((2,) * n).reshape(n, -1).T  # (2ⁿ, n)
    chances = np.where(kept == 1, 1 - rate, rate).prod(axis=1)
    left = kept * weights / (1 - rate)
    if renormalise:
        total = left.sum(axis=1, keepdims=True)
        left = left / np.where(total == 0, 1, total)
    return left, chances
