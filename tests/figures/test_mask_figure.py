"""*The mask* draws and says what `lib` computes."""

import math

import numpy as np
import pytest
from figure_page import attributes, table
from gallery import mask
from in_node import ask

import lib
from book.attention import by_hand
from book.example import SCORES, TOKENS
from book.figures import Mask
from book.masking.table import TABLE

N = len(TOKENS)
WRITTEN = {"zeros": "", "infinity": "−∞", "fill": "−1e9"}
FILLED = {"infinity": -math.inf, "fill": -1e9}


def expected(keep, way="zeros", scores=TABLE):
    """Weights for a mask (n_q, n_k) of the last queries, by `lib` or by the few lines that others write."""
    rows = np.array(scores)[len(scores) - len(keep) :]
    if way == "zeros":
        return lib.softmax(rows, where=keep)
    filled = np.where(keep, rows, FILLED[way])
    with np.errstate(invalid="ignore"):
        grown = np.exp(filled - filled.max(axis=-1, keepdims=True))
    return grown / grown.sum(axis=-1, keepdims=True)


def shown(weight):
    """A weight as the table has it."""
    if math.isnan(weight):
        return "NaN"
    return f"{weight:.0f}" if weight in (0, 1) else f"{weight:.2f}"


def assert_shown(page, keep, way="zeros"):
    """Cells, areas, sums and table are those of this mask (n_q, n_k)."""
    weights = expected(keep, way)
    first = N - len(keep)
    all_ = np.vstack([np.zeros((first, N), bool), keep])
    pressed, hatched = (
        np.reshape(page.eval_on_selector_all(parts, f"all => all.map(el => {is_so})"), (N, N))
        for parts, is_so in [
            (".ws-spot", "el.getAttribute('aria-pressed') === 'true'"),
            (".ws-room", "el.getAttribute('style').includes('url')"),
        ]
    )
    assert (pressed == all_).all()
    assert (hatched[first:] == ~keep).all()
    area = attributes(page, "rect.ws-weight", "width") * attributes(page, "rect.ws-weight", "height")
    drawn = area.reshape(N, N) / (100 / N * 100 * 0.9**2)
    np.testing.assert_allclose(drawn[first:], np.nan_to_num(weights), atol=1e-6)
    assert (drawn[:first] == 0).all()
    texts = np.reshape(page.locator(".ws-grid .ws-line text").all_text_contents(), (N, N))
    written = np.where(keep | (np.nan_to_num(weights) > 0), "", WRITTEN[way])
    told = np.vectorize(lambda w: f"{w:.0%}")(np.nan_to_num(weights))
    written = np.where(np.nan_to_num(weights) >= 0.5, told, written)
    assert (texts[first:] == np.where(np.isnan(weights), "NaN", written)).all()
    sums = ["NaN" if math.isnan(s) else f"{s:.0f}" for s in weights.sum(axis=-1)]
    leaks = (np.nan_to_num(weights) * ~keep).sum(axis=-1) > 0
    fates = [
        "leak" if leak else {"NaN": "NaN", "0": "nothing", "1": "fine"}[one]
        for one, leak in zip(sums, leaks, strict=True)
    ]
    lost = page.eval_on_selector_all(".ws-grid .ws-flood", "all => all.map(el => el.getAttribute('width'))")
    assert [width == f"{100 / N}%" for width in lost[first * N :]] == np.isnan(weights).ravel().tolist()
    taken = keep.any(axis=-1).astype(float) @ weights  # 0 times NaN is NaN
    bars = attributes(page, ".ws-gradient", "height") / 73 * len(keep)
    np.testing.assert_allclose(bars, np.nan_to_num(taken), atol=1e-6)
    notes = page.locator(".ws-gradients text").all_text_contents()
    assert notes == ["NaN" if math.isnan(one) else "" for one in taken]
    wanted = [[*map(shown, row), total] for row, total in zip(weights.tolist(), sums, strict=True)]
    assert [row[1:] for row in table(page)] == wanted
    assert page.locator(".ws-value").all_text_contents() == [""] * first + fates
    assert page.locator(".ws-grid .ws-line:visible").count() == 1 + len(keep)


# --- the numbers -----------------------------------------------------------------------------------


def test_the_table_of_scores_is_that_of_the_chapter_on_attention():
    np.testing.assert_allclose(by_hand.q @ by_hand.k.T, TABLE, atol=1e-12)
    assert TABLE[-1] == SCORES


def test_a_mask_in_javascript_is_that_of_lib():
    draws, rows, masks = np.random.default_rng(0), [], []
    for _ in range(150):
        n = int(draws.integers(2, 8))
        queries = int(draws.integers(1, n + 1))
        figure = Mask(
            [str(i) for i in range(n)],
            draws.normal(size=(n, n)),
            pattern=draws.choice(["causal", "window", "all"]),
            window=int(draws.integers(1, n + 1)),
            real=int(draws.integers(0, n + 1)),
            queries=queries,
            offset=int(draws.integers(-2, n)),
            flips=draws.random((n, n)) < 0.1,
            way=draws.choice(["zeros", "infinity", "fill"]),
        )
        rows.append({name: getattr(figure, name) for name in (*figure.changes, *figure.beside)})
        masks.append(figure)
    answers = ask(
        """state => {
          const open = maskRows(state), first = state.tokens.length - state.queries;
          const weights = open.map((row, i) => forbid(state.scores[first + i], row, state.way));
          return [open, weights, gradients(weights, open)];
        }""",
        rows,
        view="mask",
    )
    for figure, (keep, weights, gains) in zip(masks, answers, strict=True):
        np.testing.assert_allclose(np.array(gains, dtype=float), figure.gradients, rtol=1e-12, atol=1e-15)
        assert (figure.mask == np.array(keep)).all()
        weights = np.array(weights, dtype=float)  # "nan" becomes NaN
        np.testing.assert_allclose(weights, figure.weights, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(
            weights, expected(figure.mask, figure.way, figure.scores), rtol=1e-12, atol=1e-15
        )


MASKS = [
    ({}, lib.causal_mask(7)),
    ({"offset": -2}, lib.causal_mask(7, offset=-2)),
    ({"offset": 6}, lib.causal_mask(7, offset=6)),
    ({"queries": 2}, lib.causal_mask(2, 7)),
    ({"queries": 2, "offset": 0}, lib.causal_mask(2, 7, offset=0)),
    ({"pattern": "window", "window": 2}, lib.window_mask(7, window=2)),
    ({"pattern": "window", "offset": 5, "real": 5}, lib.window_mask(7, window=3, offset=5) & (np.arange(7) < 5)),
    ({"pattern": "all", "real": 4}, np.tile(np.arange(7) < 4, (7, 1))),
    ({"real": 4}, lib.causal_mask(7) & (np.arange(7) < 4)),
    ({"flips": np.eye(7, dtype=bool)}, np.tri(7, k=-1, dtype=bool)),
]


@pytest.mark.parametrize(("options", "keep"), MASKS, ids=str)
def test_the_mask_in_python_and_in_the_page_is_that_of_lib(visit, options, keep):
    for way in ("zeros", "infinity", "fill"):
        figure = mask(way=way, **options)
        assert (figure.mask == keep).all()
        np.testing.assert_allclose(figure.weights, expected(keep, way), rtol=1e-12, atol=1e-15)
        if way == "zeros" or not keep.any(axis=-1).all():  # the ways differ in an empty row alone
            assert_shown(visit(figure).page, keep, way)


# --- a reader moves it -----------------------------------------------------------------------------


def spot(page, i, j):
    return page.locator(".ws-spot").nth(i * N + j)


def test_keys_walk_over_the_cells_and_press_them(visit):
    page, keep = visit(mask()).page, np.tri(N, dtype=bool)
    spot(page, 0, 0).focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
    here = "() => [...document.querySelectorAll('.ws-spot')].indexOf(document.activeElement)"
    assert page.evaluate(here) == 2
    page.keyboard.press("Space")
    keep[0, 2] = True
    assert_shown(page, keep)
    for key, at in [("End", 6), ("ArrowRight", 6), ("ArrowUp", 6), ("ArrowDown", 13), ("Home", 7)]:
        page.keyboard.press(key)
        assert page.evaluate(here) == at
    page.keyboard.press("Enter")
    keep[1, 0] = False
    assert_shown(page, keep)
    assert page.locator(".ws-spot[tabindex='0']").count() == 1


def test_only_the_cells_of_queries_are_pressed_and_under_all_keys_there_is_no_first_position(visit):
    page = visit(mask(queries=2, pattern="all")).page
    assert page.locator(".ws-spot:enabled").count() == 2 * N
    assert page.locator(".ws-spot[tabindex='0']:enabled").count() == 1
    assert spot(page, 6, 0).get_attribute("aria-label") == "it sees the (key 0), weight 6.1%"
    slider = page.get_by_role("slider", name="position of the first query")
    assert slider.is_disabled()
    assert page.locator(".ws-gradients").is_hidden()
    page = visit(mask(below="gradient")).page
    assert page.locator(".ws-gradients").is_visible()
    page = visit(mask(below="nothing")).page
    assert page.locator(".ws-gradients").is_hidden()
    assert page.get_by_role("slider").count() == 0  # nobody sees it or reaches it with the keyboard


def test_the_last_word_is_pressed_away_and_nan_floods_the_row_and_all_gradients(visit):
    page = visit(
        mask(queries=4, flips=[i > 41 and i != 43 for i in range(49)], way="infinity", below="gradient")
    ).page
    call = page.locator(".ws-call:visible")
    assert call.all_text_contents() == ["hide me too"]
    assert page.get_by_text("output", exact=True).is_hidden()
    (meant,) = page.locator(".ws-spot.ws-meant").all()
    assert meant.get_attribute("aria-label").startswith("it sees cat (key 1)")
    keep = np.tri(N, dtype=bool)[-4:]
    keep[-1] = np.arange(N) == 1
    assert_shown(page, keep, "infinity")
    meant.click()
    keep[-1] = False
    assert_shown(page, keep, "infinity")
    assert page.get_by_text("output", exact=True).is_visible()
    assert page.locator(".ws-gradients text").all_text_contents() == ["NaN"] * N
    assert call.all_text_contents() == ["try the others"]
    for way, name in (("fill", "score −1e9"), ("zeros", "left out")):
        page.get_by_role("radio", name=name).check()
        assert_shown(page, keep, way)
        assert call.count() == 0


@pytest.mark.parametrize("width", [688, 360])
@pytest.mark.parametrize("token", [1, 5])
def test_the_badge_stands_under_the_cell_that_it_means_and_on_no_text(visit, width, token):
    flips = [i > 41 and i != 42 + token for i in range(49)]
    page = visit(mask(queries=3, flips=flips, below="nothing"), width=width).page
    cell, badge, plot = (
        page.locator(part).bounding_box() for part in (".ws-meant", ".ws-call:visible", ".ws-plot:has(.ws-call)")
    )
    assert cell["y"] + cell["height"] < badge["y"] < cell["y"] + cell["height"] + 12
    assert cell["x"] < badge["x"] < cell["x"] + cell["width"] or token > 3
    assert cell["x"] < badge["x"] + badge["width"] < cell["x"] + cell["width"] or token < 3
    assert plot["x"] <= badge["x"]
    assert badge["x"] + badge["width"] <= plot["x"] + plot["width"]


def test_hidden_words_are_hatched_where_the_first_rows_do_not_ask(visit):
    """The hatching is drawn once; where that was in a row that is not shown, there was none."""
    page = visit(mask(queries=2)).page
    assert page.locator(".ws-line:visible pattern").count() == 1


# --- Python --------------------------------------------------------------------------------------


def test_as_many_tokens_as_there_is_room_for():
    with pytest.raises(ValueError, match=r"^tokens: 8 of them"):
        Mask(list("abcdefgh"), np.zeros((8, 8)))
    with pytest.raises(ValueError, match=r"^scores: "):
        Mask(["a", "b", "c"], np.zeros((2, 2)))


def test_a_cell_that_python_flips_takes_part():
    widget = mask(offset=-1)
    widget.flips = np.eye(7, dtype=bool)
    assert widget.mask[0, 0]
