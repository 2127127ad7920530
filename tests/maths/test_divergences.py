"""kl_divergence and entropy against 50 digits, theorems, and SciPy."""

import math

import mpmath as mp
import numpy as np
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lib import entropy, kl_divergence, softmax

inf = math.inf
parts = st.integers(0, 40).map(lambda k: k / 8)


@st.composite
def weights(draw, n):
    """A row that sums to 1, zeros included."""
    row = draw(hnp.arrays(float, n, elements=parts))
    row[draw(st.integers(0, n - 1))] += 0.125
    return row / row.sum()


sizes = st.sampled_from([1, 2, 3, 5, 7])
rows = sizes.flatmap(weights)
pairs = sizes.flatmap(lambda n: st.tuples(weights(n), weights(n)))


def test_divergence_and_entropy_are_within_8_n_eps_of_50_digits(xp, golden):
    """Relative to the result where that exceeds 1."""
    for name, row in golden["pairs"].items():
        p, q = xp.asarray(row["p"]), xp.asarray(row["q"])
        for got, digits in ((kl_divergence(p, q), row["kl"]), (entropy(p), row["entropy"])):
            got, want = float(got), mp.mpf(digits)
            right = got == want if mp.isinf(want) else abs(got - want) <= 8 * len(row["p"]) * xp.eps * max(1, want)
            assert right, (name, got)


def test_the_divergence_of_near_rows_is_off_by_eps_times_their_distance(xp, golden):
    """The textbook sum is off by eps, which at a distance of 1e-9 is more than the divergence itself."""
    for step in (1e-3, 1e-6, 1e-9):
        row = golden["pairs"][f"a step of {step:g}"]
        p, q = (np.array(row[k]) for k in "pq")
        bound = 8 * xp.eps * np.abs(p - q).sum()
        assert abs(float(kl_divergence(xp.asarray(p), xp.asarray(q))) - mp.mpf(row["kl"])) <= bound
    assert abs((p * np.log(p / q)).sum() - mp.mpf(row["kl"])) > mp.mpf(row["kl"])


def test_every_dtype_is_exact_to_its_rounding(xp_any, reference):
    rng = np.random.default_rng(3)
    for n in (2, 7, 31):
        p, q = (xp_any.rounded(rng.dirichlet(np.ones(n))) for _ in range(2))
        for got, want in (
            (kl_divergence(xp_any.asarray(p), xp_any.asarray(q)), reference.kl(p, q)),
            (entropy(xp_any.asarray(p)), reference.entropy(p)),
        ):
            assert abs(float(xp_any.to_numpy(got)) - want) <= xp_any.tol * max(1, want)


def test_a_certain_row_has_entropy_zero_and_a_uniform_one_log_n(xp_any):
    for n in (1, 2, 3, 5):
        p = xp_any.to_numpy(entropy(xp_any.asarray(np.eye(n))))
        assert (p == 0).all()
        assert not np.signbit(p).any()
        np.testing.assert_allclose(
            xp_any.to_numpy(entropy(xp_any.asarray(np.full(n, 1 / n)))), math.log(n), rtol=xp_any.tol
        )


def test_entropy_needs_no_small_constant_in_half_precision(xp_any):
    """−Σ p log(p + 1e-12) is NaN in float16, where 1e-12 is 0; and it is off by n · 1e-12 elsewhere."""
    p = xp_any.asarray([1.0, 0.0, 0.0])
    assert float(xp_any.to_numpy(entropy(p))) == 0


def test_zero_times_log_zero_is_zero_and_weight_where_q_has_none_is_infinite(xp_any):
    p = xp_any.asarray([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    q = xp_any.asarray([0.5, 0.5, 0.0])
    np.testing.assert_array_equal(xp_any.to_numpy(kl_divergence(p, q)), [0, inf, 0])


@given(pairs)
def test_scipy_agrees(pair):
    p, q = pair
    np.testing.assert_allclose(kl_divergence(p, q), scipy.special.rel_entr(p, q).sum(), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(kl_divergence(p, q), scipy.special.kl_div(p, q).sum(), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(entropy(p), scipy.stats.entropy(p), rtol=1e-13, atol=1e-15)


@given(pairs)
def test_divergence_is_never_negative_and_zero_only_between_equals(pair):
    p, q = pair
    assert kl_divergence(p, q) >= 0
    assert kl_divergence(p, p) == 0
    assert (kl_divergence(p, q) > 1e-9) == (np.abs(p - q).max() > 1e-9)


def test_divergence_is_not_negative_between_rows_a_rounding_apart(xp):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(5), size=2003)
    q = p * (1 + rng.integers(-3, 4, size=p.shape) * 2.0**-52)
    terms = p * np.log1p((p - q) / q) - (p - q)
    assert (terms.sum(-1) < 0).any()  # so rounding would have it
    assert (xp.to_numpy(kl_divergence(xp.asarray(p), xp.asarray(q))) >= 0).all()


@given(pairs)
def test_pinsker_bounds_the_distance_of_two_rows(pair):
    p, q = pair
    assert kl_divergence(p, q) >= np.abs(p - q).sum() ** 2 / 2 - 1e-15


@given(rows)
def test_divergence_from_uniform_is_what_entropy_leaves_of_log_n(p):
    uniform = np.full(p.size, 1 / p.size)
    np.testing.assert_allclose(kl_divergence(p, uniform), math.log(p.size) - entropy(p), atol=1e-14)
    assert -1e-15 <= entropy(p) <= math.log(p.size) + 1e-15


@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_entries_does_not_matter(p, random):
    order = list(range(p.size))
    random.shuffle(order)
    q = softmax(np.arange(float(p.size)))
    np.testing.assert_allclose(kl_divergence(p[order], q[order]), kl_divergence(p, q), atol=1e-14)
    np.testing.assert_allclose(entropy(p[order]), entropy(p), atol=1e-14)


def test_divergence_broadcasts_over_rows_but_not_along_them(xp):
    p = np.random.default_rng(1).dirichlet(np.ones(7), size=(3, 5))
    q = np.random.default_rng(2).dirichlet(np.ones(7), size=5)
    got = xp.to_numpy(kl_divergence(xp.asarray(p), xp.asarray(q)))
    assert got.shape == (3, 5)
    np.testing.assert_allclose(got, scipy.special.rel_entr(p, q).sum(-1), rtol=1e-13)


def test_the_wider_dtype_of_two_is_the_result():
    p, q = np.full(2, 0.5, np.float16), np.full(2, 0.5)
    assert kl_divergence(p, q).dtype == np.float64
    assert kl_divergence(p, q.astype(np.float32)).dtype == np.float32
