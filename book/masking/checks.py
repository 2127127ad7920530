"""The checks of the chapter *masking*."""

import functools
from itertools import product

import numpy as np
import torch

from book.claims import claim, fails, largest, measures, says
from book.masking.cache import in_blocks, partitions
from book.masking.forbidding import by_lib, by_torch, gradients, mended, with_added, with_filled
from book.masking.heads import by_hand, by_heads
from lib import attention, causal_mask, padding_mask, softmax, window_mask


def kind_by_kind(n_q, n_k, offset, size):
    """Causal and window masks, entry by entry."""
    causal = [[j <= offset + i for j in range(n_k)] for i in range(n_q)]
    window = [[offset + i - size < j <= offset + i for j in range(n_k)] for i in range(n_q)]
    return np.array(causal), np.array(window)


some, read = torch.rand(20, 3, 3, generator=torch.Generator().manual_seed(0)) < 0.5, [0, 2]
some[:, read, 0], some[:, 1] = True, False  # query 1 has nothing, and the loss does not read it


def healed(attend):
    """Attention with zeros put for the NaN among the weights; the identity as values gives the weights."""
    return lambda q, k, v, part: torch.nan_to_num(attend(q, k, torch.eye(3).to(v), part)) @ v


def filled_with_minus_1e9(Q, K, V, mask):
    return with_filled(Q, K, V, mask, -1e9), None


@claim("masking-null", "E1", "E15")
@says(
    "A null with zeros and otherwise equal shares, lib’s where, deleted keys and a score of −∞ give the "
    "same weights, in 1000 random rows with a key left, β from −10 to 10, 0 included."
)
@measures("largest difference of two weights", at_most=1e-14)
@fails("with a score of 0 in place of −∞", score=0.0)
def largest_difference(score=-np.inf, rows=1000):
    rng = np.random.default_rng(0)
    for _ in range(rows):
        x, beta = rng.normal(size=7), rng.integers(-1, 2) * 10 ** rng.uniform(-1, 1)
        part = rng.permutation(7) < rng.integers(1, 7)
        deleted = np.zeros(7)
        deleted[part] = softmax(x[part], beta)
        yield softmax(x, beta, prior=part / part.sum()) - deleted
        yield softmax(x, beta, where=part) - deleted
        yield softmax(np.where(part, x, score), beta) - deleted


@claim("masking-kinds", "E15")
@says(
    "lib’s causal, window and padding masks are those of the text, for 1 to 6 queries and keys, offsets from −3 "
    "to 6, windows to 4 and all lengths."
)
@measures("entries that differ", at_most=0)
@fails("with each query one position further on", shift=1)
def entries_that_differ(shift=0):
    wrong = 0
    for n_q, n_k, offset, size in product(range(1, 7), range(1, 7), range(-3, 7), range(1, 5)):
        where = {"offset": offset + shift}
        mine = causal_mask(n_q, n_k, **where), window_mask(n_q, n_k, window=size, **where)
        wrong += sum((a != b).sum() for a, b in zip(mine, kind_by_kind(n_q, n_k, offset, size), strict=True))
    for n_k in range(1, 7):
        real = padding_mask(np.arange(n_k + 1), n_k)  # (lengths, 1, n_k)
        wrong += (real != [[[j < length for j in range(n_k)]] for length in range(n_k + 1)]).sum()
    return wrong


@claim("masking-axis", "E15")
@says(
    "Without an axis for the queries a padding mask combines with a causal one only for batch = n, of all "
    "pairs of sizes from 2 to 7, and then query i has the length of sequence i."
)
@measures("pairs of sizes for which it is otherwise", at_most=0)
@fails("with the axis", axis=(slice(None), None))
def otherwise(axis=(slice(None),)):
    off = 0
    for batch, n in product(range(2, 8), repeat=2):
        lengths = n - np.arange(batch) % n  # longest first, so that they take away what the causal mask allows
        theirs = (np.arange(n)[None, :] < lengths[:, None])[axis]  # as in the text: (batch, n)
        try:
            both = causal_mask(n) & theirs
        except ValueError:
            off += batch == n
        else:
            off += batch != n or (both != [[j <= i and j < lengths[i] for j in range(n)] for i in range(n)]).any()
    return off


@claim("masking-rows", "E15")
@says(
    "With padding at the end and offset 0, exactly the queries from position length + size of the window "
    "− 1 on have nothing left, for n to 8 and all lengths above 0 and sizes; without a window none."
)
@measures("rows of which it is not so", at_most=0)
@fails("with padding at the start", flip=-1)
def rows_otherwise(flip=1):
    off = 0
    sizes = ((n, a, b) for n in range(1, 9) for a in range(1, n + 1) for b in range(1, n + 1))
    for n, length, size in sizes:
        real = padding_mask(np.array([length]), n)[0, :, ::flip]  # (1, n)
        empty = ~(window_mask(n, window=size) & real).any(axis=-1)
        off += (empty != (np.arange(n) >= length + size - 1)).sum() + (~(causal_mask(n) & real).any(axis=-1)).sum()
    return off


@claim("masking-leak", "E1")
@says(
    "A query with nothing left gets the mean of all forbidden values, whichever finite number fills its "
    "scores, in float32 and float64."
)
@measures("largest distance from the mean", at_most=1e-6)
@fails("with the number added in place of filled in", attend=with_added)
def distance_from_mean(attend=with_filled):
    values = (-1.0, -1e4, -1e6, -1e9, torch.finfo(torch.float32).min)
    for value, dtype in product(values, (torch.float32, torch.float64)):
        q, k, v = torch.randn(3, 7, 4, generator=torch.Generator().manual_seed(0), dtype=dtype).unbind()
        part = torch.zeros(7, 7, dtype=torch.bool)  # nothing is left
        yield attend(q, k, v, part, value) - v.mean(0)


@claim("masking-zeros", "E1", "E15")
@says(
    "In lib the output of a query with nothing left is zeros, and so are its gradients at all queries, keys and "
    "values, under 20 random draws."
)
@measures("largest entry of the output and of the gradients of its sum", at_most=0)
@fails("with −1e9 filled in before torch.softmax", attend=functools.partial(with_filled, value=-1e9))
def response_of_nothing_left(attend=by_lib):
    draw = torch.Generator().manual_seed(3)
    for part in some:
        leaves = torch.randn(3, 3, 4, generator=draw, dtype=torch.float64).requires_grad_().unbind()
        output = attend(*leaves, part)[1]  # of query 1, which has nothing
        yield output.detach()
        yield from torch.autograd.grad(output.sum(), leaves)


@claim("masking-gradient", "E1", "E15")
@says(
    "A row with nothing left that no loss reads leaves the gradients of all three matrices without a NaN, "
    "in lib, and in sdpa on the CPU, under 20 random draws."
)
@measures("gradients that are NaN, of 1920", at_most=0)
@fails("with −∞ filled in before torch.softmax in place of sdpa", ways=(by_lib, with_filled))
def spoilt_gradients(ways=(by_lib, by_torch)):
    found = [gradients(way, read, part, seed=i)[1] for way in ways for i, part in enumerate(some)]
    return torch.stack(found).isnan().sum()


@claim("masking-healed", "E15")
@says("Zeros for NaN after softmax leave no gradient NaN if −∞ was filled in, under the same 20 draws.")
@measures("gradients that are NaN, of 960", at_most=0)
@fails("with −∞ added to the scores", attend=with_added)
def gradients_after_healing(attend=with_filled):
    return sum(torch.isnan(gradients(healed(attend), read, part, seed=i)[1]).sum() for i, part in enumerate(some))


@claim("masking-gone", "E1")
@says(
    "With a key left, −1e9 in float32, filled in or added, gives the very weights that −∞ gives, in 1000 "
    "random rows with scores up to a million."
)
@measures("largest difference of two weights", at_most=0)
@fails("with −20", value=-20.0)
def difference_from_infinity(value=-1e9, rows=1000):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, 7)) * 10 ** rng.uniform(0, 6, size=(rows, 1))
    x = torch.tensor(x, dtype=torch.float32).clamp(-1e6, 1e6)
    out = torch.tensor(rng.permuted(np.tile(np.arange(7), (rows, 1)), axis=1) < rng.integers(1, 7, size=(rows, 1)))
    exact = torch.softmax(x.masked_fill(out, -torch.inf), -1)
    for way in (x.masked_fill(out, value), x + value * out):
        yield torch.softmax(way, -1) - exact


@claim("masking-added")
@says("In float64, −1e9 added to all scores changes no weight by a millionth, in 1000 random rows.")
@measures("largest change of a weight", at_most=1e-6)
@fails("in float32", dtype=np.float32)
def change_by_adding(dtype=np.float64):
    x = np.random.default_rng(2).normal(size=(1000, 7)).astype(dtype)
    return abs(softmax(x + dtype(-1e9)) - softmax(x)).max()


@claim("masking-mended", "E1")
@says(
    "The mended function gives lib’s outputs and gradients under 200 random masks, most with empty rows, "
    "in float64."
)
@measures("largest difference of two outputs or gradients", at_most=1e-11)
@fails("with −1e9 filled in, as printed", attend=filled_with_minus_1e9)
def difference_from_lib(attend=mended):
    for seed in range(200):
        part = torch.rand(5, 5, generator=torch.Generator().manual_seed(seed)) < 0.3
        theirs = gradients(lambda q, k, v, m: attend(q, k, v, m)[0], slice(None), part, seed=seed)
        mine = gradients(by_lib, slice(None), part, seed=seed)
        yield from [a - b for a, b in zip(theirs, mine, strict=True)]


@claim("masking-cache", "E15")
@says(
    "Seven tokens read in blocks with a cache, cut in any of the 64 ways, get the outputs that they get "
    "all at once."
)
@measures("largest difference of two outputs", at_most=1e-14)
@fails("with each block at offset 0", offset=lambda n_q, n_k: 0)
def difference_from_all_at_once(offset=None):
    q, k, v = np.random.default_rng(3).normal(size=(3, 7, 4))
    whole = attention(q, k, v, causal=True)
    for sizes in partitions(7):
        yield in_blocks(q, k, v, sizes, offset) - whole


@claim("masking-behind", "E15")
@says(
    "NaN in a key and a value that no query sees changes neither outputs nor gradients in lib, under 20 "
    "random draws."
)
@measures("outputs and gradients that change by more than 1e-12, of 1200", at_most=0)
@fails("in torch’s scaled_dot_product_attention", attend=by_torch)
def changed_from_behind(attend=by_lib):
    changed, seen = 0, torch.tensor([True, True, False])
    for i, part in enumerate(some & seen):
        with_nan, without = (gradients(attend, slice(None), part, spoilt=spoilt, seed=i) for spoilt in (2, None))
        # A NaN has changed.
        changed += sum((~((a - b).abs() <= 1e-12)).sum() for a, b in zip(with_nan, without, strict=True))
    return changed


def hidden_before(rows, part):
    return softmax(rows, where=part)


def hidden_after(rows, part):
    """Zeros after softmax, and a division by what is left."""
    left = softmax(rows) * part
    return left / left.sum(-1, keepdims=True)


@claim("masking-after")
@says(
    "In float32, hiding a key before softmax gives the exact weights of the others, for the scores 200, 1 and 0 "
    "and in 500 random rows whose hidden key leads by up to 300 points."
)
@measures("largest error of a weight, ∞ for NaN", at_most=1e-6)
@fails("with zeros put for the hidden weights after softmax, and a division by what is left", hide=hidden_after)
def error_of_hiding(hide=hidden_before):
    draw = np.random.default_rng(4)
    rows = np.concatenate([draw.uniform(0, 300, size=(500, 1)), draw.normal(size=(500, 2))], axis=1)
    rows = np.concatenate([[[200.0, 1.0, 0.0]], rows]).astype(np.float32)
    part = np.array([False, True, True])
    exact = softmax(rows[:, 1:].astype(np.float64))
    with np.errstate(invalid="ignore"):
        off = np.abs(hide(rows, part)[:, 1:] - exact)
    return np.where(np.isnan(off), np.inf, off).max()


@claim("masking-padding", "P4")
@says(
    "In torch's MultiheadAttention a key_padding_mask of floats is added to the scores of its keys: it is what "
    "lib.attention has as log_prior, in 20 random draws."
)
@measures("largest difference of an output", at_most=1e-12)
@fails("with it added to the keys", to="keys")
def difference_by_padding(to="scores"):
    return largest(
        abs(by_heads(seed, "key_padding_mask") - by_hand(seed, "key_padding_mask", to)).max() for seed in range(20)
    )


@claim("masking-float", "P5")
@says(
    "In torch's MultiheadAttention an attn_mask of floats is added to the scores: it is what lib.attention has as "
    "log_prior, in 20 random draws."
)
@measures("largest difference of an output", at_most=1e-12)
@fails("with it added to the weights", to="weights")
def difference_by_mask(to="scores"):
    return largest(abs(by_heads(seed, "attn_mask") - by_hand(seed, "attn_mask", to)).max() for seed in range(20))
