"""How few steps the solver of entmax takes, and how exact its weights are in rows that are hard to solve."""

import functools
import math
import re
import sys

import mpmath as mp
import numpy as np
import pytest

import lib

entmax_module = sys.modules[lib.entmax.__module__]
inf, nan = math.inf, math.nan
EPS = 2.0**-52
ORDERS = (0.05, 0.2, 0.5, 0.9, 1.0, 1.3, 2.0, 4.0)  # α − 1


@pytest.fixture
def solve(monkeypatch, xp):
    """(steps, weights) of rows at once: each step asks `_relative` once, and so does the correction at the end."""
    asked, relative = [], entmax_module._relative
    monkeypatch.setattr(entmax_module, "_relative", lambda *given: asked.append(1) or relative(*given))

    def solve(x, order):
        asked.clear()
        if not isinstance(order, float):
            order = xp.asarray(order)
        with np.errstate(all="ignore"):
            weights = entmax_module.find_weights(xp, xp.asarray(x), order, -1)
        return len(asked) - 1, xp.to_numpy(weights)

    return solve


@pytest.fixture
def unread(monkeypatch):
    """As on a GPU, where nothing is read: all the steps are taken."""
    monkeypatch.setattr(entmax_module, "known_true", lambda condition: False)


def scattered(n, size, seed=0):
    x = np.random.default_rng(seed).normal(size=n) * size
    return x - x.max()


def exact(x, order):
    return _exact(tuple(x.tolist()), order)


@functools.cache
def _exact(x, order):
    """30 digits, by bisection in P. Equal entries are computed once."""
    with mp.workdps(30):
        values, counts = np.unique(x, return_counts=True)
        values, counts, order = [mp.mpf(v) for v in values], [int(k) for k in counts], mp.mpf(order)

        def at(p):
            return [max(p**order + order * v, 0) ** (1 / order) for v in values]

        low, high = mp.mpf(1) / (len(x) + 1), mp.mpf(1)
        for _ in range(95):
            p = (low + high) / 2
            low, high = (low, p) if mp.fdot(at(p), counts) > 1 else (p, high)
        found = dict(zip(values, at(low), strict=True))
        return [found[mp.mpf(v)] for v in x]


def furthest(weights, want):
    return float(max(abs(mp.mpf(w) - v) for w, v in zip(weights.tolist(), want, strict=True)))


# ---- steps


def test_few_steps_are_usual(solve):
    says = re.search(
        r"4 to (\d+) are usual.* 5 to (\d+) steps are usual", entmax_module.find_weights.__doc__, re.S
    )
    below, above = map(int, says.groups())
    for n in (2, 7, 1000):
        for order in ORDERS:
            steps = [solve(scattered(n, size, seed), order)[0] for size in (0.001, 0.1, 1.0) for seed in range(3)]
            assert max(steps) <= below if order <= 1 else np.median(steps) <= above, (n, order)


@pytest.mark.parametrize("order", [*ORDERS, [0.5], [1.0]])
@pytest.mark.parametrize("n", [3, 7, 1023])
def test_steps_that_nobody_stops_are_as_many_as_the_docstring_says(solve, unread, n, order):
    says = re.search(
        r"so (\d+) \+ log₂ n steps are enough.* and (\d+) the most", entmax_module.find_weights.__doc__, re.S
    )
    slope, most = map(int, says.groups())
    steps, weights = solve(scattered(n, 0.3), order)
    if isinstance(order, float) and order <= 1:
        assert slope + math.log2(n) <= steps <= slope + math.log2(n + 1)
    else:
        assert steps == most
    assert weights.sum() == pytest.approx(1, abs=4 * n**0.5 * EPS)


# ---- how exact


def hard_rows(n, order):
    """Rows of at most eight different entries: of so many the exact weights are soon computed."""
    edge = -1 / order  # whoever lies lower has no weight beside one at 0
    for some in (
        [-1e-300, -1e-100, -1e-17, -1e-16, -1e-8, -1e-3, edge],
        [edge, np.nextafter(edge, 0), (1 - 2.0**-40) * edge, (1 - 2.0**-20) * edge, 0.99 * edge],
        [-1e-3, -1.0, -1e5, -1e100, -1e300, -inf],
        [*scattered(7, 0.1)],
        [*scattered(7, 1.0)],
    ):
        yield np.append(0.0, np.resize(some, n - 1))


@pytest.mark.parametrize("order", [0.05, 0.2, 0.5, 0.9, 1.0, 1.3, 2.0])
@pytest.mark.parametrize("n", [2, 7, 1000])
def test_weights_are_within_two_eps_in_rows_that_are_hard_to_solve(solve, n, order):
    for x in hard_rows(n, order):
        assert furthest(solve(x, order)[1], exact(x, order)) <= 2 * EPS, x[:9]


@pytest.mark.parametrize("apart", [1e-14, 1e-13, 1e-12])
def test_entries_that_stand_almost_at_the_threshold_are_told_apart(solve, apart):
    """However many there are that have no weight: their number is no reason to stop too soon."""
    for n in (9, 1000):
        x = np.concatenate(
            [[0.0, 0.0], -0.5 + apart * np.array([-3, -2, -1, 0, 0.3, 0.5, 1]), np.full(n - 9, -2.0)]
        )
        weights, want = solve(x, 1.0)[1], exact(x, 1.0)
        assert furthest(weights, want) <= EPS
        assert [w > 0 for w in weights] == [v > 0 for v in want]


def beside_ties(weight, ties, order):
    """A row of equal best scores and one entry more, which gets this weight."""
    return np.append(np.zeros(ties), (weight**order - ((1 - weight) / ties) ** order) / order)


@pytest.mark.parametrize("weight", [1e-5, 1e-6, 1e-7])
@pytest.mark.parametrize("order", [1.5, 2.0, 3.0])
def test_a_small_weight_beside_many_ties_keeps_its_digits_where_its_slope_is_steep(solve, order, weight):
    x = beside_ties(weight, 999, order)
    assert furthest(solve(x, order)[1], exact(x, order)) <= EPS


@pytest.mark.parametrize("ties", [1, 3, 999])
@pytest.mark.parametrize("order", [1.5, 2.0, 3.0, 4.0])
def test_steps_end_where_a_slope_is_steep(solve, order, ties):
    """Newton's step may be less than the distance of two floats there."""
    for weight in (1e-4, 1e-5, 1e-6, 1e-7, 1e-9):
        assert solve(beside_ties(weight, ties, order), order)[0] <= 60


@pytest.mark.parametrize(("order", "n"), [(2.0, 7), (4.0, 2)])
def test_where_newtons_steps_leave_the_bracket_it_is_halved_often_enough(solve, order, n):
    x = scattered(n, 0.3, seed=1)
    steps, weights = solve(x, order)
    assert 40 < steps <= 60
    assert furthest(weights, exact(x, order)) <= EPS
