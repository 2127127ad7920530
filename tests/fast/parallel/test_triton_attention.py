"""Sparsemax and entmax attention by Triton's kernels, against the definition in float64."""

import math

import numpy as np
import pytest
import torch
import triton_device
from triton_device import DEVICE, in_float64, on_device

from lib import attention
from lib._request import checked
from lib.fast import entmax_arguments, entmax_attention, gpu

inf, nan = math.inf, math.nan
SHAPES = (1, 2, 20, 5), (1, 1, 37, 5), (1, 1, 37, 7)  # two heads of queries that share keys and values
MAPS = {
    "sparsemax": {"weights": "sparsemax"},
    "1.5": {"weights": "entmax"},
    "1.3": {"weights": "entmax", "alpha": 1.3},
}
every_map = pytest.mark.parametrize("which", MAPS)
EPS = {torch.float32: 2.0**-23, torch.bfloat16: 2.0**-7, torch.float16: 2.0**-10}
GENERATOR = np.random.default_rng(1)
SOME = GENERATOR.uniform(size=(20, 37)) < 0.3
SOME[3] = False  # a query that sees nothing
PRIOR = GENERATOR.uniform(size=37) * (GENERATOR.uniform(size=37) < 0.8)
LOG_PRIOR = GENERATOR.normal(size=(2, 20, 37)) - 5000
LOG_PRIOR[:, :, 7:9] = -inf
OPTIONS = {
    "nothing": {},
    "causal": {"causal": True},
    "causal, early": {"causal": True, "offset": np.array([-4])},
    "window": {"window": 5},
    "window, offset": {"window": 9, "offset": 3},
    "lengths": {"lengths": np.array([30])},
    "padded cache": {"causal": True, "lengths": np.array([25]), "offset": np.array([5])},
    "where": {"where": SOME},
    "where of each head": {"where": np.stack([SOME, ~SOME]), "causal": True},
    "where over keys": {"where": SOME[0]},
    "where over queries": {"where": SOME[:, :1]},
    "prior": {"prior": PRIOR},
    "log-prior of each head": {"log_prior": LOG_PRIOR},
    "negative beta": {"beta": -0.8, "prior": PRIOR},
    "beta 0": {"beta": 0.0, "causal": True},
    "beta infinite": {"beta": inf, "prior": PRIOR + 0.1},
    "beta minus infinite": {"beta": -inf, "where": SOME},
    "beta of each query": {"beta": np.linspace(-2, 2, 20)[:, None] * np.array([1.0, inf])[:, None, None]},
    "sharp": {"beta": 9.0},
}
OPTIONS["beta of each query"]["beta"][np.isnan(OPTIONS["beta of each query"]["beta"])] = 0.0


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """So small that a few dozen keys make several blocks."""
    monkeypatch.setattr(gpu, "QUERIES", 16)
    monkeypatch.setattr(gpu, "KEYS", 16)


def random(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def with_gradients(attend, leaves, grad):
    output = attend(*leaves)
    return [output.detach(), *torch.autograd.grad(output, leaves, grad.to(output.dtype))]


def both(arrays, dtype=torch.float32, grad=None, path="fused", **options):
    """Output and gradients in q, k and v: by the kernels, and by the definition in float64 of the same numbers."""
    given = [on_device(x, dtype) for x in arrays]
    options = {k: on_device(x) if isinstance(x, np.ndarray) else x for k, x in options.items()}
    shape = (*np.broadcast_shapes(*(x.shape[:-2] for x in given[:1])), *given[0].shape[-2:-1], given[2].shape[-1])
    grad = on_device(random(shape, seed=7)[0] if grad is None else grad, dtype)
    with triton_device.kernels_take_part():
        got = with_gradients(
            lambda *x: attention(*x, path=path, **options), [x.clone().requires_grad_() for x in given], grad
        )
    options = {k: in_float64(x) for k, x in options.items()}
    want = with_gradients(
        lambda *x: attention(*x, path="readable", **options),
        [in_float64(x).requires_grad_() for x in given],
        in_float64(grad),
    )
    assert all(x.dtype == dtype and x.device.type == DEVICE for x in got)
    return [in_float64(x) for x in got], want


def close(got, want, tol):
    """Each array within `tol` of its own largest entry."""
    for a, b in zip(got, want, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=tol * max([1.0, *b.abs().flatten().tolist()]))


# ---- what the definition says


@pytest.mark.parametrize("name", OPTIONS)
def test_output_and_gradients_are_those_of_the_definition(name):
    close(*both(random(*SHAPES), **MAPS["1.5"], **OPTIONS[name]), 3e-6)


@pytest.mark.parametrize("which", ["sparsemax", "1.3"])
@pytest.mark.parametrize("name", ["causal", "where", "log-prior of each head", "sharp"])
def test_of_other_maps_too(which, name):
    close(*both(random(*SHAPES), **MAPS[which], **OPTIONS[name]), 3e-6)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@every_map
def test_half_precision(dtype, which):
    """In the interpreter products are in float32; on a GPU the weights are rounded before they mix the values."""
    arrays = random(*SHAPES)
    close(*both(arrays, dtype, causal=True, **MAPS[which]), (4 if DEVICE == "cuda" else 1) * EPS[dtype])


@pytest.mark.parametrize(
    "shapes",
    [
        ((1, 1), (1, 1), (1, 1)),
        ((1, 4), (37, 4), (37, 3)),
        ((17, 3), (1, 3), (1, 2)),
        ((16, 16), (32, 16), (32, 17)),
        ((2, 2, 3, 2), (2, 1, 18, 2), (1, 1, 18, 2)),
        ((2, 3, 2), (18, 2), (2, 18, 2)),
    ],
    ids=str,
)
def test_sizes_around_those_of_tiles_and_leading_axes(shapes):
    close(*both(random(*shapes), **MAPS["1.5"], beta=1.5), 3e-6)


def test_each_batch_item_has_its_own_length_and_offset():
    options = {"lengths": np.array([0, 11, 18]), "offset": np.array([0, 8, 15]), "causal": True}
    close(*both(random((3, 1, 3, 2), (3, 1, 18, 2), (3, 1, 18, 2)), **MAPS["1.5"], **options), 3e-6)


# ---- blocks that are left out


@pytest.mark.parametrize(("spans", "weighty"), [(512, [0, 1, 0, 0]), (3, [1, 0]), (1, [1])])
def test_blocks_without_weight_are_left_out(spans, weighty, monkeypatch):
    monkeypatch.setattr(gpu, "SPANS", spans)
    q, k, v = random((1, 32, 4), (1, 64, 4), (1, 64, 4), seed=2)
    q[0, :, 0], k[0, :, 0] = 3.0, -9.0
    k[0, 20:30, 0] = 9.0  # all that gets weight is in the second block
    found, forward = [], gpu.attention_forward
    monkeypatch.setattr(gpu, "attention_forward", lambda *args: found.append(forward(*args)) or found[-1])
    close(*both((q, k, v), **MAPS["1.5"]), 3e-6)
    _, (_, active) = found[0]
    assert (active != 0).tolist() == [[[bool(some) for some in weighty]] * 2]


@pytest.mark.parametrize("spans", [1, 2])
@pytest.mark.parametrize("name", ["causal", "where", "log-prior of each head", "sharp"])
def test_blocks_may_share_an_entry(spans, name, monkeypatch):
    monkeypatch.setattr(gpu, "SPANS", spans)
    close(*both(random(*SHAPES), **MAPS["1.5"], **OPTIONS[name]), 3e-6)


@pytest.mark.parametrize(("spans", "entries"), [(512, 6), (5, 3), (1, 1)])
def test_of_what_is_kept_for_the_gradient_nothing_has_the_size_of_the_weights(spans, entries, monkeypatch):
    monkeypatch.setattr(gpu, "SPANS", spans)
    q, k, v = (on_device(x) for x in random((1, 48, 2), (1, 96, 2), (1, 96, 2)))
    with triton_device.kernels_take_part():
        request = checked(q, k, v, weights="entmax")
        options = 1.5, *entmax_arguments.options_of(request, None)
        _, (state, active) = gpu.attention_forward(q, k, v, *options)
    assert tuple(state.shape) == (4, 1, 48)
    assert tuple(active.shape) == (1, 3, entries)


# ---- awkward values


@pytest.mark.parametrize("hidden", [nan, inf])
@pytest.mark.parametrize("how", ["lengths", "where", "prior"])
def test_what_is_masked_has_no_effect(hidden, how):
    q, k, v = random(*SHAPES)
    seen = np.arange(37) < 30 if how == "lengths" else np.arange(37) % 3 > 0
    options = {how: {"lengths": np.array([30]), "where": seen, "prior": seen.astype(float)}[how]}
    k, v = (np.where(seen[:, None], x, hidden) for x in (k, v))
    got, want = both((q, k, v), **MAPS["1.5"], **options)
    assert all(x.isfinite().all() for x in want)
    close(got, want, 3e-6)


def test_a_query_that_sees_nothing_gets_and_gives_zeros():
    q, k, v = random(*SHAPES)
    q[0, :, 3] = nan
    grad = random((1, 2, 20, 7))[0]
    grad[:, :, 3] = nan
    got, _ = both((q, k, v), grad=grad, **MAPS["1.5"], where=SOME)
    assert all(x.isfinite().all() for x in got)
    assert not got[0][0, :, 3].any()
    assert not got[1][0, :, 3].any()


def test_a_nan_among_the_scores_spoils_its_own_query_alone():
    q, k, v = random(*SHAPES)
    q[0, 0, 2, 1] = nan
    (output, dq, dk, dv), _ = both((q, k, v), **MAPS["1.5"], where=np.arange(37) != 5)
    for x in (output, dq):
        assert torch.equal(x.isnan().any(-1)[0], torch.arange(20).eq(2) & torch.tensor([[True], [False]]))
    for x in (dk, dv):
        assert torch.equal(x.isnan().any(-1)[0, 0], torch.arange(37).ne(5))


@every_map
def test_infinite_scores(which):
    q, k, v = np.ones((3, 1)), np.linspace(-1, 1, 37)[:, None], random((37, 4))[0]
    k[[3, 20]], k[30], q[1], q[2] = inf, -inf, -1.0, 0.0  # 0 · inf is NaN
    (output, dq, _, _), _ = both((q, k, v), **MAPS[which])
    np.testing.assert_allclose(output[0], v[[3, 20]].mean(0), atol=1e-6)
    np.testing.assert_allclose(output[1], v[30], atol=1e-6)
    assert output[2].isnan().all()
    assert not dq[:2].any()


@pytest.mark.parametrize("scale", [1e-18, 1e6, 1e18])
def test_scores_far_from_one(scale):
    """Of the largest some gaps overflow; all of them are as exact as the scores are."""
    q, k, v = random((1, 20, 1), (1, 37, 1), (1, 37, 3))
    q[:], k = scale, np.round(8 * k) * scale / 8
    k[0, :4, 0] = 240 * scale, -240 * scale, 0.0, 1e-3
    for beta in (1.0, 1 / scale**2, 5e-4 / scale**2):
        close(*both((q, k, v), **MAPS["1.5"], beta=beta), 1e-5)


def test_an_offset_in_the_scores_costs_no_digits():
    q, k, v = random((1, 20, 3), (1, 37, 3), (1, 37, 3))
    q[..., 0], k[..., 0] = 1.0, 1e6
    q[..., 1:], k[..., 1:] = np.round(q[..., 1:]), np.round(2 * k[..., 1:]) / 2  # the scores themselves are exact
    (output, *_), (want, *_) = both((q, k, v), **MAPS["1.5"], beta=0.7)
    close([output], [want], 2e-6)


def test_an_offset_in_the_log_prior_costs_no_digits():
    log_prior = torch.as_tensor(random((20, 37), seed=3)[0] + 3000, device=DEVICE)  # float64
    log_prior[4] = -inf
    log_prior[4, 2] = 1e5
    of_each_head = torch.stack([log_prior, log_prior.flip(0) - 7000])
    for given in (log_prior, of_each_head):
        close(*both(random(*SHAPES), **MAPS["1.5"], log_prior=given), 3e-6)


def test_no_queries_no_keys_no_features():
    for shapes in (
        ((2, 0, 3), (2, 7, 3), (2, 7, 4)),
        ((2, 5, 3), (2, 0, 3), (2, 0, 4)),
        ((0, 5, 3), (0, 7, 3), (0, 7, 4)),
        ((2, 5, 0), (2, 7, 0), (2, 7, 4)),
        ((2, 5, 3), (2, 7, 3), (2, 7, 0)),
    ):
        n_k = shapes[1][-2]
        for options in ({}, {"log_prior": torch.zeros(n_k, dtype=torch.float64, device=DEVICE)}):
            close(*both([np.ones(shape) for shape in shapes], **MAPS["1.5"], **options), 1e-6)


def test_strides_do_not_matter_and_nothing_is_changed():
    q, k, v = (on_device(x) for x in random(*SHAPES))
    where = on_device(SOME)
    with triton_device.kernels_take_part():
        want = attention(q, k, v, where=where, **MAPS["1.5"], path="fused")
        awkward = q.mT.contiguous().mT, k.flip(-2).contiguous().flip(-2), torch.cat([v, v], -1)[..., :7]
        before = [x.clone() for x in (*awkward, where)]
        got = attention(*awkward, where=where.T.contiguous().T, **MAPS["1.5"], path="fused")
    assert torch.equal(got, want)
    assert all(torch.equal(x, y) for x, y in zip((*awkward, where), before, strict=True))


# ---- when the kernels are taken


@pytest.fixture
def asked(monkeypatch):
    """The calls of the kernel."""
    calls, forward = [], gpu.attention_forward
    monkeypatch.setattr(gpu, "attention_forward", lambda *args: calls.append(1) or forward(*args))
    with triton_device.kernels_take_part():
        yield calls


def test_on_a_gpu_the_kernels_are_the_first_choice(asked):
    q, k, v = (on_device(x) for x in random((2, 3, 2), (2, 4, 2), (2, 4, 2)))
    attention(q, k, v, weights="sparsemax")
    assert asked
    asked.clear()
    attention(q, k, v, weights="sparsemax", path="readable")
    attention(q.double(), k.double(), v.double(), weights="sparsemax")
    attention(q, k, v, weights="sparsemax", return_weights=True)
    torch.func.vmap(lambda *x: attention(*x, weights="sparsemax"))(q, k, v)
    assert not asked


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"weights": "relu_norm"}, "with weights='relu_norm'"),
        ({"alpha": 1.04}, "with an alpha that is an array, or outside"),
        ({"alpha": 2.01}, "with an alpha that is an array, or outside"),
        ({"alpha": np.array([[1.5]])}, "with an alpha that is an array, or outside"),
        ({"dropout": 0.1}, "with dropout"),
        ({"return_weights": True}, "with return_weights=True: no kernel holds them"),
        ({"weights": lambda scores, beta, where, axis: scores}, "with a callable"),
        ({"dtype": torch.float64}, "in torch.float64: on a GPU the kernels compute in float32"),
        ({"d": 257}, "with more than 256 features"),
        ({"d_v": 257}, "with more than 256 features"),
        (
            {"beta": torch.ones(1, 1, device=DEVICE, requires_grad=True)},
            "with a gradient wanted in beta or the prior",
        ),
    ],
    ids="relu_norm low_alpha high_alpha alphas dropout return_weights callable float64 wide wide_v beta".split(),
)
def test_what_the_kernels_do_not_do_is_refused_by_name(options, reason, asked):
    options = {"weights": "entmax", "dtype": torch.float32, "d": 3, "d_v": 3} | options
    dtype = options.pop("dtype")
    q, v = (on_device(np.ones((2, 5, options.pop(name))), dtype) for name in ("d", "d_v"))
    options = {name: on_device(x) if isinstance(x, np.ndarray) else x for name, x in options.items()}
    with pytest.raises(ValueError, match=f'path="fused" cannot be taken {reason}.*path="readable"'):
        attention(q, q, v, path="fused", **options)
    assert not asked


def test_the_widest_features_and_both_ends_of_alpha_are_for_the_kernels():
    wide, long = (on_device(np.ones(shape), torch.float32) for shape in ((1, 2, 300, 256), (1, 300, 3, 8)))
    with triton_device.kernels_take_part():
        assert entmax_attention.why_not(checked(wide, wide, wide, weights="entmax", alpha=1.05)) is None
        assert entmax_attention.why_not(checked(long, long, long, weights="entmax", alpha=2)) is None


def test_without_triton_it_is_said(asked, monkeypatch):
    from lib.fast import kernels

    monkeypatch.setattr(kernels, "kernels_for", lambda x: None)
    q = on_device(np.ones((2, 5, 3)))
    with pytest.raises(ValueError, match='path="fused" cannot be taken without Triton'):
        attention(q, q, q, weights="entmax", path="fused")
    assert attention(q, q, q, weights="entmax").shape == (2, 5, 3)


def test_second_derivatives_are_refused_or_computed_anew(asked):
    arrays = random((2, 3, 2), (2, 4, 2), (2, 4, 2), seed=1)

    def second(path, dtype):
        leaves = [on_device(x, dtype).requires_grad_() for x in arrays]
        output = attention(*leaves, weights="entmax", path=path)
        first = torch.autograd.grad(output.sin().sum(), leaves, create_graph=True)
        return [in_float64(x) for x in torch.autograd.grad(sum((g**2).sum() for g in first), leaves)]

    close(second("auto", torch.float32), second("readable", torch.float64), 1e-5)
    assert asked
    told = '^path="fused" has first-order gradients alone; for more take path="readable"$'
    with pytest.raises(RuntimeError, match=told):
        second("fused", torch.float32)


def test_only_what_is_wanted_gets_a_gradient():
    q, k, v = (on_device(x) for x in random((2, 3, 2), (2, 4, 2), (2, 4, 2)))
    k.requires_grad_()
    with triton_device.kernels_take_part():
        attention(q, k, v, weights="entmax", path="fused").sum().backward()
    assert q.grad is v.grad is None
    assert k.grad.abs().sum() > 0


@pytest.mark.parametrize("shared", [(2, 4), (4, 1), (1, 2)])
def test_keys_and_values_may_be_shared_by_different_numbers_of_heads(shared):
    keys, values = shared
    close(*both(random((2, 4, 5, 3), (2, keys, 7, 3), (2, values, 7, 2)), **MAPS["1.5"], causal=True), 3e-6)
