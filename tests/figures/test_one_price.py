"""*One price, one rule* draws what `lib` computes: a newcomer bends the ratio at every price but one."""

import numpy as np
import pytest
from figure_page import attributes, do, marks, numbers, press, said, slider
from gallery import GALLERY
from gallery import one_price as figure
from in_node import ask

import lib

SCORES = [2.0, 1.5, 0.8]
NEWCOMER = 1.5
ROW = {"tokens": ["cat", "milk", "it", "drank"], "scores": [*SCORES, NEWCOMER]}
MOST, LONGEST = 0.86, 4.0  # the weight that fills the plot, and the ratio that fills a bar: none is greater
END = "Only at this price does a newcomer change no ratio. Both roads end in softmax."
WIDE = "<style>.ws-figure { max-width: 1000px !important }</style>"  # as wide as in the essay
SAME = "with “drank” and without, “cat” gets 1.65 times the weight of “milk”"
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


def test_a_word_drops_out_where_the_book_says():
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
    assert bars_of_ratio(page) == pytest.approx([with_ if joins else without, without], abs=1e-9)
    texts = page.locator(".ws-ratio").all_text_contents()
    assert texts == [f"{with_:.2f}×" if joins else "", f"{without:.2f}×"]
    told = "?" if not joins else "the same" if price == 1 else f"bent by {100 * (with_ / without - 1):.2g}%"
    names = ["without “drank”", f"with “drank”: {told}"]
    assert page.locator(".ws-of-bar").all_text_contents() == names
    assert attributes(page, ".ws-empty", "opacity")[0] == (not joins)
    np.testing.assert_allclose(attributes(page, ".ws-here", "cx"), 100 * (price - 1))


def bars_of_ratio(page):
    """How long the bar with the newcomer is, and that without, which lies over it; what is past it is black."""
    plain, (at,), (past,) = (
        attributes(page, part, name) / 100 * LONGEST
        for part, name in ((".ws-times", "width"), (".ws-bend", "x"), (".ws-bend", "width"))
    )
    assert at == pytest.approx(plain[0])
    return [plain[0] + past, plain[1]]


@pytest.mark.parametrize("price", [1, 1.25, 1.5, 2])
def test_what_is_drawn_is_what_lib_has_once_a_reader_has_moved_it(visit, price):
    page = visit(figure(price=price)).page
    for joins in (False, True, False):
        assert_shown(page, price, joins)
        do(page, ("button", "newcomer"))
    do(page, ("slider", "price", "Home"))
    assert_shown(page, 1, True)
    assert said(page) == (END if price >= 1.3 else f"The price is x log x: {SAME}.")


def test_while_the_price_slides_both_bars_grow_on_one_axis_and_the_bend_with_them(visit):
    page = visit(figure(newcomer="joins")).page
    found = []
    for _ in range(11):
        found.append(bars_of_ratio(page))
        slider(page, "price").press("PageUp")
    joined, alone = np.array(found).T
    assert (np.diff(alone) > 0).all(), "a bar whose number changes does not stand still"
    assert (np.diff(joined - alone) > 0).all()
    assert (joined[0], joined[-1]) == pytest.approx((alone[0], LONGEST))


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
    """How far the roads have run, up to the ring with the colour of softmax."""
    run = page.evaluate("""() => Number(getComputedStyle(document.querySelector('.ws-run'))
      .getPropertyValue('--ws-met'))""")
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
    assert (badges(page), met(page)) == (["slide me to the end"], 0)
    for _ in range(8):
        slider(page, "price").press("PageUp")
    assert (badges(page), met(page)) == (["slide me to the end"], 0)
    slider(page, "price").press("PageUp")
    assert (badges(page), met(page)) == (["slide me back"], 0)
    press(page, "Reset")
    do(page, ("button", "newcomer"))
    slider(page, "price").press("PageUp")
    slider(page, "price").press("Home")
    assert (badges(page), met(page)) == (["slide me to the end"], 0), "not yet far enough"
    assert said(page) == f"The price is x log x: {SAME}."
    slider(page, "price").press("End")
    assert (badges(page), met(page)) == (["slide me back"], 0)
    slider(page, "price").press("Home")
    assert (badges(page), met(page), said(page)) == ([], 1, END)
    slider(page, "price").press("End")
    assert (badges(page), met(page)) == ([], 1), "they have met for good"
    press(page, "Reset")
    assert (badges(page), met(page)) == (["drag me in"], 0)


def test_a_link_into_the_middle_leads_back_as_well(visit):
    page = visit(figure(price=1.5, newcomer="joins")).page
    assert (badges(page), met(page)) == (["slide me to the end"], 0)
    slider(page, "price").press("Home")
    assert (met(page), said(page)) == (1, END)


@pytest.mark.parametrize("paper", [True, False])
def test_on_paper_and_without_a_script_the_roads_have_run_and_nothing_invites(visit, paper):
    page = visit(figure(), java_script_enabled=paper).page
    if paper:
        page.emulate_media(media="print")
    assert (badges(page), met(page)) == ([], 1)
    page.emulate_media(media="screen")


@pytest.mark.parametrize("width", [1000, 688, 360])
def test_a_badge_lies_in_the_figure_and_on_nothing(visit, width):
    page = visit(WIDE, figure(), width=width).page
    under = """() => {
      const box = (el) => el.getBoundingClientRect(), badge = [...document.querySelectorAll('.ws-call')]
        .find((el) => el.checkVisibility({ visibilityProperty: true })), own = box(badge);
      const whole = box(document.querySelector('.ws-figure'));
      const parts = '.ws-word, small, svg text, .ws-note, rect.ws-weight, .ws-floor, .ws-end, .ws-roads > span, ' +
        '.ws-ends > span > span, rect.ws-times, .ws-empty, .ws-times-of, .ws-asks';
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
    assert seen == [[text, True, []] for text in ("drag me in", *["slide me to the end"] * 3, "slide me back")]


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


@pytest.mark.parametrize("width", [1000, 950, 688, 360])
def test_in_the_row_the_newcomer_keeps_away_from_its_neighbour(visit, width):
    page = visit(WIDE, figure(newcomer="joins"), width=width).page
    text = """() => {
      const range = document.createRange();
      range.selectNodeContents([...document.querySelectorAll('.ws-cell small')].at(-1));
      return range.getBoundingClientRect().right;
    }"""
    assert page.locator(".ws-newcomer").bounding_box()["x"] - page.evaluate(text) > 7


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
