"""The exact tests, and the other roads to softmax, against second computations that share nothing with them."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import gumbel_r

from lib import kl_divergence, softmax
from lib.book import roads, tell
from lib.book.solver import least_divergence, maximise, most_score, slope

SCORES = np.array([0.2, 1.0, -0.3, 0.7, 0.2])
BETA = 1.3
NULL = np.full(5, 0.2)


def sequences(weights, m):
    """Every sequence of m tokens: its sum of scores in tenths, its chance under `weights`."""
    found = {}
    for draw in itertools.product(range(5), repeat=m):
        total = round(10 * sum(SCORES[i] for i in draw))
        found[total] = found.get(total, 0) + math.prod(weights[i] for i in draw)
    return found


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_sums_are_distributed_as_by_listing_every_sequence(m):
    weights = softmax(SCORES, BETA)
    sums, chances = tell.score_sum(SCORES, weights, m)
    listed = sequences(weights, m)
    assert math.fsum(chances) == pytest.approx(1, abs=1e-14)
    for total, chance in zip(np.rint(10 * sums).astype(int), chances, strict=True):
        assert chance == pytest.approx(listed.get(int(total), 0), rel=1e-12)


def test_the_fourier_transform_gives_what_convolution_gives(monkeypatch):
    weights = softmax(SCORES, BETA)
    sums, direct = tell.score_sum(SCORES, weights, 211)
    monkeypatch.setattr(tell, "DIRECT", 0)
    again, fast = tell.score_sum(SCORES, weights, 211)
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
    with pytest.raises(ValueError, match="hold must be"):
        tell.log_least_error(SCORES, BETA, 3, hold="errors")


def test_conditioning_on_the_mean_is_bayes_rule_over_every_sequence():
    joint = np.zeros(5)
    for draw in itertools.product(range(5), repeat=4):
        if sum(SCORES[i] for i in draw) >= 4 * 0.6 - 1e-9:
            joint[draw[0]] += 1
    np.testing.assert_allclose(roads.first_given_mean(SCORES, NULL, 4, 0.6), joint / joint.sum(), rtol=1e-12)


def test_gumbel_noise_wins_in_proportion_to_the_exponential():
    odds = np.exp(SCORES) / np.exp(SCORES).sum()
    np.testing.assert_allclose(roads.chances_to_win(SCORES, gumbel_r), odds, atol=1e-10)


def test_the_solver_finds_what_can_be_solved_by_hand():
    corner = maximise(lambda p: p @ SCORES, 5)
    np.testing.assert_allclose(corner, [0, 1, 0, 0, 0], atol=1e-9)
    np.testing.assert_allclose(roads.nearest_weights(np.array([1.0, 0.0])), [0.75, 0.25], atol=1e-8)
    assert kl_divergence(most_score(SCORES, NULL, 0.2), NULL) == pytest.approx(0.2, abs=1e-8)
    assert least_divergence(SCORES, NULL, 0.6) @ SCORES == pytest.approx(0.6, abs=1e-8)
    assert slope(math.sin, 0.3) == pytest.approx(math.cos(0.3), abs=1e-6)
