"""What dropout does to one row of weights, over every way in which it can fall."""

import numpy as np


def dropped(weights, rate):
    """Every way in which dropout can treat a row: what is left (2ⁿ, n), and the chance of each (2ⁿ,).

    A weight is kept with probability 1 − rate, and then divided by that, as in `lib.attention`.

    >>> left, chances = dropped(np.array([0.5, 0.5]), rate=0.5)
    >>> left.tolist(), chances.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.25, 0.25, 0.25, 0.25])
    """
    n = len(weights)
    kept = np.indices((2,) * n).reshape(n, -1).T  # (2ⁿ, n)
    chances = np.where(kept == 1, 1 - rate, rate).prod(axis=1)
    return kept * weights / (1 - rate), chances


def noise(weights, values, rate=0.1):
    """The variance that dropout gives to the output ⟨π, v⟩, added up over every way in which it can fall.

    >>> print(f"{noise(np.array([0.5, 0.5]), np.array([1.0, 1.0]), rate=0.5):.2f}")
    0.50
    """
    left, chances = dropped(weights, rate)
    outputs = left @ values  # (2ⁿ,)
    return float(chances @ (outputs - chances @ outputs) ** 2)
