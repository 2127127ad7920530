"""*Two sentences* draws what `lib` computes."""

import numpy as np
import pytest
from figure_page import attributes
from gallery import GALLERY
from gallery import two as figure
from in_node import ask

import lib


@pytest.mark.parametrize("state", GALLERY["two"])
def test_areas_are_the_weights_of_lib(visit, state):
    made = GALLERY["two"][state]
    page = visit(made).page
    height, wide = (attributes(page, ".ws-mosaic rect", side) for side in ("height", "width"))
    areas = (height * wide / 1e4).reshape(2, 2, 2)  # of each measure, each sentence, each word
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


def cuts(page):
    """How high up the area is cut, in percent: in both sentences, for each measure."""
    return attributes(page, ".ws-cut-of", "y1").reshape(2, 2)


def test_a_reader_lifts_the_first_sentence_and_squares_break_the_cut(visit):
    page = visit(figure()).page
    assert np.ptp(cuts(page), axis=1) == pytest.approx([0, 0])
    call = page.locator(".ws-call")
    assert call.text_content() == "pull up"
    box = page.locator(".ws-knob").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 72, steps=4)  # 0.6 points of 120 pixels
    page.mouse.up()
    assert not call.is_visible()
    assert page.locator(".ws-ratio").all_text_contents() == ["1.22×", "1.22×", "1.74×", "7.67×"]
    under_kl, under_squares = np.ptp(cuts(page), axis=1)
    assert under_kl == pytest.approx(0)
    assert under_squares > 20
    assert page.locator(".ws-steps .ws-label").all_text_contents() == ["1.1", "0.6", "0.5", "0.0"]


@pytest.mark.parametrize("state", GALLERY["two"])
def test_the_bars_are_the_scores_and_those_of_the_first_sentence_stand_on_its_lead(visit, state):
    made = GALLERY["two"][state]
    page = visit(made).page
    tall, y = (attributes(page, ".ws-steps .ws-score", side) for side in ("height", "y"))
    foot = 205.5  # from the top, in pixels
    np.testing.assert_allclose((foot - y) / 120, made.scores.T.ravel(), atol=1e-6)
    np.testing.assert_allclose(tall / 120, [made.gap, 0, made.gap, 0], atol=1e-6)
    assert attributes(page, ".ws-step", "height") / 120 == pytest.approx(made.lead, abs=1e-6)


def test_where_alpha_can_be_moved_the_tie_is_written(visit):
    page = visit(figure(lead=0.6, dial=True)).page
    assert page.locator(".ws-tie").all_text_contents() == ["0 nats", "0.032 nats"]
    assert page.locator(".ws-call:visible").all_text_contents() == ["move me to KL"]
    page.get_by_role("slider", name="α of the measure").press("Home")
    assert page.locator(".ws-tie").all_text_contents() == ["0 nats", "0 nats"]
    assert page.locator(".ws-call:visible").count() == 0
    assert visit(figure()).page.get_by_role("slider", name="α of the measure").count() == 0


MIDDLES = """() => [...document.querySelectorAll('.ws-mosaic')].map((one) => {
  const box = (el) => el.getBoundingClientRect();
  const text = (el) => {
    const words = document.createRange();
    words.selectNodeContents(el);
    return box(words);
  };
  const columns = [...one.querySelectorAll('.ws-ahead')].map(box);
  const of = (kind) => [...one.querySelectorAll(kind)].map(text);
  return columns.map((column, j) => ['.ws-ratio', '.ws-below-it span'].map((kind) => {
    const { left, right } = of(kind)[j];
    return (left + right) / 2 - (column.left + column.right) / 2;
  }).concat(j ? of('.ws-ratio')[1].left - of('.ws-ratio')[0].right : 4));
})"""


@pytest.mark.parametrize("width", [688, 360])
def test_what_is_said_of_a_column_stands_over_its_middle(visit, width):
    page = visit(figure(), width=width).page
    for mosaic in page.evaluate(MIDDLES):
        for ratio, name, room in mosaic:
            assert (ratio, name) == pytest.approx((0, 0), abs=1.5)
            assert room >= 4
    blocks = [one.bounding_box() for one in page.locator(".ws-mosaic").all()]
    assert blocks[1]["x"] - blocks[0]["x"] - blocks[0]["width"] >= 19


def test_a_word_is_named_in_each_tile_that_has_room(visit):
    names = ".ws-tile-of:visible"
    assert visit(figure()).page.locator(names).all_text_contents() == ["cat", "milk"] * 4
    narrow = visit(figure(lead=0.6)).page
    assert narrow.locator(names).all_text_contents() == ["cat", "milk"] * 3, "not in the second, under squares"
