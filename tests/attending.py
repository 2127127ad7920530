"""What the tests of attention share: the definition in slow loops, and the ways to ask `attention` for it."""

import math

import numpy as np
import pytest
import torch
from conftest import EPS, Backend, torch_devices

from lib import attention


class Lane:
    """One library, dtype and path through `attention`: NumPy arrays go in, float64 NumPy arrays come out."""

    def __init__(self, library, path, dtype="float64"):
        self.xp, self.path = Backend(library, dtype), path

    def __repr__(self):
        return f"{self.xp}-{self.path}"

    def given(self, x):
        """A NumPy array as an array of this lane's library; anything else as it is."""
        return self.xp.asarray(x) if isinstance(x, np.ndarray) else x

    def raw(self, q, k, v, **options):
        options = {name: self.given(x) for name, x in options.items()}
        return attention(*map(self.given, (q, k, v)), path=self.path, **options)

    def __call__(self, q, k, v, **options):
        return self.xp.to_numpy(self.raw(q, k, v, **options))

    def gradients(self, q, k, v, seed=7, **options):
        """The output, and the gradients of a random combination of it in q, k, v and every float option."""
        floats = {"q": q, "k": k, "v": v} | {
            name: x for name, x in options.items() if isinstance(x, np.ndarray) and x.dtype.kind == "f"
        }
        leaves = {name: self.given(np.array(x)).requires_grad_() for name, x in floats.items()}
        rest = {name: self.given(x) for name, x in options.items() if name not in leaves}
        output = attention(path=self.path, **leaves, **rest)
        direction = np.random.default_rng(seed).normal(size=tuple(output.shape))
        grads = torch.autograd.grad(output, list(leaves.values()), self.given(direction))
        return self.xp.to_numpy(output), dict(zip(leaves, map(self.xp.to_numpy, grads), strict=True))


TORCH = [(library, path) for library in torch_devices() for path in ("readable", "fused", "auto")]
WAYS = [("numpy", "auto"), ("strict", "readable"), *TORCH]
LACKING = {"numpy": ["bfloat16"], "strict": ["float16", "bfloat16"]}
WAYS_AND_DTYPES = [(*way, dtype) for way in WAYS for dtype in EPS if dtype not in LACKING.get(way[0], [])]

every_lane = pytest.mark.parametrize("lane", [Lane(*way) for way in WAYS], ids=repr)
every_torch_lane = pytest.mark.parametrize("lane", [Lane(*way) for way in TORCH], ids=repr)
every_lane_and_dtype = pytest.mark.parametrize("lane", [Lane(*way) for way in WAYS_AND_DTYPES], ids=repr)


def random(*shapes, seed=0):
    """Normal arrays of the given shapes."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


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
