"""Every row of the table of awkward inputs, for every map and what is made of weights, forward and backward."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from maps import DENSE, NAMES
from optional_torch import torch

import lib
from lib import (
    beta_for_kl,
    effective_count,
    entmax,
    entropy,
    kl_divergence,
    log_partition,
    log_softmax,
    objective,
    relu_norm,
    sigmoid_weights,
    softmax,
    softmax_plus_one,
    sparsemax,
)
from lib._arrays import namespace_of

inf, nan = math.inf, math.nan
BETAS = (1.0, -1.5, 0.0, inf, -inf)


def curve(alpha, learned=False):
    """entmax at one α, a number or an array, called as all other maps are."""

    def f(scores, beta=1.0, **options):
        order = namespace_of(scores).full((1,), alpha, device=scores.device) if learned else alpha
        return entmax(scores, alpha=order, beta=beta, **options)

    f.__name__ = f"entmax_{alpha}" + "_learned" * learned
    return f


GIBBS = [softmax, log_softmax, log_partition]
SPARSE = [sparsemax, curve(1.5), curve(2.5), curve(1.0, learned=True), curve(1.25, learned=True)]
WEIGHTS = [softmax, *SPARSE, *DENSE]
MAPS = [*GIBBS, *SPARSE, *DENSE]
every_map = pytest.mark.parametrize("f", MAPS, ids=lambda f: f.__name__)


def with_prior(f, prior):
    """`prior`, for a map that takes one."""
    return None if f in DENSE else prior


def equal(xp, actual, expected):
    np.testing.assert_array_equal(xp.to_numpy(actual), expected)


def close(xp, actual, expected, scale=1.0):
    np.testing.assert_allclose(xp.to_numpy(actual), expected, rtol=xp.tol, atol=xp.tol * scale)


def gradients(xp, f, scores, beta=1.0, prior=None, seed=3, **options):
    """Value and gradients of a random combination of f's finite results, in scores, β and prior."""
    leaves = [
        xp.asarray(np.asarray(x, dtype=float)) for x in (scores, beta) + ((prior,) if prior is not None else ())
    ]
    for leaf in leaves:
        leaf.requires_grad_()
    extra = dict(prior=leaves[2]) if prior is not None else {}
    out = f(leaves[0], leaves[1], **extra, **options)
    random = xp.asarray(np.random.default_rng(seed).normal(size=tuple(out.shape)))
    total = torch.where(torch.isfinite(out), out, 0).mul(random).sum()
    with torch.autograd.set_detect_anomaly(not out.isnan().any()):  # no NaN on the way back either
        total.backward()
    return out, *(xp.to_numpy(leaf.grad) for leaf in leaves)


# ---- empty rows


@pytest.mark.parametrize("beta", BETAS)
def test_an_empty_row_gets_zeros(xp_any, beta):
    scores = xp_any.asarray([[1.0, 2.0, 3.0], [1.0, -inf, 3.0], [-inf, -inf, -inf]])
    keep = xp_any.asarray([[True, True, True], [False, True, False], [True, True, True]])
    worst = inf if beta < 0 else -inf
    for f in WEIGHTS:
        weights = xp_any.to_numpy(f(scores, beta, where=keep))
        assert (weights[1:] == 0).all()
        close(xp_any, f(scores[0, ...], beta), weights[0])
    equal(xp_any, log_softmax(scores, beta, where=keep)[1:, :], np.full((2, 3), -inf))
    equal(xp_any, log_partition(scores, beta, where=keep)[1:], [worst, worst])
    p, uniform = softmax(scores, beta, where=keep), xp_any.asarray(np.full((3, 3), 1 / 3))
    equal(xp_any, objective(p, scores, beta, where=keep)[1:], [worst, worst])
    for nothing in (entropy(p), effective_count(p), kl_divergence(p, uniform)):
        equal(xp_any, nothing[1:], [0, 0])
    equal(xp_any, beta_for_kl(scores, 0.1, where=keep)[1:], [inf, inf])


def test_a_prior_of_zero_on_all_that_is_left_makes_an_empty_row(xp_any):
    scores, prior = xp_any.asarray([1.0, 2.0, -inf]), xp_any.asarray([0.0, 0.0, 1.0])
    for f in (softmax, *SPARSE):
        equal(xp_any, f(scores, prior=prior), [0, 0, 0])
    equal(xp_any, log_partition(scores, prior=prior), -inf)


def count(scores, beta, **options):
    return effective_count(softmax(scores, beta, **options))


@pytest.mark.parametrize("f", [*MAPS, count], ids=lambda f: f.__name__)
@pytest.mark.parametrize("beta", BETAS)
def test_an_empty_row_has_gradient_zero_and_spoils_no_other(xp_grad, f, beta):
    scores = np.array([[0.5, 2.0, 1.0], [1.0, nan, 3.0], [-inf, -inf, -inf]])
    keep = xp_grad.asarray([[True, True, True], [False, False, False], [True, True, True]])
    prior = [[1.0, 2.0, 1.0]] * 3
    _, *slopes = gradients(xp_grad, f, scores, np.full((3, 1), beta), with_prior(f, prior), where=keep)
    for gradient in slopes:
        assert (gradient[1:] == 0).all()
        assert np.isfinite(gradient).all()


# ---- what is masked, infinite or not a number


@pytest.mark.parametrize("beta", BETAS)
@every_map
def test_what_a_mask_hides_has_no_effect(xp_grad, f, beta):
    keep = xp_grad.asarray([True, False, True, True])
    prior, other = with_prior(f, [1.0, 2.0, 3.0, 1.0]), with_prior(f, [1.0, 5.0, 3.0, 1.0])
    plain = gradients(xp_grad, f, [1.0, 0.0, -2.0, 0.5], beta, other, where=keep)
    for hidden in (nan, inf, -inf, 1e4):
        got = gradients(xp_grad, f, [1.0, hidden, -2.0, 0.5], beta, prior, where=keep)
        for a, b in zip(got[1:], plain[1:], strict=True):
            np.testing.assert_array_equal(a, b)
            assert np.isfinite(a).all()
        assert torch.equal(got[0], plain[0])
        assert got[1][1] == 0
        assert prior is None or got[3][1] == 0


def test_plus_infinity_takes_all_the_mass_in_proportion_to_the_prior(xp_any):
    scores, prior = xp_any.asarray([1.0, inf, 3.0, inf]), xp_any.asarray([1.0, 1.0, 4.0, 3.0])
    for beta in (0.5, inf):
        for f in (softmax, *SPARSE):
            equal(xp_any, f(scores, beta, prior=prior), [0, 0.25, 0, 0.75])
        equal(xp_any, log_partition(scores, beta, prior=prior), inf)
        close(xp_any, log_softmax(scores, beta, prior=prior), [-inf, math.log(0.25), -inf, math.log(0.75)])


def test_plus_infinity_is_ordinary_at_beta_zero(xp_any):
    scores, prior = xp_any.asarray([1.0, inf, 3.0]), xp_any.asarray([1.0, 1.0, 2.0])
    for f in (softmax, *SPARSE):
        equal(xp_any, f(scores, 0.0, prior=prior), [0.25, 0.25, 0.5])
    close(xp_any, log_softmax(scores, 0.0, prior=prior), np.log([0.25, 0.25, 0.5]))
    equal(xp_any, log_partition(scores, 0.0, prior=prior), inf)


def test_plus_infinity_gets_nothing_at_negative_beta(xp_any):
    scores = xp_any.asarray([[1.0, inf, 1.0], [inf, inf, -inf]])
    for f in (softmax, *SPARSE):
        equal(xp_any, f(scores, -2.0), [[0.5, 0, 0.5], [0.5, 0.5, 0]])
    half = math.log(0.5)
    close(xp_any, log_softmax(scores, -2.0), [[half, -inf, half], [half, half, -inf]])
    close(xp_any, log_partition(scores, -2.0), [1 - math.log(2 / 3) / 2, inf])
    equal(xp_any, softmax(scores, -inf), [[0.5, 0, 0.5], [0.5, 0.5, 0]])


def test_plus_infinity_in_the_dense_maps(xp_any):
    scores = xp_any.asarray([[1.0, inf, -inf, inf], [-1.0, 1.0, -inf, inf]])
    equal(xp_any, relu_norm(scores, 2.0), [[0, 0.5, 0, 0.5], [0, 0, 0, 1]])
    equal(xp_any, relu_norm(scores, -2.0), [[0, 0, 0, 0], [1, 0, 0, 0]])
    equal(xp_any, relu_norm(scores, 0.0), np.zeros((2, 4)))
    equal(xp_any, softmax_plus_one(scores, 2.0), [[0, 0.5, 0, 0.5], [0, 0, 0, 1]])
    equal(xp_any, softmax_plus_one(scores, 0.0), [[0.25, 0.25, 0, 0.25]] * 2)
    equal(xp_any, softmax_plus_one(scores, -2.0)[:, 3], [0, 0])
    close(xp_any, sigmoid_weights(scores, 0.0), [[0.25, 0.25, 0, 0.25]] * 2)
    equal(xp_any, sigmoid_weights(scores, 2.0)[:, 2:], [[0, 1], [0, 1]])
    equal(xp_any, sigmoid_weights(scores, -2.0)[:, 2:], [[0, 0], [0, 0]])


@every_map
@pytest.mark.parametrize("beta", BETAS)
def test_infinite_scores_give_finite_gradients(xp_grad, f, beta):
    scores = [[1.0, -inf, 3.0, 0.0], [1.0, inf, 3.0, -inf], [inf, inf, -inf, inf]]
    _, ds, *others = gradients(xp_grad, f, scores, np.full((3, 1), beta), with_prior(f, np.ones((3, 4))))
    for gradient in (ds, *others):
        assert np.isfinite(gradient).all()
    assert (ds[np.isinf(scores)] == 0).all()
    _, ds, db = gradients(xp_grad, f, scores, np.full((3, 1), beta))
    assert np.isfinite(ds).all()
    assert np.isfinite(db).all()


@every_map
def test_a_learned_beta_does_not_see_a_score_of_minus_infinity(xp_grad, f):
    _, ds, db = gradients(xp_grad, f, [[1.0, -inf, 3.0]], [[0.5]], seed=4, where=xp_grad.asarray([True] * 3))
    _, masked, same = gradients(
        xp_grad, f, [[1.0, 2.0, 3.0]], [[0.5]], seed=4, where=xp_grad.asarray([True, False, True])
    )
    np.testing.assert_allclose(ds, masked, atol=xp_grad.tol)
    np.testing.assert_allclose(db, same, atol=xp_grad.tol)


@pytest.mark.parametrize("beta", BETAS)
def test_an_admissible_nan_spoils_its_row_only(xp_any, beta):
    scores = xp_any.asarray([[1.0, nan, 3.0], [1.0, 2.0, 3.0]])
    for f in MAPS:
        got = xp_any.to_numpy(f(scores, beta))
        spoilt = np.isnan(got[0])  # the whole row, but of a map that takes each score by itself
        assert spoilt.tolist() == [False, True, False] if f is sigmoid_weights else spoilt.all()
        close(xp_any, f(scores[1, ...], beta), got[1])
    assert np.isnan(xp_any.to_numpy(objective(softmax(scores), scores, beta))).tolist() == [True, False]


@pytest.mark.parametrize("epsilon", [0.0, 0.1, inf])
def test_an_admissible_nan_spoils_the_beta_of_its_row_only(xp_any, epsilon):
    scores = xp_any.asarray([[1.0, nan, 3.0], [1.0, 2.0, 3.0]])
    got = xp_any.to_numpy(beta_for_kl(scores, epsilon))
    assert np.isnan(got[0])
    close(xp_any, beta_for_kl(scores[1, ...], epsilon), got[1])


@every_map
def test_an_admissible_nan_spoils_no_other_gradient(xp_grad, f):
    prior = with_prior(f, np.ones((2, 3)))
    _, ds, db, *_ = gradients(xp_grad, f, [[1.0, nan, 3.0], [1.0, 2.0, 3.0]], np.ones((2, 1)), prior)
    assert np.isfinite(ds[1]).all()
    assert np.isfinite(db[1]).all()


# ---- large numbers


def test_huge_scores_are_as_exact_as_small_ones(xp_any, reference):
    top = 6e4 if xp_any.dtype_name == "float16" else 1e30
    definitions = {
        softmax: reference.weights,
        sparsemax: lambda s, beta: reference.entmax(s, 2.0, beta),
        entmax: lambda s, beta: reference.entmax(s, 1.5, beta),
        **{f: getattr(reference, f.__name__) for f in DENSE},
    }
    for scores in ([top, -top, top / 2], [0.0, -1e9, 1.0], [top, top, 1.0], [-top, -top, -1e9]):
        row = xp_any.rounded(scores)
        for beta in (1.0, -1.0, 0.0, 1 / top, inf):
            for f, definition in definitions.items():
                want = [float(w) for w in definition(row.tolist(), beta)]
                close(xp_any, f(xp_any.asarray(row), beta=beta), want)
            value = float(reference.log_partition(row.tolist(), beta))
            close(xp_any, log_partition(xp_any.asarray(row), beta), value, np.abs(row[np.isfinite(row)]).max())


def test_a_large_offset_costs_no_digits(xp_any, reference):
    offset = {"float16": 1024.0, "bfloat16": 128.0}.get(xp_any.dtype_name, 1e6)
    row = xp_any.rounded(offset + np.array([0.0, 1.0, 2.0, 5.0]))
    scores, near = xp_any.asarray(row), xp_any.asarray(row - offset)
    for beta in (1.5, -0.75):
        want = [float(w) for w in reference.weights((row - offset).tolist(), beta)]
        for b in (beta, xp_any.asarray(beta)):
            close(xp_any, softmax(scores, b), want)
        for f in SPARSE:
            close(xp_any, f(scores, beta), xp_any.to_numpy(f(near, beta)))


def test_the_largest_floats_do_not_overflow_into_nan(xp_any):
    top = float(np.finfo(np.float64 if xp_any.dtype_name == "float64" else np.float32).max) / 1.01
    if xp_any.dtype_name == "float16":
        top = 65504.0
    scores = xp_any.asarray([top, -top, 0.0])
    for f in (softmax, *SPARSE):
        for beta in (1.0, 1e300, inf):
            equal(xp_any, f(scores, beta), [1, 0, 0])
            equal(xp_any, f(scores, -beta), [0, 1, 0])
        close(xp_any, f(scores, 0.0), [1 / 3, 1 / 3, 1 / 3])
    for beta in (1.0, 1e300, inf):
        for f in (relu_norm, softmax_plus_one):
            equal(xp_any, f(scores, beta), [1, 0, 0])
        close(xp_any, sigmoid_weights(scores, beta), [1, 0, 1 / 4])
    equal(xp_any, relu_norm(xp_any.asarray([top, top, -top])), [0.5, 0.5, 0])


@pytest.mark.parametrize("share", [0.2, 0.25, 0.3, 0.5, 1.0, 3.9, 1e3])
def test_a_gap_just_above_the_largest_float_is_a_gap_like_another(share):
    """A peak of `share` roundings of the largest float, and an entry as low as floats go; β is 1 over the gap."""
    info = np.finfo(np.float64)
    top = float(info.max)
    want = np.array([1, np.exp(-1)]) / (1 + np.exp(-1))
    np.testing.assert_allclose(
        softmax(np.array([share * info.eps * top, -top]), np.array(1 / top)), want, rtol=1e-12
    )


def test_65536_weights_sum_to_one_in_every_dtype(xp_any):
    n, rounding = 65536, 8 * xp_any.eps if xp_any.dtype_name in ("float64", "float32") else xp_any.eps
    ones = xp_any.asarray(np.ones(n))
    for scores in map(xp_any.asarray, (np.zeros(n), np.random.default_rng(1).normal(size=n))):
        for prior in (None, ones):
            assert abs(xp_any.to_numpy(softmax(scores, prior=prior)).sum() - 1) <= rounding
        for f in SPARSE:
            assert abs(xp_any.to_numpy(f(scores, 0.25)).sum() - 1) <= max(rounding, 64 * 2.0**-52)
    uniform = softmax(0 * ones)
    assert (xp_any.to_numpy(uniform) == 1 / n).all()
    close(xp_any, entropy(uniform), math.log(n))
    if xp_any.dtype_name != "float16":  # whose largest number is 65504
        close(xp_any, effective_count(uniform), n, n)


# ---- β


def test_beta_may_vary_from_row_to_row(xp_any):
    scores = xp_any.asarray([1.0, 3.0, 3.0, -2.0])
    each = [0.0, 0.5, inf, -0.5, -inf]
    beta = xp_any.asarray(each)[:, None]
    for f in (log_softmax, log_partition, *WEIGHTS):
        got = xp_any.to_numpy(f(scores, beta))
        assert got.shape == ((5,) if f is log_partition else (5, 4))
        for row, b in zip(got, each, strict=True):
            close(xp_any, f(scores, b), row)
    values = xp_any.to_numpy(log_partition(scores, beta))
    close(xp_any, objective(softmax(scores, beta), scores, beta), values, 5)
    for value, b in zip(values, each, strict=True):
        close(xp_any, objective(softmax(scores, b), scores, b), value, 5)


def test_beta_broadcasts_over_heads(xp):
    scores = np.random.default_rng(4).normal(size=(2, 3, 5, 7))
    beta = np.array([0.5, 1.0, 2.0]).reshape(3, 1, 1)
    for f in WEIGHTS:
        got = xp.to_numpy(f(xp.asarray(scores), xp.asarray(beta)))
        for h in range(3):
            np.testing.assert_allclose(got[:, h], f(scores[:, h], float(beta[h, 0, 0])), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_every_axis_is_the_last_axis_moved(xp, axis):
    rng = np.random.default_rng(5)
    scores, keep = rng.normal(size=(3, 5, 7)), rng.random((3, 5, 7)) < 0.8
    prior = rng.uniform(0.1, 1, size=(3, 5, 7))
    last = [np.moveaxis(x, axis, -1) for x in (scores, prior, keep)]
    for f in MAPS:
        u = {} if f in DENSE else {"prior": xp.asarray(prior)}
        got = f(xp.asarray(scores), 0.7, **u, where=xp.asarray(keep), axis=axis)
        want = f(last[0], 0.7, **({"prior": last[1]} if u else {}), where=last[2])
        want = np.moveaxis(want, -1, axis) if want.ndim == 3 else want
        np.testing.assert_allclose(xp.to_numpy(got), want, rtol=1e-13, atol=1e-14)
    p, q = softmax(last[0]), softmax(0.5 * last[0])

    def moved(x):
        return xp.asarray(np.moveaxis(x, -1, axis))

    for got, want in (
        (entropy(moved(p), axis=axis), entropy(p)),
        (effective_count(moved(p), axis=axis), effective_count(p)),
        (beta_for_kl(xp.asarray(scores), 0.2, axis=axis), beta_for_kl(last[0], 0.2)),
        (
            objective(moved(p), xp.asarray(scores), 0.7, prior=xp.asarray(prior), axis=axis),
            objective(p, last[0], 0.7, prior=last[1]),
        ),
        (kl_divergence(moved(p), moved(q), axis=axis), kl_divergence(p, q)),
    ):
        np.testing.assert_allclose(xp.to_numpy(got), want, rtol=1e-12)


@pytest.mark.parametrize("beta", [inf, -inf])
def test_hard_routing_has_no_gradient_and_its_value_has_the_weights(xp_grad, beta):
    scores, prior = [1.0, 3.0, 3.0, 1.0, 2.0], [1.0, 1.0, 3.0, 3.0, 1.0]
    for f in WEIGHTS:
        _, ds, db, *_ = gradients(xp_grad, f, scores, beta, with_prior(f, prior))
        assert db == 0
        assert (ds == 0).all() or f is relu_norm  # whose limit is no step
    leaf = xp_grad.asarray(scores).requires_grad_()
    log_partition(leaf, beta, prior=xp_grad.asarray(prior)).backward()
    close(xp_grad, leaf.grad, [0, 0.25, 0.75, 0, 0] if beta > 0 else [0.25, 0, 0, 0.75, 0])


def test_a_learned_alpha_gets_a_slope_from_ordinary_rows_alone(xp_grad):
    scores = xp_grad.asarray([[1.0, -inf, 0.5], [inf, 1.0, inf], [-inf] * 3, [1.0, 0.5, 0.0], [1e30, -1e30, 0.0]])
    scores.requires_grad_()
    keep = xp_grad.asarray([[True] * 3] * 3 + [[False] * 3] + [[True] * 3])
    for value in (1.0, 1.5, 2.0):
        for beta in (0.5, 0.0, inf):
            alpha = xp_grad.asarray([[value]] * 5).requires_grad_()
            weights = entmax(scores, alpha=alpha, beta=beta, where=keep)
            with torch.autograd.set_detect_anomaly(True):
                slopes = torch.autograd.grad(weights[:, 0].sum(), [alpha, scores])
            assert all(torch.isfinite(slope).all() for slope in slopes)
            assert (slopes[0][2:4] == 0).all()
            assert (slopes[0][[1, 4]].abs() <= 1e-15).all()  # in hard rows two terms cancel
            assert (slopes[0][0].abs() > 1e-3) == (beta == 0.5)
            assert slopes[0].dtype == xp_grad.dtype


# ---- dtypes and kinds


def test_the_result_has_the_dtype_of_the_scores(xp_any):
    scores = xp_any.asarray([[1.0, 2.0, 3.0]])
    wide = xp_any.asarray([[1.0, 2.0, 1.0]], dtype=xp_any.float64)
    for f in WEIGHTS:
        prior = {} if f in DENSE else {"prior": wide}
        assert f(scores, wide[:, :1], **prior).dtype == xp_any.dtype
        assert f(scores).dtype == xp_any.dtype
    p = softmax(scores)
    results = [log_softmax(scores), log_partition(scores), entropy(p), effective_count(p), kl_divergence(p, p)]
    results += [objective(p, scores, 1.0), beta_for_kl(scores, 0.1)]
    results += [softmax(scores, prior=scores, where=scores > 1)]
    assert all(x.dtype == xp_any.dtype for x in results)


def test_the_widest_dtype_of_all_arguments_is_computed_in(xp):
    """A prior of 1e-60 is 0 in single precision."""
    scores = xp.asarray([0.0, 150.0], dtype=xp.float32)
    weights = softmax(scores, prior=xp.asarray([1.0, 1e-60], dtype=xp.float64))
    assert weights.dtype == xp.float32
    np.testing.assert_allclose(xp.to_numpy(weights), [math.exp(-150) * 1e60, 1], rtol=1e-5)


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint8", "bool"])
def test_integers_and_booleans_become_the_default_float(xp, dtype):
    default = torch.get_default_dtype() if xp.is_torch else xp.float64
    data = [1, 0, 1, 1, 0]
    scores = xp.asarray(data, dtype=getattr(xp, dtype))
    with_floats = xp.asarray([float(x) for x in data])
    for f in MAPS:
        assert f(scores).dtype == default
        np.testing.assert_allclose(xp.to_numpy(f(scores)), xp.to_numpy(f(with_floats)), rtol=1e-6)
        if f in DENSE:
            continue
        np.testing.assert_allclose(
            xp.to_numpy(f(with_floats, prior=scores)), xp.to_numpy(f(with_floats, prior=with_floats))
        )
    one = xp.asarray([0, 1, 0], dtype=getattr(xp, dtype))
    assert float(entropy(one)) == 0
    assert float(effective_count(one)) == 1
    assert float(kl_divergence(one, xp.asarray([0.5, 0.5, 0.0]))) == pytest.approx(math.log(2))


# ---- values that are refused


def value(scores, beta=1.0, **options):
    return objective(scores, scores, beta, **options)


@pytest.mark.parametrize("f", [*MAPS, value], ids=lambda f: f.__name__)
def test_bad_values_are_refused(xp, f):
    scores = xp.asarray([[0.25, 0.75], [0.5, 0.5]])
    not_nan = r"^beta must not be NaN: got nan; any other number is allowed, also 0, negative and ±inf$"
    for beta in (nan, xp.asarray([[1.0], [nan]])):
        with pytest.raises(ValueError, match=not_nan):
            f(scores, beta)
    for beta in (None, "1", [1.0]):
        with pytest.raises(TypeError, match="beta must be"):
            f(scores, beta)
    with pytest.raises(TypeError, match=r"where must be boolean, True = takes part; got dtype .*float64"):
        f(scores, where=xp.asarray([1.0, 0.0]))
    somewhere = r"^prior must be positive somewhere in every row; got 0\.0 everywhere in one$"
    for prior, message in (
        ([1.0, -0.5], "prior must be finite and not negative; got -0.5"),
        ([nan, 1.0], "prior must be finite and not negative; got nan"),
        ([1.0, inf], "prior must be finite and not negative; got inf"),
        ([0.0, 0.0], somewhere),
        ([[0.5, 0.5], [0.0, 0.0]], somewhere),
        ([1.5e308, 1.5e308], r"prior must have a finite sum.*got inf"),
    ):
        if f not in DENSE:
            with pytest.raises(ValueError, match=message):
                f(scores, prior=xp.asarray(prior))


def test_a_bad_budget_is_refused(xp):
    scores = xp.asarray([[0.25, 0.75], [0.5, 0.5]])
    for epsilon, got in ((-0.1, "-0.1"), (nan, "nan"), (xp.asarray([0.1, -2.0]), "-2.0")):
        with pytest.raises(ValueError, match=f"epsilon must be at least 0, in nats; got {got}"):
            beta_for_kl(scores, epsilon)
    for epsilon in (None, [0.1, 0.2], "0.1"):
        with pytest.raises(TypeError, match="epsilon must be"):
            beta_for_kl(scores, epsilon)


def test_values_are_not_read_under_vmap_and_nan_propagates():
    scores = torch.ones(2, 3)
    second = [[False] * 3, [True] * 3]
    for f in WEIGHTS:
        assert torch.func.vmap(f)(scores, torch.tensor([1.0, nan])).isnan().tolist() == second
    prior = torch.tensor([[1.0, 1.0, 2.0], [1.0, nan, 1.0]])
    for f in (softmax, *SPARSE):
        got = torch.func.vmap(lambda s, u, f=f: f(s, prior=u))(scores, prior)
        assert got.isnan().tolist() == second
    by_alpha = torch.func.vmap(lambda s, a: entmax(s, alpha=a))
    assert by_alpha(scores, torch.tensor([1.5, nan])).isnan().tolist() == second


# ---- shapes


def test_no_entries_give_no_weights(xp_any):
    scores = xp_any.asarray(np.empty((3, 0)))
    for beta in BETAS:
        worst = np.full(3, inf if beta < 0 else -inf)
        for f in WEIGHTS:
            assert f(scores, beta).shape == f(scores, beta, where=scores > 0).shape == (3, 0)
            assert f(scores[0, ...], beta).shape == (0,)
        assert log_softmax(scores, beta, prior=scores, where=scores > 0).shape == (3, 0)
        equal(xp_any, log_partition(scores, beta), worst)
        equal(xp_any, objective(scores, scores, beta), worst)
    equal(xp_any, entropy(scores), [0, 0, 0])
    equal(xp_any, effective_count(scores), [0, 0, 0])
    equal(xp_any, kl_divergence(scores, scores), [0, 0, 0])
    equal(xp_any, beta_for_kl(scores, 0.1), [inf] * 3)


def test_no_rows_give_no_rows(xp_any):
    scores = xp_any.asarray(np.empty((0, 3)))
    for f in WEIGHTS:
        assert f(scores).shape == f(scores, 0.7, where=scores > 0).shape == (0, 3)
    numbers = log_partition(scores), entropy(scores), effective_count(scores)
    assert {x.shape for x in (*numbers, beta_for_kl(scores, 0.1), kl_divergence(scores, scores))} == {(0,)}


def test_layout_in_memory_does_not_matter():
    big = np.random.default_rng(6).normal(size=(7, 10, 3))
    views = [big[:, ::2, 1], big[::-1, ::-2, 0], big.transpose(2, 0, 1)[0], np.broadcast_to(big[0, :5, 0], (7, 5))]
    for view in views:
        for f in MAPS:
            np.testing.assert_array_equal(f(view, 0.7), f(view.copy(), 0.7))
            tensor = torch.tensor(big)[:, ::2, 1]
            assert torch.equal(f(tensor, 0.7), f(tensor.contiguous(), 0.7))
            wide = torch.tensor(big[0, :5, 0]).expand(7, 5)
            assert torch.equal(f(wide, 0.7), f(wide.contiguous(), 0.7))


def test_no_argument_is_ever_changed():
    rng = np.random.default_rng(7)
    scores, prior, keep = rng.normal(size=(3, 5)), rng.uniform(0.1, 1, size=5), rng.random((3, 5)) < 0.7
    scores[0, 0], scores[1, 1] = inf, -inf
    beta, epsilon = np.array([[0.5], [-inf], [0.0]]), np.array([0.1, 0.2, 0.3])
    p = softmax(rng.normal(size=(3, 5)))
    for x in (scores, prior, keep, beta, epsilon, p):
        x.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that it could write to them
        tensors = [torch.from_numpy(x) for x in (scores, prior, keep, beta, epsilon, p)]
    before = [x.clone() for x in tensors]
    for s, u, m, b, e, w in ((scores, prior, keep, beta, epsilon, p), tensors):
        for f in MAPS:
            f(s, b, where=m, **({} if f in DENSE else {"prior": u}))
            f(s, 0.7, where=m)
        entmax(s, alpha=e[:, None] + 1, beta=b), sigmoid_weights(s, bias=u)
        lib.softmax_jacobian(w, b), lib.entmax_vjp(w, s, alpha=e[:, None] + 1, beta=b), lib.softmax_vjp(w, s, b)
        objective(w, s, b, prior=u, where=m)
        beta_for_kl(s, e, prior=u, where=m)
        kl_divergence(w, u / u.sum())
        entropy(w), effective_count(w), lib.attention_distance(w)
    for x, y in zip(tensors, before, strict=True):
        assert torch.equal(x, y)
        assert x._version == 0


def test_numpy_warns_of_nothing_and_its_settings_stay():
    with np.errstate(all="raise"):
        settings = np.geterr()
        for f in WEIGHTS:
            assert math.isnan(f(np.array([nan, 1.0]))[0])
            f(np.array([[1e308, -1e308, inf], [-inf] * 3]), 1e300)
        lib.entmax_vjp(np.array([[0.0, 0.0], [1e-300, 1.0]]), np.array([1e308, -1e308]), alpha=3.0, beta=inf)
        log_partition(np.array([1e308, -1e308]), 1e300)
        assert np.geterr() == settings


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_what_underflows_is_no_error_even_where_numpy_is_told_to_raise(dtype):
    """Scores so far apart that weights and outputs, in half precision, are below the smallest normal number."""
    rng = np.random.default_rng(0)
    s, u = -12 * rng.uniform(size=(5, 7)).astype(dtype), rng.uniform(1, 2, size=7).astype(dtype)
    p, small, lse = softmax(s), (3e-6 * s).astype(dtype), s[:, 0].astype(np.float32)
    with np.errstate(all="raise"):
        for f in MAPS:
            f(s), f(s, dtype(0.7), where=s < -1), f(s, s[:, :1], **({} if f in DENSE else {"prior": u}))
        entropy(p), effective_count(p), kl_divergence(p, p), lib.attention_distance(p), lib.softmax_jacobian(p)
        lib.softmax_vjp(p, small), lib.sparsemax_vjp(p, small), lib.entmax_vjp(p, small)
        objective(p, s, prior=u, beta=0.7), beta_for_kl(s, 0.1, prior=u)
        for name in NAMES:
            (
                lib.attention(s, s, small, weights=name, causal=True),
                lib.attention(s, s, small, weights=name, path="blocks"),
            )
        for path in ("auto", "blocks", "readable"):
            lib.attention_with_lse(s, s, small, prior=u[:5], path=path)
        lib.linear_attention(s, s, small), lib.linear_attention(s, s, small, causal=True)
        (
            lib.merge_attention([small, small], [lse, lse - 1]),
            lib.merge_attention([small, small], [s[:, 0], s[:, 1]]),
        )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("make", [np.asarray, torch.tensor])
@pytest.mark.parametrize("number", [np.float16, np.float32, np.float64, np.int8, np.longdouble, Fraction])
def test_a_number_of_numpy_or_a_fraction_counts_as_pythons_of_any_precision_and_without_a_warning(make, number):
    for dtype in (np.float32, np.float64):
        x = make(np.array([[0.0, 1.0, 3.0], [2.0, 0.5, -1.0]], dtype=dtype))
        for f in MAPS:
            np.testing.assert_array_equal(np.asarray(f(x, number(2))), np.asarray(f(x, 2.0)))
        for name in ("softmax", "sparsemax", "relu_norm"):
            got, want = (lib.attention(x, x, x, beta=beta, weights=name) for beta in (number(2), 2.0))
            np.testing.assert_array_equal(np.asarray(got), np.asarray(want))
