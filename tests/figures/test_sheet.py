"""*The sheet* draws areas that are the bytes of `book.figures.cost_counts`."""

import numpy as np
import pytest
from figure_page import opened, said, table

from book.figures import Sheet
from book.figures.cost_counts import counts
from book.figures.sheet import LONGEST, MARKS

ITEM = 4  # bytes
SIDE = 305  # units of the drawing: a table of the longest text
LONG = {"n": LONGEST}


def boxes(page, kind):
    """Width and height of all that is drawn of this kind, in units of the drawing."""
    read = "all => all.map(el => ['width', 'height'].map(key => Number(el.getAttribute(key))))"
    return np.array(page.locator(f".ws-stage .ws-{kind}").evaluate_all(read))


def area(page, kind):
    """Of what is drawn, in bytes."""
    return boxes(page, kind).prod(axis=-1) * ITEM * (LONGEST / SIDE) ** 2


@pytest.mark.parametrize("n", [1024, 16_384, 30_000, LONGEST])
def test_every_area_is_memory_on_one_scale_that_never_changes(visit, n):
    page = visit(Sheet(n=n)).page
    stored, fused = (counts(n, 64)[way] for way in ("scores stored", "fused"))
    sheets = area(page, "sheet-scores")[0] + area(page, "sheet-weights")[0]
    np.testing.assert_allclose(sheets, stored[2] - fused[1], rtol=0.01)  # lengths have three decimals
    lists = boxes(page, "lists")[0]
    assert lists[0] == pytest.approx(max(2, 4 * 64 * SIDE / LONGEST))  # no thinner than a hair
    assert lists[1] == pytest.approx(n * SIDE / LONGEST, abs=1e-3)
    memories = boxes(page, "memory").prod(axis=-1)
    wanted = [1e9 * gigabytes / ITEM / (LONGEST / SIDE) ** 2 for _, gigabytes in MARKS]
    np.testing.assert_allclose(memories, wanted, rtol=1e-3)
    np.testing.assert_allclose(boxes(page, "ground")[::-1].prod(axis=-1), wanted, rtol=1e-3)  # the largest first
    full = page.locator(".ws-memory-name b").all_text_contents()
    assert full == [" full" if stored[2] > 1e9 * gigabytes else "" for _, gigabytes in MARKS]


def test_numbers_and_table_are_those_of_the_counts(visit):
    page = opened(visit(Sheet(**LONG)))
    read = page.locator(".ws-held").inner_text
    assert read().split("\n") == ["138 GB", "for 131\u202f072 words"]
    page.get_by_role("button", name="never store the tables").click()
    assert read().split("\n") == ["135 MB", "for 131\u202f072 words"]
    assert said(page) == (
        "135 MB in place of 138 GB: nearly all are the lists of 64 numbers.\n"
        "A small block still comes to every pair: 2.2 trillion multiplications, as before."
    )
    rows = table(page)
    assert rows[0] == ["1024", "9.44 MB", "1.06 MB", "134 million"]
    assert rows[-1] == ["131\u202f072", "138 GB", "135 MB", "2.2 trillion"]
    grown = counts(2048, 64)["scores stored"][2] / 1e6
    assert rows[1][1] == f"{grown:.1f} MB"


def test_without_the_sheets_one_block_is_left_that_comes_everywhere(visit):
    page = visit(Sheet(**LONG, way="blocks")).page
    opacity = "el => el.getAttribute('fill-opacity')"
    sheets = page.locator(".ws-stage .ws-sheet-scores, .ws-stage .ws-sheet-weights")
    assert [one.evaluate(opacity) for one in sheets.all()][:2] == ["0", "0"]
    blocks = boxes(page, "block")
    np.testing.assert_allclose(blocks, SIDE / 10, atol=1e-3)
    assert page.locator(".ws-visited").is_visible()
    page.get_by_role("button", name="never store the tables").click()
    assert not page.locator(".ws-visited").is_visible()
    assert [one.evaluate(opacity) for one in sheets.all()][:2] == ["1", "1"]


def test_the_corner_follows_the_pointer(visit):
    page = visit(Sheet()).page
    knob, stage = page.locator(".ws-bead").bounding_box(), page.locator(".ws-stage").bounding_box()
    x, y = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + stage["width"] / 2, y + stage["width"] / 4, steps=6)
    page.mouse.up()
    moved = page.locator(".ws-bead").bounding_box()
    assert moved["x"] - knob["x"] == pytest.approx(stage["width"] / 2, abs=3)
    words = page.get_by_role("slider", name="length of the text").get_attribute("aria-valuetext")
    told = int(words.replace("\u202f", "").split()[0])
    assert told == pytest.approx(16_384 + LONGEST * 656 / SIDE / 4, rel=0.01)


def test_each_time_twice_the_text_fills_the_next_memory_with_four_times_as_many_squares(visit):
    page = visit(Sheet()).page
    call = page.locator(".ws-call:visible")
    full = page.locator(".ws-memory-name b:not(:empty)")
    twice = page.get_by_role("button", name="twice the text")
    across = "el => (el.getAttribute('d').match(/h/g) ?? []).length"
    for k, memories in enumerate([0, 1, 2]):
        assert call.all_text_contents() == ["press"]
        assert twice.evaluate("el => el.classList.contains('ws-meant')")
        assert page.locator(".ws-squares").evaluate(across) == 2**k - 1
        assert full.count() == memories
        twice.click()
    assert page.locator(".ws-squares").evaluate(across) == 7  # 64 squares in each table
    assert twice.is_disabled()
    assert call.all_text_contents() == ["press"]  # the other button
    page.get_by_role("button", name="never store the tables").click()
    assert (call.count(), full.count()) == (0, 0)


def test_on_a_phone_a_finger_scrolls_the_page_wherever_it_begins(visit):
    """The corner, which would lie on the names there, is not pulled."""
    page = visit(Sheet(), width=360).page
    caught = """() => [...document.querySelectorAll('.ws-figure *')].filter(el =>
      el.checkVisibility() && getComputedStyle(el).touchAction === 'none').map(el => el.className)"""
    assert page.evaluate(caught) == []


@pytest.mark.parametrize("width", [1280, 360])
def test_the_name_of_a_box_stands_in_it_or_beside_it_on_nothing(visit, width):
    """At rest: no name lies on a table, on an edge of a box, or on another name."""
    page = visit(Sheet(), width=width).page
    met = page.evaluate("""() => {
      const boxes = (kind) => [...document.querySelectorAll(kind)].map((el) => el.getBoundingClientRect());
      const names = boxes(".ws-memory-name"), frames = boxes(".ws-memory");
      const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 1 && b.top < a.bottom - 1;
      const over = (a) => [...boxes(".ws-stage .ws-sheet-scores:not(.ws-block)"),
        ...boxes(".ws-stage .ws-sheet-weights:not(.ws-block)"), ...names.filter((b) => b !== a)];
      const upright = (a) => frames.map((b) => ({ ...b.toJSON(), left: b.right - 1, right: b.right }));
      return names.filter((a) => [...over(a), ...upright(a)].some((b) => meets(a, b))).length;
    }""")
    assert met == 0


@pytest.mark.parametrize(("n", "way", "kind"), [(2048, "stored", "scores stored"), (4096, "blocks", "fused")])
def test_python_knows_the_numbers_too(n, way, kind):
    figure = Sheet(n=n, way=way)
    assert (figure.held, figure.products) == (counts(n, 64)[kind][2], counts(n, 64)["fused"][0])


def test_the_blocks_go_over_the_sheets_once_and_for_as_long_as_there_are_pairs(visit):
    """With motion. Half of the words take a quarter of the time; nothing is left to run in the end."""
    lasts = []
    for n in (LONGEST // 2, LONGEST):
        page = visit(Sheet(n=n), still=False).page
        page.get_by_role("button", name="never store the tables").click()
        read = "el => el.getAnimations({ subtree: true }).map(one => one.effect.getComputedTiming().endTime)"
        lasts.append(page.locator(".ws-stage").evaluate(read))
    np.testing.assert_allclose(lasts[0], lasts[1][0] / 4, rtol=1e-6)
    assert np.ptp(lasts, axis=1).max() < 1e-6
    page.get_by_role("button", name="never store the tables").click()
    assert page.locator(".ws-stage").evaluate(read) == []
