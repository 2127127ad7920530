"""What caps, the factor of Llama 4 and the clip do to scores, at β = 1 where nothing else is said."""

import numpy as np

from lib import softmax

CAP = 50.0  # Gemma 2's, on the scores of attention; on those of the output it has 30
CHUNK, GROWTH = 8192, 0.1  # of Llama 4


def capped(scores, cap=CAP):
    """c · tanh(s/c): almost s where scores are small, never more than c."""
    return cap * np.tanh(np.asarray(scores) / cap)


def cap_slope(scores, cap=CAP):
    """How fast a capped score grows with its score, 1 − tanh²(s/c): what is left of a gradient behind the cap."""
    return 1 - np.tanh(np.asarray(scores) / cap) ** 2


def cap_left(first, second, cap=CAP):
    """What a cap leaves of the difference of two scores, and thus of the logarithm of their odds."""
    return float(capped(second, cap) - capped(first, cap))


def chunked_growth(n):
    """Llama 4's factor at the n-th position, 1 + 0.1 · ln(⌊n/8192⌋ + 1)."""
    return 1 + GROWTH * np.log(np.asarray(n) // CHUNK + 1)


def chunk_ends(most=10_000_000):
    """The first and the last n of each chunk from 8192 on, up to `most`; in between the factor stands still."""
    edges = np.arange(CHUNK, most + 1, CHUNK)
    return np.unique(np.concatenate([edges, edges[1:] - 1, [most]]))


def growth_apart(most=10_000_000):
    """That factor over log n / log 8192, less 1, and the n: the largest, the smallest, the last, up to `most`."""
    n = chunk_ends(most)
    apart = chunked_growth(n) / (np.log(n) / np.log(CHUNK)) - 1
    found = {"most": apart.argmax(), "least": apart.argmin(), "last": -1}
    return {name: (float(apart[i]), int(n[i])) for name, i in found.items()}


def clipped(query, key, top, bound=100.0):
    """Both matrices of a head whose largest score is `top`, times the root of bound/top if that is below 1."""
    factor = min(1.0, bound / top) ** 0.5
    return factor * query, factor * key


def clip_elsewhere(top=200.0, bound=100.0, gap=8.0, n=101):
    """The weight, before and after, of a key that leads n − 1 others in a row of the head far below the bound."""
    row = np.zeros(n)
    row[0] = gap
    return float(softmax(row)[0]), float(softmax(min(1.0, bound / top) * row)[0])
