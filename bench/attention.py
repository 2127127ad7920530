"""Attention against torch's fused kernel (SDPA), and against code that stores the scores."""

import functools
import math

import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

import lib
from bench.measure import Case, Pair
from bench.rows import best_mode, copying, same, title

HEADS, WIDTH = 8, 64
BETA = 0.2
WINDOW = 256
ROWS = 32  # queries of each head for which a result is checked where all of them would take gigabytes


def cases():
    at = "n = 4096"
    yield Case(f"attention, β, causal, padded, {at}", "SDPA on what is valid", 1.05, setup(padded), limit_mb=30)
    yield Case(f"attention, causal, prior, {at}", "SDPA is_causal, no prior", 1.3, setup(with_prior))
    yield Case(f"attention, window of 256, {at}", "SDPA, boolean mask", 0.35, setup(windowed))
    for alpha in (1.5, 2.0):
        name = f"{title(alpha)} attention"
        yield Case(f"{name}, {at}", "SDPA", 1.0, setup(sparse, alpha), limit_mb=30)
        yield Case(f"{name}, with backward, {at}", "SDPA", 1.0, setup(with_backward, alpha), limit_mb=100)
    yield Case(f"linear attention, causal, {at}", "SDPA is_causal", 0.3, setup(linear))
    name = "decode, 32 heads on 8, padded left, n = 1024"
    yield Case(name, "SDPA, mask, enable_gqa", 1.5, setup(decoding, n=1024))
    name = "attention, causal, lengths unsorted, with backward, 256 × 4 × 33 × 16"
    yield Case(name, "SDPA, mask", 1.3, setup(unsorted, n=33))
    yield Case("attention_with_lse, n = 2048", "attention", 1.5, setup(lse, n=2048), limit_mb=30)
    name = "attention, causal, dropout, with backward, 8 × 8 × 256 × 64"
    yield Case(name, "SDPA, dropout", 1.1, setup(dropping, n=256))
    # The code that one would write or install instead stores all scores; these targets are our own choice.
    for alpha, target in ((1.5, 1 / 5), (2.0, 1 / 5), (1.3, 1 / 10)):
        yield Case(f"{title(alpha)} attention, n = 1024", "entmax, stored", target, setup(package, alpha, n=1024))
    for weights, target in (("sigmoid_weights", 1 / 2), ("relu_norm", 1 / 1.5), ("softmax_plus_one", 1 / 1.5)):
        yield Case(f"{weights} attention, n = 2048", "torch, stored", target, setup(stored, weights, n=2048))


def setup(make, *args, n=4096):
    return functools.partial(make, *args, n=n)


def inputs(n, count=3):
    """q, k, v, and what else has their shape: (1, H, n, d) each."""
    generator = torch.Generator().manual_seed(0)
    return torch.randn(count, 1, HEADS, n, WIDTH, generator=generator).unbind(0)


def padded(n):
    q, k, v = inputs(n)
    real = n - n // 4

    def peer():
        valid, keys, values = (x[..., :real, :] for x in (q, k, v))
        padding = sdpa(q[..., real:, :], keys, values, scale=BETA)  # a query in the padding sees all real keys
        return torch.cat([sdpa(valid, keys, values, is_causal=True, scale=BETA), padding], -2)

    lengths = torch.tensor([real])
    return Pair(
        lambda: lib.attention(q, k, v, beta=BETA, causal=True, lengths=lengths), peer, same, copy=copying(q, k, v)
    )


def with_prior(n):
    q, k, v = inputs(n)
    log_prior = torch.randn(n, generator=torch.Generator().manual_seed(1))

    def right():
        return sdpa(q, k, v, log_prior + torch.full((n, n), -torch.inf).triu(1))

    return Pair(
        lambda: lib.attention(q, k, v, causal=True, log_prior=log_prior),
        lambda: sdpa(q, k, v, is_causal=True),
        same,
        reference=right,
        copy=copying(q, k, v),
    )


def windowed(n):
    q, k, v = inputs(n)
    mask = torch.ones(n, n, dtype=torch.bool).tril().triu(1 - WINDOW)
    return Pair(
        lambda: lib.attention(q, k, v, window=WINDOW), lambda: sdpa(q, k, v, mask), same, copy=copying(q, k, v)
    )


def sparse(alpha, n):
    q, k, v = inputs(n)
    return Pair(
        lambda: by_lib(alpha, q, k, v),
        lambda: sdpa(q, k, v),
        same_in_some_rows,
        reference=lambda: by_package(alpha, some_rows(q), k, v),
        copy=copying(q, k, v),
    )


def with_backward(alpha, n):
    """The gradients of q, k and v; the right ones are computed for the last head alone."""
    *qkv, grad = inputs(n, 4)

    def pull_back(attend, qkv=qkv, grad=grad):
        qkv = [x.detach().requires_grad_() for x in qkv]
        return torch.autograd.grad(attend(*qkv), qkv, grad)

    def check(ours, right):
        for gradient, of_one_head in zip(ours, right, strict=True):
            same(gradient[:, -1:], of_one_head)

    return Pair(
        lambda: pull_back(functools.partial(by_lib, alpha)),
        lambda: pull_back(sdpa),
        check,
        reference=lambda: pull_back(functools.partial(by_package, alpha), [x[:, -1:] for x in qkv], grad[:, -1:]),
        copy=copying(*qkv, grad),
    )


def by_lib(alpha, q, k, v):
    options = {"weights": "sparsemax"} if alpha == 2 else {"weights": "entmax", "alpha": alpha}
    return lib.attention(q, k, v, **options)


def linear(n):
    q, k, v = inputs(n)

    def right():
        features_q, features_k = (torch.nn.functional.elu(x) + 1 for x in (some_rows(q), k))
        seen = some_rows(torch.ones(n, n).tril())
        weights = features_q @ features_k.mT * seen
        return weights / weights.sum(-1, keepdim=True) @ v

    return Pair(
        lambda: lib.linear_attention(q, k, v, causal=True),
        lambda: sdpa(q, k, v, is_causal=True),
        same_in_some_rows,
        reference=right,
        copy=copying(q, k, v),
    )


def decoding(n):
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(8, h, m, WIDTH, generator=generator) for h, m in ((32, 1), (8, n), (8, n)))
    where = torch.arange(n) >= torch.randint(0, n // 2, (8, 1, 1, 1), generator=generator)
    return Pair(
        lambda: lib.attention(q, k, v, where=where),
        lambda: sdpa(q, k, v, where, enable_gqa=True),
        same,
        copy=copying(q, k, v),
    )


def unsorted(n):
    """The gradients of causal attention in many short sequences, of lengths in any order."""
    generator = torch.Generator().manual_seed(0)
    *qkv, grad = torch.randn(4, 256, 4, n, 16, generator=generator).unbind(0)
    lengths = torch.randint(1, n + 1, (256,), generator=generator)
    mask = torch.ones(n, n, dtype=torch.bool).tril() & (torch.arange(n) < lengths[:, None, None, None])
    attend = functools.partial(lib.attention, causal=True, lengths=lengths)
    return gradients(attend, lambda q, k, v: sdpa(q, k, v, mask), qkv, grad)


def lse(n):
    q, k, v = inputs(n)
    return Pair(
        lambda: lib.attention_with_lse(q, k, v)[0],
        lambda: lib.attention(q, k, v),
        same,
        copy=copying(q, k, v),
    )


def dropping(n):
    """Both draw what they drop after the same seed."""
    *qkv, grad = torch.randn(4, 8, HEADS, n, WIDTH, generator=torch.Generator().manual_seed(0)).unbind(0)

    def seeded(attend):
        return lambda *qkv: torch.manual_seed(0) and attend(*qkv)

    ours = functools.partial(lib.attention, causal=True, dropout=0.1)
    peer = functools.partial(sdpa, is_causal=True, dropout_p=0.1)
    return gradients(seeded(ours), seeded(peer), qkv, grad)


def gradients(ours, peer, qkv, grad):
    """The gradients of q, k and v on both sides."""
    leaves = [x.detach().requires_grad_() for x in qkv]

    def check(found, right):
        for one, other in zip(found, right, strict=True):
            same(one, other)

    return Pair(
        lambda: torch.autograd.grad(ours(*leaves), leaves, grad),
        lambda: torch.autograd.grad(peer(*leaves), leaves, grad),
        check,
        copy=copying(*qkv, grad),
    )


def package(alpha, n):
    q, k, v = inputs(n)
    mode = best_mode(alpha, scores(q, k))
    return Pair(lambda: by_lib(alpha, q, k, v), lambda: mode(scores(q, k)) @ v, same, copy=copying(q, k, v))


def stored(weights, n):
    q, k, v = inputs(n)
    weigh = MAPS[weights]
    return Pair(
        lambda: lib.attention(q, k, v, weights=weights),
        lambda: weigh(scores(q, k)) @ v,
        same,
        copy=copying(q, k, v),
    )


# ---- the same in plain torch, all scores held


def scores(q, k):
    return q @ k.mT * WIDTH**-0.5


def by_package(alpha, q, k, v):
    x = scores(q, k)
    return best_mode(alpha, x.detach())(x) @ v


def sigmoid_weights(x):
    return torch.sigmoid(x - math.log(x.shape[-1]))


def relu_norm(x):
    weights = x.relu()
    return weights / weights.sum(-1, keepdim=True)


def softmax_plus_one(x):
    top = x.amax(-1, keepdim=True).clamp(min=0)
    weights = torch.exp(x - top)
    return weights / (weights.sum(-1, keepdim=True) + torch.exp(-top))


MAPS = {f.__name__: f for f in (sigmoid_weights, relu_norm, softmax_plus_one)}


# ---- results too large to be computed in full are compared in part


def some_rows(x):
    return x[..., :: max(1, x.shape[-2] // ROWS), :]


def same_in_some_rows(ours, right):
    same(some_rows(ours), right)
