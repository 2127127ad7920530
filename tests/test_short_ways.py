"""Ordinary scores take a short way through memory, with the result of the long one; nothing else does."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.special
import torch

from lib import entmax, gibbs, relu_norm, sigmoid_weights, softmax, sparse_maps, sparsemax
from lib.kernels import softmax_on_arrays

inf = math.inf


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


few_rows_or_many = pytest.mark.parametrize("times", [1, 3000])


@few_rows_or_many
@pytest.mark.parametrize(
    ("f", "largest", "most"),
    [(relu_norm, 1e3, 2), (sigmoid_weights, 1e3, 3), (softmax, 3.0, 2), (softmax, 1e3, 3)],
)
def test_ordinary_scores_are_gone_through_a_few_times_only(f, largest, most, times):
    scores = torch.tensor([[1.0, -2.0, 0.5, 3.0], [-1.0, -2.0, -0.5, 0.0], [largest, -largest, 1.0, 2.0]])
    scores = scores.repeat(times, 1)
    for dtype in (torch.float32, torch.float64):
        with Passes(scores.numel()) as passes:
            f(scores.to(dtype), 0.7)
        assert len(passes.done()) <= most, passes.done()


@few_rows_or_many
def test_at_beta_1_torch_goes_through_the_scores_once_and_once_more_for_a_mask(times):
    scores = torch.tensor([[1e3, -1e3, 1.0, 2.0], [5.0, 1.0, 0.0, 2.0]]).repeat(times, 1)
    for where, most in ((None, 1), (scores > 0.5, 2)):
        with Passes(scores.numel()) as passes:
            softmax(scores, where=where)
        assert len(passes.done()) <= most, passes.done()


def steep(shape, dtype):
    """Scores of NumPy whose rows are so far apart that no two can be shifted by the same number."""
    scores = np.random.default_rng(1).normal(size=shape)
    return (scores + 3000.0 * np.arange(scores.size // shape[-1]).reshape(*shape[:-1], 1)).astype(dtype)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("shape", [(1,), (1, 1), (5,), (7, 5), (2, 3, 5), (700, 500)])
def test_ordinary_rows_of_numpy_take_the_short_way(monkeypatch, shape, masked):
    monkeypatch.setattr(gibbs, "tilt", None)  # the long way, which now ends in an error
    where = np.arange(shape[-1]) % 3 < 2 if masked else None
    for dtype in (np.float64, np.float32):
        scores = steep(shape, dtype)
        seen = np.where(True if where is None else where, scores, -inf)
        for beta in (0.01, 1.0, 3.0):
            got = softmax(scores, beta, where=where)
            assert got.dtype == dtype
            want = scipy.special.softmax(beta * (seen - seen.max(-1, keepdims=True)).astype(float), -1)
            np.testing.assert_allclose(got, want, rtol=0, atol=8 * np.finfo(dtype).eps)


def test_a_row_of_nothing_gets_zeros_on_the_short_way_as_well(monkeypatch):
    monkeypatch.setattr(gibbs, "tilt", None)
    got = softmax(np.array([[-inf, -inf], [1.0, 1.0]]), 2.0)
    np.testing.assert_array_equal(got, [[0.0, 0.0], [0.5, 0.5]])


@pytest.mark.parametrize("unusual", [math.nan, inf])
def test_one_unusual_row_among_many_is_noticed(unusual):
    scores = np.tile([0.0, math.log(3.0)], (200_000, 1))  # several blocks of rows
    scores[150_000, 0] = unusual
    got = softmax(scores)
    np.testing.assert_allclose(got[:150_000], [[0.25, 0.75]] * 150_000)
    np.testing.assert_array_equal(got[150_000], [1.0, 0.0] if unusual == inf else [math.nan] * 2)


def test_a_mask_with_more_rows_than_the_scores_broadcasts_them(xp):
    scores, where = xp.asarray([0.5, -1.0, 2.0]), xp.asarray([[True, False, True], [False] * 3, [True] * 3])
    got = softmax(scores, 0.7, where=where)
    assert got.shape == (3, 3)
    for i in range(3):
        want = xp.to_numpy(softmax(scores, 0.7, where=where[i, :]))
        np.testing.assert_allclose(xp.to_numpy(got)[i], want, rtol=0, atol=1e-15)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
@pytest.mark.parametrize("masked", [False, True])
def test_of_no_scores_there_are_no_weights(xp, shape, masked):
    scores = xp.asarray(np.zeros(shape))
    for beta in (1, 0.7):
        assert softmax(scores, beta, where=scores == 0 if masked else None).shape == shape


@pytest.mark.parametrize("beta", [inf, -inf, 0.0, -2.0, 0.3])
def test_rows_may_have_a_beta_each_of_any_sign_and_size(xp, beta):
    scores = xp.asarray([[0.5, -1.0, 2.0], [0.1, 0.2, 0.7]])
    got = xp.to_numpy(softmax(scores, xp.asarray([[beta], [2.0]])))
    for row, x, b in zip(got, (scores[0, :], scores[1, :]), (beta, 2.0), strict=True):
        np.testing.assert_allclose(row, xp.to_numpy(softmax(x, b)), rtol=0, atol=1e-15)


@pytest.mark.parametrize("beta", [Fraction(1, 2), np.float16(0.5), np.float32(0.5), np.float64(0.5)], ids=repr)
def test_beta_may_be_any_real_number_of_python_or_numpy(xp, beta):
    scores = xp.asarray([0.5, -1.0, 2.0])
    np.testing.assert_array_equal(xp.to_numpy(softmax(scores, beta)), xp.to_numpy(softmax(scores, 0.5)))


@pytest.mark.parametrize("dtype", [np.float16, torch.float16, torch.bfloat16], ids=str)
def test_half_precision_is_computed_in_single_and_rounded_once(monkeypatch, dtype):
    monkeypatch.setattr(gibbs, "tilt", None)
    single = np.array([[0.5, -1.0, 2.0], [0.25, 0.75, 7.0]], np.float32)  # exact in half precision
    if dtype is not np.float16:
        single = torch.tensor(single)
    half, back = (single.astype, np.ndarray.astype) if dtype is np.float16 else (single.to, torch.Tensor.to)
    got, want = softmax(half(dtype), 0.7), back(softmax(single, 0.7), dtype)
    assert got.dtype == dtype
    assert (got == want).all()


# ---- plain calls, of which nothing is checked


def test_a_product_that_overflows_is_no_error_even_where_numpy_is_told_to_raise():
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(softmax(np.array([0.0, -1e300]), 1e20), [1.0, 0.0])


def rows_of_all_kinds(dtype):
    """Plain, tied, far from 0, all equal; and rows of one entry."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(5, 31))
    rows[1] = np.round(rows[1])
    rows[2] += 1e6
    rows[3] = 0.5
    return [x.astype(dtype) for x in (rows, rows[0], rows[:, :1], rows.reshape(5, 1, 31), 30 * rows, 0.01 * rows)]


@pytest.mark.parametrize("few", [softmax_on_arrays.FEW, 0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("beta", [0.01, 1, 1.7, 2.0, 300.0])
def test_a_plain_softmax_is_the_readable_one_without_its_checks(monkeypatch, few, dtype, beta):
    monkeypatch.setattr(softmax_on_arrays, "FEW", few)
    given = rows_of_all_kinds(dtype)
    wanted = [softmax(x, beta, prior=np.ones(1, dtype)) for x in given]  # with a prior nothing is plain
    monkeypatch.setattr(gibbs, "prepare", None)
    for x, want in zip(given, wanted, strict=True):
        for got in (softmax(x, beta), softmax(torch.tensor(x), beta).numpy()):
            assert got.dtype == dtype
            np.testing.assert_allclose(got, want, rtol=0, atol=8 * x.shape[-1] * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("alpha", [1.5, 2.0])
@pytest.mark.parametrize("beta", [0.01, 1, 1.7, 300.0])
def test_a_plain_entmax_sorts_what_newtons_method_finds(monkeypatch, dtype, alpha, beta):
    given = rows_of_all_kinds(dtype)
    wanted = [entmax(x, alpha=np.array([alpha]), beta=beta) for x in given]  # an array α is for Newton's method
    monkeypatch.setattr(sparse_maps, "prepare", None)
    for x, want in zip(given, wanted, strict=True):
        for got in (entmax(x, alpha=alpha, beta=beta), entmax(torch.tensor(x), alpha=alpha, beta=beta).numpy()):
            assert got.dtype == dtype
            bound = 6e-8 if dtype == np.float32 else 8 * x.shape[-1] * 2.0**-52
            np.testing.assert_allclose(got, want, rtol=0, atol=bound)
            np.testing.assert_array_equal(got > 0, want > 0)


@pytest.mark.parametrize("unusual", [math.nan, inf, -inf, 1.7e308])
@pytest.mark.parametrize("beta", [1.0, 0.3])
def test_a_row_that_is_not_ordinary_is_noticed_in_a_plain_call(unusual, beta):
    scores = np.array([[unusual, unusual, unusual], [unusual, 0.0, -1.7e308], [0.1, 0.2, 0.7]])
    for f in (softmax, sparsemax, entmax):
        for make in (np.asarray, torch.tensor):
            got = f(make(scores), beta=beta)
            want = f(make(scores), beta=beta, prior=make(np.ones(3)) / 3)
            np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=0, atol=1e-15)


@pytest.mark.parametrize("f", [softmax, sparsemax, entmax])
def test_gradients_of_plain_calls_are_those_of_the_readable_body(f):
    scores = torch.tensor(rows_of_all_kinds(np.float64)[0], requires_grad=True)
    grad = torch.tensor(np.random.default_rng(4).normal(size=scores.shape))
    plain, readable = f(scores, beta=1.7), f(scores, beta=torch.tensor(1.7, dtype=torch.float64))
    got, want = (torch.autograd.grad(y, scores, grad, create_graph=True)[0] for y in (plain, readable))
    torch.testing.assert_close(got, want, rtol=0, atol=1e-13)
    twice = [torch.autograd.grad(g.square().sum(), scores)[0] for g in (got, want)]
    torch.testing.assert_close(*twice, rtol=0, atol=1e-12)
    with torch.no_grad():
        assert not f(scores).requires_grad
