"""The closed-form derivatives: against 50 digits, the printed formulas, autograd and finite differences."""

import math

import mpmath as mp
import numpy as np
import pytest
from optional_torch import torch

from lib import (
    entmax,
    entmax_vjp,
    log_softmax,
    softmax,
    softmax_jacobian,
    softmax_vjp,
    sparsemax,
    sparsemax_vjp,
)
from lib._slopes import phi, slope_in_alpha

jacrev = torch.func.jacrev

inf, nan = math.inf, math.nan
ALPHAS = [1.0, 1.2, 1.5, 1.9, 2.0, 2.5]


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def autograd(f, scores, grad):
    leaf = torch.tensor(scores, requires_grad=True)
    f(leaf).backward(torch.tensor(grad))
    return leaf.grad.numpy()


# ---- the formulas


def test_the_jacobian_is_beta_times_diagonal_minus_outer_product(xp):
    scores = random(3, 5)
    for beta in (0.7, -1.3, 0.0):
        w = softmax(scores, beta)
        got = xp.to_numpy(softmax_jacobian(xp.asarray(w), beta))
        for row, jacobian in zip(w, got, strict=True):
            np.testing.assert_allclose(jacobian, beta * (np.diag(row) - np.outer(row, row)), atol=1e-16)
            assert (jacobian == jacobian.T).all()
        np.testing.assert_allclose(got.sum(-1), 0, atol=1e-15)
    slopes = jacrev(lambda s: softmax(s, 0.7))(torch.tensor(scores[0]))
    np.testing.assert_allclose(softmax_jacobian(softmax(scores[0], 0.7), 0.7), slopes, atol=1e-15)


def test_each_row_may_have_its_own_beta(xp):
    w, g, each = softmax(random(3, 5)), random(3, 5, seed=1), [0.5, -2.0, 3.0]
    beta = xp.asarray(each)[:, None]
    jacobian = xp.to_numpy(softmax_jacobian(xp.asarray(w), beta))
    got = xp.to_numpy(softmax_vjp(xp.asarray(w), xp.asarray(g), beta))
    for k, b in enumerate(each):
        np.testing.assert_allclose(jacobian[k], softmax_jacobian(w[k], b), atol=1e-16)
        np.testing.assert_allclose(got[k], jacobian[k] @ g[k], atol=1e-15)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_vjp_is_beta_r_times_what_exceeds_the_r_weighted_mean(xp, alpha):
    w, g = entmax(random(3, 5), alpha=alpha), random(3, 5, seed=1)
    got = xp.to_numpy(entmax_vjp(xp.asarray(w), xp.asarray(g), alpha=alpha, beta=-1.3))
    for row, grad, out in zip(w, g, got, strict=True):
        on = row > 0
        r = row[on] ** (2 - alpha)
        np.testing.assert_allclose(out[on], -1.3 * (np.diag(r) - np.outer(r, r) / r.sum()) @ grad[on], atol=1e-13)
        assert (out[~on] == 0).all()


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_each_map_has_its_vjp_along_any_axis(xp, axis):
    scores, g = random(3, 5, 7), random(3, 5, 7, seed=1)
    calls = {
        softmax_vjp: lambda s: softmax(s, 0.7, axis=axis),
        sparsemax_vjp: lambda s: sparsemax(s, 0.7, axis=axis),
        entmax_vjp: lambda s: entmax(s, alpha=1.5, beta=0.7, axis=axis),
    }
    for vjp, f in calls.items():
        options = {"beta": 0.7, "axis": axis}
        got = xp.to_numpy(vjp(xp.asarray(f(scores)), xp.asarray(g), **options))
        np.testing.assert_allclose(got, autograd(f, scores, g), atol=1e-14)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_autograd_and_the_closed_form_are_the_slopes_at_50_digits(reference, alpha):
    """Differences over 10⁻⁴⁰ of the reference, in the scores; the prior and β are not 1."""
    scores, prior, g, h = random(5), [1.0, 3.0, 2.0, 5.0, 2.0], random(5, seed=1), mp.mpf(10) ** -40
    want = []
    for k in range(5):
        up, down = ([mp.mpf(s) + e * (i == k) for i, s in enumerate(scores)] for e in (h, -h))
        up, down = (reference.entmax(s, alpha, 0.7, prior) for s in (up, down))
        want.append(float(sum(mp.mpf(c) * (a - b) for c, a, b in zip(g, up, down, strict=True)) / (2 * h)))
    weights = entmax(scores, alpha=alpha, beta=0.7, prior=np.asarray(prior))
    np.testing.assert_allclose(entmax_vjp(weights, g, alpha=alpha, beta=0.7), want, atol=1e-13)
    by_autograd = autograd(lambda s: entmax(s, alpha=alpha, beta=0.7, prior=torch.tensor(prior)), scores, g)
    np.testing.assert_allclose(by_autograd, want, atol=1e-13)


@pytest.mark.parametrize("alpha", [1.0, 1 + 2.0**-40, 1.001, 1.3, 1.5, 2.0, 2.5])
@pytest.mark.parametrize("prior", [None, [1.0, 3.0, 2.0, 5.0, 2.0]])
def test_the_slope_in_alpha_is_that_at_50_digits(reference, alpha, prior):
    """To the right of α, where sparsemax and softmax too have one."""
    scores, h = random(5) * 0.6, mp.mpf(10) ** -40
    here, there = (reference.entmax(scores.tolist(), mp.mpf(alpha) + e, 0.7, prior) for e in (0, h))
    want = [float((b - a) / h) for a, b in zip(here, there, strict=True)]
    leaf = torch.tensor(alpha, dtype=torch.float64)
    u = None if prior is None else torch.tensor(prior)
    got = jacrev(lambda a: entmax(torch.tensor(scores), alpha=a, beta=0.7, prior=u))(leaf)
    np.testing.assert_allclose(got, want, atol=2e-14)
    if prior is None:
        weights = entmax(scores, alpha=alpha, beta=0.7)
        np.testing.assert_allclose(slope_in_alpha(np, weights, alpha, -1), want, atol=2e-14)


def test_gradient_steps_find_the_alpha_that_was_used():
    scores = torch.tensor(random(3, 7))
    target = entmax(scores, alpha=1.7)
    alpha = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    losses = []
    for _ in range(20):
        loss = ((entmax(scores, alpha=alpha) - target) ** 2).sum()
        (slope,) = torch.autograd.grad(loss, alpha)
        losses.append(loss.item())
        alpha = (alpha - 0.5 * slope).detach().requires_grad_()
    assert (np.diff(losses) < 0).all()
    assert abs(alpha.item() - 1.7) < 0.05


@pytest.mark.parametrize("k", [1, 2])
def test_phi_keeps_its_digits_through_zero(xp, k):
    t = np.array([-50.0, -3.0, -1.9, -1.0, -0.999, -1e-3, -1e-9, 0.0, 1e-12, 0.5, 1.0, 1.9, 7.0])

    def quotient(x):
        return 1 / mp.mpf(k) if x == 0 else (mp.expm1(x) - (x if k == 2 else 0)) / x**k

    with mp.workdps(50):
        want = [float(quotient(mp.mpf(x))) for x in t]
    np.testing.assert_allclose(xp.to_numpy(phi(xp.namespace, xp.asarray(t), k)), want, rtol=1e-14)


# ---- awkward inputs


def test_rows_of_zeros_and_infinite_beta_have_slope_zero(xp_any):
    w, g = xp_any.asarray([[0.0, 0.0, 0.0], [0.5, 0.5, 0.0]]), xp_any.asarray([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    for vjp in (softmax_vjp, sparsemax_vjp, entmax_vjp):
        got = vjp(w, g)
        assert got.dtype == xp_any.dtype
        assert (xp_any.to_numpy(got)[0] == 0).all()
        assert (xp_any.to_numpy(got)[1] != 0).tolist() == [True, True, False]
        for beta in (inf, -inf, xp_any.asarray([[inf], [-inf]])):
            assert (xp_any.to_numpy(vjp(w, g, beta=beta)) == 0).all()
    jacobian = softmax_jacobian(w)
    assert jacobian.dtype == xp_any.dtype
    assert jacobian.shape == (2, 3, 3)
    assert (xp_any.to_numpy(jacobian)[0] == 0).all()
    assert (xp_any.to_numpy(softmax_jacobian(w, inf)) == 0).all()
    assert softmax_jacobian(w[:, :0]).shape == (2, 0, 0)
    assert entmax_vjp(w[:, :0], g[:, :0]).shape == (2, 0)


@pytest.mark.parametrize("alpha", [1.0, 1.5, 2.0, 3.0])
def test_what_arrives_at_a_weight_of_zero_does_not_count(xp, alpha):
    weights = xp.asarray([[0.6, 0.4, 0.0]])
    expected = xp.to_numpy(entmax_vjp(weights, xp.asarray([[1.0, 0.0, 0.0]]), alpha=alpha))
    for g in (math.inf, -math.inf, math.nan, 1e30):
        got = xp.to_numpy(entmax_vjp(weights, xp.asarray([[1.0, 0.0, g]]), alpha=alpha))
        np.testing.assert_array_equal(got, expected)


def test_a_nan_spoils_its_row_only(xp):
    w, g = xp.asarray([[0.5, nan], [0.5, 0.5]]), xp.asarray([[1.0, 2.0], [nan, 1.0]])
    good = xp.asarray([[1.0, 2.0], [1.0, 2.0]])
    assert np.isnan(xp.to_numpy(entmax_vjp(w, good))).tolist() == [[True] * 2, [False] * 2]
    assert np.isnan(xp.to_numpy(entmax_vjp(xp.asarray([[0.5, 0.5]] * 2), g))).tolist() == [[False] * 2, [True] * 2]


def test_what_does_not_fit_is_refused(xp):
    """Beside what every function refuses in the same words."""
    w, g = xp.asarray(np.full((3, 5), 0.2)), xp.asarray(np.ones((3, 5)))
    for vjp in (softmax_vjp, sparsemax_vjp, entmax_vjp):
        with pytest.raises(ValueError, match="beta must not be NaN"):
            vjp(w, g, beta=nan)
        with pytest.raises(ValueError, match="grad must have size n along axis -2"):
            vjp(w, g[:1, :], axis=0)
    with pytest.raises(ValueError, match=r"alpha must be at least 1 and finite; got 0\.5"):
        entmax_vjp(w, g, alpha=0.5)
    for name in ("beta", "alpha"):
        with pytest.raises(TypeError, match=f"^{name} must be a number or an array"):
            entmax_vjp(w, g, **{name: None})


def test_beta_is_one_unless_given():
    w, g = softmax(random(5)), random(5, seed=1)
    np.testing.assert_array_equal(softmax_jacobian(w), softmax_jacobian(w, 1.0))
    for vjp in (softmax_vjp, sparsemax_vjp, entmax_vjp):
        np.testing.assert_array_equal(vjp(w, g), vjp(w, g, beta=1.0))


def test_whole_numbers_and_wider_gradients_give_floats(xp):
    one = xp.asarray([0, 1, 0])
    assert softmax_jacobian(one).dtype == xp.namespace.asarray(0.0).dtype
    narrow, wide = xp.asarray([0.5, 0.5], dtype=xp.float32), xp.asarray([1.0, 0.0], dtype=xp.float64)
    assert softmax_vjp(narrow, wide).dtype == xp.float64
    np.testing.assert_allclose(xp.to_numpy(softmax_vjp(narrow, wide)), [0.25, -0.25])
    assert softmax_vjp(wide, narrow).dtype == xp.float64


def test_beta_and_alpha_may_be_arrays_of_whole_numbers(xp):
    w, g, each = xp.asarray(softmax(random(3, 5))), xp.asarray(random(3, 5, seed=1)), np.array([[1], [2], [3]])
    whole, real = xp.asarray(each), xp.asarray(each * 1.0)
    for options in ({"alpha": 1.5, "beta": whole}, {"alpha": whole, "beta": 2.0}):
        got = entmax_vjp(w, g, **options)
        expected = entmax_vjp(w, g, **{name: real if x is whole else x for name, x in options.items()})
        np.testing.assert_array_equal(xp.to_numpy(got), xp.to_numpy(expected))


def test_beta_comes_third_and_alpha_has_to_be_named(xp):
    w, g = xp.asarray(softmax(random(3, 5))), xp.asarray(random(3, 5, seed=1))
    for vjp in (softmax_vjp, sparsemax_vjp, entmax_vjp):
        np.testing.assert_array_equal(xp.to_numpy(vjp(w, g, 1.3)), xp.to_numpy(vjp(w, g, beta=1.3)))
    with pytest.raises(TypeError, match="positional argument"):
        entmax_vjp(w, g, 1.5, 1.3)


def test_log_softmax_pulls_back_through_the_same_vjp():
    """d log π = dπ / π: the vjp of softmax on g / π is that of log_softmax on g."""
    scores, g = random(5), random(5, seed=1)
    w = softmax(scores, 0.7)
    got = softmax_vjp(w, g / w, 0.7)
    np.testing.assert_allclose(got, autograd(lambda s: log_softmax(s, 0.7), scores, g), atol=1e-14)
