"""Decoding in blocks, with a cache of keys and values."""

import numpy as np

from lib import attention, causal_mask


def in_blocks(q, k, v, sizes, offset=None):
    """Causal attention for blocks of queries, one after another, each with all keys up to its last one.

    `offset` says for n_q queries and n_k keys where the first query stands; by default n_k − n_q.
    """
    outputs, end = [], 0
    for size in sizes:
        start, end = end, end + size
        first = None if offset is None else offset(size, end)
        keep = causal_mask(size, end, offset=first)  # (n_q, n_k)
        outputs.append(attention(q[start:end], k[:end], v[:end], where=keep))
    return np.concatenate(outputs)


def partitions(n):
    """All ways to cut n tokens into blocks, as lists of sizes."""
    if n == 0:
        return [[]]
    return [[first, *rest] for first in range(1, n + 1) for rest in partitions(n - first)]
