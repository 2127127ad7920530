"""objective and beta_for_kl: what softmax maximises, and the β that a budget of divergence buys."""

import math

import mpmath as mp
import numpy as np
import pytest
from drawn import pairs, positive
from exactness import arguments
from hypothesis import given
from hypothesis import strategies as st
from optional_torch import torch

from lib import beta_for_kl, kl_divergence, log_partition, objective, softmax

inf = math.inf
budgets = st.one_of(st.integers(1, 250).map(lambda k: k / 100), st.integers(1, 60).map(lambda k: 10.0**-k))


# ---- objective


def test_softmax_attains_the_value_of_the_objective(xp, golden):
    for name, row in golden["maps"].items():
        (scores, extra), beta = arguments(row, xp.asarray), row["beta"]
        value = float(objective(softmax(scores, beta, **extra), scores, beta, **extra))
        want, size = float(row["log_partition"]), max([1.0] + [abs(s) for s in row["scores"] if math.isfinite(s)])
        bound = 8 * len(row["scores"]) * xp.eps * size * 2
        assert value == want or abs(value - want) <= bound, (name, value, want)


@given(pairs, positive, st.integers(0, 10**6))
def test_the_shortfall_in_the_objective_is_the_divergence_from_softmax(case, beta, seed):
    """F(softmax) − F(p) = KL(p ‖ softmax)/β, so softmax is the only maximiser."""
    scores, prior = case
    p = np.random.default_rng(seed).dirichlet(np.full(scores.size, 0.5), size=5)
    for b in (beta, -beta):
        shortfall = log_partition(scores, b, prior=prior) - objective(p, scores, b, prior=prior)
        distance = kl_divergence(p, softmax(scores, b, prior=prior)) / b
        np.testing.assert_allclose(shortfall, distance, rtol=1e-10, atol=1e-11)


@given(pairs)
def test_the_objective_at_beta_zero_is_worth_anything_only_for_the_prior(case):
    scores, prior = case
    u = prior / prior.sum()
    np.testing.assert_allclose(objective(u, scores, 0.0, prior=prior), u @ scores, atol=1e-14)
    assert objective(u[::-1], scores, 0.0, prior=prior) == (
        -inf if (u != u[::-1]).any() else pytest.approx(u @ scores)
    )


def test_the_objective_at_beta_zero_lets_the_prior_be_rounded_to_the_dtype_of_p(xp_any):
    scores, prior = xp_any.asarray([1.0, 2.0, 4.0]), xp_any.asarray([1.0, 2.0, 3.0])
    assert math.isfinite(float(objective(softmax(scores, 0.0, prior=prior), scores, 0.0, prior=prior)))
    assert float(objective(softmax(scores, 0.1, prior=prior), scores, 0.0, prior=prior)) == -inf


@pytest.mark.parametrize(("roundings", "value"), [(8, 0.5), (9, -inf)])
def test_the_objective_at_beta_zero_lets_a_share_be_off_by_eight_roundings(roundings, value):
    off = roundings * np.finfo(float).eps / 2
    assert objective(np.array([0.5 + off, 0.5 - off]), np.array([0.0, 1.0]), 0.0) == pytest.approx(value)


@given(pairs, st.integers(0, 10**6))
def test_the_objective_at_beta_infinite_is_the_expected_score(case, seed):
    scores, prior = case
    p = np.random.default_rng(seed).dirichlet(np.ones(scores.size))
    for beta in (inf, -inf):
        np.testing.assert_allclose(objective(p, scores, beta, prior=prior), p @ scores, atol=1e-14)


def test_in_the_objective_weight_on_what_is_not_admissible_is_worth_minus_infinity(xp_any):
    scores = xp_any.asarray([1.0, -inf, 3.0, inf])
    where = xp_any.asarray([True, True, False, False])
    p = xp_any.asarray([[0.5, 0.5, 0.0, 0.0], [0.5, 0.0, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]])
    for beta in (1.0, 0.0, inf, -1.0, -inf):
        worst = inf if beta < 0 else -inf
        np.testing.assert_array_equal(
            xp_any.to_numpy(objective(p, scores, beta, where=where)), [worst] * 3 + [1.0]
        )


def test_in_the_objective_weight_on_an_infinite_score_is_worth_infinity(xp_any):
    p, scores = xp_any.asarray([[0.5, 0.5], [1.0, 0.0]]), xp_any.asarray([0.0, inf])
    got = xp_any.to_numpy(objective(p, scores, 1.0))
    assert got[0] == inf
    np.testing.assert_allclose(got[1], -math.log(2), rtol=xp_any.tol)


# ---- beta_for_kl


def test_beta_for_kl_is_that_of_a_budget_a_few_roundings_away(xp, golden):
    """The golden rows hold β at ε (1 ± 8e-16) to 50 digits: a bound that follows the conditioning."""
    for name, row in golden["budgets"].items():
        scores, options = arguments(row, xp.asarray)
        got = mp.mpf(float(beta_for_kl(scores, row["epsilon"], **options)))
        low, high = mp.mpf(row["low"]), mp.mpf(row["high"])
        assert low * (1 - 4 * xp.eps) <= got <= high * (1 + 4 * xp.eps), (name, got)


@given(pairs, budgets)
def test_beta_for_kl_spends_the_budget_to_the_last_digit_or_is_infinite(case, epsilon):
    scores, prior = case
    beta = beta_for_kl(scores, epsilon, prior=prior)
    spent = kl_divergence(softmax(scores, beta, prior=prior), prior / prior.sum())
    if beta == inf:
        assert spent <= epsilon * (1 + 1e-14)
    else:
        # the weights are rounded: a divergence of ε = δ²/2 is seen to about eps · δ
        np.testing.assert_allclose(spent, epsilon, rtol=1e-13, atol=1e-15 * math.sqrt(epsilon))


@given(pairs, budgets)
def test_beta_for_kl_is_infinite_if_the_best_entries_can_be_afforded(case, epsilon):
    scores, prior = case
    limit = math.log(prior.sum() / prior[scores == scores.max()].sum())
    assert (beta_for_kl(scores, epsilon, prior=prior) == inf) == (epsilon >= limit * (1 - 1e-15))


@given(pairs, budgets, st.sampled_from([1e-30, 0.5, 3.0, 1e30]), st.sampled_from([-64.0, 0.0, 1024.0]))
def test_beta_for_kl_has_the_unit_of_one_over_scores_and_ignores_offsets(case, epsilon, scale, offset):
    scores, prior = case
    beta = beta_for_kl(scores, epsilon, prior=prior)
    scaled = beta_for_kl(scores * scale, epsilon, prior=prior)
    np.testing.assert_allclose(scaled * scale, beta, rtol=1e-8)  # near the limit β is ill-conditioned
    whole = np.round(scores * 8)
    np.testing.assert_array_equal(beta_for_kl(whole + offset, epsilon), beta_for_kl(whole, epsilon))


@given(pairs, st.lists(budgets, min_size=2, max_size=6))
def test_beta_for_kl_is_larger_for_a_larger_budget(case, grid):
    scores, prior = case
    bought = beta_for_kl(np.tile(scores, (len(grid), 1)), np.sort(grid), prior=prior)
    assert (bought[:-1] <= bought[1:]).all()


def test_beta_for_kl_at_the_ends_of_the_budget(xp_any):
    scores = xp_any.asarray(
        [[1.0, 2.0, 5.0], [5.0, 2.0, 5.0], [2.0, 2.0, 2.0], [-inf, -inf, 3.0], [inf, 0.0, 1.0]]
    )
    got = xp_any.to_numpy(beta_for_kl(scores, 0.0))
    np.testing.assert_array_equal(got, [0, 0, inf, inf, 0])
    np.testing.assert_array_equal(xp_any.to_numpy(beta_for_kl(scores, math.log(3))), [inf] * 5)
    np.testing.assert_array_equal(xp_any.to_numpy(beta_for_kl(scores, math.log(1.5)))[:2] == inf, [False, True])
    np.testing.assert_array_equal(xp_any.to_numpy(beta_for_kl(scores, inf)), [inf] * 5)


def test_beta_for_kl_of_log_n_is_infinite_in_any_dtype(xp_any):
    for n in (2, 3, 5, 7, 11, 13):
        scores = xp_any.asarray(np.arange(float(n)))
        assert float(beta_for_kl(scores[None, ...], xp_any.asarray([math.log(n)]))[0]) == inf
        assert float(beta_for_kl(scores, 0.9 * math.log(n))) < inf


def test_beta_for_kl_takes_a_budget_for_each_row_or_one_for_all(xp):
    """An array without axes is one for all, and rows that a prior adds count."""
    scores, prior = (
        np.random.default_rng(1).normal(size=(3, 5, 7)),
        np.random.default_rng(2).random((3, 5, 7)) + 0.1,
    )
    for axis, rows in ((-1, (3, 5)), (1, (3, 7)), (0, (5, 7))):
        one, each = (beta_for_kl(xp.asarray(scores), xp.asarray(x), axis=axis) for x in (0.3, np.full(rows, 0.3)))
        np.testing.assert_array_equal(xp.to_numpy(one), xp.to_numpy(each))
    assert beta_for_kl(
        xp.asarray(scores[0, 0]), xp.asarray(np.full((3, 5), 0.3)), prior=xp.asarray(prior)
    ).shape == (3, 5)


def test_beta_for_kl_stays_finite_in_its_dtype():
    scores = np.array([0.0, 1e-6, 5e-7], np.float16)
    assert beta_for_kl(scores, 0.5) == np.finfo(np.float16).max
    assert beta_for_kl(np.array([0.0, 5e-324]), 0.5) == np.finfo(float).max


def test_the_search_of_beta_for_kl_is_short_also_where_newton_strays(monkeypatch):
    import lib.objectives

    steps, evaluate = [], lib.objectives._kl_and_variance
    monkeypatch.setattr(lib.objectives, "_kl_and_variance", lambda *a: (steps.append(1), evaluate(*a))[1])
    scores = np.array([-3.92e-13, 1.1767e-08, -6.7707e-04, -1.2037e-03, -0.45791])
    prior = np.array([3.92e-06, 1.0779e-06, 7.4881e-05, 7.1964e-06, 4.3675e-06])
    beta_for_kl(scores, 2.6937695338078607, prior=prior)
    assert len(steps) <= 50


def test_the_search_of_beta_for_kl_does_not_depend_on_reading_values():
    """Under vmap no value may be read, and all hundred steps are taken: to the same β."""
    scores = torch.tensor(np.random.default_rng(5).normal(size=(7, 3)) * 1e6)
    torch.testing.assert_close(torch.func.vmap(lambda s: beta_for_kl(s, 0.3))(scores), beta_for_kl(scores, 0.3))
