"""*The mask* draws and says what `lib` computes."""

import math
import re

import numpy as np
import pytest
from figure_page import more
from in_node import ask

import lib
from lib.book.attention import by_hand
from lib.book.example import SCORES, TOKENS
from lib.book.masking.table import TABLE
from lib.figures import Mask

N = len(TOKENS)
FILLED = {"infinity": -math.inf, "fill": -1e9}


def mask(**options):
    return Mask(TOKENS, TABLE, **options)


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
    pressed = page.eval_on_selector_all(
        ".ws-spot", "all => all.map(el => el.getAttribute('aria-pressed') === 'true')"
    )
    assert (np.reshape(pressed, (N, N))[first:] == keep).all()
    assert not np.reshape(pressed, (N, N))[:first].any()
    hatched = page.eval_on_selector_all(
        ".ws-room", "all => all.map(el => el.getAttribute('style').includes('url'))"
    )
    assert (np.reshape(hatched, (N, N))[first:] == ~keep).all()
    sides = [
        page.eval_on_selector_all("rect.ws-weight", f"all => all.map(el => parseFloat(el.getAttribute('{side}')))")
        for side in ("width", "height")
    ]
    drawn = np.reshape(np.prod(sides, axis=0) / (100 / N * 44 * 0.9**2), (N, N))
    np.testing.assert_allclose(drawn[first:], np.nan_to_num(weights), atol=1e-6)
    assert (drawn[:first] == 0).all()
    texts = page.eval_on_selector_all(".ws-line text", "all => all.map(el => el.textContent)")
    assert (np.reshape(texts, (N, N))[first:] == np.where(np.isnan(weights), "NaN", "")).all()
    table = page.eval_on_selector_all(
        ".ws-table tbody tr:not([hidden])",
        "all => all.map(tr => [...tr.querySelectorAll('td')].map(td => td.textContent))",
    )
    sums = ["NaN" if math.isnan(s) else f"{s:.0f}" for s in weights.sum(axis=-1)]
    assert table == [[*map(shown, row), total] for row, total in zip(weights.tolist(), sums, strict=True)]
    assert page.locator(".ws-value").all_text_contents() == ["earlier"] * first + sums


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
          return [open, open.map((row, i) => forbid(state.scores[first + i], row, state.way))];
        }""",
        rows,
        view="mask",
    )
    for figure, (keep, weights) in zip(masks, answers, strict=True):
        assert (figure.mask == np.array(keep)).all()
        weights = np.array(weights, dtype=float)  # "nan" becomes NaN
        np.testing.assert_allclose(weights, figure.weights, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(
            weights, expected(figure.mask, figure.way, figure.scores), rtol=1e-12, atol=1e-15
        )


@pytest.mark.parametrize(
    ("options", "keep"),
    [
        ({}, lib.causal_mask(7)),
        ({"offset": -2}, lib.causal_mask(7, offset=-2)),
        ({"queries": 2}, lib.causal_mask(2, 7)),
        ({"queries": 2, "offset": 0}, lib.causal_mask(2, 7, offset=0)),
        ({"pattern": "window", "window": 2}, lib.window_mask(7, window=2)),
        ({"pattern": "all", "real": 4}, np.tile(np.arange(7) < 4, (7, 1))),
        ({"real": 4}, lib.causal_mask(7) & (np.arange(7) < 4)),
        ({"flips": np.eye(7, dtype=bool)}, np.tri(7, k=-1, dtype=bool)),
    ],
    ids=str,
)
def test_the_mask_in_python(options, keep):
    assert (mask(**options).mask == keep).all()
    for way in ("zeros", "infinity", "fill"):
        np.testing.assert_allclose(mask(way=way, **options).weights, expected(keep, way), rtol=1e-12, atol=1e-15)


# --- the picture of the build ------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"offset": -1, "way": "fill"}, {"pattern": "window", "real": 3}], ids=str)
def test_the_picture_has_the_weights_of_lib(draw, options):
    html = draw(mask(**options)._repr_html_())
    found = re.findall(r'class="ws-weight"[^>]* width="([\d.e-]+)%"[^>]* height="([\d.e-]+)"', html)
    area = np.prod(np.array(found, dtype=float), axis=1).reshape(N, N) / (100 / N * 44 * 0.9**2)
    np.testing.assert_allclose(area, mask(**options).weights, atol=1e-4)


# --- a reader moves it -----------------------------------------------------------------------------


def spot(page, i, j):
    return page.locator(".ws-spot").nth(i * N + j)


def slider(page):
    return page.get_by_role("slider", name="position of the first query")


def test_a_pressed_cell_is_allowed_and_forbidden_again(visit):
    page, keep = visit(mask()).page, np.tri(N, dtype=bool)
    assert_shown(page, keep)
    for i, j in [(2, 5), (4, 0), (2, 5)]:
        spot(page, i, j).click()
        keep[i, j] ^= True
        assert_shown(page, keep)
    assert spot(page, 4, 0).get_attribute("aria-label") == "milk sees the (key 0), weight 0%"


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


def test_the_ways_of_forbidding_differ_in_the_empty_row_alone(visit):
    page, keep = visit(mask()).page, np.tri(N, k=-1, dtype=bool)
    slider(page).focus()
    page.keyboard.press("ArrowLeft")
    for name, way in [("u = 0", "zeros"), ("s = −∞", "infinity"), ("s = −1e9", "fill")]:
        page.get_by_role("radio", name=name).check()
        assert_shown(page, keep, way)


def test_patterns_and_the_offset(visit):
    page = visit(mask()).page
    slider(page).focus()
    for key, offset in [("Home", -2), ("ArrowRight", -1), ("End", 6), ("ArrowDown", 5)]:
        page.keyboard.press(key)
        assert_shown(page, lib.causal_mask(N, offset=offset))
        assert slider(page).get_attribute("aria-valuetext") == f"position {offset}"
    page.get_by_role("radio", name="window").check()
    assert_shown(page, lib.window_mask(N, window=3, offset=5))
    page.get_by_role("checkbox", name="padding").check()
    assert_shown(page, lib.window_mask(N, window=3, offset=5) & (np.arange(N) < 5))
    page.get_by_role("radio", name="all keys").check()
    assert_shown(page, np.tile(np.arange(N) < 5, (N, 1)))
    assert slider(page).is_disabled()
    page.get_by_role("checkbox", name="padding").uncheck()
    assert_shown(page, np.ones((N, N), dtype=bool))


def test_another_pattern_takes_back_what_was_pressed(visit):
    page = visit(mask()).page
    spot(page, 0, 3).click()
    page.get_by_role("radio", name="window").check()
    assert_shown(page, lib.window_mask(N, window=3))


def test_a_pointer_moves_the_first_query(visit):
    page = visit(mask()).page
    box = slider(page).bounding_box()
    for offset in (6, -2, 0):
        page.mouse.click(box["x"] + 12 + (offset + 2) / 8 * (box["width"] - 24), box["y"] + 22)
        assert_shown(page, lib.causal_mask(N, offset=offset))


def test_the_position_of_the_first_query_can_stand_behind_more(visit):
    page = visit(mask(slider=False)).page
    assert slider(page).count() == 0  # nobody sees it or reaches it with the keyboard
    more(page)
    slider(page).press("Home")
    assert_shown(page, lib.causal_mask(N, offset=-2))


def test_numbers_are_typed(visit):
    page = visit(mask()).page
    more(page)

    def type_in(name, text):
        page.get_by_role("spinbutton", name=name).fill(text)
        page.keyboard.press("Tab")

    type_in("queries", "2")
    assert_shown(page, lib.causal_mask(2, N))
    assert page.locator(".ws-spot:enabled").count() == 2 * N
    assert page.locator(".ws-spot[tabindex='0']:enabled").count() == 1
    type_in("window", "4")
    assert_shown(page, lib.window_mask(2, N, window=4))
    type_in("real tokens", "0")
    assert_shown(page, np.zeros((2, N), dtype=bool))
    type_in("queries", "8")
    assert "queries: that is not a number it can take" in page.locator(".ws-status").text_content()
    assert_shown(page, np.zeros((2, N), dtype=bool))


def test_two_on_a_page_do_not_disturb_each_other(visit):
    page = visit(mask(name="one"), mask(name="two", queries=2, offset=0)).page
    page.locator("#one .ws-spot").nth(6).click()
    page.locator("#two").get_by_role("radio", name="s = −∞").check()
    said = page.locator(".ws-say").all_text_contents()
    assert said[0].startswith("29 of 49 cells")
    assert said[1].startswith("3 of 14 take part; the mask ends 5 keys early.")
    assert page.locator("#one").get_by_role("radio", name="u = 0").is_checked()


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
