"""*Two sentences* draws what `lib` computes."""

import numpy as np
import pytest
from figure_page import attributes
from gallery import GALLERY
from gallery import two as figure
from in_node import ask

import lib

HEIGHT = 150  # of the area, in pixels


@pytest.mark.parametrize("state", GALLERY["two"])
def test_areas_are_the_weights_of_lib(visit, state):
    made = GALLERY["two"][state]
    page = visit(made).page
    height, wide = (attributes(page, ".ws-mosaic rect", side) for side in ("height", "width"))
    areas = (height / HEIGHT * wide / 100).reshape(2, 2, 2)  # of each measure, each sentence, each word
    under_kl = lib.softmax(made.scores.ravel(), made.beta).reshape(2, 2)
    for found, weights in zip(areas, (under_kl, made.weights), strict=True):
        np.testing.assert_allclose(found.T, weights, atol=1e-6)


@pytest.mark.parametrize("alpha", [1.0, 1.3, 2.0])
def test_the_tie_is_the_mutual_information(alpha):
    weights = figure(lead=0.6, alpha=alpha).weights
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
