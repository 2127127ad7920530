"""The checks of the chapter *speed*: counts and results, never times."""

import contextlib
from itertools import product
from unittest.mock import patch

import numpy as np
import torch

import lib
from book.claims import claim, fails, largest, measures, says
from book.counting import counted, held
from book.figures.cost_counts import counts
from book.speed.by_hand import drawn, in_blocks, power_of_two, stored
from book.speed.ring import alone, in_one, outputs_of_two
from book.speed.ways import CALLS, METHODS, answers, chosen, told
from lib import attention

ITEM = 4  # bytes of a number in float32
FEW = 4  # queries


def beside(attend, n):
    """The most bytes that are held beside queries, keys and values."""
    qkv = drawn(n)
    return held(lambda: attend(*qkv))


def tensors(n, d):
    return [torch.from_numpy(x) for x in drawn(n, d)]


@claim("speed-products")
@says(
    "Torch counts 2n²d multiplications in the matrix products of attention as it is written, for n = 32 to "
    "1024 and d = 16 and 64."
)
@measures("largest difference, as a part", at_most=0)
@fails("with pairs of a query and a key up to its own alone", pairs=lambda n: n * (n + 1) / 2)
def difference_of_products(pairs=lambda n: n**2):
    for n, d in product((32, 101, 1024), (16, 64)):
        yield counted(lambda: attention(*tensors(n, d), path="readable")) / (2 * pairs(n) * d) - 1


@claim("speed-held")
@says(
    "NumPy holds two tables of n² numbers at once where attention is computed as it is written, to a tenth of "
    "one, for n = 1024 and 2048."
)
@measures("largest difference from two tables, in tables", at_most=0.1)
@fails("in blocks of 64 queries", attend=in_blocks)
def difference_from_two_tables(attend=stored):
    return largest(abs(beside(attend, n) / (ITEM * n**2) - 2) for n in (1024, 2048))


def bytes_of(*arrays):
    return sum(x.numel() * x.element_size() for x in arrays)


@claim("speed-blocks")
@says(
    "In blocks of 64 queries, twice as many tokens take at most 2.1 times as much memory beside queries, keys and "
    "values, from 512 to 1024 and from 1024 to 2048."
)
@measures("largest factor", at_most=2.1)
@fails("with the whole table stored", attend=stored)
def growth_of_memory(attend=in_blocks):
    return largest(beside(attend, 2 * n) / beside(attend, n) for n in (512, 1024))


@claim("speed-same")
@says(
    "Torch’s fused kernel gives the outputs of the formula as it is written, to a few roundings of float32, for "
    "127 tokens, all keys seen or no later ones."
)
@measures("largest difference from the outputs in float64", at_most=2e-6)
@fails("with a window of 100, which leaves keys out", window=100)
def difference_of_fused(window=None):
    q, k, v = tensors(127, 16)
    for causal in (False, True):
        exact = attention(q.double(), k.double(), v.double(), causal=causal, path="readable")
        yield attention(q, k, v, causal=causal, window=window, path="fused") - exact


@claim("speed-one")
@says(
    "A single query takes less than a quarter of a product for each byte of queries, keys, values and outputs in "
    "float32, as torch counts its products, for n = 32 to 4096 and d = 64."
)
@measures("largest number of products for each byte", at_most=0.25)
@fails("with as many queries as keys", queries=4096)
def products_for_each_byte(queries=1):
    def each(n):
        q, k, v = tensors(n, 64)
        q = q[-queries:]
        return counted(lambda: attention(q, k, v, path="readable")) / bytes_of(q, k, v, q)

    return largest(map(each, (32, 1024, 4096)))


@claim("speed-state")
@says(
    "Torch counts nd(2d + 1) multiplications in the matrix products of linear attention, and nd more by 1, which "
    "only sum the keys, for 2d to 64d tokens."
)
@measures("largest difference, as a part", at_most=1e-9)
@fails("with softmax attention", attend=lambda *qkv: attention(*qkv, path="readable"))
def difference_of_linear(attend=lib.linear_attention, d=16):
    for n in (32, 256, 1024):
        yield (counted(lambda: attend(*tensors(n, d))) - n * d) / counts(n, d)["linear"][0] - 1


@claim("speed-ways")
@says("The table says by which way each call is computed.")
@measures("calls that go another way", at_most=0)
@fails("with the first way for every call", said=lambda reasons: next(iter(reasons)))
def told_wrong(said=chosen):
    return sum(not goes(call, said(told(call, answers))) for call in CALLS)


def goes(call, way):
    """Whether a call goes that way.

    Each way only notes that it was taken, and computes what the definition says, for a few queries: whether its
    own numbers are right is tested elsewhere, and a kernel of ours would be compiled for half a minute. What
    comes back is compared, so that NaN is noticed.
    """
    taken = []

    def noting(name):
        """A method that notes that it was taken, and computes as it is defined."""
        return lambda request, reference: taken.append(name) or reference(request.queries(0, FEW))

    def as_written(q, k, v, **options):
        return attention(q[..., :FEW, :], k, v, **options, path="readable")

    with contextlib.ExitStack() as patched:
        for name, method in METHODS.items():
            patched.enter_context(patch.object(method, "result", noting(name)))
        found = first(told(call, attention))[..., :FEW, :]
    right = first(told(call, as_written))
    return [way] == (taken or [chosen({})]) and bool(abs(found - right).max() <= 1e-6)


def first(found):
    return found[0] if isinstance(found, tuple) else found


@claim("speed-ring")
@says("Two processes that hold half of the text each give, to rounding, the outputs that one gives for all of it.")
@measures("largest difference of an output", at_most=2e-6)
@fails("with each process seeing its own keys alone", outputs=alone)
def difference_of_two(outputs=outputs_of_two):
    return largest((one - other).abs().max() for one, other in zip(outputs(), in_one(), strict=True))


@claim("speed-polynomial")
@says("A polynomial of degree 3 is off from 2^x by less than one part in 10\u202f000, for x from 0 to 1.")
@measures("largest relative error", at_most=1e-4)
@fails("with degree 2", degree=2)
def error_of_polynomial(degree=3):
    x = np.linspace(0, 1, 100_001)
    return float(abs(power_of_two(x, degree) / 2**x - 1).max())
