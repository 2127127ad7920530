"""Sparsemax and entmax attention by the compiled kernels is that of the readable path, and holds no weights."""

import importlib
import math

import numpy as np
import pytest
from attending import Lane, all_close, case, is_readable_too, random, with_gradients
from needs_torch import torch

from lib import attention
from lib.fast import kernels, threads

inf, nan = math.inf, math.nan
MAPS = [("sparsemax", {}), ("entmax", {}), ("entmax", {"alpha": 1.3}), ("entmax", {"alpha": 1.05})]
every_map = pytest.mark.parametrize(("name", "more"), MAPS, ids=str)
libraries = pytest.mark.parametrize("library", ["numpy", "torch-cpu"])
kernel = importlib.import_module("lib.fast.cpu")


@pytest.fixture
def asked(monkeypatch):
    """The rows of every call of the kernel."""
    rows, attend = [], kernel.attend_queries
    monkeypatch.setattr(kernel, "attend_queries", lambda *args: rows.append(args[:2]) or attend(*args))
    return rows


# ---- what the readable path says


# Who sees what, β and priors are the same to every map: to entmax at 1.5 in all cases, to the others in turn.
OTHERS = MAPS[0], MAPS[2], MAPS[3]
CASES = [(seed, *given) for seed in range(61) for given in (MAPS[1], OTHERS[seed % 3])]


@pytest.mark.parametrize(("seed", "name", "more"), CASES)
def test_output_and_gradients_are_those_of_the_readable_path(seed, name, more):
    arrays, options, _, _ = case(seed)
    prior = options.get("prior", options.get("log_prior"))
    options = options | {"weights": name} | more
    if np.ndim(prior) == 2 and prior.shape[-1] == 1:
        with pytest.raises(ValueError, match="cannot be taken with a mask or prior over queries alone"):
            attention(*arrays, path="fused", **options)
        return
    is_readable_too(arrays, **options)
    fused, readable = (attention(*arrays, path=path, **options) for path in ("fused", "readable"))
    np.testing.assert_allclose(fused, readable, rtol=1e-12, atol=1e-12)


@every_map
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_every_dtype_is_right_to_its_rounding(dtype, name, more):
    lane, exact = Lane("torch-cpu", "fused", dtype), Lane("torch-cpu", "readable")
    arrays = [lane.xp.rounded(x) for x in random((2, 4, 30, 7), (2, 2, 200, 7), (2, 2, 200, 5))]
    (output, gradients), (expected, slopes) = (
        which.gradients(*arrays, weights=name, causal=True, **more) for which in (lane, exact)
    )
    assert lane.raw(*arrays, weights=name, **more).dtype == lane.xp.dtype
    tol = max(lane.xp.tol, 3e-6)
    np.testing.assert_allclose(output, expected, rtol=tol, atol=tol)
    for x, gradient in gradients.items():
        np.testing.assert_allclose(gradient, slopes[x], rtol=5 * tol, atol=5 * tol * np.abs(slopes[x]).max())


@libraries
@pytest.mark.parametrize("n_k", [1, 2, 255, 256, 257, 530])
@pytest.mark.parametrize(("n_q", "d", "d_v"), [(1, 1, 1), (3, 4, 2), (130, 6, 9)])
def test_sizes_around_those_of_tiles_and_blocks(library, n_q, n_k, d, d_v, monkeypatch):
    monkeypatch.setattr(threads, "ENTRIES", 500)  # so that many calls share the rows
    arrays = random((3, n_q, d), (3, n_k, d), (3, n_k, d_v))
    for options in ({}, {"causal": True}, {"window": 50, "offset": 3}):
        fused, readable = (
            Lane(library, path)(*arrays, weights="entmax", **options) for path in ("fused", "readable")
        )
        np.testing.assert_allclose(fused, readable, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_however_many_threads_share_the_work_and_the_heads(count, monkeypatch):
    monkeypatch.setattr(threads, "count", lambda: count)
    monkeypatch.setattr(threads, "ENTRIES", 300)
    is_readable_too(random((1, 4, 90, 3), (1, 2, 70, 3), (1, 2, 70, 3)), weights="sparsemax", beta=2.0)


def test_gradients_are_summed_where_leading_axes_broadcast_and_heads_are_shared():
    for q, k, v in (
        ((4, 5, 3), (7, 3), (4, 7, 2)),
        ((2, 1, 5, 3), (3, 7, 3), (2, 1, 7, 2)),
        ((2, 6, 5, 3), (1, 3, 7, 3), (2, 2, 7, 2)),
        ((1, 4, 5, 3), (3, 2, 7, 3), (1, 7, 2)),
    ):
        is_readable_too(random(q, k, v), weights="entmax", beta=1.5)


@pytest.mark.parametrize(
    "beta", [0.0, inf, -inf, -0.8, 1e-30, 1e4, np.array([[0.5], [0.0], [-2.0], [inf], [3.0]])]
)
@every_map
def test_any_beta(beta, name, more):
    arrays = random((2, 5, 3), (2, 200, 3), (2, 200, 4))
    arrays[1][:, :100] = arrays[1][:, 100:]  # ties
    is_readable_too(arrays, weights=name, beta=beta, tol=1e-10, **more)


@pytest.mark.parametrize("shape", [(), (4, 1, 1)])
def test_log_priors_far_from_zero_and_with_nothing_in_places(shape):
    """And exactly as far apart as a float64 holds their exponentials, or farther."""
    arrays = random((4, 20, 3), (4, 30, 3), (4, 30, 4))
    log_prior = np.random.default_rng(3).normal(size=(20, 30)) + np.zeros((*shape[:1], 1, 1)) - 5000
    log_prior[..., 7:9] = -inf
    options = {"weights": "entmax", "causal": True}
    is_readable_too(arrays, log_prior=log_prior, **options)
    for apart in (700.0, 700.5):
        log_prior[..., :2, :2] = 0.0
        log_prior[np.isfinite(log_prior) & (log_prior != 0)] = -apart
        options["log_prior"] = log_prior
        np.testing.assert_allclose(attention(*arrays, **options), attention(*arrays, path="readable", **options))
        if apart == 700:
            attention(*arrays, path="fused", **options)
    with pytest.raises(ValueError, match="log-prior of which two entries are more than 700 nats apart"):
        attention(*arrays, path="fused", **options)


# ---- awkward values


def test_a_score_that_is_nan_spoils_its_own_query_alone():
    q, k, v = random((6, 4), (150, 4), (150, 4))
    q[2, 1] = nan
    output, dq, dk, dv = with_gradients((q, k, v), "fused", weights="entmax", where=np.arange(150) != 5)
    for x in (output, dq):
        np.testing.assert_array_equal(np.isnan(x).any(-1), np.arange(6) == 2)
    for x in (dk, dv):
        np.testing.assert_array_equal(np.isnan(x).any(-1), np.arange(150) != 5)


@every_map
def test_infinite_scores(name, more):
    q, k, v = np.ones((3, 1)), np.linspace(-1, 1, 150)[:, None], random((150, 4))[0]
    k[[3, 70]], k[90], q[1] = inf, -inf, -1.0
    q[2] = 0.0  # 0 · inf is NaN
    fused, readable = (with_gradients((q, k, v), path, weights=name, **more) for path in ("fused", "readable"))
    np.testing.assert_allclose(fused[0][:2], readable[0][:2], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(fused[0][0], v[[3, 70]].mean(0), rtol=1e-12)
    np.testing.assert_allclose(fused[0][1], v[90], rtol=1e-12)
    assert np.isnan(fused[0][2]).all()
    np.testing.assert_array_equal(fused[1][:2], 0)


# ---- derivatives


@pytest.mark.parametrize("wanted", [(1,), (0, 1), (0, 1, 2)], ids=str)
def test_second_derivatives_are_refused_or_computed_anew_for_whoever_asked(wanted, asked, monkeypatch):
    monkeypatch.setattr(kernels, "SMALLEST", 0)
    monkeypatch.setattr(kernels, "FEWEST", 0)
    arrays = [torch.tensor(x) for x in random((2, 4, 20, 4), (2, 2, 20, 4), (2, 2, 20, 3))]

    def second(path):
        leaves = [x.clone().requires_grad_(i in wanted) for i, x in enumerate(arrays)]
        inputs, output = [leaves[i] for i in wanted], attention(*leaves, weights="entmax", path=path)
        first = torch.autograd.grad(output.sin().sum(), inputs, create_graph=True)
        then = torch.autograd.grad(sum((g**2).sum() for g in first), inputs)
        return [x.detach().numpy() for x in (*first, *then)]

    all_close(second("auto"), second("readable"))
    assert asked
    with pytest.raises(RuntimeError, match='for more take path="readable"'):
        second("fused")


# ---- when the kernels are taken


def test_the_kernels_are_taken_for_enough_work_and_for_no_more(asked):
    q, k, v = random((2, 200, 3), (2, 200, 3), (2, 200, 3))
    attention(q, k, v, weights="entmax")
    assert asked
    asked.clear()
    attention(q, k, v, weights="entmax", path="readable")
    attention(q[:, :9], k[:, :9], v[:, :9], weights="entmax")
    assert not asked


def test_a_gradient_that_the_kernels_do_not_have_is_left_to_others():
    arrays = [torch.tensor(x) for x in random((2, 200, 3), (2, 200, 3), (2, 200, 3))]
    beta = torch.tensor([[0.7]], dtype=torch.float64, requires_grad=True)
    auto, readable = (attention(*arrays, beta=beta, weights="entmax", path=path) for path in ("auto", "readable"))
    all_close(*(torch.autograd.grad(output.sum(), beta) for output in (auto, readable)))
    with pytest.raises(ValueError, match="with a gradient wanted in beta or the prior"):
        attention(*arrays, beta=beta, weights="entmax", path="fused")
    with torch.no_grad():
        attention(*arrays, beta=beta, weights="entmax", path="fused")


def test_transforms_go_another_way():
    q, k, v = (torch.tensor(x) for x in random((3, 200, 3), (3, 200, 3), (3, 200, 3)))
    got = torch.func.vmap(lambda *x: attention(*x, weights="entmax"))(q, k, v)
    torch.testing.assert_close(got, attention(q, k, v, weights="entmax", path="readable"), rtol=1e-12, atol=1e-12)


def test_the_kernels_get_the_same_types_whatever_comes_with_q_k_and_v(monkeypatch):
    """For any other type, a read-only array too, they would be compiled anew, which takes seconds."""
    from numba import typeof

    taken = []
    monkeypatch.setattr(kernel, "attend_queries", lambda *args: taken.append(args))
    q, k, v = (x.astype(np.float32) for x in random((2, 5, 3), (2, 5, 3), (2, 5, 3)))
    row, square = np.ones((5, 1), np.float32), np.ones((5, 5), np.float32)
    for options in (
        {},
        {"beta": np.float16(0.5)},
        {"beta": row},
        {"beta": row + np.zeros((2, 1, 1), np.float32)},
        {"lengths": np.array([3, 5], np.int32)},
        {"causal": True, "offset": np.int32(1)},
        {"window": np.int16(3), "offset": np.array([0, 1])},
        {"where": square > 0},
        {"where": square > np.zeros((2, 1, 1))},
        {"prior": square},
        {"log_prior": square + np.zeros((2, 1, 1), np.float32)},
        {"dropout": 0.1},
        {"dropout": np.float32(0.5), "generator": np.random.default_rng(1)},
    ):
        attention(q, k, v, weights="entmax", path="fused", **options)
    assert len({tuple(map(typeof, args)) for args in taken}) == 1
    assert all(np.shares_memory(inputs.v, v) for _, _, inputs, _ in taken)  # nor are the values copied


def test_a_mask_over_queries_alone_is_one_over_keys_where_there_is_one_key():
    q, k, v = random((3, 4), (1, 4), (1, 2))
    where = np.array([[True], [False], [True]])
    found = attention(q, k, v, weights="sparsemax", where=where, path="fused")
    np.testing.assert_array_equal(found, np.where(where, v, 0.0))
