"""*The compromise*: its maths against those of the page, and the page as a reader's browser shows it."""

import math
import re
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from closed_forms import by_sorting
from figure_page import (
    assert_shares,
    drag,
    frames,
    marks,
    more,
    number_in,
    numbers,
    points,
    press,
    readings,
    ring,
    said,
    slider,
    spot,
)
from gallery import GALLERY
from gallery import THREE as TOKENS
from gallery import THREE_SCORES as SCORES
from gallery import compromise as figure
from in_node import SEED, ask, number
from matplotlib.image import imread
from matplotlib.path import Path

import lib
from book.figures import Compromise

inf = math.inf
SIDE, TALL = 1000, 866  # of the triangle, in its own units
S = np.array(SCORES)
THIRD = np.full(3, 1 / 3)
LOW = [0.1, 0.2, 0.7]  # far down
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
            "point": [None, [1.0, 0, 0], rng.dirichlet([1, 1, 1]).tolist(), [0, 2, 1]][i % 4],
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


def test_what_the_point_earns_pays_and_keeps_is_the_same():
    widget = figure()
    found = ask("(state) => standing(pointOf(state), state, solve(state).beta)", STATES, "compromise")
    for state, answer in zip(STATES, found, strict=True):
        with widget.hold_sync():
            for name, value in state.items():
                setattr(widget, name, value)
        here = widget.standing
        for key in ("p", "earned", "spent", "paid", "kept"):
            np.testing.assert_allclose(
                number(answer[key]), getattr(here, key), rtol=1e-9, atol=1e-11, err_msg=f"{key} of {state}"
            )


@pytest.mark.parametrize("p", [[1, 0, 0], [1, 1, 1], [0.5, 0.36, 0.14], [0, 1, 3]])
@pytest.mark.parametrize("beta", [0.2, 1, 8])
@pytest.mark.parametrize("prior", [None, [2.0, 3.0, 5.0]])
def test_what_is_kept_is_the_objective(p, beta, prior):
    here = figure(beta=beta, point=p, prior=prior).standing
    weights, u = np.array(p) / sum(p), THIRD if prior is None else np.array(prior) / 10
    assert here.earned == pytest.approx(weights @ S)
    assert here.paid == pytest.approx(float(lib.kl_divergence(weights, u)) / beta, abs=1e-15)
    assert here.kept == pytest.approx(float(lib.objective(weights, S, beta, prior=u)))


def test_at_no_price_and_at_any_price():
    assert figure(beta=inf, point=[1, 0, 0]).standing.paid == 0
    assert figure(beta=0).standing.paid == 0
    assert figure(beta=0, point=[1, 0, 0]).standing.kept == -inf


# --- the hill ---------------------------------------------------------------------------------------------

OUTLINES = """({ state, levels }) => {
  const { u, beta, pi } = solve(state);
  return outlines(pi, worthOf(state, beta, u), levels);
}"""
HILL = """(state) => {
  const { u, beta, pi } = solve(state);
  return hill(pi, worthOf(state, beta, u));
}"""


def worth(state, p):
    """What is climbed: J, or β times J for β < 1."""
    beta, u = state["beta"], np.array(state["prior"] or [1, 1, 1]) / sum(state["prior"] or [1, 1, 1])
    kl = lib.kl_divergence(p, np.broadcast_to(u, p.shape))
    return p @ S * min(beta, 1) - kl * (1 if beta < 1 else 0 if beta == inf else 1 / beta)


ON_A_SIDE = 2e-4
STEEP = [0, 0.1, 0.3, 1, 2.5, 8, 40, inf]


@pytest.mark.parametrize("prior", [None, [2.0, 3.0, 5.0], [1.0, 1.0, 98.0]])
@pytest.mark.parametrize("beta", STEEP)
def test_each_band_ends_at_its_level_or_at_a_side_and_holds_all_that_is_worth_as_much(beta, prior):
    state = {"scores": SCORES, "prior": prior, "beta": beta, "mode": "price", "divergence": "kl", "epsilon": 1}
    bands = [np.clip(weights_of(points(d)), 0, 1) for d in ask(HILL, [state], "compromise")[0]]
    assert len(bands) == 8
    grid = np.random.default_rng(SEED).dirichlet([0.7, 0.7, 0.7], 3000)
    spread = worth(state, np.eye(3)).min()
    top = worth(state, np.array(figure(beta=beta, prior=prior).weights))
    for k, band in enumerate(bands):
        level = top - (top - spread) * ((8 - k) / 9) ** 2
        free = (band > ON_A_SIDE * 5).all(axis=1)
        np.testing.assert_allclose(worth(state, band[free]), level, atol=4e-3 * (top - spread))
        assert (worth(state, band) >= level - 0.02 * (top - spread)).all()
        high, inside = worth(state, grid) > level, contains(band, grid)
        wrong = grid[high != inside]
        assert not len(wrong) or distances(band, wrong).max() < 6, "three pixels, where it meets a side"


def on_the_plane(p):
    return np.stack([SIDE * (p[..., 2] + p[..., 0] / 2), TALL * (1 - p[..., 0])], axis=-1)


def contains(outline, p):
    """Which of the points lie within an outline."""
    return Path(on_the_plane(outline)).contains_points(on_the_plane(p))


def distances(outline, p):
    """How far the points are from an outline, in units of the triangle."""
    a, at = on_the_plane(outline), on_the_plane(p)[:, None]
    b = np.roll(a, -1, axis=0) - a
    share = np.clip(((at - a) * b).sum(-1) / np.maximum((b**2).sum(-1), 1e-9), 0, 1)
    return np.hypot(*np.moveaxis(a + share[..., None] * b - at, -1, 0)).min(axis=1)


def test_where_nothing_is_worth_more_there_is_no_band():
    flat = {"scores": [1, 1, 1], "prior": None, "beta": inf, "mode": "price", "divergence": "kl", "epsilon": 1}
    assert ask(HILL, [flat], "compromise")[0] == [""] * 8


def test_a_budget_is_an_outline_too():
    state = {"scores": SCORES, "prior": [2, 3, 5], "beta": 0, "mode": "price", "divergence": "kl", "epsilon": 1}
    u = np.array([0.2, 0.3, 0.5])
    found = ask(OUTLINES, [{"state": state, "levels": [-0.02, -0.3]}], "compromise")[0]
    for epsilon, d in zip([0.02, 0.3], found, strict=True):
        ball = weights_of(points(d))
        ball = ball[(ball > 1e-3).all(axis=1)]
        assert len(ball) > 20
        np.testing.assert_allclose(lib.kl_divergence(ball, np.tile(u, (len(ball), 1))), epsilon, rtol=5e-3)


# --- the still picture --------------------------------------------------------------------------------


def weights_of(places):
    a = 1 - places[:, 1] / TALL
    c = places[:, 0] / SIDE - a / 2
    return np.stack([a, 1 - a - c, c], axis=-1)


def at_place(mark):
    """The weights where a mark of a drawing stands."""
    left, top = re.findall(r"(?:left|top): ?([\d.]+)%", mark["style"])
    return weights_of(np.array([[10 * float(left), 8.66 * float(top)]]))[0]


def axis(x, low=0, high=2):
    """Where the axis of the bars has a number, in percent: it begins a quarter of its length below the lowest."""
    return 100 * np.clip((x - low + (high - low) / 4) / (1.25 * (high - low)), 0, 1)


def bars(html):
    found = marks(html, "ws-bar")
    return np.stack([numbers(found, "x"), numbers(found, "x") + numbers(found, "width")], axis=-1)


def ledger(html):
    """What is written of earned, paid, kept, the best and the top; None for what is not known."""
    texts = [one["text"] for one in marks(html, "ws-value") if re.search(r"ws-of-", one["class"])]
    return [None if text == "–" else number_in(text) for text in texts]


def test_bars_and_numbers_are_what_the_point_earns_pays_and_keeps(draw):
    for state, p in {"plain": THIRD, "low": LOW, "climbed": [0.7, 0.2, 0.1]}.items():
        html, p = draw(GALLERY["compromise"][state]), np.array(p)
        earned, paid = p @ S, float(lib.kl_divergence(p, THIRD))
        kept = float(lib.objective(p, S, 1.0))
        best = max(kept, lib.objective(np.array([0.5, 0.36, 0.14]), S, 1.0)) if state == "climbed" else kept
        top = float(lib.log_partition(S, 1.0))
        wanted = [earned, paid, kept, best, top if state == "climbed" else None]
        assert [x is None for x in ledger(html)] == [x is None for x in wanted]
        for here, there in zip(ledger(html), wanted, strict=True):
            assert here == (None if there is None else pytest.approx(there, abs=5.1e-3))
        lines = [[0, earned], [kept, earned], [0, kept], [0, best], [0, wanted[4] or 0]]
        np.testing.assert_allclose(bars(html), axis(np.array(lines, dtype=float)), atol=1e-3)
        np.testing.assert_allclose(at_place(marks(html, "ws-point")[0]), p, atol=1e-3)
        thick = numbers(marks(html, "ws-arc"), "stroke-width")
        np.testing.assert_allclose(thick / thick.sum(), p, atol=1e-4)


def test_the_essays_table(draw):
    """Equal weights keep 1.43, all the weight on “cat” 0.90, and softmax 1.55."""
    points_ = {"equal": None, "cat": [1, 0, 0], "softmax": lib.softmax(S).tolist()}
    table = {name: ledger(draw(figure(point=p)))[:3] for name, p in points_.items()}
    rounded = {name: [f"{x:.2f}" for x in row] for name, row in table.items()}
    assert rounded == {
        "equal": ["1.43", "0.00", "1.43"],
        "cat": ["2.00", "1.10", "0.90"],
        "softmax": ["1.65", "0.10", "1.55"],
    }


def test_where_a_claim_costs_without_end_bars_end_in_an_arrow(draw):
    html = draw(GALLERY["compromise"]["dear"])
    assert ledger(html)[:4] == [pytest.approx(1.76), inf, -inf, -inf]
    seen = [one["visibility"] for one in marks(html, "ws-beyond")]
    assert seen == ["hidden", "visible", "visible", "visible", "hidden"]
    np.testing.assert_allclose(bars(html)[1:3], axis(np.array([[-9, 1.76], [-9, 0]])), atol=1e-3)
    assert ledger(html)[4] == pytest.approx(S.mean(), abs=5.1e-3)


@pytest.mark.parametrize("state", ["climbed", "dear", "edge", "steep", "corner"])
def test_the_top_is_the_maps_weights_at_the_end_of_the_way_from_the_null(draw, state):
    made = GALLERY["compromise"][state]
    html, best = draw(made), np.array(made.weights)
    null = np.array(made.prior or [1, 1, 1]) / sum(made.prior or [1, 1, 1])
    gone = weights_of(points(marks(html, "ws-gone")[0]["d"]))
    np.testing.assert_allclose(gone[[0, -1]], [null, best], atol=2e-4)
    assert (np.diff(gone @ made.scores) >= -1e-3).all()
    way = weights_of(points(marks(html, "ws-way")[0]["d"]))
    np.testing.assert_allclose(way[[0, -1]], [null, [1, 0, 0]], atol=2e-4)
    np.testing.assert_allclose(at_place(marks(html, "ws-of-best")[0]), best, atol=1e-3)
    np.testing.assert_allclose(at_place(marks(html, "ws-ring")[0]), null, atol=1e-3)


@pytest.mark.parametrize("state", ["plain", "low", "climbed", "dear", "corner"])
def test_the_corners_say_the_points_weights(draw, state):
    made = GALLERY["compromise"][state]
    corners = re.findall(r"<small>(.*?) points</small><b[^>]*>(.*?)</b>", draw(made))
    assert [float(score) for score, _ in corners] == made.scores
    shares = [share for _, share in corners]
    assert_shares(shares, made.standing.p)
    assert [share in ("0%", "100%") for share in shares] == [weight in (0, 1) for weight in made.standing.p]


def test_the_top_and_its_way_are_not_given_away_before_they_are_asked_for(draw):
    html = draw(GALLERY["compromise"]["low"])
    lines = [marks(html, f"ws-{kind}")[0]["d"] for kind in ("way", "gone", "casing", "best")]
    assert lines == [""] * 4
    assert marks(html, "ws-tag ws-of-best") == []
    assert "top" not in marks(html, "ws-say")[0]["text"]


# --- a reader climbs ------------------------------------------------------------------------------------


def best(page):
    """The weights where the dot is, to the tenth of the triangle's thousand units that it is drawn to."""
    path = page.locator(".ws-best").first.get_attribute("d")
    return weights_of(points(path.replace("h.1", "")))[0].tolist()


def assert_best(page, scores=SCORES, beta=1.0, prior=None, divergence="kl"):
    row = {"scores": scores, "alpha": ALPHAS[divergence], "prior": prior}
    np.testing.assert_allclose(best(page), by_sorting(row, beta), atol=2e-4)


def mine(page):
    """The weights of the point, where it is drawn, to the half percent that it can be moved to."""
    path = page.locator(".ws-arc").first.get_attribute("d")
    return np.round(200 * weights_of(points(path)[:1])[0]) / 200


def kept(p, beta=1.0):
    return float(lib.objective(np.array(p, dtype=float), S, beta))


def written(page):
    return [None if text == "–" else number_in(text) for text in page.locator("b.ws-value").all_text_contents()]


def assert_ledger(page, p, pin=None, beta=1.0, top=None):
    p = np.array(p)
    best_ = kept(p if pin is None else pin, beta)
    wanted = [p @ S, float(lib.kl_divergence(p, THIRD)) / beta, kept(p, beta), best_]
    for here, there in zip(written(page), [*wanted, top], strict=True):
        assert here == (None if there is None else pytest.approx(there, abs=5.1e-3))


HINT = "drag me uphill"


@pytest.mark.parametrize("width", [1032, 688, 360])
def test_at_rest_there_are_the_three_bars_and_after_a_drag_the_best_and_the_top(visit, width):
    page = visit(figure(point=LOW), width=width).page
    names = lambda: [one.text_content() for one in page.locator(".ws-name").all() if one.is_visible()]  # noqa: E731
    tall = page.locator(".ws-figure").bounding_box()["height"]
    assert names() == ["earned", "− paid", "= kept"]
    assert said(page) == "The lighter the ground, the more you keep."
    drag(page, [0.5, 0.36, 0.14])
    assert names() == ["earned", "− paid", "= kept", "your best", "the top"]
    assert page.locator(".ws-figure").bounding_box()["height"] == pytest.approx(tall, abs=1)


def test_at_the_top_nothing_is_to_be_dragged(visit):
    page = visit(figure(point=LOW)).page
    press(page, "show the top")
    assert page.get_by_text(HINT).count() == 0
    assert page.locator(".ws-name:visible").all_text_contents()[-1] == "the top"
    press(page, "hide the top")
    assert page.get_by_text(HINT).is_visible()


@pytest.mark.parametrize("width", [1032, 688, 360])
@pytest.mark.parametrize("point", [LOW, None, [0.1, 0.7, 0.2]])
def test_the_badge_lies_between_the_spokes_and_in_the_triangle(visit, width, point):
    page = visit(figure(point=point), width=width).page
    badge, plot = (page.locator(one).bounding_box() for one in (".ws-tag.ws-call", ".ws-simplex .ws-svg"))
    sides = [badge["x"], badge["x"] + badge["width"]]
    for x in sides:
        for y in (badge["y"], badge["y"] + badge["height"]):
            at = np.array([[x - plot["x"], y - plot["y"]]]) / plot["width"] * SIDE
            assert weights_of(at).min() > 0 or point is None
    p = weights_of((np.array([ring(page)]) - [plot["x"], plot["y"]]) / plot["width"] * SIDE)[0]
    for corner in np.eye(3):
        spoke = np.array([spot(page, p + t * (corner - p)) for t in np.linspace(0, 1, 200)])
        on = (spoke[:, 0] > sides[0]) & (spoke[:, 0] < sides[1])
        inside = (spoke[on, 1] > badge["y"]) & (spoke[on, 1] < badge["y"] + badge["height"])
        assert not inside.any()


@pytest.mark.parametrize("width", [1032, 688, 360])
def test_high_up_the_badge_stands_beside_the_knob_and_clear_of_the_corner(visit, width):
    page = visit(figure(point=[0.9, 0.05, 0.05]), width=width).page
    parts = (".ws-tag.ws-call", ".ws-point .ws-knob", ".ws-corner >> nth=0", ".ws-figure")
    badge, knob, corner, whole = (page.locator(one).bounding_box() for one in parts)
    middle = lambda box: box["y"] + box["height"] / 2  # noqa: E731
    assert middle(badge) == pytest.approx(middle(knob), abs=1)
    assert 5 <= knob["x"] - (badge["x"] + badge["width"]) <= 20
    assert badge["x"] >= whole["x"]
    beside = corner["x"] >= knob["x"] + knob["width"] + 5
    assert beside or corner["y"] + corner["height"] <= knob["y"]


def test_what_is_next_is_the_top_and_then_the_price(visit):
    page = visit(figure(point=LOW), width=360).page
    badges = lambda: page.locator(".ws-call:visible").all_text_contents()  # noqa: E731
    meant = lambda: page.locator(".ws-summit.ws-meant").count()  # noqa: E731
    assert (badges(), meant()) == ([HINT], 0)
    drag(page, [0.3, 0.3, 0.4])
    assert (badges(), meant()) == ([], 0), "on the way up nothing is given away"
    drag(page, [0.5, 0.36, 0.14])
    assert (badges(), meant()) == ([], 1)
    press(page, "show the top")
    assert (badges(), meant()) == (["change the price"], 0)
    badge, track = (page.locator(one).bounding_box() for one in (".ws-price-me", ".ws-price .ws-track"))
    assert badge["x"] + badge["width"] < track["x"] + track["width"]
    assert badge["y"] + badge["height"] < track["y"] + 12, "over the thumb"
    for key in ("PageUp", "PageDown"):
        slider(page, "price").press(key)
        assert (badges(), meant()) == ([], 0)


def test_who_is_stuck_is_offered_the_top_and_who_gains_is_not(visit):
    page = visit(figure(point=LOW)).page
    meant = lambda: page.locator(".ws-summit.ws-meant").count()  # noqa: E731
    for p in ([0.2, 0.2, 0.6], [0.3, 0.2, 0.5], [0.3, 0.25, 0.45], [0.3, 0.3, 0.4]):
        drag(page, p)
        assert not meant(), "each step was a gain"
    for p in ([0.2, 0.2, 0.6], [0.1, 0.4, 0.5]):
        drag(page, p)
        assert not meant()
    drag(page, [0.1, 0.3, 0.6])
    assert meant()
    press(page, "Reset")
    drag(page, [0.3, 0.3, 0.4])
    assert not meant()


@pytest.mark.parametrize("beta", [0.3, 1.0, 3.0])
def test_the_fine_is_what_the_top_keeps_more(draw, beta):
    html = draw(figure(beta=beta, point=LOW, top="shown"))
    fine = marks(html, "ws-fine")[0]
    ends = [numbers([fine], "x")[0], numbers([fine], "x")[0] + numbers([fine], "width")[0]]
    wanted = axis(np.array([max(kept(LOW, beta), -0.5), float(lib.log_partition(S, beta))]))
    np.testing.assert_allclose(ends, wanted, atol=1e-3)
    assert marks(html, "ws-fine-name")[0]["visibility"] == "visible"
    assert marks(draw(figure(point=LOW)), "ws-fine")[0]["visibility"] == "hidden", "not before the top is shown"


@pytest.mark.parametrize("width", [1032, 360])
@pytest.mark.parametrize("beta", [0.2, 1.0, 5.0, inf])
def test_the_name_of_the_top_stands_beside_the_triangle(visit, width, beta):
    page = visit(figure(beta=beta, point=LOW, top="shown"), width=width).page
    parts = (".ws-of-best > span >> nth=1", ".ws-simplex .ws-svg")
    name, plot = (page.locator(one).bounding_box() for one in parts)
    assert page.locator(".ws-tag.ws-of-best").text_content() == f"softmax {written(page)[4]:.2f}"
    low = (name["y"] + name["height"] - plot["y"]) / plot["height"]
    assert name["x"] + name["width"] < plot["x"] + plot["width"] * (0.5 - low / 2)
    assert name["x"] > 0


def test_the_path_of_the_tops_stays_within_the_triangle(draw):
    for kind in ("casing", "way", "gone"):
        assert marks(draw(figure(top="shown")), f"ws-{kind}")[0]["clip-path"].startswith("url(#")


@pytest.mark.parametrize("point", [[0.2, 0.16, 0.64], [0.3, 0.3, 0.4], [0.7, 0.2, 0.1], [0.05, 0.9, 0.05]])
def test_the_name_of_equal_weights_is_not_under_the_knob_and_has_paper_under_it(visit, point):
    for width in (1032, 360):
        page = visit(figure(point=LOW), width=width).page
        drag(page, point)
        name = page.locator(".ws-of-null")
        if not name.count():
            continue
        assert name.evaluate("el => getComputedStyle(el).backgroundColor") != "rgba(0, 0, 0, 0)"
        box, (x, y) = name.bounding_box(), ring(page)
        across = max(box["x"] - x, x - box["x"] - box["width"])
        along = max(box["y"] - y, y - box["y"] - box["height"])
        assert max(across, along) > 0, "the middle of the knob"


def test_a_thick_spoke_does_not_stick_out_of_its_corner(visit):
    page = visit(figure(point=[0.1, 0.1, 0.8]), width=1032).page
    box = page.locator(".ws-simplex .ws-svg").bounding_box()
    left, below = box["x"] + box["width"] + 1.5, box["y"] + box["height"] + 1.5
    corner = {"x": left, "y": below - 20, "width": 12, "height": 20}
    foot = {"x": left - 30, "y": below, "width": 30, "height": 6}
    for clip in (corner, foot):
        png = page.screenshot(clip=clip)
        pixels = (255 * imread(BytesIO(png)))[..., :3]
        assert pixels.min() > 250, "nothing but paper"


@pytest.mark.parametrize("width", [1032, 360])
@pytest.mark.parametrize("beta", [1.0, 5.0, 30.0, inf])
def test_the_curve_has_its_name_and_no_name_touches_another(visit, width, beta):
    for pin in (None, [0.5, 0.36, 0.14], [0.97, 0.02, 0.01]):
        page = visit(figure(beta=beta, point=[0.7, 0.2, 0.1], pin=pin), width=width).page
        assert page.locator(".ws-way-name").is_hidden()
        press(page, "show the top")
        assert page.locator(".ws-way-name").text_content() == "the top at other prices"
        names = ".ws-way-name, .ws-corner, .ws-of-best.ws-tag, .ws-of-pin.ws-tag"
        boxes = [one.bounding_box() for one in page.locator(names).all()]
        for i, a in enumerate(boxes):
            for b in boxes[i + 1 :]:
                apart_x = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
                assert apart_x or a["y"] + a["height"] <= b["y"] + 1 or b["y"] + b["height"] <= a["y"] + 1
        svg = page.locator(".ws-simplex .ws-svg").bounding_box()
        low, size = svg["y"], svg["height"]
        at = page.locator(".ws-way-name").bounding_box()
        edge = svg["x"] + svg["width"] * (0.5 + (at["y"] + at["height"] - low) / size / 2)
        assert at["x"] > edge, "beside the triangle"


def test_the_point_is_dragged_by_a_mouse_and_the_best_that_it_passed_keeps_a_pin(visit):
    page = visit(figure(point=LOW)).page
    assert page.get_by_text(HINT).is_visible()
    assert_ledger(page, LOW)
    drag(page, [0.5, 0.36, 0.14])
    np.testing.assert_allclose(mine(page), [0.5, 0.36, 0.14])
    np.testing.assert_allclose(ring(page), spot(page, [0.5, 0.36, 0.14]), atol=0.6)
    assert page.get_by_text(HINT).count() == 0
    assert_ledger(page, [0.5, 0.36, 0.14])
    assert page.locator(".ws-pin").count() == 0, "the point itself is the best"
    page.mouse.move(*ring(page))
    page.mouse.down()
    for p in ([0.52, 0.34, 0.14], [0.7, 0.2, 0.1]):
        page.mouse.move(*spot(page, p))
    passed = [0.52, 0.34, 0.14]
    assert_ledger(page, [0.7, 0.2, 0.1], pin=passed)
    page.mouse.up()
    pin = page.locator(".ws-of-pin")
    assert pin.text_content() == f"{kept(passed):.2f}"
    drag(page, [0.2, 0.2, 0.6])
    assert_ledger(page, mine(page), pin=passed)
    press(page, "show the top")
    assert_ledger(page, mine(page), pin=passed, top=float(lib.log_partition(S, 1.0)))
    assert_best(page)
    assert said(page).startswith(f"You kept {kept(passed):.2f}")


def test_beyond_the_sides_it_stays_at_the_nearest_point_and_near_the_null_it_is_the_null(visit):
    page = visit(figure(point=LOW)).page
    for to, lands in [
        ([1.4, -0.2, -0.2], [1, 0, 0]),
        ([-0.5, 0.75, 0.75], [0, 0.5, 0.5]),
        ([-0.1, -0.2, 1.3], [0, 0, 1]),
    ]:
        drag(page, to)
        np.testing.assert_allclose(mine(page), lands, atol=5.1e-3)
    drag(page, [0.34, 0.33, 0.33])
    assert written(page)[1] == 0
    told = slider(page, "your weights").get_attribute("aria-valuetext")
    assert told == "cat 33%, milk 33%, it 33%: keeps 1.43"


def finger(touch, *moves):
    """Touch events through the browser's own protocol, which may scroll the page."""
    for kind, at in moves:
        points_ = [{"x": at[0], "y": at[1]}] if at else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points_})


def test_the_point_is_dragged_by_a_finger_and_does_not_jump_when_touched(visit):
    page = visit(figure(point=LOW), width=360, has_touch=True).page
    touch = page.context.new_cdp_session(page)
    x, y = ring(page)
    finger(touch, ("touchStart", (x + 12, y - 9)), ("touchMove", (x + 12, y - 9)))
    np.testing.assert_allclose(mine(page), LOW)
    there = spot(page, [0.5, 0.3, 0.2])
    finger(touch, ("touchMove", (there[0] + 12, there[1] - 9)), ("touchEnd", None))
    np.testing.assert_allclose(mine(page), [0.5, 0.3, 0.2], atol=5.1e-3)
    assert page.evaluate("scrollY") == 0


def test_a_swipe_that_begins_beside_the_knob_scrolls_the_page_and_changes_nothing(visit):
    found = visit(figure(point=LOW), "<div style='height: 2000px'></div>", width=360, has_touch=True)
    page = found.page
    touch = page.context.new_cdp_session(page)
    for start in (spot(page, THIRD), spot(page, [0.6, 0.3, 0.1])):
        page.evaluate("scrollTo(0, 0)")
        moves = [("touchMove", (start[0], start[1] - step)) for step in range(10, 160, 15)]
        finger(touch, ("touchStart", start), *moves, ("touchEnd", None))
        page.wait_for_function("scrollY > 50")
        np.testing.assert_allclose(mine(page), LOW)


def test_keys_push_the_point_up_down_left_and_right(visit):
    page = visit(figure(point=[0.4, 0.4, 0.2])).page
    knob = slider(page, "your weights")
    before = ring(page)
    for key, p, way in [
        ("ArrowUp", [0.41, 0.395, 0.195], (0, -1)),
        ("ArrowRight", [0.41, 0.385, 0.205], (1, 0)),
        ("ArrowDown", [0.4, 0.39, 0.21], (0, 1)),
        ("ArrowLeft", [0.4, 0.4, 0.2], (-1, 0)),
        ("PageUp", [0.5, 0.35, 0.15], (0, -1)),
        ("PageDown", [0.4, 0.4, 0.2], (0, 1)),
    ]:
        knob.press(key)
        np.testing.assert_allclose(mine(page), p, atol=1e-9, err_msg=key)
        assert (np.sign(np.round(np.subtract(ring(page), before))) == way).all(), key
        before = ring(page)
    for _ in range(8):
        knob.press("PageUp")
    np.testing.assert_allclose(mine(page), [1, 0, 0], atol=1e-9)
    assert knob.get_attribute("aria-valuetext") == "cat 100%, milk 0%, it 0%: keeps 0.90"
    assert knob.get_attribute("aria-valuenow") == "100"
    knob.press("Home")
    assert_ledger(page, THIRD, pin=[0.5, 0.35, 0.15])


def test_a_climber_by_keys_reaches_the_top_and_is_told_so(visit):
    page = visit(figure(point=LOW)).page
    knob, moves = slider(page, "your weights"), ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]
    back = dict(zip(moves, ["ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft"], strict=True))
    for _ in range(80):
        here = mine(page)
        for key in moves:
            knob.press(key)
            if kept(mine(page)) > kept(here) + 1e-9:
                break
            knob.press(back[key])
        else:
            break
    np.testing.assert_allclose(mine(page), lib.softmax(S), atol=0.015)
    press(page, "show the top")
    assert re.match(r"You (kept|keep) 1\.55, and the top keeps no more\.", said(page))


def test_at_another_price_the_pin_of_the_old_one_goes_and_the_top_moves(visit):
    page = visit(figure(point=[0.7, 0.2, 0.1], pin=[0.5, 0.36, 0.14], top="shown")).page
    assert page.locator(".ws-pin").count() == 1
    hill = lambda: page.locator(".ws-band").last.get_attribute("d")  # noqa: E731
    before = hill()
    slider(page, "price").press("PageUp")
    assert page.locator(".ws-pin").count() == 0
    assert_ledger(page, [0.7, 0.2, 0.1], beta=2.0, top=float(lib.log_partition(S, 2.0)))
    assert_best(page, beta=2.0)
    assert hill() != before
    slider(page, "price").press("Home")
    np.testing.assert_allclose(best(page), THIRD, atol=2e-4)
    slider(page, "price").press("End")
    assert best(page) == pytest.approx([1, 0, 0], abs=2e-4)


def test_a_drag_redraws_the_point_and_leaves_the_hill_alone(visit):
    page = visit(figure(point=LOW, top="shown")).page
    page.evaluate("""() => {
      window.touched = 0;
      const watch = new MutationObserver((all) => (window.touched += all.length));
      const drawn = document.querySelectorAll('.ws-band, .ws-way, .ws-best');
      for (const el of drawn) watch.observe(el, { attributes: true });
    }""")
    drag(page, [0.5, 0.3, 0.2])
    assert page.evaluate("window.touched") == 0
    slider(page, "price").press("ArrowRight")
    assert page.evaluate("new Promise(done => setTimeout(() => done(window.touched)))") > 5


def test_the_axis_of_the_bars_stands_still(visit):
    page = visit(figure(point=LOW)).page
    zero = lambda: page.locator(".ws-ledger .ws-zero").get_attribute("x1")  # noqa: E731
    before = zero()
    for key in ("Home", "End", "PageDown"):
        slider(page, "price").press(key)
        drag(page, [0.9, 0.1, 0])
        assert zero() == before
        drag(page, LOW)


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize(
    ("point", "pin"),
    [(LOW, None), ([1, 0, 0], [0.5, 0.36, 0.14]), ([0, 0, 1], [0.6, 0.3, 0.1]), ([0, 1, 0], [0.5, 0.3, 0.2])],
)
def test_names_on_the_hill_lie_on_the_page_and_not_on_one_another(visit, width, point, pin):
    page = visit(figure(point=point, pin=pin, top="shown"), width=width).page
    boxes = [one.bounding_box() for one in page.locator(".ws-tag:not(:empty)").all()]
    for i, a in enumerate(boxes):
        assert a["x"] > 0
        assert a["x"] + a["width"] < width
        for b in boxes[i + 1 :]:
            apart_x = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
            assert apart_x or a["y"] + a["height"] <= b["y"] + 1 or b["y"] + b["height"] <= a["y"] + 1


CONTRAST = """() => [...document.querySelectorAll('.ws-band')].map(el => getComputedStyle(el).fill)"""


def luminance(colour):
    parts = [float(x) for x in re.findall(r"[\d.]+", colour.removeprefix("color(srgb"))[:3]]
    scale = 1 if colour.startswith("color") else 255
    linear = [x / scale / 12.92 if x / scale <= 0.04045 else ((x / scale + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_top_of_the_hill_stands_out_from_its_foot(visit, theme):
    found = [luminance(colour) + 0.05 for colour in visit(figure(), theme=theme).page.evaluate(CONTRAST)]
    assert found == sorted(found), "the higher, the lighter"
    assert max(found) / min(found) > 2
    assert min(b / a for a, b in pairwise(found)) > 1.05


# --- a budget, and what is behind More ------------------------------------------------------------


def line(page, kind):
    """The weights along a line of the picture."""
    return weights_of(points(page.locator(f".ws-{kind}").first.get_attribute("d")))


def test_the_best_within_a_budget_is_where_its_outline_touches_a_line_of_equal_score(visit):
    page = visit(figure(mode="budget", epsilon=0.3, prior=[2, 3, 5], top="shown")).page
    u = np.array([0.2, 0.3, 0.5])
    assert lib.kl_divergence(np.array(best(page)), u) == pytest.approx(0.3, abs=1e-3)
    touch = line(page, "touch")
    np.testing.assert_allclose(touch @ SCORES, best(page) @ S, atol=1e-3)
    assert (line(page, "ball") @ S).max() == pytest.approx(best(page) @ S, abs=1e-3)


def test_weights_beyond_the_budget_are_no_best(visit):
    page = visit(figure(mode="budget", epsilon=0.3, point=[0.5, 0.3, 0.2])).page
    earned = np.array([0.5, 0.3, 0.2]) @ S
    assert written(page)[3] == pytest.approx(earned, abs=5.1e-3)
    page.mouse.move(*ring(page))
    page.mouse.down()
    page.mouse.move(*spot(page, [0.95, 0.03, 0.02]))
    page.mouse.up()
    assert written(page)[3] == pytest.approx(earned, abs=5.1e-3), "the pin stays where the budget reached"
    assert "more than the budget" in said(page)
    assert figure(mode="budget", epsilon=0.3, point=[0.95, 0.03, 0.02]).standing.spent > 0.3


def test_the_readings_add_up(visit):
    page = visit(figure(beta=2.5, prior=[2, 3, 5])).page
    gain, price, spent, left = readings(page)
    assert price == 0.4
    assert left == pytest.approx(gain - price * spent, abs=0.011)
    wanted = lib.log_partition(np.array(SCORES), 2.5, prior=np.array([2, 3, 5.0]))
    assert left == pytest.approx(float(wanted), abs=0.006)


def test_the_point_one_slider_and_one_button_are_in_view_and_the_choices_behind_more(visit):
    page = visit(figure()).page
    groups = "[role=radiogroup], .ws-point, .ws-range, .ws-summit, .ws-more *"
    seen = [el for el in page.locator(groups).all() if el.is_visible()]
    assert [el.get_attribute("class") for el in seen] == ["ws-point", "ws-range", "ws-button ws-summit"]
    assert page.locator(".ws-read").is_hidden()
    more(page)
    assert page.get_by_role("radiogroup").count() == 2
    assert page.locator(".ws-more .ws-read").is_visible()


@pytest.mark.parametrize("still", [False, True])
def test_the_top_glides_along_its_curve_unless_motion_is_unwanted(visit, still):
    page = visit(figure(top="shown"), still=still).page
    seen = frames(page, "() => document.querySelector('.ws-best').getAttribute('d')", "PageUp")
    assert_best(page, beta=2.0)
    between = {frame for frame in seen if frame not in (seen[0], seen[-1])}
    assert not between if still else between
    betas = np.geomspace(0.5, 20, 4000)[:, None]
    way = lib.softmax(np.array(SCORES), betas)
    for frame in seen:
        at = weights_of(points(frame.replace("h.1", "")))[0]
        assert np.abs(way - at).max(axis=1).min() < 2e-3
