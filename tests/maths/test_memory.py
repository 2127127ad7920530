"""No path but the readable one holds all the weights, forward or backward: counted in bytes."""

import functools
from pathlib import Path

import numpy as np
import pytest
from needs_torch import torch

from bench.measure import added
from lib import attention, attention_with_lse

N, HEADS = 3072, 2
WEIGHTS = HEADS * N * N * 4 / 2**20  # MB
MORE = WEIGHTS * (4 / 3) ** 2  # of `longer`
WAYS = {  # the options for n keys
    "softmax": lambda n: {},
    "causal softmax": lambda n: {"causal": True},
    "window": lambda n: {"window": n // 12},
    "padding": lambda n: {"lengths": torch.tensor([n * 2 // 3])},
    "prior": lambda n: {"causal": True, "prior": torch.linspace(1, 2, n)},
    "causal entmax": lambda n: {"weights": "entmax", "causal": True, "prior": torch.linspace(1, 2, n)},
    "entmax with a mask": lambda n: {"weights": "entmax", "alpha": 1.3, "where": torch.arange(n) % 2 > 0},
    "relu": lambda n: {"weights": "relu_norm", "lengths": torch.tensor([n * 2 // 3])},
}

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="memory is read from Linux's /proc"
)


@pytest.fixture(scope="module")
def arrays():
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(1, HEADS, N, 8, generator=generator) for _ in range(3)]


@pytest.fixture(scope="module")
def longer(arrays):
    """A third more keys and queries: blocks take no more, but in some processes more than half of 72 MB."""
    return [torch.cat([x, x[..., : N // 3, :]], dim=-2) for x in arrays]


def extra(call, arrays):
    """The memory in MB that a call adds: the less of two calls, since some of the first one's stays.

    What is loaded, compiled or started once (code, threads, pools of memory) is not the call's.
    """
    call(*(x[..., :300, :].copy() if isinstance(x, np.ndarray) else x[..., :300, :].clone() for x in arrays))
    return min(added(lambda: call(*arrays)) for _ in range(2))


@pytest.mark.parametrize("name", WAYS)
def test_attention_holds_half_of_the_weights_at_most(name, arrays):
    assert extra(lambda q, k, v: attention(q, k, v, **WAYS[name](k.shape[-2])), arrays) < WEIGHTS / 2


@pytest.mark.parametrize("name", ["softmax", "causal entmax", "relu"])
def test_the_gradient_of_attention_holds_half_of_the_weights_at_most(name, longer):
    def gradients(*leaves):
        leaves = [x.detach().requires_grad_() for x in leaves]
        return torch.autograd.grad(attention(*leaves, **WAYS[name](leaves[1].shape[-2])).sum(), leaves)

    assert extra(gradients, longer) < MORE / 2


def test_attention_with_lse_holds_half_of_the_weights_at_most(longer):
    def both(*leaves, path):
        return attention_with_lse(*leaves, path=path, **WAYS["prior"](leaves[1].shape[-2]))

    def gradients(*leaves):
        leaves = [x.detach().requires_grad_() for x in leaves]
        return torch.autograd.grad([x.sum() for x in both(*leaves, path="fused")], leaves)

    assert extra(gradients, longer) < MORE / 2
    assert extra(functools.partial(both, path="blocks"), longer) < MORE / 2
