"""What the chapter *speed* shows is what was measured and what `lib` does; none of it is timed here."""

from pathlib import Path

import numpy as np
import pytest

import lib
from lib.book.counting import held
from lib.book.speed import measured, pictures, ways

ROOT = Path(__file__).parents[1]


def test_the_chapter_has_the_results_of_the_last_full_run():
    """After `make bench`: cp bench/results.json lib/book/speed/results.json."""
    ours = ROOT / "lib" / "book" / "speed" / "results.json"
    assert ours.read_bytes() == (ROOT / "bench" / "results.json").read_bytes()


def test_what_was_missed_is_what_the_reasons_are_given_for():
    reasons = (ROOT / "bench" / "missed.md").read_text("utf-8")
    assert [name for name in measured.rows() if f"- `{name}`" in reasons] == measured.missed()


def test_a_row_that_takes_too_much_memory_is_missed():
    row = {"ratio": 0.5, "target": 1.0, "limit_mb": 30, "ours_mb": 29.0}
    assert measured.reached(row)
    assert not measured.reached(row | {"ours_mb": 31.0})
    assert not measured.reached(row | {"ratio": 1.1})
    assert measured.reached(row | {"limit_mb": None, "ours_mb": 31.0})


def test_the_table_of_the_benchmark_has_each_row_about_attention():
    lines = pictures.table().data.splitlines()[2:]
    assert len(lines) == sum("attention" in name or "decode" in name for name in measured.rows()) > 20
    assert sum(line.endswith("missed |") for line in lines) == 2


def test_the_curves_are_of_heads_and_width_as_the_chapter_says():
    for curve in measured.results()["scaling"].values():
        assert (curve["heads"], curve["width"]) == (measured.HEADS, measured.WIDTH)


def test_memory_is_what_numpy_was_asked_for():
    n = 1 << 20
    assert held(lambda: np.ones(n)) == pytest.approx(8 * n, rel=1e-3)
    assert held(lambda: np.ones(n) + np.ones(n)) == pytest.approx(3 * 8 * n, rel=1e-3)
    assert np.isnan(held(lambda: np.full(3, np.nan)))


def test_each_call_of_the_table_is_one_that_lib_takes():
    cells = [line.split("|")[1:-1] for line in ways.table().data.splitlines()[2:]]
    assert [cell[0].strip(" `") for cell in cells] == list(ways.CALLS)
    assert len({cell[3] for cell in cells}) == 4, "each way once at least"
    small = ways.told(ways.CALLS[-1], lib.attention)
    assert small.shape == (8, 7, 64)


def test_the_first_way_without_a_reason_is_taken():
    assert ways.chosen({"one": "why", "two": None, "three": None}) == "two"
    assert ways.chosen({"one": "why"}) == ways.AS_WRITTEN
