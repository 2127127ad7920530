"""*The race*: seeded, the same in the page as in Python, and said and drawn as it was run."""

import math

import numpy as np
import pytest
from figure_page import attributes, number_in, opened, table
from gallery import race as figure
from in_node import ask
from scipy.integrate import quad
from scipy.stats import chisquare, gumbel_r, kstest, norm, uniform

import lib
from book.example import SCORES, TOKENS
from book.figures import races

SPREAD = math.pi / math.sqrt(6)
FORMS = {
    "Gumbel": gumbel_r(loc=-np.euler_gamma),
    "normal": norm(scale=SPREAD),
    "uniform": uniform(loc=-SPREAD * math.sqrt(3), scale=2 * SPREAD * math.sqrt(3)),
}


def ask_page(answer, rows):
    return ask(answer, rows, view="race")


# --- what is drawn at random ---------------------------------------------------------------------


def test_the_page_draws_the_same_numbers():
    seeds = [0, 1, 2, 20170612, 2**31 - 1]
    answer = "(seed) => Array.from({ length: 300 }, (_, k) => randomAt(spreadSeed(seed), k))"
    found = ask_page(answer, seeds)
    for seed, numbers in zip(seeds, found, strict=True):
        np.testing.assert_array_equal(numbers, races.random_numbers(seed, 300))


@pytest.mark.parametrize("kind", FORMS)
def test_noise_is_distributed_as_its_name_says_with_one_mean_and_spread(kind):
    drawn = races.noise(kind, 3, 20_000, 5).ravel()
    assert kstest(drawn, FORMS[kind].cdf).pvalue > 1e-4
    assert FORMS[kind].mean() == pytest.approx(0, abs=1e-12)
    assert FORMS[kind].std() == pytest.approx(SPREAD)


def test_the_clouds_are_the_densities_of_the_noise():
    places = np.linspace(-3.2, 4.6, 79).tolist()
    for kind, form in FORMS.items():
        found = ask_page(f'(x) => noiseDensity("{kind}", x)', places)
        np.testing.assert_allclose(found, form.pdf(places), atol=1e-12)
    assert ask_page('(x) => noiseDensity("none", x)', [0.0]) == [0]


CASES = [
    {"scores": scores, "beta": beta, "noise": noise, "races": count, "seed": seed}
    for scores in (list(SCORES), [0.0, 1.0], [1.0, 1.0, 1.0, 0.5], [-2.3, 1e3, 1e3])
    for beta in (0.1, 1.0, 3.7)
    for noise in races.NOISES
    for count, seed in ((0, 1), (1, 1), (37, 5), (2003, 11))
]


def test_the_page_counts_the_same_wins():
    answer = "(row) => raceAll(row, noiseKeeper())"
    for case, found in zip(CASES, ask_page(answer, CASES), strict=True):
        expected = races.count_wins(case["scores"], case["beta"], case["noise"], case["races"], case["seed"])
        assert found["wins"] == expected.tolist(), case
        assert sum(found["wins"]) == case["races"]
        if case["races"]:
            last = races.noise(case["noise"], case["seed"], case["races"], len(case["scores"]))[-1] / case["beta"]
            np.testing.assert_allclose(found["last"], np.array(case["scores"]) + last, rtol=1e-12, atol=1e-12)
            assert found["last"][found["winner"]] == max(found["last"])


def test_more_races_go_on_with_those_that_were_run():
    answer = """(row) => {
      const draws = noiseKeeper();
      const one = (races, seed) => raceAll({ ...row, races, seed }, draws).wins;
      return [one(100, 1), one(1100, 1), one(50, 2), one(100, 1)];
    }"""
    row = {"scores": list(SCORES), "beta": 1.0, "noise": "Gumbel"}
    first, second, _, again = ask_page(answer, [row])[0]
    assert first == again == figure(races=100).wins
    assert second == figure(races=1100).wins
    assert all(b >= a for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("beta", [0.3, 1.0, 4.0])
def test_under_gumbel_noise_wins_are_softmax_and_under_others_they_are_not(beta):
    for seed in range(3):
        expected = 50_000 * lib.softmax(np.array(SCORES), beta)
        assert chisquare(races.count_wins(SCORES, beta, "Gumbel", 50_000, seed), expected).pvalue > 1e-4
        for other in ("normal", "uniform"):
            assert chisquare(races.count_wins(SCORES, beta, other, 50_000, seed), expected).pvalue < 1e-9


@pytest.mark.parametrize("kind", ["normal", "uniform"])
def test_under_other_noise_wins_are_as_integrated(kind):
    """With two tokens: the chance that the difference of two noises is less than the lead."""
    form = FORMS[kind]
    chance = quad(lambda x: form.pdf(x) * form.cdf(x + 0.7), -10, 10, limit=200)[0]
    won = races.count_wins([0.7, 0.0], 1.0, kind, 100_000, 4)[0]
    assert won / 100_000 == pytest.approx(chance, abs=5 * math.sqrt(0.25 / 100_000))


def test_scores_that_stay_equal_draw_lots():
    won = races.count_wins([1.0, 2.0, 2.0, 0.0, 2.0], 1.0, "none", 9000, 1)
    assert won[[0, 3]].tolist() == [0, 0]
    assert chisquare(won[[1, 2, 4]]).pvalue > 1e-4


def test_python_has_what_the_page_shows():
    shown = figure(beta=2.0, races=500, noise="normal", seed=3)
    assert shown.wins == races.count_wins(SCORES, 2.0, "normal", 500, 3).tolist()
    assert shown.weights == lib.softmax(np.array(SCORES), 2.0).tolist()


# --- the picture ---------------------------------------------------------------------------------

FLOOR, ROOM = 115, 93  # of the plot of shares, in pixels


@pytest.mark.parametrize(
    ("options", "top"),
    [({}, 0.5), ({"noise": "normal", "races": 20_000}, 0.5), ({"beta": 5.0}, 1.0), ({"beta": 0.1}, 0.25)],
)
def test_the_picture_and_the_table_have_the_wins_softmax_and_the_last_race(visit, options, top):
    shown = figure(**options)
    page = opened(visit(shown))
    weights, won = np.array(shown.weights), np.array(shown.wins)
    error = np.sqrt(weights * (1 - weights) / shown.races)
    bars = attributes(page, ".ws-shares .ws-weight", "height") / ROOM * top
    np.testing.assert_allclose(bars, won / shown.races, atol=1e-5)
    marks = (FLOOR - attributes(page, ".ws-mark-softmax", "y1")) / ROOM * top
    np.testing.assert_allclose(marks, weights, atol=1e-5)
    low, high = np.maximum(0, weights - 2 * error), np.minimum(top, weights + 2 * error)
    np.testing.assert_allclose(attributes(page, ".ws-band", "height") / ROOM * top, high - low, atol=1e-5)

    last = np.array(SCORES) + races.noise(shown.noise, 1, shown.races, 7)[-1] / shown.beta
    if not options:  # β = 1
        low, high = -0.6 - 3.2, 2 + 4.6
        dots = 22 + (high - np.clip(last, low, high)) / (high - low) * 120
        np.testing.assert_allclose(attributes(page, ".ws-landed", "cy"), dots, atol=1e-3)
    assert page.locator(".ws-landed.ws-best").count() == 1
    rows = table(page)
    assert [row[0] for row in rows] == list(TOKENS)
    away = (won / shown.races - weights) / error
    for column, expected, within in [(1, SCORES, 0.001), (2, last, 0.006), (3, won, 0), (5, away, 0.06)]:
        found = [number_in(row[column]) for row in rows]
        np.testing.assert_allclose(found, expected, rtol=6e-3 if column == 2 else 0, atol=within)
    assert [number_in(row[4]) for row in rows] == pytest.approx(100 * weights, abs=0.51)
