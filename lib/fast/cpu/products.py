"""Scores of a few queries with all keys, in a thread of its own.

The matrix products of NumPy and torch bring threads of their own, which would fight with ours. The keys are
laid out in tiles, WIDTH keys side by side, so that LLVM takes as many at once as the machine can. Two queries
and four features are taken together, which is what the registers hold.
"""

import numpy as np

from .compile import compiled, contracting

WIDTH = np.uintp(256)  # keys in a tile; unsigned: for signed ones Numba adds code for negative indices
VECTOR = 16  # keys: what is computed beyond the last one fills a register and no more
FEATURES = 4  # multiplied at once; the width of q and of the tiles is a multiple of it


def tiled(k):
    """Keys (heads, n, d) as tiles (heads, tiles, d · WIDTH), d rounded up to FEATURES, zeros beyond the end."""
    heads, n, d = k.shape
    tiles, width = -(-n // int(WIDTH)), -(-d // FEATURES) * FEATURES
    out = np.zeros((heads, tiles, width, int(WIDTH)), k.dtype)
    for t in range(tiles):
        part = k[:, t * int(WIDTH) : (t + 1) * int(WIDTH)]
        out[:, t, :d, : part.shape[1]] = part.transpose(0, 2, 1)
    return out.reshape(heads, tiles, -1)


def widened(q):
    """Queries (..., d) with zeros up to a whole number of FEATURES."""
    d = q.shape[-1]
    out = np.zeros((*q.shape[:-1], -(-d // FEATURES) * FEATURES), q.dtype)
    out[..., :d] = q
    return out


@compiled
def scores_of(q, tiles, low, high, out):
    """Write to `out` the scores of queries, (rows, d), with the tiles that hold the keys from `low` to `high`.

    The scores of key j are in column j.
    """
    width = np.intp(WIDTH)
    second = np.empty(width, out.dtype)
    for t in range(low // width, (high + width - 1) // width):
        start = t * width
        columns = min(width, (high - start + VECTOR - 1) // VECTOR * VECTOR)
        stop = start + columns
        for i in range(0, len(q), 2):
            if i + 1 < len(q):
                two_rows(q[i], q[i + 1], tiles[t], out[i, start:stop], out[i + 1, start:stop])
            else:
                two_rows(q[i], q[i], tiles[t], out[i, start:stop], second[:columns])


@contracting
def two_rows(a, b, tile, first, second):
    """Scores of the queries a and b with the first keys of a tile, as many as there is room for."""
    first[:] = 0
    second[:] = 0
    for e in range(0, len(a), FEATURES):
        a0, a1, a2, a3 = a[e], a[e + 1], a[e + 2], a[e + 3]
        b0, b1, b2, b3 = b[e], b[e + 1], b[e + 2], b[e + 3]
        e0 = np.uintp(e) * WIDTH
        e1, e2, e3 = e0 + WIDTH, e0 + np.uintp(2) * WIDTH, e0 + np.uintp(3) * WIDTH
        for j in range(np.uintp(len(first))):
            x0, x1, x2, x3 = tile[e0 + j], tile[e1 + j], tile[e2 + j], tile[e3 + j]
            # not +=, which would add up the products first: in this order each product and sum is one operation
            first[j] = first[j] + a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
            second[j] = second[j] + b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
