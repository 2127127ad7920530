"""What is asked for on a device is computed there: nothing is made on the CPU and carried over.

Torch's meta device has shapes, dtypes and no values. Whoever mixes it with the CPU gets an error, as on a GPU, and
it is there on every machine.
"""

import sys

import array_api_strict
import pytest
from maps import DENSE, FUNCTIONS
from needs_torch import torch

import lib
from lib import attention, linear_attention, objectives

HALF = torch.bfloat16  # which is computed in float32 and comes back


def meta(*shape, dtype=HALF):
    return torch.ones(shape, dtype=dtype, device="meta")


def stays(result, shape, dtype=HALF):
    assert (result.device.type, tuple(result.shape), result.dtype) == ("meta", shape, dtype)


@pytest.fixture(autouse=True)
def two_steps(monkeypatch):
    """A search that can read no values takes all its steps, for seconds: two are as good here."""
    for module in (sys.modules["lib.entmax"], objectives):
        monkeypatch.setattr(module, "range", lambda *_: range(2), raising=False)


@pytest.mark.parametrize("f", [*FUNCTIONS, lib.log_softmax], ids=lambda f: f.__name__)
def test_rows_of_weights_stay(f):
    s, prior, where = meta(2, 5), meta(5), meta(2, 5) > 0
    stays(f(s), (2, 5))
    stays(f(s, beta=0.7, where=where), (2, 5))
    if f not in DENSE:
        stays(f(s, beta=meta(2, 1), prior=prior, where=where), (2, 5))


def test_rows_of_weights_stay_with_arguments_that_not_all_maps_have():
    s, prior = meta(2, 5), meta(5)
    stays(lib.entmax(s, alpha=meta(2, 1), prior=prior), (2, 5))
    stays(lib.sigmoid_weights(s, bias=prior), (2, 5))


def test_numbers_of_rows_stay():
    s, prior, where = meta(2, 5), meta(5), meta(2, 5) > 0
    stays(lib.kl_divergence(s, prior), (2,))
    stays(lib.entropy(s), (2,))
    stays(lib.effective_count(s), (2,))
    stays(lib.log_partition(s, 0.3, prior=prior, where=where), (2,))
    stays(lib.objective(s, s, 0.7, prior=prior, where=where), (2,))
    stays(lib.attention_distance(meta(2, 3, 5)), (2, 3))
    stays(lib.attention_distance(meta(2, 3, 5), offset=meta(2, dtype=torch.int64)), (2, 3))


def test_the_beta_of_a_budget_stays():
    s, prior, where = meta(2, 5), meta(5), meta(2, 5) > 0
    for budget in (0.1, meta(2)):
        stays(lib.beta_for_kl(s, budget, prior=prior, where=where), (2,))


def test_gradients_stay():
    w = meta(2, 5)
    beta = meta(2, 1)
    stays(lib.softmax_jacobian(w, beta), (2, 5, 5))
    for f in (lib.softmax_vjp, lib.sparsemax_vjp, lib.entmax_vjp):
        stays(f(w, w, beta), (2, 5))
    stays(lib.entmax_vjp(w, w, alpha=meta(2, 1)), (2, 5))


def test_masks_stay():
    like, lengths = meta(2), meta(2, dtype=torch.int64)
    stays(lib.causal_mask(3, 5, like=like), (3, 5), torch.bool)
    stays(lib.causal_mask(3, 5, offset=lengths), (2, 3, 5), torch.bool)
    stays(lib.window_mask(3, 5, window=2, like=like), (3, 5), torch.bool)
    stays(lib.padding_mask(lengths, 5), (2, 1, 5), torch.bool)


def test_attention_stays():
    q, k, v = (meta(2, 4, n, d) for n, d in ((3, 6), (5, 6), (5, 7)))
    lengths = meta(2, dtype=torch.int64)
    for options in (
        {},
        {"causal": True},
        {"window": 2, "lengths": lengths, "offset": 2},
        {"where": meta(3, 5) > 0},
    ):
        stays(attention(q, k, v, **options), (2, 4, 3, 7))
        output, weights = attention(q, k, v, return_weights=True, **options)
        stays(output, (2, 4, 3, 7))
        stays(weights, (2, 4, 3, 5))
    output, lse = lib.attention_with_lse(q, k, v, causal=True)
    stays(output, (2, 4, 3, 7))
    merged, _ = lib.merge_attention([output, output], [lse, lse])
    stays(merged, (2, 4, 3, 7))


def test_dropout_stays():
    q, k, v = (meta(2, 4, n, 6) for n in (3, 5, 5))
    stays(attention(q, k, v, dropout=0.1, path="readable"), (2, 4, 3, 6))
    there = array_api_strict.Device("device1")
    q, k, v = (array_api_strict.ones((n, 6), device=there) for n in (3, 5, 5))
    assert attention(q, k, v, dropout=0.1).device == there


def test_linear_attention_stays():
    q, k, v = (meta(2, n, d) for n, d in ((130, 6), (200, 6), (200, 7)))
    for options in ({}, {"causal": True}, {"causal": True, "lengths": meta(2, dtype=torch.int64)}):
        stays(linear_attention(q, k, v, **options), (2, 130, 7))
