"""The maps between softmax and sparsemax, their divergences and budgets, as the figures' JavaScript has them."""

import math
from itertools import permutations

import numpy as np
import pytest
from closed_forms import by_sorting, null_of
from in_node import SEED, ask, number
from scipy.optimize import brentq

import lib

inf = math.inf
ALPHAS = (1.0, 1.5, 2.0)
BETAS = [0.0, 1e-12, 1e-3, 0.01, 0.3, 1.0, 2.5, 17.0, 1e3, inf, -0.5, -3.0, -inf]
BUDGETS = [0.0, 1e-4, 0.01, 0.1, 0.5, 0.9, 0.999, 1.0, 1.5, 1e6]  # in shares of what the best corner costs


def some_rows(count):
    rng = np.random.default_rng(SEED)
    for i in range(count):
        n = int(rng.choice([2, 3, 3, 3, 5, 7, 11]))
        scores = rng.normal(size=n) * rng.choice([0.1, 1.0, 3.0])
        scores = np.round(scores) if i % 5 == 1 else scores + (1e6 if i % 5 == 2 else 0.0)
        prior = rng.gamma(0.7, size=n) + 1e-6 if i % 2 else None
        if prior is not None and i % 4 == 1:
            prior[rng.integers(n)] = 0.0
        yield {
            "scores": scores.tolist(),
            "beta": BETAS[i % len(BETAS)],
            "alpha": ALPHAS[i % 3],
            "share": BUDGETS[i // 7 % len(BUDGETS)],
            "prior": None if prior is None else prior.tolist(),
            "other": rng.dirichlet(np.full(n, 0.5)).tolist(),
        }


def bregman(p, q, alpha):
    """Φ(p) − Φ(q) − ⟨∇Φ(q), p − q⟩ for Φ(p) = (Σ p^α − 1)/(α(α − 1)); for α = 1 the KL divergence."""
    if alpha == 1:
        return float(lib.kl_divergence(p, q))
    phi = lambda x: np.sum(x**alpha) / (alpha * (alpha - 1))  # noqa: E731
    return float(phi(p) - phi(q) - np.sum(q ** (alpha - 1) / (alpha - 1) * (p - q)))


ROWS = list(some_rows(1500))
ANSWER = """({ scores, beta, alpha, prior, other }) => ({
  weights: entmax(scores, beta, alpha, { prior }),
  divergence: bregman(other, nullWeights(scores, { prior }), alpha),
})"""


def test_weights_and_divergences_are_those_of_lib_and_of_sorting():
    assert {(row["alpha"], row["beta"]) for row in ROWS} == {(a, b) for a in ALPHAS for b in BETAS}
    assert sum(row["prior"] is not None and 0 in row["prior"] for row in ROWS) > 300
    assert sum(np.sum(number(row["scores"]) == max(row["scores"])) > 1 for row in ROWS) > 50  # ties
    sparse = []
    for row, answer in zip(ROWS, ask(ANSWER, ROWS), strict=True):
        weights, scores = number(answer["weights"]), number(row["scores"])
        # rounding of x, at an offset of 1e6 that of the scores' own difference: the same on both sides
        np.testing.assert_allclose(weights, by_sorting(row, row["beta"]), atol=2e-13, err_msg=row)
        prior = None if row["prior"] is None else number(row["prior"])
        expected = lib.entmax(scores, alpha=row["alpha"], beta=row["beta"], prior=prior)
        np.testing.assert_allclose(weights, expected, atol=1e-12, err_msg=row)
        expected = bregman(number(row["other"]), null_of(row), row["alpha"])
        np.testing.assert_allclose(number(answer["divergence"]), expected, rtol=1e-12, atol=1e-13, err_msg=row)
        sparse += [0 in answer["weights"]] * (row["alpha"] == 2)
    assert sum(sparse) > len(sparse) / 2, "some weights are exactly 0"


def test_the_weights_are_the_best_compromise():
    """Moving any mass from one token to another never pays: the answer of a search that knows no formula."""
    rows = [row for row in ROWS if 0.01 <= row["beta"] <= 17 and max(np.abs(row["scores"])) < 100][:90]
    for row, answer in zip(rows, ask(ANSWER, rows), strict=True):
        s, u, p = number(row["scores"]), null_of(row), number(answer["weights"])
        value = p @ s - bregman(p, u, row["alpha"]) / row["beta"]
        for i, j in permutations(np.flatnonzero(u), 2):
            moved = p.copy()
            step = min(1e-3, moved[i])
            moved[i], moved[j] = moved[i] - step, moved[j] + step
            assert moved @ s - bregman(moved, u, row["alpha"]) / row["beta"] <= value + 1e-12


def left(beta, row):
    """What remains of the budget at β."""
    return row["epsilon"] - bregman(by_sorting(row, beta), null_of(row), row["alpha"])


def test_beta_for_a_budget():
    rows = [row for row in ROWS if len(set(row["scores"])) > 1 and max(np.abs(row["scores"])) < 100]
    for row in rows:
        at = [i for i, u in enumerate(null_of(row)) if u > 0]
        best = max(row["scores"][i] for i in at)
        lead = [best - row["scores"][i] for i in at if row["scores"][i] < best]
        row["far"] = 1500 / min(lead) if lead else inf
        row["limit"] = bregman(by_sorting(row, inf), null_of(row), row["alpha"])
        row["epsilon"] = row["share"] * row["limit"]
    assert {(row["alpha"], row["share"]) for row in rows} == {(a, b) for a in ALPHAS for b in BUDGETS}
    answer = "({ scores, alpha, epsilon, prior }) => betaForBudget(scores, alpha, epsilon, { prior })"
    bound = 0
    for row, beta in zip(rows, number(ask(answer, rows)), strict=True):
        if row["share"] >= 1 or row["limit"] == 0:
            assert beta == inf
        elif row["share"] == 0:
            assert beta == 0
        else:
            bound += 1
            # Where the best tie, the weights towards β = ∞ may cost less than those there: then every β will do.
            free = left(row["far"], row) >= 0
            expected = row["far"] if free else brentq(left, 0, row["far"], args=(row,), xtol=1e-14, rtol=1e-14)
            if row["alpha"] == 1:
                expected = float(lib.beta_for_kl(number(row["scores"]), row["epsilon"], prior=null_of(row)))
            assert beta == pytest.approx(expected, rel=1e-9), row
    assert bound > 500
