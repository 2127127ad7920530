"""*Seventy-two heads* draws and says what `lib` computes, of each sentence that a reader has it load."""

import json
import math
import re

import numpy as np
import pytest
from figure_page import attributes, in_a_notebook, more, number_in, opened, readings, shades, table
from gallery import GALLERY
from in_node import ask

import lib
from book.builder.page_assets import write_data
from book.figures import SeventyTwo, encoder_heads
from book.figures.bundle import data_script
from book.figures.seventy_two import ALPHAS, SENTENCES, kept

inf = math.inf
SHADES = 6
STATES = GALLERY["seventy"]


# --- the picture ---------------------------------------------------------------------------------


def cells_of(path):
    """The (row, column) of all cells that a path goes through, by its moves and strokes."""
    found, x, y = [], 0, 0
    for dx, dy, run in re.findall(r"m(-?\d+) (-?\d+)v(\d+)", path):
        x, y = x + int(dx), y + int(dy)
        found += [(y + k, x) for k in range(int(run))]
        y += int(run)
    return found


@pytest.mark.parametrize("state", ["plain", "long"])
def test_the_small_pictures_are_the_weights_of_all_heads(draw, state):
    figure = STATES[state]
    weights, n = encoder_heads.weights(figure.sentence), len(figure.tokens)
    strips = re.findall(r'<svg class="ws-svg ws-strip".*?</svg>', draw(figure))
    assert len(strips) == 6
    for heads, strip in zip(weights, strips, strict=True):
        shown = np.zeros((n, 12 * (n + 2)), int)
        for shade, path in enumerate(re.findall(r'<path [^>]*?d="([^"]*)"', strip), start=1):
            for cell in cells_of(path):
                assert shown[cell] == 0
                shown[cell] = shade
        expected = np.pad(np.round(SHADES * np.sqrt(heads)).astype(int), ((0, 0), (0, 0), (1, 1)))
        off = np.abs(shown - np.concatenate(list(expected), axis=1))
        assert off.max() <= 1
        assert (off > 0).mean() < 1e-3  # rounded the other way


@pytest.mark.parametrize("state", STATES)
def test_the_large_picture_and_the_words_are_those_of_the_open_head(draw, state):
    figure = STATES[state]
    html = draw(figure)
    n = len(figure.tokens)
    opacity = np.array(re.findall(r'class="ws-weight" fill-opacity="([\d.]+)"', html), float)
    np.testing.assert_allclose(opacity.reshape(n, n) ** 2, figure.weights, atol=1.1e-3)
    np.testing.assert_allclose((shades(html) / 50) ** 2, figure.row, atol=3e-4)
    place = figure.tokens.index("it") if figure.query == "it" else int(figure.query)
    y = float(re.search(r'y="([\d.]+)%"[^>]*class="ws-row"|class="ws-row" y="([\d.]+)%"', html).expand(r"\1\2"))
    assert y == pytest.approx(100 / n * place, abs=1e-3)


def test_javascript_finds_the_scores_and_the_roles_that_python_finds():
    rows = [kept(name) for name in SENTENCES]
    answer = """data => { const scores = scoresOf(data), all = scores.map(one => weightsOf(one, 32 ** -0.5));
      return [scores, all.map(sharesOf), all.map(workOf), all.map(distanceOf)]; }"""
    for name, (scores, shares, works, distance) in zip(
        SENTENCES, ask(answer, rows, view="seventy_two"), strict=True
    ):
        exact = encoder_heads.scores(name)
        np.testing.assert_allclose(np.reshape(scores, exact.shape), exact, rtol=1e-12)
        weights = encoder_heads.weights(name)
        for what, share in encoder_heads.shares(weights).items():
            np.testing.assert_allclose([one[what] for one in shares], share.ravel(), atol=1e-12)
        assert [one["role"] for one in works] == encoder_heads.roles(weights).ravel().tolist()
        np.testing.assert_allclose([one["spread"] for one in works], encoder_heads.spread(weights).ravel())
        np.testing.assert_allclose(distance, lib.attention_distance(weights).mean(-1).ravel())


def test_the_key_counts_the_heads(draw):
    html = draw(SeventyTwo())
    counted = re.findall(r'<b>(\w?)</b><span class="ws-many">(\d+)</span>([^<]*)<', html)
    assert counted == [
        ("s", "35", "rest on the start mark"),
        ("b", "22", "broad"),
        ("p", "1", "previous token"),
        ("n", "1", "next token"),
        ("", "13", "none of these"),
    ]
    letters = re.findall(r'<span class="ws-letter"[^>]*>(\w?)<', html)
    assert {letter: letters.count(letter) for letter in "sbpn"} == {"s": 35, "b": 22, "p": 1, "n": 1}


# --- the words -----------------------------------------------------------------------------------


def test_more_measures_the_open_head_and_says_where_it_comes_from(visit):
    figure = SeventyTwo(4, 2, beta=0.3, score_map="entmax")
    page = opened(visit(figure))
    weights = figure.weights
    values = readings(page)
    shares = {name: 100 * share for name, share in encoder_heads.shares(weights).items()}
    spread, distance = encoder_heads.spread(weights), lib.attention_distance(weights).mean()
    assert values == pytest.approx([spread, distance, shares["start"], shares["previous"]], abs=0.5)
    assert values[:2] == pytest.approx([spread, distance], abs=0.051)
    cells = table(page)
    scores = encoder_heads.scores("thirsty")[3, 1, 7]
    np.testing.assert_allclose([number_in(cell[1]) for cell in cells], scores, rtol=6e-3)
    np.testing.assert_allclose([number_in(cell[2]) for cell in cells], 100 * weights[7], atol=0.5)
    assert [cells[0][0], cells[2][0]] == ["[CLS], the start mark", "cat"]
    assert "all-MiniLM-L6-v2 (Apache-2.0)" in page.locator(".ws-text").text_content()


def test_what_a_page_loads_is_the_sentence_alone():
    files = SeventyTwo.page_data()
    assert list(files) == [f"seventy_two-{name}" for name in SENTENCES]
    script = data_script("seventy_two-big", files["seventy_two-big"])
    detail = json.loads(
        re.fullmatch(r'dispatchEvent\(new CustomEvent\("ws-data", { detail: (.*) }\)\);\n', script)[1]
    )
    assert detail == {"name": "seventy_two-big", "value": kept("big")}
    assert set(detail["value"]) == {"name", "tokens", "scale", "roots"}
    assert len(detail["value"]["roots"]) < 22_000  # a byte for each of 72 heads' 14 × 14 scores, in base64
    assert max(len(data_script(name, value)) for name, value in files.items()) < 24_000


def test_the_book_writes_what_its_pages_load_and_nothing_else(tmp_path):
    (tmp_path / "predict-width.js").touch()
    write_data(tmp_path)
    assert not (tmp_path / "data").exists()
    (tmp_path / "predict-seventy_two.js").touch()
    write_data(tmp_path)
    files = {f"{name}.js": data_script(name, value) for name, value in SeventyTwo.page_data().items()}
    assert {path.name: path.read_text("utf-8") for path in (tmp_path / "data").iterdir()} == files


# --- other sentences -----------------------------------------------------------------------------


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
            "n => document.querySelectorAll('.ws-of-words .ws-asked').length === n", arg=len(kept(name)["tokens"])
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
      const words = () => el.querySelectorAll('.ws-of-words .ws-asked').length;
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


def test_on_a_phone_the_open_head_and_the_letters_are_there(visit):
    page = visit(SeventyTwo(4, 2), width=360).page
    assert page.locator(".ws-letter").first.is_visible()
    plot, say = page.locator(".ws-opened .ws-svg").bounding_box(), page.locator(".ws-say").bounding_box()
    assert plot["width"] > 200
    assert plot["y"] + plot["height"] <= say["y"]
    assert page.locator(".ws-call").is_visible()
    page.get_by_role("gridcell").nth(40).click()
    assert not page.locator(".ws-call").is_visible()
