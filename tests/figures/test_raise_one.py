"""*Raise one score* draws and says what `lib` computes, in the states that scores and β lead to."""

import math

import numpy as np
import pytest
from figure_page import attributes, grip, number_in, opened, pull, table
from gallery import raised as figure

from book.example import SCORES, TOKENS
from lib import softmax, softmax_jacobian

S = np.array(SCORES)
SCALES = (0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.6, 1)  # what the plot of changes reaches to
UNIT = 70 / 4  # pixels for a point, as long as all scores lie between −1 and 3


def expected(token, by, beta):
    """The weights before and after, and the forecast of the change, by lib."""
    before, after = softmax(S, beta), softmax(S + by * np.eye(7)[token], beta)
    return before, after, by * softmax_jacobian(before, beta)[:, token]


def told(x):
    """A change in percentage points, as the figure writes it."""
    digits = 1 if abs(x) < 0.0995 else 0
    text = f"{100 * x:.{digits}f}"
    return "0" if float(text) == 0 else text.replace("-", "−") if x < 0 else f"+{text}"


def assert_shown(page, token=4, by=1.0, beta=1.0):
    """Bars, marks and the table are those of lib."""
    before, after, forecast = expected(token, by, beta)
    gained = after - before
    np.testing.assert_allclose(attributes(page, "rect.ws-weight", "height") / 51, after, atol=1e-9)
    minus = page.eval_on_selector_all(
        ".ws-changes rect:not(.ws-forecast)", "all => all.map(el => el.classList.contains('ws-minus') ? -1 : 1)"
    )
    bars = attributes(page, ".ws-changes rect:not(.ws-forecast)", "height") * minus
    below = np.where(attributes(page, "rect.ws-forecast", "y") < 50, 1, -1)
    marks = attributes(page, "rect.ws-forecast", "height") * below
    top = next((x for x in SCALES if abs(np.r_[gained, forecast]).max() <= x), 1)
    np.testing.assert_allclose(bars * 1.1 * top / 30, gained, atol=1e-9)
    np.testing.assert_allclose(marks * 1.1 * top / 30, np.clip(forecast, -1.1, 1.1), atol=1e-9)
    for i, row in enumerate(table(page)):
        assert row[0] == TOKENS[i]
        assert number_in(row[1]) == pytest.approx(S[i] + by * (i == token))
        assert row[4:] == [told(gained[i]), told(forecast[i])]


@pytest.mark.parametrize(
    ("token", "by", "beta"),
    [(4, 1.0, 1.0), (1, -2.5, 3.0), (0, 3.0, 10.0), (2, 2.0, -1.0), (4, -1.1, math.inf), (4, 1.0, 0.0)],
)
def test_the_picture_and_the_table_have_the_numbers_of_lib(visit, token, by, beta):
    page = opened(visit(figure(token=token, by=by, beta=beta)))
    assert_shown(page, token, by, beta)


def test_keys_and_a_pointer_move_one_score_by_three_points_at_most(visit):
    page = opened(visit(figure()))
    for i, key, by in [
        *[(4, "ArrowUp", 1.1), (4, "PageDown", 0.1), (4, "PageUp", 1.1), (4, "PageUp", 2.1), (4, "PageUp", 3.0)],
        *[(4, "Home", -2.5), (4, "Home", -3.0)],
        (5, "ArrowUp", 0.1),  # which puts the other one back
    ]:
        grip(page, i).press(key)
        assert_shown(page, token=i, by=by)
    pull(page, 1, 0.5 * UNIT)
    assert_shown(page, token=1, by=0.5)


# --- Python --------------------------------------------------------------------------------------


def test_python_has_the_weights_and_the_forecast():
    widget = figure(token=1, by=0.5, beta=2)
    before, after, forecast = expected(1, 0.5, 2.0)
    np.testing.assert_allclose(widget.weights, before)
    np.testing.assert_allclose(widget.after, after)
    np.testing.assert_allclose(widget.forecast, before + forecast)
