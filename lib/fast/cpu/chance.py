"""Which weights dropout keeps: a number for each, from one seed, so that no pass has to store what another drew.

The numbers are those of SplitMix64 (Steele, Lea and Flood, 2014, https://doi.org/10.1145/2714064.2660195), any of
which can be had without those before it. Each query has a stream of its own, in which key j has number j; the
seeds of these streams are the numbers of another stream, that of the call.
"""

from typing import Any, NamedTuple

import numpy as np

from .compile import compiled

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
FAR, NEAR, LAST = np.uint64(30), np.uint64(27), np.uint64(31)  # unsigned: beside a signed one Numba takes floats


class Chance(NamedTuple):
    """A weight whose number is less than `below` is dropped; the others are multiplied by `share`."""

    seed: Any  # uint64
    below: Any  # uint64
    share: float


def dropout_of(probability, seed):
    """Weights are dropped with this probability, in [0, 1); `seed` is an integer from 0 to below 2⁶⁴."""
    probability = float(probability)
    return Chance(np.uint64(seed), np.uint64(int(probability * 2.0**64)), 1.0 / (1.0 - probability))


@compiled
def number(seed, k):
    """Number k of the stream of `seed`, an integer of 64 bits."""
    x = seed + STEP * (np.uint64(k) + np.uint64(1))
    x = (x ^ (x >> FAR)) * FIRST
    x = (x ^ (x >> NEAR)) * SECOND
    return x ^ (x >> LAST)


@compiled
def write_stays(query, index, low, chance, out):
    """Write to `out` what is left of a weight of 1: for a query, counted through all heads, and some of its keys.

    The keys in `index` are counted from the key `low`.
    """
    if chance.below == 0:
        out[: len(index)] = 1.0
        return
    stream = number(chance.seed, query)
    for c in range(len(index)):
        out[c] = chance.share if number(stream, low + index[c]) >= chance.below else 0.0
