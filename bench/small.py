"""Small calls, as notebooks, tests and small models make them: there the checks of the arguments take the time.

A row times many calls together, so that reading the clock does not matter; its milliseconds are for all of them.
"""

import functools

import entmax
import numpy as np
import scipy.special
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

import lib
from bench.measure import Case, Pair
from bench.rows import best_mode, copying, same, title

SHAPE = (8, 16)  # of the scores
HEADS, WIDTH = 12, 64
SIZES = (1, 64, 6.0), (16, 64, 3.0), (128, 128, 1.2)  # queries, keys, target
TRAINING = (32, 4, 64, 16)  # batch, heads, queries and keys, width: a small model's


def cases():
    at = f"{SHAPE[0]} × {SHAPE[1]}"
    for library, peer, target in (("torch", "torch.softmax", 10.0), ("NumPy", "SciPy", 3.0)):
        yield case(f"softmax, {library}, {at}", peer, target, functools.partial(softmax, library), calls=1000)
    for alpha in (2.0, 1.5):
        for library in ("torch", "NumPy"):
            setup = functools.partial(sparse, alpha, library)
            yield case(f"{title(alpha)}, {library}, {at}", "entmax on torch, its best mode", 1.0, setup, calls=100)
    for n_q, n_k, target in SIZES:
        setup = functools.partial(attention, n_q, n_k)
        yield case(f"attention of {n_q} to {n_k}", "SDPA", target, setup, calls=max(20, 500 // n_q))
    name = "attention, causal, with backward, 32 × 4 × 64 × 16"
    yield case(name, "SDPA", 1.25, functools.partial(training, "softmax", sdpa_causal), calls=5)
    yield case(f"entmax 1.5 {name}", "entmax, stored", 0.9, functools.partial(training, "entmax", stored), calls=2)


def case(name, peer, target, setup, calls):
    """A case in which each side calls its function `calls` times."""

    def repeated():
        pair = setup()
        return pair._replace(**{side: again(getattr(pair, side), calls) for side in ("ours", "peer", "copy")})

    return Case(f"{calls} calls: {name}", peer, target, repeated)


def again(call, times):
    """The same call that many times; returns its last result."""

    def calls():
        for _ in range(times - 1):
            call()
        return call()

    return calls


def scores():
    return (2 * np.random.default_rng(0).normal(size=SHAPE)).astype(np.float32)


def softmax(library):
    x = scores()
    tensor = torch.from_numpy(x)
    copy = copying(tensor)
    if library == "NumPy":
        return Pair(lambda: lib.softmax(x), lambda: scipy.special.softmax(x, -1), same, copy=copy)
    return Pair(lambda: lib.softmax(tensor), lambda: torch.softmax(tensor, -1), same, copy=copy)


def sparse(alpha, library):
    x = scores()
    tensor = torch.from_numpy(x)
    given, mode = x if library == "NumPy" else tensor, best_mode(alpha, tensor)
    return Pair(lambda: lib.entmax(given, alpha=alpha), lambda: mode(tensor), same, copy=copying(tensor))


def attention(n_q, n_k):
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, HEADS, n, WIDTH, generator=generator) for n in (n_q, n_k, n_k))
    return Pair(lambda: lib.attention(q, k, v), lambda: sdpa(q, k, v), same, copy=copying(q, k, v))


def training(weights, peer):
    """The gradients of causal attention in q, k and v."""
    generator = torch.Generator().manual_seed(0)
    *qkv, grad = torch.randn(4, *TRAINING, generator=generator).unbind(0)
    leaves = [x.detach().requires_grad_() for x in qkv]

    def gradients(attend):
        return lambda: torch.autograd.grad(attend(*leaves), leaves, grad)

    def check(ours, right):
        for one, other in zip(ours, right, strict=True):
            same(one, other)

    ours = gradients(functools.partial(lib.attention, causal=True, weights=weights))
    return Pair(ours, gradients(peer), check, copy=copying(*qkv, grad))


def sdpa_causal(q, k, v):
    return sdpa(q, k, v, is_causal=True)


def stored(q, k, v):
    """As one would write it with the package: all the scores, the package's map, and a product with the values."""
    n, d = q.shape[-2:]
    seen = torch.ones(n, n, dtype=torch.bool).tril()
    x = (q @ k.mT * d**-0.5).masked_fill(~seen, -torch.inf)
    return entmax.entmax15(x, -1) @ v
