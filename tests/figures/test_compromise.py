"""*The compromise*: its maths against those of the page, and the page as a reader's browser shows it."""

import math
import re

import numpy as np
import pytest
from closed_forms import by_sorting
from figure_page import assert_shares, drag, frames, marks, more, points, readings, ring, spot
from gallery import GALLERY
from gallery import THREE as TOKENS
from gallery import THREE_SCORES as SCORES
from gallery import compromise as figure
from in_node import SEED, ask, number

import lib
from book.figures import Compromise

inf = math.inf
SIDE, TALL = 1000, 866  # of the triangle, in its own units
ALPHAS = {"kl": 1.0, "tsallis": 1.5, "euclidean": 2.0}
MAPS = {
    "kl": lib.softmax,
    "tsallis": lambda s, beta, prior: lib.entmax(s, alpha=1.5, beta=beta, prior=prior),
    "euclidean": lib.sparsemax,
}


@pytest.mark.parametrize("divergence", MAPS)
@pytest.mark.parametrize("beta", [0, 0.7, 3, 50.0, inf])
def test_weights_are_those_of_the_map(divergence, beta):
    prior = np.array([0.2, 0.3, 0.5])
    widget = figure(beta=beta, prior=prior, divergence=divergence)
    np.testing.assert_allclose(widget.weights, MAPS[divergence](np.array(SCORES), beta, prior=prior), atol=1e-14)


@pytest.mark.parametrize("divergence", MAPS)
@pytest.mark.parametrize("epsilon", [0, 0.01, 0.2, 5, inf])
def test_a_budget_is_spent_in_full_or_does_not_bind(divergence, epsilon):
    answer = figure(mode="budget", epsilon=epsilon, divergence=divergence).answer
    if epsilon >= 5:
        assert answer.beta == inf
        assert answer.pi.tolist() == [1, 0, 0]
    else:
        assert answer.spent == pytest.approx(epsilon, rel=1e-9, abs=1e-15)
        assert (answer.beta == 0) == (epsilon == 0)


@pytest.mark.parametrize("divergence", MAPS)
def test_a_budget_is_never_exceeded_where_the_best_tie(divergence):
    tied = Compromise(["a", "b", "c"], [1, 1, 0], prior=[1, 5, 14], mode="budget", divergence=divergence)
    for epsilon in np.linspace(0, 1.5, 21):
        tied.epsilon = epsilon
        assert tied.answer.spent <= epsilon * (1 + 1e-9) + 1e-15


def some_states(count):
    rng = np.random.default_rng(SEED)
    for i in range(count):
        scores = rng.normal(size=3)
        prior = rng.dirichlet([2, 2, 2]).tolist() if i % 3 else None
        yield {
            "tokens": TOKENS,
            "scores": (scores if i % 7 else np.round(scores)).tolist(),
            "prior": prior,
            "beta": float(rng.choice([0, 0.01, 0.3, 1, 2.5, 8, 40, inf])),
            "epsilon": float(rng.choice([0, 0.003, 0.05, 0.2, 0.4, 1, inf])),
            "mode": ["price", "budget"][i % 2],
            "divergence": list(MAPS)[i % 3 - 1],
        }


STATES = list(some_states(150))


def test_answers_are_the_same():
    widget = figure()
    for state, answer in zip(STATES, ask("(state) => solve(state)", STATES, "compromise"), strict=True):
        with widget.hold_sync():
            for name, value in state.items():
                setattr(widget, name, value)
        here = widget.answer
        for key in ("u", "beta", "pi", "spent", "gain", "left"):
            np.testing.assert_allclose(
                number(answer[key]), getattr(here, key), rtol=1e-9, atol=1e-11, err_msg=f"{key} of {state}"
            )


@pytest.mark.parametrize("divergence", MAPS)
def test_the_way_is_made_of_best_weights_and_turns_exactly_at_the_edges(divergence):
    u, alpha = np.array([0.2, 0.3, 0.5]), ALPHAS[divergence]
    answer = "({ scores, alpha, u }) => route(scores, alpha, u)"
    steps = ask(answer, [{"scores": SCORES, "alpha": alpha, "u": u.tolist()}], "compromise")[0]
    betas, way = number([step["beta"] for step in steps]), number([step["pi"] for step in steps])
    best = lambda beta: MAPS[divergence](np.array(SCORES), beta, prior=u)  # noqa: E731
    for beta, pi in zip(betas, way, strict=True):
        np.testing.assert_allclose(pi, best(beta), atol=1e-9)
    assert (np.diff(betas) > 0).all()
    assert way[0].tolist() == pytest.approx(u.tolist())
    assert way[-1].tolist() == [1, 0, 0]
    if alpha > 1:  # the last weights with all three above 0 and the first without lie together
        turn = np.flatnonzero((way > 0).all(axis=1))[-1]
        assert np.abs(way[turn + 1] - way[turn]).max() < 0.1
        assert way[turn + 1].min() == 0
        assert best(betas[turn + 1] * (1 - 1e-9)).min() > 0


def test_the_grid_of_small_triangles_covers_the_large_one_once():
    points, corners = ask(
        "(p) => [GRID, CELLS.map((cell) => cell.map((k) => place(GRID[k])))]", [0], "compromise"
    )[0]
    assert len(np.unique(points, axis=0)) == len(points)
    a, b = (np.array(corners)[:, k] - np.array(corners)[:, 0] for k in (1, 2))
    areas = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2
    assert areas.sum() == pytest.approx(SIDE * TALL / 2)


def test_contours_lie_where_the_value_is():
    levels = [1.1, 1.7]
    answer = "({ scores, levels }) => contours(GRID.map((p) => dot(p, scores)), levels)"
    d = ask(answer, [{"scores": SCORES, "levels": levels}], "compromise")[0]
    values = weights_of(np.array(re.findall(r"[\d.]+", d), dtype=float).reshape(-1, 2)) @ SCORES
    away = np.abs(values[:, None] - levels)
    assert away.min(axis=1).max() < 1e-3
    assert (away.min(axis=0) < 1e-3).all()


# --- the page -----------------------------------------------------------------------------------------


def weights_of(places):
    a = 1 - places[:, 1] / TALL
    c = places[:, 0] / SIDE - a / 2
    return np.stack([a, 1 - a - c, c], axis=-1)


def best(page):
    """The weights where the dot is, to the tenth of the triangle's thousand units that it is drawn to."""
    path = page.locator(".ws-best").first.get_attribute("d")
    return weights_of(points(path.replace("h.1", "")))[0].tolist()


def assert_best(page, scores=SCORES, beta=1.0, prior=None, divergence="kl"):
    row = {"scores": scores, "alpha": ALPHAS[divergence], "prior": prior}
    np.testing.assert_allclose(best(page), by_sorting(row, beta), atol=2e-4)


def null_of(page):
    texts = page.locator(".ws-share").first.get_attribute("aria-valuetext")
    return [float(share) for share in re.findall(r"([\d.]+)%", texts)]


def line(page, kind):
    """The weights along a line of the picture."""
    return weights_of(points(page.locator(f".ws-{kind}").first.get_attribute("d")))


@pytest.mark.parametrize("state", ["plain", "budget", "edge", "steep"])
def test_the_way_from_the_null_ends_at_the_best_and_both_are_named(draw, state):
    made = GALLERY["compromise"][state]
    html, best = draw(made), np.array(made.weights)
    null = np.array(made.prior or [1, 1, 1]) / sum(made.prior or [1, 1, 1])
    gone = weights_of(points(marks(html, "ws-gone")[0]["d"]))
    np.testing.assert_allclose(gone[[0, -1]], [null, best], atol=2e-4)
    assert (np.diff(gone @ made.scores) >= -1e-3).all()
    for kind, p in [("ws-of-null", null), ("ws-of-best", best), ("ws-point", null)]:
        left, top = re.findall(r"[\d.]+", marks(html, kind)[0]["style"])
        np.testing.assert_allclose(weights_of(np.array([[10 * float(left), 8.66 * float(top)]]))[0], p, atol=1e-3)
    corners = re.findall(r"<small>s = (.*?)</small><b[^>]*>(.*?)%</b>", html)
    assert [float(score) for score, _ in corners] == made.scores
    shares = [f"{share}%" for _, share in corners]
    assert_shares(shares, best)
    assert [share in ("0%", "100%") for share in shares] == [weight in (0, 1) for weight in best]


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


def test_the_ball_is_where_the_divergence_is_the_budget(visit):
    page = visit(figure(mode="budget", epsilon=0.3, prior=[2, 3, 5])).page
    ball = np.clip(line(page, "ball"), 0, 1)
    assert len(ball) > 100
    np.testing.assert_allclose(lib.kl_divergence(ball, np.tile([0.2, 0.3, 0.5], (len(ball), 1))), 0.3, atol=0.01)
    touch = line(page, "touch")
    np.testing.assert_allclose(touch @ SCORES, best(page) @ np.array(SCORES), atol=1e-3)


def test_the_lines_of_a_price_are_those_of_equal_objective(visit):
    page = visit(figure(beta=2.0, prior=[2, 3, 5])).page
    level = line(page, "level")
    level = level[(level > 0.01).all(axis=1)]
    u = np.array([0.2, 0.3, 0.5])
    values = lib.objective(level, np.tile(SCORES, (len(level), 1)), 2.0, prior=u)
    top = float(lib.log_partition(np.array(SCORES), 2.0, prior=u))
    corners = [SCORES[i] + math.log(u[i]) / 2 for i in range(3)]
    steps = (top - values) / (top - min(corners)) * 10
    assert set(np.rint(steps)) == set(range(1, 10))
    np.testing.assert_allclose(steps, np.rint(steps), atol=0.05)


def test_the_readings_add_up(visit):
    page = visit(figure(beta=2.5, prior=[2, 3, 5])).page
    gain, price, spent, left = readings(page)
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
        at = weights_of(points(frame.replace("h.1", "")))[0]
        assert np.abs(way - at).max(axis=1).min() < 2e-3
