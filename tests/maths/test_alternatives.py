"""The maps other than softmax against 50 digits, theorems, and second computations."""

import math
import sys

import mpmath as mp
import numpy as np
import pytest
import scipy.optimize
from drawn import betas, pairs, positive, rows, sizes
from exactness import arguments, close, distance
from hypothesis import given
from hypothesis import strategies as st
from maps import DENSE
from optional_torch import torch

import lib
from lib import entmax, relu_norm, sigmoid_weights, softmax, sparsemax

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


def support(weights):
    return [mp.mpf(w) > 0 for w in np.ravel(weights).tolist()]


# ---- golden values


@pytest.mark.parametrize("learned", [False, True])
def test_entmax_and_sparsemax_are_within_8_n_eps_of_50_digits_with_the_exact_support(xp, golden, learned):
    for name, row in golden["entmax"].items():
        scores, options = arguments(row, xp.asarray)
        alpha = xp.asarray([row["alpha"]]) if learned else row["alpha"]
        got = xp.to_numpy(entmax(scores, alpha=alpha, beta=row["beta"], **options))
        assert distance(got, row["weights"]) <= 8 * len(got) * xp.eps, name
        if row["alpha"] >= 1.2:  # nearer to 1 there are weights too small for a float
            assert support(got) == support(row["weights"]), name
        if row["alpha"] == 2 and not learned:
            np.testing.assert_array_equal(xp.to_numpy(sparsemax(scores, row["beta"], **options)), got)


def test_relu_norm_sigmoid_weights_and_softmax_plus_one_are_within_8_n_eps_of_50_digits(xp, golden):
    for name, row in golden["dense"].items():
        scores, options = arguments(row, xp.asarray)
        for f in DENSE:
            got = xp.to_numpy(f(scores, row["beta"], **options))
            assert distance(got, row[f.__name__]) <= 8 * len(got) * xp.eps, (f.__name__, name)


@pytest.mark.parametrize("alpha", [1.2, 1.5, 2.0, 2.5])
def test_entmax_in_single_precision_is_within_6e_8_with_the_exact_support(xp, reference, alpha):
    rng = np.random.default_rng(1)
    for n, offset in ((3, -50.0), (11, 1e6), (31, 0.0)):
        scores = (offset + rng.normal(size=n)).astype(np.float32)
        got = entmax(xp.asarray(scores, dtype=xp.float32), alpha=alpha, beta=1.7)
        assert got.dtype == xp.float32
        want = reference.entmax(scores.tolist(), alpha, 1.7)
        assert distance(xp.to_numpy(got), want) <= 6e-8
        assert support(xp.to_numpy(got)) == support(want)


@pytest.mark.parametrize("alpha", [1.2, 2.0, 3.0])
def test_steps_that_entmax_does_not_need_do_no_harm(xp, monkeypatch, alpha):
    """On a GPU nothing is read, so all steps are taken."""
    scores = np.random.default_rng(6).normal(size=(5, 31))
    scores[0] = 1.0
    here = xp.to_numpy(entmax(xp.asarray(scores), alpha=alpha))
    monkeypatch.setattr(sys.modules["lib.entmax"], "known_true", lambda condition: False)
    close(xp.to_numpy(entmax(xp.asarray(scores), alpha=alpha)), here, 1e-15)


# ---- theorems of the maps onto the simplex


@given(pairs, alphas, betas)
def test_weights_of_softmax_and_entmax_are_a_distribution(pair, alpha, beta):
    weights = entmax(pair[0], alpha=alpha, beta=beta, prior=pair[1])
    assert (weights >= 0).all()
    close(weights.sum(), 1.0, 8 * weights.size * 2.0**-52)


@given(rows, alphas, betas, st.sampled_from([1.0, -3.0, 1e3, -1e6, 2.0**40]))
def test_adding_a_constant_changes_nothing_in_softmax_and_entmax(scores, alpha, beta, constant):
    moved = scores + constant
    exact = moved - constant  # the scores that are left after the constant took its digits
    close(entmax(moved, alpha=alpha, beta=beta), entmax(exact, alpha=alpha, beta=beta), 0)
    close(lib.log_softmax(moved, beta), lib.log_softmax(exact, beta))
    close(lib.log_partition(moved, beta), lib.log_partition(exact, beta) + constant, 1e-15 * abs(constant) + 1e-13)


@given(pairs, st.sampled_from([*ALPHAS, 6.0]), betas)
def test_entmax_meets_the_conditions_of_the_optimum(pair, alpha, beta):
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


@given(pairs, alphas, positive)
def test_in_entmax_raising_a_score_raises_its_weight_and_lowers_the_others(pair, alpha, beta):
    scores, prior = pair
    raised = scores.copy()
    raised[0] += 0.5
    before, after = (entmax(x, alpha=alpha, beta=beta, prior=prior) for x in (scores, raised))
    assert after[0] >= before[0]
    assert (after[1:] <= before[1:] + 1e-15).all()


@given(pairs, alphas)
def test_entmax_at_beta_zero_is_the_prior_exactly(pair, alpha):
    scores, prior = pair
    np.testing.assert_array_equal(entmax(scores, alpha=alpha, beta=0.0, prior=prior), prior / prior.sum())
    np.testing.assert_array_equal(entmax(scores, alpha=alpha, beta=0.0), np.full(scores.size, 1 / scores.size))


@given(pairs, alphas, betas)
def test_in_entmax_equal_scores_leave_the_prior_as_it_is(pair, alpha, beta):
    prior = pair[1]
    close(entmax(np.full_like(prior, 3.7), alpha=alpha, beta=beta, prior=prior), prior / prior.sum())


@given(pairs, alphas)
def test_entmax_at_beta_infinite_shares_the_mass_among_the_ties(pair, alpha):
    scores, prior = pair
    for beta, best in ((inf, scores.max()), (-inf, scores.min())):
        ties = np.where(scores == best, prior, 0)
        np.testing.assert_array_equal(entmax(scores, alpha=alpha, beta=beta, prior=prior), ties / ties.sum())
        close(entmax(scores, alpha=alpha, beta=math.copysign(1e4, beta)), entmax(scores, alpha=alpha, beta=beta))
        tiny = entmax(scores, alpha=alpha, beta=math.copysign(1e-14, beta), prior=prior)
        close(tiny, prior / prior.sum(), 1e-12)


@given(pairs, alphas, betas)
def test_entmax_at_negative_beta_is_that_of_negated_scores(pair, alpha, beta):
    scores, prior = pair
    mirrored = entmax(-scores, alpha=alpha, beta=beta, prior=prior)
    close(entmax(scores, alpha=alpha, beta=-beta, prior=prior), mirrored, 0)


@given(pairs, betas)
def test_only_the_proportions_of_the_prior_count_in_softmax_and_entmax(pair, beta):
    scores, prior = pair
    for f in (lib.log_softmax, lib.log_partition, sparsemax, *map(curve, ALPHAS)):
        close(f(scores, beta, prior=prior * 1024.0), f(scores, beta, prior=prior))
        close(f(scores, beta, prior=np.full_like(scores, 0.3)), f(scores, beta))


@given(pairs, betas)
def test_entmax_at_alpha_one_is_softmax_and_at_two_sparsemax(pair, beta):
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
def test_entmax_adds_its_prior_where_the_docstring_says(alpha):
    """entmax(βs + u^(α−1)/(α−1)), u normalised over what is admissible."""
    scores, prior = np.array([0.3, 1.0, -0.5, 0.8]), np.array([1.0, 3.0, 5.0, 2.0])
    where = np.array([True, True, False, True])
    u = np.where(where, prior, 0) / 6
    moved = 0.7 * scores + u ** (alpha - 1) / (alpha - 1)
    close(entmax(scores, alpha=alpha, beta=0.7, prior=prior, where=where), entmax(moved, alpha=alpha, where=where))


# ---- theorems of all maps


@given(rows, betas, st.randoms(use_true_random=False))
def test_in_every_map_a_permutation_of_scores_permutes_the_weights(scores, beta, random):
    order = list(range(scores.size))
    random.shuffle(order)
    for f in (*MAPS, lib.log_softmax):
        close(f(scores[order], beta), f(scores, beta)[order])
    close(lib.log_partition(scores[order], beta), lib.log_partition(scores, beta))


@given(rows, positive)
def test_in_every_map_a_higher_score_never_gets_a_lower_weight(scores, beta):
    for f in MAPS:
        assert (np.diff(f(scores, beta)[np.argsort(scores)]) >= -1e-15).all()
        assert (np.diff(f(scores, -beta)[np.argsort(scores)]) <= 1e-15).all()


# ---- theorems of the dense maps


@given(rows, positive)
def test_relu_norm_knows_only_the_sign_of_beta(scores, beta):
    up = np.maximum(scores, 0)
    want = up / up.sum() if up.any() else up
    for b in (beta, 1e-300, 1e300, inf):
        close(relu_norm(scores, b), want)
        close(relu_norm(-scores, -b), want)
    close(relu_norm(scores * 1e-300, beta), want)
    assert (relu_norm(scores, 0.0) == 0).all()


@given(rows, betas, st.floats(-3, 3))
def test_sigmoid_weights_depend_each_on_its_own_score_alone(scores, beta, bias):
    each = [sigmoid_weights(scores[k : k + 1], beta, bias=bias)[0] for k in range(scores.size)]
    np.testing.assert_array_equal(sigmoid_weights(scores, beta, bias=bias), each)
    default = sigmoid_weights(scores, beta)
    close(default, sigmoid_weights(scores, beta, bias=-math.log(scores.size)), 0)
    each = np.full(scores.size, -math.log(scores.size))
    close(default, sigmoid_weights(scores, beta, bias=each), 0)


def test_sigmoid_weights_keep_their_digits_where_the_bias_cancels_the_score(reference):
    rng = np.random.default_rng(6)
    for size in (1.0, 30.0, 1e3, 1e6):
        scores, bias = size + rng.normal(size=7), -0.7 * size
        want = reference.sigmoid_weights(scores.tolist(), 0.7, bias)
        assert distance(sigmoid_weights(scores, 0.7, bias=bias), want) <= 8 * 2.0**-52 * (1 + abs(bias))


@given(st.integers(0, 10**6), st.integers(1, 280), st.sampled_from([1.0, 1 + 2.0**-30, 1.05, 1.5]))
def test_a_prior_that_cancels_the_scores_costs_entmax_log_r_eps_more(reference, seed, decades, alpha):
    rng = np.random.default_rng(seed)
    prior = 10.0 ** (-decades * rng.uniform(size=3))
    u = prior / prior.sum()
    scores = rng.normal(size=3) - (np.log(u) if alpha < 1.01 else u ** (alpha - 1) / (alpha - 1))
    bound = (8 * 3 + math.log(prior.max() / prior.min())) * 2.0**-52
    got = entmax(scores, alpha=np.array([alpha]), prior=prior)
    assert distance(got, reference.entmax(scores.tolist(), alpha, 1.0, prior.tolist())) <= bound


@given(rows, betas)
def test_softmax_plus_one_is_softmax_times_the_chance_of_choosing_at_all(scores, beta):
    total = np.exp(beta * scores).sum()
    close(lib.softmax_plus_one(scores, beta), softmax(scores, beta) * total / (1 + total))
    close(1 - lib.softmax_plus_one(scores, beta).sum(), 1 / (1 + total))


@given(rows, betas, st.floats(-30, 30))
def test_a_sink_is_one_more_score_whose_weight_is_dropped(scores, beta, sink):
    weights = lib.softmax_plus_one(scores, beta, sink=sink)
    close(weights, softmax(np.append(scores, sink), beta)[:-1])
    close(weights, lib.softmax_plus_one(scores - sink, beta), 1e-12)


def test_a_sink_is_within_8_n_eps_of_50_digits(reference):
    rng = np.random.default_rng(0)
    for sink in (-700.0, -3.3, 0.0, 2.1, 1e6):
        scores = rng.normal(size=7) + min(sink, 1e3)
        want = reference.softmax_plus_one(scores.tolist(), 0.7, sink=sink)
        assert distance(lib.softmax_plus_one(scores, 0.7, sink=sink), want) <= 8 * 8 * 2.0**-52


def test_one_sink_for_each_row_along_any_axis_and_for_one_row_of_scores(xp):
    scores, sinks = np.array([[0.0, 1.0, 2.0], [1.0, -1.0, 0.0]]), np.array([[0.5], [-2.0]])
    each = [lib.softmax_plus_one(row, 0.7, sink=float(sink[0])) for row, sink in zip(scores, sinks, strict=True)]
    s, c = xp.asarray(scores), xp.asarray(sinks)
    np.testing.assert_allclose(xp.to_numpy(lib.softmax_plus_one(s, 0.7, sink=c)), each, rtol=1e-14)
    turned = lib.softmax_plus_one(xp.asarray(scores.T), 0.7, sink=xp.asarray(sinks.T), axis=0)
    np.testing.assert_allclose(xp.to_numpy(turned).T, each, rtol=1e-14)
    one = xp.to_numpy(lib.softmax_plus_one(xp.asarray(scores[0]), 0.7, sink=c))
    want = [lib.softmax_plus_one(scores[0], 0.7, sink=float(sink[0])) for sink in sinks]
    np.testing.assert_allclose(one, want, rtol=1e-14)


def test_softmax_plus_one_sigmoid_weights_and_relu_norm_have_the_limits_of_their_docstrings():
    scores = np.array([[2.0, 0.0, -1.0, 2.0], [0.0, -1.0, 0.0, -2.0], [-1.0, -2.0, -1.0, -3.0]])
    third, fifth = 1 / 3, 1 / 5
    ties = [[0.5, 0, 0, 0.5], [third, 0, third, 0], [0, 0, 0, 0]]
    steps = [[1, fifth, 0, 1], [fifth, 0, fifth, 0], [0, 0, 0, 0]]
    for f, at_infinity in ((lib.softmax_plus_one, ties), (sigmoid_weights, steps)):
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
def test_sorting_finds_the_threshold_of_sparsemax_and_entmax(scores, beta):
    """Held, Wolfe and Crowder (1974) for the projection; Peters, Niculae and Martins (2019) for α = 1.5."""
    z = beta * (scores - scores.max())
    close(sparsemax(scores, beta), np.maximum(z - by_sorting(z, 1), 0))
    close(entmax(scores, alpha=1.5, beta=beta), np.maximum(z / 2 - by_sorting(z, 2), 0) ** 2, 1e-12)


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_a_general_root_finder_finds_the_threshold_of_entmax(xp, axis):
    scores = np.random.default_rng(4).normal(size=(3, 5, 7)) * 2
    for alpha in (1.1, 1.3, 1.7, 2.0, 3.0):

        def row(s, order=alpha - 1):
            z = order * 0.7 * (s - s.max())
            excess = lambda tau: (np.maximum(z - tau, 0) ** (1 / order)).sum() - 1  # noqa: E731
            tau = scipy.optimize.brentq(excess, -1, 0, xtol=1e-16, rtol=1e-15)
            return np.maximum(z - tau, 0) ** (1 / order)

        want = np.apply_along_axis(row, axis, scores)
        close(xp.to_numpy(entmax(xp.asarray(scores), alpha=alpha, beta=0.7, axis=axis)), want, 1e-11)


@pytest.mark.parametrize("alpha", [1.01, 1.5, 2.0, 3.0])
def test_entmax_of_thousands_is_as_exact_as_of_a_few(xp, alpha):
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


# ---- at the ends of the floats, and of what is known


def test_an_infinite_score_opens_or_shuts_sigmoid_weights_at_any_beta():
    scores = np.array([inf, -inf, 0.0])
    for beta in (0.5, 2.0, inf):
        np.testing.assert_array_equal(sigmoid_weights(scores, beta, bias=0.0), [1.0, 0.0, 0.5])


def test_relu_norm_is_flat_at_a_score_of_zero_as_relu_is():
    scores = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
    (slope,) = torch.autograd.grad(relu_norm(scores)[0], scores)
    assert (slope == 0).all()


@pytest.mark.parametrize("alpha", [1.2, 1.5, 2.0])
def test_entmax_in_single_precision_is_that_of_double_rounded(alpha):
    """On the readable path, which these rows are few enough for: computed in double, β too, and rounded once."""
    sizes = np.logspace(-2, 1, 20)[:, None]
    scores = (np.random.default_rng(4).normal(size=(20, 3000)) * sizes).astype(np.float32)
    single, double = (entmax(x, alpha=alpha, beta=0.3) for x in (scores, scores.astype(np.float64)))
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single, double.astype(np.float32))


@pytest.mark.parametrize("make", [np.asarray, torch.tensor])
def test_in_relu_norm_and_sigmoid_weights_a_beta_beyond_single_precision_is_zero_or_infinity(make):
    s = make(np.array([0.0, 2.0, np.inf, -2.0], dtype=np.float32))
    for beta, limit in ((1e-50, 0.0), (-1e-50, 0.0), (1e300, np.inf), (-1e300, -np.inf)):
        for f in (relu_norm, sigmoid_weights):
            np.testing.assert_array_equal(np.asarray(f(s, beta)), np.asarray(f(s, limit)))
            assert not np.isnan(np.asarray(f(s, beta))).any()
    assert np.asarray(sigmoid_weights(s, 1e-50, bias=0.0)).tolist() == [0.5] * 4
    assert np.asarray(sigmoid_weights(s, 1e300, bias=0.0)).tolist() == [0.5, 1, 1, 0]


@pytest.mark.parametrize("size", [5e-324, 1e-310, 2.3e-308, 1e308, 1.7e308])
def test_the_sum_in_relu_norm_may_be_too_small_or_too_large_for_a_float(xp, size):
    scores = xp.asarray([[size, size, -size], [size, 0.0, 0.0], [1.0, 3.0, 0.0]])
    equal = [[0.5, 0.5, 0], [1, 0, 0], [0.25, 0.75, 0]]
    np.testing.assert_array_equal(xp.to_numpy(relu_norm(scores)), equal)
    np.testing.assert_array_equal(xp.to_numpy(relu_norm(-scores, -2.0)), equal)


def test_a_beta_for_each_row_does_not_push_relu_norm_over_the_largest_float(xp):
    scores = xp.asarray([[1.5e308, 0.5e308, -1.0], [0.75, 0.25, 0.0], [1.5e308, 0.5e308, 0.0]])
    for sign in (1.0, -1.0):
        beta = xp.asarray([[sign], [3 * sign], [sign * inf]])
        np.testing.assert_array_equal(xp.to_numpy(relu_norm(sign * scores, beta)), [[0.75, 0.25, 0]] * 3)


@pytest.mark.parametrize("f", [relu_norm, sigmoid_weights])
def test_relu_norm_and_sigmoid_weights_are_the_same_where_no_value_is_read(f):
    """Under vmap no value is read; so nothing is known of the scores."""
    rows = torch.tensor([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [1e300, 1e308, 1.2e308]], dtype=torch.float64)
    awkward = torch.tensor([[inf, 1.0, -inf], [-inf, -inf, -inf], [math.nan, 1.0, 2.0]], dtype=torch.float64)
    for s in (rows, awkward, torch.cat([rows, awkward])):
        for beta in (0.7, -1.3, 0.0, inf, -inf):
            torch.testing.assert_close(torch.func.vmap(lambda x, b=beta: f(x, b))(s), f(s, beta), equal_nan=True)
            b = torch.tensor([[beta]], dtype=torch.float64)
            torch.testing.assert_close(f(s, b), f(s, beta), equal_nan=True)


def test_in_entmax_the_share_of_each_tie_has_its_slope_in_the_prior():
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


def test_the_bias_of_sigmoid_weights_counts_along_the_axis_it_is_given():
    scores = np.zeros((2, 5))
    for axis, n in ((0, 2), (-2, 2), (1, 5), (-1, 5)):
        for where in (None, np.ones((2, 5), bool)):
            close(sigmoid_weights(scores, where=where, axis=axis), np.full((2, 5), 1 / (n + 1)))
