"""*The Jacobian* and *Raise one score* draw and say what `lib` computes, at any scores and β."""

import math

import numpy as np
import pytest
from figure_page import attributes, number_in, opened, points, table
from gallery import raised
from gallery import slopes as figure
from in_node import assert_same

from book.example import SCORES, TOKENS
from lib import softmax, softmax_jacobian

TIED = {"scores": [0.2, 2.0, 1.1, 0.2, 2.0, -0.6, 0.8], "beta": 10.0}


def expected(scores=SCORES, beta=1.0):
    """The slopes, and the norm as a part of |β|/2, by lib."""
    weights = softmax(np.array(scores), beta)
    left = 0.0 if math.isinf(beta) else 2 * np.linalg.norm(softmax_jacobian(weights), 2)
    return softmax_jacobian(weights, beta), left


def test_the_slopes_are_those_of_lib():
    rng = np.random.default_rng(0)
    rows = [[rng.dirichlet(np.full(n, 0.5)).tolist(), rng.normal(0, 3)] for n in rng.integers(1, 9, size=300)]
    rows += [[[0.5, 0.5], math.inf], [[1.0, 0.0, 0.0], 7.0], [[0.25] * 4, 0.0]]
    wanted = lambda row: softmax_jacobian(np.array(row[0]), row[1])  # noqa: E731
    assert_same("([weights, beta]) => softmaxJacobian(weights, beta)", rows, wanted, atol=1e-15)


def test_the_largest_factor_is_that_of_a_solver_for_eigenvalues():
    rng = np.random.default_rng(1)
    rows = [rng.dirichlet(np.full(n, a)).tolist() for n in rng.integers(2, 9, size=200) for a in (0.05, 1.0, 30.0)]
    rows += [[0.5, 0.5], [0.25] * 4, [0.4, 0.4, 0.2], [1.0, 0.0], [1.0], [0.6, 0.2, 0.2]]
    solver = lambda row: np.linalg.eigvalsh(np.diag(row) - np.outer(row, row))[-1]  # noqa: E731
    assert_same("largestFactor", rows, solver, rtol=1e-9, atol=4e-16)


def test_the_largest_factor_keeps_its_digits_where_one_token_has_nearly_all():
    closed = lambda gap: 2 / (2 + math.exp(gap) + math.exp(-gap))  # noqa: E731, it is 2π₁π₂
    assert_same("(gap) => largestFactor(softmax([gap, 0]))", [5.0, 20.0, 40.0, 100.0, 300.0], closed, rtol=1e-9)


STATES = [{}, {"beta": 10.0}, {"beta": -2.0}, {"beta": math.inf}, {"beta": 0.0}, TIED]


@pytest.mark.parametrize("state", STATES, ids=str)
def test_cells_curve_and_table_are_those_of_lib(visit, state):
    page = opened(visit(figure(**state)))
    slopes, left = expected(**state)
    beta = state.get("beta", 1.0)
    bound = 1.0 if beta == 0 or math.isinf(beta) else abs(beta)
    depth = attributes(page, "rect.ws-cell", "fill-opacity").reshape(slopes.shape)
    np.testing.assert_allclose((depth / 0.5) ** 2, abs(slopes) * 4 / bound, atol=3e-4)
    minus = page.eval_on_selector_all("rect.ws-cell", "all => all.map(el => el.classList.contains('ws-minus'))")
    assert (np.reshape(minus, slopes.shape) == (slopes < 0))[slopes != 0].all()
    texts = page.locator(".ws-map text").all_text_contents()
    np.testing.assert_allclose([*map(number_in, texts)], slopes.ravel(), atol=0.0051)
    (dot,) = attributes(page, "circle.ws-here", "cy")
    assert (16 + 42 - dot) / 42 == pytest.approx(left, abs=1e-9)
    if beta == 10:  # at place 20 + 50 · 3 of the slider
        assert dot == pytest.approx(dict(points(page.locator("path.ws-left").get_attribute("d")))[170], abs=0.01)
    read = [[number_in(text) for text in row[1:]] for row in table(page)]
    np.testing.assert_allclose(read, slopes, atol=5.1e-4)


def test_python_has_the_slopes_and_the_norm():
    widget = figure(beta=3.0)
    slopes, left = expected(beta=3.0)
    np.testing.assert_allclose(widget.slopes, slopes)
    assert widget.norm == pytest.approx(1.5 * left)
    with widget.hold_trait_notifications():
        widget.tokens, widget.scores = ["a", "b"], [0.0, 1.0]
    assert np.shape(widget.slopes) == (2, 2)


@pytest.mark.parametrize("width", [1280, 688, 360])
def test_no_word_of_the_sentence_is_cut_off(visit, width):
    page = visit(figure(), width=width).page
    cut = "all => all.filter(el => el.scrollWidth > el.clientWidth).map(el => el.textContent)"
    assert page.eval_on_selector_all(".ws-tokens > *, .ws-rows > *", cut) == []


# --- one score is raised --------------------------------------------------------------------------

S = np.array(SCORES)
SCALES = (0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.6, 1)  # what the plot of changes reaches to


def raised_by(token, by, beta):
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
    page = opened(visit(raised(token=token, by=by, beta=beta)))
    before, after, forecast = raised_by(token, by, beta)
    gained = after - before
    np.testing.assert_allclose(attributes(page, "rect.ws-weight", "height") / 51, after, atol=1e-9)
    changes = ".ws-changes rect:not(.ws-forecast)"
    minus = page.eval_on_selector_all(changes, "all => all.map(el => el.classList.contains('ws-minus') ? -1 : 1)")
    below = np.where(attributes(page, "rect.ws-forecast", "y") < 46, 1, -1)
    top = next((x for x in SCALES if abs(np.r_[gained, forecast]).max() <= x), 1)
    bars = attributes(page, changes, "height") * minus * 1.1 * top / 26
    np.testing.assert_allclose(bars, gained, atol=1e-9)
    marks = attributes(page, "rect.ws-forecast", "height") * below * 1.1 * top / 26
    np.testing.assert_allclose(marks, np.clip(forecast, -1.1, 1.1), atol=1e-9)
    for i, row in enumerate(table(page)):
        assert row[0] == TOKENS[i]
        assert number_in(row[1]) == pytest.approx(S[i] + by * (i == token))
        assert row[4:] == [change(gained[i]), change(forecast[i])]


def test_python_has_the_weights_and_the_forecast():
    widget = raised(token=1, by=0.5, beta=2)
    before, after, forecast = raised_by(1, 0.5, 2.0)
    np.testing.assert_allclose(widget.weights, before)
    np.testing.assert_allclose(widget.after, after)
    np.testing.assert_allclose(widget.forecast, before + forecast)
