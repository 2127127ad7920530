"""Tests with every sequence listed, and the bounds on their errors, against second computations."""

import itertools
import math

import numpy as np
import pytest

from book.figures import tell
from book.tell.bounds import bretagnolle_huber, pinsker
from book.tell.listed import fewest_misses, misses_above_a_bar, sequences, sums
from lib import kl_divergence, softmax

SCORES = np.array([0.2, 1.0, -0.3, 0.7, 0.2])
NULL = np.full(5, 0.2)
WEIGHTS = softmax(SCORES, 1.3)


def test_sequences_and_sums_are_in_one_order():
    draws = list(itertools.product(range(5), repeat=3))
    chances = [math.prod(WEIGHTS[i] for i in draw) for draw in draws]
    np.testing.assert_allclose(sequences(WEIGHTS, 3), chances, rtol=1e-14)
    np.testing.assert_allclose(sums(SCORES, 3), [SCORES[list(draw)].sum() for draw in draws], atol=1e-14)


@pytest.mark.parametrize("level", [0.01, 0.05, 0.4, 1.0])
def test_no_rule_misses_less_than_a_bar_on_the_likelihood_ratio(level):
    under_u, under_pi = sequences(NULL, 2), sequences(WEIGHTS, 2)
    least = fewest_misses(under_u, under_pi, level)
    assert misses_above_a_bar(under_pi / under_u, under_u, under_pi, level) == pytest.approx(least, abs=1e-10)
    assert misses_above_a_bar(sums(SCORES, 2), under_u, under_pi, level) == pytest.approx(least, abs=1e-10)


def test_the_bar_is_where_the_best_test_has_it():
    found = misses_above_a_bar(sums(SCORES, 3), sequences(NULL, 3), sequences(WEIGHTS, 3), 0.05)
    assert found == pytest.approx(math.exp(tell.log_least_error(SCORES, 1.3, 3, hold="false alarms")), rel=1e-12)


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
