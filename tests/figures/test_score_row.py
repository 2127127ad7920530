"""A row of scores that are pulled: on an axis that never changes, and by one finger that can scroll as well."""

import json

import numpy as np
import pytest
from figure_page import SCROLLED, grip, in_a_notebook, opened, pull
from gallery import MAKE

from book.example import SCORES, TOKENS

ROWS = ["weights", "jacobian", "mixture"]
# How high on the screen each bar ends, from the line of the zero upwards.
HEIGHTS = """() => {
  const plot = document.querySelector('.ws-grips').previousElementSibling;
  const zero = Number(plot.querySelector('.ws-zero').getAttribute('y1'));
  return [...document.querySelectorAll('.ws-grips .ws-grip')].map(el => zero - parseFloat(el.style.top));
}"""
BELOW = "<p style='height: 2000px'>below</p>"


def heights(page):
    return np.array(page.evaluate(HEIGHTS))


def scores(page):
    return [float(grip(page, i).get_attribute("aria-valuenow")) for i in range(len(TOKENS))]


def ends(page, i=0):
    return [float(grip(page, i).get_attribute(f"aria-value{end}")) for end in ("min", "max")]


# --- the axis --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [688, 360])
@pytest.mark.parametrize("kind", ROWS)
def test_a_score_has_120_pixels_to_go(visit, kind, width):
    page = opened(visit(MAKE[kind](), width=width))
    grip(page, 0).press("End")
    high = heights(page)[0]
    grip(page, 0).press("Home")
    assert high - heights(page)[0] >= 120


@pytest.mark.parametrize("kind", ["weights", "jacobian", "mixture"])
def test_a_point_stays_as_long_as_it_was_whatever_is_done(visit, kind):
    page = opened(visit(MAKE[kind]()))
    heights_before, point = heights(page), heights(page)[1] / 2
    np.testing.assert_allclose(heights_before, point * np.array(SCORES), atol=0.01)
    room = ends(page)
    for pixels in (300, 300, -500, 500):
        pull(page, 1, pixels)
        assert ends(page) == room
        np.testing.assert_allclose(heights(page), point * np.array(scores(page)), atol=0.01)
    pull(page, 5, -300)
    np.testing.assert_allclose(heights(page), point * np.array(scores(page)), atol=0.01)
    assert ends(page) == room
    assert scores(page)[1] == room[1]
    assert scores(page)[5] == room[0]


@pytest.mark.parametrize("kind", ["weights", "jacobian", "mixture"])
def test_a_shift_looks_like_a_shift_and_twice_like_twice(visit, kind):
    rows = [SCORES, [s + 1 for s in SCORES], [2 * s for s in SCORES]]
    act = """({ el, hear }) => ROWS.map(row => {
      hear('scores', row);
      const zero = Number(el.querySelector('.ws-zero').getAttribute('y1'));
      return [...el.querySelectorAll('.ws-grips .ws-grip')].map(grip => zero - parseFloat(grip.style.top));
    })""".replace("ROWS", json.dumps(rows))
    page = visit(script=False).page
    start, shifted, doubled = np.array(in_a_notebook(page, MAKE[kind](), act)["done"])
    point = start[1] / SCORES[1]
    np.testing.assert_allclose(shifted - start, np.full(7, shifted[0] - start[0]), atol=0.01)
    if kind in ("weights", "mixture"):  # where the text asks for it, there is room for it
        np.testing.assert_allclose(shifted - start, point, atol=0.01)
        np.testing.assert_allclose(doubled, 2 * start, atol=0.01)


def test_the_axis_is_the_same_whichever_way_a_state_is_reached(visit):
    link = "#beta-weights?scores=0.2,4,1.1,0.2,2.5,-0.6,0.8"
    rooms = [ends(visit(MAKE["weights"](), link=link).page), ends(visit(MAKE["weights"]()).page)]
    assert rooms[0] == rooms[1]


def test_a_bar_beyond_the_axis_ends_with_an_arrow_and_says_its_score(visit):
    page = visit(MAKE["weights"](), link="#beta-weights?scores=0.2,90,1.1,0.2,1.5,-60,0.8").page
    top, bottom = (grip(page, i) for i in (1, 5))
    room = ends(page)
    assert heights(page)[1] == pytest.approx(room[1] * heights(page)[4] / 1.5, abs=0.01)
    classes = [one.get_attribute("class").split() for one in (top, bottom, grip(page, 0))]
    assert ["ws-too-high" in classes[0], "ws-too-low" in classes[1]] == [True, True]
    assert not {"ws-too-high", "ws-too-low"} & set(classes[2])
    assert top.get_attribute("aria-valuetext") == "cat, score 90.0"
    assert float(top.get_attribute("aria-valuenow")) <= float(top.get_attribute("aria-valuemax"))
    pull(page, 1, -10)
    assert scores(page)[1] < room[1], "it comes back from the end of the axis"


def test_a_knob_at_its_end_shows_it_while_the_pointer_goes_on(visit):
    page = visit(MAKE["weights"]()).page
    look = lambda: grip(page, 1).locator(".ws-knob").evaluate("el => getComputedStyle(el).backgroundColor")  # noqa: E731
    usual = look()
    box = grip(page, 1).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 22
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 5)
    held = look()
    for up in (200, 300):
        page.mouse.move(x, y - up)
        assert look() not in (usual, held)
    page.mouse.move(x, y - 10)
    assert look() == held
    page.mouse.up()


def test_keys_go_no_further_than_the_axis(visit):
    page = visit(MAKE["weights"]()).page
    for _ in range(5):
        grip(page, 1).press("PageUp")
    assert scores(page)[1] == ends(page)[1]


# --- a finger --------------------------------------------------------------------------------------------


class Finger:
    """Touch events through the browser's own protocol, which may scroll the page."""

    def __init__(self, page):
        self.page, self.touch = page, page.context.new_cdp_session(page)

    def swipe(self, x, y, up):
        """How far the page has come when it is at rest again, and put back."""
        for kind, dy in [
            ("touchStart", 0),
            *(("touchMove", up * k / 10) for k in range(1, 11)),
            ("touchEnd", None),
        ]:
            points = [] if dy is None else [{"x": x, "y": y - dy}]
            self.touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        came = self.page.evaluate(SCROLLED)
        self.page.evaluate("scrollTo(0, 0)")
        self.page.evaluate(SCROLLED)
        return came

    def tap(self, x, y):
        self.page.wait_for_timeout(400)  # a tap right after another touch may be no click, in Chromium
        self.page.touchscreen.tap(x, y)


def middle(page, i):
    box = grip(page, i).locator(".ws-knob").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("kind", ["weights", "mixture"])
def test_a_finger_scrolls_on_a_score_unless_it_has_been_tapped(visit, kind):
    page = visit(MAKE[kind](), BELOW, width=360, height=780, has_touch=True).page
    finger, before = Finger(page), scores(page)
    turn = page.locator(".ws-in-turn").get_attribute("aria-label")
    others = [i for i in range(len(TOKENS)) if not turn.startswith(f"score of {TOKENS[i]} (token {i + 1} ")]
    assert len(others) == 6
    for i in (i for i in others if i not in (0, 2)):  # beside it, browsers lead a finger to it or not
        assert finger.swipe(*middle(page, i), 120) > 60, TOKENS[i]
        assert scores(page) == before, TOKENS[i]
    finger.tap(*middle(page, 4))
    assert scores(page) == before
    assert page.locator(".ws-in-turn").get_attribute("aria-label").startswith("score of milk")
    assert finger.swipe(*middle(page, 4), 20) == 0
    now = scores(page)
    assert now[4] > before[4]
    assert [s for i, s in enumerate(now) if i != 4] == [s for i, s in enumerate(before) if i != 4]
    assert finger.swipe(*middle(page, 1), 120) > 60
    assert scores(page) == now, "it is milk's turn"


def test_a_finger_pulls_at_once_the_knob_whose_turn_it_is(visit):
    page = visit(MAKE["weights"](), BELOW, width=360, height=780, has_touch=True).page
    i = TOKENS.index("cat")
    assert page.locator(".ws-in-turn").get_attribute("aria-label").startswith("score of cat")
    unit = heights(page)[1] / 2
    assert Finger(page).swipe(*middle(page, i), unit) == 0
    assert scores(page)[i] == 3.0
    looks = page.eval_on_selector_all(
        ".ws-knob", "all => all.map(el => getComputedStyle(el).boxShadow !== 'none')"
    )
    assert looks == [one == i for one in range(len(TOKENS))], "it alone has a halo"


def test_with_a_mouse_each_is_pulled_at_once(visit):
    page = visit(MAKE["weights"]()).page
    for i, score in enumerate(SCORES):
        pull(page, i, 10)
        assert scores(page)[i] > score
