"""kl_divergence, entropy, effective_count and attention_distance: 50 digits, theorems, SciPy, loops."""

import math

import mpmath as mp
import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lib import attention_distance, effective_count, entropy, kl_divergence

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


def test_kl_divergence_and_entropy_are_within_8_n_eps_of_50_digits(xp, golden):
    """Relative to the result where that exceeds 1."""
    for name, row in golden["pairs"].items():
        p, q = xp.asarray(row["p"]), xp.asarray(row["q"])
        for got, digits in ((kl_divergence(p, q), row["kl"]), (entropy(p), row["entropy"])):
            got, want = float(got), mp.mpf(digits)
            right = got == want if mp.isinf(want) else abs(got - want) <= 8 * len(row["p"]) * xp.eps * max(1, want)
            assert right, (name, got)


def test_kl_divergence_of_near_rows_is_off_by_eps_times_their_distance(xp, golden):
    """The textbook sum is off by eps, which at a distance of 1e-9 is more than the divergence itself."""
    for step in (1e-3, 1e-6, 1e-9):
        row = golden["pairs"][f"a step of {step:g}"]
        p, q = (np.array(row[k]) for k in "pq")
        bound = 8 * xp.eps * np.abs(p - q).sum()
        assert abs(float(kl_divergence(xp.asarray(p), xp.asarray(q))) - mp.mpf(row["kl"])) <= bound
    assert abs((p * np.log(p / q)).sum() - mp.mpf(row["kl"])) > mp.mpf(row["kl"])


def test_entropy_of_a_certain_row_is_zero_and_of_a_uniform_one_log_n(xp_any):
    for n in (1, 2, 3, 5):
        p, uniform = (xp_any.to_numpy(entropy(xp_any.asarray(x))) for x in (np.eye(n), np.full(n, 1 / n)))
        assert (p == 0).all()
        assert not np.signbit(p).any()
        np.testing.assert_allclose(uniform, math.log(n), rtol=xp_any.tol)


def test_in_kl_divergence_zero_times_log_zero_is_zero_and_weight_where_q_has_none_infinite(xp_any):
    p = xp_any.asarray([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    q = xp_any.asarray([0.5, 0.5, 0.0])
    np.testing.assert_array_equal(xp_any.to_numpy(kl_divergence(p, q)), [0, inf, 0])


@given(pairs)
def test_scipy_agrees_on_kl_divergence_and_entropy(pair):
    p, q = pair
    np.testing.assert_allclose(kl_divergence(p, q), scipy.special.rel_entr(p, q).sum(), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(kl_divergence(p, q), scipy.special.kl_div(p, q).sum(), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(entropy(p), scipy.stats.entropy(p), rtol=1e-13, atol=1e-15)


@given(pairs)
def test_kl_divergence_is_never_negative_and_zero_only_between_equals(pair):
    p, q = pair
    assert kl_divergence(p, q) >= 0
    assert kl_divergence(p, p) == 0
    assert (kl_divergence(p, q) > 1e-9) == (np.abs(p - q).max() > 1e-9)


def test_kl_divergence_is_not_negative_between_rows_a_rounding_apart(xp):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(5), size=2003)
    q = p * (1 + rng.integers(-3, 4, size=p.shape) * 2.0**-52)
    terms = p * np.log1p((p - q) / q) - (p - q)
    assert (terms.sum(-1) < 0).any()  # so rounding would have it
    assert (xp.to_numpy(kl_divergence(xp.asarray(p), xp.asarray(q))) >= 0).all()


@given(rows)
def test_kl_divergence_from_uniform_is_what_entropy_leaves_of_log_n(p):
    uniform = np.full(p.size, 1 / p.size)
    np.testing.assert_allclose(kl_divergence(p, uniform), math.log(p.size) - entropy(p), atol=1e-14)
    assert -1e-15 <= entropy(p) <= math.log(p.size) + 1e-15


def test_kl_divergence_broadcasts_over_rows_but_not_along_them(xp):
    p = np.random.default_rng(1).dirichlet(np.ones(7), size=(3, 5))
    q = np.random.default_rng(2).dirichlet(np.ones(7), size=5)
    got = xp.to_numpy(kl_divergence(xp.asarray(p), xp.asarray(q)))
    assert got.shape == (3, 5)
    np.testing.assert_allclose(got, scipy.special.rel_entr(p, q).sum(-1), rtol=1e-13)


# ---- effective_count


def test_effective_count_of_k_equal_weights_is_k(xp_any):
    for n in (1, 2, 3, 5, 7):
        rows = np.array([[1 / k] * k + [0.0] * (n - k) for k in range(1, n + 1)] + [[0.0] * n])
        got = xp_any.to_numpy(effective_count(xp_any.asarray(rows)))
        np.testing.assert_allclose(got, [*range(1, n + 1), 0], rtol=xp_any.tol)


@given(st.integers(0, 10**6), st.sampled_from([2, 3, 5, 7]))
def test_effective_count_is_the_exponential_of_entropy_from_1_to_n(seed, n):
    p = np.random.default_rng(seed).dirichlet(np.full(n, 0.3))
    assert effective_count(p) == pytest.approx(math.exp(scipy.stats.entropy(p)), rel=1e-13)
    assert 1 - 1e-15 <= effective_count(p) <= n * (1 + 1e-14)
    assert effective_count(np.append(p, 0.0)) == pytest.approx(effective_count(p), rel=1e-14)


def test_effective_count_is_not_taken_from_a_rounded_entropy():
    """In float16 the entropy log 2039 is 7.62 ± 0.004; its exponential would be off by 7."""
    p = np.full(2039, 1 / 2039, np.float16)
    exact = math.exp(-(p.astype(float) * np.log(p.astype(float))).sum())
    assert abs(float(effective_count(p)) - exact) <= 1
    assert abs(math.exp(float(entropy(p))) - exact) > 1


# ---- attention distance


def loops(weights, offset):
    out = np.zeros(weights.shape[:-1])
    for at in np.ndindex(*weights.shape[:-1]):
        first = offset[at[0]] if np.ndim(offset) else offset
        out[at] = sum(w * abs(first + at[-1] - j) for j, w in enumerate(weights[at]))
    return out


def test_attention_distance_is_the_expected_distance(xp_any):
    """With an offset for all, or, in the last two shapes, for each batch item."""
    for shape in ((5, 5), (3, 7), (7, 3), (1, 1), (3, 0), (0, 3), (2, 5, 3), (2, 3, 5, 7)):
        *lead, n_q, n_k = shape
        weights = np.random.default_rng(2).dirichlet(np.ones(n_k), size=(*lead, n_q)) if n_k else np.zeros(shape)
        for offset in (None, 0, 5, -2, *([np.array([1, 4])] if lead else [])):
            made = xp_any.asarray(offset) if isinstance(offset, np.ndarray) else offset
            want, got = loops(weights, n_k - n_q if offset is None else offset), xp_any.asarray(weights)
            got = xp_any.to_numpy(attention_distance(got, offset=made))
            np.testing.assert_allclose(got, want, rtol=4 * xp_any.tol, atol=1e-300, err_msg=f"{shape} {offset}")
