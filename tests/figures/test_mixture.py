"""*A mixture* draws and says what `lib` computes."""

import math
import re

import numpy as np
import pytest
from figure_page import grip, opened, pull, said, shades, thick
from gallery import GALLERY

import lib
from book.example import SCORES, TOKENS
from book.figures import Mixture

inf = math.inf
FULL = 30  # pixels: how thick the arc of all the weight is
STATES = GALLERY["mixture"]


# --- the picture ---------------------------------------------------------------------------------


@pytest.mark.parametrize("state", STATES)
def test_arcs_bands_and_pieces_are_the_weights_of_lib(draw, state):
    figure = STATES[state]
    html, n = draw(figure), len(figure.tokens)
    weights = lib.softmax(np.array(figure.scores), figure.beta)
    np.testing.assert_allclose(thick(html), FULL * weights, atol=1e-4)
    assert not shades(html).any(), "lengths alone"
    strip = html[html.index("ws-strip") :]
    found = re.findall(r'<rect [^>]*class="ws-weight" x="([\d.e-]+)%" width="([\d.e-]+)%"', strip)
    begins, long = np.array(found, float).T / 100
    np.testing.assert_allclose(long, weights, atol=1e-6)
    ends = np.cumsum(weights)
    np.testing.assert_allclose(begins, ends - weights, atol=1e-6)
    bands = np.array(re.findall(r'd="M([\d.]+) 0C\S+ \S+ \S+ \S+ ([\d.]+) 42H([\d.]+)C', html), float) / 1000
    middle = (np.arange(n) + 0.5) / n
    start = middle - 0.28 / n * np.minimum(1, weights / 0.02)  # as wide as the bar of a score
    np.testing.assert_allclose(bands, np.stack([start, ends - weights, ends], axis=1), atol=2e-6)


@pytest.mark.parametrize("width", [1280, 640, 360])
def test_arcs_words_bars_and_weights_stand_in_columns(visit, width):
    page = visit(STATES["plain"], width=width).page
    middles = "all => all.map(el => el.getBoundingClientRect()).map(box => box.x + box.width / 2)"
    words = page.eval_on_selector_all(".ws-sentence .ws-word", middles)
    for part in (".ws-grip", ".ws-parts text:not(:empty)"):
        for at in page.eval_on_selector_all(part, middles):
            assert np.abs(np.array(words) - at).min() < 0.6
    ends = page.eval_on_selector_all(
        ".ws-arc",
        """all => all.map(arc => [0, arc.getTotalLength()].map(
          at => arc.getPointAtLength(at).matrixTransform(arc.getScreenCTM()).x))""",
    )
    np.testing.assert_allclose(np.array(ends)[:-1], [[words[-1], word] for word in words[:-1]], atol=0.6)
    assert np.mean(ends[-1]) == pytest.approx(words[-1], abs=0.6)


def test_on_a_phone_there_are_the_arcs_and_no_word_is_cut(visit):
    page = visit(STATES["plain"], width=360).page
    arcs = page.locator(".ws-arcs").bounding_box()
    assert arcs["height"] >= 60
    assert arcs["width"] == pytest.approx(328, abs=1)
    strokes = page.eval_on_selector_all(
        ".ws-arc", "all => all.map(el => parseFloat(getComputedStyle(el).strokeWidth))"
    )
    np.testing.assert_allclose(strokes, FULL * lib.softmax(np.array(SCORES)), atol=1e-3)
    clipped = "all => all.filter(el => el.scrollWidth > el.clientWidth).map(el => el.textContent)"
    assert page.locator(".ws-word").evaluate_all(clipped) == []


@pytest.mark.parametrize(("width", "most"), [(688, 470), (360, 600)])
def test_all_of_it_is_seen_on_arrival_and_the_score_to_pull_first(visit, width, most):
    page = visit(Mixture(TOKENS, SCORES), width=width).page
    figure, call = (page.locator(part).bounding_box() for part in (".ws-figure", ".ws-call"))
    assert figure["height"] <= most
    knob = grip(page, TOKENS.index("milk")).bounding_box()
    assert knob["y"] + knob["height"] - figure["y"] <= 250
    assert call["x"] <= knob["x"] + knob["width"] / 2 <= call["x"] + call["width"]
    assert call["y"] + call["height"] <= knob["y"]
    texts = page.locator(".ws-stage text, .ws-parts text:not(:empty)").all_text_contents()
    assert len(texts) <= 14, "numbers"


@pytest.mark.parametrize("width", [1280, 560, 360])
def test_no_label_is_longer_than_its_piece_and_the_longest_have_one(visit, width):
    page = visit(*STATES.values(), width=width).page
    boxes = "all => all.map(el => el.getBoundingClientRect()).map(box => [box.left, box.right])"
    for state in ("plain", "zero", "hard", "doubled", "tied"):
        figure = page.locator(f"#mixture-{state}")
        rects = figure.locator(".ws-strip rect").evaluate_all(boxes)
        labels = figure.locator(".ws-strip .ws-piece").evaluate_all(boxes)
        shown = [i for i, (left, right) in enumerate(labels) if right > left]
        assert int(np.argmax(STATES[state].weights)) in shown or state in ("zero", "tied")
        for i in shown:
            assert rects[i][0] < labels[i][0] < labels[i][1] < rects[i][1], (state, TOKENS[i])


# --- the words -----------------------------------------------------------------------------------


def test_the_last_word_asks(draw):
    html = draw(Mixture(["cat", "milk", "she"], [2.0, 1.0, 0.0]))
    assert re.findall(r'class="ws-word ws-from"[^>]*>([^<]*)<', html) == ["she"]
    assert "that “she” gives each word" in html
    assert 'aria-label="weights from “she”: cat 67%, milk 24%, she 9.0%"' in html
    assert 'aria-label="output: 67% value of cat, 24% value of milk, 9.0% value of she"' in html


# --- a reader moves it -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["mixture", "weights"])
def test_words_are_edited_and_keys_go_on_where_they_were(visit, kind):
    page = opened(visit(GALLERY[kind]["plain"]))
    words = page.locator("th input")
    assert words.count() == 7
    words.nth(1).fill("dog")
    words.nth(1).press("Tab")
    after = {"mixture": "score of dog (token 2)", "weights": "dog (token 2) takes part"}[kind]
    page.wait_for_function("name => document.activeElement.getAttribute('aria-label') === name", arg=after)
    words.nth(6).fill("she")
    words.nth(6).press("Enter")
    page.wait_for_function("document.activeElement.getAttribute('aria-label') === 'word 7'")
    page.locator(".ws-word:visible", has_text="she").first.wait_for()
    line = page.locator(".ws-word:visible").all_text_contents()
    assert line == ["the", "dog", "drank", "the", "milk", "because", "she"]
    assert "“dog” gets 37% of the weight" in page.locator(".ws-say").text_content()
    assert page.get_by_role("slider", name="score of dog").count() == 1
    words.nth(2).fill(" ")
    words.nth(2).press("Enter")
    assert words.nth(2).input_value() == "drank"
    page.get_by_role("button", name="Reset").click()
    assert page.locator(".ws-word:visible").all_text_contents() == list(TOKENS)


def test_words_under_bars_are_large_and_shaded_by_the_weights(visit):
    figures = [GALLERY[kind]["plain"] for kind in ("weights", "raise", "race")]
    page = visit(*figures).page
    for figure in figures:
        words = page.locator(f"#{figure.name} .ws-tokens .ws-word")
        sizes = words.evaluate_all("all => all.map(el => parseFloat(getComputedStyle(el).fontSize))")
        assert min(sizes) >= 18
        shades = words.evaluate_all("all => all.map(el => parseFloat(el.style.getPropertyValue('--ws-shade')))")
        scores = (
            [*SCORES[:4], 2.5, *SCORES[5:]] if figure.view == "raise_one" else SCORES
        )  # one is raised by a point
        np.testing.assert_allclose(shades, 50 * lib.softmax(np.array(scores)), atol=6e-3)


def test_a_pulled_score_takes_arc_band_and_output_with_it_and_the_badge_goes(visit):
    page = visit(Mixture(TOKENS, SCORES)).page
    assert page.locator(".ws-call").text_content() == "pull me up"
    pull(page, TOKENS.index("milk"), 30)
    scores = [float(grip(page, i).get_attribute("aria-valuenow")) for i in range(len(TOKENS))]
    assert scores[4] > 2 > 1.5
    weights = lib.softmax(np.array(scores))
    strokes = page.eval_on_selector_all(".ws-arc", "all => all.map(el => Number(el.getAttribute('stroke-width')))")
    np.testing.assert_allclose(strokes, FULL * weights, atol=1e-4)
    long = page.eval_on_selector_all(
        ".ws-strip rect", "all => all.map(el => parseFloat(el.getAttribute('width')))"
    )
    np.testing.assert_allclose(long, 100 * weights, atol=1e-4)
    assert said(page).startswith("“milk” gets 5")
    assert page.locator(".ws-call").is_hidden()
    assert page.locator(".ws-meant").count() == 0
    page.get_by_role("button", name="Reset").click()
    assert page.locator(".ws-call").is_visible()
