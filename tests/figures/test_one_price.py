"""*One price, one rule* draws what `lib` computes: a newcomer bends the ratio at every price but one."""

import numpy as np
import pytest
from figure_page import attributes, do, marks, numbers, points, press, said, slider
from gallery import GALLERY
from gallery import one_price as figure
from in_node import ask

import lib

SCORES = [2.0, 1.5, 0.8]
NEWCOMER = 1.5
ROW = {"tokens": ["cat", "milk", "it", "drank"], "scores": [*SCORES, NEWCOMER]}
MOST, LONGEST = 0.86, 4.2  # the weight that fills the plot, and the ratio that fills the pair bar
RAIL, REACH = 122, 270  # of the dial, in pixels: where nothing bends, and a bend of 1
PRICES = np.linspace(1, 2, 101)


def weights(price, joins):
    return lib.entmax(np.array([*SCORES, NEWCOMER][: 3 + joins]), alpha=price)


def ratio(price, joins):
    first, second, *_ = weights(price, joins)
    return first / second


def bend(price):
    return ratio(price, True) / ratio(price, False)


def state_of(made):
    return made.price, made.newcomer == "joins"


# --- what is computed --------------------------------------------------------------------------------


def test_weights_and_ratios_are_those_of_lib():
    rows = [[price, joins] for price in (1.0, 1.001, *PRICES[::7], 1.5, 2.0) for joins in (False, True)]
    code = f"([price, joins]) => weightsOf({{ scores: {ROW['scores']} }}, price, joins)"
    for (price, joins), found in zip(rows, ask(code, rows, "one_price"), strict=True):
        np.testing.assert_allclose(found, weights(price, joins), atol=1e-12)
        made = figure(price=price, newcomer="joins" if joins else "waits")
        np.testing.assert_allclose(made.weights, found, atol=1e-12)
        assert made.ratio == pytest.approx(ratio(price, joins))


def test_the_numbers_of_the_essay():
    told = {1: ("1.65", "1.65"), 1.5: ("2.10", "2.32"), 2: ("3.00", "4.00")}
    for price, texts in told.items():
        assert tuple(f"{ratio(price, joins):.2f}" for joins in (False, True)) == texts


def test_one_price_is_rigid_and_no_other():
    found = np.array(ask(f"(price) => bendOf({ROW}, price)", PRICES.tolist(), "one_price"))
    np.testing.assert_allclose(found, [bend(price) for price in PRICES], rtol=1e-10)
    assert found[0] == pytest.approx(1, abs=1e-12)
    assert (np.diff(found) > 1e-3).all(), "it bends the more, the further from the logarithm"


# --- what is drawn -----------------------------------------------------------------------------------


@pytest.mark.parametrize("state", GALLERY["one-price"])
def test_the_picture_of_the_build_has_the_weights_of_lib(draw, state):
    made = GALLERY["one-price"][state]
    price, joins = state_of(made)
    html = draw(made._repr_html_())
    bars = numbers(marks(html, "ws-weight"), "height") * MOST / 100
    expected = [*weights(price, joins), *[0.0] * (not joins)]
    np.testing.assert_allclose(bars, expected, atol=1e-5)
    assert "← " not in html
    assert "drag me in" in html


def assert_shown(page, price, joins):
    """All that shows weights and ratios says what `lib` has, for this price, with the newcomer or without."""
    row = [*weights(price, joins), *[0.0] * (not joins)]
    bars = ".ws-shares rect.ws-weight"
    np.testing.assert_allclose(attributes(page, bars, "height") * MOST / 100, row, atol=1e-9)
    np.testing.assert_allclose(100 - attributes(page, bars, "y"), attributes(page, bars, "height"), atol=1e-9)
    texts = page.locator(".ws-shares svg text").all_text_contents()
    assert [bool(text) for text in texts] == [True] * 3 + [joins]
    now, was = ratio(price, joins), ratio(price, False)
    assert page.locator(".ws-ratio").text_content() == f"{now:.2f} ×"
    assert attributes(page, ".ws-times", "width") / 100 * LONGEST == pytest.approx(now)
    assert attributes(page, ".ws-one", "width") / 100 * LONGEST == pytest.approx(1)
    assert attributes(page, ".ws-was", "x") / 100 * LONGEST == pytest.approx(was)
    assert page.locator(".ws-was").is_visible() == joins
    height = (RAIL - attributes(page, ".ws-dot", "cy")[0]) / REACH
    assert height == pytest.approx(bend(price) - 1 if joins else 0, abs=1e-9)
    assert attributes(page, ".ws-dot", "opacity")[0] == joins
    np.testing.assert_allclose(attributes(page, ".ws-dot, .ws-stalk, .ws-here", "cx")[[1, 2]], 100 * (price - 1))


@pytest.mark.parametrize("price", [1, 1.25, 1.5, 2])
def test_what_is_drawn_is_what_lib_has_once_a_reader_has_moved_it(visit, price):
    page = visit(figure(price=price)).page
    for joins in (False, True, False):
        assert_shown(page, price, joins)
        do(page, ("button", "newcomer"))
    do(page, ("slider", "price", "Home"))
    assert_shown(page, 1, True)
    assert page.locator(".ws-tag").text_content() == ""
    assert "with “drank” and without" in said(page)


def test_the_curve_touches_the_rail_in_one_point(visit):
    page = visit(figure()).page
    curve = points(page.locator(".ws-guess").get_attribute("d"))
    np.testing.assert_allclose(curve[:, 0], np.arange(101))
    np.testing.assert_allclose((RAIL - curve[:, 1]) / REACH + 1, [bend(price) for price in PRICES], atol=1e-4)
    assert np.flatnonzero(curve[:, 1] > RAIL - 0.1).tolist() == [0]


@pytest.mark.parametrize("width", [1280, 688, 360])
def test_the_roads_run_into_the_ring_at_the_logarithms_end_of_the_dial(visit, width):
    page = visit(figure(), width=width).page
    box = lambda part: page.locator(part).first.bounding_box()  # noqa: E731
    road, ring, range_ = box(".ws-joined"), box(".ws-end"), box(".ws-range")
    assert ring["x"] < road["x"] + road["width"] < ring["x"] + 8, "it ends in the ring's own stroke"
    middles = [one["y"] + one["height"] / 2 for one in (road, ring, range_)]
    assert max(middles) - min(middles) < 1.5
    assert ring["x"] + ring["width"] / 2 == pytest.approx(range_["x"] + 12, abs=0.5), "under the thumb"


# --- the pen -----------------------------------------------------------------------------------------


def penned(page):
    return points(page.locator(".ws-penned").get_attribute("d"))


def test_the_pen_writes_where_one_has_been_with_the_newcomer(visit):
    page = visit(figure()).page
    slider(page, "price").press("PageUp")
    assert len(penned(page)) == 0, "without the newcomer it writes nothing"
    do(page, ("button", "newcomer"))
    assert len(penned(page)) == 0
    slider(page, "price").press("End")
    line = penned(page)
    assert line[0][0] == pytest.approx(10)
    assert line[-1][0] == 100
    np.testing.assert_allclose((RAIL - line[:, 1]) / REACH + 1, [bend(1 + x / 100) for x in line[:, 0]], atol=1e-4)
    assert page.locator(".ws-tag").text_content() == "bent by 33%"
    do(page, ("button", "newcomer"))
    slider(page, "price").press("Home")
    assert len(penned(page)) == len(line), "what is written stays"
    press(page, "Reset")
    assert len(penned(page)) == 0


# --- the newcomer ------------------------------------------------------------------------------------


def joined(page):
    return page.locator(".ws-newcomer").get_attribute("aria-pressed") == "true"


def middle(page, part=".ws-newcomer"):
    box = page.locator(part).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, dx, dy=0):
    x, y = middle(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx / 2, y + dy / 2)
    page.mouse.move(x + dx, y + dy)


@pytest.mark.parametrize("width", [1280, 688, 360])
def test_the_newcomer_is_dragged_in_and_out(visit, width):
    page = visit(figure(price=1.5), width=width).page
    place, row = middle(page, ".ws-place"), page.locator(".ws-cells").bounding_box()
    assert middle(page) == pytest.approx(place, abs=1)
    drag(page, -0.25 * row["width"], -20)
    assert joined(page), "the others make room before one lets go"
    assert middle(page) == pytest.approx((place[0] - 0.25 * row["width"], place[1] - 20), abs=1.5)
    page.mouse.up()
    assert joined(page)
    assert middle(page) == pytest.approx((row["x"] + 0.74 * 7 / 8 * row["width"], place[1]), abs=1), "in line"
    assert_shown(page, 1.5, True)
    drag(page, 0.25 * row["width"])
    page.mouse.up()
    assert not joined(page)
    assert middle(page) == pytest.approx(place, abs=1)
    assert_shown(page, 1.5, False)


@pytest.mark.parametrize("newcomer", ["waits", "joins"])
def test_without_a_script_the_newcomer_stands_where_it_does_with_one(visit, newcomer):
    found = [middle(visit(figure(newcomer=newcomer), java_script_enabled=script).page) for script in (True, False)]
    assert found[0] == pytest.approx(found[1], abs=0.5)


def test_a_drag_that_does_not_arrive_is_no_press_and_one_that_turns_back_changes_nothing(visit):
    page = visit(figure()).page
    drag(page, 14)
    page.mouse.up()
    assert not joined(page)
    drag(page, -120)
    x, y = middle(page)
    page.mouse.move(x + 120, y)
    page.mouse.up()
    assert not joined(page)
    drag(page, 2)  # a hand that trembles
    page.mouse.up()
    assert joined(page)
    page.wait_for_timeout(20)
    page.locator(".ws-newcomer").press("Enter")
    assert not joined(page)


def test_a_finger_drags_it_and_a_tap_presses_it_but_a_swipe_elsewhere_scrolls(visit):
    found = visit(figure(), width=360, has_touch=True)
    page = found.page
    touch = found.context.new_cdp_session(page)
    x, y = middle(page)
    for kind, dx in [("touchStart", 0), ("touchMove", -40), ("touchMove", -80), ("touchEnd", None)]:
        at = [] if dx is None else [{"x": x + dx, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})
    assert joined(page)
    page.touchscreen.tap(*middle(page))
    page.wait_for_selector(".ws-newcomer[aria-pressed=false]")
    kept = """() => [...document.querySelectorAll('.ws-figure *')].filter(
      el => getComputedStyle(el).touchAction === 'none').map(el => el.className)"""
    assert page.evaluate(kept) == ["ws-newcomer"], "all else lets the page be scrolled"


def test_others_glide_to_make_room(visit):
    """In the middle of it the words and their bars are between where they were and where they go."""
    page = visit(figure(), still=False).page
    seen = page.evaluate(
        """() => new Promise(done => {
          const bar = document.querySelector('.ws-shares rect.ws-weight'), all = [];
          document.querySelector('.ws-newcomer').click();
          const look = () => {
            all.push(['x', 'height'].map(name => parseFloat(bar.getAttribute(name))));
            if (all.length > 30 && String(all.at(-1)) === String(all.at(-20))) done(all);
            else requestAnimationFrame(look);
          };
          look();
        })"""
    )
    x, tall = np.array(seen).T
    assert x[-1] == pytest.approx(74 / 8)
    assert tall[-1] * MOST / 100 == pytest.approx(weights(1, True)[0])
    assert len(set(x)) > 3
    assert (np.diff(x) <= 0).all()
    assert (np.diff(tall) <= 0).all()
