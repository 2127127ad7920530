"""The fused path gives what the readable one gives, derivatives too, and falls back where it could not."""

import functools
import gc
import itertools
import math
import weakref

import numpy as np
import pytest
from attending import Lane, case, every_torch_lane, random, same, same_with_gradients, tensors
from needs_torch import torch
from torch._subclasses import FakeTensorMode
from torch.autograd import grad, gradcheck, gradgradcheck
from torch.func import hessian, jacfwd, jacrev, jvp, vmap
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from lib import attention, causal_mask
from lib._request import checked
from lib.fast import sdpa_plan, sdpa_run

inf, nan = math.inf, math.nan
READABLE, FUSED, AUTO = (Lane("torch-cpu", path) for path in ("readable", "fused", "auto"))
every_path = pytest.mark.parametrize("path", ["readable", "fused", "auto"])
# torch warns of its own use of torch.jit when forward derivatives are first asked for
# and, with Python 3.14, of its own use of typing while it compiles
pytestmark = pytest.mark.filterwarnings("ignore:.*(torch.jit|_UnionGenericAlias):DeprecationWarning")


# ---- against torch, and against the readable path


@every_path
def test_where_torchs_meaning_is_ours_the_result_is_torchs(path):
    q, k, v = tensors((2, 3, 7, 5), (2, 3, 7, 5), (2, 3, 7, 5))
    where = torch.rand(2, 1, 7, 7, generator=torch.Generator().manual_seed(0)) < 0.6
    for ours, torchs in (
        ({}, {}),
        ({"causal": True}, {"is_causal": True}),
        ({"where": where}, {"attn_mask": where}),
        ({"beta": 0.7}, {"scale": 0.7}),
    ):
        same(attention(q, k, v, path=path, **ours), scaled_dot_product_attention(q, k, v, **torchs))


@pytest.mark.parametrize("path", ["readable", "fused"])
def test_torchs_own_causal_mask_is_offset_zero(path):
    q, k, v = tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 2))
    torchs = scaled_dot_product_attention(q, k, v, is_causal=True)
    same(attention(q, k, v, causal=True, offset=0, path=path), torchs)
    assert not torch.allclose(attention(q, k, v, causal=True, path=path), torchs)


@pytest.mark.parametrize("seed", range(61))
def test_the_gradients_of_the_two_paths_are_the_same(seed):
    arrays, options, _, _ = case(seed)
    expected = READABLE.gradients(*arrays, **options)[1]
    for lane in (FUSED, AUTO):
        for name, gradient in lane.gradients(*arrays, **options)[1].items():
            np.testing.assert_allclose(gradient, expected[name], rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@every_path
def test_gradients_in_every_dtype_are_those_of_float64_to_rounding(dtype, path):
    """Half precision is computed in float32 and rounded once: to 1 eps of the largest entry."""
    lane = Lane("torch-cpu", path, dtype)
    arrays = [lane.xp.rounded(x) for x in random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11))]
    direction = lane.xp.rounded(random((2, 3, 5, 11), seed=7)[0])
    lengths = np.array([7, 3])
    grads = []
    for way in (lane, READABLE):
        leaves = [way.given(x).requires_grad_() for x in arrays]
        output = attention(*leaves, path=way.path, causal=True, lengths=way.given(lengths), offset=2)
        grads.append([way.xp.to_numpy(g) for g in grad(output, leaves, way.given(direction))])
    for gradient, expected in zip(*grads, strict=True):
        np.testing.assert_allclose(gradient, expected, rtol=0, atol=lane.xp.tol * abs(expected).max())


# ---- how it is done


def test_structure_needs_no_mask_and_long_rows_no_large_one(kernel, monkeypatch):
    """Causal, lengths and a prior over keys go without a mask; a window and a cache with small ones."""
    monkeypatch.setattr(sdpa_plan, "FEW", 0)
    n, block = 1031, sdpa_plan.QUERIES
    q, k, v, u = tensors((2, 3, n, 2), (2, 3, n, 2), (2, 3, n, 2), (n,))
    lengths = torch.tensor([n, 601])
    for options in (
        {},
        {"causal": True},
        {"lengths": lengths},
        {"causal": True, "lengths": lengths, "log_prior": u},
    ):
        attention(q, k, v, path="fused", **options)
    assert all(call.mask is None for call in kernel)
    causal = [call.sizes for call in kernel if call.causal]
    assert len(causal) == 3  # all items at once, then one for each length
    assert all(n_q == n_k for n_q, n_k in causal)  # as CUDA's kernel wants it
    kernel.clear()
    attention(q, k, v, path="fused", window=7)
    of_window = len(kernel)
    attention(q[:, :, :400], k, v, path="fused", causal=True)
    entries = [0 if call.mask is None else call.mask.numel() for call in kernel]
    assert sum(x > 0 for x in entries) > 5
    assert max(entries[:of_window]) <= block * (block + 7)
    assert max(entries) <= block * n
    kernel.clear()
    attention(q[:, :, :1], k, v, path="fused", causal=True, lengths=lengths, offset=lengths - 1)  # decoding
    assert [(call.sizes, call.mask, call.causal) for call in kernel] == [
        ((1, n), None, False),
        ((1, 601), None, False),
    ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"causal": True},
        {"causal": True, "offset": torch.tensor([0, 0])},
        {"window": 7},
        {"lengths": torch.tensor([7, 9])},
        {"causal": True, "lengths": torch.tensor([7, 7])},
    ],
    ids=lambda options: ", ".join(options),
)
def test_what_the_kernel_takes_as_it_is_is_neither_cut_nor_copied(kernel, options):
    """A cut or a copy costs memory, and once more in the gradient."""
    shapes = (2, 7, 6, 5), (2, 7, 3, 5), (2, 7, 3, 5), (2, 7, 6, 5)
    q, k, v, more = (x.transpose(1, 2) for x in tensors(*shapes))  # heads cut from one row, as models make them
    for keys in (k, more):
        output = attention(q, keys, v, path="fused", **options)
        call = kernel.pop()
        assert not kernel
        assert call.q is q
        assert call.k is keys
        assert call.v is v if keys is k else call.v.shape == (2, 6, 7, 5)
        assert call.output is output
        assert call.mask is None
        assert call.options["enable_gqa"] == (keys is k)
        assert call.causal == ("causal" in options or "window" in options)


def test_the_kernel_gets_rows_without_gaps_which_the_fast_ones_on_a_gpu_ask_for(kernel):
    attention(*(x.mT for x in tensors((2, 3, 5, 7), (2, 3, 5, 7), (2, 3, 5, 7))), path="fused")
    (call,) = kernel
    assert all(x.stride(-1) == 1 for x in call[:3])


def test_heads_that_share_keys_share_them_in_the_kernel_under_one_prior_for_all(kernel):
    q, k, v, u = tensors((2, 6, 7, 5), (2, 3, 7, 5), (2, 3, 7, 5), (7,))
    attention(q, k, v, path="fused", causal=True, log_prior=u)
    assert [(call.k.shape[1], call.v.shape[1], call.mask) for call in kernel] == [(3, 3, None)]


@pytest.mark.parametrize(
    ("n_q", "n_k", "options", "expected"),
    [
        (9, 5, {"causal": True, "offset": -2}, [(5, 5, "causal"), (2, 5, None)]),
        (9, 5, {"causal": True, "offset": 5}, [(9, 5, None)]),
        (9, 20, {"causal": True, "offset": 1}, [(4, 5, "mask"), (4, 9, "mask"), (1, 10, None)]),
        (9, 20, {"causal": True}, [(4, 15, "mask"), (4, 19, "mask"), (1, 20, None)]),
        (9, 9, {"window": 2}, [(4, 4, "mask"), (4, 5, "mask"), (1, 2, None)]),
        (13, 13, {"window": 6}, [(6, 6, "mask"), (6, 11, "mask"), (1, 6, None)]),
        (9, 9, {"window": 9}, [(9, 9, "causal")]),
        (1, 20, {"window": 3}, [(1, 3, None)]),
        (5, 3, {"window": 4, "offset": 1}, [(2, 3, "mask"), (2, 3, "mask"), (1, 1, None)]),
    ],
)
def test_the_kernel_gets_no_more_keys_than_a_block_of_queries_sees(
    n_q, n_k, options, expected, kernel, monkeypatch
):
    """In blocks of 4 queries or a window: how many queries and keys, and the mask, if not all see all."""
    monkeypatch.setattr(sdpa_plan, "QUERIES", 4)
    attention(*tensors((2, 3, n_q, 2), (2, 3, n_k, 2), (2, 3, n_k, 2)), path="fused", **options)
    limits = ["causal" if call.causal else None if call.mask is None else "mask" for call in kernel]
    assert [(*call.sizes, limit) for call, limit in zip(kernel, limits, strict=True)] == expected


@pytest.mark.parametrize("log_prior", [None, tensors((7,))[0]])
@pytest.mark.parametrize(
    ("d", "d_v", "width", "width_with_prior"), [(11, 3, 16, 16), (3, 11, 16, 16), (7, 5, 8, 8), (8, 3, 8, 16)]
)
def test_the_kernel_gets_one_width_for_all_a_multiple_of_eight(d, d_v, width, width_with_prior, log_prior, kernel):
    inputs = tensors((2, 3, 5, d), (2, 3, 7, d), (2, 3, 7, d_v))
    same(attention(*inputs, log_prior=log_prior, path="fused"), READABLE.raw(*inputs, log_prior=log_prior))
    (call,) = kernel
    assert {x.shape[-1] for x in call[:3]} == {width if log_prior is None else width_with_prior}


@pytest.mark.parametrize("path", ["fused", "auto"])
@pytest.mark.parametrize(
    "beta", [0.7, -0.7, 0.0, 1e6, -1e6, torch.tensor([[-0.7]]), torch.tensor([[1e6]])], ids=str
)
def test_a_beta_of_any_sign_up_to_a_million_is_for_the_kernel(path, beta, kernel):
    inputs = tensors((5, 2), (7, 2), (7, 3))
    found = attention(*inputs, beta=beta, path=path)
    same(found, attention(*inputs, beta=beta, path="readable"), 1e-8 if abs(beta) > 1 else 1e-13)
    assert len(kernel) == 1


def test_a_prior_and_a_beta_of_a_wider_dtype_go_with_narrower_queries(kernel):
    q, k, v = (x.float() for x in tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 3)))
    for options in (
        {"log_prior": tensors((7,))[0]},
        {"log_prior": tensors((5, 7))[0], "causal": True},
        {"prior": torch.arange(7, dtype=torch.float64)},
        {"beta": torch.tensor([[0.7]], dtype=torch.float64)},
    ):
        output = attention(q, k, v, path="fused", **options)
        assert output.dtype == torch.float32
        torch.testing.assert_close(output, attention(q, k, v, path="readable", **options))
    assert len(kernel) == 4


def test_the_fast_kernel_serves_widths_heads_strides_and_priors():
    """The CPU's flash kernel alone is allowed: it has no shapes of its own to fall back from."""
    q, k, v, u = tensors((2, 6, 7, 5), (2, 3, 7, 5), (2, 3, 7, 11), (7,), wanted=True)
    q1, k1, v1 = tensors((2, 7, 5), (2, 7, 5), (2, 7, 3))
    where = torch.ones(2, 1, 7, 7, dtype=torch.bool)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        for options in ({}, {"causal": True}, {"where": where}, {"log_prior": u}, {"window": 3}, {"beta": -0.7}):
            attention(q, k, v, path="fused", **options)
        attention(q1, k1.mT.contiguous().mT, v1, path="fused", causal=True)
        attention(q1[0], k1[0], v1[0], path="fused")
        attention(q[None], k[None], v[None], path="fused", lengths=torch.tensor([5]))


def test_fused_is_refused_with_the_reason():
    q, k, v = tensors((2, 5, 3), (2, 7, 3), (2, 7, 2))
    generator = torch.Generator().manual_seed(0)
    for options, reason in (
        ({"return_weights": True}, "return_weights=True: no kernel holds them"),
        ({"weights": lambda s, beta, where=None, axis=-1: s}, "a callable"),
        ({"beta": inf}, r"beta beyond ±1e\+06"),
        ({"beta": torch.tensor([[-inf]], dtype=torch.float64)}, r"beta beyond ±1e\+06"),
        ({"dropout": 0.5, "generator": generator}, "generator"),
    ):
        with pytest.raises(
            ValueError, match=rf'path="fused" cannot be taken with .*{reason}.*take path="readable"'
        ):
            attention(q, k, v, path="fused", **options)
        attention(q, k, v, path="auto", **options)
    with pytest.raises(ValueError, match='path="fused" cannot be taken with softmax for NumPy arrays'):
        attention(*random((5, 2), (7, 2), (7, 2)), path="fused")
    with pytest.raises(ValueError, match=r"under a transform of torch\.func"):
        vmap(lambda q: attention(q, k[0], v[0], path="fused"))(q)


def test_dropout_of_the_fused_path_drops_weights_and_keeps_their_mean():
    torch.manual_seed(0)
    q, k = tensors((53, 3), (61, 3))
    used = attention(q, k, torch.eye(61, dtype=torch.float64), dropout=0.3, path="fused", causal=True)
    weights = attention(q, k, torch.eye(61, dtype=torch.float64), causal=True)
    kept = used != 0
    same(used[kept], weights[kept] / 0.7)
    assert abs(kept[weights > 0].double().mean() - 0.7) < 4 * math.sqrt(0.21 / (weights > 0).sum())


# ---- nothing to attend to, and what must not be seen


@pytest.mark.parametrize("prior", [{}, {"log_prior": tensors((5, 7))[0]}, {"prior": torch.arange(7.0)}], ids=str)
def test_the_kernel_is_shown_no_row_in_which_nothing_is_left(prior, kernel):
    """What it makes of such a row depends on the device and the version of torch."""
    where = causal_mask(5, 7, offset=torch.tensor(-2)) & (torch.arange(7) != 1)
    output = attention(*tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 2)), where=where, path="fused", **prior)
    (call,) = kernel
    left = call.mask if call.mask.dtype == torch.bool else call.mask > -inf
    assert left.any(-1).all()
    blind = 4 if "prior" in prior else 2
    assert (output[:, :, :blind] == 0).all()
    assert (output[:, :, blind:] != 0).all()


@every_torch_lane
def test_a_query_with_nothing_to_attend_to_has_gradient_zero_and_gives_none(lane):
    q, k, v = random((3, 2, 5, 2), (3, 2, 7, 2), (3, 2, 7, 11))
    blind = np.array([True, True, False, False, False])[:, None]  # not even NaN in these queries may matter
    for beta, spoil in ((0.7, nan), (-1.0, nan), (0.0, nan), (np.full((2, 1, 1), 0.7), 1e9)):
        options = {"beta": beta, "causal": True, "offset": -2, "lengths": np.array([7, 0, 3])}
        output, gradients = lane.gradients(np.where(blind, spoil, q), k, v, **options)
        clean, expected = lane.gradients(q, k, v, **options)
        np.testing.assert_array_equal(output, clean)
        assert (output[:, :, :2] == 0).all()
        assert (gradients["q"][:, :, :2] == 0).all()
        assert all((gradients[name][1] == 0).all() for name in "qkv")
        np.testing.assert_equal(gradients, expected)


@every_torch_lane
@pytest.mark.parametrize(
    "nobody",
    [
        {"where": np.zeros((1, 7), dtype=bool)},
        {"lengths": np.zeros(3, dtype=int)},
        {"causal": True, "offset": -5},
        {"window": 1, "offset": 7},
    ],
    ids=str,
)
def test_where_nobody_sees_anything_there_is_still_a_gradient_and_it_is_zero(lane, nobody):
    output, gradients = lane.gradients(*random((3, 2, 5, 2), (3, 2, 7, 2), (3, 2, 7, 11)), **nobody)
    assert not output.any()
    assert not any(gradient.any() for gradient in gradients.values())


@every_torch_lane
def test_no_keys_have_gradients_of_their_shape(lane):
    for n_q, n_k in ((5, 0), (0, 7)):
        output, gradients = lane.gradients(*random((2, 3, n_q, 2), (2, 3, n_k, 2), (2, 3, n_k, 11)), causal=True)
        assert output.shape == (2, 3, n_q, 11)
        assert gradients["k"].shape == (2, 3, n_k, 2)
        assert not any(x.any() for x in (output, *gradients.values()))


HIDING = {  # options, and for each of two batch items the keys that no query of it sees
    "where": ({"where": np.array([[[[True] * 5 + [False] * 2]], [[[False] + [True] * 6]]])}, [[5, 6], [0]]),
    "lengths": ({"lengths": np.array([5, 2])}, [[5, 6], [2, 3, 4, 5, 6]]),
    "causal and lengths": (
        {"causal": True, "lengths": np.array([5, 0]), "offset": 2},
        [[5, 6], [0, 1, 2, 3, 4, 5, 6]],
    ),
    "causal from an offset": ({"causal": True, "offset": np.array([0, -2])}, [[5, 6], [3, 4, 5, 6]]),
    "window": ({"window": 2, "offset": np.array([2, 5])}, [[0], [0, 1, 2, 3]]),
    "prior": ({"prior": np.array([0.0, 1, 2, 3, 1, 1, 0])}, [[0, 6], [0, 6]]),
    "log_prior and causal": (
        {"log_prior": np.array([0.0, 1, -inf, 3, 1, 1, 0]), "causal": True, "offset": 0},
        [[2, 5, 6], [2, 5, 6]],
    ),
    "log_prior for each query": ({"log_prior": np.array([[0.0] * 6 + [-inf]] * 5)}, [[6], [6]]),
}


@pytest.mark.parametrize("hiding", HIDING)
@every_torch_lane
def test_a_masked_key_or_value_of_nan_changes_nothing(lane, hiding):
    options, nobody_sees = HIDING[hiding]
    q, k, v = random((2, 6, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11))
    expected = lane.gradients(q, k, v, **options)
    assert all(np.isfinite(gradient).all() for gradient in expected[1].values())
    for hidden in (nan, inf, -inf, 1e300):
        for b, keys in enumerate(nobody_sees):
            k[b, :, keys] = v[b, :, keys] = hidden
        np.testing.assert_equal(lane.gradients(q, k, v, **options), expected, err_msg=f"beside {hidden}")


@pytest.mark.parametrize("hiding", HIDING)
def test_a_masked_key_or_value_of_nan_changes_nothing_in_numpy(hiding):
    options, nobody_sees = HIDING[hiding]
    q, k, v = random((2, 6, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11))
    expected = attention(q, k, v, return_weights=True, **options)
    for b, keys in enumerate(nobody_sees):
        k[b, :, keys] = v[b, :, keys] = nan
    np.testing.assert_equal(attention(q, k, v, return_weights=True, **options), expected)


@every_torch_lane
def test_a_key_of_nan_spoils_the_queries_that_see_it_and_no_other(lane):
    q, k, v = random((2, 3, 5, 2), (2, 3, 5, 2), (2, 3, 5, 11))
    k[0, 1, 3] = nan
    clean = np.isfinite(lane(q, k, v, causal=True)).all(-1)
    expected = np.ones((2, 3, 5), dtype=bool)
    expected[0, 1, 3:] = False
    np.testing.assert_array_equal(clean, expected)


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
@every_path
def test_infinite_and_huge_scores_are_as_exact_arithmetic_has_them(path, dtype):
    lane = Lane("torch-cpu", path, dtype)
    infinite, huge = np.array([[1.0], [inf], [inf]]), np.array([[1e30], [-1e30], [1e30]])
    half, last = [0.5, 0, 0.5], [0, 0, 1]
    for query, keys, options, weights in (
        (2.0, infinite, {"beta": 0.5}, [0, 0.5, 0.5]),
        (2.0, infinite, {"beta": -0.5}, [1, 0, 0]),
        (-2.0, infinite, {"beta": 0.5}, [1, 0, 0]),
        (2.0, infinite, {"beta": 0.5, "prior": np.array([1.0, 1.0, 3.0])}, [0, 0.25, 0.75]),
        (2.0, np.full((3, 1), -inf), {"beta": 0.5}, [0, 0, 0]),
        (1.0, huge, {"beta": 0.7}, half),
        (1.0, huge, {"beta": 1e-25}, half),
        (1.0, huge, {"beta": 1e6}, half),
        (1.0, -huge, {"beta": 1.0}, [0, 1, 0]),
        (1.0, np.array([[-1e9], [-1e9], [0.0]]), {}, last),
    ):
        found = lane(np.array([[query]]), keys, np.eye(3), **options)
        np.testing.assert_array_equal(found, [weights], err_msg=f"{keys.ravel()}, {options}")
    third = lane(np.array([[2.0]]), infinite, np.eye(3), beta=0.0)
    np.testing.assert_allclose(third, np.full((1, 3), 1 / 3), rtol=lane.xp.tol)
    np.testing.assert_array_equal(lane(np.array([[1.0]]), np.array([[-1e9]]), np.eye(3)[:1]), [[1, 0, 0]])


@every_torch_lane
def test_a_row_of_nothing_but_nan_scores_is_nan_and_no_other_row(lane):
    """torch's kernel on the CPU gives it zeros."""
    q, k, v = random((2, 3, 5, 2), (2, 3, 5, 2), (2, 3, 5, 11))
    bad_q, bad_k = q.copy(), k.copy()
    bad_q[0, 1, 3], bad_k[1, 2, 3] = nan, nan
    for options, arrays, row in (
        ({"causal": True}, (bad_q, k, v), (0, 1, 3)),
        ({"window": 1}, (q, bad_k, v), (1, 2, 3)),
    ):
        expected = lane(q, k, v, **options)
        expected[row] = nan
        np.testing.assert_allclose(lane(*arrays, **options), expected, rtol=1e-12)


@every_torch_lane
def test_a_score_of_minus_infinity_is_a_mask_for_gradients_too(lane):
    """Not 0 times an infinite key; a row of nothing else is empty, also if finite numbers overflowed to it."""
    q, k, v = random((2, 3, 5, 1), (2, 3, 7, 1), (2, 3, 7, 11))
    q, k = abs(q) + 0.1, abs(k)
    options = {"causal": True, "offset": np.array([0, 2])}
    for keys in ([0], [1, 4], list(range(7))):
        hidden = np.isin(np.arange(7), keys)
        output, expected = lane.gradients(q, k, v, where=~hidden, **options)
        for low, at in ((-inf, 1.0), (-1e300, 1e300)):
            spoilt, gradients = lane.gradients(q * at, np.where(hidden[:, None], low, k / at), v, **options)
            np.testing.assert_allclose(spoilt, output, rtol=1e-12)
            for name, factor in (("q", 1 / at), ("k", at), ("v", 1.0)):
                np.testing.assert_allclose(
                    gradients[name], expected[name] * factor, rtol=1e-11, atol=1e-14 * factor
                )


@every_torch_lane
def test_plus_infinity_gives_no_gradient_back(lane):
    q, k, v = random((2, 5, 1), (2, 7, 1), (2, 7, 11))
    k[:, 3] = inf
    output, gradients = lane.gradients(abs(q), k, v)
    np.testing.assert_array_equal(output, np.repeat(v[:, 3:4], 5, axis=1))
    assert not gradients["q"].any()
    assert not gradients["k"].any()


@every_torch_lane
def test_a_prior_counts_among_equal_scores_however_large_they_are(lane):
    u = np.array([1.0, 3.0, 1.0])
    priors = {"prior": u}, {"log_prior": np.log(u)}, {"log_prior": np.log(u) * np.ones((1, 1, 3))}
    for prior, (huge, beta) in itertools.product(priors, ((1e30, 0.7), (1e12, 1e5), (-1e30, -1e-3))):
        output = lane(np.ones((1, 1)), np.array([[huge], [huge], [-huge]]), np.eye(3), beta=beta, **prior)
        np.testing.assert_allclose(output.reshape(1, 3), [[0.25, 0.75, 0]], rtol=1e-13)


def test_a_window_of_any_width_ends_at_its_key_wherever_the_queries_are():
    for n_q, n_k, window, offset in itertools.product((1, 2, 3), (1, 4), (1, 2, 3, 4, 5), (-2, 0, 1, 3, 4, 5, 8)):
        inputs = tensors((n_q, 2), (n_k, 2), (n_k, 3))
        some = {"window": window, "offset": offset}
        same(attention(*inputs, path="fused", **some), attention(*inputs, path="readable", **some))


def test_large_inputs_are_the_kernels_as_long_as_no_score_is_huge(kernel):
    """The bound is on a score, not on the size of the arrays."""
    q, k, v = tensors((2, 3, 53, 2), (2, 3, 61, 2), (2, 3, 61, 2))
    attention(1e5 * q, 1e5 * k, v, path="fused")
    assert len(kernel) == 1
    attention(q, 1e17 * k, v, path="fused")
    assert len(kernel) == 1
    large = 2.0**25.5 * torch.ones(2, 3, 5, 1, dtype=torch.float64)  # scores of half of what is too large
    attention(large, large, large, path="fused", beta=1.0)
    assert len(kernel) == 2


@pytest.mark.parametrize(("tiny", "huge", "count"), [(1e-24, 1e18, 1), (1e-24, 1e30, 0), (1e-6, 1e18, 0)])
def test_squares_too_small_or_large_for_a_float_hide_no_huge_score(tiny, huge, count, kernel):
    """The square of 1e-24 is 0 in float32 and that of 1e30 infinite: the scores times β are 3 or far too large."""
    q, k = tiny * torch.ones(1, 1, 2, 3), huge * torch.tensor([1.0, -1.0, 0.5])[:, None] * torch.ones(3, 3)
    found = attention(q, k, torch.eye(3), beta=1e6)
    assert len(kernel) == count
    scores = 3e6 * tiny * huge * np.array([1.0, -1.0, 0.5])
    expected = np.exp(scores - scores.max())
    np.testing.assert_allclose(found[0, 0], [expected / expected.sum()] * 2, rtol=1e-6, atol=1e-9)


def test_a_product_of_huge_numbers_and_a_tiny_beta_is_as_exact_as_another(kernel):
    q, k, v = tensors((5, 2), (7, 2), (7, 2))
    found = attention(1e20 * q, 1e20 * k, v, beta=1e-40, path="fused")
    assert len(kernel) == 1
    same(found, attention(q, k, v, beta=1.0), 1e-12)


@every_torch_lane
def test_an_offset_of_a_million_costs_no_more_than_its_rounding(lane):
    """Scores 1e6 + 0, 1, 2: exact in float64, and β = 3/2 with them."""
    q, k = np.array([[1e6, 1.0]]), np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    expected = np.exp([[-3.0, -1.5, 0.0]]) / np.exp([-3.0, -1.5, 0.0]).sum()
    np.testing.assert_allclose(lane(q, k, np.eye(3), beta=1.5), expected, rtol=1e-13)
    single = Lane(lane.xp.library, lane.path, "float32")
    off = np.log(single(q, k, np.eye(3), beta=1.5) / expected)
    shifted = lane.path == "readable"  # before β multiplies, so that nothing is lost
    assert abs(off).max() < (single.xp.tol if shifted else 2 * single.xp.eps * 1.5e6)


# ---- where nobody looks: on a GPU, and on devices that only others know


@pytest.fixture
def unread(monkeypatch):
    """Values of tensors are not read, as on a GPU."""
    for module in (sdpa_run, sdpa_plan):
        monkeypatch.setattr(module, "known_true", lambda condition: False)
        monkeypatch.setattr(module, "readable", lambda x: not isinstance(x, torch.Tensor))


@pytest.mark.parametrize("n_q", [1, 5, 7, 9])
@pytest.mark.parametrize("offset", [None, 0, 3, -2, -8, 9])
@pytest.mark.parametrize("order", [{"causal": True}, {"window": 2}, {"window": 3, "causal": True}, {}], ids=str)
def test_lengths_that_are_not_read_need_no_mask_of_their_own(n_q, offset, order, kernel, unread):
    lengths = torch.tensor([7, 4, 0, 99, -1])
    q, k, v = tensors((5, 6, n_q, 2), (5, 3, 7, 2), (5, 3, 7, 3))
    padding = torch.arange(7)[:, None] >= lengths[:, None, None, None]
    for in_keys, in_values in ((nan, inf), (inf, 0.5)):
        arrays = q, torch.where(padding, in_keys, k), torch.where(padding, in_values, v)
        inputs = [x.requires_grad_() for x in arrays]
        options = {"lengths": lengths, "offset": 7 - n_q if offset is None and n_q < 7 else offset, **order}
        same_with_gradients(lambda path, x=inputs, o=options: attention(*x, path=path, **o), inputs)
    assert all(call.mask is None or call.mask.ndim == 2 for call in kernel)  # one for all the batch


@pytest.mark.parametrize(
    "order", [{}, {"causal": True}, {"window": 1}, {"window": 2}, {"causal": True, "offset": 1}], ids=str
)
@pytest.mark.parametrize("lengths", [None, torch.tensor([7, 3, 0])])
@pytest.mark.parametrize("shape", [(7,), (3, 1, 1, 7), (6, 1, 7)])
@pytest.mark.parametrize("read", [True, False])
def test_keys_whose_prior_is_zero_need_no_mask_of_their_own(
    read, shape, lengths, order, kernel, request, monkeypatch
):
    """Also for queries that see no other key, which may be NaN; a log-prior of −inf is the same."""
    monkeypatch.setattr(sdpa_plan, "FEW", 0)
    if not read:
        request.getfixturevalue("unread")
    q, k, v, log_prior = tensors((3, 6, 7, 2), (3, 3, 7, 2), (3, 3, 7, 3), shape)
    log_prior[..., [0, 1, 4]] = -inf
    mask = checked(q, k, v, log_prior=log_prior, lengths=lengths, **order).mask()
    q = torch.where(mask.any(-1, keepdim=True), q, nan)
    k[..., 4, :], v[..., [0, 4], :] = nan, inf
    inputs = [x.requires_grad_() for x in (q, k, v)]
    for name, prior in (("log_prior", log_prior), ("prior", log_prior.exp())):
        attend = functools.partial(attention, *inputs, **{name: prior.requires_grad_()}, lengths=lengths, **order)
        same_with_gradients(lambda path, attend=attend: attend(path=path), [*inputs, prior])
    assert len(kernel) >= 2
    assert all(call.mask is None or call.mask.ndim == 2 for call in kernel)


@pytest.mark.parametrize("lead", [(), (3,), (3, 2), (3, 2, 4)], ids=str)
@pytest.mark.parametrize("options", [{"causal": True, "offset": 2}, {}, {"window": 2, "offset": 1}], ids=str)
@pytest.mark.parametrize("hiding", ["lengths", "prior"])
def test_hidden_keys_with_any_leading_axes(lead, options, hiding, unread):
    inputs = tensors((*lead, 5, 2), (*lead, 7, 2), (*lead, 7, 3), wanted=True)
    options = options | {hiding: torch.tensor([7, 3, 0]) if hiding == "lengths" else torch.arange(7) % 3}
    if hiding == "prior" or lead:
        same_with_gradients(lambda path: attention(*inputs, path=path, **options), inputs)


@pytest.mark.parametrize("order", [{"causal": True}, {"window": 2}])
def test_hidden_keys_with_an_offset_for_each_item(order, kernel, monkeypatch):
    monkeypatch.setattr(sdpa_plan, "FEW", 0)
    q, k, v = tensors((3, 2, 5, 2), (3, 2, 7, 2), (3, 2, 7, 2))
    q[0, :, 1], q[1, :, 4] = nan, nan
    options = {"prior": torch.tensor([0, 1, 0, 0, 2, 0, 1]), "offset": torch.tensor([-1, 2, 5]), **order}
    want, got = (attention(q, k, v, path=path, **options) for path in ("readable", "fused"))
    torch.testing.assert_close(got, want, rtol=1e-13, atol=1e-13, equal_nan=True)
    assert kernel


@pytest.mark.parametrize("beta", [1e6, 1.0, 1e-20, -1e6, torch.tensor(1e6)])
@pytest.mark.parametrize("factor", [1.0, 30.0])
def test_a_hidden_key_has_no_weight_however_low_the_other_scores_are(beta, factor, unread):
    """And a row of hidden keys alone gives 0, not NaN, where β times the lowest number would be infinite."""
    q, k, v = (x.float() for x in tensors((2, 3, 7, 4), (2, 3, 7, 4), (2, 3, 7, 2)))
    k = -q * (1 if beta > 0 else -1) * factor
    prior = torch.tensor([0.0, 0, 1, 1, 0, 1, 1])
    inputs = [x.requires_grad_() for x in (q, k.detach().clone(), v)]
    output = attention(*inputs, beta=beta, prior=prior, causal=True, path="fused")
    want = attention(*(x.double() for x in inputs), beta=beta, prior=prior, causal=True, path="readable")
    assert (output[..., :2, :] == 0).all()
    torch.testing.assert_close(output.double(), want, rtol=1e-4, atol=1e-5 * max(1.0, abs(float(beta)) * 1e-4))
    assert all(slope.isfinite().all() for slope in grad(output.sum(), inputs))


@pytest.mark.parametrize("shape", [(2, 1, 1, 9), (9,)])
def test_where_values_can_be_read_a_prior_of_zero_is_not_taken_for_a_huge_score(shape, kernel):
    q, k, v = (x.float() for x in tensors((2, 3, 9, 2), (2, 3, 9, 2), (2, 3, 9, 2)))
    prior = (torch.arange(9) % 3).float().expand(shape)
    want = attention(q, k, v, prior=prior, causal=True, path="readable")
    torch.testing.assert_close(attention(q, k, v, prior=prior, causal=True, path="fused"), want)
    assert [(call.mask, call.causal) for call in kernel] == [(None, True)]
    kernel.clear()
    for feature in (0, 1):
        huge = torch.where(torch.arange(2) == feature, 1e6, 1.0)
        attention(huge * q, huge * k, v, prior=prior, causal=True, path="fused")
    assert not kernel


def result(request):
    return sdpa_run.result(request, pytest.fail)


@pytest.mark.parametrize(("name", "shape"), [("lengths", (2,)), ("log_prior", (7,))])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_off_the_cpu_only_float16_hides_keys_by_a_mask(dtype, name, shape, kernel):
    """Its lowest number is not below every score. The others take up to three more features, filled up to 8.

    On torch's device "meta": tensors of which all but the values is there.
    """
    q, k, v = (torch.ones(2, 3, 7, 8, dtype=dtype, device="meta") for _ in range(3))
    given = torch.ones(shape, dtype=torch.int64 if name == "lengths" else torch.float32, device="meta")
    (output,) = result(checked(q, k, v, causal=True, **{name: given}))
    (call,) = kernel
    masked = dtype == torch.float16
    assert (call.mask is not None, call.causal, call.q.shape[-1]) == (masked, not masked, 8 if masked else 16)
    assert {x.dtype for x in (*call[:3], output)} == {dtype}


@pytest.fixture
def half(monkeypatch):
    """Half precision stays what it is, as on a GPU."""
    monkeypatch.setattr(sdpa_plan, "kernels_dtype", lambda request: request.dtype)


LOWEST = torch.finfo(torch.float32).min


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("width", [4, 64])
@pytest.mark.parametrize(
    "log_prior", [[LOWEST, LOWEST, 0, 1, 0], [-inf, -3e37, 0, 0, -3e37], [-inf, -1e30, 0, 0, LOWEST]]
)
def test_a_key_of_the_lowest_prior_is_not_a_hidden_one(log_prior, width, dtype, half, unread):
    """Such a log-prior stands for −inf in many a program; but a query that sees no other key takes these."""
    arrays = [x.to(dtype) for x in tensors((5, width), (5, width), (5, 3))]
    log_prior = torch.tensor(log_prior)
    got = attention(*arrays, log_prior=log_prior, causal=True, path="fused")
    want = attention(*(x.double() for x in arrays), log_prior=log_prior.double(), causal=True, path="readable")
    several = (log_prior == LOWEST)[:2].all()  # their scores are lost beside such a number, whoever computes
    rows = slice(2 if several else 0, None)
    assert got.isfinite().all()
    torch.testing.assert_close(got[rows].double(), want[rows], rtol=0, atol=4 * torch.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("beta", [0.3, 1.0, 7.0, 1e6])
def test_the_score_of_a_hidden_key_is_the_same_however_it_is_multiplied(beta, dtype, kernel, half, unread):
    """A power of 2: with a product rounded or not, a row of nothing else has weights that sum to 1."""
    q, k, v = (x.to(dtype) for x in tensors((5, 4), (5, 4), (5, 3)))
    attention(q, k, v, beta=beta, lengths=None, prior=torch.arange(5) % 2, path="fused")
    (call,) = kernel
    low = call.k[0, 0, 0].amin().item()
    assert math.log2(-low).is_integer()
    assert -torch.finfo(dtype).max / 3 < low * max(1, beta) < -torch.finfo(dtype).max / 32


@pytest.mark.parametrize("structure", [{}, {"causal": True}])
@pytest.mark.parametrize("wanted", [True, False])
def test_a_mask_wants_a_gradient_only_if_its_prior_does(structure, wanted, kernel):
    """For one that wants none the kernel is as fast as torch's own, and keeps no weights."""
    inputs = tensors((1, 2, 7, 4), (1, 2, 7, 4), (1, 2, 7, 4), wanted=True)
    log_prior = tensors((7, 7), seed=4)[0].requires_grad_(wanted)
    attention(*inputs, log_prior=log_prior, path="fused", **structure).sum().backward()
    (call,) = kernel
    assert call.mask.requires_grad == wanted
    assert ("FlashAttention" in call.output.grad_fn.name()) != wanted
    attention(inputs[0], *(x.detach() for x in inputs[1:]), path="fused")
    assert [x.requires_grad for x in kernel[-1][:3]] == [True, False, False]


def kept_for_the_gradient(attend):
    """Bytes of the tensors that autograd keeps, each counted once."""
    kept = {}
    pack = lambda x: kept.update({x.untyped_storage()._cdata: x}) or x  # noqa: E731 — held, so that none is freed
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        attend()
    return sum(x.untyped_storage().nbytes() for x in kept.values())


def in_pieces(monkeypatch, least):
    """Masks for so few queries at a time."""
    monkeypatch.setattr(sdpa_plan, "MASK", 1)
    monkeypatch.setattr(sdpa_plan, "LEAST", least)


def test_pieces_of_a_mask_do_not_each_keep_the_keys(monkeypatch):
    q, k, v = tensors((1, 8, 256, 16), (1, 2, 256, 16), (1, 2, 256, 16), wanted=True)
    where = torch.rand(256, 256, generator=torch.Generator().manual_seed(0)) < 0.5
    whole = kept_for_the_gradient(lambda: attention(q, k, v, where=where, path="fused"))
    in_pieces(monkeypatch, 16)
    pieces = kept_for_the_gradient(lambda: attention(q, k, v, where=where, path="fused"))
    assert pieces < 1.2 * whole


def test_a_masked_key_of_nan_changes_nothing_in_pieces_of_a_mask(monkeypatch, unread):
    in_pieces(monkeypatch, 2)
    q, k, v = tensors((2, 7, 3), (2, 7, 3), (2, 7, 3))
    where = torch.rand(2, 7, 7, generator=torch.Generator().manual_seed(1)) < 0.5
    where[:, :, 2] = False
    k[:, 2], v[:, 2] = nan, inf
    inputs = [x.requires_grad_() for x in (q, k, v)]
    same_with_gradients(lambda path: attention(*inputs, where=where, path=path), inputs)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_in_half_precision_a_prior_keeps_its_digits_whatever_is_not_seen(dtype, half):
    """Far keys are less probable, written so that later keys, which are not seen, have the largest numbers."""
    n = 1024
    arrays = [x.to(dtype) for x in tensors((n, 8), (n, 8), (n, 8))]
    log_prior = 0.5 * (torch.arange(n) - torch.arange(n)[:, None])
    got = attention(*arrays, log_prior=log_prior, causal=True, path="fused")
    want = attention(*(x.double() for x in arrays), log_prior=log_prior.double(), causal=True, path="readable")
    torch.testing.assert_close(got.double(), want, rtol=0, atol=8 * torch.finfo(dtype).eps)


def test_in_half_precision_an_array_beta_is_not_rounded_by_itself(half, kernel):
    q, k, v = (x.bfloat16() for x in tensors((5, 8), (5, 8), (5, 8)))
    attention(q, k, v, beta=torch.tensor(0.1), path="fused")
    (call,) = kernel
    assert (call.q[0, 0] == (q.float() * 0.1).bfloat16()).all()
    assert call.q.dtype == torch.bfloat16


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_in_sixteen_bits_a_prior_is_the_sum_of_two_numbers(dtype):
    x = -10 * tensors((1000,))[0].abs()
    parts = sdpa_plan.in_dtype(x, dtype)
    assert [part.dtype for part in parts] == [dtype] * (2 if dtype.itemsize == 2 else 1)
    error = sum(part.double() for part in parts) - x
    assert (error.abs() <= x.abs() * torch.finfo(dtype).eps ** len(parts) + 2**-25).all()


@pytest.mark.parametrize(
    "hiding", [{"causal": True, "offset": -1}, {"where": torch.arange(3)[:, None] > 0}], ids=str
)
@pytest.mark.parametrize("bad", [nan, inf])
@pytest.mark.parametrize("shape", [(), (3, 1), (1, 1)])
def test_a_query_that_sees_nothing_gives_an_array_beta_no_gradient_even_if_it_is_nan(shape, bad, hiding):
    q, k, v = tensors((3, 2), (3, 2), (3, 2))
    q[0] = bad
    beta = torch.full(shape, 0.7, dtype=torch.float64, requires_grad=True)
    q.requires_grad_()
    same_with_gradients(lambda path: attention(q, k, v, beta=beta, path=path, **hiding), [q, beta])


@pytest.mark.parametrize(
    ("d", "d_v", "prior", "width"),
    [(20, 20, False, 24), (24, 24, False, 24), (14, 15, True, 16), (15, 16, True, 24)],
)
def test_off_the_cpu_every_width_is_a_multiple_of_eight(d, d_v, prior, width, kernel):
    given = [torch.ones(2, 24, 24, n, device="meta") for n in (d, d, d_v)]
    (output,) = result(checked(*given, log_prior=torch.zeros(24, device="meta") if prior else None))
    assert output.shape == (2, 24, 24, d_v)
    assert {x.shape[-1] for x in kernel[-1][:3]} == {width}
    if d == width:  # what needs nothing is not copied
        assert all(x is y for x, y in zip(kernel[-1][:3], given, strict=True))


@pytest.mark.parametrize("shared", ["q", "k", "v"])
@pytest.mark.parametrize("lead", [(2, 3), (1, 2, 3), (2, 1, 3)])
def test_an_array_for_all_items_serves_items_of_different_lengths(lead, shared):
    arrays = dict(zip("qkv", tensors((*lead, 5, 4), (*lead, 7, 4), (*lead, 7, 6)), strict=True))
    arrays[shared] = arrays[shared].reshape(2, 3, *arrays[shared].shape[-2:])[:1]
    lengths = torch.tensor([4, 7][: lead[0]])
    some = {"lengths": lengths, "causal": True, "offset": 2}
    found = attention(**arrays, path="fused", **some)
    assert found.shape == (*lead, 5, 6)
    same(found, attention(**arrays, path="readable", **some))


@pytest.mark.parametrize("options", [{"lengths": (2,)}, {"offset": (2,), "causal": True}], ids=str)
def test_of_a_fake_tensor_no_value_is_read(options):
    with FakeTensorMode():
        q, k, v = (torch.ones(2, 3, 7, 8) for _ in range(3))
        options = {
            name: torch.ones(x, dtype=torch.int64) if isinstance(x, tuple) else x for name, x in options.items()
        }
        assert attention(q, k, v, path="fused", **options).shape == (2, 3, 7, 8)


@pytest.mark.parametrize("entries", [1, 40, 150, 10**6])
@pytest.mark.parametrize(
    ("options", "each"),
    [
        ({"causal": True, "offset": torch.tensor([2, 0, -3])}, 3 * 7),
        ({"window": 2, "offset": torch.tensor([2, 0, -3]), "lengths": torch.tensor([7, 5, 0])}, 3 * 7),
        ({"causal": True, "where": torch.arange(7) % 3 > 0}, 7),
        ({"causal": True, "prior": torch.arange(7) % 3, "offset": torch.tensor([2, 0, -3])}, 3 * 7),
        ({"log_prior": tensors((2, 6, 7), seed=3)[0]}, 2 * 7),
        ({"where": torch.arange(7) % 3 > 0}, 6 * 7),  # one row for all, in one piece
    ],
    ids=lambda options: ", ".join(options) if isinstance(options, dict) else "",
)
def test_masks_come_a_few_queries_at_a_time(options, each, entries, kernel, monkeypatch, unread):
    in_pieces(monkeypatch, 1)
    monkeypatch.setattr(sdpa_plan, "MASK", entries)
    inputs = tensors((3, 2, 6, 2), (3, 1, 7, 2), (3, 2, 7, 3), wanted=True)
    same_with_gradients(lambda path: attention(*inputs, path=path, **options), inputs)
    rows = [call.sizes[0] for call in kernel]
    at_once = 6 if entries >= 3 * 2 * 6 * 7 or each == 6 * 7 else min(6, max(1, entries // each))
    assert sum(rows) == 6
    assert max(rows) == at_once
    assert all(row == at_once for row in rows[:-1])


def test_a_log_prior_far_from_zero_costs_no_digits_of_the_scores():
    """Far off by another number in each row. In float32 eighths are exact even there."""
    arrays = [x.float() for x in tensors((2, 5, 3), (2, 7, 3), (2, 7, 2))]
    log_prior = torch.randint(-30, 30, (2, 5, 7), generator=torch.Generator().manual_seed(0)) / 8
    far = torch.tensor([[0.0, 2**20, 2**20, -(2**20), 7], [2**20, -(2**20), 1, -1, 2**20]])[..., None]
    want = attention(*(x.double() for x in arrays), log_prior=log_prior.double(), path="readable").float()
    for given in (log_prior, log_prior + far):
        found = attention(*arrays, log_prior=given, path="fused")
        torch.testing.assert_close(found, want, rtol=0, atol=1e-5)


def test_an_array_beta_that_cannot_be_looked_at_may_be_infinite(monkeypatch):
    q, k, v = tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 2))
    beta = torch.tensor([0.7, inf, -inf], dtype=torch.float64).reshape(3, 1, 1)
    expected = attention(q, k, v, beta=beta, path="readable")
    monkeypatch.setattr(sdpa_plan, "known_true", lambda condition: False)
    same(attention(q, k, v, beta=beta), expected)


def test_a_device_that_torch_has_no_fused_kernel_for_takes_the_readable_path():
    q, k, v = (x.to("meta") for x in tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11)))
    assert attention(q, k, v).shape == (2, 3, 5, 11)
    with pytest.raises(ValueError, match=r'path="fused" cannot be taken on device meta'):
        attention(q, k, v, path="fused")


def test_a_gpu_takes_the_kernel_and_its_half_precision(kernel):
    with FakeTensorMode():  # of a GPU's tensors all but the values, on any machine
        q, k, v = (torch.ones(2, 3, n, 8, dtype=torch.bfloat16, device="cuda") for n in (5, 7, 7))
        output = attention(q, k, v, path="fused")
    (call,) = kernel
    assert {x.dtype for x in (*call[:3], output)} == {torch.bfloat16}
    assert output.device.type == "cuda"


def test_where_a_graph_is_made_no_value_is_looked_at(kernel, monkeypatch):
    """So padding is hidden by one more feature; "auto" does without the kernel: the scores may be too large."""
    inputs, lengths = tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 2)), torch.tensor([5, 0])
    expected = attention(*inputs, lengths=lengths, path="readable")
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    same(attention(*inputs, lengths=lengths), expected)
    assert not kernel
    same(attention(*inputs, lengths=lengths, path="fused"), expected)
    assert [(call.q.shape[-1], call.mask) for call in kernel] == [(8, None)]


# ---- derivatives of every order, and transforms

OPTIONS = {
    "plain": {},
    "causal": {"causal": True},
    "causal, with lengths": {"causal": True, "lengths": torch.tensor([3, 0]), "offset": 1},
    "window": {"window": 2},
    "where, and a row that sees nothing": {"where": torch.tensor([[True, False, True], [False] * 3])},
    "beta below 0": {"beta": -0.4},
    "beta 0": {"beta": 0.0},
}
LEARNED = [("log_prior", (3,)), ("log_prior", (2, 3)), ("prior", (2, 1, 3)), ("beta", (2, 1, 1)), ("beta", (2, 1))]
readable_or_auto = pytest.mark.parametrize("path", ["readable", "auto"])


@readable_or_auto
@pytest.mark.parametrize("name", OPTIONS)
def test_first_and_second_derivatives_against_finite_differences(name, path):
    inputs = tensors((2, 2, 2, 1), (2, 1, 3, 1), (2, 1, 3, 2), wanted=True)

    def f(q, k, v):
        return attention(q, k, v, path=path, **OPTIONS[name])

    assert gradcheck(f, inputs)
    assert gradgradcheck(f, inputs, fast_mode=True)


@readable_or_auto
@pytest.mark.parametrize(("name", "shape"), LEARNED)
def test_learned_priors_and_temperatures_have_both_derivatives_too(name, shape, path):
    inputs = tensors((2, 2, 2, 1), (2, 2, 3, 1), (2, 2, 3, 2), wanted=True)
    (x,) = tensors(shape, seed=1)
    x = (x.abs() + 0.1 if name == "prior" else x).requires_grad_()

    def f(q, k, v, x):
        return attention(q, k, v, causal=True, path=path, **{name: x})

    assert gradcheck(f, (*inputs, x))
    assert gradgradcheck(f, (*inputs, x), fast_mode=True)


def test_more_than_a_gradient_is_refused_by_the_fused_path_and_right_by_auto():
    q, k, v = tensors((2, 3, 5, 2), (2, 3, 5, 2), (2, 3, 5, 2), wanted=True)
    message = 'path="fused" has first-order gradients alone; for more take path="readable"'
    with pytest.raises(RuntimeError, match=f"^{message}$"):
        grad(attention(q, k, v, path="fused").sum(), q, create_graph=True)
    thirds = []
    for path in ("readable", "auto"):
        value = attention(q, k, v, causal=True, path=path)
        for _ in range(2):
            (value,) = grad(value.sin().sum(), q, create_graph=True)
        thirds.append(grad(value.sum(), (q, k, v)))
    same(*thirds, 1e-12)


@readable_or_auto
def test_nothing_stays_in_memory_after_a_second_derivative(path):
    q, k, v = tensors((2, 3, 5, 2), (2, 3, 5, 2), (2, 3, 5, 2), wanted=True)
    (slope,) = grad(attention(q, k, v, path=path).square().sum(), q, create_graph=True)
    slope.square().sum().backward()
    left = weakref.ref(k)
    del q, k, v, slope
    gc.collect()
    assert left() is None


def test_a_gradient_that_has_passed_is_not_kept():
    q, k, v = tensors((2, 3, 5, 2), (2, 3, 5, 2), (2, 3, 5, 2), wanted=True)
    output = attention(q, k, v, path="auto")
    arriving = torch.ones_like(output)
    grad(output, q, arriving)
    left = weakref.ref(arriving)
    del arriving
    assert left() is None


@pytest.mark.parametrize("wanted", ["q", "k", "v", "kv"])
@pytest.mark.parametrize("twice", [False, True])
def test_gradients_of_some_arguments_alone(wanted, twice):
    inputs = dict(zip("qkv", tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 2)), strict=True))
    leaves = [inputs[name].requires_grad_() for name in wanted]
    outputs = [attention(*inputs.values(), path=path) for path in ("auto", "readable")]
    same(*(grad(output.square().sum(), leaves, create_graph=twice) for output in outputs))


@readable_or_auto
def test_vmap_jvp_and_jacobians_agree_with_plain_calls(path):
    q, k, v = tensors((3, 2, 5, 2), (3, 2, 7, 2), (3, 2, 7, 3))
    where = torch.rand(3, 1, 7, generator=torch.Generator().manual_seed(0)) < 0.7

    def f(q, k, v, **options):
        return attention(q, k, v, causal=True, path=path, **options)

    same(vmap(f)(q, k, v), f(q, k, v))
    same(vmap(lambda *x: f(*x[:3], where=x[3]))(q, k, v, where), f(q, k, v, where=where[:, None]))
    for name, x in {
        "beta": [0.0, 0.5, inf],
        "log_prior": random((3, 7))[0],
        "prior": random((3, 7))[0] ** 2,
    }.items():
        x = torch.tensor(x)
        expected = torch.stack([f(q, k, v, **{name: one if one.ndim else one.item()}) for one in x])
        same(vmap(lambda one, name=name: f(q, k, v, **{name: one}))(x), expected)
    along = tensors(q.shape, k.shape, v.shape, seed=1)
    small = 1e-6
    nudged = [f(*(x + s * small * dx for x, dx in zip((q, k, v), along, strict=True))) for s in (1, -1)]
    torch.testing.assert_close(jvp(f, (q, k, v), tuple(along))[1], (nudged[0] - nudged[1]) / (2 * small))
    one = q[0, 0], k[0, 0], v[0, 0]
    jacobian = torch.autograd.functional.jacobian(
        lambda q: attention(q, *one[1:], causal=True, path="readable"), one[0]
    )
    same(jacrev(f)(*one), jacobian)
    same(jacfwd(f)(*one), jacobian)
    second = torch.autograd.functional.hessian(lambda q: f(q, *one[1:]).square().sum(), one[0])
    same(hessian(lambda q: f(q, *one[1:]).square().sum())(one[0]), second)


@pytest.mark.parametrize("at", range(4))
def test_forward_mode_outside_torch_func_takes_the_readable_path(at):
    arguments = tensors((5, 2), (7, 2), (7, 3), (7,))

    def f(x):
        q, k, v, u = (x if i == at else y for i, y in enumerate(arguments))
        return attention(q, k, v, log_prior=u)

    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(arguments[at], arguments[at])
        tangent = torch.autograd.forward_ad.unpack_dual(f(dual)).tangent
    same(tangent, jvp(f, (arguments[at],), (arguments[at],))[1])


def test_checkpointing_gives_the_same_gradients():
    q, k, v = tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 3), wanted=True)
    plain = grad(attention(q, k, v, causal=True).sum(), (q, k, v))
    again = torch.utils.checkpoint.checkpoint(lambda *x: attention(*x, causal=True), q, k, v, use_reentrant=False)
    same(grad(again.sum(), (q, k, v)), plain)


# ---- compiled


def test_a_graph_compiled_for_a_number_beta_is_right_for_an_infinite_one_too():
    torch.compiler.reset()
    compiled = torch.compile(lambda *x, beta: attention(*x, beta=beta), backend="eager", fullgraph=True)
    inputs = tensors((2, 4, 5, 2), (2, 2, 7, 2), (2, 2, 7, 3))
    for beta in (0.7, inf):
        same(compiled(*inputs, beta=beta), attention(*inputs, beta=beta))


def test_compiled_for_any_shape_gives_the_same_values():
    torch.compiler.reset()
    compiled = torch.compile(lambda q, k, v: attention(q, k, v, window=3), backend="eager", dynamic=True)
    for n_q, n_k in ((5, 7), (3, 11)):
        inputs = tensors((2, n_q, 2), (2, n_k, 2), (2, n_k, 3))
        same(compiled(*inputs), attention(*inputs, window=3))


def test_compiled_code_gives_awkward_rows_their_due():
    torch.compiler.reset()
    q, k, v = torch.ones(5, 1), torch.tensor([[1.0], [inf], [2.0], [nan]]), torch.eye(4)
    seen = [[1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 0], [0, 1, 0, 0]]
    where = torch.tensor(seen, dtype=torch.bool)
    compiled = torch.compile(lambda *x: attention(*x, beta=1.0, where=where), backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(q, k, v), attention(q, k, v, beta=1.0, where=where))
    assert compiled(q, k, v)[1:].tolist() == [[0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]


def test_a_mask_that_cannot_be_looked_at_is_still_the_mask():
    """As on a GPU and while compiling: lengths and offsets that are not read go into one mask."""
    q, k, v, u = tensors((3, 2, 5, 2), (3, 2, 7, 2), (3, 2, 7, 3), (7,))
    lengths, starts = torch.tensor([4, 0, 7]), torch.tensor([2, 1, -3])

    def f(path):
        return attention(q, k, v, causal=True, lengths=lengths, offset=starts, log_prior=u, path=path)

    torch.compiler.reset()
    same(torch.compile(lambda: f("fused"), backend="eager", fullgraph=True)(), f("readable"))
    mask = causal_mask(5, 7, offset=starts[:, None]) & (torch.arange(7) < lengths[:, None, None, None])
    same(attention(q, k, v, where=mask, log_prior=u, path="fused"), f("readable"))
