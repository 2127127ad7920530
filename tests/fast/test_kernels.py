"""The compiled kernels against 50 digits and against the readable body; and when they are used at all."""

import math
import subprocess
import sys
import tracemalloc

import array_api_strict
import mpmath as mp
import numpy as np
import pytest
from exactness import arguments, close, distance
from hypothesis import given
from hypothesis import strategies as st
from needs_torch import torch

from lib import entmax, fast, sparsemax
from lib._checks import prepare
from lib.fast import cpu, entmax_rows, kernels
from lib.fast.cpu.powers import power

# torch warns of its own use of torch.jit when forward derivatives are first asked for
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")

inf, nan = math.inf, math.nan
ALPHAS = (1.05, 1.2, 1.3, 1.5, 1.7, 2.0)
alphas = st.sampled_from(ALPHAS)
dtypes = st.sampled_from([np.float32, np.float64])
seeds = st.integers(0, 10**6)
# around the blocks of 32 that a row is taken in, and beyond
sizes = st.sampled_from([1, 2, 3, 31, 32, 33, 67, 331])
spreads = st.sampled_from([0.0, 0.05, 1.0, 4.0, 1e3])
# β of all signs, one for each row, and with nothing to do at all
betas = st.sampled_from([1.0, -0.7, 0.0, 1e-30, 37.0, inf, -inf]) | seeds.map(
    lambda seed: np.random.default_rng(seed).choice([0.3, 2.0, -1.3, 0.0, inf, -inf], size=(5, 1))
)
each_alpha = pytest.mark.parametrize("alpha", [1.3, 1.5, 2.0])


def slowly(call):
    """What the reference says."""
    with pytest.MonkeyPatch.context() as m:
        m.setattr(fast, "row_kernels", lambda x: fast.REFERENCES)
        return call()


def quickly(call):
    """What the kernels say. It fails where they are not what answers."""
    why_not, reasons = entmax_rows.reason_against, []
    with pytest.MonkeyPatch.context() as m:
        m.setattr(kernels, "SMALLEST", 0)
        m.setattr(fast.entmax_by_sorting, "reason_against", lambda arguments: "they are not asked")
        m.setattr(entmax_rows, "reason_against", lambda a: reasons.append(why_not(a)) or reasons[-1])
        result = call()
    assert reasons == [None]
    return result


def quickly_as_slowly(call, tol):
    """The kernels say what the readable body says, to `tol`; this is what both say."""
    got, want = quickly(call), slowly(call)
    close(got, want, tol)
    return got, want


def rounding(n, dtype=np.float64):
    return 6e-8 if dtype == np.float32 else 16 * n * 2.0**-52


def random_rows(seed, n, spread, dtype=np.float64):
    """Five rows: rounded ones with ties, all equal, far from 0, with −inf here and there, plain."""
    rng = np.random.default_rng(seed)
    scores = spread * rng.normal(size=(5, n))
    scores[0] = np.round(scores[0])
    scores[1] = scores[1, 0]
    scores[2] += 1e6
    scores[3, rng.uniform(size=n) < 0.3] = -inf
    return scores.astype(dtype)


# ---- 50 digits


def test_weights_are_within_8_n_eps_of_50_digits_with_the_exact_support(golden):
    rows = {name: row for name, row in golden["entmax"].items() if 1.05 <= row["alpha"] <= 2}
    assert len(rows) > 100
    for name, row in rows.items():
        scores, options = arguments(row)
        got = quickly(lambda s=scores, r=row, o=options: entmax(s, alpha=r["alpha"], beta=r["beta"], **o))
        assert distance(got, row["weights"]) <= 8 * len(got) * 2.0**-52, name
        if row["alpha"] >= 1.2:  # nearer to 1 there are weights too small for a float
            assert [w > 0 for w in got.tolist()] == [mp.mpf(w) > 0 for w in row["weights"]], name


@pytest.mark.parametrize("alpha", [1.2, 1.5, 2.0])
@pytest.mark.parametrize("spread", [0.1, 2.0])
def test_single_precision_is_within_6e_8_with_the_exact_support(reference, alpha, spread):
    rng = np.random.default_rng(1)
    for n, offset in ((3, -50.0), (67, 1e6)):
        scores = (offset + spread * rng.normal(size=n)).astype(np.float32)
        got = quickly(lambda s=scores: entmax(s, alpha=alpha, beta=1.7))
        want = reference.entmax(scores.tolist(), alpha, 1.7)
        assert (got == got.astype(np.float32)).all()
        assert distance(got, want) <= 6e-8
        assert [w > 0 for w in got.tolist()] == [w > 0 for w in want]


@pytest.mark.parametrize("alpha", [1.05, 1.1, 1.3, 1.45, 1.6, 1.9])
def test_the_smallest_weights_of_single_precision_are_rounded_once_too(reference, alpha):
    """Of scores so near to the threshold, on both sides, that a step of Newton's method changes their weights."""
    rng = np.random.default_rng(5)
    scores = (0.1 * rng.normal(size=300)).astype(np.float32)
    highest = max(reference.entmax(scores.tolist(), alpha, 1.0))
    threshold = float(scores.max()) - float(highest) ** (alpha - 1) / (alpha - 1)
    close = 10.0 ** np.arange(-9, -2, 0.25)
    scores = np.append(scores, threshold + np.concatenate([close, -close])).astype(np.float32)
    rng.shuffle(scores)
    got = quickly(lambda: entmax(scores, alpha=alpha, beta=1.0))
    want = np.array(reference.entmax(scores.tolist(), alpha, 1.0), dtype=np.float64)
    normal = want > 1e-37
    assert (got[want < 1e-46] == 0).all()
    assert (want == 0).any()
    assert np.max(np.abs(got[normal] / want[normal] - 1)) <= 1.01 * 2.0**-24


def test_powers_are_right_to_rounding():
    """Against 50 digits; and at the ends, where the series have nothing to do with it."""
    x = np.random.default_rng(2).uniform(size=331) ** 5
    x[:6] = 1.0, 0.5, math.sqrt(0.5), np.nextafter(math.sqrt(0.5), 0), np.nextafter(1, 0), 1e-300
    for p in (0.0, 0.05, 0.3, 0.5, 0.7, 1.0, 1.25, 2.0, 10 / 3, 20.0):
        with mp.workdps(50):
            digits = [mp.mpf(y) ** mp.mpf(p) for y in x.tolist()]
        assert distance([power(y, p) for y in x], digits) <= 2 * 2.0**-52
        assert power(1.0, p) == 1
        assert power(0.0, p) == 0
        assert 0 <= power(5e-324, p) <= 2.0 ** (-1022 * p)  # not a normal number


# ---- the readable body


@given(seeds, sizes, spreads, alphas, betas, dtypes)
def test_kernels_equal_the_readable_body(seed, n, spread, alpha, beta, dtype):
    scores = random_rows(seed, n, spread, dtype)
    quickly_as_slowly(lambda: entmax(scores, alpha=alpha, beta=beta), rounding(n, dtype))


@given(seeds, sizes, spreads, alphas, betas, st.sampled_from([(), (1,), (5,), (3, 1), (3, 5)]), st.integers(1, 3))
def test_masks_and_priors_of_any_shape_equal_the_readable_body(seed, n, spread, alpha, beta, lead, what):
    rng = np.random.default_rng(seed)
    scores = np.stack([random_rows(seed + k, n, spread) for k in range(3)])  # (3, 5, n)
    options = {}
    if what & 1:
        options["where"] = rng.uniform(size=(*lead, n)) < 0.6
    if what & 2:
        options["prior"] = rng.choice([0.0, 1e-9, 0.5, 1.0, 30.0], size=(*lead, n))
        options["prior"][..., rng.integers(n)] = 2.0
    quickly_as_slowly(lambda: entmax(scores, alpha=alpha, beta=beta, **options), rounding(n))


@given(seeds, st.sampled_from([31, 67, 331]), alphas, st.integers(0, 3), dtypes)
def test_rows_with_weight_nearly_everywhere_equal_the_readable_body(seed, n, alpha, what, dtype):
    """And those among them with a hole; gradients too."""
    rng = np.random.default_rng(seed)
    scores = 1e-3 * rng.normal(size=(9, n))
    scores[1:4, rng.integers(n)] = -inf, -9.0, 9.0
    scores[4] = 0.5
    lopsided = n ** (1 - alpha) * rng.exponential(size=n)
    scores[5:] = lopsided * np.array([[0.3], [-0.3], [0.01], [-0.01]])
    scores = scores.astype(dtype)
    options = {}
    if what & 1:
        options["where"] = rng.uniform(size=n) < 0.9
        options["where"][0] = True
    if what & 2:
        options["prior"] = rng.uniform(0.9, 1.1, size=n).astype(dtype)
    grad = torch.tensor(rng.normal(size=(9, n)).astype(dtype))

    def both():
        x = torch.tensor(scores, requires_grad=True)
        weights = entmax(x, alpha=alpha, **{k: torch.tensor(y) for k, y in options.items()})
        return weights.detach(), torch.autograd.grad(weights, x, grad)[0]

    (got, got_grad), (want, want_grad) = quickly(both), slowly(both)
    assert (want[0] > 0).double().mean() > 0.7
    close(got, want, rounding(n, dtype))
    close(got_grad, want_grad, max(rounding_of_gradients(alpha), 2e-6 if dtype == np.float32 else 0))


def test_a_prior_lifts_what_its_score_alone_would_lose():
    """βs + u is (0.01, −0.51, −9): at a gap of 1.5 the second has weight because of its prior."""
    scores, prior = np.array([0.0, -1.5, -9.0]), np.array([0.01, 0.99, 0.0])
    close(quickly(lambda: sparsemax(scores, prior=prior)), [0.76, 0.24, 0.0], 1e-15)


@given(seeds, sizes, alphas, st.sampled_from([1.0, -2.0, 0.0, 1e-309, inf, -inf]))
def test_nan_and_infinities_equal_the_readable_body(seed, n, alpha, beta):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(11, n))
    for row, p in zip(scores, np.linspace(0, 1, 11), strict=True):
        awkward = rng.uniform(size=n) < p
        row[awkward] = rng.choice([inf, -inf, nan, 1e30, -1e30, 1.7e308], size=awkward.sum())
    options = {"where": rng.uniform(size=(11, n)) < 0.7, "prior": rng.choice([0.0, 1.0, 3.0], size=n)}
    options["prior"][0] = 1.0
    for o in ({}, options):
        quickly_as_slowly(lambda o=o: entmax(scores, alpha=alpha, beta=beta, **o), rounding(n))


def test_a_nan_of_either_sign_is_noticed_in_its_row_only():
    for n in (1, 37):
        scores = np.zeros((3, n), np.float32)
        scores[:2, -1] = nan, np.copysign(nan, -1)
        got = quickly(lambda s=scores: sparsemax(s))
        np.testing.assert_array_equal(np.isnan(got), np.tile([[True], [True], [False]], n))


@pytest.mark.parametrize("axis", [0, 1, -2, -1])
def test_any_axis_and_any_strides_give_the_same(axis):
    scores = np.random.default_rng(5).normal(size=(7, 11, 13))[::-1, :, ::2]
    scores.flags.writeable = False
    where = np.random.default_rng(6).uniform(size=scores.shape[axis]) < 0.7
    where = where.reshape([-1 if k == axis % 3 else 1 for k in range(3)])
    options = {"where": np.broadcast_to(where, scores.shape), "axis": axis}
    for x in (scores, np.broadcast_to(scores[:1], scores.shape), scores.astype(">f8"), scores.T.copy().T):
        got, want = quickly_as_slowly(lambda x=x: entmax(x, alpha=1.5, beta=2.0, **options), 1e-14)
        assert (got.shape, got.dtype) == (want.shape, want.dtype)


@pytest.mark.parametrize("dtype", [np.float16, np.int64, np.bool_])
def test_half_precision_and_integers_equal_the_readable_body(dtype):
    scores = np.random.default_rng(7).normal(size=(5, 37)).astype(dtype)
    eps = np.finfo(dtype).eps if dtype == np.float16 else 2.0**-52
    got, want = quickly_as_slowly(lambda: entmax(scores, alpha=1.5, beta=0.7), eps / 2 + 6e-8)
    assert got.dtype == want.dtype


@pytest.mark.parametrize("shape", [(257, 331), (257, 7, 37)])
def test_rows_that_lie_one_after_another_are_not_copied_nor_is_a_prior_repeated_that_they_share(shape):
    scores, prior = np.random.default_rng(4).normal(size=shape), np.ones(shape[1:])
    quickly(lambda: entmax(scores, alpha=1.5, prior=prior))
    tracemalloc.start()
    quickly(lambda: entmax(scores, alpha=1.5, prior=prior))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert scores.nbytes <= peak < 1.5 * scores.nbytes


# ---- gradients


def rounding_of_gradients(alpha):
    """A weight that is all rounding has a rate, weight^(2 − α), that is more than that."""
    return 1e-9 if alpha < 1.7 else 1e-4 if alpha < 2 else 1e-12


@given(seeds, sizes, spreads, alphas, betas, st.booleans())
def test_gradients_equal_the_readable_body(seed, n, spread, alpha, beta, masked):
    rng = np.random.default_rng(seed)
    scores = random_rows(seed, n, spread)
    grad = torch.tensor(rng.normal(size=(5, n)))
    where = torch.tensor(rng.uniform(size=n) < 0.6) if masked else None
    beta = beta if isinstance(beta, float) else torch.tensor(beta)

    def gradient():
        x = torch.tensor(scores, requires_grad=True)
        return torch.autograd.grad(entmax(x, alpha=alpha, beta=beta, where=where), x, grad)[0]

    got, want = quickly(gradient), slowly(gradient)
    close(got, want, (1 + float(want.abs().max())) * rounding_of_gradients(alpha))


@each_alpha
def test_nothing_comes_back_from_what_has_no_weight(alpha):
    scores = torch.tensor([[0.0, 0.1, -9.0], [-inf, -inf, -inf], [inf, 0.0, 1.0]], requires_grad=True)
    grad = torch.tensor([[1.0, 0.0, nan], [nan, 1.0, inf], [1.0, 2.0, 3.0]])
    weights = quickly(lambda: entmax(scores, alpha=alpha))
    got = torch.autograd.grad(weights, scores, grad)[0].numpy()
    assert got[0, 2] == 0
    assert got[0, 0] == -got[0, 1] > 0
    assert (got[1:] == 0).all()


@each_alpha
@pytest.mark.parametrize("prior", [None, torch.tensor([1.0, 2.0, 4.0, 1.0], dtype=torch.float64)])
def test_a_row_of_the_worst_scores_alone_has_no_slope(alpha, prior):
    scores = torch.tensor([[inf, inf, -inf, inf]], dtype=torch.float64, requires_grad=True)
    for how_fast in (quickly, slowly):
        weights = how_fast(lambda: entmax(scores, alpha=alpha, beta=-1.0, prior=prior))
        shares = [1 / 3, 1 / 3, 0, 1 / 3] if prior is None else [0.25, 0.5, 0, 0.25]
        close(weights.detach()[0], torch.tensor(shares, dtype=torch.float64), 1e-15)
        got = torch.autograd.grad(weights, scores, torch.arange(4.0, dtype=torch.float64)[None])[0]
        assert (got == 0).all()


def test_of_nothing_there_are_no_weights_and_no_gradients():
    for shape in ((0, 3), (3, 0)):
        weights, slopes = cpu.entmax_forward(np.empty(shape), 1.5)
        assert weights.shape == cpu.entmax_backward(weights, np.empty(shape), 1.5, slopes).shape == shape


@each_alpha
@pytest.mark.parametrize("n", [3, 67])
def test_a_nan_in_a_row_comes_back_to_that_row_only(alpha, n):
    scores, grad = torch.zeros(5, n), torch.ones(5, n)
    scores[1, n // 2] = nan
    scores[:, 0] -= torch.tensor([0.0, 0.0, 0.0, 9.0, 9.0])  # without weight in the last two
    grad[2:4, 1], grad[4, 0] = nan, nan
    scores.requires_grad_()
    weights = quickly(lambda: entmax(scores, alpha=alpha))
    got = torch.autograd.grad(weights, scores, grad)[0]
    assert torch.isnan(got[1:3]).all()
    assert torch.isnan(got[3, 1:]).all()
    assert (got[3, 0], got[4, 0]) == (0, 0)
    assert (got[[0, 4]].abs() < 1e-6).all()


@pytest.mark.parametrize("again", [False, True])
def test_what_is_not_admissible_beside_a_nan_has_no_gradient(again):
    scores = torch.tensor([[nan, 1.0, 2.0, -inf, 0.5], [0.0, 0.1, 0.2, 0.3, 0.4]], requires_grad=True)
    options = {"where": torch.arange(5) != 1, "prior": 1.0 * (torch.arange(5) != 2), "alpha": 1.3}
    weights = quickly(lambda: entmax(scores, **options))
    assert torch.isnan(weights[0]).all()
    (got,) = torch.autograd.grad(weights, scores, torch.arange(10.0).reshape(2, 5), create_graph=again)
    assert torch.isnan(got[0]).tolist() == [True, False, False, False, True]
    assert (got[0, 1:4] == 0).all()
    assert torch.isfinite(got[1]).all()


@each_alpha
def test_first_and_second_derivatives_are_right(alpha):
    rng = np.random.default_rng(9)
    x = torch.tensor(0.3 * rng.normal(size=(3, 5)), requires_grad=True)

    def f(x):
        return quickly(lambda: entmax(x, alpha=alpha, beta=0.7))

    assert torch.autograd.gradcheck(f, x)
    assert torch.autograd.gradgradcheck(f, x)
    direction = torch.tensor(rng.normal(size=(3, 5)))
    once, twice = (torch.autograd.grad(f(x), x, direction, create_graph=again)[0] for again in (False, True))
    close(twice.detach(), once, 1e-12)


# ---- when the kernels are used, and when not


class Special(torch.Tensor):
    """What others make of tensors."""


def test_what_the_kernels_cannot_do_is_left_to_the_reference_and_why_is_said(monkeypatch):
    monkeypatch.setattr(kernels, "SMALLEST", 1)
    monkeypatch.setattr(fast.entmax_by_sorting, "reason_against", lambda arguments: "they are not asked")
    monkeypatch.setattr(entmax_rows, "call_kernel", lambda *_: pytest.fail("the kernels were asked"))
    x = torch.tensor(np.random.default_rng(10).normal(size=(3, 5)))
    one, ones = torch.ones((), dtype=torch.float64, requires_grad=True), torch.ones(5, dtype=torch.float64)
    wanted, transform = "with a gradient wanted in beta or the prior", "under a transform of torch.func"
    near = "with an alpha so close to 1 that rounding counts, or above 2"
    reasons, why_not = [], entmax_rows.reason_against
    monkeypatch.setattr(entmax_rows, "reason_against", lambda a: reasons.append(why_not(a)) or reasons[-1])
    for reason, call in (
        (near, lambda: entmax(x, alpha=1.04)),
        (near, lambda: entmax(x, alpha=2.01)),
        ("with a prior and a gradient wanted in alpha", lambda: entmax(x, alpha=one + 0.5, prior=ones)),
        ("with no alpha from 1.05 to 2 in an array", lambda: entmax(x, alpha=torch.tensor([[2.5], [1.01], [1]]))),
        (wanted, lambda: entmax(x, beta=one)),
        (wanted, lambda: entmax(x, prior=one * ones)),
        ("with a tensor of some special kind", lambda: entmax(x.as_subclass(Special))),
        (transform, lambda: torch.func.vmap(entmax)(x)),
        (transform, lambda: torch.func.jacrev(entmax)(x[0])),
        (transform, lambda: torch.func.jvp(entmax, (x,), (x,))[0]),
        ("too little to do", lambda: entmax(x[:0])),
    ):
        reasons.clear()
        assert torch.isfinite(call()).all()
        assert reasons[0] == reason
    assert entmax(x.to("meta")).shape == (3, 5)
    assert reasons[-1] == "on meta: the kernels are for the CPU"  # as on a GPU
    close(entmax(array_api_strict.asarray(x.numpy())), entmax(x, beta=one).detach(), 1e-15)
    assert "for such arrays: whether they are in main memory is not known" in reasons
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, x)
        assert torch.autograd.forward_ad.unpack_dual(entmax(dual)).tangent is not None
    monkeypatch.setattr(kernels, "numba_kernels", lambda: None)
    assert torch.isfinite(entmax(x)).all()
    assert reasons[-1] == "without Numba"


def test_and_what_they_can_do_is_theirs(monkeypatch):
    x, one = torch.ones(256, 256), torch.ones(1, requires_grad=True)
    for scores, alpha in ((x, 1.05), (x.numpy(), 2), (x, one + 0.5), (x, torch.tensor([[1.5], [2.5]] * 128))):
        assert entmax_rows.reason_against(prepare(scores, 1.0)._replace(alpha=alpha)) is None
    assert entmax_rows.reason_against(prepare(x[:255], 1.0)._replace(alpha=1.5)) == "too little to do"


def test_a_few_numbers_load_no_numba_and_many_do():
    code = """
import sys, numpy as np, lib
lib.entmax(np.zeros((3, 5)))
print("numba" in sys.modules)
lib.entmax(np.zeros((67, 1021), np.float32))
print("numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_without_numba_everything_works(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    for name in [name for name in sys.modules if name.startswith("lib.fast.cpu")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(sys.modules["lib.fast"], "cpu")
    monkeypatch.setattr(kernels, "SMALLEST", 0)
    assert kernels.numba_kernels() is None
    close(entmax(np.array([2.0, 1.0, 0.0]), alpha=2.0), [1, 0, 0], 0)
