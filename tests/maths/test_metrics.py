"""effective_count and attention_distance: known rows, theorems, loops."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from lib import attention_distance, effective_count, entropy, softmax


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7])
def test_k_equal_weights_count_as_k(xp_any, n):
    rows = np.array([[1 / k] * k + [0.0] * (n - k) for k in range(1, n + 1)] + [[0.0] * n])
    got = xp_any.to_numpy(effective_count(xp_any.asarray(rows)))
    np.testing.assert_allclose(got, [*range(1, n + 1), 0], rtol=xp_any.tol)


@given(st.integers(0, 10**6), st.sampled_from([2, 3, 5, 7]))
def test_the_count_is_the_exponential_of_entropy_from_1_to_n(seed, n):
    p = np.random.default_rng(seed).dirichlet(np.full(n, 0.3))
    assert effective_count(p) == pytest.approx(math.exp(scipy.stats.entropy(p)), rel=1e-13)
    assert 1 - 1e-15 <= effective_count(p) <= n * (1 + 1e-14)
    assert effective_count(np.append(p, 0.0)) == pytest.approx(effective_count(p), rel=1e-14)


def test_the_count_falls_as_beta_grows():
    scores = np.random.default_rng(1).normal(size=7)
    counts = effective_count(softmax(scores, np.array([0.0, 0.5, 1.0, 2.0, 8.0, math.inf])[:, None]))
    assert (np.diff(counts) < 0).all()
    assert counts[0] == pytest.approx(7)
    assert counts[-1] == 1


def test_the_count_is_not_taken_from_a_rounded_entropy():
    """In float16 the entropy log 2039 is 7.62 ± 0.004; its exponential would be off by 7."""
    p = np.full(2039, 1 / 2039, np.float16)
    exact = math.exp(-(p.astype(float) * np.log(p.astype(float))).sum())
    assert abs(float(effective_count(p)) - exact) <= 1
    assert abs(math.exp(float(entropy(p))) - exact) > 1


def test_the_count_is_taken_along_the_axis_that_is_named(xp):
    p = np.random.default_rng(4).dirichlet(np.ones(3), size=(2, 5))
    want = np.exp(scipy.stats.entropy(p, axis=-1))
    for axis in (0, 1, 2, -3):
        got = effective_count(xp.asarray(np.moveaxis(p, -1, axis)), axis=axis)
        np.testing.assert_allclose(xp.to_numpy(got), want, rtol=1e-13)


# ---- attention distance


def loops(weights, offset):
    out = np.zeros(weights.shape[:-1])
    for at in np.ndindex(*weights.shape[:-1]):
        first = offset[at[0]] if np.ndim(offset) else offset
        out[at] = sum(w * abs(first + at[-1] - j) for j, w in enumerate(weights[at]))
    return out


@pytest.mark.parametrize("shape", [(5, 5), (3, 7), (7, 3), (2, 5, 3), (2, 3, 5, 7), (1, 1), (3, 0), (0, 3)])
def test_the_distance_is_the_expected_distance(xp_any, shape):
    weights = (
        np.random.default_rng(2).dirichlet(np.ones(shape[-1]), size=shape[:-1]) if shape[-1] else np.zeros(shape)
    )
    n_q, n_k = shape[-2:]
    for offset in (None, 0, 5, -2):
        want = loops(weights, n_k - n_q if offset is None else offset)
        got = attention_distance(xp_any.asarray(weights), offset=offset)
        assert got.dtype == xp_any.dtype
        np.testing.assert_allclose(xp_any.to_numpy(got), want, rtol=4 * xp_any.tol, atol=1e-300)


def test_each_batch_item_may_have_its_own_offset(xp):
    weights = np.random.default_rng(3).dirichlet(np.ones(7), size=(2, 3, 5))
    offset = np.array([1, 4])
    for w in (weights, weights[:, 0]):  # with heads and without
        got = attention_distance(xp.asarray(w), offset=xp.asarray(offset))
        np.testing.assert_allclose(xp.to_numpy(got), loops(w, offset), rtol=1e-14)
    got = attention_distance(xp.asarray(weights[0]), offset=4)
    np.testing.assert_allclose(xp.to_numpy(got), loops(weights[0], 4), rtol=1e-14)


def test_a_query_that_looks_at_itself_looks_nowhere_else(xp):
    np.testing.assert_array_equal(xp.to_numpy(attention_distance(xp.asarray(np.eye(5)))), np.zeros(5))
    np.testing.assert_array_equal(xp.to_numpy(attention_distance(xp.asarray(np.zeros((2, 5))))), np.zeros(2))
    last = xp.asarray(np.eye(5)[3:])
    np.testing.assert_array_equal(xp.to_numpy(attention_distance(last)), np.zeros(2))
    np.testing.assert_array_equal(xp.to_numpy(attention_distance(last, offset=0)), [3, 3])


def test_arguments_that_do_not_fit_are_refused(xp):
    weights = xp.asarray(np.ones((2, 3, 5)))
    with pytest.raises(ValueError, match=r"weights must have shape \(\.\.\., n_q, n_k\); got \(5,\)"):
        attention_distance(xp.asarray(np.ones(5)))
    with pytest.raises(
        ValueError,
        match=r"offset must have shape \(batch,\).*offset has shape \(3,\), the leading axes are",
    ):
        attention_distance(weights, offset=xp.asarray(np.arange(3)))
    with pytest.raises(TypeError, match="offset must hold integers"):
        attention_distance(weights, offset=xp.asarray(np.ones(2)))
    with pytest.raises(TypeError, match="offset must be a NumPy array or a torch tensor; got float"):
        attention_distance(weights, offset=1.5)
