"""*Your sentence* draws and says what `lib` computes of the recorded sentences, before the model is loaded."""

import json
import re

import numpy as np
import pytest
from figure_page import attributes, in_a_notebook, marks, more, number_in, opened, readings, shades, table, thick
from gallery import GALLERY
from in_node import ask

import lib
from book.builder.page_assets import write_data
from book.figures import YourSentence, encoder_heads
from book.figures.bundle import data_script
from book.figures.your_sentence import ALPHAS, MAPS, SENTENCES, kept

SHADES = 6
STATES = GALLERY["yours"]
LINE, LINES = 30, 14  # CSS pixels of the arc of all the weight: over one line, and between two


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


def written(w):
    """What is written under a token that has this weight."""
    return "<1%" if 0 < w < 0.005 else f"{int(100 * w + 0.5)}%"


def assert_arcs(html, row):
    over, between = np.reshape(thick(html), (2, -1))
    np.testing.assert_allclose(over / LINE, row, atol=1e-4)
    np.testing.assert_allclose(between / LINES, row, atol=1e-4)


@pytest.mark.parametrize("state", STATES)
def test_the_arcs_and_the_tokens_have_the_weights_of_the_one_that_looks(draw, state):
    figure = STATES[state]
    html = draw(figure)
    assert_arcs(html, figure.row)
    np.testing.assert_allclose(shades(html) / 50, figure.row, atol=2e-4)
    parts = [one["text"].replace("&lt;", "<") for one in marks(html, "ws-part")]
    assert parts == [written(w) for w in figure.row]
    names = [one["text"] for one in marks(html, "ws-word")]
    called = {"[CLS]": "start", "[SEP]": "end"}
    assert names == [called.get(token, token) for token in figure.tokens]
    looks = [i for i, one in enumerate(marks(html, "ws-asked")) if "ws-asker" in one["class"]]
    assert looks == [figure.tokens.index("it") if figure.query == "it" else int(figure.query)]


def test_what_needs_the_model_leaves_the_recorded_sentence_as_it_is(draw):
    own = YourSentence().row
    for state in ({"text": "a dog"}, {"scope": "all", "beta": 2}, *({"score_map": name} for name in MAPS[3:])):
        figure = YourSentence(**state)
        html = draw(figure)
        assert_arcs(html, own)
        assert figure.needs_model
        assert figure.row == own
        assert "ws-waits" in html
        assert re.search(r"(Load|Only) the model (to see|could show) \w", draw.sentence(figure))
    assert "ws-waits" not in draw(YourSentence(beta=2, score_map="sparsemax"))


def test_javascript_finds_the_scores_and_the_roles_that_python_finds():
    rows = [kept(name) for name in SENTENCES]
    answer = """data => { const scores = scoresOf(data), all = scores.map(one => weightsOf(one, 32 ** -0.5));
      return [scores, all.map(sharesOf), all.map(workOf), all.map(distanceOf)]; }"""
    for name, (scores, shares, works, distance) in zip(
        SENTENCES, ask(answer, rows, files=["your_sentence_math"]), strict=True
    ):
        exact = encoder_heads.scores(name)
        np.testing.assert_allclose(np.reshape(scores, exact.shape), exact, rtol=1e-12)
        weights = encoder_heads.weights(name)
        for what, share in encoder_heads.shares(weights).items():
            np.testing.assert_allclose([one[what] for one in shares], share.ravel(), atol=1e-12)
        assert [one["role"] for one in works] == encoder_heads.roles(weights).ravel().tolist()
        np.testing.assert_allclose([one["spread"] for one in works], encoder_heads.spread(weights).ravel())
        np.testing.assert_allclose(distance, lib.attention_distance(weights).mean(-1).ravel())


def test_the_turn_and_the_nearest_are_those_of_cosines():
    vectors = np.random.default_rng(28).normal(size=(12, 5))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    answer = "([one, ...others]) => [turnOf(one, others[0]), nearestOf(one, others, 3), turnOf(one, one)]"
    [(turned, nearest, none)] = ask(answer, [vectors.tolist()], files=["your_sentence_math"])
    cosines = vectors[1:] @ vectors[0]
    assert turned == pytest.approx(np.degrees(np.arccos(cosines[0])))
    assert none == pytest.approx(0, abs=1e-5)
    assert [one["place"] for one in nearest] == np.argsort(-cosines)[:3].tolist()
    assert [one["cosine"] for one in nearest] == pytest.approx(np.sort(cosines)[:-4:-1])


def test_the_key_counts_the_heads(draw):
    html = draw(YourSentence())
    counted = re.findall(r'<b>(\w?)</b><span class="ws-many">(\d+)</span>([^<]*)<', html)
    assert counted == [
        ("s", "35", "rest on the start mark"),
        ("b", "22", "broad"),
        ("p", "1", "previous token"),
        ("n", "1", "next token"),
        ("", "13", "mixed"),
    ]
    letters = re.findall(r'<span class="ws-letter"[^>]*>(\w?)<', html)
    assert {letter: letters.count(letter) for letter in "sbpn"} == {"s": 35, "b": 22, "p": 1, "n": 1}


# --- the words -----------------------------------------------------------------------------------


def test_more_measures_the_open_head_and_says_where_it_comes_from(visit):
    figure = YourSentence(beta=0.3, score_map="entmax")
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
    files = YourSentence.page_data()
    assert list(files) == [f"your_sentence-{name}" for name in SENTENCES]
    script = data_script("your_sentence-big", files["your_sentence-big"])
    detail = json.loads(
        re.fullmatch(r'dispatchEvent\(new CustomEvent\("ws-data", { detail: (.*) }\)\);\n', script)[1]
    )
    assert detail == {"name": "your_sentence-big", "value": kept("big")}
    assert set(detail["value"]) == {"name", "tokens", "scale", "roots"}
    assert len(detail["value"]["roots"]) < 22_000  # a byte for each of 72 heads' 14 × 14 scores, in base64
    assert max(len(data_script(name, value)) for name, value in files.items()) < 24_000


def test_the_book_writes_what_its_pages_load_and_nothing_else(tmp_path):
    (tmp_path / "predict-width.js").touch()
    write_data(tmp_path)
    assert not (tmp_path / "data").exists()
    (tmp_path / "predict-your_sentence.js").touch()
    write_data(tmp_path)
    files = {f"{name}.js": data_script(name, value) for name, value in YourSentence.page_data().items()}
    assert {path.name: path.read_text("utf-8") for path in (tmp_path / "data").iterdir()} == files


# --- other sentences -----------------------------------------------------------------------------


def assert_shown(page, figure):
    """The weights of this figure, as the page draws them."""
    found = attributes(page, ".ws-sky:first-child .ws-arc", "stroke-width") / LINE
    np.testing.assert_allclose(found, figure.row, atol=1e-4)
    assert page.locator(".ws-part").all_text_contents() == [written(w) for w in figure.row]
    title = page.locator(".ws-title .ws-axis").text_content()
    assert title == f"layer {figure.layer}, head {figure.head}"
    chosen = page.locator('[role=gridcell][aria-selected="true"]')
    assert chosen.count() == 1
    assert chosen.get_attribute("tabindex") == "0"
    assert chosen.evaluate(
        "el => [...el.closest('.ws-over').querySelectorAll('[role=gridcell]')].indexOf(el)"
    ) == (12 * (figure.layer - 1) + figure.head - 1)


def test_another_sentence_is_loaded_when_it_is_chosen(visit):
    page = visit(YourSentence(query=3)).page
    asked = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    chosen = page.get_by_role("combobox")
    for name, files in [("small", ["your_sentence-small.js"]), ("thirsty", []), ("small", [])]:
        asked.clear()
        chosen.select_option(name)
        page.wait_for_function(
            "n => document.querySelectorAll('.ws-asked').length === n", arg=len(kept(name)["tokens"])
        )
        assert_shown(page, YourSentence(sentence=name))
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
    last = ".ws-half:last-child > .ws-asked:nth-last-child(2)"
    page.wait_for_function(f"document.querySelector('{last}').textContent.startsWith('big')")
    assert_shown(page, YourSentence(4, 3, "big"))


def test_a_sentence_that_cannot_be_loaded_leaves_the_one_that_is_seen(visit):
    found = visit(YourSentence())
    page = found.page
    more(page)
    there = visit.folder / "data" / "your_sentence-big.js"
    there.rename(there.with_suffix(".away"))
    page.get_by_role("combobox").select_option("big")
    page.wait_for_function("document.querySelector('.ws-status').textContent.includes('could not be loaded')")
    assert_shown(page, YourSentence())
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
    found = in_a_notebook(visit(script=False).page, YourSentence(), act)
    assert (found["done"], found["saved"]) == (["big", 11, 14, "trophy"], True)


def test_the_scores_follow_the_sentence():
    figure = YourSentence(sentence="big", query=13)
    figure.sentence = "warm"
    assert figure.shown == kept("warm")
    assert figure.query == "it"  # there is no token 13
    figure.text = "as long as a reader likes"
    figure.query = 20
    figure.text = ""
    assert figure.query == "it"
    figure.query = 3
    figure.sentence = "ball"
    assert figure.query == "3"
    exact = encoder_heads.weights("ball", 0.4, ALPHAS["entmax"])[3, 1]
    figure.beta, figure.score_map = 0.4, "entmax"
    np.testing.assert_array_equal(figure.weights, exact)
    assert figure.row == exact[3].tolist()
    assert figure.role == encoder_heads.roles(encoder_heads.weights("ball"))[3, 1]


@pytest.mark.parametrize(
    ("figure", "offered"),
    [
        (YourSentence(), ["softmax", "entmax", "sparsemax"]),
        (YourSentence(scope="all"), ["this head", "all heads", "softmax", "entmax", "sparsemax"]),
        (YourSentence(score_map="relu_norm"), ["softmax", "entmax", "sparsemax", "ReLU"]),
    ],
)
def test_what_only_the_model_can_do_is_not_offered_before_it_is_here(visit, figure, offered):
    """But for what a link has chosen."""
    assert visit(figure).page.locator(".ws-choice .ws-tick:visible").all_text_contents() == offered


def test_what_is_asked_for_first_needs_no_model(visit):
    page = visit(YourSentence()).page
    assert page.locator(".ws-call:visible").all_text_contents() == ["make it “sweet”"]
    field = page.get_by_role("textbox", name="your sentence")
    field.fill(field.input_value().replace("thirsty", "sweet"))
    page.locator(".ws-word", has_text="sweet").wait_for()
    assert_shown(page, YourSentence(sentence="sweet"))


@pytest.mark.parametrize("query", [2, 8])
def test_on_a_phone_the_arcs_are_between_two_lines(visit, query):
    """From whichever line one looks: to a word of the other line an arc crosses, and ends in the word's middle."""
    figure = YourSentence(query=query)
    page = visit(figure, width=360).page
    assert not page.locator(".ws-letter").first.is_visible()
    assert not page.locator(".ws-sky").first.is_visible()
    arcs = page.locator(".ws-between .ws-arc")
    thick = arcs.evaluate_all("all => all.map(el => Number(el.getAttribute('stroke-width')))")
    np.testing.assert_allclose(np.divide(thick, LINES), figure.row, atol=1e-4)
    found = page.evaluate("""query => {
      const words = [...document.querySelectorAll('.ws-asked .ws-word')].map(el => el.getBoundingClientRect());
      const arcs = [...document.querySelectorAll('.ws-between .ws-arc')].map(el => el.getBoundingClientRect());
      const middle = box => box.x + box.width / 2;
      return words.map((word, i) => ({
        beside: Math.abs(word.y - words[query].y) < 5,
        off: Math.min(Math.abs(arcs[i].left - middle(word)), Math.abs(arcs[i].right - middle(word))),
        gap: Math.min(Math.abs(arcs[i].top - word.bottom), Math.abs(arcs[i].bottom - word.top)),
        tall: arcs[i].height,
      }));
    }""", query)  # fmt: skip
    assert {one["beside"] for one in found} == {True, False}
    for place, one in enumerate(found):
        assert one["gap"] < 2
        assert (one["tall"] > 45) != one["beside"]
        assert place == query or one["off"] < 4
    assert page.locator(".ws-call:visible").count() == 1
    page.get_by_role("gridcell").nth(40).click()
    assert page.locator(".ws-call:visible").count() == 0
