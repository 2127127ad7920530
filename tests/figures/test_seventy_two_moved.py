"""A reader of *seventy-two heads* opens heads, chooses words, maps and sentences, in a page and in a notebook."""

import json
import math

import numpy as np
import pytest
from figure_page import attributes, in_a_notebook, more

from book.figures import SeventyTwo, encoder_heads
from book.figures.seventy_two import ALPHAS, kept

inf = math.inf


def assert_shown(page, figure):
    """The weights of this figure, as the page draws them."""
    found = attributes(page, ".ws-opened .ws-weight", "fill-opacity")
    np.testing.assert_allclose(found**2, figure.weights.ravel(), atol=1.1e-3)
    title = page.locator(".ws-title .ws-axis").text_content()
    assert title == f"layer {figure.layer}, head {figure.head}"
    chosen = page.locator('[role=gridcell][aria-selected="true"]')
    assert chosen.count() == 1
    assert chosen.get_attribute("tabindex") == "0"
    assert chosen.evaluate(
        "el => [...el.closest('.ws-over').querySelectorAll('[role=gridcell]')].indexOf(el)"
    ) == (12 * (figure.layer - 1) + figure.head - 1)
    parts = page.locator(".ws-part").all_text_contents()
    best = int(np.argmax(figure.row))
    assert float(parts[best].strip("<>%")) == pytest.approx(100 * max(figure.row), abs=0.5)


def test_a_reader_opens_heads_by_pointer_buttons_and_keys(visit):
    page = visit(SeventyTwo()).page
    page.get_by_role("gridcell").nth(12 * 4 + 5).click()
    assert_shown(page, SeventyTwo(5, 6))
    page.keyboard.press("Tab")
    page.get_by_role("gridcell").nth(12 * 4 + 5).focus()
    for key, at in [("ArrowUp", (4, 6)), ("ArrowRight", (4, 7)), ("ArrowDown", (5, 7)), ("ArrowLeft", (5, 6))]:
        page.keyboard.press(key)
        assert_shown(page, SeventyTwo(*at))
        assert page.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"
    page.get_by_role("button", name="next head").click()
    assert_shown(page, SeventyTwo(5, 7))
    page.get_by_role("gridcell").nth(0).click()
    page.get_by_role("gridcell").nth(0).focus()
    for key in ("ArrowLeft", "ArrowUp"):  # at the edge
        page.keyboard.press(key)
        assert_shown(page, SeventyTwo(1, 1))
    page.get_by_role("button", name="previous head").click()
    assert_shown(page, SeventyTwo(6, 12))
    page.get_by_role("button", name="Reset").click()
    assert_shown(page, SeventyTwo())


def test_a_reader_chooses_the_word_that_looks_the_map_and_beta(visit):
    page = visit(SeventyTwo(4, 2)).page
    page.locator(".ws-asked", has_text="milk").click()
    assert_shown(page, SeventyTwo(4, 2, query=5))
    page.keyboard.press("ArrowRight")
    assert "“because” gives" in page.locator(".ws-say").text_content()
    box = page.locator(".ws-opened .ws-svg").bounding_box()
    page.mouse.click(box["x"] + 9, box["y"] + 300 / 11 * 8.5)
    assert_shown(page, SeventyTwo(4, 2, query=8))
    more(page)
    page.get_by_role("radio", name="entmax 1.5").check()
    page.locator(".ws-range").focus()
    page.keyboard.press("ArrowRight")
    assert_shown(page, SeventyTwo(4, 2, query=8, beta=0.2, score_map="entmax"))
    field = page.locator(".ws-typed input")
    field.fill("-1")
    field.press("Enter")
    assert "at least 0" in page.locator(".ws-status").text_content()
    assert_shown(page, SeventyTwo(4, 2, query=8, beta=0.2, score_map="entmax"))


def test_another_sentence_is_loaded_when_it_is_chosen(visit):
    page = visit(SeventyTwo(4, 2, query=3)).page
    asked = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    more(page)
    chosen = page.get_by_role("combobox", name="sentence")
    for name, files in [("small", ["seventy_two-small.js"]), ("thirsty", []), ("small", [])]:
        asked.clear()
        chosen.select_option(name)
        page.wait_for_function(
            "n => document.querySelectorAll('.ws-asked').length === n", arg=len(kept(name)["tokens"])
        )
        assert_shown(page, SeventyTwo(4, 2, name))
        assert asked == files
    assert page.locator("script[src*=data]").count() == 0
    loading = page.evaluate("""() => {
      const list = document.querySelector('select');
      list.value = 'big';
      list.dispatchEvent(new Event('change'));
      document.querySelector('[aria-label="next head"]').click();
      return document.querySelectorAll('script[src*=data]').length;
    }""")
    assert loading == 1, "once, though the figure is moved while it comes"
    page.wait_for_function("document.querySelector('.ws-asked:nth-last-child(2)').textContent.startsWith('big')")
    assert_shown(page, SeventyTwo(4, 3, "big"))


def test_a_sentence_that_cannot_be_loaded_leaves_the_one_that_is_seen(visit):
    found = visit(SeventyTwo(4, 2))
    page = found.page
    more(page)
    there = visit.folder / "data" / "seventy_two-big.js"
    there.rename(there.with_suffix(".away"))
    page.get_by_role("combobox", name="sentence").select_option("big")
    page.wait_for_function("document.querySelector('.ws-status').textContent.includes('could not be loaded')")
    assert_shown(page, SeventyTwo(4, 2))
    assert page.get_by_role("combobox", name="sentence").input_value() == "thirsty"
    assert len(found.errors) == 1  # the browser's own, of the file
    found.errors.clear()
    there.with_suffix(".away").rename(there)


# --- in a notebook -------------------------------------------------------------------------------


def test_in_a_notebook_python_sends_the_sentence(visit):
    act = """({ el, state, hear }) => {
      const words = () => el.querySelectorAll('.ws-asked').length;
      const list = el.querySelector('select');
      list.value = 'big';
      list.dispatchEvent(new Event('change'));
      const waiting = [state.sentence, words()];
      hear('shown', SHOWN);
      return [...waiting, words(), el.querySelectorAll('.ws-word')[2].textContent];
    }""".replace("SHOWN", json.dumps(kept("big")))
    found = in_a_notebook(visit(script=False).page, SeventyTwo(4, 2), act)
    assert (found["done"], found["saved"]) == (["big", 11, 14, "trophy"], True)


def test_the_scores_follow_the_sentence():
    figure = SeventyTwo(4, 2, "big", query=13)
    figure.sentence = "warm"
    assert figure.shown == kept("warm")
    assert figure.query == "it"  # there is no token 13
    figure.query = 3
    figure.sentence = "ball"
    assert figure.query == "3"
    exact = encoder_heads.weights("ball", 0.4, ALPHAS["entmax"])[3, 1]
    figure.beta, figure.score_map = 0.4, "entmax"
    np.testing.assert_array_equal(figure.weights, exact)
    assert figure.row == exact[3].tolist()
    assert figure.role == encoder_heads.roles(encoder_heads.weights("ball"))[3, 1]
