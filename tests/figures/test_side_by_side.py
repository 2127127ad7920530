"""*Side by side* draws and says what `lib` computes, in the states that scores, β and α lead to."""

import math

import numpy as np
import pytest
from figure_page import assert_map, more, number_in, opened, points, press, table, tops
from gallery import side
from in_node import assert_same

from book.alternatives.maps import random_rows, reaches_zero
from book.example import SCORES
from lib import entmax

inf = math.inf
CURVE = 140
LEADS = np.linspace(-4, 4, 161)


def expected(scores=SCORES, beta=1.0, alpha=1.5):
    """{map: (its α, the weights)}, by lib."""
    alphas = {"softmax": 1.0, "entmax": alpha, "sparsemax": 2.0}
    return {name: (a, entmax(np.array(scores), alpha=a, beta=beta)) for name, a in alphas.items()}


# --- the numbers -------------------------------------------------------------------------------------


def test_a_weight_reaches_zero_where_the_book_says():
    rows = [[x.tolist(), alpha] for x in random_rows(60, seed=5) for alpha in (1.02, 1.2, 1.5, 2.0)]
    rows += [[[1.0, 1.0], 2.0]]  # ties have no lead
    wanted = lambda row: reaches_zero(np.array(row[0]), row[1])  # noqa: E731
    assert_same("([scores, alpha]) => reachesZero(scores, alpha)", rows, wanted, "side_by_side", rtol=1e-9)
    overflowing = [[[0.0, 5000.0], 1.001]]
    wanted = lambda _: [0.2, inf]  # noqa: E731
    assert_same("([scores, alpha]) => reachesZero(scores, alpha)", overflowing, wanted, "side_by_side", rtol=1e-9)


def test_who_has_weight_is_what_lib_says():
    betas = (0.0, 0.3, 1.0, -1.0, 7.0)
    rows = [[x.tolist(), alpha, b] for x in random_rows(60, seed=6) for alpha in (1.2, 1.5, 2.0) for b in betas]
    wanted = lambda row: entmax(np.array(row[0]), alpha=row[1], beta=row[2]) > 0  # noqa: E731
    assert_same("(row) => supportOf(...row)", rows, wanted, "side_by_side")


def test_python_has_the_weights():
    widget = side(alpha=1.25, beta=3)
    for name, (_, weights) in expected(beta=3.0, alpha=1.25).items():
        np.testing.assert_allclose(widget.maps[name], weights)


# --- the picture -------------------------------------------------------------------------------------


STATES = [
    {},
    {"beta": 10.0, "alpha": 1.2},
    {"beta": -2.0, "alpha": 2.0},
    {"beta": inf},
    {"beta": 0.0, "alpha": 1.0},
]
STATES += [{"beta": 0.01, "scores": [0.2, 2.0, 1.1, 0.2, 2.5, -0.6, 0.8]}]


@pytest.mark.parametrize("state", STATES, ids=str)
def test_bars_rings_curves_and_the_table_are_those_of_lib(visit, state):
    page = opened(visit(side(**state)))
    rows = table(page)
    two = np.stack([LEADS, np.zeros_like(LEADS)], axis=-1)
    beta = state.get("beta", 1.0)
    for k, (name, (alpha, weights)) in enumerate(expected(**state).items()):
        rounded = name == "softmax" and math.isfinite(beta)  # its zeros are rounding, and not shown as zeros
        assert_map(page, name, weights, (weights == 0) & (not rounded), [row[k + 2] for row in rows])
        y = points(page.locator(f".ws-two path.ws-{name}").get_attribute("d"))[:, 1]
        np.testing.assert_allclose((12 + CURVE - y) / CURVE, entmax(two, alpha=alpha, beta=beta)[:, 0], atol=1e-4)
    assert [number_in(row[1]) for row in rows] == pytest.approx(list(state.get("scores", SCORES)))


def test_two_tokens_wait_behind_more_unless_they_are_asked_for(visit):
    page = visit(side()).page
    assert page.locator(".ws-two").is_hidden()
    more(page)
    assert page.locator(".ws-two").is_visible()
    assert visit(side(pair=True)).page.locator(".ws-two").is_visible()


@pytest.mark.parametrize(("width", "beside"), [(1280, True), (360, False)])
def test_maps_stand_beside_the_scores_where_there_is_room_and_alpha_is_in_view(visit, width, beside):
    page = visit(side(), width=width).page
    scores, maps = (page.locator(f".ws-of-{part}").bounding_box() for part in ("scores", "maps"))
    assert (scores["y"] == maps["y"]) == (scores["x"] + scores["width"] < maps["x"]) == beside
    alpha = page.get_by_role("slider", name="α of entmax")
    assert alpha.count() == (1 if beside else 0)
    more(page)
    assert alpha.count() == 1


def test_ticks_stand_over_the_beta_at_which_tokens_drop_out(visit):
    page = visit(side()).page
    track = page.locator(".ws-beta .ws-range").bounding_box()
    for name, alpha in (("entmax", 1.5), ("sparsemax", 2.0)):
        sizes = reaches_zero(np.array(SCORES), alpha)
        places = 120 + 50 * np.log10(sizes[np.isfinite(sizes)])
        middles = page.eval_on_selector_all(
            f".ws-tick-mark.ws-{name}",
            "all => all.map(el => el.getBoundingClientRect()).map(box => box.left + box.width / 2)",
        )
        wanted = track["x"] + 12 + places / 240 * (track["width"] - 24)
        np.testing.assert_allclose(sorted(middles), sorted(wanted), atol=1.5)


def test_ticks_can_be_kept_behind_more_until_they_are_asked_for(visit):
    page = visit(side(ticks="hidden", caption="A caption.")).page
    ticks, before = page.locator(".ws-dropouts"), tops(page)
    assert not ticks.is_visible()
    more(page)
    page.get_by_role("checkbox", name="ticks where a token drops out").check()
    assert ticks.is_visible()
    press(page, "More")  # again, which closes it
    assert tops(page) == before
    page.get_by_role("button", name="Reset").click()
    assert not ticks.is_visible()
