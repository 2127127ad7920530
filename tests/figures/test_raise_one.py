"""*Raise one score* draws and says what `lib` computes, in the states that scores and β lead to."""

import math

import numpy as np
import pytest
from figure_page import attributes, number_in, opened, table
from gallery import raised as figure

from book.example import SCORES, TOKENS
from lib import softmax, softmax_jacobian

S = np.array(SCORES)
SCALES = (0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.6, 1)  # what the plot of changes reaches to


def expected(token, by, beta):
    """The weights before and after, and the forecast of the change, by lib."""
    before, after = softmax(S, beta), softmax(S + by * np.eye(7)[token], beta)
    return before, after, by * softmax_jacobian(before, beta)[:, token]


def change(x):
    """A change in percentage points, as the figure writes it."""
    text = f"{100 * x:.{1 if abs(x) < 0.0995 else 0}f}"
    return "0" if float(text) == 0 else text.replace("-", "−") if x < 0 else f"+{text}"


@pytest.mark.parametrize(
    ("token", "by", "beta"),
    [(4, 1.0, 1.0), (1, -2.5, 3.0), (0, 3.0, 10.0), (2, 2.0, -1.0), (4, -1.1, math.inf), (4, 1.0, 0.0)],
)
def test_bars_marks_and_the_table_are_those_of_lib(visit, token, by, beta):
    page = opened(visit(figure(token=token, by=by, beta=beta)))
    before, after, forecast = expected(token, by, beta)
    gained = after - before
    np.testing.assert_allclose(attributes(page, "rect.ws-weight", "height") / 51, after, atol=1e-9)
    changes = ".ws-changes rect:not(.ws-forecast)"
    minus = page.eval_on_selector_all(changes, "all => all.map(el => el.classList.contains('ws-minus') ? -1 : 1)")
    below = np.where(attributes(page, "rect.ws-forecast", "y") < 50, 1, -1)
    top = next((x for x in SCALES if abs(np.r_[gained, forecast]).max() <= x), 1)
    bars = attributes(page, changes, "height") * minus * 1.1 * top / 30
    np.testing.assert_allclose(bars, gained, atol=1e-9)
    marks = attributes(page, "rect.ws-forecast", "height") * below * 1.1 * top / 30
    np.testing.assert_allclose(marks, np.clip(forecast, -1.1, 1.1), atol=1e-9)
    for i, row in enumerate(table(page)):
        assert row[0] == TOKENS[i]
        assert number_in(row[1]) == pytest.approx(S[i] + by * (i == token))
        assert row[4:] == [change(gained[i]), change(forecast[i])]


def test_python_has_the_weights_and_the_forecast():
    widget = figure(token=1, by=0.5, beta=2)
    before, after, forecast = expected(1, 0.5, 2.0)
    np.testing.assert_allclose(widget.weights, before)
    np.testing.assert_allclose(widget.after, after)
    np.testing.assert_allclose(widget.forecast, before + forecast)
