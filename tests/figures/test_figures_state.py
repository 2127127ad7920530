"""What a page keeps of its figures: links, resets, several at once, and what is said and written."""

import json
import math
import re

import numpy as np
import pytest
from figure_page import assert_drawn, drawn, example, in_a_notebook, more, wait_until_ready
from gallery import GALLERY

import lib
from lib.book.example import SCORES, TOKENS
from lib.figures import (
    BetaWeights,
    CanYouTell,
    FourRules,
    Jacobian,
    Mask,
    Mixture,
    NumberFormats,
    Outside,
    Race,
    RaiseOne,
    Sampling,
    SideBySide,
    Streaming,
)
from lib.figures.traits import address_of
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


def test_of_a_link_what_cannot_be_is_left_out_and_the_rest_counts(visit):
    assert_drawn(visit(link="#beta-weights?beta=hot&scores=1,2&beta=0").page, beta=0.0)


def test_a_link_followed_within_the_page_is_taken(visit):
    page = visit().page
    page.evaluate("location.hash = '#beta-weights?beta=0'")
    page.wait_for_function("document.querySelector('.ws-range').value === '0'")
    assert_drawn(page, beta=0.0)
    page.evaluate("location.hash = '#elsewhere'")
    assert_drawn(page, beta=0.0)


def test_two_figures_on_a_page_are_independent(visit):
    page = visit(example(name="one"), example(name="two", beta=0.5)).page
    page.locator("#one .ws-range").focus()
    page.keyboard.press("End")
    assert drawn(page, "#one").max() == 1
    np.testing.assert_allclose(drawn(page, "#two"), lib.softmax(np.array(SCORES), 0.5), atol=1e-12)
    ids = page.eval_on_selector_all("[id]", "all => all.map(el => el.id)")
    assert len(ids) == len(set(ids))


def test_the_state_is_said_once_it_has_come_to_rest(visit):
    page = visit().page
    spoken = page.locator("[aria-live=polite]")
    assert "“cat” gets 37%" in spoken.inner_text()
    page.locator(".ws-range").focus()
    page.keyboard.press("End")
    assert "β = ∞" in page.locator(".ws-say").inner_text()
    assert "“cat” gets 37%" in spoken.inner_text()
    page.wait_for_function("document.querySelector('[aria-live=polite]').textContent.includes('β = ∞')")


def test_readings_are_those_of_lib(visit):
    page = visit(example(beta=2.0)).page
    more(page)
    weights = lib.softmax(np.array(SCORES), 2.0)
    values = [float(re.match(r"[\d.]+", text).group()) for text in page.locator(".ws-read dd").all_inner_texts()]
    null = np.full(7, 1 / 7)
    expected = [
        weights @ SCORES,
        lib.entropy(weights),
        lib.effective_count(weights),
        lib.kl_divergence(weights, null),
    ]
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


@pytest.mark.parametrize("kind", GALLERY)
def test_a_widgets_module_stands_alone_hears_its_traits_and_cleans_up(visit, kind):
    figure = next(iter(GALLERY[kind].values()))
    found = in_a_notebook(visit(script=False).page, figure)
    assert found["exports"] == ["default"]
    assert set(found["before"]) >= {f"change:{trait}" for trait in address_of(figure, figure.changes)}
    assert found["after"] == []
    assert len(found["shown"]) > 20
    assert "Copy link" not in found["shown"]


@pytest.mark.parametrize("kind", ["weights", "side", "jacobian", "raise", "mixture", "outside"])
def test_a_drag_that_new_tokens_end_leaves_the_scale_free_to_grow(visit, kind):
    act = """({ el, hear }) => {
      const knob = el.querySelector('.ws-grip');
      knob.setPointerCapture = () => {};  // only a true pointer can be captured
      knob.dispatchEvent(new PointerEvent('pointerdown', { button: 0 }));
      hear('tokens', ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
      hear('scores', [20, 0, 0, 0, 0, 0, 0]);
      return Number(el.querySelector('.ws-grip').getAttribute('aria-valuemax'));
    }"""
    assert in_a_notebook(visit(script=False).page, next(iter(GALLERY[kind].values())), act)["done"] > 20


@pytest.mark.parametrize("kind", ["weights", "side", "jacobian", "outside"])
def test_the_scale_keeps_still_under_a_pointer_and_grows_once_it_has_left(visit, kind):
    act = """({ el, hear }) => {
      const knob = el.querySelector('.ws-grip');
      const highest = () => Number(knob.getAttribute('aria-valuemax'));
      knob.setPointerCapture = () => {};  // only a true pointer can be captured
      knob.dispatchEvent(new PointerEvent('pointerdown', { button: 0 }));
      hear('scores', [20, 0, 0, 0, 0, 0, 0]);
      const held = highest();
      knob.dispatchEvent(new PointerEvent('pointerup'));
      return [held, highest()];
    }"""
    held, left = in_a_notebook(visit(script=False).page, next(iter(GALLERY[kind].values())), act)["done"]
    assert held < 20 < left


@pytest.mark.parametrize("kind", ["side", "rules", "jacobian", "raise", "mixture", "outside", "sampling"])
def test_new_tokens_leave_the_caption_where_it_is(visit, kind):
    figure = next(iter(GALLERY[kind].values()))
    figure = type(figure)(**{key: getattr(figure, key) for key in figure.changes + figure.beside}, caption="Said.")
    act = """({ el, state, hear }) => {
      hear('tokens', state.tokens.map(token => token + '!'));
      return [el.querySelectorAll('.ws-caption').length, el.lastElementChild.textContent];
    }"""
    assert in_a_notebook(visit(script=False).page, figure, act)["done"] == [1, "Said."]


FEWER = ["a", "b", "c"]
OF_FEWER = {  # figures of other tokens, and fewer
    "weights": lambda: BetaWeights(FEWER, [0.5, -1.0, 2.0]),
    "tell": lambda: CanYouTell(FEWER, [0.5, -1.0, 2.0]),
    "race": lambda: Race(FEWER, [0.5, -1.0, 2.0]),
    "raise": lambda: RaiseOne(FEWER, [0.5, -1.0, 2.0], token=1),
    "mixture": lambda: Mixture(FEWER, [0.5, -1.0, 2.0]),
    "outside": lambda: Outside(FEWER, [0.5, -1.0, 2.0]),
    "side": lambda: SideBySide(FEWER, [0.5, -1.0, 2.0]),
    "rules": lambda: FourRules(FEWER, [0.5, -1.0, 2.0], token=2, against=0),
    "jacobian": lambda: Jacobian(FEWER, [0.5, -1.0, 2.0]),
    "mask": lambda: Mask(FEWER, [[0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [1.0, 2.0, 0.0]], way="fill", offset=-1),
    "formats": lambda: NumberFormats(FEWER, [0.5, -1.0, 2.0]),
    "stream": lambda: Streaming(FEWER, [0.5, -1.0, 2.0], [1.0, 0.0, 2.0], step=2, cut=1),
    "sampling": lambda: Sampling(FEWER, [[0.5, -1.0, 2.0], [0.0, 0.0, 1.0]], ["x", "y"]),
}


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("kind", OF_FEWER)
def test_other_tokens_and_what_goes_with_them_arrive_one_by_one_in_any_order(visit, kind, backwards):
    figure, fewer = next(iter(GALLERY[kind].values())), OF_FEWER[kind]()
    if kind == "stream":
        figure = Streaming(TOKENS, SCORES, range(7), cut=5, step=7, caption=figure.caption)
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
    first, other = (in_a_notebook(page, each, act % "[]")["done"][0] for each in (figure, fewer))
    assert found["done"] == [other, first], "what came, and what Reset brings back"
    assert found["after"] == []


@pytest.mark.parametrize("kind", OF_FEWER)
def test_after_other_tokens_a_reset_is_taken_by_the_kernel_as_well(kind):
    figure, fewer = next(iter(GALLERY[kind].values())), OF_FEWER[kind]()
    names = figure.changes + figure.beside
    figure = type(figure)(**{name: getattr(figure, name) for name in names})
    before = figure.get_state(names)
    with figure.hold_trait_notifications():
        for name in names:
            setattr(figure, name, getattr(fewer, name))
    assert figure.tokens == FEWER
    figure.set_state(figure.start)
    assert figure.get_state(names) == before


def test_streaming_draws_other_scores_and_values_too(visit):
    made = [
        Streaming(FEWER, [0.0, 1.0, 0.5], [0, 1, 0], step=3),
        Streaming(FEWER, [2.0, 3.0, 0.5], [5, 2, 9], step=3),
    ]
    act = """({ el, hear }) => {
      hear('scores', [2, 3, 0.5]);
      hear('values', [5, 2, 9]);
      return [...el.querySelectorAll('svg')].map(drawing => drawing.outerHTML);
    }"""
    page = visit(script=False).page
    before, after = (in_a_notebook(page, figure, act)["done"] for figure in made)
    assert before == after


def test_in_a_notebook_what_is_chosen_reaches_the_kernel(visit):
    act = """({ el, state }) => {
      el.querySelector('.ws-range').dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
      return state.beta;
    }"""
    found = in_a_notebook(visit(script=False).page, example(), act)
    assert (found["done"], found["saved"]) == ("inf", True)
