"""The closed-form derivatives: against 50 digits, the printed formulas, autograd and finite differences."""

import math

import mpmath as mp
import numpy as np
import pytest
from optional_torch import torch

from lib import entmax, entmax_vjp, log_partition, softmax, softmax_jacobian, softmax_vjp, sparsemax, sparsemax_vjp
from lib._slopes import phi, slope_in_alpha

# torch warns of its own use of torch.jit when forward derivatives are first asked for
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
jacrev, hessian = torch.func.jacrev, torch.func.hessian
inf, nan = math.inf, math.nan
ALPHAS = [1.0, 1.2, 1.5, 1.9, 2.0, 2.5]


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def autograd(f, scores, grad):
    leaf = torch.tensor(scores, requires_grad=True)
    f(leaf).backward(torch.tensor(grad))
    return leaf.grad.numpy()


# ---- the formulas


def test_softmax_jacobian_is_beta_times_diagonal_minus_outer_product(xp):
    scores = random(3, 5)
    for beta in (0.7, -1.3, 0.0):
        w = softmax(scores, beta)
        got = xp.to_numpy(softmax_jacobian(xp.asarray(w), beta))
        for row, jacobian in zip(w, got, strict=True):
            np.testing.assert_allclose(jacobian, beta * (np.diag(row) - np.outer(row, row)), atol=1e-16)
            assert (jacobian == jacobian.T).all()
        np.testing.assert_allclose(got.sum(-1), 0, atol=1e-15)
    row, prior = torch.tensor(scores[0]), torch.tensor(softmax(random(5, seed=1)))
    printed = softmax_jacobian(softmax(row, 0.7, prior=prior), 0.7)
    for derivative, f in ((jacrev, softmax), (hessian, log_partition)):
        slopes = derivative(lambda s, f=f: f(s, 0.7, prior=prior))(row)
        np.testing.assert_allclose(printed, slopes, atol=1e-15)


def test_entmax_vjp_is_beta_r_times_what_exceeds_the_r_weighted_mean(xp):
    for alpha in ALPHAS:
        w, g = entmax(random(3, 5), alpha=alpha), random(3, 5, seed=1)
        got = xp.to_numpy(entmax_vjp(xp.asarray(w), xp.asarray(g), alpha=alpha, beta=-1.3))
        for row, grad, out in zip(w, g, got, strict=True):
            on = row > 0
            r = row[on] ** (2 - alpha)
            printed = -1.3 * (np.diag(r) - np.outer(r, r) / r.sum()) @ grad[on]
            np.testing.assert_allclose(out[on], printed, atol=1e-13, err_msg=f"{alpha}")
            assert (out[~on] == 0).all()


def test_each_map_has_its_vjp(xp):
    scores, g = random(3, 5, 7), random(3, 5, 7, seed=1)
    for vjp, f in ((softmax_vjp, softmax), (sparsemax_vjp, sparsemax), (entmax_vjp, entmax)):
        got = xp.to_numpy(vjp(xp.asarray(f(scores, 0.7)), xp.asarray(g), 0.7))
        np.testing.assert_allclose(got, autograd(lambda s, f=f: f(s, 0.7), scores, g), atol=1e-14)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_autograd_and_entmax_vjp_are_the_slopes_at_50_digits(reference, alpha):
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
def test_the_slope_of_entmax_in_alpha_is_that_at_50_digits(reference, alpha, prior):
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


@pytest.mark.parametrize("k", [1, 2])
def test_phi_keeps_its_digits_through_zero(xp, k):
    t = np.array([-50.0, -3.0, -1.9, -1.0, -0.999, -1e-3, -1e-9, 0.0, 1e-12, 0.5, 1.0, 1.9, 7.0])

    def quotient(x):
        return 1 / mp.mpf(k) if x == 0 else (mp.expm1(x) - (x if k == 2 else 0)) / x**k

    with mp.workdps(50):
        want = [float(quotient(mp.mpf(x))) for x in t]
    np.testing.assert_allclose(xp.to_numpy(phi(xp.namespace, xp.asarray(t), k)), want, rtol=1e-14)


# ---- awkward inputs


def test_vjps_and_softmax_jacobian_of_rows_of_zeros_and_infinite_beta_are_zero(xp_any):
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


def test_what_arrives_at_a_weight_of_zero_does_not_count_in_entmax_vjp(xp):
    weights = xp.asarray([[0.6, 0.4, 0.0]])
    for alpha in (1.0, 1.5, 2.0, 3.0):
        expected = xp.to_numpy(entmax_vjp(weights, xp.asarray([[1.0, 0.0, 0.0]]), alpha=alpha))
        for g in (inf, -inf, nan, 1e30):
            got = xp.to_numpy(entmax_vjp(weights, xp.asarray([[1.0, 0.0, g]]), alpha=alpha))
            np.testing.assert_array_equal(got, expected)


def test_a_nan_spoils_its_row_of_entmax_vjp_only(xp):
    w, g = xp.asarray([[0.5, nan], [0.5, 0.5]]), xp.asarray([[1.0, 2.0], [nan, 1.0]])
    good = xp.asarray([[1.0, 2.0], [1.0, 2.0]])
    assert np.isnan(xp.to_numpy(entmax_vjp(w, good))).tolist() == [[True] * 2, [False] * 2]
    assert np.isnan(xp.to_numpy(entmax_vjp(xp.asarray([[0.5, 0.5]] * 2), g))).tolist() == [[False] * 2, [True] * 2]
