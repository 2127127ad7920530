"""Which weights dropout drops: a number for each, from one seed, so that no pass has to store what another drew.

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


class Dropout(NamedTuple):
    """A weight whose number is less than `below` is dropped; the others are multiplied by `factor`."""

    seed: Any  # uint64
    below: Any  # uint64
    factor: float


def dropout_of(probability, seed):
    """Weights are dropped with this probability, in [0, 1); `seed` is an integer from 0 to below 2⁶⁴."""
    probability = float(probability)
    return Dropout(np.uint64(seed), np.uint64(int(probability * 2.0**64)), 1.0 / (1.0 - probability))


@compiled
def number(seed, k):
    """Number k of the stream of `seed`, an integer of 64 bits."""
    x = seed + STEP * (np.uint64(k) + np.uint64(1))
    x = (x ^ (x >> FAR)) * FIRST
    x = (x ^ (x >> NEAR)) * SECOND
    return x ^ (x >> LAST)


@compiled
def write_factors(dropout, query, keys, low, factors):
    """Write what dropout multiplies the weights of a query by, 0 or `factor`, for some of its keys.

    The query is counted through all heads, and the keys from the key `low`.
    """
    if dropout.below == 0:
        factors[: len(keys)] = 1.0
        return
    stream = number(dropout.seed, query)
    for c in range(len(keys)):
        factors[c] = dropout.factor if number(stream, low + keys[c]) >= dropout.below else 0.0
