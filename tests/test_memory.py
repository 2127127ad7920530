"""No path but the readable one holds all the weights, forward or backward: counted in bytes."""

from pathlib import Path

import numpy as np
import pytest
import torch

from bench.measure import added
from lib import attention

N, HEADS = 3072, 2
WEIGHTS = HEADS * N * N * 4 / 2**20  # MB
WAYS = {
    "softmax": {},
    "causal softmax": {"causal": True},
    "window": {"window": 256},
    "padding": {"lengths": torch.tensor([2000])},
    "prior": {"causal": True, "prior": torch.linspace(1, 2, N)},
    "sparsemax": {"weights": "sparsemax"},
    "causal entmax": {"weights": "entmax", "causal": True, "prior": torch.linspace(1, 2, N)},
    "entmax with a mask": {"weights": "entmax", "alpha": 1.3, "where": torch.arange(N) % 2 > 0},
    "sigmoid": {"weights": "sigmoid_weights"},
    "softmax plus one": {"weights": "softmax_plus_one"},
    "relu": {"weights": "relu_norm", "lengths": torch.tensor([2000])},
}

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="memory is read from Linux's /proc"
)


@pytest.fixture(scope="module")
def arrays():
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(1, HEADS, N, 8, generator=generator) for _ in range(3)]


@pytest.fixture(scope="module", autouse=True)
def loaded(arrays):
    """What is loaded and compiled once is not counted."""
    few = [x[..., :300, :].clone().requires_grad_() for x in arrays]
    for options in ({}, {"path": "blocks"}, {"weights": "entmax"}, {"weights": "entmax", "causal": True}):
        attention(*few, **options).sum().backward()


@pytest.mark.parametrize("name", WAYS)
def test_attention_holds_half_of_the_weights_at_most(name, arrays):
    assert added(lambda: attention(*arrays, **WAYS[name])) < WEIGHTS / 2


@pytest.mark.parametrize("name", ["softmax", "sparsemax", "causal entmax", "sigmoid"])
def test_and_so_does_its_gradient(name, arrays):
    leaves = [x.clone().requires_grad_() for x in arrays]
    assert added(lambda: torch.autograd.grad(attention(*leaves, **WAYS[name]).sum(), leaves)) < WEIGHTS / 2


def test_the_readable_path_does_hold_them(arrays):
    assert added(lambda: attention(*arrays, path="readable")) > WEIGHTS


@pytest.mark.parametrize("name", ["softmax", "entmax"])
def test_numpy_arrays_too(name, arrays):
    q, k, v = (x.numpy() for x in arrays)
    assert added(lambda: attention(q, k, v, weights=name, causal=True, prior=np.ones(N))) < WEIGHTS / 2
