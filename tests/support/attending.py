"""What the tests of attention share: the definition in slow loops, and the ways to ask `attention` for it."""

import functools
import math

import numpy as np
import pytest
from backends import EPS, LACKING, Backend, torch_devices
from maps import NAMES
from optional_torch import ALONE, torch

from lib import attention


class Lane:
    """One library, dtype and path through `attention`: NumPy arrays go in, float64 NumPy arrays come out."""

    def __init__(self, library, path, dtype="float64", **always):
        self.xp, self.path, self.always = Backend(library, dtype), path, {"path": path} | always

    def __repr__(self):
        return "-".join(map(str, (self.xp, *self.always.values())))

    def given(self, x):
        """A NumPy array as an array of this lane's library; anything else as it is."""
        return self.xp.asarray(x) if isinstance(x, np.ndarray) else x

    def raw(self, q, k, v, **options):
        options = {name: self.given(x) for name, x in options.items()}
        return attention(*map(self.given, (q, k, v)), **self.always, **options)

    def __call__(self, q, k, v, **options):
        return self.xp.to_numpy(self.raw(q, k, v, **options))

    def gradients(self, q, k, v, seed=7, **options):
        """The output, and the gradients of a random combination of it in q, k, v and every float option."""
        floats = {"q": q, "k": k, "v": v} | {
            name: x for name, x in options.items() if isinstance(x, np.ndarray) and x.dtype.kind == "f"
        }
        leaves = {name: self.given(np.array(x)).requires_grad_() for name, x in floats.items()}
        rest = {name: self.given(x) for name, x in options.items() if name not in leaves}
        output = attention(**self.always, **leaves, **rest)
        direction = np.random.default_rng(seed).normal(size=tuple(output.shape))
        grads = torch.autograd.grad(output, list(leaves.values()), self.given(direction))
        return self.xp.to_numpy(output), dict(zip(leaves, map(self.xp.to_numpy, grads), strict=True))


PATHS = ("auto", "fused", "blocks", "readable")
TORCH = [(library, path) for library in torch_devices() for path in ("readable", "fused", "auto")]
WAYS = [("numpy", "auto"), ("strict", "readable"), *TORCH]
WAYS_AND_DTYPES = [(*way, dtype) for way in WAYS for dtype in EPS if dtype not in LACKING.get(way[0], [])]

every_lane = pytest.mark.parametrize("lane", [Lane(*way) for way in WAYS], ids=repr)
ENTMAX = [] if ALONE else [Lane(library, "fused", weights="entmax") for library in ("numpy", "torch-cpu")]
every_lane_and_entmax = pytest.mark.parametrize("lane", [*(Lane(*way) for way in WAYS), *ENTMAX], ids=repr)
torch_lanes_and_entmax = pytest.mark.parametrize("lane", [*(Lane(*way) for way in TORCH), *ENTMAX[1:]], ids=repr)
SOME_WAYS = [("numpy", "auto"), ("strict", "auto"), ("torch-cpu", "readable"), ("torch-cpu", "auto")]
every_way = pytest.mark.parametrize("lane", [Lane(*way) for way in SOME_WAYS], ids=repr)  # that gives its weights
every_torch_lane = pytest.mark.parametrize("lane", [Lane(*way) for way in TORCH], ids=repr)
every_lane_and_dtype = pytest.mark.parametrize("lane", [Lane(*way) for way in WAYS_AND_DTYPES], ids=repr)


def random(*shapes, seed=0):
    """Normal arrays of the given shapes."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def tensors(*shapes, seed=0, wanted=False):
    """The same as tensors, which want a gradient or not."""
    return [torch.tensor(x, requires_grad=wanted) for x in random(*shapes, seed=seed)]


def who_sees_whom(n_q, n_k, *, causal=False, window=None, length=None, offset=None):
    """The masks of one batch item, read off their definitions one entry at a time."""
    start = n_k - n_q if offset is None else offset
    sees = np.ones((n_q, n_k), dtype=bool)
    for i, j in np.ndindex(n_q, n_k):
        behind = start + i - j  # how many tokens the key lies behind the query
        if (causal or window is not None) and behind < 0:
            sees[i, j] = False
        if window is not None and behind >= window:
            sees[i, j] = False
        if length is not None and j >= length:
            sees[i, j] = False
    return sees


def loops(q, k, v, beta, sees, log_prior):
    """Output and weights from the definition, in Python floats: (H, n_q, d), (h, n_k, d), (h, n_k, d_v)."""
    heads, n_q, _ = q.shape
    n_k, group = k.shape[1], heads // k.shape[0]
    weights, output = np.zeros((heads, n_q, n_k)), np.zeros((heads, n_q, v.shape[2]))
    for h, i in np.ndindex(heads, n_q):
        seen = [j for j in range(n_k) if sees[h, i, j] and log_prior[h, i, j] > -math.inf]
        if not seen:
            continue
        scores = [math.fsum(a * b for a, b in zip(q[h, i], k[h // group, j], strict=True)) for j in seen]
        energies = [beta * s + log_prior[h, i, j] for s, j in zip(scores, seen, strict=True)]
        powers = [math.exp(e - max(energies)) for e in energies]
        for j, power in zip(seen, powers, strict=True):
            weights[h, i, j] = power / math.fsum(powers)
            output[h, i] += weights[h, i, j] * v[h // group, j]
    return output, weights


def close(lane, actual, expected, scale=1):
    np.testing.assert_allclose(actual, expected, rtol=lane.xp.tol * scale, atol=lane.xp.tol * scale)


@functools.cache
def case(seed):
    """Arguments drawn at random from everything `attention` takes, and the output and weights by loops."""
    rng = np.random.default_rng(seed)
    heads, shared, n_q, n_k, d, d_v = [
        (3, 3, 5, 7, 2, 11),
        (6, 3, 7, 5, 2, 2),
        (6, 2, 2, 11, 3, 1),
        (2, 1, 7, 7, 5, 3),
    ][seed % 4]
    batch = 2 + seed % 2
    q, k, v = random((batch, heads, n_q, d), (batch, shared, n_k, d), (batch, shared, n_k, d_v), seed=seed)
    offset = [None, 0, -2, 3, rng.integers(-3, n_k, size=batch)][rng.integers(5)]
    lengths = rng.integers(0, n_k + 1, size=batch) if rng.random() < 0.5 else None
    offset = n_k - n_q if offset is None and lengths is not None else offset
    rule = {"causal": rng.random() < 0.5, "window": [None, None, 1, 3][rng.integers(4)]}
    where = rng.random((batch, 1, n_q, n_k)) < 0.7 if rng.random() < 0.4 else np.ones((1, 1), dtype=bool)
    shape = [None, None, (n_k,), (heads, 1, n_k), (batch, 1, 1, n_k), (n_q, n_k), (n_q, 1)][rng.integers(7)]
    log_prior = np.zeros((1, 1)) if shape is None else rng.normal(size=shape)
    beta = [0.7, -0.5, 0.0, rng.normal(size=(heads, 1, 1)), rng.normal(size=(batch, 1, n_q, 1))][rng.integers(5)]

    starts = np.broadcast_to(n_k - n_q if offset is None else offset, (batch,))
    rules = [
        who_sees_whom(n_q, n_k, **rule, offset=start, length=n_k if lengths is None else lengths[b])
        for b, start in enumerate(starts)
    ]
    full = (batch, heads, n_q, n_k)
    sees = np.broadcast_to(np.stack(rules)[:, None] & where, full)
    bias, rates = np.broadcast_to(log_prior, full), np.broadcast_to(beta, (batch, heads, n_q, 1))
    # one β for each query: a query scaled by its β, with β = 1
    items = [loops(q[b] * rates[b], k[b], v[b], 1.0, sees[b], bias[b]) for b in range(batch)]
    options = {"beta": beta, "lengths": lengths, "offset": offset, **rule}
    if where.size > 1:
        options["where"] = where
    if shape is not None:
        options |= {"prior": np.exp(log_prior)} if rng.random() < 0.5 else {"log_prior": log_prior}
    return (q, k, v), options, *(np.stack(x) for x in zip(*items, strict=True))


MAPS = {name: (name, {}) for name in NAMES} | {
    "entmax 1.3": ("entmax", {"alpha": 1.3}),
    "entmax, an alpha for each head": ("entmax", {"alpha": np.array([1.0, 1.5, 2.0]).reshape(3, 1, 1)}),
    "softmax_plus_one, a sink for each head": (
        "softmax_plus_one",
        {"sink": np.array([-1.0, 0.4, 2.0]).reshape(3, 1, 1)},
    ),
}


every_map = pytest.mark.parametrize("name", MAPS)


def with_gradients(arrays, path, seed=7, **options):
    """The output, and the gradient of a random combination of it in q, k and v, by torch."""
    leaves = [torch.tensor(x, requires_grad=True) for x in arrays]
    options = {name: torch.tensor(x) if isinstance(x, np.ndarray) else x for name, x in options.items()}
    output = attention(*leaves, path=path, **options)
    direction = torch.tensor(np.random.default_rng(seed).normal(size=tuple(output.shape)), dtype=output.dtype)
    return [x.detach().numpy() for x in (output, *torch.autograd.grad(output, leaves, direction))]


def all_close(actual, expected, tol=1e-12):
    for a, b in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=tol, atol=tol)


def is_readable_too(arrays, path="fused", tol=1e-12, **options):
    """Output and gradients by one path are those of the readable one."""
    all_close(with_gradients(arrays, path, **options), with_gradients(arrays, "readable", **options), tol)


def same(actual, expected, tol=1e-13):
    """Two tensors, or two sequences of tensors, are equal to rounding."""
    torch.testing.assert_close(actual, expected, rtol=tol, atol=tol)


def same_with_gradients(attend, inputs, tol=1e-13):
    """`attend(path)` and its gradients in `inputs` are by torch's kernel what they are as defined."""
    outputs = [attend(path) for path in ("fused", "readable")]
    same(*((x, *torch.autograd.grad(x.sin().sum(), inputs)) for x in outputs), tol)
