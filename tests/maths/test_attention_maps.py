"""Attention by every map of the table: the map of each query's own scores, on whatever it may see."""

import functools
import math

import maps
import numpy as np
import pytest
from attending import MAPS, Lane, close, every_map, random, who_sees_whom
from optional_torch import torch

import lib
from lib import attention, softmax

gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck
jacrev, vmap = torch.func.jacrev, torch.func.vmap

inf, nan = math.inf, math.nan
TAKE_A_PRIOR = [label for label, (name, _) in MAPS.items() if name in maps.TAKE_A_PRIOR]
lanes = [Lane("numpy", "auto"), Lane("strict", "auto"), Lane("torch-cpu", "readable"), Lane("torch-cpu", "auto")]
every_way = pytest.mark.parametrize("lane", lanes, ids=repr)
OPTIONS = {"causal": True, "offset": np.array([3, -2]), "lengths": np.array([5, 7])}  # the second starts blind
SEES = np.stack([who_sees_whom(5, 7, causal=True, offset=o, length=n) for o, n in ((3, 5), (-2, 7))])


def one_row_at_a_time(name, q, k, v, beta, prior=None):
    """Each query by itself, with the keys that it does not see deleted."""
    name, options = MAPS[name]
    output, weights = np.zeros((2, 3, 5, v.shape[-1])), np.zeros((2, 3, 5, 7))
    for b, h, i in np.ndindex(2, 3, 5):
        seen = SEES[b, i] if prior is None else SEES[b, i] & (prior[h, i] > 0)
        row = {key: float(np.ravel(x)[h if np.size(x) > 1 else 0]) for key, x in options.items()}
        row |= {} if prior is None else {"prior": prior[h, i, seen]}
        if seen.any():
            weights[b, h, i, seen] = getattr(lib, name)(k[b, h, seen] @ q[b, h, i], beta=beta, **row)
        output[b, h, i] = weights[b, h, i] @ v[b, h]
    return output, weights


def test_the_maps_are_these_six():
    without_a_prior = ["relu_norm", "sigmoid_weights", "softmax_plus_one"]
    assert maps.TAKE_A_PRIOR == ["softmax", "sparsemax", "entmax"]
    assert [getattr(lib, name) for name in without_a_prior] == maps.DENSE
    assert [getattr(lib, name) for name in maps.NAMES] == maps.FUNCTIONS


@every_way
@every_map
@pytest.mark.parametrize("beta", [None, 0.7, -2.0, 0.0, inf])
def test_each_query_gets_the_map_of_its_own_scores(lane, name, beta):
    q, k, v = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11))
    expected = one_row_at_a_time(name, q, k, v, 2**-0.5 if beta is None else beta)
    options = {"weights": MAPS[name][0], "beta": beta} | MAPS[name][1] | OPTIONS
    output, weights = lane.raw(q, k, v, return_weights=True, **options)
    close(lane, lane.xp.to_numpy(output), expected[0], scale=4)
    close(lane, lane.xp.to_numpy(weights), expected[1], scale=4)
    close(lane, lane(q, k, v, **options), expected[0], scale=4)


@every_way
@pytest.mark.parametrize("name", TAKE_A_PRIOR)
def test_a_map_that_takes_a_prior_gets_either_form_of_it_normalised_over_what_is_seen(lane, name):
    q, k, v, u = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11), (3, 5, 7))
    prior = np.exp(u) * (np.abs(u) < 1.5)  # some zeros, some rows of nothing that is seen
    prior[..., 0] += prior.sum(-1) == 0
    expected, _ = one_row_at_a_time(name, q, k, v, 0.7, prior)
    options = {"weights": MAPS[name][0], "beta": 0.7} | MAPS[name][1] | OPTIONS
    close(lane, lane(q, k, v, prior=1e5 * prior, **options), expected, scale=4)
    log_prior = np.where(prior > 0, u, -inf)
    close(lane, lane(q, k, v, log_prior=log_prior, **options), expected, scale=4)
    close(
        lane, lane(q, k, v, log_prior=log_prior - 2000, **options), expected, scale=4000
    )  # below every exponential


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", TAKE_A_PRIOR)
@pytest.mark.parametrize("way", [("numpy", "auto"), ("torch-cpu", "auto")])
def test_a_log_prior_however_low_is_no_mask(way, name, dtype):
    """Nothing to speak of is added to the score, which is high enough by itself."""
    lane = Lane(*way, dtype)
    q, k, v = np.array([[1.0]] * 3), np.array([[0.0], [9000.0], [0.0]]), np.eye(3)
    for low in (-150.0, -2000.0):
        log_prior = np.array([[0.0, low, -inf]] * 3)
        shape = {key: x if np.ndim(x) == 0 else x[:, 0] for key, x in MAPS[name][1].items()}
        output = lane(q, k, v, beta=1.0, weights=MAPS[name][0], log_prior=log_prior, **shape)
        np.testing.assert_allclose(output, [[0, 1, 0]] * 3, atol=1e-30)


@every_way
def test_a_function_of_the_table_is_its_name(lane):
    """With a prior too."""
    q, k, v, u = random((2, 5, 3), (2, 7, 3), (2, 7, 11), (7,))
    for name, options in MAPS.values():
        options = options | ({"log_prior": u} if name in maps.TAKE_A_PRIOR else {})
        if np.size(options.get("alpha")) == 1:
            named, itself = (lane(q, k, v, weights=w, **options) for w in (name, getattr(lib, name)))
            np.testing.assert_array_equal(named, itself)


@every_way
def test_a_function_gets_beta_by_its_name_so_a_map_whose_alpha_is_fixed_will_do(lane):
    q, k, v = random((2, 5, 3), (2, 7, 3), (2, 7, 11))
    fixed = functools.partial(lib.entmax, alpha=1.7)
    for beta in (None, 0.4):
        named = lane(q, k, v, beta=beta, causal=True, weights="entmax", alpha=1.7)
        np.testing.assert_allclose(
            lane(q, k, v, beta=beta, causal=True, weights=fixed), named, rtol=1e-12, atol=1e-12
        )
    third = lambda scores, where=None, beta=2.0, *, axis: softmax(scores, beta, where=where, axis=axis)  # noqa: E731
    np.testing.assert_allclose(lane(q, k, v, beta=0.4, weights=third), lane(q, k, v, beta=0.4), rtol=1e-12)


@pytest.mark.parametrize("name", [f.__name__ for f in maps.DENSE])
def test_the_maps_without_a_kernel_are_refused_by_the_fused_path(name):
    q, k, v = map(torch.tensor, random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11)))
    with pytest.raises(ValueError, match=f"path=\"fused\" cannot be taken with weights='{name}'"):
        attention(q, k, v, weights=name, path="fused")


# ---- derivatives, and what must not be seen


@every_map
@pytest.mark.parametrize("hidden", [nan, inf, -inf])
def test_what_is_masked_changes_nothing_and_who_is_blind_gets_nothing(name, hidden):
    lane = Lane("torch-cpu", "auto")
    q, k, v = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11))
    options = {"weights": MAPS[name][0], "beta": 0.7} | MAPS[name][1] | OPTIONS
    output, expected = lane.gradients(q, k, v, **options)
    unseen = ~SEES.any(1)  # (batch, n_k)
    assert unseen.sum() > 3
    k, v = (np.where(unseen[:, None, :, None], hidden, x) for x in (k, v))
    spoilt, gradients = lane.gradients(q, k, v, **options)
    np.testing.assert_array_equal(spoilt, output)
    assert (output[1, :, :2] == 0).all()
    assert (gradients["q"][1, :, :2] == 0).all()
    for x, gradient in gradients.items():
        np.testing.assert_array_equal(gradient, expected[x], err_msg=x)


@every_map
def test_derivatives_of_first_and_second_order(name):
    q, k, v = (
        torch.tensor(x, requires_grad=True) for x in random((2, 3, 2, 1), (2, 1, 3, 1), (2, 1, 3, 2), seed=1)
    )
    beta = torch.tensor([0.3, 0.5, 0.9], dtype=torch.float64).reshape(3, 1, 1).requires_grad_()
    where = torch.tensor([[True, False, True], [False] * 3])
    options = {key: torch.as_tensor(x, dtype=torch.float64).clone() for key, x in MAPS[name][1].items()}
    leaves = [x.requires_grad_() for x in options.values()]
    if name == "entmax, an alpha for each head":
        leaves[0].data += 0.1  # finite differences must not fall below 1

    def f(q, k, v, beta, *alpha):
        learned = dict(zip(options, alpha, strict=True))
        return attention(q, k, v, beta=beta, where=where, weights=MAPS[name][0], **learned)

    assert gradcheck(f, (q, k, v, beta, *leaves))
    assert gradgradcheck(f, (q, k, v, beta, *leaves), fast_mode=True)


@every_map
def test_vmap_and_jacobians_agree_with_plain_calls(name):
    q, k, v = map(torch.tensor, random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 2)))
    options = {key: torch.tensor(x) if isinstance(x, np.ndarray) else x for key, x in MAPS[name][1].items()}
    f = functools.partial(attention, causal=True, weights=MAPS[name][0], **options)
    torch.testing.assert_close(vmap(f)(q, k, v), f(q, k, v), rtol=1e-12, atol=1e-12)
    plain = torch.autograd.functional.jacobian(lambda x: f(x, k[0], v[0]), q[0])
    torch.testing.assert_close(jacrev(lambda x: f(x, k[0], v[0]))(q[0]), plain, rtol=1e-12, atol=1e-12)


@every_map
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_every_dtype_is_right_to_its_rounding(name, dtype):
    lane = Lane("torch-cpu", "auto", dtype)
    q, k, v = map(lane.xp.rounded, random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11)))
    options = {key: lane.xp.rounded(x) for key, x in MAPS[name][1].items()}
    options = {"weights": MAPS[name][0], "causal": True} | options
    options = {
        key: x.item() if np.ndim(x) == 0 and not isinstance(x, (str, bool)) else x for key, x in options.items()
    }
    output = lane.raw(q, k, v, **options)
    assert output.dtype == lane.xp.dtype
    expected = attention(q, k, v, **options)
    np.testing.assert_allclose(lane.xp.to_numpy(output), expected, rtol=lane.xp.tol, atol=lane.xp.tol)


def test_sparse_weights_at_alpha_one_and_two_are_softmax_and_sparsemax():
    q, k, v = random((2, 5, 3), (2, 7, 3), (2, 7, 11))
    for alpha, name in ((1.0, "softmax"), (2.0, "sparsemax")):
        got = attention(q, k, v, weights="entmax", alpha=alpha, causal=True)
        np.testing.assert_allclose(got, attention(q, k, v, weights=name, causal=True), rtol=1e-13, atol=1e-13)
