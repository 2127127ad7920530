"""Rows by the quick kernels of `lib.fast` are those of the reference; few passes, nothing unusual unnoticed."""

import math

import numpy as np
import pytest
import scipy.special
from calls import named
from optional_torch import torch, with_torch

import lib
from lib import entmax, fast, log_softmax, relu_norm, sigmoid_weights, softmax, sparsemax

inf, nan = math.inf, math.nan
OF_SOFTMAX = (softmax, log_softmax, lib.log_partition)


def by_the_reference(call):
    with pytest.MonkeyPatch.context() as m:
        m.setattr(fast, "row_kernels", lambda x: fast.REFERENCES)
        return call()


@pytest.fixture
def no_reference(monkeypatch):
    """Whatever is not computed by a quick kernel ends in an error."""
    row_kernels = fast.row_kernels

    def alone(x):
        kernels = row_kernels(x)._asdict()
        return fast.RowKernels(**{name: lambda x, _, f=f: f(x, pytest.fail) for name, f in kernels.items()})

    monkeypatch.setattr(fast, "row_kernels", alone)


class Passes(torch.utils._python_dispatch.TorchDispatchMode):
    """Counts the results that have as many entries as the scores: each is one more pass through the memory."""

    def __init__(self, entries):
        super().__init__()
        self.entries, self.names = entries, []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result.numel() == self.entries:
            self.names.append(str(function))
        return result

    def done(self):
        return [name for name in self.names if not name.startswith(("aten.detach", "aten._to_copy"))]


@pytest.mark.parametrize("times", [1, 3000])
def test_ordinary_scores_are_gone_through_a_few_times_only(times):
    """At β = 1 by softmax once, and once more for a mask."""
    for f, largest, beta, masked, most in (
        (relu_norm, 1e3, 0.7, False, 2),
        (sigmoid_weights, 1e3, 0.7, False, 3),
        (softmax, 3.0, 0.7, False, 2),
        (softmax, 1e3, 0.7, False, 3),
        (softmax, 1e3, 1.0, False, 1),
        (softmax, 1e3, 1.0, True, 2),
    ):
        rows = [[1.0, -2.0, 0.5, 3.0], [-1.0, -2.0, -0.5, 0.0], [largest, -largest, 1.0, 2.0]]
        for dtype in (torch.float32, torch.float64):
            scores = torch.tensor(rows, dtype=dtype).repeat(times, 1)
            with Passes(scores.numel()) as passes:
                f(scores, beta, where=scores > -0.75 if masked else None)
            assert len(passes.done()) <= most + masked, passes.done()  # one more is the mask itself


# ---- NumPy


def steep(shape, dtype):
    """Scores of NumPy whose rows are so far apart that no two can be shifted by the same number."""
    scores = np.random.default_rng(1).normal(size=shape)
    return (scores + 3000.0 * np.arange(scores.size // shape[-1]).reshape(*shape[:-1], 1)).astype(dtype)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("shape", [(1,), (1, 1), (5,), (7, 5), (2, 3, 5), (700, 500), (6000, 64)])
def test_softmax_of_numpys_rows_is_that_of_scipy(no_reference, shape, masked):
    """In several blocks of rows too, each of which has masks of its own; and a row of nothing gets zeros."""
    for dtype in (np.float64, np.float32):
        scores = steep(shape, dtype)
        where = np.random.default_rng(0).random(shape) < 0.7 if masked else None
        seen = scores.astype(float) if where is None else np.where(where, scores, -inf)
        peak = seen.max(-1, keepdims=True)
        seen = seen - np.where(peak == -inf, 0, peak)
        for beta in (0.01, 1.0, 3.0):
            got = softmax(scores, beta, where=where)
            assert got.dtype == dtype
            want = scipy.special.softmax(beta * np.where(peak == -inf, 0, seen), -1) * (peak > -inf)
            np.testing.assert_allclose(got, want, rtol=0, atol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("unusual", [nan, inf])
def test_one_unusual_row_among_many_is_noticed(unusual):
    scores = np.tile([0.0, math.log(3.0)], (200_000, 1))  # several blocks of rows
    scores[150_000, 0] = unusual
    got = softmax(scores)
    np.testing.assert_allclose(got[:150_000], [[0.25, 0.75]] * 150_000)
    np.testing.assert_array_equal(got[150_000], [1.0, 0.0] if unusual == inf else [nan] * 2)


def test_a_mask_with_more_rows_than_the_scores_broadcasts_them(xp):
    scores, where = xp.asarray([0.5, -1.0, 2.0]), xp.asarray([[True, False, True], [False] * 3, [True] * 3])
    got = softmax(scores, 0.7, where=where)
    assert got.shape == (3, 3)
    for i in range(3):
        want = xp.to_numpy(softmax(scores, 0.7, where=where[i, :]))
        np.testing.assert_allclose(xp.to_numpy(got)[i], want, rtol=0, atol=1e-15)


# ---- against the reference


def rows_of_every_kind():
    """Plain, tied, far from 0, all equal, with −inf, flat, steep and low ones; and rows of one entry."""
    rows = np.random.default_rng(5).normal(size=(11, 13))
    rows[1] = np.round(rows[1])
    rows[2] += 1e4
    rows[3] = rows[3, 0]
    rows[4, :6] = -inf
    rows[5] *= 1e-3
    rows[6] *= 30
    rows[7] -= 100.0
    return [rows, rows[0], rows[:, :1], rows.reshape(11, 1, 13)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("beta", [0.01, 1, 1.7, 300.0])
@pytest.mark.parametrize("masked", [False, True])
def test_values_are_those_of_the_reference(no_reference, dtype, beta, masked):
    for f, options in ((softmax, {}), (entmax, {"alpha": 1.5}), (entmax, {"alpha": 2.0})):
        for x in rows_of_every_kind():
            x, where = x.astype(dtype), np.arange(x.size).reshape(x.shape) % 3 > 0 if masked else None
            want = by_the_reference(lambda x=x, f=f, o=options, w=where: f(x, beta, where=w, **o))
            mask = None if where is None else torch.tensor(where)
            for got in (
                f(x, beta, where=where, **options),
                f(torch.tensor(x), beta, where=mask, **options).numpy(),
            ):
                bound = (8 * x.shape[-1] if f is softmax else 1) * np.finfo(dtype).eps
                assert got.dtype == dtype
                np.testing.assert_allclose(got, want, rtol=0, atol=max(bound, 8 * x.shape[-1] * 2.0**-52))
                if f is entmax:
                    np.testing.assert_array_equal(got > 0, want > 0)


@with_torch
@pytest.mark.parametrize("beta", [1.0, 0.3, 40.0])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("f", [*OF_SOFTMAX, sparsemax, entmax])
def test_values_and_derivatives_of_any_order_are_those_of_the_reference(f, beta, masked):
    """And no NaN is among them, along any axis."""

    def outcome(x, **options):
        y = f(x, beta, **options)
        seen = torch.where(y.isfinite(), y, 0.0)
        direction = torch.linspace(-1, 2, y.numel(), dtype=y.dtype).reshape(y.shape)
        (grad,) = torch.autograd.grad((seen * direction).sum(), x, create_graph=True)
        (twice,) = torch.autograd.grad(grad.square().sum(), x)
        with torch.no_grad():
            return y, grad, twice, f(x, beta, **options)

    for dtype, tol in ((torch.float64, 1e-11), (torch.float32, 2e-4)):
        scores = torch.tensor(rows_of_every_kind()[0], dtype=dtype)
        where = torch.arange(scores.numel()).reshape(scores.shape) % 5 > 0 if masked else None
        if masked:
            where[8] = False  # a row with nothing
        for x, options in (
            (scores, {"where": where}),
            (scores.mT, {"where": where if where is None else where.mT, "axis": 0}),
        ):
            x = x.clone().requires_grad_()
            want = by_the_reference(lambda x=x, o=options: outcome(x, **o))
            for a, b in zip(outcome(x, **options), want, strict=True):
                assert not a.isnan().any()
                torch.testing.assert_close(a, b, rtol=tol * max(1.0, beta) ** 2, atol=tol * max(1.0, beta) ** 2)


@pytest.mark.parametrize("unusual", [nan, inf, -inf, 1.7e308, -1e300])
@pytest.mark.parametrize("beta", [1.0, 0.3])
def test_rows_that_are_not_ordinary_are_noticed_and_change_no_other(unusual, beta):
    rows = [unusual, unusual, unusual], [unusual, 0.0, -1.7e308], [unusual, 1.5 * unusual, unusual]
    scores = np.array([*rows, [0.1, 0.2, 0.7]])
    for f in (*OF_SOFTMAX, sparsemax, entmax):
        for make in (np.asarray, torch.tensor):
            with named(f.__name__):
                want = by_the_reference(lambda f=f, make=make: f(make(scores), beta))
                np.testing.assert_allclose(
                    np.asarray(f(make(scores), beta)), np.asarray(want), rtol=1e-15, atol=1e-15
                )


@with_torch
@pytest.mark.parametrize("wanted", [False, True])
@pytest.mark.parametrize("f", [softmax, log_softmax])
def test_a_row_with_nothing_in_it_does_not_send_the_others_the_long_way(f, wanted, no_reference):
    scores = torch.tensor(np.random.default_rng(0).normal(size=(5, 7)))
    scores[1] = -inf
    where = torch.ones(5, 7, dtype=torch.bool)
    where[3] = False
    for beta in (1.0, 0.7, torch.full((5, 1), 0.7, dtype=torch.float64)):
        mask, finite = where, scores
        if isinstance(beta, torch.Tensor):
            mask, finite = where & (scores > -inf), torch.where(scores > -inf, scores, 0.0)
        want = by_the_reference(lambda x=finite, b=beta, m=mask: f(x, b, where=m))
        got = f(finite.clone().requires_grad_(wanted), beta, where=mask)
        torch.testing.assert_close(got, want, rtol=1e-13, atol=1e-13)
        assert (got[[1, 3]] == (0.0 if f is softmax else -inf)).all()


def test_the_gradients_that_the_kernels_give_are_those_of_the_printed_formulas(no_reference):
    scores = torch.tensor(np.random.default_rng(0).normal(size=(5, 7)), requires_grad=True)
    coming = torch.tensor(np.random.default_rng(1).normal(size=(5, 7)))
    for weigh, formula in (
        (softmax, lambda weights, grad: lib.softmax_vjp(weights, grad, 1.7)),
        (sparsemax, lambda weights, grad: lib.sparsemax_vjp(weights, grad, 1.7)),
        (entmax, lambda weights, grad: lib.entmax_vjp(weights, grad, 1.7)),
    ):
        weights = weigh(scores, 1.7)
        (slope,) = torch.autograd.grad(weights, scores, coming)
        torch.testing.assert_close(slope, formula(weights.detach(), coming), rtol=1e-12, atol=1e-13)
