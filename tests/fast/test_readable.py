"""path="readable" computes as it is written, whatever quicker ways there are; and which ways the others take."""

import math
import sys

import numpy as np
import pytest
from attending import random
from maps import NAMES, TAKE_A_PRIOR
from optional_torch import ALONE, torch, with_torch

import lib
from lib import attention, attention_with_lse, fast

inf = math.inf
MAKE = [np.asarray, pytest.param(torch.tensor, marks=with_torch)]
make = pytest.mark.parametrize("make", MAKE, ids=["numpy", "torch"])


@pytest.fixture
def references_alone(monkeypatch):
    """Every quicker method ends in an error as soon as it is asked."""
    refuse = lambda *arguments: pytest.fail("a quicker method")  # noqa: E731
    for method in (fast.entmax_attention, fast.query_blocks, fast.entmax_by_sorting, fast.entmax_rows):
        monkeypatch.setattr(method, "why_not", refuse)
    for name in ("FOR_NUMPY", "FOR_TORCH"):
        monkeypatch.setattr(fast, name, fast.RowKernels(*[refuse] * len(fast.RowKernels._fields)))
    if not ALONE:
        from lib.fast import sdpa_run

        monkeypatch.setattr(sdpa_run, "why_not", refuse)


@make
@pytest.mark.parametrize("name", NAMES)
def test_the_readable_path_runs_the_references_alone(references_alone, make, name):
    q, k, v = (make(x) for x in random((2, 5, 3), (2, 7, 3), (2, 7, 2)))
    priors = [{}, {"prior": make(np.arange(7.0))}, {"log_prior": make(-np.arange(35.0).reshape(5, 7))}]
    for options in priors if name in TAKE_A_PRIOR else [{}]:
        for return_weights in (False, True):
            attention(
                q, k, v, weights=name, causal=True, path="readable", return_weights=return_weights, **options
            )
        if name == "softmax":
            attention_with_lse(q, k, v, path="readable", **options)
    with pytest.raises(pytest.fail.Exception, match="a quicker method"):
        attention(q, k, v, weights=name)


@make
def test_each_map_by_itself_is_computed_by_a_quicker_method(references_alone, make):
    x = make(random((5, 7))[0])
    for f in (lib.softmax, lib.log_softmax, lib.log_partition, lib.sparsemax, lib.entmax):
        with pytest.raises(pytest.fail.Exception, match="a quicker method"):
            f(x)


# ---- the ways to the logarithm and the value of softmax, and rows with nothing in them


def rows_of_every_kind(dtype):
    rows = random((11, 13), seed=5)[0]
    rows[1] = np.round(rows[1])
    rows[2] += 1e4
    rows[3] = rows[3, 0]
    rows[4, :6] = -inf
    rows[5] *= 1e-3
    rows[6] -= 100.0
    return torch.tensor(rows, dtype=dtype)


def by_the_reference(call):
    with pytest.MonkeyPatch.context() as m:
        m.setattr(fast, "row_kernels", lambda x: fast.REFERENCES)
        return call()


def is_as_defined(f, scores, tol, **options):
    """Values and gradients of any order are those of the body, and no NaN is among them."""
    x = scores.clone().requires_grad_()

    def outcome():
        y = f(x, **options)
        seen = torch.where(y.isfinite(), y, 0.0)
        direction = torch.linspace(-1, 2, y.numel(), dtype=y.dtype).reshape(y.shape)
        (grad,) = torch.autograd.grad((seen * direction).sum(), x, create_graph=True)
        (twice,) = torch.autograd.grad(grad.square().sum(), x)
        with torch.no_grad():
            return y, grad, twice, f(x, **options)

    for got, want in zip(outcome(), by_the_reference(outcome), strict=True):
        assert not got.isnan().any()
        torch.testing.assert_close(got, want, rtol=tol, atol=tol)


@with_torch
@pytest.mark.parametrize("beta", [1.0, 0.3, 40.0])
@pytest.mark.parametrize("masked", [False, True])
def test_the_logarithm_and_the_value_by_a_quicker_way_are_those_of_the_body(beta, masked):
    for dtype, tol in ((torch.float64, 1e-11), (torch.float32, 2e-4)):
        tol *= max(1.0, beta) ** 2  # of second derivatives
        scores = rows_of_every_kind(dtype)
        where = torch.arange(scores.numel()).reshape(scores.shape) % 5 > 0 if masked else None
        if masked:
            where[8] = False  # a row with nothing
        for f in (lib.softmax, lib.log_softmax, lib.log_partition):
            is_as_defined(f, scores, tol, beta=beta, where=where)
            is_as_defined(f, scores.mT, tol, beta=beta, where=None if where is None else where.mT, axis=0)


@with_torch
def test_what_is_not_finite_changes_no_value_of_the_other_rows():
    for unusual in (math.nan, inf, -inf, 3e38):
        scores = rows_of_every_kind(torch.float32)
        scores[7, 2] = unusual
        for f in (lib.log_softmax, lib.log_partition):
            torch.testing.assert_close(f(scores), by_the_reference(lambda f=f, s=scores: f(s)), equal_nan=True)


@with_torch
@pytest.mark.parametrize("wanted", [False, True])
@pytest.mark.parametrize("f", [lib.softmax, lib.log_softmax])
def test_a_row_with_nothing_in_it_does_not_send_the_others_the_long_way(f, wanted, monkeypatch):
    scores = torch.tensor(random((5, 7))[0])
    scores[1] = -inf
    where = torch.ones(5, 7, dtype=torch.bool)
    where[3] = False
    for beta in (1.0, 0.7, torch.full((5, 1), 0.7, dtype=torch.float64)):
        mask = where & (scores > -inf) if isinstance(beta, torch.Tensor) else where
        finite = torch.where(scores > -inf, scores, 0.0) if isinstance(beta, torch.Tensor) else scores
        want = by_the_reference(lambda x=finite, b=beta, m=mask: f(x, b, where=m))
        with monkeypatch.context() as m:
            kernels = fast.FOR_TORCH._asdict()
            alone = {name: lambda x, _, kernel=kernel: kernel(x, pytest.fail) for name, kernel in kernels.items()}
            m.setattr(fast, "FOR_TORCH", fast.RowKernels(**alone))
            got = f(finite.clone().requires_grad_(wanted), beta, where=mask)
        torch.testing.assert_close(got, want, rtol=1e-13, atol=1e-13)
        assert (got[[1, 3]] == (0.0 if f is lib.softmax else -inf)).all()


# ---- attention in blocks, and for one new token


def test_a_block_goes_through_its_own_keys_alone(monkeypatch):
    """Blocks of a few queries of all items would each go through the keys and values of all."""
    from lib.fast import query_blocks

    monkeypatch.setattr(query_blocks, "AT_ONCE", 4 * 7 * 11)
    q, k, v = random((6, 2, 7, 3), (6, 2, 11, 3), (6, 2, 11, 5))
    entries = []
    module = sys.modules["lib.attention"]
    attend = module.attend
    monkeypatch.setattr(module, "attend", lambda request: entries.append(request.k.size) or attend(request))
    attention(q, k, v, weights="relu_norm", causal=True, path="blocks", offset=4)
    assert sum(entries) == k.size


@with_torch
def test_few_queries_do_not_have_all_keys_laid_out_for_them():
    from lib._request import checked
    from lib.fast import entmax_attention, kernels

    def why_not(n_q, heads, path="auto"):
        q, k = torch.zeros(3, 8, n_q, 4), torch.zeros(3, heads, 4096, 4)
        return entmax_attention.why_not(checked(q, k, k, weights="entmax", alpha=1.5, path=path))

    if kernels.numba_kernels() is None:
        pytest.skip("needs Numba")
    assert why_not(15, 8).startswith("for so few queries")
    assert why_not(7, 4).startswith("for so few queries")
    assert why_not(16, 8) is why_not(8, 4) is why_not(1, 8, "fused") is None
