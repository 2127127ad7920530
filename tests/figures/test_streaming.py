"""*Streaming* reads, splits and merges as `lib` does."""

import math
from itertools import product

import numpy as np
import pytest
from figure_page import attributes, number_in, table
from gallery import stream as example
from in_node import SEED, ask, number

from book.example import SCORES, TOKENS
from lib import attention_with_lse, merge_attention

VALUES = [0, 1, 0, 0, 1, 0, 0]
N = len(TOKENS)


def last(cut, n=N):
    return max(cut, n - cut) + 1 if cut else n


STATES = [
    {"step": step, "cut": cut, "direction": direction}
    for cut, direction in product(range(N), ("left", "right"))
    for step in range(last(cut) + 1)
]


def keys_read(step, cut, direction, n=N):
    """The keys that each part has read, before any merge."""
    halves = np.split(np.arange(n), [cut] if cut else [])
    return [(half if direction == "left" else half[::-1])[:step] for half in halves]


# --- the arithmetic --------------------------------------------------------------------------------


def test_parts_and_merge_are_those_of_lib_in_every_state():
    rng = np.random.default_rng(SEED)
    rows = [{"scores": list(SCORES), "values": VALUES, **state} for state in STATES]
    for scale in (1.0, 300.0):  # the second would overflow without the shift
        for cut in (0, 1, 5, 12):
            scores, values = (rng.normal(size=13) * scale).tolist(), rng.normal(size=13).tolist()
            rows += [
                {"scores": scores, "values": values, "step": step, "cut": cut, "direction": "right"}
                for step in range(last(cut, 13) + 1)
            ]
    found = ask("row => streamed(row)", rows, view="streaming")
    for row, got in zip(rows, found, strict=True):
        scores, values = np.array(row["scores"]), np.array(row["values"], dtype=float)
        read = keys_read(row["step"], row["cut"], row["direction"], len(scores))
        done = [
            attention_with_lse(np.ones((1, 1)), scores[keys, None], values[keys, None], beta=1.0) for keys in read
        ]
        tops = [scores[keys].max() if len(keys) else -math.inf for keys in read]
        for part, keys, top, (output, lse) in zip(got["parts"], read, tops, done, strict=True):
            assert part["read"] == keys.tolist()
            assert number(part["top"]) == top
            assert number(part["sum"]) == pytest.approx(np.exp(lse[0] - top) if len(keys) else 0, rel=1e-12)
            assert number(part["output"]) == pytest.approx(output[0, 0] if len(keys) else 0, rel=1e-9, abs=1e-14)
        if row["cut"] and row["step"] == last(row["cut"], len(scores)):
            output, lse = merge_attention(*zip(*done, strict=True))
            assert got["merged"]["top"] == scores.max()
            assert got["merged"]["sum"] == pytest.approx(np.exp(lse[0] - scores.max()), rel=1e-12)
            assert got["merged"]["output"] == pytest.approx(output[0, 0], rel=1e-9, abs=1e-14)
            tops = [scores.max()] * 2
        else:
            assert got["merged"] in (None, 0)
        terms = np.full(len(scores), np.nan)
        for keys, top in zip(read, tops, strict=True):
            terms[keys] = np.exp(scores[keys] - top)
        np.testing.assert_allclose(number([math.nan if t is None else t for t in got["terms"]]), terms, rtol=1e-13)


@pytest.mark.parametrize("state", STATES[::5])
def test_the_parts_that_python_reads_are_the_sums_by_hand(state):
    parts = example(**state).parts
    scores, values = np.array(SCORES), np.array(VALUES)
    read = keys_read(**state)
    if state["cut"] and state["step"] == last(state["cut"]):
        read = [np.arange(N)]
    for part, keys in zip(parts, read, strict=True):
        if not len(keys):
            assert part == [-math.inf, 0, 0]
            continue
        grown = np.exp(scores[keys] - scores[keys].max())
        wanted = [scores[keys].max(), grown.sum(), grown @ values[keys] / grown.sum()]
        np.testing.assert_allclose(part, wanted, rtol=1e-13)


# --- the picture ---------------------------------------------------------------------------------


def test_equal_parts_are_only_added(draw):
    figure = example(tokens=["a", "b"], scores=[1, 1], values=[0, 1], step=2, cut=1)
    assert "same largest score, and their sums are added." in draw.sentence(figure)


def assert_shown(page, step=0, cut=0, direction="left"):
    """Bars, table and controls are those of `lib` in this state."""
    figure = example(step=step, cut=cut, direction=direction)
    read = keys_read(step, cut, direction)
    merged = bool(cut) and step == last(cut)
    scores, values, parts = np.array(SCORES), np.array(VALUES), figure.parts
    tops = [scores.max()] * 2 if merged else [part[0] for part in parts]
    terms = np.zeros(N)
    for keys, top in zip(read, tops, strict=True):
        terms[keys] = np.exp(scores[keys] - top)
    np.testing.assert_allclose(attributes(page, "rect.ws-weight", "height") / 59, terms, atol=2e-5)
    rows = table(page)
    assert [row[0] for row in rows] == (["first part", "second part", "merged"] if cut else ["all keys"])
    if merged:
        halves = [(scores[keys], values[keys]) for keys in read]
        parts = [(s.max(), np.exp(s - s.max()).sum(), np.exp(s) @ v / np.exp(s).sum()) for s, v in halves] + parts
    for row, part in zip(rows, parts, strict=False):
        for text, wanted in zip(row[2:], part, strict=True):
            assert text == "–" or number_in(text) == pytest.approx(wanted, abs=6e-4)
    assert page.locator("input[type=checkbox]").is_checked() == (direction == "right")
    assert page.get_by_role("slider", name="keys read").input_value() == str(step)
    assert page.get_by_role("slider", name="split after").input_value() == str(cut)


LABELS = [
    ({"step": 3}, ["3 read", "not split"], "their total is the sum b"),
    ({"step": 5, "cut": 2}, ["5 of each", "split after 2"], "each part has its own sum b"),
    ({"step": 6, "cut": 2}, ["merged", "split after 2"], "their total is the sum b"),
    ({"step": 5, "cut": 2, "direction": "right"}, ["5 of each", "split after 2"], "each part has its own sum b"),
]


@pytest.mark.parametrize(("state", "labels", "total"), LABELS, ids=str)
def test_one_part_two_parts_and_the_merge_are_those_of_lib_and_named(visit, state, labels, total):
    page = visit(example(**state)).page
    assert_shown(page, **state)
    assert page.locator(".ws-value").all_inner_texts() == labels
    assert page.locator(".ws-head").all_inner_texts()[1].replace("\n", " ").endswith(total)
