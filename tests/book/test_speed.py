"""What the chapter *speed* shows is what was measured and what `lib` does; none of it is timed here."""

import numpy as np
import pytest

import lib
from book.counting import held
from book.speed import measured, numbers, pictures, ways
from book.tables import Table


def test_a_row_that_takes_too_much_time_or_memory_is_missed():
    row = {"ratio": 0.5, "target": 1.0, "limit_mb": 30, "ours_mb": 29.0}
    assert measured.reached(row)
    assert not measured.reached(row | {"ours_mb": 31.0})
    assert not measured.reached(row | {"ratio": 1.1})


def test_the_table_of_the_benchmark_has_each_row_about_attention():
    shown = pictures.table().rows
    assert len(shown) == sum("attention" in name or "decode" in name for name in measured.rows()) > 20
    marked = [row[0] for row in shown if row[-1].endswith("missed")]
    assert marked == [name for name in measured.missed() if "attention" in name or "decode" in name]


def test_the_curves_are_of_heads_and_width_as_the_chapter_says():
    for curve in measured.results()["scaling"].values():
        assert (curve["heads"], curve["width"]) == (measured.HEADS, measured.WIDTH)


def test_the_leap_is_the_price_of_new_memory_as_the_chapter_says():
    """What was recorded: with memory kept there are no page faults, and the steps are as the counts say."""
    new, kept = (measured.fresh()[how] for how in ("new", "kept"))
    stored, linear, page = "softmax, scores stored", "linear attention, causal", 4096
    for n in (2048, 4096):  # scores, scores divided and weights, all of them new
        assert new[stored][n]["faults"] > 3 * measured.HEADS * 4 * n**2 / page
        assert kept[stored][n]["ms"] < 0.6 * new[stored][n]["ms"]
        # Repeated, times move by a fifth.
        assert kept[stored][n]["ms"] / kept[stored][n // 2]["ms"] == pytest.approx(4, rel=0.2)
    for n in (8192, 16_384):
        assert kept[linear][n]["ms"] / kept[linear][n // 2]["ms"] == pytest.approx(2, rel=0.2)
    assert new[stored][1024]["faults"] == 0, "a table below 32 MB was kept"
    assert max(one["faults"] for points in kept.values() for one in points.values()) < 100
    curve = measured.curve(stored)
    assert curve[2048][0] / curve[1024][0] > 10
    assert len(pictures.fresh_table().rows) == sum(map(len, new.values()))
    saved = curve[4096][0] - measured.curve("softmax")[4096][0]
    assert saved / 2 < new[stored][4096]["ms"] - kept[stored][4096]["ms"] < saved


def test_the_last_step_of_linear_attention_goes_from_memory_kept_to_new_memory():
    new, kept = (measured.fresh()[how]["linear attention, causal"] for how in ("new", "kept"))
    last = measured.curve("linear attention, causal")
    assert last[16_384][0] / last[8192][0] > 3
    assert last[8192][0] == pytest.approx(kept[8192]["ms"], rel=0.25)  # repeated, times move by a fifth
    assert last[16_384][0] == pytest.approx(new[16_384]["ms"], rel=0.25)


def test_a_byte_of_a_copy_counts_twice_and_takes_as_long_as_between_a_quarter_of_a_product_and_512():
    copied = 4 * 64 * 8 * (8 * 1024 + 8 * 1024 + 32)  # keys, values and queries of eight texts, in float32
    a_second = 1e3 * 2 * copied / measured.rows()[numbers.DECODING]["copy_ms"]
    products = 1e3 * 2 * 4 * 4096**2 * 64 / measured.curve("softmax")[4096][0]
    told = numbers.numbers()
    assert told["copied"] == pytest.approx(a_second / 1e9)
    assert told["rate"] == pytest.approx(products / 1e9)
    assert told["balance"] == pytest.approx(products / a_second)
    assert told["one_each_byte"] < told["balance"] < told["each_byte"]


def test_memory_is_what_numpy_was_asked_for():
    n = 1 << 20
    assert held(lambda: np.ones(n)) == pytest.approx(8 * n, rel=1e-3)
    assert held(lambda: [np.ones(n), np.ones(n)]) == pytest.approx(2 * 8 * n, rel=1e-3)
    assert np.isnan(held(lambda: np.full(3, np.nan)))


def test_each_call_of_the_table_is_one_that_lib_takes():
    shown = ways.table().rows
    assert [row[0].strip("`") for row in shown] == list(ways.CALLS)
    assert len({row[1] for row in shown}) == 4, "each way once at least"
    small = ways.told(ways.CALLS[-1], lib.attention)
    assert small.shape == (8, 7, 64)


def test_a_table_is_text_in_a_page_and_out_of_it():
    table = Table(("a & b", "n"), (("`x < y`", "7"), ("`of_x=y`", "8")), right=(1,))
    html = table._repr_html_()
    assert "<code>x &lt; y</code>" in html
    assert "<code>of_<wbr>x=y</code>" in html
    assert "a &amp; b" in html
    assert html.count("text-align: right") == 3
    assert repr(table) == "a & b | n\n`x < y` | 7\n`of_x=y` | 8"


def test_the_first_way_without_a_reason_is_taken_and_the_reasons_of_those_before_are_told():
    assert ways.chosen({"one": "why", "two": None, "three": None}) == "two"
    assert ways.chosen({"one": "why"}) == ways.AS_WRITTEN
    assert ways.against({ways.BY_TORCH: None, ways.BLOCKS: "for so few weights"}) == "nothing"
    assert (
        ways.against({ways.BY_TORCH: "with x", ways.BLOCKS: "for y"})
        == "not fused with x; not a few at a time for y"
    )
