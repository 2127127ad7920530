"""*The cost* counts as `book.figures.cost_counts` does; *speed* compares that with what is measured."""

from itertools import product

import numpy as np
import pytest
from figure_page import attributes, number_in, opened, table
from in_node import ask

from book.figures import Cost
from book.figures.cost_counts import ASKS, TOKENS, WIDTHS, WINDOW, counts

STATES = [{"n": n, "d": d, "asks": asks} for n, d, asks in product(TOKENS, WIDTHS, ASKS)]
WAYS = list(counts(64, 16))
ITEM = 4  # bytes


# --- the arithmetic --------------------------------------------------------------------------------


def test_the_script_counts_as_python_does_in_every_state():
    found = ask("state => costs(state)", STATES, view="cost")
    assert found == [[list(one) for one in counts(**state).values()] for state in STATES]


@pytest.mark.parametrize("n", [1, 7, WINDOW, WINDOW + 13])
def test_products_are_those_of_the_pairs_that_a_mask_leaves(n):
    i, j, d = np.arange(n)[:, None], np.arange(n), 5
    masks = np.ones((n, n), bool), np.ones((n, n), bool), j <= i, (j <= i) & (j > i - WINDOW)
    for asks, queries in (("all", slice(None)), ("one", slice(-1, None))):
        found = [one[0] for one in counts(n, d, asks).values()]
        assert found[:4] == [2 * d * mask[queries].sum() for mask in masks]


def test_bytes_are_those_of_the_arrays_by_name():
    n, d = 512, 32
    q = k = v = o = ITEM * n * d
    table, row, state = ITEM * n * n, ITEM * n, ITEM * (d * d + d)
    stored, fused, causal, window, linear = counts(n, d).values()
    assert stored[1:] == (q + k + v + o + 4 * table, q + k + v + o + 2 * table)
    assert fused[1:] == causal[1:] == window[1:] == (q + k + v + o, q + k + v + o + 2 * row)
    assert linear[1:] == (q + k + v + o, q + k + v + o + state)
    one = ITEM * d
    stored, fused, causal, window, linear = counts(n, d, "one").values()
    assert stored[1:] == (one + k + v + one + 4 * row, one + k + v + one + 2 * row)
    assert fused[1:] == causal[1:] == (one + k + v + one, one + k + v + one + 2 * ITEM)
    near = 2 * ITEM * WINDOW * d
    assert window[1:] == (2 * one + near, 2 * one + near + 2 * ITEM)
    assert linear[1:] == (4 * one + 2 * state, 4 * one + state)


@pytest.mark.parametrize("asks", ASKS)
def test_what_is_drawn_full_is_what_four_times_as_much_comes_of_at_twice_the_tokens(asks):
    (full,) = ask(f'() => growsSquared("{asks}")', [0], view="cost")
    small, large = (np.array(list(counts(n, 16, asks).values())) for n in TOKENS[-2:])
    np.testing.assert_array_equal(np.array(full), large > 3 * small)


# --- the picture ---------------------------------------------------------------------------------


def test_no_state_has_a_dot_beyond_the_scale():
    powers = np.log10([list(counts(**state).values()) for state in STATES])
    assert powers.min() > 2
    assert powers.max() < 15


UNITS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
UNITS |= {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


def test_every_number_is_right_to_three_digits_and_below_a_thousand_of_its_unit():
    rows = sorted({x for state in STATES for one in counts(**state).values() for x in one} | {999, 1000, 999_500})
    for kind in (0, 1):
        for x, text in zip(rows, ask(f"x => costText(x, {kind})", rows, view="cost"), strict=True):
            number, _, unit = text.partition(" ")
            assert float(number) * UNITS.get(unit, 1) == pytest.approx(x, rel=0.0051)
            assert float(number) < 1000


@pytest.mark.parametrize(
    "state", [{}, {"n": 131_072}, {"n": 1_048_576, "d": 256, "asks": "one"}, {"n": 64, "d": 16, "asks": "one"}]
)
def test_dots_table_and_controls_are_those_of_the_counts(visit, state):
    figure = Cost(**state)
    page = opened(visit(figure))
    costs = np.array(list(figure.costs.values()))
    wanted = 100 * (np.log10(costs).T.ravel() - 2) / 13
    np.testing.assert_allclose(attributes(page, ".ws-dot", "cx"), wanted, atol=2e-3)
    rows = table(page)
    assert [row[0] for row in rows] == WAYS
    numbers = np.array([[number_in(text) for text in row[1:5]] for row in rows])
    np.testing.assert_allclose(numbers, np.c_[costs, costs[:, 0] / costs[:, 1]], rtol=5.1e-3)
    values = [text.replace("\u202f", "") for text in page.locator(".ws-value").all_text_contents()]
    assert values == [f"n = {figure.n}", f"d = {figure.d}"]
    assert page.get_by_role("radio", checked=True).get_attribute("value") == figure.asks


def test_a_screen_reader_hears_every_number(visit):
    page = visit(Cost(n=4096)).page
    said = page.get_by_role("img").nth(2).get_attribute("aria-label")
    assert said.startswith("bytes held: scores stored 138 MB; fused 4.23 MB; ")
    assert page.get_by_role("slider", name="words n").get_attribute("aria-valuetext") == "n = 4096"
