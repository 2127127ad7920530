"""Races between scores with noise: the same draws as the figure's page makes, and who wins.

Each token's score gets noise of its own, and the best total wins. All noises have mean 0 and the standard
deviation of Gumbel noise, π/√6 times their size, so that they differ in nothing but their form.
"""

import numpy as np

NOISES = ("Gumbel", "normal", "uniform", "none")
SPREAD = np.pi / np.sqrt(6)
HALF = 2.0**-33  # half a step of the random numbers, which keeps them away from 0
MASK = 0xFFFFFFFF


def random_numbers(seed, count):
    """The first `count` numbers of a seed's stream, from 0 up to but not 1: Mulberry32, as js/random.js has it.

    >>> random_numbers(1, 3).round(3).tolist()
    [0.855, 0.546, 0.752]
    """
    start = (seed + 1) * 0x9E3779B1 & MASK
    a = np.uint32(start) + np.arange(1, count + 1, dtype=np.uint32) * np.uint32(0x6D2B79F5)
    t = (a ^ (a >> 15)) * (a | 1)
    t = (t + (t ^ (t >> 7)) * (t | 61)) ^ t
    return (t ^ (t >> 14)) / 2.0**32


def noise(kind, seed, races, n):
    """Noise of size 1 for each of `n` tokens in each race, shape (races, n)."""
    first, second = random_numbers(seed, 2 * races * n).reshape(-1, 2).T
    first = first + HALF
    drawn = {
        "Gumbel": lambda: -np.log(-np.log(first)) - np.euler_gamma,
        "normal": lambda: SPREAD * np.sqrt(-2 * np.log(first)) * np.cos(2 * np.pi * second),
        "uniform": lambda: SPREAD * np.sqrt(12) * (first - 0.5),
        "none": lambda: np.zeros_like(first),
    }
    return drawn[kind]().reshape(races, n)


def count_wins(scores, beta, kind, races, seed):
    """How often each score is the best after its noise, which is 1/β of that of size 1.

    >>> count_wins([2.0, 1.0], beta=1.0, kind="none", races=10, seed=1).tolist()
    [10, 0]
    """
    scores = np.asarray(scores, dtype=float)
    n = len(scores)
    totals = scores + noise(kind, seed, races, n) / beta  # (races, n)
    tied = totals == totals.max(axis=1, keepdims=True, initial=-np.inf)
    # Between totals that are equal chance decides: the k-th of them takes the place with chance 1/k.
    chance = random_numbers(seed, 2 * races * n)[::2].reshape(races, n)
    takes = tied & (chance * np.cumsum(tied, axis=1) < 1)
    return np.bincount(n - 1 - takes[:, ::-1].argmax(axis=1), minlength=n)
