"""*Raise one score* draws and says what `lib` computes, before and after a reader has moved a score or β."""

import json
import math
import re

import numpy as np
import pytest
from figure_page import assert_refused, grip, more, pull, tops, wait_until_ready

from lib import softmax, softmax_jacobian
from lib.book.example import SCORES, TOKENS
from lib.figures import RaiseOne

S = np.array(SCORES)
SCALES = (0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.6, 1)  # what the plot of changes reaches to
UNIT = 70 / 4  # pixels for a point, as long as all scores lie between −1 and 3


def figure(**options):
    return RaiseOne(TOKENS, SCORES, **{"token": 4, **options})


def expected(token, by, beta):
    """The weights before and after, and the forecast of the change, by lib."""
    before, after = softmax(S, beta), softmax(S + by * np.eye(7)[token], beta)
    return before, after, by * softmax_jacobian(before, beta)[:, token]


def told(x):
    """A change in percentage points, as the figure writes it."""
    digits = 1 if abs(x) < 0.0995 else 0
    text = f"{100 * x:.{digits}f}"
    return "0" if float(text) == 0 else text.replace("-", "−") if x < 0 else f"+{text}"


def numbers(page):
    """The table, cell by cell."""
    return page.eval_on_selector_all(
        ".ws-table tbody tr", "rows => rows.map(row => [...row.children].map(cell => cell.textContent))"
    )


def assert_shown(page, token=4, by=1.0, beta=1.0):
    """Bars, marks and the table are those of lib."""
    before, after, forecast = expected(token, by, beta)
    gained = after - before
    heights = page.eval_on_selector_all("rect.ws-weight", "all => all.map(el => +el.getAttribute('height'))")
    np.testing.assert_allclose(np.array(heights) / 51, after, atol=1e-9)
    bars = page.eval_on_selector_all(
        ".ws-changes rect:not(.ws-forecast)",
        "all => all.map(el => +el.getAttribute('height') * (el.classList.contains('ws-minus') ? -1 : 1))",
    )
    marks = page.eval_on_selector_all(
        "rect.ws-forecast",
        "all => all.map(el => el.getAttribute('height') * (el.getAttribute('y') < 50 ? 1 : -1))",
    )
    top = next((x for x in SCALES if abs(np.r_[gained, forecast]).max() <= x), 1)
    np.testing.assert_allclose(np.array(bars) * 1.1 * top / 30, gained, atol=1e-9)
    np.testing.assert_allclose(np.array(marks) * 1.1 * top / 30, np.clip(forecast, -1.1, 1.1), atol=1e-9)
    for i, row in enumerate(numbers(page)):
        assert row[0] == TOKENS[i]
        assert float(row[1].replace("−", "-")) == pytest.approx(S[i] + by * (i == token))
        assert row[4:] == [told(gained[i]), told(forecast[i])]


# --- the picture of the build ------------------------------------------------------------------------


@pytest.mark.parametrize(("token", "by", "beta"), [(4, 1.0, 1.0), (1, -2.5, 3.0), (0, 3.0, 10.0), (2, 2.0, -1.0)])
def test_the_picture_has_the_weights_of_lib(draw, token, by, beta):
    html = draw(figure(token=token, by=by, beta=beta)._repr_html_())
    found = [float(x) for x in re.findall(r'class="ws-weight"[^>]* height="([\d.e-]+)"', html)]
    np.testing.assert_allclose(np.array(found) / 51, expected(token, by, beta)[1], atol=1e-3)


SENTENCES = [
    (
        {},
        "“milk” is raised by 1 point at β = 1: its weight goes from 22% to 44%. The forecast was 40%.\n"
        "The others together lose what it gains.",
    ),
    (
        {"token": 1, "by": -2.5, "beta": 3.0},
        "“cat” is lowered by 2.5 points at β = 3: its weight goes from 75% to 0.2%. The forecast was −64%, which "
        "no weight can be.\nThe others together gain what it loses.",
    ),
    (
        {"beta": math.inf},
        "“milk” is raised by 1 point at β = ∞: its weight goes from 0% to 100%.\n"
        "Away from ties the hard choice has slopes of 0, so the forecast is no change.",
    ),
    (
        {"beta": 0.0},
        "“milk” is raised by 1 point at β = 0: its weight goes from 14% to 14%.\nAt β = 0 scores do not count.",
    ),
    ({"by": 0.0}, "“milk” stays where it was, and so do all weights.\nDrag a score to move it."),
    (
        {"token": 0, "by": 2.0, "beta": -1.0},
        "“the” is raised by 2 points at β = −1: its weight goes from 18% to 2.8%. The forecast was −11%, which "
        "no weight can be.\nThe others together gain what it loses.",
    ),
    (
        {"token": 1, "beta": 20.0},
        "“cat” is raised by 1 point at β = 20: its weight goes from >99.9% to >99.9%. The forecast was above "
        "100%, which no weight can be.\nThe others together lose what it gains.",
    ),
    (
        {"by": -1.0, "beta": 20.0},
        "“milk” is lowered by 1 point at β = 20: its weight goes from <0.1% to <0.1%. The forecast was below "
        "0%, which no weight can be.\nThe others together gain what it loses.",
    ),
]


@pytest.mark.parametrize(("state", "says"), SENTENCES)
def test_the_sentence(draw, state, says):
    assert draw.sentence(figure(**state)._repr_html_()) == says


# --- a reader moves it -----------------------------------------------------------------------------


def test_keys_move_a_score(visit):
    page = visit(figure()).page
    more(page)
    assert_shown(page)
    page.get_by_role("slider", name="score of milk").focus()
    moves = [("ArrowUp", 1.1), ("PageDown", 0.1), ("ArrowDown", 0.0), ("ArrowDown", -0.1), ("PageDown", -1.1)]
    for key, by in moves:
        page.keyboard.press(key)
        assert_shown(page, by=by)


def test_moving_another_score_puts_the_first_one_back(visit):
    page = visit(figure()).page
    more(page)
    page.get_by_role("slider", name="score of because").press("ArrowUp")
    assert_shown(page, token=5, by=0.1)


def test_a_score_goes_no_further_than_three_points(visit):
    page = visit(figure()).page
    more(page)
    knob = page.get_by_role("slider", name="score of milk")
    for _ in range(5):
        knob.press("PageUp")
    assert_shown(page, by=3.0)
    knob.press("Home")
    knob.press("Home")
    assert_shown(page, by=-3.0)


def test_a_pointer_drags_a_score(visit):
    page = visit(figure(by=0.0)).page
    more(page)
    pull(page, 1, 0.5 * UNIT)
    assert_shown(page, token=1, by=0.5)
    pull(page, 1, -1.5 * UNIT)
    assert_shown(page, token=1, by=-1.0)


def test_keys_move_beta_to_both_ends(visit):
    page = visit(figure()).page
    more(page)
    slider = page.get_by_role("slider", name="inverse temperature β")
    for key, beta in [("ArrowRight", 1.25), ("PageUp", 10.0), ("Home", 0.0), ("End", math.inf)]:
        slider.press(key)
        assert_shown(page, beta=beta)
    page.get_by_text("prefer low scores").click()
    assert_shown(page, beta=-math.inf)


def test_reset_and_a_link(visit):
    found = visit(figure())
    page = found.page
    grip(page, 2).press("ArrowUp")
    page.get_by_role("slider", name="inverse temperature β").press("ArrowRight")
    more(page)
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_function("document.querySelector('.ws-status').textContent.match(/link/i)")
    assert page.url.endswith("#raise-one?token=2&by=0.1&beta=1.25")
    with found.beside(page.url) as again:
        wait_until_ready(again)
        assert_shown(again, token=2, by=0.1, beta=1.25)
    page.get_by_role("button", name="Reset").click()
    assert_shown(page)


JUNK = ["token=7", "token=-1", "token=1.5", "token=x", "by=4", "by=inf", "beta=nan", "beta=<b>", "scores=1"]


@pytest.mark.parametrize("part", JUNK)
def test_a_damaged_link_changes_nothing(visit, part):
    page = visit(figure(), link=f"#raise-one?{part}").page
    assert_shown(page)


@pytest.mark.parametrize("width", [1280, 360])
def test_no_state_moves_what_is_below_the_figure(visit, width):
    page = visit(figure(caption="A caption."), width=width).page
    before = tops(page)
    assert page.locator(".ws-caption").count() == 1
    page.get_by_role("slider", name="score of because").focus()
    for key in ("PageDown", "End", "End", "PageUp"):
        page.keyboard.press(key)
        for beta in ("Home", "ArrowRight", "PageUp", "PageUp", "PageUp", "End"):
            page.get_by_role("slider", name="inverse temperature β").press(beta)
            assert tops(page) == before, page.locator(".ws-say").inner_text()
        page.get_by_role("slider", name="score of because").focus()


# --- Python --------------------------------------------------------------------------------------

BAD = [
    ("token", 7, "none of 0 to 6"),
    ("token", -1, "from 0"),
    ("token", 0.5, "whole number"),
    ("by", 3.5, "from -3 to 3"),
    ("by", "up", "'up'"),
    ("beta", math.nan, "NaN"),
    ("scores", [1.0, 2.0], "7 tokens and 2 scores"),
    ("scores", [math.inf] * 7, "cannot be drawn"),
    ("tokens", ["a"], "1 tokens and 7 scores"),
]


@pytest.mark.parametrize(("name", "value", "says"), BAD)
def test_a_bad_value_is_named_and_nothing_is_lost(name, value, says):
    assert_refused(figure(), name, value, says)


def test_traits_are_set_and_read():
    widget = figure()
    widget.token, widget.by, widget.beta = np.int64(1), 0.5, 2
    before, after, forecast = expected(1, 0.5, 2.0)
    np.testing.assert_allclose(widget.weights, before)
    np.testing.assert_allclose(widget.after, after)
    np.testing.assert_allclose(widget.forecast, before + forecast)
    json.dumps(widget.get_state(), allow_nan=False)
