"""*Can you tell?* in the page computes what `lib.figures.tell` computes, and says and draws samples alike."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare
from test_math_js import ask

from lib import softmax
from lib.book.example import SCORES, TOKENS
from lib.figures import tell, words_tell

MODULES = ["math", "words", "controls", "fourier", "tell_math", "tell_words", "tell_game"]
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
  const end = limit(scores, beta, hold);
  return { ...test, limit: end, said: tellSentence({ beta, m, hold }, test, end) };
}"""


@pytest.fixture(scope="module")
def answers():
    return ask(MODULES, ANSWER, CASES)


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


def test_sentences_are_the_same(answers):
    differ = []
    for case, found in zip(CASES, answers, strict=True):
        ends = tell.limit(case["scores"], case["beta"], case["hold"])
        said = words_tell.sentence(case["beta"], case["m"], case["hold"], *here(case), float(ends))
        differ += [(found["said"], said)] * (found["said"] != said)
    assert len(differ) <= len(CASES) // 200, differ[:3]  # a value within rounding of a half


def test_chances_are_written_alike_however_small():
    logs = [-1e-9, -0.5, -6.9, -6.91, -50.0, -2000.3, math.log(1e-5), math.log(9.99e-7), -23.02585092994, -1e5]
    assert ask(MODULES, "chance", logs) == [words_tell.chance(x) for x in logs]
    assert words_tell.chance(math.log(4.2e-12)) == "4.2·10⁻¹²"
    assert words_tell.chance(math.log(9.97e-8)) == "1.0·10⁻⁷"


STATE = {"tokens": list(TOKENS), "scores": list(SCORES), "beta": 1.0, "seed": 1, "hold": "neither"}


def test_samples_are_drawn_as_often_from_each_and_as_their_weights_say():
    """4000 samples of 23 tokens; each bound fails one time in a million if all is right, and the seed is fixed."""
    samples = ask(MODULES, "drawSample", [{**STATE, "m": 23, "sample": k} for k in range(1, 4001)])
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
        right = ask(MODULES, answer, [{**STATE, "hold": hold, "m": 1, "sample": k} for k in range(1, 2001)])
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
    short, long, other, reseeded = ask(MODULES, "drawSample", rows)
    assert short == ask(MODULES, "drawSample", rows[:1])[0]
    assert long["drawn"][:5] == short["drawn"]
    assert long["fromPi"] == short["fromPi"]
    assert short["drawn"] not in (other["drawn"], reseeded["drawn"])
    assert short["mean"] == pytest.approx(np.mean([SCORES[i] for i in short["drawn"]]))
