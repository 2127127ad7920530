"""Linear attention is attention by the weights φ(q)·φ(k), causal without a seam, in memory linear in n."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from attending import random, same, tensors
from exactness import distance
from hypothesis import given
from hypothesis import strategies as st
from optional_torch import torch

from lib import attention, linear_attention, padding_mask
from lib.linear import CHUNK, elu1

gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck
jacfwd, jacrev, jvp, vmap = torch.func.jacfwd, torch.func.jacrev, torch.func.jvp, torch.func.vmap

inf, nan = math.inf, math.nan
GOLDEN = json.loads((Path(__file__).parent / "golden" / "attention.json").read_text())
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # torch's own, for jacfwd


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


def test_it_is_within_a_few_roundings_of_50_digits(xp):
    for name, row in GOLDEN.items():
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
def test_it_is_attention_by_the_features_for_any_shape(n_q, n_k, d, d_v, causal, seed):
    q, k, v = random((2, 3, n_q, d), (2, 3, n_k, d), (2, 3, n_k, d_v), seed=seed)
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, n_k + 1, 2) if seed % 2 else None
    where = rng.random((2, 1, n_k)) < 0.6 if seed % 3 else None
    rows = None if where is None else where[..., None, :]
    expected = quadratic(q, k, v, causal=causal, lengths=lengths, where=rows)
    got = linear_attention(q, k, v, causal=causal, lengths=lengths, where=where)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("n_q", "n_k"), [(281, 281), (131, 307), (307, 131), (1, 263), (CHUNK, CHUNK), (257, 128)]
)
def test_chunks_of_causal_queries_have_no_seam(xp, n_q, n_k):
    q, k, v = random((n_q, 3), (n_k, 3), (n_k, 2))
    lengths, where = np.array([n_k - 2, 0]), np.random.default_rng(0).random(n_k) < 0.7
    for options in ({}, {"where": where}, {"lengths": lengths}):
        arrays = [np.stack([x, -x]) if "lengths" in options else x for x in (q, k, v)]
        got = linear_attention(
            *map(xp.asarray, arrays), causal=True, **{n: xp.asarray(x) for n, x in options.items()}
        )
        np.testing.assert_allclose(
            xp.to_numpy(got), quadratic(*arrays, causal=True, **options), rtol=1e-11, atol=1e-12
        )


def test_decoding_step_by_step_is_the_whole_causal_pass(xp):
    q, k, v = map(xp.asarray, random((2, 11, 3), (2, 11, 3), (2, 11, 2)))
    whole = xp.to_numpy(linear_attention(q, k, v, causal=True))
    for i in range(11):
        step = linear_attention(q[:, i : i + 1, :], k[:, : i + 1, :], v[:, : i + 1, :], causal=True)
        np.testing.assert_allclose(xp.to_numpy(step)[:, 0], whole[:, i], rtol=1e-13, atol=1e-14)


def test_grouped_heads_are_repeated_heads_and_leading_axes_broadcast(xp):
    q, k, v = random((2, 6, 5, 2), (2, 3, 7, 2), (2, 2, 7, 11))
    repeated = q, np.repeat(k, 2, axis=1), np.repeat(v, 3, axis=1)
    for causal in (False, True):
        got = linear_attention(*map(xp.asarray, (q, k, v)), causal=causal)
        np.testing.assert_allclose(xp.to_numpy(got), quadratic(*repeated, causal=causal), rtol=1e-12, atol=1e-12)
        got = linear_attention(*map(xp.asarray, (q[0, 0], k, v[:, :1])), causal=causal)
        expected = quadratic(np.broadcast_to(q[0, 0], (2, 3, 5, 2)), k, v[:, :1], causal=causal)
        np.testing.assert_allclose(xp.to_numpy(got), expected, rtol=1e-12, atol=1e-12)


def test_any_callable_may_be_the_feature_map(xp):
    """It may widen: the squares of all pairs of entries give the squares of the scores."""
    q, k, v = map(xp.asarray, random((2, 5, 3), (2, 7, 3), (2, 7, 2)))

    def pairs(x):
        return xp.reshape(x[..., None] * x[..., None, :], (*x.shape[:-1], 9))

    squares = xp.to_numpy(q @ xp.matrix_transpose(k)) ** 2
    expected = squares / squares.sum(-1, keepdims=True) @ xp.to_numpy(v)
    got = xp.to_numpy(linear_attention(q, k, v, feature_map=pairs))
    np.testing.assert_allclose(got, expected, rtol=1e-11)


def test_a_padding_mask_fits_as_it_is_with_heads_and_without(xp):
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


def test_queries_with_nothing_to_attend_to_get_zeros(xp):
    q, k, v = map(xp.asarray, random((3, 5, 2), (3, 7, 2), (3, 7, 11)))
    for causal in (False, True):
        got = linear_attention(q, k, v, lengths=xp.asarray([0, 7, -1]), causal=causal)
        np.testing.assert_array_equal(xp.to_numpy(got)[[0, 2]], np.zeros((2, 5, 11)))
        np.testing.assert_array_equal(
            xp.to_numpy(linear_attention(q, k, v, where=xp.asarray([False] * 7), causal=causal)),
            np.zeros((3, 5, 11)),
        )
        none = linear_attention(q, k[:, :0, :], v[:, :0, :], causal=causal)
        np.testing.assert_array_equal(xp.to_numpy(none), np.zeros((3, 5, 11)))
        assert linear_attention(q[:, :0, :], k, v, causal=causal).shape == (3, 0, 11)
    early = xp.to_numpy(linear_attention(q, k[:, :3, :], v[:, :3, :], causal=True))
    assert (early[:, :2] == 0).all()
    assert (early[:, 2:] != 0).all()
    step = linear_attention(q, k, v, feature_map=lambda x: xp.maximum(x, 0 * x) * xp.asarray([1.0, 0.0]))
    blind = xp.to_numpy(q)[..., 0] <= 0  # features orthogonal to all others
    assert 0 < blind.sum() < 15
    np.testing.assert_array_equal((xp.to_numpy(step) == 0).all(-1), blind)


# ---- derivatives


@pytest.mark.parametrize("causal", [False, True])
def test_derivatives_are_those_of_the_quadratic_form(causal):
    q, k, v = tensors((2, 131, 2), (2, 139, 2), (2, 139, 3), wanted=True)
    lengths = torch.tensor([137, 0])
    for options in ({}, {"lengths": lengths}):
        grads = [
            torch.autograd.grad(f(q, k, v, causal=causal, **options).sin().sum(), (q, k, v))
            for f in (linear_attention, quadratic)
        ]
        same(*grads, 1e-11)
        assert not options or not any(x[1].any() for x in grads[0])


def test_first_and_second_derivatives_against_finite_differences():
    q, k, v = tensors((2, 3, 2), (2, 2, 2), (2, 2, 2), wanted=True)
    for options in (
        {},
        {"causal": True},
        {"where": torch.tensor([[True, False], [False, False]]), "causal": True},
    ):
        assert gradcheck(lambda *x, o=options: linear_attention(*x, **o), (q, k, v))
        assert gradgradcheck(lambda *x, o=options: linear_attention(*x, **o), (q, k, v), fast_mode=True)


def test_transforms_agree_with_plain_calls():
    q, k, v = tensors((3, 5, 2), (3, 7, 2), (3, 7, 2))
    where = torch.rand(3, 7, generator=torch.Generator().manual_seed(0)) < 0.7

    def f(q, k, v, where):
        return linear_attention(q, k, v, where=where, causal=True)

    same(vmap(f)(q, k, v, where), f(q, k, v, where))
    one = k[0], v[0], where[0]
    jacobian = torch.autograd.functional.jacobian(lambda q: f(q, *one), q[0])
    same(jacrev(lambda q: f(q, *one))(q[0]), jacobian)
    same(jacfwd(lambda q: f(q, *one))(q[0]), jacobian)
    same(jvp(lambda q: f(q, *one), (q[0],), (q[1],))[1], (jacobian * q[1]).sum((-2, -1)))


def test_memory_grows_with_n_not_with_its_square():
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


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("hidden", [nan, inf, -inf])
def test_what_is_masked_has_no_effect_not_even_nan(hidden, causal):
    q, k, v = random((2, 7, 2), (2, 5, 2), (2, 5, 11))
    mask = np.array([[True, True, False, True, False], [False] * 5])
    blind = np.array([causal, False])[:, None] & (np.arange(7) < 2) | ~mask.any(-1)[:, None]
    results = []
    for spoil in (0.0, hidden):
        x = (
            np.where(blind[..., None], spoil, q),
            np.where(mask[..., None], k, spoil),
            np.where(mask[..., None], v, spoil),
        )
        leaves = [torch.tensor(y, requires_grad=True) for y in x]
        output = linear_attention(*leaves, where=torch.tensor(mask), causal=causal)
        grads = torch.autograd.grad((output * torch.linspace(0.3, 1.7, 11, dtype=torch.float64)).sum(), leaves)
        results.append([output, *grads, torch.tensor(linear_attention(*x, where=mask, causal=causal))])
    for got, expected in zip(*results[::-1], strict=True):
        assert torch.equal(got, expected)
        assert (got[1] == 0).all()


def test_a_query_before_the_first_key_may_be_anything(xp):
    q, k, v = random((7, 2), (5, 2), (5, 11))
    spoilt = np.where(np.arange(7)[:, None] < 2, nan, q)
    got = [xp.to_numpy(linear_attention(*map(xp.asarray, (x, k, v)), causal=True)) for x in (q, spoilt)]
    np.testing.assert_array_equal(got[1], got[0])


def test_no_weight_is_zeros_whatever_the_values_are(xp):
    """Nothing to attend to but a NaN that comes later; and weights of both signs that cancel."""
    q, k, v = random((2, 5, 2), (2, 5, 2), (2, 5, 11))
    v[:, 3] = nan
    where = xp.asarray([False, False, False, True, True])
    got = xp.to_numpy(linear_attention(*map(xp.asarray, (q, k, v)), where=where, causal=True))
    assert (got[:, :3] == 0).all()
    assert np.isnan(got[:, 3:]).all()
    one, pair = np.ones((1, 1)), np.array([[1.0], [-1.0]])
    got = linear_attention(*map(xp.asarray, (one, pair, np.array([[3.0], [5.0]]))), feature_map=lambda x: x)
    assert xp.to_numpy(got) == 0


def test_in_every_dtype_it_is_right_to_rounding(xp_any):
    q, k, v = (xp_any.rounded(x) for x in random((2, 5, 3), (2, 7, 3), (2, 7, 2)))
    got = linear_attention(*map(xp_any.asarray, (q, k, v)), causal=True)
    assert got.dtype == xp_any.dtype
    np.testing.assert_allclose(
        xp_any.to_numpy(got), quadratic(q, k, v, causal=True), rtol=xp_any.tol, atol=xp_any.tol
    )


def test_features_far_below_one_still_count(xp_any):
    """Their products would underflow."""
    q, k, v = (xp_any.rounded(x) for x in random((5, 3), (7, 3), (7, 2)))
    far = -600.0 if xp_any.dtype_name == "float64" else -80.0
    q, k = xp_any.rounded(q + far), xp_any.rounded(k + far)
    if not xp_any.eps > 1e-4:  # where the rounded entries still differ
        scores = np.exp(q - far) @ np.exp(k - far).T
        expected = scores / scores.sum(-1, keepdims=True) @ v
        got = xp_any.to_numpy(linear_attention(*map(xp_any.asarray, (q, k, v))))
        np.testing.assert_allclose(got, expected, rtol=xp_any.tol, atol=xp_any.tol)


def test_integers_are_promoted_and_layout_does_not_matter(xp):
    whole = np.arange(30).reshape(5, 6) % 4
    got = linear_attention(*(xp.asarray(whole[:, s]) for s in (slice(3), slice(3), slice(3, 6))))
    assert got.dtype == xp.namespace.asarray(0.0).dtype
    real = whole.astype(float)
    np.testing.assert_allclose(
        xp.to_numpy(got), linear_attention(real[:, :3], real[:, :3], real[:, 3:]), rtol=1e-6
    )
    views = [real[::-1, :3], np.asfortranarray(real[:, :3]), np.broadcast_to(real[:1, 3:], (5, 3))]
    for x in views:
        x.flags.writeable = False
    plain = linear_attention(*map(np.ascontiguousarray, views), causal=True, where=np.arange(5) < 4)
    np.testing.assert_array_equal(linear_attention(*views, causal=True, where=np.arange(5) < 4), plain)


def test_arguments_that_do_not_fit_are_refused(xp):
    q, k, v = map(xp.asarray, random((2, 5, 3), (2, 7, 3), (2, 7, 2)))
    for options, error, message in (
        ({"feature_map": "elu"}, ValueError, "feature_map must be 'elu1' or a callable.*got 'elu'"),
        ({"feature_map": 3}, TypeError, "feature_map must be 'elu1' or a callable.*got 3"),
        ({"feature_map": lambda x: x[..., :2, :]}, ValueError, r"it turned \(2, 5, 3\) into \(2, 2, 3\)"),
        (
            {"where": xp.asarray([True] * 5)},
            ValueError,
            r"where must have shape \(\.\.\., n_k\), n_k = 7, .*\(5,\)",
        ),
        ({"where": xp.asarray(np.ones((3, 7), bool))}, ValueError, "leading axes do not broadcast"),
        ({"where": xp.asarray([1.0] * 7)}, TypeError, "where must be boolean"),
        ({"where": [True] * 7}, TypeError, "where must be a NumPy array or a torch tensor; got list"),
        ({"lengths": xp.asarray([1, 2, 3])}, ValueError, r"lengths must have shape \(batch,\)"),
    ):
        with pytest.raises(error, match=message):
            linear_attention(q, k, v, **options)
    with pytest.raises(ValueError, match=r"axis -1 of k should be d = 3, but is 2.*q \(\.\.\., n_q, d\)"):
        linear_attention(q, k[..., :2], v)
    with pytest.raises(TypeError, match="k must be a NumPy array or a torch tensor; got list"):
        linear_attention(q, [[1.0]], v)
    with pytest.raises(ValueError, match=r"k must have shape \(\.\.\., n_k, d\); got \(3,\)"):
        linear_attention(q, k[0, 0, :], v, where=xp.asarray([True] * 7))


def test_it_is_not_softmax_attention():
    """At most 1 + |x| in features cannot be as sharp as e^(βs)."""
    q, k, v = 9 * np.eye(5), 9 * np.eye(5), np.eye(5)
    assert np.diag(attention(q, k, v)).min() > 0.999
    assert np.diag(linear_attention(q, k, v)).max() < 0.7
