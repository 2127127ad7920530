"""Ordinary scores take the quicker ways of `lib.fast`, with the result of the reference; nothing else does."""

import math

import numpy as np
import pytest
import scipy.special
from optional_torch import torch

from lib import entmax, fast, relu_norm, sigmoid_weights, softmax, sparsemax
from lib._arrays import highest_ordinary

inf = math.inf


@pytest.fixture
def no_reference(monkeypatch):
    """Whatever is not computed by a quicker way ends in an error."""
    row_kernels = fast.row_kernels

    def alone(x):
        kernels = row_kernels(x)
        return kernels._replace(
            **{name: lambda arguments, _, f=f: f(arguments, pytest.fail) for name, f in kernels._asdict().items()}
        )

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
def test_ordinary_rows_of_numpy_take_the_short_way(no_reference, shape, masked):
    where = np.arange(shape[-1]) % 3 < 2 if masked else None
    for dtype in (np.float64, np.float32):
        scores = steep(shape, dtype)
        seen = np.where(True if where is None else where, scores, -inf)
        for beta in (0.01, 1.0, 3.0):
            got = softmax(scores, beta, where=where)
            assert got.dtype == dtype
            want = scipy.special.softmax(beta * (seen - seen.max(-1, keepdims=True)).astype(float), -1)
            np.testing.assert_allclose(got, want, rtol=0, atol=8 * np.finfo(dtype).eps)


def test_a_row_of_nothing_gets_zeros_on_the_short_way_as_well(no_reference):
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


@pytest.mark.parametrize("dtype", [np.float16, torch.float16, torch.bfloat16], ids=str)
def test_half_precision_is_computed_in_single_and_rounded_once(no_reference, dtype):
    single = np.array([[0.5, -1.0, 2.0], [0.25, 0.75, 7.0]], np.float32)  # exact in half precision
    if dtype is not np.float16:
        single = torch.tensor(single)
    half, back = (single.astype, np.ndarray.astype) if dtype is np.float16 else (single.to, torch.Tensor.to)
    got, want = softmax(half(dtype), 0.7), back(softmax(single, 0.7), dtype)
    assert got.dtype == dtype
    assert (got == want).all()


# ---- few rows, as in notebooks and small models


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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("beta", [0.01, 1, 1.7, 2.0, 300.0])
def test_softmax_by_a_quicker_way_is_the_reference(request, dtype, beta):
    given = rows_of_all_kinds(dtype)
    wanted = [softmax(x, beta, prior=np.ones(1, dtype)) for x in given]  # with a prior only the reference is left
    request.getfixturevalue("no_reference")
    for x, want in zip(given, wanted, strict=True):
        for got in (softmax(x, beta), softmax(torch.tensor(x), beta).numpy()):
            assert got.dtype == dtype
            np.testing.assert_allclose(got, want, rtol=0, atol=8 * x.shape[-1] * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("alpha", [1.5, 2.0])
@pytest.mark.parametrize("beta", [0.01, 1, 1.7, 300.0])
@pytest.mark.parametrize("masked", [False, True])
def test_sorting_finds_what_newtons_method_finds(request, dtype, alpha, beta, masked):
    given = rows_of_all_kinds(dtype)
    masks = [np.arange(x.size).reshape(x.shape) % 3 > 0 if masked else None for x in given]
    wanted = [  # an array α is for Newton's method
        entmax(x, alpha=np.array([alpha]), beta=beta, where=where) for x, where in zip(given, masks, strict=True)
    ]
    request.getfixturevalue("no_reference")
    for x, where, want in zip(given, masks, wanted, strict=True):
        mask = None if where is None else torch.tensor(where)
        for got in (
            entmax(x, alpha=alpha, beta=beta, where=where),
            entmax(torch.tensor(x), alpha=alpha, beta=beta, where=mask).numpy(),
        ):
            assert got.dtype == dtype
            bound = 6e-8 if dtype == np.float32 else 8 * x.shape[-1] * 2.0**-52
            np.testing.assert_allclose(got, want, rtol=0, atol=bound)
            np.testing.assert_array_equal(got > 0, want > 0)


@pytest.mark.parametrize("unusual", [math.nan, inf, -inf, 1.7e308, -1e300])
@pytest.mark.parametrize("beta", [1.0, 0.3])
def test_a_row_that_is_not_ordinary_is_noticed(unusual, beta):
    rows = [unusual, unusual, unusual], [unusual, 0.0, -1.7e308], [unusual, 1.5 * unusual, unusual]
    scores = np.array([*rows, [0.1, 0.2, 0.7]])
    for f in (softmax, sparsemax, entmax):
        for make in (np.asarray, torch.tensor):
            got = f(make(scores), beta=beta)
            want = f(make(scores), beta=beta, prior=make(np.ones(3)) / 3)
            np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=0, atol=1e-15)


@pytest.mark.parametrize("f", [softmax, sparsemax, entmax])
@pytest.mark.parametrize("masked", [False, True])
def test_gradients_by_a_quicker_way_are_those_of_the_reference(f, masked):
    scores = torch.tensor(rows_of_all_kinds(np.float64)[0], requires_grad=True)
    where = torch.arange(scores.numel()).reshape(scores.shape) % 3 > 0 if masked else None
    grad = torch.tensor(np.random.default_rng(4).normal(size=scores.shape))
    quick, slow = (f(scores, beta=1.7, where=where, prior=u) for u in (None, torch.ones(1, dtype=torch.float64)))
    if f is not softmax:  # in which a prior, though the same for all, is not without effect
        slow = f(scores, beta=torch.tensor(1.7, dtype=torch.float64), where=where)
    got, want = (torch.autograd.grad(y, scores, grad, create_graph=True)[0] for y in (quick, slow))
    torch.testing.assert_close(got, want, rtol=0, atol=1e-13)
    twice = [torch.autograd.grad(g.square().sum(), scores)[0] for g in (got, want)]
    torch.testing.assert_close(*twice, rtol=0, atol=1e-12)
    with torch.no_grad():
        assert not f(scores).requires_grad


def test_a_masked_nan_changes_no_gradient_of_sorted_rows():
    scores = torch.tensor([[0.3, math.nan, 0.1, -inf]], dtype=torch.float64, requires_grad=True)
    weights = entmax(scores, where=torch.tensor([True, False, True, True]))
    weights[0, 0].backward()
    rest = torch.tensor([[0.3, 0.1]], dtype=torch.float64, requires_grad=True)
    entmax(rest)[0, 0].backward()
    torch.testing.assert_close(scores.grad[:, [0, 2]], rest.grad, rtol=0, atol=1e-15)
    assert (scores.grad[:, [1, 3]] == 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_from_the_highest_ordinary_score_no_gap_overflows(dtype):
    with np.errstate(all="raise"):
        assert np.isfinite(-np.finfo(dtype).max - dtype(highest_ordinary(np.finfo(dtype))))


def test_each_of_many_rows_has_its_own_mask():
    """More rows than NumPy's way takes at a time: those of a later block have the mask of their own block."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(6000, 64))
    where = rng.random(scores.shape) < 0.5
    powers = np.where(where, np.exp(scores), 0)
    np.testing.assert_allclose(
        softmax(scores, where=where), powers / powers.sum(-1, keepdims=True), rtol=1e-13, atol=1e-15
    )
