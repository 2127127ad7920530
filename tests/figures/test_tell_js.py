"""*Can you tell?* in the page computes what `book.figures.tell` computes, and draws samples as it should."""

import math

import numpy as np
import pytest
from in_node import ask
from scipy.stats import binomtest, chisquare

from book.example import SCORES, TOKENS
from book.figures import tell
from lib import softmax

BETAS = [0.1, 0.37, 1.0, 2.9, 10.0]
COUNTS = [1, 2, 3, 7, 22, 23, 24, 37, 101, 331, 997, 1000]
LISTS = [list(SCORES), [0.0, 1.0], [-3.1, 0.2, 0.3, 5.9, 6.9], [0.1, 0.1, 0.2]]
CASES = [
    {"scores": scores, "beta": beta, "m": m, "hold": hold}
    for scores in LISTS
    for beta in BETAS
    for m in COUNTS
    for hold in tell.HOLDS
]
ANSWER = """({ scores, beta, m, hold }) => {
  const { sums, ...test } = tester(scores, beta)(m, hold);
  return { ...test, limit: limit(scores, beta, hold) };
}"""


def ask_page(answer, rows):
    return ask(answer, rows, view="can_you_tell")


@pytest.fixture(scope="module")
def answers():
    return ask_page(ANSWER, CASES)


def here(case):
    test = tell.best_test(case["scores"], case["beta"], case["m"], hold=case["hold"])
    return test, tell.exponent(case["scores"], case["beta"], case["m"], hold=case["hold"])


def test_the_page_finds_the_same_tests_and_exponents(answers):
    smallest = 0.0
    for case, found in zip(CASES, answers, strict=True):
        test, exponent = here(case)
        assert found["exponent"] == pytest.approx(exponent, rel=1e-9), case
        assert found["logFalseAlarm"] == pytest.approx(test.log_false_alarm, rel=1e-9, abs=1e-11), case
        assert found["logMiss"] == pytest.approx(test.log_miss, rel=1e-9, abs=1e-11), case
        smallest = min(smallest, test.log_false_alarm, test.log_miss)
        # Where no sum has a chance to speak of between two bars, either is the bar.
        if case["hold"] != "neither":
            assert found["bar"] == pytest.approx(test.bar, abs=1e-9), case
            assert found["toss"] == pytest.approx(test.toss, abs=1e-7), case
    assert smallest < -2000


def test_the_page_finds_the_same_limits(answers):
    for case, found in zip(CASES, answers, strict=True):
        assert found["limit"] == pytest.approx(tell.limit(case["scores"], case["beta"], case["hold"]), rel=1e-9)


STATE = {"tokens": list(TOKENS), "scores": list(SCORES), "beta": 1.0, "seed": 1, "hold": "neither"}


def test_samples_are_drawn_as_often_from_each_and_as_their_weights_say():
    """4000 samples of 23 tokens; each bound fails one time in a million if all is right, and the seed is fixed."""
    samples = ask_page("drawSample", [{**STATE, "m": 23, "sample": k} for k in range(1, 4001)])
    assert binomtest(sum(one["fromPi"] for one in samples), 4000).pvalue > 1e-6
    for from_pi in (False, True):
        drawn = np.concatenate([one["drawn"] for one in samples if one["fromPi"] == from_pi])
        weights = softmax(np.array(SCORES), 1.0 if from_pi else 0.0)
        assert chisquare(np.bincount(drawn, minlength=7), weights * drawn.size).pvalue > 1e-6


def test_the_test_is_right_on_samples_as_often_as_computed():
    answer = """(state) => {
      const sample = drawSample(state);
      return testSays(sample, tester(state.scores, state.beta)(state.m, state.hold)) === sample.fromPi;
    }"""
    for hold in tell.HOLDS:
        right = ask_page(answer, [{**STATE, "hold": hold, "m": 1, "sample": k} for k in range(1, 2001)])
        test = tell.best_test(SCORES, 1.0, 1, hold=hold)  # one token, so that the coin decides often
        chance = 1 - (math.exp(test.log_false_alarm) + math.exp(test.log_miss)) / 2
        assert binomtest(sum(right), 2000, chance).pvalue > 1e-6


def test_the_same_seed_and_number_give_the_same_sample_and_more_tokens_go_on_with_it():
    rows = [
        {**STATE, "m": 5, "sample": 3},
        {**STATE, "m": 11, "sample": 3},
        {**STATE, "m": 5, "sample": 4},
        {**STATE, "m": 5, "sample": 3, "seed": 2},
    ]
    short, long, other, reseeded = ask_page("drawSample", rows)
    assert short == ask_page("drawSample", rows[:1])[0]
    assert long["drawn"][:5] == short["drawn"]
    assert long["fromPi"] == short["fromPi"]
    assert short["drawn"] not in (other["drawn"], reseeded["drawn"])
    assert short["mean"] == pytest.approx(np.mean([SCORES[i] for i in short["drawn"]]))
