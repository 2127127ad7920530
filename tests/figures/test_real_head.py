"""*A real head* draws and says what `lib` computes."""

import math
import re

import numpy as np
import pytest
from figure_page import assert_shares, between_lines, number_in, opened, readings, shades, table, thick
from gallery import GALLERY
from in_node import ask

import lib
from book.figures import RealHead
from book.figures.real_head import ELSEWHERE, OWN_BETA, WORDS, row_of_it

inf = math.inf
CAT, MILK, IT, N = 2, 5, 7, 11
FULL = 30  # pixels: how thick the arc of all the weight is
STATES = GALLERY["real"]


# --- the picture ---------------------------------------------------------------------------------


@pytest.mark.parametrize("state", STATES)
def test_arcs_shades_and_bars_are_those_of_lib(draw, state):
    figure = STATES[state]
    html = draw(figure)
    weights = lib.softmax(np.array(figure.scores), figure.beta)
    np.testing.assert_allclose(thick(html), FULL * np.tile(weights, 2), atol=1e-4)  # over one line, between two
    np.testing.assert_allclose(shades(html), 50 * weights, atol=6e-3)
    bars = re.findall(r'class="ws-score" y="([\d.]+)" height="([\d.]+)"', html)
    y, height = np.array(bars, float).T
    zero = float(re.search(r'y1="([\d.]+)"[^>]*class="ws-zero"', html)[1])
    drawn = np.where(y < zero - 1e-6, height, -height)
    np.testing.assert_allclose(drawn / np.ptp(drawn), np.array(figure.scores) / np.ptp(figure.scores), atol=1e-4)
    assert_shares(re.findall(r'<b class="ws-part[^>]*>([^<]*)</b>', html), weights)


@pytest.mark.parametrize("width", [1280, 620])
def test_an_arc_ends_over_its_word(visit, width):
    page = visit(RealHead(), width=width).page
    ends = page.eval_on_selector_all(
        ".ws-arc",
        """all => all.map(arc => {
          const at = arc.getPointAtLength(arc.getTotalLength()), start = arc.getPointAtLength(0);
          return [start, at].map(point => point.matrixTransform(arc.getScreenCTM()).x);
        })""",
    )
    words = page.eval_on_selector_all(
        ".ws-word", "all => all.map(el => el.getBoundingClientRect()).map(box => box.x + box.width / 2)"
    )
    found = np.array(ends)[:N]
    others = [i for i in range(N) if i != IT]
    np.testing.assert_allclose(found[others, 1], np.array(words)[others], atol=0.6)
    np.testing.assert_allclose(found[others, 0], words[IT], atol=0.6)
    assert found[IT].mean() == pytest.approx(words[IT], abs=0.6)
    gaps = page.eval_on_selector_all(
        ".ws-word",
        """all => all.map(el => el.getBoundingClientRect()).map(
          (box, i, boxes) => i ? box.left - boxes[i - 1].right : 1)""",
    )
    assert min(gaps) > 0


def test_in_two_lines_the_arcs_are_between_them_and_no_state_moves_a_word(visit):
    places = {}
    for state, figure in STATES.items():
        page = visit(figure, width=360).page
        assert page.locator(".ws-arcs:visible").count() == 1
        words, ends, _ = between_lines(page)
        places[state] = words
        first = words[:, 1] < words[:, 1].mean()
        assert 4 <= first.sum() <= 7
        assert not first[IT]
        others = np.arange(N) != IT
        np.testing.assert_allclose(ends[others, 1, 0], words[others, 0], atol=0.6)
        np.testing.assert_allclose(ends[first, 0, 0], words[IT, 0], atol=0.6)
        beside = np.abs(ends[others & ~first, 0, 0] - words[IT, 0])
        assert ((beside > 8) & (beside < 15)).all(), "from the side of the word"
        top, bottom = words[:, 1] - words[:, 2] / 2, words[:, 1] + words[:, 2] / 2
        np.testing.assert_allclose(ends[others, 1, 1], np.where(first, bottom, top)[others], atol=1)
        np.testing.assert_allclose(ends[others, 0, 1], top[IT], atol=1)
    for rows in places.values():
        np.testing.assert_allclose(rows, places["plain"], atol=0.6)


def test_the_marks_are_called_marks(draw):
    html = draw(RealHead("warm"))
    label = re.search(r'aria-label="(weights from [^"]*)"', html)[1]
    assert label.startswith("weights from “it”: start mark 47%, the 1.6%, cat 5.6%")
    assert label.endswith("warm 5.6%, end mark 3.6%")
    assert re.findall(r'ws-mark-of ws-\w+"[^>]*>([^<]*)<', html) == ["start", "end"]


# --- the words -----------------------------------------------------------------------------------


def test_the_sentence_names_the_first_and_its_rivals_at_any_beta():
    rows = []
    for word in WORDS:
        for beta in np.geomspace(0.01, 100, 41):
            figure = RealHead(word, beta)
            state = {"tokens": figure.tokens, "nouns": ["cat", "milk"], "scores": figure.scores}
            rows.append({**state, "weights": figure.weights, "beta": beta, "own": OWN_BETA})
    for row, text in zip(rows, ask("realSentence", rows, view="real_head"), strict=True):
        weights = np.array(row["weights"])
        best = row["tokens"][int(weights.argmax())]
        name = "The start mark" if best == "[CLS]" else f"“{best}”"
        assert (f"{name} gets" in text) == ("the most of all" in text) == (best not in ("cat", "milk"))
        ahead = "cat" if weights[CAT] >= weights[MILK] else "milk"
        assert f"“it” gives “{ahead}” " in text


def test_the_caption_says_what_it_is_and_where_it_fails(draw):
    html = draw(RealHead())
    caption = re.search(r'class="ws-caption">(.*?)</p>', html)[1]
    row = row_of_it(ELSEWHERE)
    dog, ball = (round(100 * w) for w in lib.softmax(np.array(row["scores"]), OWN_BETA)[[CAT, MILK]])
    assert caption == (
        "A head is one of the places in a model where words look at each other. This small trained model has 72 "
        "heads; we picked one that does what you see. “It” sees the whole sentence, the last word too. "
        f"Elsewhere the head fails: in “{ELSEWHERE}” it gives “dog” {dog}% and “ball” {ball}%."
    )


def test_more_has_the_numbers_and_where_they_come_from(visit):
    figure = RealHead("warm", 0.3)
    page = opened(visit(figure))
    weights = np.array(figure.weights)
    cells = table(page)
    assert [cells[0][0], cells[CAT][0], cells[-1][0]] == ["[CLS], the start mark", "cat", "[SEP], the end mark"]
    np.testing.assert_allclose([number_in(cell[1]) for cell in cells], figure.scores, atol=0.006)
    np.testing.assert_allclose([number_in(cell[2]) for cell in cells], 100 * weights, atol=0.5)
    kl = lib.kl_divergence(weights, np.full(N, 1 / N))
    expected = [weights @ figure.scores, lib.entropy(weights), lib.effective_count(weights), kl]
    np.testing.assert_allclose(readings(page), expected, atol=0.051)
    source = page.locator(".ws-text").text_content()
    assert "all-MiniLM-L6-v2 (Apache-2.0), layer 4 of 6, head 2 of 12" in source


# --- a reader moves it ---------------------------------------------------------------------------


def test_the_thumb_snaps_to_the_models_own_beta_under_its_mark(visit):
    page = visit(RealHead("fresh", 1.0)).page
    rail, mark = page.locator(".ws-range").bounding_box(), page.locator(".ws-own span").bounding_box()
    middle = mark["x"] + mark["width"] / 2
    place = (rail["width"] - 24) / 240  # in pixels
    for off, snaps in [(0, True), (2 * place, True), (-2 * place, True), (5 * place, False), (-5 * place, False)]:
        page.mouse.click(middle + off, rail["y"] + 22)
        assert ("the model’s own β" in page.locator(".ws-say").text_content()) == snaps, off
