"""The exact tests, also with every sequence listed, the bounds on their errors, and other derivations of softmax,
against second computations that share nothing with them.
"""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import gumbel_r

from book.divergences.derivations import first_given_mean
from book.figures import tell
from book.noisy_choice import chances_to_win
from book.solver import least_divergence, maximise, most_score, slope
from book.tell import listed
from book.tell.bounds import bretagnolle_huber, pinsker
from book.tell.listed import fewest_misses, misses_above_a_bar
from lib import kl_divergence, softmax

SCORES = np.array([0.2, 1.0, -0.3, 0.7, 0.2])
BETA = 1.3
NULL = np.full(5, 0.2)
WEIGHTS = softmax(SCORES, BETA)


def sequences(weights, m):
    """Every sequence of m tokens: its sum of scores in tenths, its chance under `weights`."""
    found = {}
    for draw in itertools.product(range(5), repeat=m):
        total = round(10 * sum(SCORES[i] for i in draw))
        found[total] = found.get(total, 0) + math.prod(weights[i] for i in draw)
    return found


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_sums_are_distributed_as_by_listing_every_sequence(m):
    sums, chances = tell.score_sum(SCORES, WEIGHTS, m)
    expected = sequences(WEIGHTS, m)
    assert math.fsum(chances) == pytest.approx(1, abs=1e-14)
    for total, chance in zip(np.rint(10 * sums).astype(int), chances, strict=True):
        assert chance == pytest.approx(expected.get(int(total), 0), rel=1e-12)


def test_the_fourier_transform_gives_what_convolution_gives(monkeypatch):
    sums, direct = tell.score_sum(SCORES, WEIGHTS, 211)
    monkeypatch.setattr(tell, "DIRECT", 0)
    again, fast = tell.score_sum(SCORES, WEIGHTS, 211)
    np.testing.assert_array_equal(sums, again)
    np.testing.assert_allclose(fast, direct, rtol=0, atol=1e-15)


def test_scores_off_the_lattice_are_refused():
    with pytest.raises(ValueError, match="multiples of unit"):
        tell.score_sum([0.0, 0.25], [0.5, 0.5], 2)


@pytest.mark.parametrize("beta", [BETA, -BETA])
@pytest.mark.parametrize("hold", ["misses", "false alarms"])
def test_the_least_error_is_the_knapsack_of_likelihood_ratios(hold, beta):
    """Give up the sequences that speak most against the held hypothesis, up to 5%, the last in part."""
    pi = softmax(SCORES, beta)
    held, other = (pi, NULL) if hold == "misses" else (NULL, pi)
    under_held, under_other = sequences(held, 3), sequences(other, 3)
    room, error = 0.05, 1.0
    for total in sorted(under_held, key=lambda total: under_held[total] / under_other[total]):
        part = min(1, room / under_held[total])
        room, error = room - part * under_held[total], error - part * under_other[total]
    found = math.exp(tell.log_least_error(SCORES, beta, 3, hold=hold))
    assert found == pytest.approx(error, rel=1e-12)


def test_threshold_tests_say_something_always():
    for chances in tell.outcomes(SCORES, BETA, 7):
        np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-14)
        assert (np.diff(chances[:, 0]) >= 0).all()


def test_which_error_is_held_must_be_named():
    with pytest.raises(ValueError, match="hold: 'errors' is none of 'misses', 'false alarms', 'neither'"):
        tell.log_least_error(SCORES, BETA, 3, hold="errors")


@pytest.mark.parametrize("beta", [BETA, -BETA])
@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_the_least_sum_of_errors_counts_each_sequence_where_it_is_less_likely(beta, m):
    under_u, under_pi = sequences(NULL, m), sequences(softmax(SCORES, beta), m)
    least = math.fsum(min(under_u[total], under_pi[total]) for total in under_u)
    assert tell.log_least_error(SCORES, beta, m, hold="neither") == pytest.approx(math.log(least), rel=1e-12)


@pytest.mark.parametrize("hold", tell.HOLDS)
def test_a_test_errs_as_often_as_its_bar_and_its_coin_say(hold):
    test = tell.best_test(SCORES, BETA, 7, hold=hold)
    for weights, error, says_pi in (
        (NULL, test.log_false_alarm, True),
        (softmax(SCORES, BETA), test.log_miss, False),
    ):
        sums, chances = tell.score_sum(SCORES, weights, 7)
        share = np.where(np.isclose(sums, test.bar), test.toss, sums > test.bar)
        assert math.exp(error) == pytest.approx(chances @ (share if says_pi else 1 - share), rel=1e-11)
    held = {"misses": test.log_miss, "false alarms": test.log_false_alarm}.get(hold)
    assert held is None or math.exp(held) == pytest.approx(0.05, rel=1e-12)


@pytest.mark.parametrize("beta", [0.1, BETA, 10.0, -2.0])
def test_chernoffs_exponent_is_the_largest_over_all_powers(beta):
    """By a search over λ, where the module looks for the softmax in between."""
    pi = softmax(SCORES, beta)
    found = minimize_scalar(
        lambda power: np.log((NULL ** (1 - power) * pi**power).sum()),
        bounds=(0, 1), method="bounded", options={"xatol": 1e-10},
    )  # fmt: skip
    assert tell.limit(SCORES, beta, "neither") == pytest.approx(-found.fun, rel=1e-9)
    between = softmax(SCORES, tell.tilt(SCORES, beta, "neither"))
    assert kl_divergence(between, NULL) == pytest.approx(kl_divergence(between, pi), rel=1e-12)


@pytest.mark.parametrize("hold", tell.HOLDS)
def test_each_exponent_comes_to_its_own_limit(hold):
    """Stein's are late by about 1.645 standard errors, Chernoff's by half a logarithm: both over m vanish."""
    limits = {one: float(tell.limit(SCORES, BETA, one)) for one in tell.HOLDS}
    away = [tell.exponent(SCORES, BETA, m, hold=hold) / limits[hold] - 1 for m in (101, 1009, 10_007)]
    assert abs(away[0]) > abs(away[1]) > abs(away[2])
    assert abs(away[2]) < (0.01 if hold == "neither" else 0.06)
    others = [limits[one] for one in tell.HOLDS if one != hold]
    assert min(abs(tell.exponent(SCORES, BETA, 100_003, hold=hold) / other - 1) for other in others) > 0.02


def test_at_beta_zero_nothing_tells_them_apart():
    for hold, log_error in (("misses", math.log(0.95)), ("false alarms", math.log(0.95)), ("neither", 0.0)):
        assert tell.limit(SCORES, 0.0, hold) == 0
        assert tell.log_least_error(SCORES, 0.0, 5, hold=hold) == pytest.approx(log_error, abs=1e-12)


def test_conditioning_on_the_mean_is_bayes_rule_over_every_sequence():
    joint = np.zeros(5)
    for draw in itertools.product(range(5), repeat=4):
        if sum(SCORES[i] for i in draw) >= 4 * 0.6 - 1e-9:
            joint[draw[0]] += 1
    np.testing.assert_allclose(first_given_mean(SCORES, NULL, 4, 0.6), joint / joint.sum(), rtol=1e-12)


def test_gumbel_noise_wins_in_proportion_to_the_exponential():
    odds = np.exp(SCORES) / np.exp(SCORES).sum()
    np.testing.assert_allclose(chances_to_win(SCORES, gumbel_r), odds, atol=1e-10)


def test_the_solver_finds_what_can_be_solved_by_hand():
    corner = maximise(lambda p: p @ SCORES, 5)
    np.testing.assert_allclose(corner, [0, 1, 0, 0, 0], atol=1e-9)
    nearest = maximise(lambda p: p @ [1.0, 0.0] - p @ p, 2)  # the point of the simplex nearest to (½, 0)
    np.testing.assert_allclose(nearest, [0.75, 0.25], atol=1e-8)
    assert kl_divergence(most_score(SCORES, NULL, 0.2), NULL) == pytest.approx(0.2, abs=1e-8)
    assert least_divergence(SCORES, NULL, 0.6) @ SCORES == pytest.approx(0.6, abs=1e-8)
    assert slope(math.sin, 0.3) == pytest.approx(math.cos(0.3), abs=1e-6)


# --- with every sequence listed, and bounds on the errors ----------------------------------------------


def test_sequences_and_sums_are_in_one_order():
    draws = list(itertools.product(range(5), repeat=3))
    chances = [math.prod(WEIGHTS[i] for i in draw) for draw in draws]
    np.testing.assert_allclose(listed.sequences(WEIGHTS, 3), chances, rtol=1e-14)
    np.testing.assert_allclose(listed.sums(SCORES, 3), [SCORES[list(draw)].sum() for draw in draws], atol=1e-14)


@pytest.mark.parametrize("level", [0.01, 0.05, 0.4, 1.0])
def test_no_rule_misses_less_than_a_bar_on_the_likelihood_ratio(level):
    under_u, under_pi = listed.sequences(NULL, 2), listed.sequences(WEIGHTS, 2)
    least = fewest_misses(under_u, under_pi, level)
    assert misses_above_a_bar(under_pi / under_u, under_u, under_pi, level) == pytest.approx(least, abs=1e-10)
    assert misses_above_a_bar(listed.sums(SCORES, 2), under_u, under_pi, level) == pytest.approx(least, abs=1e-10)


def test_the_bar_is_where_the_best_test_has_it():
    found = misses_above_a_bar(
        listed.sums(SCORES, 3), listed.sequences(NULL, 3), listed.sequences(WEIGHTS, 3), 0.05
    )
    assert found == pytest.approx(math.exp(tell.log_least_error(SCORES, BETA, 3, hold="false alarms")), rel=1e-12)


def test_bounds_are_their_formulas_and_one_of_them_is_never_vacuous():
    divergence = np.array([0.0, 0.01, 0.5, 1.5, 2.0, 7.0])
    np.testing.assert_allclose(bretagnolle_huber(divergence), 1 - np.sqrt(1 - np.exp(-divergence)), atol=1e-15)
    assert pinsker(2.0) == pytest.approx(0)
    assert pinsker(2.01) < 0 < bretagnolle_huber(700.0)


def test_bounds_hold_for_one_token_and_any_two_distributions():
    rng = np.random.default_rng(2)
    for p, r in rng.dirichlet(np.full(4, 0.7), size=(300, 2)):
        least = np.minimum(p, r).sum()
        for divergence in (kl_divergence(p, r), kl_divergence(r, p)):
            assert max(pinsker(divergence), bretagnolle_huber(divergence)) <= least + 1e-12
