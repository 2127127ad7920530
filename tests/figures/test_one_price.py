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
MOST, LONGEST = 0.86, 4  # the weight that fills the plot, and the ratio that fills a bar
RAIL, REACH = 108, 200  # of the dial, in pixels: where nothing bends, and a bend of 1
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


def test_the_curve_turns_where_a_word_drops_out():
    for joins, price in ((True, 1.59), (False, 1.66)):
        assert weights(price - 0.01, joins)[2] > 0 == weights(price, joins)[2]


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
    assert "drag me in" in html


def assert_shown(page, price, joins):
    """All that shows weights and ratios says what `lib` has, for this price, with the newcomer or without."""
    row = [*weights(price, joins), *[0.0] * (not joins)]
    bars = ".ws-shares rect.ws-weight"
    np.testing.assert_allclose(attributes(page, bars, "height") * MOST / 100, row, atol=1e-9)
    np.testing.assert_allclose(100 - attributes(page, bars, "y"), attributes(page, bars, "height"), atol=1e-9)
    texts = page.locator(".ws-shares svg text").all_text_contents()
    assert [bool(text) for text in texts] == [True] * 3 + [joins]
    with_, without = ratio(price, True), ratio(price, False)
    shown = [(without, without), (with_ if joins else without, without)]
    for bar, (whole, plain) in zip(reversed(bars_of_ratio(page)), shown, strict=True):
        assert bar["whole"] == pytest.approx(whole, abs=1e-9)
        assert bar["plain"] == pytest.approx(plain, abs=1e-9)
    texts = page.locator(".ws-ratio").all_text_contents()
    assert texts == [f"{with_:.2f} ×" if joins else "", f"{without:.2f} ×"]
    told = "?" if not joins else "the same" if price == 1 else f"bent by {100 * (with_ / without - 1):.2g}%"
    assert page.locator(".ws-of-bar").all_text_contents() == ["without “drank”", f"with “drank”: {told}"]
    assert [attributes(page, part, "opacity")[0] for part in (".ws-empty", ".ws-joined-by")] == [not joins, joins]
    assert attributes(page, ".ws-stalk", "y2")[0] == pytest.approx(RAIL - REACH * (bend(price) - 1))
    np.testing.assert_allclose(attributes(page, ".ws-stalk", "x1"), 100 * (price - 1))
    np.testing.assert_allclose(attributes(page, ".ws-here", "cx"), 100 * (price - 1))


def bars_of_ratio(page):
    """The bar with the newcomer and that without, which lies over it: its length, and that before the bend."""
    plain = attributes(page, ".ws-times", "width") / 100 * LONGEST
    bend_at = attributes(page, ".ws-bend", "x")[0] / 100 * LONGEST
    past = attributes(page, ".ws-bend", "width")[0] / 100 * LONGEST
    assert bend_at == pytest.approx(plain[0])
    return [{"plain": plain[0], "whole": plain[0] + past}, {"plain": plain[1], "whole": plain[1]}]


@pytest.mark.parametrize("price", [1, 1.25, 1.5, 2])
def test_what_is_drawn_is_what_lib_has_once_a_reader_has_moved_it(visit, price):
    page = visit(figure(price=price)).page
    for joins in (False, True, False):
        assert_shown(page, price, joins)
        do(page, ("button", "newcomer"))
    do(page, ("slider", "price", "Home"))
    assert_shown(page, 1, True)
    assert "with “drank” and without" in said(page)


def test_the_curve_touches_the_rail_in_one_point(visit):
    page = visit(figure()).page
    curve = points(page.locator(".ws-bent-by").get_attribute("d"))
    np.testing.assert_allclose(curve[:, 0], np.arange(101))
    np.testing.assert_allclose((RAIL - curve[:, 1]) / REACH + 1, [bend(price) for price in PRICES], atol=1e-4)
    assert np.flatnonzero(curve[:, 1] > RAIL - 0.1).tolist() == [0]


@pytest.mark.parametrize("width", [1280, 688, 360])
def test_the_roads_run_into_the_ring_at_the_logarithms_end_of_the_dial(visit, width):
    page = visit(figure(), width=width).page
    box = lambda part: page.locator(part).first.bounding_box()  # noqa: E731
    road, ring, range_ = box(".ws-run .ws-joined"), box(".ws-end"), box(".ws-range")
    end = road["x"] + road["width"] - 5  # the box has half of the line's width at each end
    assert ring["x"] < end < ring["x"] + 6, "it ends in the ring's own stroke"
    middles = [one["y"] + one["height"] / 2 for one in (road, ring, range_)]
    assert max(middles) - min(middles) < 1.5
    assert ring["x"] + ring["width"] / 2 == pytest.approx(range_["x"] + 12, abs=0.5), "under the thumb"


# --- the three acts ----------------------------------------------------------------------------------


def badges(page):
    """What the badges say that are seen, of which there is one at most."""
    return [one.text_content() for one in page.locator(".ws-call").all() if one.is_visible()]


def met(page):
    """How far the roads have run, and how much one sees of the name of their end."""
    run = page.evaluate("""() => Number(getComputedStyle(document.querySelector('.ws-run'))
      .getPropertyValue('--ws-met'))""")
    assert page.locator(".ws-met").is_visible() == (run == 1)
    colours = page.locator(".ws-end, .ws-run .ws-joined").evaluate_all(
        "all => all.map(el => getComputedStyle(el).stroke)"
    )
    assert (len(set(colours)) == 1) == (run == 1), "the ring has the colour of softmax"
    return run


def test_one_badge_leads_from_the_newcomer_to_the_knob_and_back_to_where_the_roads_meet(visit):
    page = visit(figure()).page
    assert (badges(page), met(page)) == (["drag me in"], 0)
    slider(page, "price").press("End")
    slider(page, "price").press("Home")
    assert (badges(page), met(page)) == (["drag me in"], 0), "without the newcomer there is nothing to see"
    do(page, ("button", "newcomer"))
    assert (badges(page), met(page)) == (["slide me"], 0)
    slider(page, "price").press("PageUp")
    slider(page, "price").press("Home")
    assert (badges(page), met(page)) == (["slide me"], 0), "not yet far enough"
    slider(page, "price").press("End")
    assert (badges(page), met(page)) == (["slide me back"], 0)
    slider(page, "price").press("Home")
    assert (badges(page), met(page)) == ([], 1)
    slider(page, "price").press("End")
    assert (badges(page), met(page)) == ([], 1), "they have met for good"
    press(page, "Reset")
    assert (badges(page), met(page)) == (["drag me in"], 0)


def test_a_link_into_the_middle_leads_back_as_well(visit):
    page = visit(figure(price=1.5, newcomer="joins")).page
    assert (badges(page), met(page)) == (["slide me back"], 0)
    slider(page, "price").press("Home")
    assert met(page) == 1


@pytest.mark.parametrize("paper", [True, False])
def test_on_paper_and_without_a_script_the_roads_have_run_and_nothing_invites(visit, paper):
    page = visit(figure(), java_script_enabled=paper).page
    if paper:
        page.emulate_media(media="print")
    assert (badges(page), met(page)) == ([], 1)
    page.emulate_media(media="screen")


@pytest.mark.parametrize("width", [1000, 688, 360])
def test_a_badge_lies_in_the_figure_and_on_nothing(visit, width):
    page = visit(figure(), width=width).page
    under = """() => {
      const box = (el) => el.getBoundingClientRect(), badge = [...document.querySelectorAll('.ws-call')]
        .find((el) => el.checkVisibility({ visibilityProperty: true })), own = box(badge);
      const whole = box(document.querySelector('.ws-figure'));
      const parts = '.ws-word, small, svg text, .ws-note, rect.ws-weight, .ws-floor, .ws-end, .ws-roads > span, ' +
        '.ws-ends > span, rect.ws-times, .ws-empty, .ws-times-of';
      const lies = [...document.querySelectorAll(parts)].filter((el) => {
        const { left, right, top, bottom } = box(el);
        return el.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
          left < own.right && right > own.left && top < own.bottom && bottom > own.top && el.textContent !== ' ';
      }).map((el) => el.outerHTML.slice(0, 80));
      return [badge.textContent, own.left >= whole.left && own.right <= whole.right, lies];
    }"""
    seen = [page.evaluate(under)]
    do(page, ("button", "newcomer"))
    for key, times in [("Home", 1), ("PageUp", 3), ("PageUp", 2), ("End", 1)]:
        for _ in range(times):
            slider(page, "price").press(key)
        seen.append(page.evaluate(under))
    assert seen == [[text, True, []] for text in ("drag me in", "slide me", *["slide me back"] * 3)]


def test_the_roads_run_in_while_one_looks(visit):
    page = visit(figure(price=1.5, newcomer="joins"), still=False).page
    page.evaluate("""() => {
      window.seen = [];
      const parts = document.querySelector('.ws-halves');
      new MutationObserver(() => window.seen.push(Number(parts.style.getPropertyValue('--ws-met'))))
        .observe(parts, { attributes: true });
    }""")
    slider(page, "price").press("Home")
    page.wait_for_function("window.seen.at(-1) === 1")
    seen = page.evaluate("window.seen")
    assert len(set(seen)) > 3
    assert (np.diff(seen) >= 0).all()


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
    page.wait_for_timeout(400)  # a tap right after another touch may be no click, in Chromium
    page.touchscreen.tap(*middle(page))
    page.wait_for_selector(".ws-newcomer[aria-pressed=false]")
    kept = """() => [...document.querySelectorAll('.ws-figure *')].filter(
      el => getComputedStyle(el).touchAction === 'none').map(el => el.classList[0])"""
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
