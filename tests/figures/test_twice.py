"""*Twice* draws softmax, and softmax of it, as `lib` computes them; the second never gets over its ceiling."""

import numpy as np
import pytest
from figure_page import assert_shares, attributes, grip, opened, said, table
from gallery import GALLERY
from gallery import twice as figure
from in_node import ask

import lib

FLOOR = 149  # of a row of weights, in pixels from its upper edge
ROOM = 132  # pixels of all the weight
BADGES = "all => all.filter(el => el.checkVisibility()).map(el => el.textContent)"


def weights(page, floor):
    return attributes(page, f".ws-{floor} .ws-weight", "height") / ROOM


def badges(page):
    return page.eval_on_selector_all(".ws-call", BADGES)


@pytest.mark.parametrize("state", GALLERY["twice"])
def test_the_floors_are_softmax_and_softmax_of_that(visit, state):
    made = GALLERY["twice"][state]
    page = visit(made).page
    scores = np.array(made.scores)
    scores[made.right] = made.score
    once = lib.softmax(scores)
    np.testing.assert_allclose(weights(page, "once"), once, atol=1e-5)
    np.testing.assert_allclose(
        weights(page, "second"), once if made.again == "left out" else lib.softmax(once), atol=1e-5
    )
    np.testing.assert_allclose(made.twice, lib.softmax(lib.softmax(scores)))
    np.testing.assert_allclose(attributes(page, ".ws-score", "height") / 9.95, scores, atol=1e-3)
    (had,) = (FLOOR - attributes(page, ".ws-had", "y") - 1) / ROOM
    assert had == pytest.approx(once[made.right], abs=1e-5)


@pytest.mark.parametrize("n", [2, 3, 10, 300])
def test_the_ceiling_is_the_largest_of_all_second_softmaxes(n):
    rng = np.random.default_rng(1)
    (found,) = ask("ceilingOf", [n], "twice")
    assert found == pytest.approx(1 / (1 + (n - 1) / np.e), abs=1e-15)
    assert found == pytest.approx(figure(tokens=["a"] * n, scores=[0.0] * n, right=0).ceiling, abs=1e-15)
    for spread in (0.1, 3, 30):
        assert lib.softmax(lib.softmax(spread * rng.normal(size=(200, n)))).max() <= found + 1e-15
    sure = np.eye(n)[0] * 50
    assert lib.softmax(lib.softmax(sure))[0] == pytest.approx(found, abs=1e-12)


def test_a_reader_pulls_the_right_one_up_and_the_second_floor_stops(visit):
    """At rest neither the line nor its number is there, since this is what the question asks for."""
    page = visit(figure()).page
    line = page.locator(".ws-second .ws-ceiling")
    seen = lambda: line.evaluate("el => el.checkVisibility({ visibilityProperty: true })")  # noqa: E731
    assert not seen()
    assert "23%" not in page.locator(".ws-figure").inner_text()
    assert badges(page) == ["pull me up"]
    box = page.locator(".ws-knob").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 20, steps=4)
    assert float(grip(page, 0).get_attribute("aria-valuenow")) == pytest.approx(7, abs=0.11)
    page.mouse.move(x, y - 300, steps=4)
    page.mouse.up()
    assert grip(page, 0).get_attribute("aria-valuenow") == "10"
    assert weights(page, "once")[7] > 0.99
    assert seen()
    top = float(line.get_attribute("y1"))
    bar = page.locator(".ws-second .ws-weight").nth(7)
    assert 0 <= float(bar.get_attribute("y")) - top < 0.5, "it ends under the line"
    assert page.locator(".ws-second .ws-never").text_content() == "never above 23%"
    assert badges(page) == ["take it away"]
    page.get_by_role("checkbox", name="softmax again").uncheck()
    assert weights(page, "second")[7] > 0.99
    assert not seen()
    assert badges(page) == []
    assert said(page) == "Softmax is taken once, and “7” gets 99%."


def test_the_axis_of_scores_keeps_still_and_has_room_for_a_hand(visit):
    page = visit(figure(score=0)).page
    tops = []
    for _ in range(3):
        tops.append(page.locator(".ws-knob").bounding_box()["y"])
        for _ in range(5):
            grip(page, 0).press("PageUp")
    assert tops[0] - tops[2] >= 99
    assert tops[0] - tops[1] == pytest.approx(tops[1] - tops[2], abs=0.5)
    others = attributes(page, ".ws-score", "height")[[0, 1]]
    assert others == pytest.approx(attributes(visit(figure()).page, ".ws-score", "height")[[0, 1]])


def test_at_rest_there_is_something_to_be_seen_on_each_floor_and_the_pull_moves_all_three(visit):
    page = visit(figure()).page
    floors = (".ws-score", ".ws-once .ws-weight", ".ws-second .ws-weight")
    heights = lambda: np.array([attributes(page, floor, "height")[7] for floor in floors])  # noqa: E731
    rest = heights()
    assert (rest >= [49, 60, 18]).all()
    grip(page, 0).press("End")
    assert (heights() - rest >= [49, 60, 10]).all()


@pytest.mark.parametrize("score", [0, 3, 4, 5, 10])
@pytest.mark.parametrize("width", [688, 360])
def test_the_number_of_the_second_weight_lies_on_no_line(visit, width, score):
    page = visit(figure(score=score), width=width).page
    label, line = (page.locator(part).bounding_box() for part in (".ws-second .ws-accent", ".ws-had"))
    assert label["y"] + label["height"] <= line["y"] + 3 or label["y"] >= line["y"] + line["height"]


def test_on_a_phone_all_three_floors_are_low_and_the_knob_is_still_where_the_finger_is(visit):
    page = visit(figure(), width=360).page
    assert page.locator(".ws-floors").bounding_box()["height"] < 290
    box = page.locator(".ws-knob").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 24, steps=4)
    page.mouse.up()
    assert y - 24 == pytest.approx(page.locator(".ws-knob").bounding_box()["y"] + box["height"] / 2, abs=0.6)
    bar, label = page.locator(".ws-once .ws-weight").nth(7).bounding_box(), page.locator(".ws-once .ws-accent")
    assert 0 < bar["y"] - label.evaluate("el => el.getBoundingClientRect().bottom") + 4 < 8


def test_on_a_phone_a_swipe_that_begins_beside_the_knob_scrolls(visit):
    page = visit(figure(), width=360).page
    of = lambda part: page.locator(part).first.evaluate("el => getComputedStyle(el).touchAction")  # noqa: E731
    assert [of(".ws-knob"), of(".ws-grip"), of(".ws-plot")] == ["none", "pan-y", "auto"]
    hit = """el => { const { x, y, height } = el.getBoundingClientRect();
      return document.elementFromPoint(x + 1, y + height / 2).closest('.ws-grip') === null }"""
    assert page.locator(".ws-grip").evaluate(hit), "the box around the knob hears nothing"


def test_the_table_calls_them_classes_and_has_both_weights(visit):
    made = figure(score=6)
    page = opened(visit(made))
    heads = page.locator(".ws-table thead th").all_text_contents()
    assert heads == ["class", "score", "softmax", "softmax again"]
    rows = table(page)
    assert [row[0] for row in rows] == list("0123456789")
    for column, weights in ((2, made.once), (3, made.twice)):
        assert_shares([row[column] for row in rows], weights)
