"""The maps other than softmax against 50 digits, theorems, and second computations."""

import math
import sys

import mpmath as mp
import numpy as np
import pytest
import scipy.optimize
from drawn import betas, pairs, positive, rows, sizes
from exactness import arguments, close, distance
from hypothesis import given, settings
from hypothesis import strategies as st
from maps import DENSE, FUNCTIONS
from optional_torch import torch

from lib import entmax, relu_norm, sigmoid_weights, softmax, softmax_plus_one, sparsemax

inf, nan = math.inf, math.nan
ALPHAS = (1.0, 1.05, 1.2, 1.5, 1.8, 2.0, 2.5)

alphas = st.sampled_from(ALPHAS)


def curve(alpha):
    """entmax at one α, called as all other maps are."""

    def f(scores, beta=1.0, **options):
        return entmax(scores, alpha=alpha, beta=beta, **options)

    f.__name__ = f"entmax at {alpha}"
    return f


MAPS = (sparsemax, *DENSE, *map(curve, ALPHAS))
few = settings(max_examples=25)  # of each of these eleven maps


def support(weights):
    return [mp.mpf(w) > 0 for w in np.ravel(weights).tolist()]


# ---- golden values


@pytest.mark.parametrize("learned", [False, True])
def test_sparse_weights_are_within_8_n_eps_of_50_digits_with_the_exact_support(xp, golden, learned):
    for name, row in golden["entmax"].items():
        scores, options = arguments(row, xp.asarray)
        alpha = xp.asarray([row["alpha"]]) if learned else row["alpha"]
        got = xp.to_numpy(entmax(scores, alpha=alpha, beta=row["beta"], **options))
        assert distance(got, row["weights"]) <= 8 * len(got) * xp.eps, name
        if row["alpha"] >= 1.2:  # nearer to 1 there are weights too small for a float
            assert support(got) == support(row["weights"]), name
        if row["alpha"] == 2 and not learned:
            np.testing.assert_array_equal(xp.to_numpy(sparsemax(scores, row["beta"], **options)), got)


def test_dense_weights_are_within_8_n_eps_of_50_digits(xp, golden):
    for name, row in golden["dense"].items():
        scores, options = arguments(row, xp.asarray)
        for f in DENSE:
            got = xp.to_numpy(f(scores, row["beta"], **options))
            assert distance(got, row[f.__name__]) <= 8 * len(got) * xp.eps, (f.__name__, name)


@pytest.mark.parametrize("alpha", [1.2, 1.5, 2.0, 2.5])
def test_single_precision_is_within_6e_8_with_the_exact_support(xp, reference, alpha):
    rng = np.random.default_rng(1)
    for n, offset in ((3, -50.0), (11, 1e6), (31, 0.0)):
        scores = (offset + rng.normal(size=n)).astype(np.float32)
        got = entmax(xp.asarray(scores, dtype=xp.float32), alpha=alpha, beta=1.7)
        assert got.dtype == xp.float32
        want = reference.entmax(scores.tolist(), alpha, 1.7)
        assert distance(xp.to_numpy(got), want) <= 6e-8
        assert support(xp.to_numpy(got)) == support(want)


def test_every_dtype_is_exact_to_its_rounding(xp_any, reference):
    """Half precision is computed in float32 at least and rounded once, by at most eps/2 of each weight."""
    scores = xp_any.rounded(np.random.default_rng(2).normal(size=11) * 2)
    prior = xp_any.rounded(np.random.default_rng(3).uniform(0.1, 1, size=11))
    half = xp_any.dtype_name in ("float16", "bfloat16")
    tol = xp_any.eps / 2 + 8 * 11 * 2.0**-23 if half else 8 * 11 * xp_any.eps
    for beta in (1.0, -0.75, 0.0, 3.0, inf):
        s, u = xp_any.asarray(scores), xp_any.asarray(prior)
        for alpha in (1.0, 1.3, 1.5, 2.0):
            want = reference.entmax(scores.tolist(), alpha, beta, prior.tolist())
            for a in (alpha, xp_any.asarray([alpha], dtype=xp_any.float64)):
                got = entmax(s, alpha=a, beta=beta, prior=u)
                assert got.dtype == xp_any.dtype
                assert distance(xp_any.to_numpy(got), want) <= tol, (alpha, beta)
        for f in DENSE:
            got = f(s, beta)
            assert got.dtype == xp_any.dtype
            want = getattr(reference, f.__name__)(scores.tolist(), beta)
            assert distance(xp_any.to_numpy(got), want) <= tol, (f.__name__, beta)


@pytest.mark.parametrize("alpha", [1.2, 2.0, 3.0])
def test_steps_that_are_not_needed_do_no_harm(xp, monkeypatch, alpha):
    """On a GPU nothing is read, so all steps are taken."""
    scores = np.random.default_rng(6).normal(size=(5, 31))
    scores[0] = 1.0
    here = xp.to_numpy(entmax(xp.asarray(scores), alpha=alpha))
    monkeypatch.setattr(sys.modules["lib.entmax"], "known_true", lambda condition: False)
    close(xp.to_numpy(entmax(xp.asarray(scores), alpha=alpha)), here, 1e-15)


# ---- theorems of the maps onto the simplex


@given(pairs, alphas, betas)
def test_weights_are_a_distribution(pair, alpha, beta):
    weights = entmax(pair[0], alpha=alpha, beta=beta, prior=pair[1])
    assert (weights >= 0).all()
    close(weights.sum(), 1.0, 8 * weights.size * 2.0**-52)


@given(rows, alphas, betas, st.sampled_from([1.0, -3.0, 1e3, -1e6, 2.0**40]))
def test_adding_a_constant_changes_nothing(scores, alpha, beta, constant):
    moved = scores + constant
    close(entmax(moved, alpha=alpha, beta=beta), entmax(moved - constant, alpha=alpha, beta=beta), 0)


@given(pairs, st.sampled_from([*ALPHAS, 6.0]), betas)
def test_the_weights_meet_the_conditions_of_the_optimum(pair, alpha, beta):
    """βs + log_α u − log_α π is one constant on the support, and no larger off it (Karush, Kuhn, Tucker)."""
    scores, prior = pair
    weights, u, order = entmax(scores, alpha=alpha, beta=beta, prior=prior), prior / prior.sum(), alpha - 1

    def log(x):
        return np.log(x) if order == 0 else x**order / order

    on = weights > 1e-300
    price = beta * scores + log(u)
    constant = (price[on] - log(weights[on])).max()
    close(price[on] - log(weights[on]), np.full(on.sum(), constant), 1e-12)
    assert (price[~on] <= constant + 1e-12 + (800 if alpha == 1 else 0)).all()


@given(pairs, st.sampled_from([1.2, 1.5, 2.0, 2.5]), positive, st.integers(0, 10**6))
def test_no_competitor_beats_the_weights(pair, alpha, beta, seed):
    scores, prior = pair
    u = prior / prior.sum()

    def value(p):
        entropies = (p**alpha).sum(-1) - (u**alpha).sum() - alpha * (p - u) @ u ** (alpha - 1)
        return p @ scores - entropies / (alpha * (alpha - 1)) / beta

    competitors = np.random.default_rng(seed).dirichlet(np.full(scores.size, 0.3), size=23)
    best = entmax(scores, alpha=alpha, beta=beta, prior=prior)
    near = best + 1e-3 * (competitors - best)
    assert (value(np.vstack([competitors, near])) <= value(best) + 1e-12 * (1 + 1 / beta)).all()


@given(pairs, alphas, positive)
def test_raising_a_score_raises_its_weight_and_lowers_the_others(pair, alpha, beta):
    scores, prior = pair
    raised = scores.copy()
    raised[0] += 0.5
    before, after = (entmax(x, alpha=alpha, beta=beta, prior=prior) for x in (scores, raised))
    assert after[0] >= before[0]
    assert (after[1:] <= before[1:] + 1e-15).all()


@given(rows, st.sampled_from([1.2, 1.5, 2.0, 2.5]), positive)
def test_whoever_lies_far_enough_below_the_best_gets_exactly_nothing(scores, alpha, beta):
    far = scores <= scores.max() - (1 + 1e-12) / ((alpha - 1) * beta)
    assert (entmax(scores, alpha=alpha, beta=beta)[far] == 0).all()


@given(pairs, alphas)
def test_beta_zero_is_the_prior_exactly(pair, alpha):
    scores, prior = pair
    np.testing.assert_array_equal(entmax(scores, alpha=alpha, beta=0.0, prior=prior), prior / prior.sum())
    np.testing.assert_array_equal(entmax(scores, alpha=alpha, beta=0.0), np.full(scores.size, 1 / scores.size))


@given(pairs, alphas, betas)
def test_equal_scores_leave_the_prior_as_it_is(pair, alpha, beta):
    prior = pair[1]
    close(entmax(np.full_like(prior, 3.7), alpha=alpha, beta=beta, prior=prior), prior / prior.sum())


@given(pairs, alphas)
def test_beta_infinite_shares_the_mass_among_the_ties(pair, alpha):
    scores, prior = pair
    for beta, best in ((inf, scores.max()), (-inf, scores.min())):
        ties = np.where(scores == best, prior, 0)
        np.testing.assert_array_equal(entmax(scores, alpha=alpha, beta=beta, prior=prior), ties / ties.sum())
        close(entmax(scores, alpha=alpha, beta=math.copysign(1e4, beta)), entmax(scores, alpha=alpha, beta=beta))
        tiny = entmax(scores, alpha=alpha, beta=math.copysign(1e-14, beta), prior=prior)
        close(tiny, prior / prior.sum(), 1e-12)


@given(pairs, alphas, betas)
def test_negative_beta_is_positive_beta_on_negated_scores(pair, alpha, beta):
    scores, prior = pair
    close(
        entmax(scores, alpha=alpha, beta=-beta, prior=prior),
        entmax(-scores, alpha=alpha, beta=beta, prior=prior),
        0,
    )


@given(pairs, alphas, betas)
def test_only_the_proportions_of_the_prior_count(pair, alpha, beta):
    scores, prior = pair
    close(
        entmax(scores, alpha=alpha, beta=beta, prior=prior * 1024.0),
        entmax(scores, alpha=alpha, beta=beta, prior=prior),
    )
    close(
        entmax(scores, alpha=alpha, beta=beta, prior=np.full_like(scores, 0.3)),
        entmax(scores, alpha=alpha, beta=beta),
    )


@given(pairs, betas)
def test_alpha_one_is_softmax_and_alpha_two_is_sparsemax(pair, beta):
    scores, prior = pair
    for alpha, near, f in ((1.0, 1 + 1e-12, softmax), (2.0, 2 - 1e-12, sparsemax)):
        want = f(scores, beta, prior=prior)
        for order, tol in ((alpha, 0), (np.array([alpha]), 1e-13), (near, 1e-9)):
            close(entmax(scores, alpha=order, beta=beta, prior=prior), want, tol)


@given(sizes, st.integers(0, 10**6))
def test_sparsemax_leaves_a_distribution_where_it_is(n, seed):
    p = np.random.default_rng(seed).dirichlet(np.ones(n))
    close(sparsemax(p), p)


@given(st.floats(-3, 3), positive)
def test_between_two_scores_sparsemax_is_a_ramp(gap, beta):
    close(sparsemax(np.array([gap, 0.0]), beta)[0], np.clip((1 + beta * gap) / 2, 0, 1))


@pytest.mark.parametrize("alpha", [1.5, 2.0])
def test_a_prior_is_added_where_the_docstring_says(alpha):
    """entmax(βs + u^(α−1)/(α−1)), u normalised over what is admissible."""
    scores, prior = np.array([0.3, 1.0, -0.5, 0.8]), np.array([1.0, 3.0, 5.0, 2.0])
    where = np.array([True, True, False, True])
    u = np.where(where, prior, 0) / 6
    moved = 0.7 * scores + u ** (alpha - 1) / (alpha - 1)
    close(entmax(scores, alpha=alpha, beta=0.7, prior=prior, where=where), entmax(moved, alpha=alpha, where=where))


# ---- theorems of all maps


@pytest.mark.parametrize("f", MAPS, ids=lambda f: f.__name__)
@few
@given(rows, betas, st.randoms(use_true_random=False))
def test_a_permutation_of_scores_permutes_the_weights(f, scores, beta, random):
    order = list(range(scores.size))
    random.shuffle(order)
    close(f(scores[order], beta), f(scores, beta)[order])


@pytest.mark.parametrize("f", MAPS, ids=lambda f: f.__name__)
@few
@given(rows, betas, st.data())
def test_masking_equals_deleting(f, scores, beta, data):
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=scores.size, max_size=scores.size)))
    masked = f(np.where(keep, scores, nan), beta, where=keep)
    close(masked[keep], f(scores[keep], beta))
    assert (masked[~keep] == 0).all()
    close(f(np.where(keep, scores, -inf), beta), masked, 0)
    if f not in DENSE and keep.any():
        close(f(scores, beta, prior=keep), masked)


@pytest.mark.parametrize("f", MAPS, ids=lambda f: f.__name__)
@few
@given(rows, positive)
def test_a_higher_score_never_gets_a_lower_weight(f, scores, beta):
    assert (np.diff(f(scores, beta)[np.argsort(scores)]) >= -1e-15).all()
    assert (np.diff(f(scores, -beta)[np.argsort(scores)]) <= 1e-15).all()


# ---- theorems of the dense maps


@given(rows, positive)
def test_normalised_relu_knows_only_the_sign_of_beta(scores, beta):
    up = np.maximum(scores, 0)
    want = up / up.sum() if up.any() else up
    for b in (beta, 1e-300, 1e300, inf):
        close(relu_norm(scores, b), want)
        close(relu_norm(-scores, -b), want)
    close(relu_norm(scores * 1e-300, beta), want)
    assert (relu_norm(scores, 0.0) == 0).all()


@given(rows, betas, st.floats(-3, 3))
def test_a_sigmoid_weight_depends_on_its_own_score_alone(scores, beta, bias):
    each = [sigmoid_weights(scores[k : k + 1], beta, bias=bias)[0] for k in range(scores.size)]
    np.testing.assert_array_equal(sigmoid_weights(scores, beta, bias=bias), each)
    default = sigmoid_weights(scores, beta)
    close(default, sigmoid_weights(scores, beta, bias=-math.log(scores.size)), 0)
    each = np.full(scores.size, -math.log(scores.size))
    close(default, sigmoid_weights(scores, beta, bias=each), 0)


def test_a_sigmoid_keeps_its_digits_where_the_bias_cancels_the_score(reference):
    rng = np.random.default_rng(6)
    for size in (1.0, 30.0, 1e3, 1e6):
        scores, bias = size + rng.normal(size=7), -0.7 * size
        want = reference.sigmoid_weights(scores.tolist(), 0.7, bias)
        assert distance(sigmoid_weights(scores, 0.7, bias=bias), want) <= 8 * 2.0**-52 * (1 + abs(bias))


@given(st.integers(0, 10**6), st.integers(1, 280), st.sampled_from([1.0, 1 + 2.0**-30, 1.05, 1.5]))
def test_a_prior_that_cancels_the_scores_costs_log_r_eps_more(reference, seed, decades, alpha):
    rng = np.random.default_rng(seed)
    prior = 10.0 ** (-decades * rng.uniform(size=3))
    u = prior / prior.sum()
    scores = rng.normal(size=3) - (np.log(u) if alpha < 1.01 else u ** (alpha - 1) / (alpha - 1))
    bound = (8 * 3 + math.log(prior.max() / prior.min())) * 2.0**-52
    got = entmax(scores, alpha=np.array([alpha]), prior=prior)
    assert distance(got, reference.entmax(scores.tolist(), alpha, 1.0, prior.tolist())) <= bound


def test_sigmoids_of_n_zeros_sum_to_n_over_n_plus_one():
    for n in (1, 2, 7):
        close(sigmoid_weights(np.zeros(n)).sum(), n / (n + 1))


@given(rows, betas)
def test_softmax_plus_one_is_softmax_times_the_chance_of_choosing_at_all(scores, beta):
    total = np.exp(beta * scores).sum()
    close(softmax_plus_one(scores, beta), softmax(scores, beta) * total / (1 + total))
    close(1 - softmax_plus_one(scores, beta).sum(), 1 / (1 + total))


def test_the_limits_of_the_dense_maps_are_those_of_their_docstrings():
    scores = np.array([[2.0, 0.0, -1.0, 2.0], [0.0, -1.0, 0.0, -2.0], [-1.0, -2.0, -1.0, -3.0]])
    third, fifth = 1 / 3, 1 / 5
    ties = [[0.5, 0, 0, 0.5], [third, 0, third, 0], [0, 0, 0, 0]]
    steps = [[1, fifth, 0, 1], [fifth, 0, fifth, 0], [0, 0, 0, 0]]
    for f, at_infinity in ((softmax_plus_one, ties), (sigmoid_weights, steps)):
        np.testing.assert_allclose(f(scores, 0.0), np.full((3, 4), fifth), rtol=1e-15)
        np.testing.assert_allclose(f(scores, inf), at_infinity, rtol=1e-15)
        np.testing.assert_allclose(f(-scores, -inf), at_infinity, rtol=1e-15)
    np.testing.assert_array_equal(relu_norm(scores, inf), [[0.5, 0, 0, 0.5], [0] * 4, [0] * 4])


# ---- second computations


def by_sorting(z, power):
    """The threshold of sparsemax (power 1) and of entmax at α = 1.5 (power 2) from the sorted scores."""
    z = np.sort(z / power)[::-1]
    k = np.arange(1, z.size + 1)
    mean, square = np.cumsum(z) / k, np.cumsum(z**2) / k
    gap = 1 / k if power == 1 else np.sqrt(np.maximum(1 / k - (square - mean**2), 0))
    tau = mean - gap
    return tau[(tau < z).sum() - 1]


@given(rows, positive)
def test_sorting_finds_the_same_threshold(scores, beta):
    """Held, Wolfe and Crowder (1974) for the projection; Peters, Niculae and Martins (2019) for α = 1.5."""
    z = beta * (scores - scores.max())
    close(sparsemax(scores, beta), np.maximum(z - by_sorting(z, 1), 0))
    close(entmax(scores, alpha=1.5, beta=beta), np.maximum(z / 2 - by_sorting(z, 2), 0) ** 2, 1e-12)


@pytest.mark.parametrize("alpha", [1.1, 1.3, 1.7, 2.0, 3.0])
@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_a_general_root_finder_finds_the_same_threshold(xp, alpha, axis):
    scores = np.random.default_rng(4).normal(size=(3, 5, 7)) * 2
    order = alpha - 1

    def row(s):
        z = order * 0.7 * (s - s.max())
        tau = scipy.optimize.brentq(
            lambda t: (np.maximum(z - t, 0) ** (1 / order)).sum() - 1, -1, 0, xtol=1e-16, rtol=1e-15
        )
        return np.maximum(z - tau, 0) ** (1 / order)

    want = np.apply_along_axis(row, axis, scores)
    close(xp.to_numpy(entmax(xp.asarray(scores), alpha=alpha, beta=0.7, axis=axis)), want, 1e-11)


@pytest.mark.parametrize("alpha", [1.5, 2.0])
def test_a_general_purpose_solver_finds_the_same_weights(alpha):
    scores, prior, beta = np.array([0.2, 1.0, -0.4, 0.7, 0.0]), np.array([0.1, 0.2, 0.3, 0.15, 0.25]), 1.1
    slope = prior ** (alpha - 1) / (alpha - 1)
    found = scipy.optimize.minimize(
        lambda p: ((p**alpha).sum() / (alpha * (alpha - 1)) - p @ slope) / beta - p @ scores,
        prior,
        bounds=[(0, 1)] * 5,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        options={"ftol": 1e-15, "maxiter": 500},
        method="SLSQP",
    )
    got = entmax(scores, alpha=alpha, beta=beta, prior=prior)
    close(got, found.x, 1e-6)  # the solver's own accuracy: √eps of the value


@pytest.mark.parametrize("beta", [1.0, 0.3, -2.0])
def test_torch_agrees_on_the_dense_maps(xp, beta):
    scores = np.random.default_rng(7).normal(size=(3, 5)) * 3
    s = beta * torch.tensor(scores)
    positive = torch.relu(s)
    zero = torch.zeros(3, 1, dtype=s.dtype)
    want = {
        relu_norm: positive / positive.sum(-1, keepdim=True),
        sigmoid_weights: torch.sigmoid(s - math.log(5)),
        softmax_plus_one: torch.softmax(torch.cat([s, zero], -1), -1)[:, :-1],
    }
    for f, weights in want.items():
        close(xp.to_numpy(f(xp.asarray(scores), beta)), weights)


@pytest.mark.parametrize("alpha", [1.01, 1.5, 2.0, 3.0])
def test_rows_of_thousands_are_as_exact_as_short_ones(xp, alpha):
    """The weights of a row of 4099, dense and sparse, meet the conditions of the optimum."""
    for scale in (1e-4, 0.1, 3.0):
        scores = np.random.default_rng(8).normal(size=(2, 4099)) * scale
        weights = xp.to_numpy(entmax(xp.asarray(scores), alpha=alpha))
        close(weights.sum(-1), 1, 1e-13)
        base = weights ** (alpha - 1) - (alpha - 1) * scores
        for w, b in zip(weights, base, strict=True):
            # a weight near 0 for α < 2, a base for α > 2, is what the other loses digits in
            assert np.ptp(b[w > 1e-5]) <= 1e-10
            assert (b[w == 0] >= b[w > 0].max() - 1e-10).all()


# ---- cases of entmax's own tests, and those that it gets wrong


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_entries_of_minus_infinity_are_as_good_as_deleted_along_any_axis(xp, axis):
    scores = np.random.default_rng(9).normal(size=(5, 5, 5))
    np.moveaxis(scores, axis, 0)[-2:] = -inf
    short = np.moveaxis(np.moveaxis(scores, axis, 0)[:-2], 0, axis)
    for alpha in (1.1, 1.25, 1.5, 1.75, 2.0):
        got = np.moveaxis(xp.to_numpy(entmax(xp.asarray(scores), alpha=alpha, axis=axis)), axis, 0)
        want = np.moveaxis(xp.to_numpy(entmax(xp.asarray(short), alpha=alpha, axis=axis)), axis, 0)
        close(got[:-2], want)
        assert (got[-2:] == 0).all()


def test_each_row_may_have_its_own_alpha(xp):
    scores, each = np.random.default_rng(10).normal(size=(2, 5, 7)), [1.0, 1.2, 1.5, 2.0, 3.0]
    alpha = xp.asarray(each)[:, None]
    got = xp.to_numpy(entmax(xp.asarray(scores), alpha=alpha, beta=0.8))
    shared = xp.to_numpy(entmax(xp.asarray(scores[0, 0]), alpha=alpha, beta=0.8))
    for k, a in enumerate(each):
        close(got[:, k], entmax(scores[:, k], alpha=a, beta=0.8))
        close(shared[k], entmax(scores[0, 0], alpha=a, beta=0.8))
    whole, real = xp.asarray([[2], [3]]), xp.asarray([[2.0], [3.0]])
    got, want = (xp.to_numpy(entmax(xp.asarray(scores[:, :2]), alpha=x)) for x in (whole, real))
    np.testing.assert_array_equal(got, want)


# ---- what is refused


def test_beta_comes_second_and_alpha_has_to_be_named(xp):
    scores = xp.asarray([1.3, 0.2, 0.5])
    for f in MAPS:
        close(xp.to_numpy(f(scores, 1.3)), xp.to_numpy(f(scores, beta=1.3)), 0)
    close(xp.to_numpy(entmax(scores, 1.3)), xp.to_numpy(curve(1.5)(scores, 1.3)), 0)
    with pytest.raises(TypeError, match="positional argument"):
        entmax(scores, 1.3, 1.5)


@pytest.mark.parametrize("bad", [0.99, -1.0, nan, inf])
def test_alpha_below_one_is_refused(xp, bad):
    scores = xp.asarray([1.0, 2.0])
    for alpha in (bad, xp.asarray([bad])):
        with pytest.raises(ValueError, match=f"alpha must be at least 1 and finite; got {bad}"):
            entmax(scores, alpha=alpha)
    for alpha in (None, "2", [1.5]):
        with pytest.raises(TypeError, match="alpha must be"):
            entmax(scores, alpha=alpha)


def test_arguments_that_do_not_fit_are_named(xp):
    scores = xp.asarray(np.ones((3, 5)))
    with pytest.raises(ValueError, match=r"alpha must have size 1 along axis -1.*alpha has shape \(5,\)"):
        entmax(scores, alpha=xp.asarray(np.full(5, 1.5)))
    with pytest.raises(ValueError, match=r"bias must have size n or 1 along axis -1.*bias has shape \(3,\)"):
        sigmoid_weights(scores, bias=xp.asarray(np.ones(3)))
    with pytest.raises(ValueError, match=r"do not broadcast.*beta has shape \(3, 1\).*alpha has shape \(2, 1\)"):
        entmax(scores, alpha=xp.asarray(np.full((2, 1), 1.5)), beta=xp.asarray(np.ones((3, 1))))
    for f in DENSE:
        with pytest.raises(TypeError, match="unexpected keyword argument 'prior'"):
            f(scores, prior=xp.asarray(np.ones(5)))
    with pytest.raises(TypeError, match="two kinds"):
        entmax(np.ones(3), alpha=torch.tensor([1.5]))
    with pytest.raises(TypeError, match="two kinds"):
        sigmoid_weights(np.ones(3), bias=torch.tensor([1.5]))


def test_the_slope_of_the_sigmoid_at_its_middle_is_a_quarter_of_beta():
    leaf = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
    sigmoid_weights(leaf, 0.5, bias=0.0)[0].backward()
    assert leaf.grad.tolist() == [0.125, 0.0]


def test_an_infinite_score_opens_or_shuts_the_sigmoid_at_any_beta():
    scores = np.array([inf, -inf, 0.0])
    for beta in (0.5, 2.0, inf):
        np.testing.assert_array_equal(sigmoid_weights(scores, beta, bias=0.0), [1.0, 0.0, 0.5])


def test_beta_is_one_unless_given_in_every_map():
    scores = np.array([0.3, -1.1, 2.0])
    for f in FUNCTIONS:
        np.testing.assert_array_equal(f(scores), f(scores, beta=1.0))


def test_relu_norm_is_flat_at_a_score_of_zero_as_relu_is():
    scores = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
    (slope,) = torch.autograd.grad(relu_norm(scores)[0], scores)
    assert (slope == 0).all()


@pytest.mark.parametrize("alpha", [1.2, 1.5, 2.0])
def test_single_precision_is_that_of_double_rounded_with_the_same_support(alpha):
    """On the readable path, which these rows are few enough for: computed in double, β too, and rounded once."""
    scores = (np.random.default_rng(4).normal(size=(20, 3000)) * np.logspace(-2, 1, 20)[:, None]).astype(
        np.float32
    )
    single, double = (entmax(x, alpha=alpha, beta=0.3) for x in (scores, scores.astype(np.float64)))
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single, double.astype(np.float32))


@pytest.mark.parametrize("make", [np.asarray, torch.tensor])
def test_a_beta_that_single_precision_rounds_to_zero_or_infinity_counts_as_that(make):
    s = make(np.array([0.0, 2.0, np.inf, -2.0], dtype=np.float32))
    for beta, limit in ((1e-50, 0.0), (-1e-50, 0.0), (1e300, np.inf), (-1e300, -np.inf)):
        for f in (relu_norm, sigmoid_weights):
            np.testing.assert_array_equal(np.asarray(f(s, beta)), np.asarray(f(s, limit)))
            assert not np.isnan(np.asarray(f(s, beta))).any()
    assert np.asarray(sigmoid_weights(s, 1e-50, bias=0.0)).tolist() == [0.5] * 4
    assert np.asarray(sigmoid_weights(s, 1e300, bias=0.0)).tolist() == [0.5, 1, 1, 0]


@pytest.mark.parametrize("size", [5e-324, 1e-310, 2.3e-308, 1e308, 1.7e308])
def test_the_sum_of_positive_parts_may_be_too_small_or_too_large_for_a_float(xp, size):
    scores = xp.asarray([[size, size, -size], [size, 0.0, 0.0], [1.0, 3.0, 0.0]])
    equal = [[0.5, 0.5, 0], [1, 0, 0], [0.25, 0.75, 0]]
    np.testing.assert_array_equal(xp.to_numpy(relu_norm(scores)), equal)
    np.testing.assert_array_equal(xp.to_numpy(relu_norm(-scores, -2.0)), equal)


def test_a_beta_for_each_row_does_not_push_positive_parts_over_the_largest_float(xp):
    scores = xp.asarray([[1.5e308, 0.5e308, -1.0], [0.75, 0.25, 0.0], [1.5e308, 0.5e308, 0.0]])
    for sign in (1.0, -1.0):
        beta = xp.asarray([[sign], [3 * sign], [sign * inf]])
        np.testing.assert_array_equal(xp.to_numpy(relu_norm(sign * scores, beta)), [[0.75, 0.25, 0]] * 3)


@pytest.mark.parametrize("f", [relu_norm, sigmoid_weights])
def test_what_may_be_looked_at_changes_the_way_and_not_the_result(f):
    """Under vmap no value is read; so nothing is known of the scores."""
    rows = torch.tensor([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [1e300, 1e308, 1.2e308]], dtype=torch.float64)
    awkward = torch.tensor([[inf, 1.0, -inf], [-inf, -inf, -inf], [math.nan, 1.0, 2.0]], dtype=torch.float64)
    for s in (rows, awkward, torch.cat([rows, awkward])):
        for beta in (0.7, -1.3, 0.0, inf, -inf):
            torch.testing.assert_close(torch.func.vmap(lambda x, b=beta: f(x, b))(s), f(s, beta), equal_nan=True)
            b = torch.tensor([[beta]], dtype=torch.float64)
            torch.testing.assert_close(f(s, b), f(s, beta), equal_nan=True)


def test_the_share_of_each_tie_has_its_slope_in_the_prior():
    """At β = ∞ the ties share in proportion to the prior, whatever prior the others have."""
    u = torch.tensor([0.9, 0.5, 0.2, 0.1], dtype=torch.float64, requires_grad=True)
    scores = torch.tensor([[1.0, 2.0, 2.0, 0.0], [1.0, inf, inf, 0.0]], dtype=torch.float64)
    ties = torch.tensor([0.0, 1.0, 1.0, 0.0], dtype=torch.float64)
    mix = torch.tensor([1.0, 3.0, -2.0, 5.0], dtype=torch.float64)
    (want,) = torch.autograd.grad((mix * u * ties).sum() / (u * ties).sum(), u)
    for alpha in (1.2, 1.5, 2.0):
        for row, beta in ((0, inf), (1, 1.0), (1, 0.3)):
            weights = entmax(scores[row], alpha=alpha, beta=beta, prior=u)
            close(weights.detach(), [0, 5 / 7, 2 / 7, 0])
            close(torch.autograd.grad((mix * weights).sum(), u)[0], want)


def test_the_bias_of_a_sigmoid_counts_along_the_axis_it_is_given():
    scores = np.zeros((2, 5))
    for axis, n in ((0, 2), (-2, 2), (1, 5), (-1, 5)):
        for where in (None, np.ones((2, 5), bool)):
            close(sigmoid_weights(scores, where=where, axis=axis), np.full((2, 5), 1 / (n + 1)))


def test_entmax_at_alpha_one_runs_along_the_axis_it_is_given():
    scores = np.array([[1.0, 2.0, 4.0], [0.0, 3.0, 3.0]])
    close(entmax(scores, alpha=1.0, axis=0).sum(axis=0), [1, 1, 1])
