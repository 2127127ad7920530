"""*Outside* draws and says what `lib` computes, also after a reader has moved the shift, copies, scores or β."""

import math
import re

import numpy as np
import pytest
from figure_page import OVERLAPS, more, pull, tops
from in_node import ask

from lib import relu_norm, sigmoid_weights, softmax, softmax_plus_one
from lib.book.example import SCORES, TOKENS
from lib.figures import Outside

inf = math.inf
S = np.array(SCORES)
UNIT = 96 / 11  # pixels for a point: there is room from −5 to 6
MOST = 1.08  # the largest weight that is drawn
PLOT = 146 / 2  # pixels for a sum of 1
SHIFTS = np.linspace(-4, 4, 161)
MAPS = ("softmax", "relu", "sigmoid", "plus-one")


def figure(**options):
    return Outside(TOKENS, SCORES, **options)


def expected(scores=S, beta=1.0, shift=0.0, copies=1, bias="follows"):
    """By lib, for each map the total weight of each token's copies: an array (4, n)."""
    row = np.repeat(np.array(scores) + shift, copies)
    given = -np.log(len(row) if bias == "follows" else len(scores))
    maps = (
        softmax(row, beta),
        relu_norm(row, beta),
        sigmoid_weights(row, beta, bias=given),
        softmax_plus_one(row, beta),
    )
    return np.array([w.reshape(-1, copies).sum(-1) for w in maps])


def sums_at(shift, **state):
    return expected(**{**state, "shift": shift}).sum(axis=-1)


def assert_text(text, w, zero):
    """What is written of a weight is that weight, to the digits shown."""
    if re.fullmatch(r"[\d.]+%", text):
        digits = len(text.partition(".")[2]) - 1 if "." in text else 0
        assert float(text[:-1]) == pytest.approx(100 * w, abs=0.51 * 10**-digits)
    else:
        assert text == ("0" if zero else "<0.1%" if w < 0.5 else ">99.9%")


def assert_shown(page, scores=S, **state):
    """Bars, rings, sums, curves and the table are those of lib."""
    found = expected(scores, **state)
    finite = math.isfinite(state.get("beta", 1.0))
    rows = page.eval_on_selector_all(
        ".ws-table tbody tr",
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))",
    )
    notes = page.locator(".ws-of-map .ws-note").all_text_contents()
    for k, (name, weights) in enumerate(zip(MAPS, found, strict=True)):
        bars = page.eval_on_selector_all(
            f"rect.ws-bar.ws-{name}", "all => all.map(el => parseFloat(el.getAttribute('height')))"
        )
        np.testing.assert_allclose(np.array(bars) / 100, np.minimum(weights, MOST), atol=1e-9)
        rings = page.eval_on_selector_all(
            f"circle.ws-ring.ws-{name}", "all => all.map(el => el.getAttribute('visibility') === 'visible')"
        )
        zeros = (weights == 0) & (not finite or name == "relu")  # others are only rounded to 0 at a finite β
        assert rings == zeros.tolist()
        for w, zero, row in zip(weights, zeros, rows, strict=True):
            assert_text(row[k + 1], w, zero)
        total, text = weights.sum(), notes[k].removeprefix("sum ")
        if text == ">0.999":
            assert 0.9995 < total <= 1 + 1e-12
        elif text == "<0.001":
            assert 0 <= total < 0.001
        else:
            assert float(text) == pytest.approx(total, rel=6e-3, abs=1e-9)
        path = page.locator(f".ws-sums path.ws-{name}").get_attribute("d")
        y = np.array([float(point.split()[1]) for point in path.strip("M").split("L")])
        wanted = [sums_at(x, scores=scores, **{k: v for k, v in state.items() if k != "shift"})[k] for x in SHIFTS]
        drawn, wanted = (164 - y) / PLOT, np.minimum(wanted, 2.4)
        steep = (
            np.r_[0, abs(np.diff(wanted))] + np.r_[abs(np.diff(wanted)), 0] > 0.2
        )  # a jump may stand a step aside
        np.testing.assert_allclose(drawn[~steep], wanted[~steep], atol=1e-3)
    shifted = np.array(scores) + state.get("shift", 0.0)
    assert [float(row[0].replace("−", "-")) for row in rows] == pytest.approx(shifted.tolist(), abs=1e-9)


# --- the numbers -------------------------------------------------------------------------------------

STATES = [(b, c, way) for b in (0.0, 0.3, 1.0, -2.0, inf, -inf) for c in (1, 7) for way in ("follows", "stays")]


def test_the_four_maps_are_those_of_lib():
    rng = np.random.default_rng(0)
    rows = [rng.normal(size=n) * 10.0**k for n in (1, 2, 5) for k in (-2, 0, 2)]
    rows += [np.zeros(3), np.array([0.0, -1.0, 0.0]), np.array([1e300, -1e300, 1e308]), -abs(rng.normal(size=4))]
    asked = [[row.tolist(), *state] for row in rows for state in STATES]
    found = ask("(row) => fourMaps(...row)", asked, "outside")
    for (scores, beta, copies, bias), maps in zip(asked, found, strict=True):
        wanted = expected(scores, beta, 0.0, copies, bias)
        np.testing.assert_allclose(np.array(maps, dtype=float), wanted, rtol=1e-12, atol=1e-300)


# --- the picture of the build ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state", [{}, {"shift": 3.0}, {"beta": -2.0, "shift": -1.0}, {"copies": 10, "bias": "stays"}, {"beta": 0.0}]
)
def test_the_picture_has_the_sums_of_lib(draw, state):
    """Those that are drawn: at most 2."""
    html = draw(figure(**state)._repr_html_())
    dots = re.findall(r'<circle class="ws-dot[^>]* cy="([\d.-]+)" visibility="(\w+)"', html)
    wanted = expected(**state).sum(axis=-1)
    assert [seen == "visible" for _, seen in dots] == (wanted <= 2).tolist()
    for (y, seen), total in zip(dots, wanted, strict=True):
        assert seen == "hidden" or (164 - float(y)) / PLOT == pytest.approx(total, abs=1e-4)


FEW = {"only": ["softmax", "ReLU over its sum"], "sliders": ["shift"]}


@pytest.mark.parametrize(
    "state", [{}, {"shift": 3.0}, {"beta": -2.0, "shift": -1.0}, {"copies": 3}, {"beta": 0.0}]
)
def test_the_picture_of_few_maps_has_their_weights(draw, state):
    html = draw(figure(**FEW, **state)._repr_html_())
    for name, weights in zip(MAPS, expected(**state), strict=True):
        found = [float(x) for x in re.findall(rf'class="ws-bar ws-{name}"[^>]* height="([\d.e-]+)%"', html)]
        wanted = weights if name in ("softmax", "relu") else []
        np.testing.assert_allclose(np.array(found) / 100, wanted, atol=1e-3)
    assert "ws-sums" not in html  # they are 1


# --- a reader moves it -------------------------------------------------------------------------------


def test_keys_move_the_shift_the_copies_beta_and_a_score(visit):
    page = visit(figure()).page
    more(page)
    assert_shown(page)
    shift = page.get_by_role("slider", name="shift of all scores")
    for key, value in [("ArrowRight", 0.1), ("Home", -4.0), ("ArrowRight", -3.9), ("End", 4.0)]:
        shift.press(key)
        assert_shown(page, shift=value)
    copies = page.get_by_role("slider", name="copies of each token")
    for key, value in [("PageUp", 10), ("ArrowRight", 13), ("End", 100)]:
        copies.press(key)
        assert_shown(page, shift=4.0, copies=value)
    page.get_by_role("checkbox", name="keep the bias").check()
    assert_shown(page, shift=4.0, copies=100, bias="stays")
    beta = page.get_by_role("slider", name="inverse temperature β")
    for key, value in [("PageUp", 10.0), ("End", inf), ("Home", 0.0)]:
        beta.press(key)
        assert_shown(page, shift=4.0, copies=100, bias="stays", beta=value)
    page.get_by_role("slider", name="score of milk").press("PageDown")
    assert_shown(page, scores=S - np.eye(7)[4], shift=4.0, copies=100, bias="stays", beta=0.0)


@pytest.mark.parametrize("width", [1280, 360])
def test_a_figure_of_few_maps_has_its_sliders_alone_and_moves_nothing_below(visit, width):
    page = visit(figure(**FEW, caption="A caption."), width=width).page
    assert page.get_by_role("slider").count() == 1 + len(TOKENS)
    shift = page.get_by_role("slider", name="shift of all scores")
    before = tops(page)
    for key, value in [("ArrowRight", 0.1), ("Home", -4.0), ("End", 4.0)]:
        shift.press(key)
        for name, weights in zip(MAPS[:2], expected(shift=value), strict=False):
            bars = page.eval_on_selector_all(
                f"rect.ws-bar.ws-{name}", "all => all.map(el => parseFloat(el.getAttribute('height')))"
            )
            np.testing.assert_allclose(np.array(bars) / 100, weights, atol=1e-9)
        assert tops(page) == before
    more(page)
    assert page.get_by_role("checkbox").count() == 0
    assert page.locator(".ws-table th").all_text_contents()[:4] == ["token", "score", "softmax", "ReLU"]


def test_where_two_sums_are_equal_both_dots_are_seen(visit):
    page = visit(figure()).page
    soft, relu = (page.locator(f".ws-sums .ws-dot.ws-{name}") for name in MAPS[:2])
    assert soft.get_attribute("cy") == relu.get_attribute("cy")
    assert float(relu.get_attribute("r")) > float(soft.get_attribute("r"))
    assert relu.evaluate("el => getComputedStyle(el).fill") == "none"


def test_a_pointer_drags_a_shifted_score_and_the_shift(visit):
    page = visit(figure(shift=-1.0)).page
    more(page)
    pull(page, 4, 2 * UNIT)
    assert_shown(page, scores=S + 2 * np.eye(7)[4], shift=-1.0)
    slider = page.get_by_role("slider", name="shift of all scores")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    assert_shown(page, scores=S + 2 * np.eye(7)[4], shift=4.0)


def test_softmax_alone_stays_as_it_is_under_a_shift(visit):
    page = visit(figure()).page
    more(page)
    bars = "all => all.map(el => parseFloat(el.getAttribute('height')))"
    before = {name: page.eval_on_selector_all(f"rect.ws-bar.ws-{name}", bars) for name in MAPS}
    page.get_by_role("slider", name="shift of all scores").press("Home")
    for name in MAPS:
        after = page.eval_on_selector_all(f"rect.ws-bar.ws-{name}", bars)
        same = np.allclose(np.array(before[name], dtype=float), np.array(after, dtype=float), atol=1e-9)
        assert same == (name == "softmax")


@pytest.mark.parametrize("width", [1280, 600, 360])
def test_heads_fit_on_one_line(visit, width):
    page = visit(figure(copies=100), width=width).page
    for shift in ("Home", "End"):
        page.get_by_role("slider", name="shift of all scores").press(shift)
        assert page.evaluate(OVERLAPS, ".ws-of-map span") == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- Python ------------------------------------------------------------------------------------------


def test_python_has_the_weights_and_their_sums():
    state = {"shift": 1.5, "copies": 3, "beta": 2.0, "bias": "stays"}
    widget, wanted = figure(**state), expected(**state)
    np.testing.assert_allclose(list(widget.maps.values()), wanted)
    np.testing.assert_allclose(list(widget.sums.values()), wanted.sum(axis=-1))
