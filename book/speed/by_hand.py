"""Attention in plain NumPy, with its table stored and in blocks, as the chapter shows it."""

import numpy as np

from lib import softmax


def stored(q, k, v):
    scores = q @ k.T / q.shape[1] ** 0.5  # (n_q, d) @ (d, n) -> (n_q, n)
    return softmax(scores) @ v  # (n_q, n) @ (n, d) -> (n_q, d)


def in_blocks(q, k, v, size=64):
    starts = range(0, len(q), size)
    return np.concatenate([stored(q[i : i + size], k, v) for i in starts])


def drawn(n, d=64, seed=0):
    """Queries, keys and values, (n, d) each, in float32."""
    return np.random.default_rng(seed).normal(size=(3, n, d)).astype(np.float32)


def power_of_two(x, degree=3):
    """2^x for x from 0 to 1, as a polynomial that is exact at degree + 1 points: products and sums alone."""
    points = (1 + np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))) / 2
    return np.polyval(np.polyfit(points, 2**points, degree), x)
