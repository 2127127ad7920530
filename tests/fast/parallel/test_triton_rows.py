"""Sparsemax and entmax along rows by Triton's kernels, against the readable bodies in float64."""

import math

import numpy as np
import pytest
import torch
import triton_device
from triton_device import DEVICE, in_float64, on_device

from lib import entmax, sparsemax
from lib.fast import gpu, kernels

# torch warns of its own use of torch.jit when forward derivatives are first asked for
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")

inf, nan = math.inf, math.nan
ALPHAS = (1.05, 1.2, 1.5, 2.0)
HALVES = (torch.bfloat16, torch.float16)
EPS = {torch.float32: 2.0**-23, torch.bfloat16: 2.0**-7, torch.float16: 2.0**-10}


@pytest.fixture(autouse=True)
def on_a_gpu():
    with triton_device.kernels_take_part():
        yield


@pytest.fixture
def asked(monkeypatch):
    """The calls of the kernels for rows."""
    calls = []
    for name in ("entmax_forward", "entmax_backward"):
        f = getattr(gpu, name)
        monkeypatch.setattr(gpu, name, lambda *args, f=f, name=name: calls.append(name) or f(*args))
    return calls


def readable(scores, alpha, beta=1.0, grad=None, **options):
    """The weights, and the gradient in the scores if `grad` is given, in float64 by the readable body."""
    scores = in_float64(scores).requires_grad_(grad is not None)
    weights = entmax(scores, alpha=alpha, beta=in_float64(beta), **{k: in_float64(x) for k, x in options.items()})
    if grad is None:
        return weights
    return weights.detach(), torch.autograd.grad(weights, scores, in_float64(grad))[0]


def close(got, want, tol):
    torch.testing.assert_close(in_float64(got), want, rtol=0, atol=tol, equal_nan=True)


def random_rows(n, spread=2.0, seed=0):
    """Four rows: rounded ones with ties, far from 0, with −inf here and there, plain."""
    rng = np.random.default_rng(seed)
    scores = spread * rng.normal(size=(4, n))
    scores[0] = np.round(scores[0])
    scores[1] += 1e6
    scores[2, rng.uniform(size=n) < 0.3] = -inf
    return scores


# ---- weights


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(
    ("beta", "n", "spread"),
    [*((beta, 67, 2.0) for beta in (1.0, -0.7, 0.0, 37.0, 1e-30, inf, -inf)), (1.0, 130, 0.01), (-0.7, 130, 0.01)],
)
def test_weights_are_rounded_once_with_the_exact_support(alpha, beta, n, spread, asked):
    scores = on_device(random_rows(n, spread))
    got, want = entmax(scores, alpha=alpha, beta=beta), readable(scores, alpha, beta)
    close(got, want, 6e-8)
    if alpha >= 1.2:
        assert torch.equal(got.cpu() > 0, want > 0)
    assert (got.device.type, got.dtype) == (DEVICE, torch.float32)
    assert asked == ["entmax_forward"]


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_half_precision_is_computed_in_float32(dtype, alpha, asked):
    scores = on_device(random_rows(67), dtype)
    got, want = entmax(scores, alpha=alpha, beta=0.7), readable(scores, alpha, 0.7)
    assert got.dtype == dtype
    close(got, want, EPS[dtype] / 2 + 1e-6)
    assert asked == ["entmax_forward"]


@pytest.mark.parametrize("dtype", EPS, ids=str)
def test_many_equal_scores_sum_to_one(dtype):
    for f in (entmax, sparsemax):
        weights = f(on_device(np.zeros((1, 65536)), dtype))
        assert abs(in_float64(weights).sum().item() - 1) <= EPS[dtype]


@pytest.mark.parametrize("alpha", [1.3, 1.5, 2.0])
@pytest.mark.parametrize("block", [16, 64])
def test_rows_are_taken_in_as_many_blocks_as_they_need(alpha, block, monkeypatch):
    monkeypatch.setattr(gpu, "LONGEST_BLOCK", block)
    scores, grad = on_device(random_rows(37, 1.0)), on_device(random_rows(37, 1.0, seed=1)[[3, 3, 3, 3]])
    where = on_device(np.arange(37) % 5 > 0)
    prior = on_device(np.linspace(0, 1, 37))
    for options in ({}, {"where": where, "prior": prior}):
        x = scores.clone().requires_grad_()
        got = entmax(x, alpha=alpha, **options)
        want, slopes = readable(scores, alpha, grad=grad, **options)
        close(got, want, 6e-8)
        close(torch.autograd.grad(got, x, grad)[0], slopes, 1e-5)


@pytest.mark.parametrize("alpha", [1.3, 1.5, 2.0])
@pytest.mark.parametrize("lead", [(), (1,), (4,), (3, 1), (3, 4)], ids=str)
def test_masks_and_priors_of_any_shape(alpha, lead):
    rng = np.random.default_rng(len(lead))
    scores = on_device(np.stack([random_rows(19, seed=k) for k in range(3)]))  # (3, 4, n)
    beta = on_device(rng.choice([0.3, 2.0, -1.3, 0.0, inf, -inf], size=(4, 1)))
    options = {"where": rng.uniform(size=(*lead, 19)) < 0.6}
    options["prior"] = rng.choice([0.0, 1e-9, 0.5, 1.0, 30.0], size=(*lead, 19))
    options["prior"][..., rng.integers(19)] = 2.0
    options = {name: on_device(x) for name, x in options.items()}
    alone = [{name: x} for name, x in options.items()] if lead == (4,) else []
    for some in (options, *alone):
        close(entmax(scores, alpha=alpha, beta=beta, **some), readable(scores, alpha, beta, **some), 1e-7)


def test_any_axis_and_any_strides_give_the_same():
    scores = on_device(np.random.default_rng(5).normal(size=(3, 11, 4)))[:, :, ::2]
    where = on_device(np.arange(11) % 3 > 0)[:, None]
    for x in (scores, scores[:1].expand(scores.shape)):
        close(entmax(x, alpha=1.5, where=where, axis=1), readable(x, 1.5, where=where, axis=1), 6e-8)


# ---- awkward input


@pytest.mark.parametrize("alpha", [1.3, 1.5, 2.0])
@pytest.mark.parametrize("beta", [1.0, -2.0, 0.0, inf, -inf])
def test_nan_and_infinities(alpha, beta):
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(7, 11))
    for row, p in zip(scores, np.linspace(0, 1, 7), strict=True):
        awkward = rng.uniform(size=11) < p
        row[awkward] = rng.choice([inf, -inf, nan, 1e30, -1e30, 3e38], size=awkward.sum())
    scores = np.concatenate([scores, np.full((1, 11), inf), np.full((1, 11), nan), np.full((1, 11), -inf)])
    scores[0, :2], scores[0, 2:] = (3e38, -3e38), -1e38  # gaps that overflow
    scores = on_device(scores)
    options = {"where": on_device(rng.uniform(size=(10, 11)) < 0.7), "prior": rng.choice([0.0, 1.0, 3.0], size=11)}
    options["prior"][0] = 1.0
    options["prior"] = on_device(options["prior"])
    for o in ({}, {"where": options["where"]}, options):
        close(entmax(scores, alpha=alpha, beta=beta, **o), readable(scores, alpha, beta, **o), 6e-8)


def test_gaps_that_overflow_are_counted_in_halves():
    scores = on_device([[3e38, -3e38, 0.0], [3.4e38, -3.4e38, 3.4e38]])
    for beta in (1e-38, 4e-39, 1.0, -3e-39):
        close(entmax(scores, alpha=1.5, beta=beta), readable(scores, 1.5, beta), 6e-8)


def test_a_nan_in_beta_or_the_prior_makes_its_rows_nan():
    scores, beta = on_device(np.zeros((3, 5))), on_device([1.0, nan, 1.0])
    assert torch.equal(gpu.entmax_forward(scores, 1.5, beta)[0].isnan().any(-1).cpu(), torch.arange(3) == 1)
    prior = on_device([[1.0, 1.0, nan, 1.0, 1.0]])
    assert gpu.entmax_forward(scores, 1.5, prior=prior)[0].isnan().all()
    hidden = on_device([[True, True, False, True, True]])
    expected = (hidden.cpu().double() / 4).expand(3, 5)
    close(gpu.entmax_forward(scores, 1.5, where=hidden, prior=prior)[0], expected, 6e-8)


def test_of_nothing_there_are_no_weights_and_no_gradients():
    for shape in ((0, 3), (3, 0), (0, 0)):
        weights, slopes = gpu.entmax_forward(on_device(np.empty(shape)), 1.5)
        assert weights.shape == gpu.entmax_backward(weights, weights, 1.5, slopes).shape == shape


@pytest.mark.parametrize("shape", [(0,), (3, 0), (2, 3, 0), (0, 3)], ids=str)
@pytest.mark.parametrize("axis", [-1, 0])
def test_empty_scores_give_empty_weights(shape, axis):
    scores = on_device(np.empty(shape)).requires_grad_()
    options = {"where": on_device(np.ones(shape, bool)), "prior": on_device(np.ones(shape))}
    for some in ({}, options, {"prior": on_device(np.ones(1))}):
        weights = entmax(scores, axis=axis, **some)
        assert weights.shape == torch.autograd.grad(weights.sum(), scores)[0].shape == shape


def test_no_argument_is_changed():
    scores = on_device(random_rows(9))
    given = {"beta": on_device(np.full((4, 1), -2.0)), "prior": on_device(np.ones(9))}
    given |= {"where": on_device(np.ones(9, bool))}
    before = {k: x.clone() for k, x in (given | {"scores": scores}).items()}
    entmax(scores, alpha=1.5, **given)
    for name, x in (given | {"scores": scores}).items():
        assert torch.equal(x, before[name])


# ---- gradients


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("beta", [-1.7, inf])
@pytest.mark.parametrize("dtype", EPS, ids=str)
def test_gradients(alpha, beta, dtype, asked):
    rng = np.random.default_rng(1)
    scores, grad = on_device(random_rows(41, 1.0), dtype), on_device(rng.normal(size=(4, 41)), dtype)
    where = on_device(rng.uniform(size=41) < 0.7)
    x = scores.clone().requires_grad_()
    got = torch.autograd.grad(entmax(x, alpha=alpha, beta=beta, where=where), x, grad)[0]
    _, want = readable(scores, alpha, beta, grad, where=where)
    assert got.dtype == dtype
    close(got, want, 4 * EPS[dtype] if dtype in HALVES else 4e-6)
    assert asked == ["entmax_forward", "entmax_backward"]


@pytest.mark.parametrize("alpha", [1.3, 1.5, 2.0])
def test_nothing_comes_back_from_what_has_no_weight(alpha):
    scores = on_device([[0.0, 0.1, -9.0], [-inf, -inf, -inf], [inf, 0.0, 1.0], [0.0, nan, 1.0]]).requires_grad_()
    grad = on_device([[1.0, 0.0, nan], [nan, 1.0, inf], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    got = torch.autograd.grad(entmax(scores, alpha=alpha), scores, grad)[0].cpu()
    assert got[0, 2] == 0
    assert float(got[0, 0]) == pytest.approx(-float(got[0, 1]), rel=1e-6)
    assert got[0, 0] > 0
    assert (got[1:3] == 0).all()
    assert got[3].isnan().all()


@pytest.mark.parametrize("alpha", [1.3, 1.5, 2.0])
def test_second_derivatives(alpha):
    x = on_device(np.random.default_rng(9).normal(size=(3, 5))).requires_grad_()
    other = in_float64(x).requires_grad_()
    found = []
    for leaf in (x, other):
        (first,) = torch.autograd.grad(entmax(leaf, alpha=alpha, beta=0.7).square().sum(), leaf, create_graph=True)
        found.append(torch.autograd.grad(first.square().sum(), leaf)[0])
    close(found[0], found[1], 1e-5)


# ---- when the kernels are taken


def test_what_the_kernels_cannot_do_the_readable_body_does(asked):
    x = on_device(random_rows(5))
    one = torch.ones((), device=DEVICE, requires_grad=True)
    for call in (
        lambda: entmax(x.double(), alpha=1.5),
        lambda: entmax(x, alpha=2.5),
        lambda: entmax(x, alpha=1.01),
        lambda: entmax(x, alpha=one + 0.5),
        lambda: entmax(x, alpha=1.5, beta=one),
        lambda: entmax(x, alpha=1.5, prior=one * torch.ones(5, device=DEVICE)),
        lambda: torch.func.vmap(lambda row: entmax(row, alpha=1.5))(x),
        lambda: torch.func.jvp(lambda row: entmax(row, alpha=1.5), (x[:2],), (x[:2],))[0],
    ):
        assert torch.isfinite(call()).all()
    assert not asked


def test_without_triton_the_readable_body_answers(monkeypatch, asked):
    x = on_device(random_rows(5))
    want = entmax(x, alpha=1.5)
    asked.clear()
    monkeypatch.setattr(kernels, "kernels_for", lambda x: None)
    close(entmax(x, alpha=1.5), in_float64(want), 1e-7)
    assert not asked
