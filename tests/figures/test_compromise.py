"""*The compromise* as a reader's browser shows it, in a page without a kernel."""

import math
import re

import numpy as np
import pytest
from compromise_page import (
    SCORES,
    assert_best,
    best,
    choose,
    drag,
    figure,
    null_of,
    points_of,
    points_of_path,
    ring,
    spot,
    weights_of,
)
from figure_page import frames, more, opened, rgb, said

import lib

inf = math.inf


def test_the_null_is_dragged_and_the_best_weights_follow(visit):
    page = visit(figure()).page
    for to in ([0.2, 0.3, 0.5], [0.06, 0.9, 0.04]):
        drag(page, to)
        assert null_of(page) == [100 * p for p in to]
        assert_best(page, prior=to)
        np.testing.assert_allclose(ring(page), spot(page, to), atol=0.6)
    drag(page, [-0.5, 0.75, 0.75])  # outside: it stays at the nearest point with a hundredth each
    assert null_of(page) == pytest.approx([1, 49.5, 49.5], abs=0.6)
    drag(page, [1.4, -0.2, -0.2])
    assert null_of(page) == [98, 1, 1]
    drag(page, [0.34, 0.325, 0.335])  # near the middle it is uniform
    assert_best(page, prior=[1, 1, 1])
    assert null_of(page) == [33, 33, 33]


ACROSS_A_SIDE = """() => {
  const { left, right, top, bottom } = document.querySelector(".ws-compromise .ws-edge").getBoundingClientRect();
  const name = document.querySelector(".ws-of-best").getBoundingClientRect();
  const inset = (bottom - name.top) / (bottom - top) * (right - left) / 2;
  return name.left < left + inset || name.right > right - inset;
}"""


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0])
def test_the_name_of_the_best_point_lies_across_no_side(visit, beta, width):
    assert not visit(figure(beta=beta), width=width).page.evaluate(ACROSS_A_SIDE)


def test_the_null_is_dragged_by_a_finger(visit):
    found = visit(figure(), width=360, has_touch=True)
    touch = found.context.new_cdp_session(found.page)
    end = spot(found.page, [0.2, 0.3, 0.5])
    for kind, at in [("touchStart", ring(found.page)), ("touchMove", end), ("touchEnd", None)]:
        points = [{"x": at[0], "y": at[1]}] if at else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert null_of(found.page) == pytest.approx([20, 30, 50], abs=1)


def test_the_null_answers_to_keys_share_by_share(visit):
    page = visit(figure(prior=[20, 30, 50])).page
    sliders = page.get_by_role("slider", name="null u, share of")
    assert sliders.count() == 3
    sliders.nth(0).focus()
    page.keyboard.press("ArrowUp")
    assert null_of(page) == [21, 30, 49]  # the others in proportion: 29.6 and 49.4
    assert_best(page, prior=[0.21, 0.79 * 3 / 8, 0.79 * 5 / 8])
    page.keyboard.press("End")
    assert null_of(page) == [98, 1, 1]
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    assert null_of(page)[1] == 1
    line = page.locator(".ws-corner .ws-token").nth(1).evaluate("el => getComputedStyle(el).textDecorationLine")
    assert line == "underline"


def test_a_key_leaves_the_middle(visit):
    for key, share in [("ArrowUp", 34), ("ArrowDown", 32)]:
        page = visit(figure()).page
        page.get_by_role("slider", name="share of milk").press(key)
        assert null_of(page)[1] == share


def test_a_price_becomes_the_budget_it_spends_and_back(visit):
    page = visit(figure(beta=2.5)).page
    before = best(page)
    choose(page, "budget")
    assert best(page) == pytest.approx(before, abs=2e-4)
    spent = float(lib.kl_divergence(lib.softmax(np.array(SCORES), 2.5), np.full(3, 1 / 3)))
    assert page.locator(".ws-budget .ws-value").inner_text() == f"ε = {spent:.3g} nats"
    assert page.get_by_role("slider", name="inverse temperature").is_hidden()
    choose(page, "price")
    assert best(page) == pytest.approx(before, abs=2e-4)
    slider = page.get_by_role("slider", name="inverse temperature")
    assert slider.get_attribute("aria-valuetext") == "β = 2.5, price 0.4"


def test_a_budget_sets_beta(visit):
    page = opened(visit(figure(mode="budget")))
    for epsilon in (0.25, 0.0, 0.9, 1.3, 1.0986):
        page.get_by_role("textbox", name="ε").fill(str(epsilon))
        page.keyboard.press("Enter")
        beta = float(lib.beta_for_kl(np.array(SCORES), epsilon))
        assert_best(page, beta=beta)
        assert ("allows nothing" in said(page)) == (beta == 0)
        assert ("is spent in full" in said(page)) == (0 < beta < inf)
        assert ("More would buy nothing: β = ∞" in said(page)) == (beta == inf)


def test_the_budgets_slider_answers_to_keys(visit):
    page = visit(figure(mode="budget", epsilon=0.3)).page
    slider = page.get_by_role("slider", name="budget")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext").startswith("ε = 0.310 nats, β = ")
    assert_best(page, beta=float(lib.beta_for_kl(np.array(SCORES), 0.31)))
    page.keyboard.press("End")
    assert best(page) == [1, 0, 0]


def test_the_ball_is_where_the_divergence_is_the_budget(visit):
    page = visit(figure(mode="budget", epsilon=0.3, prior=[2, 3, 5])).page
    ball = np.clip(weights_of(points_of(page, "ball")), 0, 1)
    assert len(ball) > 100
    np.testing.assert_allclose(lib.kl_divergence(ball, np.tile([0.2, 0.3, 0.5], (len(ball), 1))), 0.3, atol=0.01)
    touch = weights_of(points_of(page, "touch"))
    np.testing.assert_allclose(touch @ SCORES, best(page) @ np.array(SCORES), atol=1e-3)


def test_the_lines_of_a_price_are_those_of_equal_objective(visit):
    page = visit(figure(beta=2.0, prior=[2, 3, 5])).page
    level = weights_of(points_of(page, "level"))
    level = level[(level > 0.01).all(axis=1)]
    u = np.array([0.2, 0.3, 0.5])
    values = lib.objective(level, np.tile(SCORES, (len(level), 1)), 2.0, prior=u)
    top = float(lib.log_partition(np.array(SCORES), 2.0, prior=u))
    corners = [SCORES[i] + math.log(u[i]) / 2 for i in range(3)]
    steps = (top - values) / (top - min(corners)) * 10
    assert set(np.rint(steps)) == set(range(1, 10))
    np.testing.assert_allclose(steps, np.rint(steps), atol=0.05)


@pytest.mark.parametrize("divergence", ["tsallis", "euclidean"])
def test_another_divergence_has_its_own_answer_hue_and_line(visit, divergence):
    page, name = visit(figure(beta=2.0)).page, {"tsallis": "entmax", "euclidean": "sparsemax"}[divergence]
    look = "el => [getComputedStyle(el).stroke, getComputedStyle(el).strokeDasharray]"
    way = page.locator(".ws-gone")
    assert way.evaluate(look) == [rgb("weight", "light"), "none"]
    choose(page, name)
    assert_best(page, beta=2.0, divergence=divergence)
    hue, dashes = way.evaluate(look)
    assert (hue, dashes == "none") == (rgb(name, "light"), False)
    assert page.locator(".ws-best").evaluate(look)[0] == rgb("weight", "light")


def test_kl_reaches_no_edge_at_a_finite_beta_and_the_others_do(visit):
    page = visit(figure(beta=100)).page
    assert "Each weight is above 0, as at every finite β." in said(page)
    shown = page.locator(".ws-corner b")
    assert shown.all_inner_texts() == [">99.9%", "<0.1%", "<0.1%"]
    more(page)
    for name in ["entmax", "sparsemax"]:
        choose(page, name)
        assert shown.all_inner_texts() == ["100%", "0%", "0%"]
        assert "A corner at a finite β: two have exactly 0." in said(page)
    page.get_by_role("textbox", name="β").fill("1.7")
    page.keyboard.press("Enter")
    assert "An edge at a finite β: “it” has exactly 0." in said(page)


def test_another_divergence_keeps_beta_also_under_a_budget(visit):
    page = opened(visit(figure(mode="budget", epsilon=0.3)))
    beta = float(lib.beta_for_kl(np.array(SCORES), 0.3))
    for name, divergence in [("sparsemax", "euclidean"), ("entmax", "tsallis"), ("softmax", "kl")]:
        choose(page, name)
        assert_best(page, beta=beta, divergence=divergence)


def test_scores_and_shares_are_typed_in_the_table(visit):
    page = opened(visit(figure()))
    rows = page.locator(".ws-table tbody tr")
    rows.nth(2).get_by_role("spinbutton").nth(0).fill("2.25")
    rows.nth(0).get_by_role("spinbutton").nth(1).fill("20")
    page.keyboard.press("Tab")
    assert_best(page, scores=[2, 1.5, 2.25], prior=[0.2, 0.4, 0.4])
    rows.nth(0).get_by_role("spinbutton").nth(1).fill("0")
    page.keyboard.press("Tab")
    assert "stays" in page.get_by_role("status").inner_text()
    assert null_of(page) == [20, 40, 40]


def test_a_negative_beta_is_refused(visit):
    page = opened(visit(figure(beta=2.0)))
    field = page.get_by_role("textbox", name="β")
    field.fill("-1")
    field.press("Enter")
    assert "β is 0 or more" in page.get_by_role("status").inner_text()
    assert field.input_value() == "2"
    assert_best(page, beta=2.0)


def test_the_readings_add_up(visit):
    page = visit(figure(beta=2.5, prior=[2, 3, 5])).page
    texts = page.locator(".ws-read dd").all_inner_texts()
    gain, price, spent, left = (float(re.match(r"[\d.]+", text)[0]) for text in texts)
    assert price == 0.4
    assert left == pytest.approx(gain - price * spent, abs=0.011)
    wanted = lib.log_partition(np.array(SCORES), 2.5, prior=np.array([2, 3, 5.0]))
    assert left == pytest.approx(float(wanted), abs=0.006)


def test_the_null_and_one_slider_are_in_view_and_the_choices_behind_more(visit):
    page = visit(figure()).page
    groups = "[role=radiogroup], .ws-point, .ws-range, .ws-more *"
    seen = [el for el in page.locator(groups).all() if el.is_visible()]
    assert [el.get_attribute("class") for el in seen] == ["ws-point", "ws-range"]
    assert page.locator(".ws-read").is_hidden()
    more(page)
    assert page.get_by_role("radiogroup").count() == 2
    assert page.locator(".ws-more .ws-read").is_visible()


@pytest.mark.parametrize("still", [False, True])
def test_the_dot_glides_along_its_path_unless_motion_is_unwanted(visit, still):
    page = visit(figure(), still=still).page
    seen = frames(page, "() => document.querySelector('.ws-best').getAttribute('d')", "PageUp")
    assert_best(page, beta=10.0)
    between = {frame for frame in seen if frame not in (seen[0], seen[-1])}
    assert not between if still else between
    betas = np.geomspace(0.5, 20, 4000)[:, None]
    way = lib.softmax(np.array(SCORES), betas)
    for frame in seen:
        at = weights_of(points_of_path(frame.replace("h.1", "")))[0]
        assert np.abs(way - at).max(axis=1).min() < 2e-3
