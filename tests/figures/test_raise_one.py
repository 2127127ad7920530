"""*Raise one score* draws and says what `lib` computes, before and after a reader has moved a score or β."""

import math
import re

import numpy as np
import pytest
from figure_page import more, pull

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


# --- Python --------------------------------------------------------------------------------------


def test_python_has_the_weights_and_the_forecast():
    widget = figure(token=1, by=0.5, beta=2)
    before, after, forecast = expected(1, 0.5, 2.0)
    np.testing.assert_allclose(widget.weights, before)
    np.testing.assert_allclose(widget.after, after)
    np.testing.assert_allclose(widget.forecast, before + forecast)
