"""Every row of the table of awkward inputs, for every map and what is made of weights, forward and backward."""

import math
from fractions import Fraction

import numpy as np
import pytest
from calls import named
from maps import DENSE
from optional_torch import torch

import lib
from lib._arrays import namespace_of

inf, nan = math.inf, math.nan
BETAS = (1.0, -1.5, 0.0, inf, -inf)


def curve(alpha, learned=False):
    """entmax at one α, a number or an array, called as all other maps are."""

    def f(scores, beta=1.0, **options):
        order = namespace_of(scores).full((1,), alpha, device=scores.device) if learned else alpha
        return lib.entmax(scores, alpha=order, beta=beta, **options)

    f.__name__ = f"entmax_{alpha}" + "_learned" * learned
    return f


SPARSE = [lib.sparsemax, curve(1.5), curve(2.5), curve(1.0, learned=True), curve(1.25, learned=True)]
TAKE_A_PRIOR = [lib.softmax, *SPARSE]
WEIGHTS = [*TAKE_A_PRIOR, *DENSE]
MAPS = [lib.log_softmax, lib.log_partition, *WEIGHTS]


def equal(xp, actual, expected):
    np.testing.assert_array_equal(xp.to_numpy(actual), expected)


def close(xp, actual, expected, scale=1.0):
    np.testing.assert_allclose(xp.to_numpy(actual), expected, rtol=xp.tol, atol=xp.tol * scale)


def gradients(xp, f, scores, beta=1.0, prior=None, seed=3, **options):
    """Gradients of a random combination of f's finite results, in scores, β and, if f takes one, the prior."""
    arrays = {"scores": scores, "beta": beta} | ({} if prior is None or f in DENSE else {"prior": prior})
    leaves = {name: xp.asarray(np.asarray(x, dtype=float)).requires_grad_() for name, x in arrays.items()}
    out = f(**leaves, **options)
    random = xp.asarray(np.random.default_rng(seed).normal(size=tuple(out.shape)))
    total = torch.where(torch.isfinite(out), out, 0).mul(random).sum()
    with torch.autograd.set_detect_anomaly(not out.isnan().any()):  # no NaN on the way back either
        total.backward()
    return [xp.to_numpy(leaf.grad) for leaf in leaves.values()]


# ---- empty rows


def test_an_empty_row_gets_zeros_from_every_map_and_measure(xp_any):
    scores = xp_any.asarray([[1.0, 2.0, 3.0], [1.0, -inf, 3.0], [-inf, -inf, -inf]])
    keep = xp_any.asarray([[True, True, True], [False, True, False], [True, True, True]])
    uniform = xp_any.asarray(np.full((3, 3), 1 / 3))
    for beta in BETAS:
        worst = inf if beta < 0 else -inf
        for f in WEIGHTS:
            with named(f.__name__, beta):
                weights = xp_any.to_numpy(f(scores, beta, where=keep))
                assert (weights[1:] == 0).all()
                close(xp_any, f(scores[0, ...], beta), weights[0])
        equal(xp_any, lib.log_softmax(scores, beta, where=keep)[1:, :], np.full((2, 3), -inf))
        equal(xp_any, lib.log_partition(scores, beta, where=keep)[1:], [worst, worst])
        p = lib.softmax(scores, beta, where=keep)
        equal(xp_any, lib.objective(p, scores, beta, where=keep)[1:], [worst, worst])
        for nothing in (lib.entropy(p), lib.effective_count(p), lib.kl_divergence(p, uniform)):
            equal(xp_any, nothing[1:], [0, 0])
    equal(xp_any, lib.beta_for_kl(scores, 0.1, where=keep)[1:], [inf, inf])


def test_a_prior_of_zero_on_all_that_is_left_makes_an_empty_row_for_softmax_and_entmax(xp_any):
    scores, prior = xp_any.asarray([1.0, 2.0, -inf]), xp_any.asarray([0.0, 0.0, 1.0])
    for f in TAKE_A_PRIOR:
        equal(xp_any, f(scores, prior=prior), [0, 0, 0])
    equal(xp_any, lib.log_partition(scores, prior=prior), -inf)


def count(scores, beta, **options):
    return lib.effective_count(lib.softmax(scores, beta, **options))


def test_an_empty_row_has_gradient_zero_and_spoils_no_other(xp_grad):
    scores = np.array([[0.5, 2.0, 1.0], [1.0, nan, 3.0], [-inf, -inf, -inf]])
    keep = xp_grad.asarray([[True, True, True], [False, False, False], [True, True, True]])
    for f in (*MAPS, count):
        for beta in BETAS:
            with named(f.__name__, beta):
                for slope in gradients(
                    xp_grad, f, scores, np.full((3, 1), beta), [[1.0, 2.0, 1.0]] * 3, where=keep
                ):
                    assert (slope[1:] == 0).all()
                    assert np.isfinite(slope).all()


# ---- infinite, or not a number


def test_softmax_and_entmax_give_plus_infinity_all_the_mass_in_proportion_to_the_prior(xp_any):
    scores, prior = xp_any.asarray([1.0, inf, 3.0, inf]), xp_any.asarray([1.0, 1.0, 4.0, 3.0])
    for beta in (0.5, inf):
        for f in TAKE_A_PRIOR:
            equal(xp_any, f(scores, beta, prior=prior), [0, 0.25, 0, 0.75])
        equal(xp_any, lib.log_partition(scores, beta, prior=prior), inf)
        close(xp_any, lib.log_softmax(scores, beta, prior=prior), [-inf, math.log(0.25), -inf, math.log(0.75)])


def test_to_softmax_and_entmax_plus_infinity_is_ordinary_at_beta_zero_and_nothing_below(xp_any):
    scores, prior = xp_any.asarray([1.0, inf, 3.0]), xp_any.asarray([1.0, 1.0, 2.0])
    rows, half = xp_any.asarray([[1.0, inf, 1.0], [inf, inf, -inf]]), math.log(0.5)
    for f in TAKE_A_PRIOR:
        equal(xp_any, f(scores, 0.0, prior=prior), [0.25, 0.25, 0.5])
        equal(xp_any, f(rows, -2.0), [[0.5, 0, 0.5], [0.5, 0.5, 0]])
    close(xp_any, lib.log_softmax(scores, 0.0, prior=prior), np.log([0.25, 0.25, 0.5]))
    equal(xp_any, lib.log_partition(scores, 0.0, prior=prior), inf)
    close(xp_any, lib.log_softmax(rows, -2.0), [[half, -inf, half], [half, half, -inf]])
    close(xp_any, lib.log_partition(rows, -2.0), [1 - math.log(2 / 3) / 2, inf])
    equal(xp_any, lib.softmax(rows, -inf), [[0.5, 0, 0.5], [0.5, 0.5, 0]])


def test_plus_infinity_in_relu_norm_sigmoid_weights_and_softmax_plus_one(xp_any):
    scores = xp_any.asarray([[1.0, inf, -inf, inf], [-1.0, 1.0, -inf, inf]])
    equal(xp_any, lib.relu_norm(scores, 2.0), [[0, 0.5, 0, 0.5], [0, 0, 0, 1]])
    equal(xp_any, lib.relu_norm(scores, -2.0), [[0, 0, 0, 0], [1, 0, 0, 0]])
    equal(xp_any, lib.relu_norm(scores, 0.0), np.zeros((2, 4)))
    equal(xp_any, lib.softmax_plus_one(scores, 2.0), [[0, 0.5, 0, 0.5], [0, 0, 0, 1]])
    equal(xp_any, lib.softmax_plus_one(scores, 0.0), [[0.25, 0.25, 0, 0.25]] * 2)
    equal(xp_any, lib.softmax_plus_one(scores, -2.0)[:, 3], [0, 0])
    rows = xp_any.asarray([[1.0, 2.0, -inf, 2.0], [-inf] * 4])
    for beta in (2.0, 0.0):  # a sink at −inf is none, and one at +inf is a score of +inf
        equal(xp_any, lib.softmax_plus_one(rows, beta, sink=-inf), xp_any.to_numpy(lib.softmax(rows, beta)))
        share = [[0] * 4, [0.25, 0.25, 0, 0.25]][beta == 0]
        equal(xp_any, lib.softmax_plus_one(rows, beta, sink=inf), [share, [0] * 4])
    close(xp_any, lib.softmax_plus_one(scores, 2.0, sink=inf), [[0, 1 / 3, 0, 1 / 3], [0, 0, 0, 0.5]])
    close(xp_any, lib.softmax_plus_one(rows, inf, sink=2.0), [[0, 1 / 3, 0, 1 / 3], [0] * 4])
    equal(xp_any, lib.softmax_plus_one(rows, -2.0, sink=inf)[:, 2], [0, 0])
    close(xp_any, lib.sigmoid_weights(scores, 0.0), [[0.25, 0.25, 0, 0.25]] * 2)
    equal(xp_any, lib.sigmoid_weights(scores, 2.0)[:, 2:], [[0, 1], [0, 1]])
    equal(xp_any, lib.sigmoid_weights(scores, -2.0)[:, 2:], [[0, 0], [0, 0]])


def test_infinite_scores_give_every_map_finite_gradients(xp_grad):
    scores = [[1.0, -inf, 3.0, 0.0], [1.0, inf, 3.0, -inf], [inf, inf, -inf, inf]]
    for f in MAPS:
        for beta in BETAS:
            for prior in (np.ones((3, 4)), None):
                with named(f.__name__, beta, prior):
                    slopes = gradients(xp_grad, f, scores, np.full((3, 1), beta), prior)
                    assert all(np.isfinite(slope).all() for slope in slopes)
                    assert (slopes[0][np.isinf(scores)] == 0).all()


def test_a_learned_beta_does_not_see_a_score_of_minus_infinity_in_any_map(xp_grad):
    some, every = xp_grad.asarray([True, False, True]), xp_grad.asarray([True] * 3)
    for f in MAPS:
        with named(f.__name__):
            slopes = gradients(xp_grad, f, [[1.0, -inf, 3.0]], [[0.5]], seed=4, where=every)
            masked = gradients(xp_grad, f, [[1.0, 2.0, 3.0]], [[0.5]], seed=4, where=some)
            for slope, same in zip(slopes, masked, strict=True):
                np.testing.assert_allclose(slope, same, atol=xp_grad.tol)


def test_an_admissible_nan_spoils_its_row_only_in_every_map(xp_any):
    scores = xp_any.asarray([[1.0, nan, 3.0], [1.0, 2.0, 3.0]])
    for f in MAPS:
        for beta in BETAS:
            with named(f.__name__, beta):
                got = xp_any.to_numpy(f(scores, beta))
                spoilt = np.isnan(got[0])  # the whole row, but of a map that takes each score by itself
                assert spoilt.tolist() == [False, True, False] if f is lib.sigmoid_weights else spoilt.all()
                close(xp_any, f(scores[1, ...], beta), got[1])
    for beta in BETAS:
        assert np.isnan(xp_any.to_numpy(lib.objective(lib.softmax(scores), scores, beta))).tolist() == [
            True,
            False,
        ]
    for epsilon in (0.0, 0.1, inf):
        got = xp_any.to_numpy(lib.beta_for_kl(scores, epsilon))
        assert np.isnan(got[0])
        close(xp_any, lib.beta_for_kl(scores[1, ...], epsilon), got[1])


def test_an_admissible_nan_spoils_no_other_gradient_in_any_map(xp_grad):
    for f in MAPS:
        with named(f.__name__):
            scores = [[1.0, nan, 3.0], [1.0, 2.0, 3.0]]
            ds, db, *_ = gradients(xp_grad, f, scores, np.ones((2, 1)), np.ones((2, 3)))
            assert np.isfinite(ds[1]).all()
            assert np.isfinite(db[1]).all()


# ---- large numbers


def test_huge_scores_are_as_exact_as_small_ones_in_every_map(xp_any, reference):
    top = 6e4 if xp_any.dtype_name == "float16" else 1e30
    definitions = {
        lib.softmax: reference.weights,
        lib.sparsemax: lambda s, beta: reference.entmax(s, 2.0, beta),
        lib.entmax: lambda s, beta: reference.entmax(s, 1.5, beta),
        **{f: getattr(reference, f.__name__) for f in DENSE},
    }
    for scores in ([top, -top, top / 2], [0.0, -1e9, 1.0], [top, top, 1.0], [-top, -top, -1e9]):
        row = xp_any.rounded(scores)
        for beta in (1.0, -1.0, 0.0, 1 / top, inf):
            for f, definition in definitions.items():
                want = [float(w) for w in definition(row.tolist(), beta)]
                close(xp_any, f(xp_any.asarray(row), beta=beta), want)
            value = float(reference.log_partition(row.tolist(), beta))
            close(xp_any, lib.log_partition(xp_any.asarray(row), beta), value, np.abs(row[np.isfinite(row)]).max())


def test_a_large_offset_costs_softmax_and_entmax_no_digits(xp_any, reference):
    offset = {"float16": 1024.0, "bfloat16": 128.0}.get(xp_any.dtype_name, 1e6)
    row = xp_any.rounded(offset + np.array([0.0, 1.0, 2.0, 5.0]))
    scores, near = xp_any.asarray(row), xp_any.asarray(row - offset)
    for beta in (1.5, -0.75):
        want = [float(w) for w in reference.weights((row - offset).tolist(), beta)]
        for b in (beta, xp_any.asarray(beta)):
            close(xp_any, lib.softmax(scores, b), want)
        for f in SPARSE:
            close(xp_any, f(scores, beta), xp_any.to_numpy(f(near, beta)))


def test_the_largest_floats_do_not_overflow_into_nan_in_any_map(xp_any):
    top = float(np.finfo(np.float64 if xp_any.dtype_name == "float64" else np.float32).max) / 1.01
    if xp_any.dtype_name == "float16":
        top = 65504.0
    scores = xp_any.asarray([top, -top, 0.0])
    for f in TAKE_A_PRIOR:
        for beta in (1.0, 1e300, inf):
            equal(xp_any, f(scores, beta), [1, 0, 0])
            equal(xp_any, f(scores, -beta), [0, 1, 0])
        close(xp_any, f(scores, 0.0), [1 / 3, 1 / 3, 1 / 3])
    for beta in (1.0, 1e300, inf):
        for f in (lib.relu_norm, lib.softmax_plus_one):
            equal(xp_any, f(scores, beta), [1, 0, 0])
        close(xp_any, lib.sigmoid_weights(scores, beta), [1, 0, 1 / 4])
    equal(xp_any, lib.relu_norm(xp_any.asarray([top, top, -top])), [0.5, 0.5, 0])


def test_in_softmax_a_gap_just_above_the_largest_float_is_a_gap_like_another():
    """A peak of `share` roundings of the largest float, and an entry as low as floats go; β is 1 over the gap."""
    info = np.finfo(np.float64)
    top, want = float(info.max), np.array([1, np.exp(-1)]) / (1 + np.exp(-1))
    for share in (0.2, 0.25, 0.3, 0.5, 1.0, 3.9, 1e3):
        got = lib.softmax(np.array([share * info.eps * top, -top]), np.array(1 / top))
        np.testing.assert_allclose(got, want, rtol=1e-12, err_msg=f"{share}")


def test_65536_weights_of_softmax_and_entmax_sum_to_one_in_every_dtype(xp_any):
    n, rounding = 65536, 8 * xp_any.eps if xp_any.dtype_name in ("float64", "float32") else xp_any.eps
    ones = xp_any.asarray(np.ones(n))
    for scores in map(xp_any.asarray, (np.zeros(n), np.random.default_rng(1).normal(size=n))):
        for prior in (None, ones):
            assert abs(xp_any.to_numpy(lib.softmax(scores, prior=prior)).sum() - 1) <= rounding
        for f in SPARSE:
            assert abs(xp_any.to_numpy(f(scores, 0.25)).sum() - 1) <= max(rounding, 64 * 2.0**-52)
    uniform = lib.softmax(0 * ones)
    assert (xp_any.to_numpy(uniform) == 1 / n).all()
    close(xp_any, lib.entropy(uniform), math.log(n))
    if xp_any.dtype_name != "float16":  # whose largest number is 65504
        close(xp_any, lib.effective_count(uniform), n, n)


# ---- β


def test_in_every_map_beta_broadcasts_over_heads(xp):
    scores = np.random.default_rng(4).normal(size=(2, 3, 5, 7))
    beta = np.array([0.5, 1.0, 2.0]).reshape(3, 1, 1)
    for f in WEIGHTS:
        got = xp.to_numpy(f(xp.asarray(scores), xp.asarray(beta)))
        for h in range(3):
            np.testing.assert_allclose(got[:, h], f(scores[:, h], float(beta[h, 0, 0])), rtol=1e-13, atol=1e-15)


def test_at_beta_infinite_no_map_has_a_gradient_and_log_partition_has_the_weights(xp_grad):
    scores, prior = [1.0, 3.0, 3.0, 1.0, 2.0], [1.0, 1.0, 3.0, 3.0, 1.0]
    for beta, weights in ((inf, [0, 0.25, 0.75, 0, 0]), (-inf, [0.25, 0, 0, 0.75, 0])):
        for f in WEIGHTS:
            with named(f.__name__, beta):
                ds, db, *_ = gradients(xp_grad, f, scores, beta, prior)
                assert db == 0
                assert (ds == 0).all() or f is lib.relu_norm  # whose limit is no step
        leaf = xp_grad.asarray(scores).requires_grad_()
        lib.log_partition(leaf, beta, prior=xp_grad.asarray(prior)).backward()
        close(xp_grad, leaf.grad, weights)


def test_a_learned_alpha_of_entmax_gets_a_slope_from_ordinary_rows_alone(xp_grad):
    scores = xp_grad.asarray([[1.0, -inf, 0.5], [inf, 1.0, inf], [-inf] * 3, [1.0, 0.5, 0.0], [1e30, -1e30, 0.0]])
    scores.requires_grad_()
    keep = xp_grad.asarray([[True] * 3] * 3 + [[False] * 3] + [[True] * 3])
    for value in (1.0, 1.5, 2.0):
        for beta in (0.5, 0.0, inf):
            alpha = xp_grad.asarray([[value]] * 5).requires_grad_()
            weights = lib.entmax(scores, alpha=alpha, beta=beta, where=keep)
            with torch.autograd.set_detect_anomaly(True):
                slopes = torch.autograd.grad(weights[:, 0].sum(), [alpha, scores])
            assert all(torch.isfinite(slope).all() for slope in slopes)
            assert (slopes[0][2:4] == 0).all()
            assert (slopes[0][[1, 4]].abs() <= 1e-15).all()  # in hard rows two terms cancel
            assert (slopes[0][0].abs() > 1e-3) == (beta == 0.5)
            assert slopes[0].dtype == xp_grad.dtype


# ---- dtypes, numbers, and no entries


def test_softmax_is_computed_in_the_widest_dtype_of_all_arguments(xp):
    """A prior of 1e-60 is 0 in single precision."""
    scores = xp.asarray([0.0, 150.0], dtype=xp.float32)
    weights = lib.softmax(scores, prior=xp.asarray([1.0, 1e-60], dtype=xp.float64))
    assert weights.dtype == xp.float32
    np.testing.assert_allclose(xp.to_numpy(weights), [math.exp(-150) * 1e60, 1], rtol=1e-5)


def test_no_entries_give_every_map_no_weights(xp_any):
    scores = xp_any.asarray(np.empty((3, 0)))
    for beta in BETAS:
        worst = np.full(3, inf if beta < 0 else -inf)
        for f in WEIGHTS:
            assert f(scores, beta).shape == f(scores, beta, where=scores > 0).shape == (3, 0)
            assert f(scores[0, ...], beta).shape == (0,)
        assert lib.log_softmax(scores, beta, prior=scores, where=scores > 0).shape == (3, 0)
        equal(xp_any, lib.log_partition(scores, beta), worst)
        equal(xp_any, lib.objective(scores, scores, beta), worst)
    equal(xp_any, lib.entropy(scores), [0, 0, 0])
    equal(xp_any, lib.effective_count(scores), [0, 0, 0])
    equal(xp_any, lib.kl_divergence(scores, scores), [0, 0, 0])
    equal(xp_any, lib.beta_for_kl(scores, 0.1), [inf] * 3)


def test_no_rows_give_every_map_no_rows(xp_any):
    scores = xp_any.asarray(np.empty((0, 3)))
    for f in WEIGHTS:
        assert f(scores).shape == f(scores, 0.7, where=scores > 0).shape == (0, 3)
    numbers = lib.log_partition(scores), lib.entropy(scores), lib.effective_count(scores)
    assert {x.shape for x in (*numbers, lib.beta_for_kl(scores, 0.1), lib.kl_divergence(scores, scores))} == {(0,)}


def test_numpy_warns_of_nothing_and_its_settings_stay():
    with np.errstate(all="raise"):
        settings = np.geterr()
        for f in WEIGHTS:
            assert math.isnan(f(np.array([nan, 1.0]))[0])
            f(np.array([[1e308, -1e308, inf], [-inf] * 3]), 1e300)
        lib.entmax_vjp(np.array([[0.0, 0.0], [1e-300, 1.0]]), np.array([1e308, -1e308]), alpha=3.0, beta=inf)
        lib.log_partition(np.array([1e308, -1e308]), 1e300)
        assert np.geterr() == settings


@pytest.mark.parametrize("make", [np.asarray, torch.tensor])
def test_a_number_of_numpy_or_a_fraction_counts_as_pythons_of_any_precision(make):
    """As β, in every map and in attention."""
    for number in (np.float16, np.float32, np.float64, np.int8, np.longdouble, Fraction):
        for dtype in (np.float32, np.float64):
            x = make(np.array([[0.0, 1.0, 3.0], [2.0, 0.5, -1.0]], dtype=dtype))
            attend = [
                lambda x, beta, n=n: lib.attention(x, x, x, beta=beta, weights=n)
                for n in ("softmax", "sparsemax", "relu_norm")
            ]
            for f in (*MAPS, *attend):
                got, want = (np.asarray(f(x, beta=beta)) for beta in (number(2), 2.0))
                np.testing.assert_array_equal(got, want, err_msg=f"{number} {dtype} {f}")
