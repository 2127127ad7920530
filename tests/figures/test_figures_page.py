"""The figures as a reader's browser shows them: *β and the weights*, and what a page keeps of all of them."""

import json
import math
import re

import numpy as np
import pytest
from figure_page import (
    LOOK,
    assert_drawn,
    drawn,
    example,
    grip,
    in_a_notebook,
    marks,
    more,
    numbers,
    opened,
    pull,
    readings,
    set_to,
    wait_until_ready,
)
from gallery import FEWER, GALLERY, mask, stream

import lib
from book.example import SCORES, TOKENS
from book.figures.traits import address_of
from tools.browser import Visit, serve

inf = math.inf


def test_a_figure_stands_from_a_folder_and_from_a_server_where_a_link_is_copied(visit, browser):
    page = visit().page
    assert_drawn(page)
    file = page.url.rpartition("/")[2]
    with serve(visit.folder) as url, Visit(browser, f"{url}/{file}") as served:
        wait_until_ready(served.page)
        assert_drawn(served.page)
        assert served.errors == served.away == []
        served.context.grant_permissions(["clipboard-read", "clipboard-write"])
        more(served.page)
        served.page.get_by_role("button", name="Copy link").click()
        served.page.wait_for_function("document.querySelector('.ws-status').textContent.startsWith('Link copied')")
        assert served.page.evaluate("navigator.clipboard.readText()") == served.page.url


def test_the_script_leaves_no_names_in_the_page(visit):
    names = [visit(script=script).page.evaluate("Object.getOwnPropertyNames(window)") for script in (True, False)]
    assert set(names[0]) == set(names[1])


@pytest.mark.parametrize("state", ["plain", "zero", "hard", "low", "masked", "prior"])
def test_bars_are_as_high_as_what_they_stand_for(draw, state):
    figure = GALLERY["weights"][state]
    html, scores = draw(figure), np.array(figure.scores)
    options = {key: np.array(value) for key in ("prior", "where") if (value := getattr(figure, key)) is not None}
    null = lib.softmax(scores, 0.0, **options)
    for kind, expected in [("ws-weight", figure.weights), ("ws-prior", null)]:
        np.testing.assert_allclose(numbers(marks(html, kind), "height"), 105 * np.array(expected), atol=1e-3)
    bars = marks(html, "ws-score")
    y, height = numbers(bars, "y"), numbers(bars, "height")
    assert ["url(" in one.get("style", "") for one in bars] == (null == 0).tolist(), "hatched"
    np.testing.assert_allclose(height / height.max(), np.abs(scores) / np.abs(scores).max(), atol=1e-4)
    np.testing.assert_allclose(
        np.where(scores < 0, y, y + height), numbers(marks(html, "ws-zero"), "y1")[0], atol=1e-3
    )

    labels = marks(html, "ws-label")
    weights = [one for one in labels if "ws-accent" in one["class"]]
    at_scores = [one for one in labels if one not in weights]
    np.testing.assert_allclose(numbers(at_scores, "text"), scores, atol=0.006)
    ends = np.where(scores < 0, y + height + 21, y - 12)  # each label stands beyond the end of its bar
    np.testing.assert_allclose(numbers(at_scores, "y"), ends, atol=1e-3)
    assert [one["text"] == "out" for one in weights] == (null == 0).tolist()
    shown = numbers([one for one in weights if one["text"] != "out"], "text")
    np.testing.assert_allclose(shown, 100 * np.array(figure.weights)[null > 0], atol=0.5)


def scores_of(page):
    return [float(grip(page, i).get_attribute("aria-valuenow")) for i in range(len(TOKENS))]


def test_a_bar_is_dragged_by_its_top(visit):
    page, scores = visit().page, list(SCORES)
    for i, pixels, score in [(0, 20.3, 1.2), (1, -40.7, 0.0), (5, -500, -1.5), (4, 500, 4.5)]:
        pull(page, i, pixels)
        scores[i] = score
        assert scores_of(page) == scores
        assert_drawn(page, scores)
        assert grip(page, i).get_attribute("aria-valuetext") == f"{TOKENS[i]}, score {score:.1f}".replace("-", "−")


def test_who_scrolls_the_page_from_a_slider_leaves_it_as_it_was(visit):
    found = visit(example(), "<p style='height: 1200px'>below</p>", width=360, height=780, has_touch=True)
    page, slider = found.page, found.page.locator(".ws-range")
    box, before = slider.bounding_box(), page.evaluate("scrollY")
    x, y = box["x"] + 0.85 * box["width"], box["y"] + box["height"] / 2
    touch = found.context.new_cdp_session(page)
    for kind, ups in [("touchStart", [0]), *[("touchMove", [12 * k]) for k in range(1, 12)], ("touchEnd", [])]:
        points = [{"x": x, "y": y - up} for up in ups]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_function("before => scrollY > before + 60", arg=before)
    assert slider.get_attribute("aria-valuetext").startswith("β = 1,")
    np.testing.assert_allclose(drawn(page), lib.softmax(np.array(SCORES)), atol=1e-12)


# --- what a page keeps of its figures, and a notebook tells them ---------------------------------------


def test_figures_on_a_page_are_independent(visit):
    page = visit(example(name="one"), example(name="two", beta=0.5), mask(name="three"), mask(name="four")).page
    page.locator("#one .ws-range").press("End")
    assert drawn(page, "#one").max() == 1
    np.testing.assert_allclose(drawn(page, "#two"), lib.softmax(np.array(SCORES), 0.5), atol=1e-12)
    page.locator("#four").get_by_role("radio", name="score −1e9").check()
    assert page.locator("#three").get_by_role("radio", name="left out").is_checked()
    ids = page.eval_on_selector_all("[id]", "all => all.map(el => el.id)")
    assert len(ids) == len(set(ids))


def test_the_state_is_said_once_it_has_come_to_rest(visit):
    page = visit().page
    spoken = page.locator("[aria-live=polite]")
    assert "“cat” gets 37%" in spoken.inner_text()
    page.locator(".ws-range").press("End")
    assert "β = ∞" in page.locator(".ws-say").inner_text()
    assert "“cat” gets 37%" in spoken.inner_text()
    page.wait_for_function("document.querySelector('[aria-live=polite]').textContent.includes('β = ∞')")


def test_readings_are_those_of_lib(visit):
    page = opened(visit(example(beta=2.0)))
    weights = lib.softmax(np.array(SCORES), 2.0)
    kl = lib.kl_divergence(weights, np.full(7, 1 / 7))
    expected = [weights @ SCORES, lib.entropy(weights), lib.effective_count(weights), kl]
    np.testing.assert_allclose(readings(page), expected, atol=0.051)


def test_a_plain_figure_shows_nothing_of_the_null_unless_it_has_one(visit):
    page = visit(example(plain=True)).page
    page.get_by_role("button", name="More").click()
    seen = "all => all.filter(el => el.getClientRects().length).length"
    of_null = ".ws-prior, .ws-null, .ws-read, .ws-table :is(th, td):nth-child(4)"
    assert page.locator(of_null).evaluate_all(seen) == 0
    assert not re.search("null|nats|entropy|equal weights", page.locator(".ws-figure").inner_text())
    page.evaluate("location.hash = '#beta-weights?prior=1,1,1,1,1,1,2'")
    page.wait_for_function("document.querySelector('.ws-say').textContent.includes('null')")
    assert page.locator(of_null).evaluate_all(seen) == 7 + 1 + 1 + 8


def first(kind):
    return next(iter(GALLERY[kind].values()))


def again(figure):
    """A figure like this one."""
    return type(figure)(**{name: getattr(figure, name) for name in (*figure.changes, *figure.beside, "caption")})


@pytest.mark.parametrize("kind", GALLERY)
def test_a_widgets_module_stands_alone_hears_its_traits_and_cleans_up(visit, kind):
    figure = first(kind)
    found = in_a_notebook(visit(script=False).page, figure)
    assert found["exports"] == ["default"]
    assert set(found["before"]) >= {f"change:{trait}" for trait in address_of(figure, figure.changes)}
    assert found["after"] == []
    assert len(found["shown"]) > 20
    assert "Copy link" not in found["shown"]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("kind", FEWER)
def test_other_tokens_and_what_goes_with_them_arrive_one_by_one_in_any_order(visit, kind, backwards):
    figure, fewer = first(kind), again(FEWER[kind])
    if kind == "stream":
        figure = stream(values=range(7), cut=5, step=7, caption=figure.caption)
    unchanging = {"query", "curves", "plain", "slider", "exponents"}
    fixed = ("caption", "alt", *unchanging.intersection(figure.beside))
    for name in fixed:
        setattr(fewer, name, getattr(figure, name))
    page = visit("<p>A cell.</p>", script=False).page
    state = fewer._json([name for name in fewer.changes + fewer.beside if name not in fixed])
    act = """({ el, hear }) => {
      const seen = () => {
        const shown = el.cloneNode(true);
        for (const live of shown.querySelectorAll('[aria-live]')) live.remove();  // speaks a little later
        return [shown.textContent, [...el.children].map(part => part.className), (LOOK)()];
      };
      for (const [trait, value] of CHANGED) hear(trait, value);
      const arrived = seen();
      [...el.querySelectorAll('button')].find(button => button.textContent === 'Reset').click();
      const back = seen();
      el.remove();
      return [arrived, back];
    }""".replace("LOOK", LOOK)
    changed = json.dumps([*state.items()][:: -1 if backwards else 1])
    found = in_a_notebook(page, figure, act.replace("CHANGED", changed))
    mine, other = (in_a_notebook(page, each, act.replace("CHANGED", "[]"))["done"][0] for each in (figure, fewer))
    assert found["done"] == [other, mine], "what came, and what Reset brings back"
    assert found["after"] == []


@pytest.mark.parametrize("kind", FEWER)
def test_after_other_tokens_a_reset_is_taken_by_the_kernel_as_well(kind):
    figure, fewer = again(first(kind)), FEWER[kind]
    names = figure.changes + figure.beside
    before = figure.get_state(names)
    set_to(figure, {name: getattr(fewer, name) for name in names})
    assert figure.tokens == fewer.tokens
    figure.set_state(figure.start)
    assert figure.get_state(names) == before
