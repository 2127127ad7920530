"""What a page keeps of its figures: links, resets, several at once, and what is said and written."""

import json
import math
import re

import numpy as np
import pytest
from figure_page import drawn, example, in_a_notebook, more, opened, wait_until_ready
from gallery import (
    GALLERY,
    formats,
    mask,
    mixture,
    outside,
    race,
    raised,
    rules,
    sampling,
    side,
    slopes,
    stream,
    tell,
    weights,
)

import lib
from book.example import SCORES
from book.figures.traits import address_of
from tools.browser import Visit, serve

inf = math.inf


def test_a_link_is_copied_where_the_browser_allows_it(visit, browser):
    file = visit().page.url.rpartition("/")[2]
    with serve(visit.folder) as url, Visit(browser, f"{url}/{file}") as served:
        wait_until_ready(served.page)
        served.context.grant_permissions(["clipboard-read", "clipboard-write"])
        more(served.page)
        served.page.get_by_role("button", name="Copy link").click()
        served.page.wait_for_function("document.querySelector('.ws-status').textContent.startsWith('Link copied')")
        assert served.page.evaluate("navigator.clipboard.readText()") == served.page.url


def test_figures_on_a_page_are_independent(visit):
    page = visit(example(name="one"), example(name="two", beta=0.5), mask(name="three"), mask(name="four")).page
    page.locator("#one .ws-range").press("End")
    assert drawn(page, "#one").max() == 1
    np.testing.assert_allclose(drawn(page, "#two"), lib.softmax(np.array(SCORES), 0.5), atol=1e-12)
    page.locator("#four").get_by_role("radio", name="s = −∞").check()
    assert page.locator("#three").get_by_role("radio", name="u = 0").is_checked()
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
    values = [float(re.match(r"[\d.]+", text).group()) for text in page.locator(".ws-read dd").all_inner_texts()]
    kl = lib.kl_divergence(weights, np.full(7, 1 / 7))
    expected = [weights @ SCORES, lib.entropy(weights), lib.effective_count(weights), kl]
    np.testing.assert_allclose(values, expected, atol=0.051)


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


@pytest.mark.parametrize("kind", ["weights", "side", "jacobian", "raise", "mixture", "outside"])
def test_the_scale_keeps_still_under_a_pointer_and_grows_once_it_has_left_or_new_tokens_have_come(visit, kind):
    act = """({ el, hear }) => {
      const knob = el.querySelector('.ws-grip');
      const highest = () => Number(el.querySelector('.ws-grip').getAttribute('aria-valuemax'));
      knob.setPointerCapture = () => {};  // only a true pointer can be captured
      knob.dispatchEvent(new PointerEvent('pointerdown', { button: 0 }));
      if (%s) hear('tokens', ['a', 'b', 'c', 'd', 'e', 'f', 'g']);  // which ends the drag
      hear('scores', [20, 0, 0, 0, 0, 0, 0]);
      const held = highest();
      knob.dispatchEvent(new PointerEvent('pointerup'));
      return [held, highest()];
    }"""
    page = visit(script=False).page
    held, left = in_a_notebook(page, first(kind), act % "false")["done"]
    assert held < 20 < left or kind in ("raise", "mixture")
    anew, _ = in_a_notebook(page, first(kind), act % "true")["done"]
    assert anew > 20


@pytest.mark.parametrize("kind", ["side", "rules", "jacobian", "raise", "mixture", "outside", "sampling"])
def test_new_tokens_leave_the_caption_where_it_is(visit, kind):
    act = """({ el, state, hear }) => {
      hear('tokens', state.tokens.map(token => token + '!'));
      return [el.querySelectorAll('.ws-caption').length, el.lastElementChild.textContent];
    }"""
    assert in_a_notebook(visit(script=False).page, first(kind), act)["done"] == [1, "A caption."]


FEWER = {"tokens": ["a", "b", "c"], "scores": [0.5, -1.0, 2.0]}
SQUARE = {**FEWER, "scores": [[0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [1.0, 2.0, 0.0]]}
LOGITS = {"tokens": FEWER["tokens"], "logits": [[0.5, -1.0, 2.0], [0.0, 0.0, 1.0]], "before": ["x", "y"]}
OF_FEWER = {  # figures of other tokens, and fewer
    "weights": weights(**FEWER),
    "tell": tell(**FEWER),
    "race": race(**FEWER),
    "raise": raised(**FEWER, token=1),
    "mixture": mixture(**FEWER),
    "outside": outside(**FEWER),
    "side": side(**FEWER),
    "rules": rules(**FEWER, token=2, against=0),
    "jacobian": slopes(**FEWER),
    "mask": mask(**SQUARE, way="fill", offset=-1),
    "formats": formats(**FEWER),
    "stream": stream(**FEWER, values=[1.0, 0.0, 2.0], step=2, cut=1),
    "sampling": sampling(**LOGITS),
}


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("kind", OF_FEWER)
def test_other_tokens_and_what_goes_with_them_arrive_one_by_one_in_any_order(visit, kind, backwards):
    figure, fewer = first(kind), again(OF_FEWER[kind])
    if kind == "stream":
        figure = stream(values=range(7), cut=5, step=7, caption=figure.caption)
    unchanging = {"query", "presets", "curves", "plain", "slider", "exponents"}
    fixed = ("caption", "alt", *unchanging.intersection(figure.beside))
    for name in fixed:
        setattr(fewer, name, getattr(figure, name))
    page = visit(script=False).page
    state = fewer._json([name for name in fewer.changes + fewer.beside if name not in fixed])
    act = """({ el, hear }) => {
      for (const [trait, value] of %s) hear(trait, value);
      const text = () => {
        const shown = el.cloneNode(true);
        for (const live of shown.querySelectorAll('[aria-live]')) live.remove();  // speaks a little later
        return shown.textContent;
      };
      const arrived = text();
      [...el.querySelectorAll('button')].find(button => button.textContent === 'Reset').click();
      return [arrived, text()];
    }"""
    found = in_a_notebook(page, figure, act % json.dumps([*state.items()][:: -1 if backwards else 1]))
    mine, other = (in_a_notebook(page, each, act % "[]")["done"][0] for each in (figure, fewer))
    assert found["done"] == [other, mine], "what came, and what Reset brings back"
    assert found["after"] == []


@pytest.mark.parametrize("kind", OF_FEWER)
def test_after_other_tokens_a_reset_is_taken_by_the_kernel_as_well(kind):
    figure, fewer = again(first(kind)), OF_FEWER[kind]
    names = figure.changes + figure.beside
    before = figure.get_state(names)
    with figure.hold_trait_notifications():
        for name in names:
            setattr(figure, name, getattr(fewer, name))
    assert figure.tokens == FEWER["tokens"]
    figure.set_state(figure.start)
    assert figure.get_state(names) == before


def test_streaming_draws_other_scores_and_values_too(visit):
    made = [
        stream(tokens=FEWER["tokens"], scores=[0.0, 1.0, 0.5], values=[0, 1, 0], step=3),
        stream(tokens=FEWER["tokens"], scores=[2.0, 3.0, 0.5], values=[5, 2, 9], step=3),
    ]
    act = """({ el, hear }) => {
      hear('scores', [2, 3, 0.5]);
      hear('values', [5, 2, 9]);
      return [...el.querySelectorAll('svg')].map(drawing => drawing.outerHTML);
    }"""
    page = visit(script=False).page
    before, after = (in_a_notebook(page, figure, act)["done"] for figure in made)
    assert before == after
