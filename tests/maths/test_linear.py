"""Linear attention is attention by the weights φ(q)·φ(k), causal without a seam, in memory linear in n."""

import numpy as np
import pytest
from attending import random, same, tensors
from exactness import distance
from hypothesis import given
from hypothesis import strategies as st
from optional_torch import torch

from lib import attention, linear_attention, padding_mask
from lib.linear import CHUNK, elu1


def shares(scores, beta, where=None, axis=-1):
    """Scores over their sum: what turns `attention` on features into linear attention."""
    kept = scores if where is None else scores * where
    total = kept.sum(-1, keepdims=True)
    return kept / (total + (total == 0))


def quadratic(q, k, v, feature_map=elu1, **options):
    """The same by all the weights, from the readable path of `attention`."""
    offset = k.shape[-2] - q.shape[-2]  # also where `lengths` are given
    return attention(feature_map(q), feature_map(k), v, weights=shares, offset=offset, **options)


# ---- the definition


def test_linear_attention_is_within_a_few_roundings_of_50_digits(xp, golden):
    for name, row in golden["attention"].items():
        q, k, v = (xp.asarray(np.asarray(row[x])) for x in "qkv")
        output = xp.to_numpy(linear_attention(q, k, v, causal=True))
        assert distance(output, row["linear"]) <= 8 * len(row["k"]) * xp.eps * np.abs(row["v"]).max(), name


def test_the_feature_map_is_elu_plus_one():
    x = torch.tensor([-800.0, -3.0, -1e-20, 0.0, 1e-20, 0.5, 7.0], dtype=torch.float64, requires_grad=True)
    np.testing.assert_allclose(elu1(x).detach(), (torch.nn.functional.elu(x) + 1).tolist(), rtol=1e-15, atol=1e-15)
    (slope,) = torch.autograd.grad(elu1(x).sum(), x)
    np.testing.assert_allclose(slope, x.detach().clip(max=0).exp().tolist(), rtol=1e-15)


@given(
    st.integers(0, 5),
    st.integers(0, 7),
    st.integers(1, 3),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_linear_attention_is_attention_by_the_features_for_any_shape(n_q, n_k, d, d_v, causal, seed):
    q, k, v = random((2, 3, n_q, d), (2, 3, n_k, d), (2, 3, n_k, d_v), seed=seed)
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, n_k + 1, 2) if seed % 2 else None
    where = rng.random((2, 1, n_k)) < 0.6 if seed % 3 else None
    rows = None if where is None else where[..., None, :]
    expected = quadratic(q, k, v, causal=causal, lengths=lengths, where=rows)
    got = linear_attention(q, k, v, causal=causal, lengths=lengths, where=where)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


def test_chunks_of_causal_linear_attention_have_no_seam(xp):
    for n_q, n_k in ((281, 281), (131, 307), (307, 131), (1, 263), (CHUNK, CHUNK), (257, 128)):
        q, k, v = random((n_q, 3), (n_k, 3), (n_k, 2))
        lengths, where = np.array([n_k - 2, 0]), np.random.default_rng(0).random(n_k) < 0.7
        for options in ({}, {"where": where}, {"lengths": lengths}):
            arrays = [np.stack([x, -x]) if "lengths" in options else x for x in (q, k, v)]
            made = {name: xp.asarray(x) for name, x in options.items()}
            got = xp.to_numpy(linear_attention(*map(xp.asarray, arrays), causal=True, **made))
            want = quadratic(*arrays, causal=True, **options)
            np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12, err_msg=f"{n_q} {n_k} {options}")


def test_in_linear_attention_grouped_heads_are_repeated_heads(xp):
    q, k, v = random((2, 6, 5, 2), (2, 3, 7, 2), (2, 2, 7, 11))
    repeated = q, np.repeat(k, 2, axis=1), np.repeat(v, 3, axis=1)
    for causal in (False, True):
        got = linear_attention(*map(xp.asarray, (q, k, v)), causal=causal)
        np.testing.assert_allclose(xp.to_numpy(got), quadratic(*repeated, causal=causal), rtol=1e-12, atol=1e-12)
        got = linear_attention(*map(xp.asarray, (q[0, 0], k, v[:, :1])), causal=causal)
        expected = quadratic(np.broadcast_to(q[0, 0], (2, 3, 5, 2)), k, v[:, :1], causal=causal)
        np.testing.assert_allclose(xp.to_numpy(got), expected, rtol=1e-12, atol=1e-12)


def test_any_callable_may_be_the_feature_map_of_linear_attention(xp):
    """It may widen: the squares of all pairs of entries give the squares of the scores."""
    q, k, v = map(xp.asarray, random((2, 5, 3), (2, 7, 3), (2, 7, 2)))

    def pairs(x):
        return xp.reshape(x[..., None] * x[..., None, :], (*x.shape[:-1], 9))

    squares = xp.to_numpy(q @ xp.matrix_transpose(k)) ** 2
    expected = squares / squares.sum(-1, keepdims=True) @ xp.to_numpy(v)
    got = xp.to_numpy(linear_attention(q, k, v, feature_map=pairs))
    np.testing.assert_allclose(got, expected, rtol=1e-11)


def test_padding_mask_fits_linear_attention_as_it_is_with_heads_and_without(xp):
    q, k, v = map(xp.asarray, random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11)))
    lengths = xp.asarray(np.array([4, 6]))
    for at in (slice(None), 0):
        arrays = [x[:, at, ...] for x in (q, k, v)]
        expected = xp.to_numpy(linear_attention(*arrays, lengths=lengths))
        masks = [padding_mask(lengths, 7)] + ([padding_mask(lengths[:, None], 7)] if at == slice(None) else [])
        for mask in masks:
            np.testing.assert_array_equal(xp.to_numpy(linear_attention(*arrays, where=mask)), expected)
    rows = padding_mask(lengths, 7)[:, 0, :]  # (batch, n_k)
    np.testing.assert_array_equal(xp.to_numpy(linear_attention(*arrays, where=rows)), expected)


def test_queries_with_nothing_to_attend_to_get_zeros_from_linear_attention(xp):
    """Also where there are no keys, and where features are orthogonal to all others."""
    q, k, v = map(xp.asarray, random((3, 5, 2), (3, 7, 2), (3, 7, 11)))
    for causal in (False, True):
        assert not xp.to_numpy(linear_attention(q, k[:, :0, :], v[:, :0, :], causal=causal)).any()
        assert linear_attention(q[:, :0, :], k, v, causal=causal).shape == (3, 0, 11)
    early = xp.to_numpy(linear_attention(q, k[:, :3, :], v[:, :3, :], causal=True))
    assert (early[:, :2] == 0).all()
    assert (early[:, 2:] != 0).all()
    step = linear_attention(q, k, v, feature_map=lambda x: xp.maximum(x, 0 * x) * xp.asarray([1.0, 0.0]))
    blind = xp.to_numpy(q)[..., 0] <= 0
    assert 0 < blind.sum() < 15
    np.testing.assert_array_equal((xp.to_numpy(step) == 0).all(-1), blind)


@pytest.mark.parametrize("widest", [0, 1, 2], ids=["q", "k", "v"])
def test_whichever_is_widest_a_row_of_keys_is_for_all_queries_of_linear_attention(widest):
    shapes = [(5, 4), (7, 4), (7, 6)]
    arrays = random(*[(2, 3, *shape) if at == widest else shape for at, shape in enumerate(shapes)])
    where = np.random.default_rng(0).random((3, 7)) < 0.6
    got = linear_attention(*arrays, where=where)
    for head in range(3):
        of_head = [x[:, head] if x.ndim == 4 else x for x in arrays]
        np.testing.assert_allclose(got[:, head], linear_attention(*of_head, where=where[head]), rtol=1e-12)
    np.testing.assert_array_equal(linear_attention(*arrays, where=where[None, :, None]), got)
    np.testing.assert_allclose(linear_attention(*arrays, where=np.array([True])), linear_attention(*arrays))
    assert not linear_attention(*arrays, where=np.array([False])).any()


# ---- derivatives


@pytest.mark.parametrize("causal", [False, True])
def test_derivatives_of_linear_attention_are_those_of_the_quadratic_form(causal):
    q, k, v = tensors((2, 131, 2), (2, 139, 2), (2, 139, 3), wanted=True)
    for options in ({}, {"lengths": torch.tensor([137, 0])}):
        both = [f(q, k, v, causal=causal, **options).sin().sum() for f in (linear_attention, quadratic)]
        grads = [torch.autograd.grad(total, (q, k, v)) for total in both]
        same(*grads, 1e-11)
        assert not options or not any(x[1].any() for x in grads[0])


def test_memory_of_linear_attention_grows_with_n_not_with_its_square():
    """Nothing is larger than the scores of each query within its own block, forward or backward."""
    n, largest = 1021, []

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            out = function(*args, **(kwargs or {}))
            largest.append(
                max((x.numel() for x in torch.utils._pytree.tree_leaves(out) if torch.is_tensor(x)), default=0)
            )
            return out

    q, k, v = tensors((n, 5), (n, 5), (n, 3), wanted=True)
    with Watch():
        linear_attention(
            q, k, v, causal=True, lengths=None, where=torch.ones(n, dtype=torch.bool)
        ).sum().backward()
    assert n * 5 <= max(largest) <= (n + CHUNK) * CHUNK


# ---- awkward inputs


def test_in_linear_attention_no_weight_is_zeros_whatever_the_values_are(xp):
    """Nothing to attend to but a NaN that comes later; and weights of both signs that cancel."""
    q, k, v = random((2, 5, 2), (2, 5, 2), (2, 5, 11))
    v[:, 3] = np.nan
    where = xp.asarray([False, False, False, True, True])
    got = xp.to_numpy(linear_attention(*map(xp.asarray, (q, k, v)), where=where, causal=True))
    assert (got[:, :3] == 0).all()
    assert np.isnan(got[:, 3:]).all()
    one, pair = np.ones((1, 1)), np.array([[1.0], [-1.0]])
    got = linear_attention(*map(xp.asarray, (one, pair, np.array([[3.0], [5.0]]))), feature_map=lambda x: x)
    assert xp.to_numpy(got) == 0


def test_in_linear_attention_features_far_below_one_still_count(xp_any):
    """Their products would underflow."""
    q, k, v = (xp_any.rounded(x) for x in random((5, 3), (7, 3), (7, 2)))
    far = -600.0 if xp_any.dtype_name == "float64" else -80.0
    q, k = xp_any.rounded(q + far), xp_any.rounded(k + far)
    if not xp_any.eps > 1e-4:  # where the rounded entries still differ
        scores = np.exp(q - far) @ np.exp(k - far).T
        expected = scores / scores.sum(-1, keepdims=True) @ v
        got = xp_any.to_numpy(linear_attention(*map(xp_any.asarray, (q, k, v))))
        np.testing.assert_allclose(got, expected, rtol=xp_any.tol, atol=xp_any.tol)
