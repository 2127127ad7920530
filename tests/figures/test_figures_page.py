"""The figures as a reader's browser shows them, in a page without a kernel."""

import math

import numpy as np
from figure_page import assert_drawn, example, grip, opened, pull, wait_until_ready

import lib
from book.example import SCORES, TOKENS
from tools.browser import Visit, serve

inf = math.inf


def beta_of(page):
    return page.locator(".ws-range").get_attribute("aria-valuetext").split(",")[0]


def test_a_figure_stands_from_a_folder_and_from_a_server(visit, browser):
    page = visit().page
    assert_drawn(page)
    file = page.url.rpartition("/")[2]
    with serve(visit.folder) as url, Visit(browser, f"{url}/{file}") as served:
        wait_until_ready(served.page)
        assert_drawn(served.page)
        assert served.errors == served.away == []


def test_the_script_leaves_no_names_in_the_page(visit):
    names = [visit(script=script).page.evaluate("Object.getOwnPropertyNames(window)") for script in (True, False)]
    assert set(names[0]) == set(names[1])


def test_keys_move_beta_to_its_very_ends_and_the_weights_follow(visit):
    page = visit().page
    for key, beta, says in [
        ("ArrowRight", 1.25, "β = 1.25"),
        ("ArrowUp", 1.6, "β = 1.6"),
        ("ArrowLeft", 1.25, "β = 1.25"),
        ("PageUp", 10.0, "β = 10"),
        ("Home", 0.0, "β = 0"),
        ("ArrowRight", 0.01, "β = 0.01"),
        ("End", inf, "β = infinity"),
        ("ArrowLeft", 100.0, "β = 100"),
    ]:
        page.locator(".ws-range").press(key)
        assert beta_of(page) == says
        assert_drawn(page, beta=beta)


def test_a_pointer_on_the_track_snaps_at_the_ends(visit):
    page = visit().page
    box = page.locator(".ws-range").bounding_box()
    thumb = 12  # its centre stays this far from the track's ends
    places = [(0.5, "β = 1"), (0.0, "β = 0"), (0.06, "β = 0.01"), (0.03, "β = 0")]
    for share, said in [*places, (0.94, "β = 100"), (0.97, "β = infinity")]:
        page.mouse.click(box["x"] + thumb + share * (box["width"] - 2 * thumb), box["y"] + 22)
        assert beta_of(page) == said, share


def test_a_screen_readers_single_steps_pass_the_gaps_at_the_ends(visit):
    page = visit(example(beta=0.01)).page
    step = "(range, by) => { range.value = Number(range.value) + by; range.dispatchEvent(new Event('input')) }"
    page.locator(".ws-range").evaluate(step, -1)
    assert beta_of(page) == "β = 0"
    page.locator(".ws-range").evaluate(step, 1)
    assert beta_of(page) == "β = 0.01"


def scores_of(page):
    return [float(grip(page, i).get_attribute("aria-valuenow")) for i in range(len(TOKENS))]


def test_a_bar_is_dragged_by_its_top(visit):
    page, scores = visit().page, list(SCORES)
    for i, pixels, score in [(0, 28.5, 1.2), (1, -57, 0.0), (5, -500, -1.0), (4, 500, 3.0)]:
        pull(page, i, pixels)
        scores[i] = score
        assert scores_of(page) == scores
        assert_drawn(page, scores)
        assert grip(page, i).get_attribute("aria-valuetext") == f"{TOKENS[i]}, score {score:.1f}".replace("-", "−")


def test_a_bar_is_dragged_by_a_finger(visit):
    found = visit(width=360, has_touch=True)
    box = grip(found.page, 0).bounding_box()
    touch = found.context.new_cdp_session(found.page)
    x, y = box["x"] + 20, box["y"] + 22
    for kind, dy in [("touchStart", 0), ("touchMove", -15), ("touchMove", -28.5), ("touchEnd", None)]:
        points = [] if dy is None else [{"x": x, "y": y + dy}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert scores_of(found.page)[0] == 1.2


def test_the_scale_grows_once_a_bar_is_let_go_at_its_end(visit):
    page = visit().page
    pull(page, 1, 300)
    assert scores_of(page)[1] == 3.0
    pull(page, 1, 300)
    assert scores_of(page)[1] == 4.0


def test_a_bar_answers_to_keys(visit):
    page = visit().page
    assert grip(page, 1).get_attribute("aria-valuetext") == "cat, score 2.0"
    keys = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"]
    for key, score in zip(keys, [2.1, 2.0, 3.0, 2.0, -1.0, 3.0], strict=True):
        grip(page, 1).press(key)
        assert scores_of(page)[1] == score
        assert_drawn(page, [score if i == 1 else s for i, s in enumerate(SCORES)])


def test_scores_priors_and_masks_are_typed_in_the_table(visit):
    page = opened(visit())
    row = page.locator(".ws-table tbody tr")
    row.nth(1).get_by_role("spinbutton").nth(0).fill("-0.75")
    row.nth(4).get_by_role("spinbutton").nth(1).fill("2.5")
    row.nth(2).get_by_role("checkbox").uncheck()
    page.keyboard.press("Tab")
    scores = [-0.75 if i == 1 else s for i, s in enumerate(SCORES)]
    prior, where = np.array([1, 1, 1, 1, 2.5, 1, 1]), np.array([i != 2 for i in range(7)])
    assert_drawn(page, scores, prior=prior, where=where)
    weights = lib.softmax(np.array(scores), prior=prior, where=where)
    shown = [float(text.rstrip("%")) for text in page.locator(".ws-number").all_inner_texts()]
    np.testing.assert_allclose(shown, 100 * weights, atol=0.5)
    assert page.locator("rect.ws-score").nth(2).evaluate("bar => bar.style.fill").startswith("url(")


def test_beta_is_typed(visit):
    page = opened(visit())
    box = page.get_by_role("textbox", name="β")
    typed = {"inf": inf, "-2": -2.0, "∞": inf, "-inf": -inf, "0": 0.0, "−∞": -inf, "−0,5": -0.5, "1234": 1234.0}
    for text, beta in typed.items():
        box.fill(text)
        box.press("Enter")
        assert_drawn(page, beta=beta)


def test_what_is_no_number_is_put_back_and_said(visit):
    page = opened(visit())
    for column, text, kept in [(0, "", "2"), (1, "-1", "1")]:
        box = page.locator(".ws-table tbody tr").nth(1).get_by_role("spinbutton").nth(column)
        box.fill(text)
        box.press("Tab")
        assert box.input_value() == kept
        assert "stays" in page.get_by_role("status").inner_text()
        assert_drawn(page)


def test_a_box_prefers_low_scores(visit):
    page = opened(visit())
    page.get_by_role("checkbox", name="prefer low scores").check()
    assert_drawn(page, beta=-1.0)
    slider = page.locator(".ws-range")
    slider.press("End")
    assert_drawn(page, beta=-inf)
    slider.press("Home")
    slider.press("PageUp")
    assert beta_of(page) == "β = minus 0.01"
