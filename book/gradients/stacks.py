"""Layers of attention on top of one another, with softmax and without."""

import numpy as np

from lib import softmax


def orthogonal(draw, d):
    """A random matrix that keeps lengths."""
    return np.linalg.qr(draw.normal(size=(d, d)))[0]


def longest(size, layers, weigh=softmax, n=7, d=8, seed=0, alike=False):
    """The length of the longest list h after each layer h ← h + weigh(h W hᵀ) h W_V, from random tokens.

    At first the longest has the length `size`; W and W_V of each layer are random and keep lengths. If `alike`,
    all tokens are the same and W_V changes nothing: with softmax no start grows faster.

    >>> [round(x, 1) for x in longest(1.0, 2)], [round(x, 1) for x in longest(1.0, 2, weigh=lambda s: s)]
    ([1.1, 1.5], [1.3, 2.9])
    """
    draw = np.random.default_rng(seed)
    h = np.tile(draw.normal(size=d), (n, 1)) if alike else draw.normal(size=(n, d))
    h *= size / np.linalg.norm(h, axis=1).max()
    lengths = []
    for _ in range(layers):
        w, w_v = orthogonal(draw, d), np.eye(d) if alike else orthogonal(draw, d)
        h = h + weigh(h @ w @ h.T) @ h @ w_v  # (n, n) @ (n, d) @ (d, d)
        lengths.append(float(np.linalg.norm(h, axis=1).max()))
    return lengths
