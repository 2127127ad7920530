"""*Side by side* draws and says what `lib` computes, before and after a reader has moved a score, β or α."""

import math
import re

import numpy as np
import pytest
from figure_page import OVERLAPS, more, pull, tops, wait_until_ready
from in_node import ask

from lib import entmax
from lib.book.alternatives.maps import random_rows, reaches_zero
from lib.book.example import SCORES, TOKENS
from lib.figures import SideBySide

S = np.array(SCORES)
UNIT = 58 / 4  # pixels for a point, as long as all scores lie between −1 and 3
CURVE = 140
LEADS = np.linspace(-4, 4, 161)
NAMES = ("softmax", "entmax", "sparsemax")


def figure(**options):
    return SideBySide(TOKENS, SCORES, **options)


def expected(scores=S, beta=1.0, alpha=1.5):
    """The weights under each map, by lib."""
    s, alphas = np.array(scores), zip(NAMES, (1.0, alpha, 2.0), strict=True)
    return {name: entmax(s, alpha=a, beta=beta) for name, a in alphas}


def assert_shown(page, scores=S, beta=1.0, alpha=1.5):
    """Bars, rings, curves and the table are those of lib."""
    rows = page.eval_on_selector_all(
        ".ws-table tbody tr",
        "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))",
    )
    for k, (name, weights) in enumerate(expected(scores, beta, alpha).items()):
        heights = page.eval_on_selector_all(
            f"rect.ws-bar.ws-{name}", "all => all.map(el => parseFloat(el.getAttribute('height')))"
        )
        np.testing.assert_allclose(np.array(heights) / 100, weights, atol=1e-9)
        rings = page.eval_on_selector_all(
            f"circle.ws-ring.ws-{name}", "all => all.map(el => el.getAttribute('visibility'))"
        )
        rounded = name == "softmax" and math.isfinite(beta)  # its zeros are rounding, and not shown as zeros
        zeros = np.zeros(len(weights), dtype=bool) if rounded else weights == 0
        assert [shown == "visible" for shown in rings[: len(weights)]] == zeros.tolist()
        for w, row in zip(weights, rows, strict=True):
            if re.fullmatch(r"[\d.]+%", row[k + 1]):
                digits = len(row[k + 1].partition(".")[2]) - 1 if "." in row[k + 1] else 0
                assert float(row[k + 1][:-1]) == pytest.approx(100 * w, abs=0.51 * 10**-digits)
            else:
                assert row[k + 1] == ("0" if w == 0 and not rounded else "<0.1%" if w < 0.5 else ">99.9%")
    for name, a in zip(NAMES, (1.0, alpha, 2.0), strict=True):
        path = page.locator(f".ws-two path.ws-{name}").get_attribute("d")
        y = np.array([float(point.split()[1]) for point in path.strip("M").split("L")])
        two = np.stack([LEADS, np.zeros_like(LEADS)], axis=-1)
        np.testing.assert_allclose((12 + CURVE - y) / CURVE, entmax(two, alpha=a, beta=beta)[:, 0], atol=1e-4)
    assert [float(row[0].replace("−", "-")) for row in rows] == pytest.approx(list(scores))


# --- the numbers -------------------------------------------------------------------------------------


def test_a_weight_reaches_zero_where_the_book_says():
    rows = [[x.tolist(), alpha] for x in random_rows(60, seed=5) for alpha in (1.02, 1.2, 1.5, 2.0)]
    found = ask(
        "([scores, alpha]) => reachesZero(scores, alpha).map(x => x === Infinity ? -1 : x)", rows, "side_by_side"
    )
    for (scores, alpha), sizes in zip(rows, found, strict=True):
        wanted = reaches_zero(np.array(scores), alpha)
        np.testing.assert_allclose(sizes, np.where(np.isinf(wanted), -1, wanted), rtol=1e-9)


def test_who_has_weight_is_what_lib_says():
    betas = (0.0, 0.3, 1.0, -1.0, 7.0)
    rows = [[x.tolist(), alpha, b] for x in random_rows(60, seed=6) for alpha in (1.2, 1.5, 2.0) for b in betas]
    found = ask("(row) => supportOf(...row)", rows, "side_by_side")
    for (scores, alpha, beta), there in zip(rows, found, strict=True):
        assert there == (entmax(np.array(scores), alpha=alpha, beta=beta) > 0).tolist()


def test_no_power_overflows_and_ties_have_no_lead():
    (wide,) = ask("([scores, alpha]) => reachesZero(scores, alpha)", [[[0.0, 5000.0], 1.001]], "side_by_side")
    assert wide[0] == pytest.approx(0.2, rel=1e-9)
    (tied,) = ask("(scores) => reachesZero(scores, 2).map(x => x === Infinity)", [[1.0, 1.0]], "side_by_side")
    assert tied == [True, True]


# --- the picture of the build ------------------------------------------------------------------------


@pytest.mark.parametrize(("beta", "alpha"), [(1.0, 1.5), (0.3, 1.2), (-2.0, 2.0), (0.0, 1.0)])
def test_the_picture_has_the_weights_of_lib(draw, beta, alpha):
    html = draw(figure(beta=beta, alpha=alpha)._repr_html_())
    for name, weights in expected(beta=beta, alpha=alpha).items():
        found = [float(x) for x in re.findall(rf'class="ws-bar ws-{name}"[^>]* height="([\d.e-]+)%"', html)]
        np.testing.assert_allclose(np.array(found) / 100, weights, atol=1e-3)


# --- a reader moves it -------------------------------------------------------------------------------


def test_keys_move_beta_alpha_and_scores(visit):
    page = visit(figure()).page
    more(page)
    assert_shown(page)
    slider = page.get_by_role("slider", name="inverse temperature β")
    for key, beta in [("ArrowRight", 1.25), ("PageUp", 10.0), ("PageUp", 100.0), ("End", math.inf), ("Home", 0.0)]:
        slider.press(key)
        assert_shown(page, beta=beta)
    alpha = page.get_by_role("slider", name="α of entmax")
    slider.press("PageUp")
    for key, value in [("Home", 1.0), ("ArrowRight", 1.01), ("End", 2.0)]:
        alpha.press(key)
        assert_shown(page, beta=0.01, alpha=value)
    page.get_by_role("slider", name="score of milk").press("PageUp")
    assert_shown(page, scores=S + np.eye(7)[4], beta=0.01, alpha=2.0)


def test_a_pointer_drags_a_score(visit):
    page = visit(figure()).page
    pull(page, 4, 0.5 * UNIT)
    more(page)
    assert_shown(page, scores=S + 0.5 * np.eye(7)[4])


def test_a_pointer_moves_alpha(visit):
    page = visit(figure()).page
    more(page)
    box = page.get_by_role("slider", name="α of entmax").bounding_box()
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    assert_shown(page, alpha=2.0)


def test_two_tokens_wait_behind_more_unless_they_are_asked_for(visit):
    page = visit(figure()).page
    assert page.locator(".ws-two").is_hidden()
    more(page)
    assert page.locator(".ws-two").is_visible()
    assert visit(figure(pair=True)).page.locator(".ws-two").is_visible()


@pytest.mark.parametrize(("width", "beside"), [(1280, True), (360, False)])
def test_maps_stand_beside_the_scores_where_there_is_room_and_alpha_is_in_view(visit, width, beside):
    page = visit(figure(), width=width).page
    scores, maps = (page.locator(f".ws-of-{part}").bounding_box() for part in ("scores", "maps"))
    assert (scores["y"] == maps["y"]) == (scores["x"] + scores["width"] < maps["x"]) == beside
    alpha = page.get_by_role("slider", name="α of entmax")
    assert alpha.count() == (1 if beside else 0)
    more(page)
    assert alpha.count() == 1


def test_ticks_stand_over_the_beta_at_which_tokens_drop_out(visit):
    page = visit(figure()).page
    track = page.locator(".ws-beta .ws-range").bounding_box()
    for name, alpha in (("entmax", 1.5), ("sparsemax", 2.0)):
        sizes = reaches_zero(S, alpha)
        places = 120 + 50 * np.log10(sizes[np.isfinite(sizes)])
        boxes = page.eval_on_selector_all(
            f".ws-tick-mark.ws-{name}",
            "all => all.map(el => { const b = el.getBoundingClientRect(); return b.left + b.width / 2; })",
        )
        wanted = track["x"] + 12 + places / 240 * (track["width"] - 24)
        np.testing.assert_allclose(sorted(boxes), sorted(wanted), atol=1.5)


def test_ticks_can_be_kept_behind_more_until_they_are_asked_for(visit):
    found = visit(figure(ticks="hidden", caption="A caption."))
    page = found.page
    ticks = page.locator(".ws-dropouts")
    before = tops(page)
    assert not ticks.is_visible()
    more(page)
    page.get_by_role("checkbox", name="ticks where a token drops out").check()
    assert ticks.is_visible()
    more(page)
    assert tops(page) == before
    more(page)
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_function("document.querySelector('.ws-status').textContent.match(/link/i)")
    assert page.url.endswith("#side-by-side?ticks=shown")
    with found.beside(page.url) as again:
        wait_until_ready(again)
        assert again.locator(".ws-dropouts").is_visible()
    page.get_by_role("button", name="Reset").click()
    assert not ticks.is_visible()


@pytest.mark.parametrize("width", [1280, 600, 360])
def test_heads_fit_on_one_line(visit, width):
    page = visit(figure(), width=width).page
    for beta in ("Home", "End", "PageDown", "PageDown"):
        page.get_by_role("slider", name="inverse temperature β").press(beta)
        assert page.evaluate(OVERLAPS, ".ws-of-map span") == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- Python ------------------------------------------------------------------------------------------


def test_python_has_the_weights():
    widget = figure(alpha=1.25, beta=3)
    for name, weights in expected(beta=3.0, alpha=1.25).items():
        np.testing.assert_allclose(widget.maps[name], weights)
