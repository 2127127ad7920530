"""What is asked for on a device is computed there: nothing is made on the CPU and carried over.

Torch's meta device has shapes, dtypes and no values. Whoever mixes it with the CPU gets an error, as on a GPU, and
it is there on every machine.
"""

import pytest
import torch

import lib
from lib import attention, linear_attention

DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
MAPS = [
    lib.softmax,
    lib.log_softmax,
    lib.sparsemax,
    lib.entmax,
    lib.relu_norm,
    lib.sigmoid_weights,
    lib.softmax_plus_one,
]
TAKES_NO_PRIOR = (lib.relu_norm, lib.sigmoid_weights, lib.softmax_plus_one)


def meta(*shape, dtype=torch.float32):
    return torch.ones(shape, dtype=dtype, device="meta")


def stays(result, shape, dtype=torch.float32):
    assert (result.device.type, tuple(result.shape), result.dtype) == ("meta", shape, dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_of_weights_stay(dtype):
    s, prior, where = meta(2, 5, dtype=dtype), meta(5, dtype=dtype), meta(2, 5) > 0
    for f in MAPS:
        stays(f(s), (2, 5), dtype)
        stays(f(s, beta=0.7, where=where), (2, 5), dtype)
        if f not in TAKES_NO_PRIOR:
            stays(f(s, beta=meta(2, 1, dtype=dtype), prior=prior, where=where), (2, 5), dtype)
    stays(lib.log_partition(s, 0.3, prior=prior, where=where), (2,), dtype)
    stays(lib.entmax(s, meta(2, 1, dtype=dtype), prior=prior), (2, 5), dtype)
    stays(lib.sigmoid_weights(s, bias=prior), (2, 5), dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_numbers_of_rows_stay(dtype):
    s, prior, where = meta(2, 5, dtype=dtype), meta(5, dtype=dtype), meta(2, 5) > 0
    stays(lib.kl_divergence(s, prior), (2,), dtype)
    stays(lib.entropy(s), (2,), dtype)
    stays(lib.effective_count(s), (2,), dtype)
    stays(lib.objective(s, s, 0.7, prior=prior, where=where), (2,), dtype)
    stays(lib.beta_for_kl(s, 0.1, prior=prior, where=where), (2,), dtype)
    stays(lib.attention_distance(meta(2, 3, 5, dtype=dtype)), (2, 3), dtype)
    stays(lib.attention_distance(meta(2, 3, 5, dtype=dtype), offset=meta(2, dtype=torch.int64)), (2, 3), dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_gradients_stay(dtype):
    w = meta(2, 5, dtype=dtype)
    stays(lib.softmax_jacobian(w), (2, 5, 5), dtype)
    for f in (lib.softmax_vjp, lib.sparsemax_vjp, lib.entmax_vjp):
        stays(f(w, w), (2, 5), dtype)


def test_masks_stay():
    like, lengths = meta(2), meta(2, dtype=torch.int64)
    stays(lib.causal_mask(3, 5, like=like), (3, 5), torch.bool)
    stays(lib.causal_mask(3, 5, offset=lengths), (2, 3, 5), torch.bool)
    stays(lib.window_mask(3, 5, window=2, like=like), (3, 5), torch.bool)
    stays(lib.padding_mask(lengths, 5), (2, 1, 5), torch.bool)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_attention_stays(dtype):
    q, k, v = (meta(2, 4, n, d, dtype=dtype) for n, d in ((3, 6), (5, 6), (5, 7)))
    lengths = meta(2, dtype=torch.int64)
    for options in ({}, {"causal": True}, {"window": 2, "lengths": lengths}, {"where": meta(3, 5) > 0}):
        stays(attention(q, k, v, **options), (2, 4, 3, 7), dtype)
        output, weights = attention(q, k, v, return_weights=True, **options)
        stays(output, (2, 4, 3, 7), dtype)
        stays(weights, (2, 4, 3, 5), dtype)
    output, lse = lib.attention_with_lse(q, k, v, causal=True)
    stays(output, (2, 4, 3, 7), dtype)
    merged, _ = lib.merge_attention([output, output], [lse, lse])
    stays(merged, (2, 4, 3, 7), dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_linear_attention_stays(dtype):
    q, k, v = (meta(2, n, d, dtype=dtype) for n, d in ((130, 6), (200, 6), (200, 7)))
    for options in ({}, {"causal": True}, {"causal": True, "lengths": meta(2, dtype=torch.int64)}):
        stays(linear_attention(q, k, v, **options), (2, 130, 7), dtype)
