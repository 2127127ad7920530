"""*Outside* draws and says what `lib` computes, in the states that shift, copies, scores and β lead to."""

import math
import re

import numpy as np
import pytest
from figure_page import assert_map, attributes, more, number_in, opened, points, table, tops
from gallery import outside
from in_node import assert_same

from book.example import SCORES, TOKENS
from lib import relu_norm, sigmoid_weights, softmax, softmax_plus_one

inf = math.inf
MOST = 1.08  # the largest weight that is drawn
PLOT = 146 / 2  # pixels for a sum of 1
SHIFTS = np.linspace(-4, 4, 161)
MAPS = ("softmax", "relu", "sigmoid", "plus-one")


def expected(scores=SCORES, beta=1.0, shift=0.0, copies=1, bias="follows"):
    """By lib, for each map the total weight of each token's copies: an array (4, n)."""
    row = np.repeat(np.array(scores) + shift, copies)
    given = -np.log(len(row) if bias == "follows" else len(scores))
    maps = softmax(row, beta), relu_norm(row, beta), sigmoid_weights(row, beta, bias=given)
    return np.array([w.reshape(-1, copies).sum(-1) for w in (*maps, softmax_plus_one(row, beta))])


# --- the numbers -------------------------------------------------------------------------------------

STATES = [(b, c, way) for b in (0.0, 0.3, 1.0, -2.0, inf, -inf) for c in (1, 7) for way in ("follows", "stays")]


def test_the_four_maps_are_those_of_lib():
    rng = np.random.default_rng(0)
    rows = [rng.normal(size=n) * 10.0**k for n in (1, 2, 5) for k in (-2, 0, 2)]
    rows += [np.zeros(3), np.array([0.0, -1.0, 0.0]), np.array([1e300, -1e300, 1e308]), -abs(rng.normal(size=4))]
    asked = [[row.tolist(), *state] for row in rows for state in STATES]
    wanted = lambda row: expected(row[0], row[1], 0.0, *row[2:])  # noqa: E731
    assert_same("(row) => fourMaps(...row)", asked, wanted, "outside", rtol=1e-12, atol=1e-300)


def test_python_has_the_weights_and_their_sums():
    state = {"shift": 1.5, "copies": 3, "beta": 2.0, "bias": "stays"}
    widget, wanted = outside(**state), expected(**state)
    np.testing.assert_allclose(list(widget.maps.values()), wanted)
    np.testing.assert_allclose(list(widget.sums.values()), wanted.sum(axis=-1))


# --- the picture -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"shift": -4.0, "beta": 3.0},
        {"shift": 4.0, "copies": 10},
        {"copies": 100, "bias": "stays", "scores": [0.2, 2.0, 1.1, 0.2, 0.5, -0.6, 0.8]},
        {"beta": -2.0, "shift": -1.0},
        {"beta": inf, "shift": 1.0},
        {"beta": 0.0},
    ],
    ids=str,
)
def test_bars_rings_sums_curves_and_the_table_are_those_of_lib(visit, state):
    page = opened(visit(outside(**state)))
    rows = table(page)
    notes = page.locator(".ws-of-map .ws-note").all_text_contents()
    along = np.array([expected(**{**state, "shift": x}).sum(axis=-1) for x in SHIFTS]).T
    for k, (name, weights) in enumerate(zip(MAPS, expected(**state), strict=True)):
        zeros = (weights == 0) & (name == "relu" or state.get("beta") == inf)  # others are only rounded to 0
        assert_map(page, name, weights, zeros, [row[k + 2] for row in rows], MOST)
        total, text = weights.sum(), notes[k].removeprefix("sum ")
        if text in (">0.999", "<0.001"):
            assert 0.9995 < total <= 1 + 1e-12 if text[0] == ">" else 0 <= total < 0.001
        else:
            assert float(text) == pytest.approx(total, rel=6e-3, abs=1e-9)
        drawn = (164 - points(page.locator(f".ws-sums path.ws-{name}").get_attribute("d"))[:, 1]) / PLOT
        wanted = np.minimum(along[k], 2.4)
        jumps = abs(np.diff(wanted, prepend=wanted[0])) + abs(np.diff(wanted, append=wanted[-1])) > 0.2
        np.testing.assert_allclose(drawn[~jumps], wanted[~jumps], atol=1e-3)  # a jump may stand a step aside
    shifted = np.array(state.get("scores", SCORES)) + state.get("shift", 0.0)
    assert [number_in(row[1]) for row in rows] == pytest.approx(shifted.tolist(), abs=1e-9)


@pytest.mark.parametrize("state", [{}, {"shift": 3.0}, {"copies": 10, "bias": "stays"}, {"beta": 0.0}])
def test_the_dots_stand_at_the_sums_of_lib(draw, state):
    """Those that are drawn: at most 2."""
    dots = re.findall(r'<circle class="ws-dot[^>]* cy="([\d.-]+)" visibility="(\w+)"', draw(outside(**state)))
    wanted = expected(**state).sum(axis=-1)
    assert [seen == "visible" for _, seen in dots] == (wanted <= 2).tolist()
    for (y, seen), total in zip(dots, wanted, strict=True):
        assert seen == "hidden" or (164 - float(y)) / PLOT == pytest.approx(total, abs=1e-4)


def test_where_two_sums_are_equal_both_dots_are_seen(visit):
    page = visit(outside()).page
    soft, relu = (page.locator(f".ws-sums .ws-dot.ws-{name}") for name in MAPS[:2])
    assert soft.get_attribute("cy") == relu.get_attribute("cy")
    assert float(relu.get_attribute("r")) > float(soft.get_attribute("r"))
    assert relu.evaluate("el => getComputedStyle(el).fill") == "none"


@pytest.mark.parametrize("width", [1280, 360])
def test_a_figure_of_few_maps_has_their_weights_and_their_slider_alone_and_moves_nothing_below(visit, width):
    few = {"only": ["softmax", "ReLU over its sum"], "sliders": ["shift"]}
    page = visit(outside(**few, caption="A caption."), width=width).page
    assert page.get_by_role("slider").count() == 1 + len(TOKENS)
    assert page.locator(".ws-sums").count() == 0  # they are 1
    before = tops(page)
    for key, shift in [("ArrowRight", 0.1), ("Home", -4.0), ("End", 4.0)]:
        page.get_by_role("slider", name="shift of all scores").press(key)
        assert tops(page) == before
        for name, weights in zip(MAPS, expected(shift=shift), strict=True):
            bars = attributes(page, f"rect.ws-bar.ws-{name}", "height") / 100
            np.testing.assert_allclose(bars, weights if name in MAPS[:2] else [], atol=1e-9)
    more(page)
    assert page.get_by_role("checkbox").count() == 0
    assert page.locator(".ws-table th").all_text_contents()[:4] == ["token", "score", "softmax", "ReLU"]
