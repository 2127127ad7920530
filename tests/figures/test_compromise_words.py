"""The Python side of *the compromise*: traits, JSON, and its maths against those of the page."""

import math
import re

import numpy as np
import pytest
from compromise_page import ALPHAS, SCORES, SIDE, TALL, TOKENS, figure, weights_of
from in_node import SEED, ask, number

import lib
from book.figures import Compromise

inf = math.inf
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


def ask_page(answer, rows):
    return ask(answer, rows, view="compromise")


def test_answers_are_the_same():
    widget = figure()
    for state, answer in zip(STATES, ask_page("(state) => solve(state)", STATES), strict=True):
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
    steps = ask_page(answer, [{"scores": SCORES, "alpha": alpha, "u": u.tolist()}])[0]
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
    points, corners = ask_page("(p) => [GRID, CELLS.map((cell) => cell.map((k) => place(GRID[k])))]", [0])[0]
    assert len(np.unique(points, axis=0)) == len(points)
    a, b = (np.array(corners)[:, k] - np.array(corners)[:, 0] for k in (1, 2))
    areas = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2
    assert areas.sum() == pytest.approx(SIDE * TALL / 2)


def test_contours_lie_where_the_value_is():
    levels = [1.1, 1.7]
    answer = "({ scores, levels }) => contours(GRID.map((p) => dot(p, scores)), levels)"
    d = ask_page(answer, [{"scores": SCORES, "levels": levels}])[0]
    values = weights_of(np.array(re.findall(r"[\d.]+", d), dtype=float).reshape(-1, 2)) @ SCORES
    away = np.abs(values[:, None] - levels)
    assert away.min(axis=1).max() < 1e-3
    assert (away.min(axis=0) < 1e-3).all()
