"""How small the sum of a test's two errors can be, by the divergence of what it sees."""

import numpy as np


def pinsker(divergence):
    """Pinsker: the errors sum to at least 1 − √(divergence/2), which says nothing from 2 nats on."""
    return 1 - np.sqrt(divergence / 2)


def bretagnolle_huber(divergence):
    """Bretagnolle and Huber: the errors sum to at least 1 − √(1 − e^−divergence), which is never 0 or less."""
    near = np.exp(-divergence)
    return near / (1 + np.sqrt(-np.expm1(-divergence)))  # the same, without a difference of two near 1
