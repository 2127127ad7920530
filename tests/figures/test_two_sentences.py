"""*Two sentences* draws and says what `lib` computes, before and after a reader has moved it."""

import re

import numpy as np
import pytest
from figure_page import OVERLAPS, more
from figure_table import SAID
from in_node import ask

import lib
from lib.figures import TwoSentences

WORDS = ["cat", "milk"]
STATES = [{}, {"lead": 0.6}, {"lead": 1.2, "alpha": 1.5}, {"lead": 1.5}, {"lead": 0.35, "gap": 0.9, "alpha": 1.0}]
HEIGHT, TOP = 150, 24  # of the area, in pixels


def figure(**state):
    return TwoSentences(WORDS, **state)


def expected(made):
    """The weights under KL, and under the figure's measure: a row for each word, a column for each sentence."""
    return lib.softmax(made.scores.ravel(), made.beta).reshape(2, 2), made.weights


def areas(rects):
    """The weights that the areas of four rectangles stand for, from (height, width in percent)."""
    first_ahead, first_behind, ahead, behind = (height / HEIGHT * width / 100 for height, width in rects)
    return np.array([[first_ahead, ahead], [first_behind, behind]])


def on_the_page(page):
    return page.eval_on_selector_all(
        ".ws-mosaic rect",
        "all => all.map(el => [parseFloat(el.getAttribute('height')), parseFloat(el.getAttribute('width'))])",
    )


def assert_shown(page, made):
    drawn = on_the_page(page)
    for rects, weights in zip((drawn[:4], drawn[4:]), expected(made), strict=True):
        np.testing.assert_allclose(areas(rects), weights, atol=1e-6)


def said(page):
    return page.locator(".ws-say").text_content()


@pytest.mark.parametrize("state", STATES)
def test_the_picture_has_the_weights_of_lib(draw, state):
    made = figure(**state)
    html = draw(made._repr_html_())
    tags = re.findall(r'<rect class="ws-(?:ahead|behind)"[^>]*>', html)
    numbers = [[float(re.search(rf' {name}="([\d.e-]+)', tag)[1]) for name in ("height", "width")] for tag in tags]
    for rects, weights in zip((numbers[:4], numbers[4:]), expected(made), strict=True):
        np.testing.assert_allclose(areas(rects), weights, atol=1e-4)


@pytest.mark.parametrize("alpha", [1.0, 1.3, 2.0])
def test_the_tie_is_the_mutual_information(alpha):
    made = figure(lead=0.6, alpha=alpha)
    weights = made.weights
    product = np.outer(weights.sum(axis=1), weights.sum(axis=0))
    (found,) = ask("(table) => tieOf(table)", [weights.T.ravel().tolist()], "two_sentences")
    assert found == pytest.approx(lib.kl_divergence(weights.ravel(), product.ravel()), abs=1e-12)
    assert (found < 1e-9) == (alpha == 1), "KL alone does not tie"


def test_a_table_with_zeros_has_a_tie_and_ratios():
    tables = [[0.5, 0.5, 0.0, 0.0], [0.5, 0.0, 0.3, 0.2]]
    assert ask("(table) => tieOf(table)", tables, "two_sentences")[0] == pytest.approx(0, abs=1e-15)
    texts = ask("(table) => ratiosOf(table).map(ratioText)", tables, "two_sentences")
    assert texts == [["1×", ""], ["all", "1.5×"]]


def test_a_reader_moves_it(visit):
    page = visit(figure()).page
    lead = page.get_by_role("slider", name="points more in the first sentence")
    lead.focus()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    assert_shown(page, figure(lead=0.6))
    assert said(page) == SAID["two"][1][1]
    page.get_by_role("slider", name="α of the measure").focus()
    page.keyboard.press("Home")
    assert_shown(page, figure(lead=0.6, alpha=1.0))
    more(page)
    page.get_by_role("slider", name="points more for the first word").focus()
    page.keyboard.press("End")
    assert_shown(page, figure(lead=0.6, alpha=1.0, gap=1.0))


def test_at_rest_the_answer_is_not_given_away(visit):
    """The question is whether the ratio is the same in both; before the first has its lead, all is alike."""
    page = visit(figure()).page
    assert page.locator(".ws-ratio").all_text_contents() == ["1.22×", "1.22×", "2.33×", "2.33×"]


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("state", STATES)
def test_no_words_lie_on_one_another_and_it_fits_a_screen(visit, width, state):
    made = figure(**state, caption="A column for each sentence, cut into its words; above it, cat over milk. " * 2)
    page = visit(made, width=width).page
    assert page.evaluate(OVERLAPS, ".ws-mosaic text, .ws-head span:not(:has(*))") == []
    assert page.locator(".ws-figure").bounding_box()["height"] <= (620 if width == 1280 else 740)
