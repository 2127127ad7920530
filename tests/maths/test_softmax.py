"""softmax, log_softmax and log_partition against 50 digits, theorems, and other people's code.

The theorems that softmax shares with other maps are in test_alternatives.py, where it is the curve at α = 1.
"""

import math

import numpy as np
import pytest
import scipy.special
from drawn import betas, pairs, positive
from exactness import arguments, close, distance
from hypothesis import given
from hypothesis import strategies as st

from lib import log_partition, log_softmax, softmax

inf, nan = math.inf, math.nan
MAPS = (softmax, log_softmax, log_partition)

# ---- golden values


def test_softmax_is_within_8_n_eps_of_50_digits(xp, golden):
    for name, row in golden["maps"].items():
        scores, options = arguments(row, xp.asarray)
        error = distance(xp.to_numpy(softmax(scores, row["beta"], **options)), row["softmax"])
        assert error <= 8 * len(row["scores"]) * xp.eps, (name, error)


@given(st.integers(0, 10**6), st.integers(1, 280), st.sampled_from([2, 3, 5, 7]))
def test_a_prior_that_cancels_the_scores_costs_softmax_log_r_eps_more(reference, seed, decades, n):
    rng = np.random.default_rng(seed)
    prior = 10.0 ** (-decades * rng.uniform(size=n))
    scores = rng.normal(size=n) - np.log(prior)
    bound = (8 * n + math.log(prior.max() / prior.min())) * 2.0**-52
    assert distance(softmax(scores, prior=prior), reference.weights(scores, 1.0, prior)) <= bound


def test_log_softmax_is_within_8_n_eps_of_50_digits(xp, golden):
    for name, row in golden["maps"].items():
        scores, options = arguments(row, xp.asarray)
        got = xp.to_numpy(log_softmax(scores, row["beta"], **options))
        size = max([1.0] + [abs(math.log(u)) for u in row.get("prior", ()) if u > 0])  # log u is rounded too
        for g, digits in zip(got, row["log_softmax"], strict=True):
            assert distance(g, digits) <= 8 * len(got) * xp.eps * max(size, abs(float(digits))), name


def test_log_partition_is_within_8_n_eps_of_50_digits(xp, golden):
    for name, row in golden["maps"].items():
        scores, options = arguments(row, xp.asarray)
        size = max([1.0] + [abs(s) for s in row["scores"] if math.isfinite(s)])
        error = distance(xp.to_numpy(log_partition(scores, row["beta"], **options)), row["log_partition"])
        assert error <= 8 * len(row["scores"]) * xp.eps * size, (name, error)


# ---- theorems


@given(pairs, betas)
def test_in_log_softmax_a_gap_in_score_is_a_factor_in_odds(pair, beta):
    scores, prior = pair
    log_odds = np.diff(log_softmax(scores, beta, prior=prior))
    close(log_odds, beta * np.diff(scores) + np.diff(np.log(prior)), 1e-12)
    close(np.exp(log_softmax(scores, beta, prior=prior)), softmax(scores, beta, prior=prior))


@given(pairs, positive)
def test_log_partition_at_negative_beta_is_that_of_negated_scores_negated(pair, beta):
    scores, prior = pair
    close(log_partition(scores, -beta, prior=prior), -log_partition(-scores, beta, prior=prior), 0)


@given(pairs)
def test_log_partition_at_beta_zero_is_the_mean_under_the_prior(pair):
    scores, prior = pair
    close(log_partition(scores, 0.0, prior=prior), scores @ prior / prior.sum())


@given(pairs, betas)
def test_priors_of_softmax_compose(pair, beta):
    """Tilting by s and then by t is tilting by s + t."""
    scores, prior = pair
    once = softmax(scores + scores[::-1], beta, prior=prior)
    twice = softmax(scores[::-1], beta, prior=softmax(scores, beta, prior=prior))
    close(twice, once, 1e-11)  # the weights between may be small: log u is then large


@given(pairs, st.lists(st.integers(-80, 80).map(lambda k: k / 16), min_size=2, max_size=7, unique=True))
def test_log_partition_grows_with_beta_between_the_extremes(pair, grid):
    scores, prior = pair
    values = [log_partition(scores, b, prior=prior) for b in [-inf, *sorted(grid), inf]]
    assert (np.diff(values) >= -1e-13).all()
    assert values[0] == scores.min()
    assert values[-1] == scores.max()


@pytest.mark.parametrize("beta", [0.2, -0.7, 3.0])
def test_log_partition_is_the_mean_of_the_expected_score_on_the_way(beta):
    """(1/β) ∫ ⟨softmax(b s), s⟩ db by a quadrature of 64 nodes."""
    scores = np.random.default_rng(5).normal(size=7)
    nodes, weights = np.polynomial.legendre.leggauss(64)
    on_the_way = softmax(scores, (beta * (1 + nodes) / 2)[:, None]) @ scores
    close(log_partition(scores, beta), weights @ on_the_way / 2)


def test_tiny_beta_costs_log_partition_no_digits(xp):
    """The naive logarithm over β has no right digit at β = 1e-16."""
    scores = np.array([0.3, -1.7, 2.9])
    mean, variance = scores.mean(), scores.var()
    for beta in (1e-300, 1e-20, 1e-16, 1e-15, 1e-12, 1e-9, -1e-9, -1e-20):
        close(xp.to_numpy(log_partition(xp.asarray(scores), beta)), mean + beta * variance / 2, 1e-15)


# ---- other people's code


def test_a_hard_row_costs_the_others_of_log_partition_no_digits(xp):
    scores = xp.asarray([[inf, 1.0, 2.0], [1.0, 2.0, 6.0]])
    np.testing.assert_allclose(xp.to_numpy(log_partition(scores, 1e-16)), [inf, 3.0], rtol=1e-15)


@pytest.mark.parametrize("axis", [-1, 0, 1, -3])
@pytest.mark.parametrize("beta", [1.0, 0.3, -2.0])
def test_scipy_agrees_on_softmax_log_softmax_and_log_partition(xp, axis, beta):
    scores = np.random.default_rng(7).normal(size=(3, 5, 7)) * 3
    x = xp.asarray(scores)
    close(xp.to_numpy(softmax(x, beta, axis=axis)), scipy.special.softmax(beta * scores, axis=axis))
    close(xp.to_numpy(log_softmax(x, beta, axis=axis)), scipy.special.log_softmax(beta * scores, axis=axis))
    mean_exp = scipy.special.logsumexp(beta * scores, axis=axis) - np.log(scores.shape[axis])
    close(xp.to_numpy(log_partition(x, beta, axis=axis)), mean_exp / beta)
