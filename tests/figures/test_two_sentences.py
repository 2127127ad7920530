"""*Two sentences* draws what `lib` computes."""

import numpy as np
import pytest
from figure_page import OVERLAPS, attributes
from gallery import two as figure
from in_node import ask

import lib

STATES = [{}, {"lead": 0.6}, {"lead": 1.2, "alpha": 1.5}, {"lead": 1.5}, {"lead": 0.35, "gap": 0.9, "alpha": 1.0}]
HEIGHT, TOP = 150, 24  # of the area, in pixels


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("state", STATES)
def test_areas_are_the_weights_of_lib_and_their_words_lie_on_no_other_and_fit_a_screen(visit, width, state):
    made = figure(**state, caption="A column for each sentence, cut into its words; above it, cat over milk. " * 2)
    page = visit(made, width=width).page
    height, wide = (attributes(page, ".ws-mosaic rect", side) for side in ("height", "width"))
    areas = (height / HEIGHT * wide / 100).reshape(2, 2, 2)  # of each measure, each sentence, each word
    under_kl = lib.softmax(made.scores.ravel(), made.beta).reshape(2, 2)
    for found, weights in zip(areas, (under_kl, made.weights), strict=True):
        np.testing.assert_allclose(found.T, weights, atol=1e-6)
    assert page.evaluate(OVERLAPS, ".ws-mosaic text, .ws-head span:not(:has(*))") == []
    assert page.locator(".ws-figure").bounding_box()["height"] <= (620 if width == 1280 else 740)


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


def test_at_rest_the_answer_is_not_given_away(visit):
    """The question is whether the ratio is the same in both; before the first has its lead, all is alike."""
    page = visit(figure()).page
    assert page.locator(".ws-ratio").all_text_contents() == ["1.22×", "1.22×", "2.33×", "2.33×"]
