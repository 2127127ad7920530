"""*Heads* computes what `book.models` computes, and draws and says it."""

import gzip
import math
import re

import numpy as np
import pytest
import torch
from figure_page import opened, readings
from gallery import GALLERY
from in_node import SEED, ask

import lib
from book.figures import Heads
from book.figures.bundle import page_script
from book.figures.heads import LEAST, TEXT, best, copier, made, names

inf = math.inf
STATES = GALLERY["heads"]
LETTERS = "".join(copier()["symbols"][:-1])
TOLERANCE = 1e-4  # book.models computes in float32


# --- the model -----------------------------------------------------------------------------------

READ = """({ copier, all }) => {
  const read = reader(copier);
  return all.map(({ text, ...options }) => {
    const found = read(text, options);
    const places = Array.from({ length: found.t }, (_, place) => place);
    return {
      rows: options.maps.map((_, head) => places.map((place) => found.row(head, place))),
      surprise: [...found.surprise],
      next: places.map((place) => found.next(place)),
    };
  });
}"""


def cases():
    """Figures of many states: texts of many lengths, and each switch, some of them together."""
    rng = np.random.default_rng(SEED)
    switches = [{}, {"mapping": "sparsemax"}, {"mapping": "entmax", "only": "2.1"}, {"times": inf}]
    switches += [{"times": LEAST, "only": "1.3"}, {"silent": [i in (2, 5) for i in range(8)]}]
    switches += [{"times": 4.0, "mapping": "entmax", "silent": [i == 7 for i in range(8)]}]
    for i, size in enumerate([0, 1, 2, 13, 29, 41, 64]):
        yield Heads("".join(rng.choice(list(LETTERS), size)), **switches[i])
        yield Heads((TEXT * 2)[:size], **switches[-i])


def test_weights_and_surprise_are_those_of_the_model_in_lib():
    figures = list(cases())
    all_ = []
    for figure in figures:
        touched = [figure.only in ("all", name) for name in names()]
        maps = [figure.mapping if touch else "softmax" for touch in touched]
        times = [figure.times if touch else 1.0 for touch in touched]
        all_.append({"text": figure.sequence, "maps": maps, "times": times, "off": figure.silent})
    answer = ask(READ, [{"copier": copier(), "all": all_}], files=["heads_model"])[0]
    for figure, found in zip(figures, answer, strict=True):
        logits, layers = figure._run()
        rows = torch.cat([heads.weights for heads in layers])  # (8, t, t)
        for head, mine in enumerate(found["rows"]):
            for place, row in enumerate(mine):
                np.testing.assert_allclose(row, rows[head, place, : place + 1], atol=TOLERANCE, err_msg=figure)
        np.testing.assert_allclose(found["surprise"], figure.surprise, atol=TOLERANCE)
        chances = torch.softmax(logits, -1)
        for place, pairs in enumerate(found["next"]):
            mine = dict(pairs)
            assert list(mine.values()) == sorted(mine.values(), reverse=True)
            theirs = [mine[symbol] for symbol in copier()["symbols"]]
            np.testing.assert_allclose(theirs, chances[place], atol=TOLERANCE)


def test_heads_have_the_roles_that_were_measured(draw):
    measured = made()["measured"]
    role = {name: "other" for name in names()}
    for kind, label in [("previous", "previous"), ("induction", "induction")]:
        scores = dict(zip(names(), np.ravel(measured[kind]), strict=True))
        role |= {name: label for name, score in scores.items() if score >= 0.5}
        assert best(kind) == max(scores, key=scores.get)
    assert set(role.values()) == {"other", "previous", "induction"}
    shown = re.findall(r'ws-pick.*?</svg><span class="">(\w+)</span>', draw(Heads()))
    assert shown == list(role.values())


# --- what repeats --------------------------------------------------------------------------------


def longest_end_seen_before(text):
    """(period, from) of the longest end that has stood before, by trying every one."""
    for start in range(1, len(text) - 1):
        for period in range(1, start + 1):
            if all(text[i] == text[i - period] for i in range(start, len(text))):
                return {"period": period, "from": start}
    return None


def test_the_repeat_is_the_longest_end_that_has_stood_before():
    rng = np.random.default_rng(SEED)
    texts = ["", "a", "aa", "aaa", "abcabc", "banana", TEXT, TEXT[:23], TEXT[:24], TEXT[:25], "xyzabcabca"]
    texts += ["".join(rng.choice(list("abc"), int(rng.integers(2, 20)))) for _ in range(300)]
    found = ask("repeatOf", texts, files=["heads_model"])
    assert found == [longest_end_seen_before(text) for text in texts]
    assert found[6] == {"period": 23, "from": 23}
    assert found[7] is None
    assert sum(one is None for one in found) > 10


# --- the picture ---------------------------------------------------------------------------------

CELLS = """({ square, t, shades }) => shadePaths(shadeIn(square, t, shades), t, shades).map((d) =>
  [...d.matchAll(/M(\\d+) (\\d+)h(\\d+)v1H\\1(?!\\d)/g)].flatMap(([, x, y, n]) =>
    Array.from({ length: Number(n) }, (_, k) => [Number(y), Number(x) + k])))"""


def test_every_cell_of_the_square_is_in_the_path_of_its_shade():
    rng = np.random.default_rng(SEED)
    for levels in (3, 6):
        square = np.tril(rng.choice([0, 0, 0.001, 0.01, 0.05, 0.3, 0.3, 1], size=(13, 13)))
        row = {"square": square.ravel().tolist(), "t": 13, "shades": levels}
        found = np.zeros((13, 13), int)
        for k, cells in enumerate(ask(CELLS, [row], view="heads")[0]):
            for cell in cells:
                assert found[tuple(cell)] == 0
                found[tuple(cell)] = k + 1
        np.testing.assert_array_equal(found, np.rint(levels * np.sqrt(square)))


@pytest.mark.parametrize("state", STATES)
def test_bars_and_guesses_are_those_of_lib(draw, state):
    figure = STATES[state]
    logits, _ = figure._run()
    weights = np.zeros(len(figure.sequence) + 1)
    weights[: figure.place + 1] = figure.weights
    symbols = draw(figure).partition("ws-middle")[0]
    letters = re.findall(r'data-place="\d+"[^>]*>.*?<b>([^<]*)</b>', symbols)
    assert "".join(letters[1:]) == figure.sequence
    bars = np.array(re.findall(r"<i style=\"--ws-size:\s*([\d.]+)", symbols), float)
    np.testing.assert_allclose(bars[: len(weights)], weights, atol=2e-4)
    assert not bars[len(weights) :].any()
    first = [copier()["symbols"][i].replace("^", "·") for i in logits.argmax(-1)]
    guesses = [one for one in re.findall(r'ws-guess">([^<]*)<', symbols)[1:] if one]
    assert guesses == first[:64]  # after a full text nothing can come
    hits = re.findall(r'class="ws-symbol[^"]*ws-hit', symbols)
    assert len(hits) == sum(a == b for a, b in zip(figure.sequence, first, strict=False))


@pytest.mark.parametrize("width", [1280, 360])
def test_a_symbol_stands_under_itself(visit, width):
    page = visit(Heads(), width=width).page
    boxes = [page.locator(".ws-symbol").nth(place).bounding_box() for place in range(47)]
    for place in range(1, 24):
        assert boxes[place]["x"] == pytest.approx(boxes[place + 23]["x"], abs=0.6)
        assert boxes[place + 23]["y"] > boxes[place]["y"] + 30


def test_figure_and_script_are_light():
    """What a page gets for this figure, before the picture: most of it weights."""
    for text, most in [(Heads()._repr_html_(), 21), (page_script("heads"), 18)]:
        assert len(gzip.compress(text.encode(), 6)) < most * 1024


# --- the words -----------------------------------------------------------------------------------


def test_the_numbers_behind_more_are_those_of_lib(visit):
    figure = Heads(TEXT, place=30, head="2.4", times=0.5)
    page = opened(visit(figure))
    _, layers = figure._run()
    row = figure.weights
    all_ = torch.cat([heads.weights for heads in layers]).double()
    distance = lib.attention_distance(all_)
    shown = readings(page)
    expected = [lib.entropy(row), lib.effective_count(row), distance[7, 30], figure.surprise[24:].mean()]
    np.testing.assert_allclose(shown, expected, atol=0.051)
    np.testing.assert_allclose(shown[::3], expected[::3], atol=0.0051)
    cells = page.locator("table").nth(1).locator("tbody tr")
    for head in range(8):
        texts = cells.nth(head).locator("th, td").all_text_contents()
        assert texts[0] == names()[head]
        mean = [lib.effective_count(all_[head]).mean(), distance[head].mean()]
        np.testing.assert_allclose([float(text) for text in texts[3:]], mean, atol=0.051)


# --- what a reader does --------------------------------------------------------------------------


def assert_shown(page, **state):
    figure = Heads(**state)
    weights = np.zeros(len(figure.sequence) + 1)
    weights[: figure.place + 1] = figure.weights
    size = "all => all.map(el => parseFloat(el.style.getPropertyValue('--ws-size')))"
    found = page.eval_on_selector_all(".ws-symbol[data-place]:not([hidden]) i", size)
    np.testing.assert_allclose(found, weights, atol=2e-4)


def test_a_reader_types(visit):
    page = visit(Heads("")).page
    box = page.get_by_role("textbox", name="text")
    box.press_sequentially("Abc ab")
    assert box.input_value() == "abcab"
    assert page.get_by_role("status").first.text_content() == ""  # typed on
    assert_shown(page, sequence="abcab", place=5)
    box.press_sequentially(" ")
    assert page.get_by_role("status").first.text_content() == "Only a to z and full stops."
    box.press("Home")
    box.press_sequentially("xé")
    assert page.get_by_role("status").first.text_content() == "Only a to z and full stops."
    assert box.input_value() == "xabcab"
    assert_shown(page, sequence="xabcab", place=1)
    box.fill("ab" * 40)
    assert len(box.input_value()) == 64
    assert_shown(page, sequence="ab" * 32)


HITS = "all => all.map(el => el.dataset.place).join(' ')"


def test_who_types_the_word_again_sees_guesses_come_right(visit):
    page = visit(Heads("zebra")).page
    call = page.locator(".ws-call")
    assert call.text_content() == "type it again"
    assert page.locator(".ws-hit").count() == 0
    box = page.get_by_role("textbox", name="text")
    box.press("End")
    box.press_sequentially("z")
    assert not call.is_visible()
    assert page.locator(".ws-hit").count() == 0
    for letter, hits in [("e", "7"), ("b", "7 8"), ("r", "7 8 9")]:
        coming = page.locator(".ws-to-come .ws-guess").first.text_content()
        assert coming == letter, "it stands after the text before it is typed"
        box.press_sequentially(letter)
        assert page.eval_on_selector_all(".ws-hit", HITS) == hits
    box.fill("")
    assert not call.is_visible(), "it was asked once"
    assert visit(Heads("")).page.locator(".ws-call").text_content() == "type a word twice"


@pytest.mark.parametrize("width", [1280, 688, 360])
def test_nothing_below_moves_while_one_types(visit, width):
    """One row, two and three have the same room, and the picture of the head is there on a phone, too."""
    page = visit(Heads("a", caption="A caption."), width=width).page
    box = page.get_by_role("textbox", name="text")
    tops = lambda: page.locator(".ws-picks, .ws-grid svg, .ws-tools, .ws-caption").evaluate_all(  # noqa: E731
        "all => all.map(el => Math.round(el.getBoundingClientRect().top))"
    )
    texts = [
        "abcde" * 2,
        TEXT[:30],
        TEXT,
        ("abcdefghijklmnopqrstu" * 4)[:64],
        ("abcdefghijklm" * 5)[:64],
        "q" * 64,
    ]
    first, rows = tops(), set()
    for text in [*texts, "zxcvbnmasdfghjklqwertyuiop" * 2]:
        box.fill(text)
        assert tops() == first, text
        boxes = [one.bounding_box() for one in page.locator(".ws-symbol:visible").all()]
        room = page.locator(".ws-text-read").bounding_box()
        assert max(one["y"] + one["height"] for one in boxes) <= room["y"] + room["height"] + 0.5, text
        rows.add(len({round(one["y"]) for one in boxes[1:]}))
    assert rows >= {1, 2} | ({3} if width == 360 else set())
    assert page.locator(".ws-grid svg").bounding_box()["width"] > 120


def test_a_shorter_text_takes_the_place_along():
    figure = Heads()
    figure.sequence = "abc"
    assert figure.place == 3


def test_the_letters_stand_at_the_sides_of_the_large_square_as_long_as_they_are_legible(visit):
    page = visit(Heads("zebra")).page
    letters = page.locator(".ws-letters-of span")
    assert "".join(letters.all_text_contents()) == "startstartzzeebbrraa"
    page.locator(".ws-typing").fill("mary.had.a.lamb")
    assert letters.count() == 0
    page.locator(".ws-typing").fill("abcdefgh")
    assert letters.all_text_contents()[:2] == ["·", "·"], "no room for a word"


def test_the_second_round_stands_there_to_be_typed(visit):
    page = visit(Heads("zebra")).page
    ahead, key = page.locator(".ws-to-come:visible b"), page.locator(".ws-keys-of .ws-aside")
    assert "".join(ahead.all_text_contents()) == "zebra"
    assert page.locator(".ws-to-come .ws-guess").all_text_contents()[1:] == [""] * 7, "it is not guessed yet"
    box = page.get_by_role("textbox", name="text")
    box.press("End")
    box.press_sequentially("zeb")
    assert "".join(ahead.all_text_contents()) == "ra"
    assert key.is_visible()
    box.press_sequentially("x")
    assert ahead.all_text_contents() == [""]
    box.fill("zebra")
    assert not key.is_visible(), "no guess is right"
    assert visit(Heads(TEXT)).page.locator(".ws-to-come:visible").count() <= 1


@pytest.mark.parametrize("width", [1280, 360])
def test_a_single_row_leaves_no_hole_under_it(visit, width):
    page = visit(Heads("zebra"), width=width).page
    room, letter = (page.locator(one).first.bounding_box() for one in (".ws-text-read", ".ws-symbol.ws-from"))
    assert room["y"] + room["height"] - (letter["y"] + letter["height"]) < 2
