"""How small the sum of a test's two errors can be, by the divergence of what it sees."""

import numpy as np


def pinsker(divergence):
    """Pinsker: the errors sum to at least 1 − √(divergence/2), which says nothing from 2 nats on."""
    return 1 - np.sqrt(divergence / 2)


def bretagnolle_huber(divergence):
    """Bretagnolle and Huber: the errors sum to at least 1 − √(1 − e^−divergence), which is never 0 or less."""
    near = np.exp(-divergence)
    return near / (1 + np.sqrt(-np.expm1(-divergence)))  # the same, without a difference of two near 1


def pairs():
    """2030 pairs of distributions for one token: 1000 over two, 1000 over seven, and 30 of which one is sure.

    Pinsker's bound is tightest for two tokens that are about as likely, the other one where one distribution
    is sure of a token and the other hardly ever draws it.
    """
    rng = np.random.default_rng(7)
    for size in (2, 7):
        yield from rng.dirichlet(np.full(size, 2.0), size=(1000, 2))
    for nats in range(1, 31):
        yield np.array([1.0, 0.0]), np.array([np.exp(-nats), -np.expm1(-nats)])
