"""Derivatives of all maps: any order, every transform, through scores, β, prior and budget."""

import math

import numpy as np
import pytest
from maps import DENSE
from needs_torch import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap

from lib import (
    beta_for_kl,
    effective_count,
    entmax,
    entmax_vjp,
    entropy,
    kl_divergence,
    log_partition,
    log_softmax,
    objective,
    relu_norm,
    sigmoid_weights,
    softmax,
    softmax_jacobian,
    softmax_plus_one,
    softmax_vjp,
    sparsemax,
)

inf = math.inf
MAPS = [softmax, log_softmax, log_partition]
# torch warns of its own use of torch.jit when forward derivatives are first asked for
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")


def random(*shape, seed=0, positive=False):
    rng = np.random.default_rng(seed)
    return torch.tensor(rng.uniform(0.2, 1, size=shape) if positive else rng.normal(size=shape))


def finite(x):
    return torch.where(torch.isfinite(x), x, 0)


def passes(f, *leaves):
    """First derivatives backward and forward, and the second in a random direction, against finite differences."""
    leaves = [x.clone().requires_grad_() for x in leaves]
    both = gradcheck(f, leaves, check_forward_ad=True)
    return both and gradgradcheck(f, leaves, fast_mode=True)


@pytest.mark.parametrize("f", MAPS)
def test_derivatives_in_scores_beta_and_prior(f):
    """With β on either side of the small values that log_partition treats by themselves, and at 0."""
    scores, prior = random(5, 3), random(3, seed=1, positive=True)
    where = torch.tensor([[True] * 3, [True] * 3, [True] * 3, [True, False, True], [False] * 3])
    each = torch.tensor([[0.0], [0.01], [-1.3], [0.7], [1.0]], dtype=torch.float64)
    assert passes(lambda s, b, u: finite(f(s, b, prior=u, where=where)), scores, each, prior)


@pytest.mark.parametrize("f", MAPS)
def test_derivatives_in_scores_alone_along_any_axis(f):
    where = torch.tensor([[True, True, True, False, True], [True] * 5])
    for axis, mask in ((-1, where), (0, None)):  # β a number: softmax takes torch's kernel
        assert passes(lambda s, a=axis, m=mask: finite(f(s, 0.7, where=m, axis=a)), random(2, 5))
    assert passes(f, random(2, 3), torch.tensor([[0.7], [2.0]], dtype=torch.float64))


@pytest.mark.parametrize("alpha", [1.0, 1.1, 1.5, 2.0, 2.5])
def test_derivatives_of_entmax_in_scores_beta_and_prior(alpha):
    scores, prior = random(4, 3), random(3, seed=1, positive=True)
    where = torch.tensor([[True] * 3, [True] * 3, [True, False, True], [False] * 3])
    each = torch.tensor([[0.0], [-1.3], [0.7], [1.0]], dtype=torch.float64)
    assert passes(lambda s, b, u: entmax(s, alpha=alpha, beta=b, prior=u, where=where), scores, each, prior)
    assert passes(lambda s: entmax(s, alpha=alpha, beta=0.7, axis=0), random(3, 2))


def test_derivatives_of_entmax_in_alpha():
    scores, prior = random(5, 3), random(3, seed=1, positive=True)
    alpha = torch.tensor([[1.02], [1.2], [1.5], [1.7], [2.2]], dtype=torch.float64)
    assert passes(lambda s, a, u: entmax(s, alpha=a, beta=0.7, prior=u), scores, alpha, prior)
    beta = torch.tensor([[0.0], [0.4], [-1.0], [1.0], [0.7]], dtype=torch.float64)
    few = scores[0]  # fewer rows than α has
    assert passes(lambda a, b: entmax(few, alpha=a, beta=b), alpha, beta)
    assert passes(lambda a: entmax(scores, alpha=a), alpha[2, 0])


def test_the_slope_of_entmax_has_derivatives_of_its_own():
    """So that the third is right as well."""
    assert passes(
        lambda s, a: jacrev(lambda t: entmax(t, alpha=a, beta=0.7))(s), random(3), torch.tensor([1.4]).double()
    )


@pytest.mark.parametrize("f", DENSE)
def test_derivatives_of_the_dense_maps(f):
    where = torch.tensor([[True] * 3, [True] * 3, [True] * 3, [True, False, True], [False] * 3])
    each = torch.tensor([[0.8], [0.01], [-1.3], [0.7], [1.0]], dtype=torch.float64)
    assert passes(lambda s, b: f(s, b, where=where), random(5, 3), each)
    assert passes(lambda s: f(s, 0.7, axis=0), random(3, 2))
    if f is not relu_norm:  # which jumps there
        assert passes(lambda s, b: f(s, b), random(2, 3), torch.zeros(2, 1, dtype=torch.float64))
        assert passes(f, torch.zeros(2, 3, dtype=torch.float64))  # where a sign would have no slope


def test_derivatives_of_sigmoid_weights_in_the_bias():
    assert passes(lambda s, c: sigmoid_weights(s, 0.7, bias=c), random(2, 3), random(3, seed=1))


def test_derivatives_of_the_closed_forms():
    scores, g, beta = random(2, 3), random(2, 3, seed=1), torch.tensor([[0.7], [-1.3]], dtype=torch.float64)
    assert passes(lambda w, g, b: softmax_vjp(w, g, b), softmax(scores), g, beta)
    assert passes(lambda w, g, a: entmax_vjp(w, g, alpha=a), entmax(scores), g, beta**2 + 1)
    assert passes(softmax_jacobian, softmax(scores), beta)


def test_derivatives_of_divergences_and_metrics():
    p, q = torch.softmax(random(2, 3), -1), torch.softmax(random(2, 3, seed=1), -1)
    assert passes(kl_divergence, p, q)
    assert passes(kl_divergence, q + 1e-3, q)  # the branch for near rows
    assert passes(entropy, p)
    assert passes(effective_count, p)
    args = p, random(2, 3, seed=2), torch.tensor([[0.7], [-1.0]]).double(), random(3, seed=3, positive=True)
    assert passes(lambda p, s, b, u: objective(p, s, b, prior=u), *args)


def test_derivatives_of_beta_in_scores_budget_and_prior():
    scores, prior = random(2, 3), random(3, seed=1, positive=True)
    budget = torch.tensor([0.02, 0.2], dtype=torch.float64)
    assert passes(lambda s, e, u: beta_for_kl(s, e, prior=u), scores, budget, prior)


def test_the_price_of_a_nat_is_one_over_beta():
    """The best expected score within a budget grows by 1/β for each nat of it."""
    scores, budget = random(7), torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    best = softmax(scores, beta_for_kl(scores, budget)[None]) @ scores
    (slope,) = torch.autograd.grad(best, budget)
    torch.testing.assert_close(slope, 1 / beta_for_kl(scores, 0.3), rtol=1e-12, atol=0)


def test_where_the_budget_does_not_bind_beta_has_gradient_zero():
    scores = torch.tensor([[1.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, inf], [-inf, -inf]], requires_grad=True)
    budget = torch.tensor([0.1, 5.0, 0.0, 0.1, 0.1], requires_grad=True)
    beta = beta_for_kl(scores, budget)
    assert beta.tolist() == [inf, inf, 0.0, 0.0, inf]
    finite(beta).sum().backward()
    assert (scores.grad == 0).all()
    assert (budget.grad == 0).all()


@pytest.mark.parametrize("budget", [inf, torch.tensor(inf, dtype=torch.float64, requires_grad=True)])
def test_a_budget_without_end_has_gradient_zero(budget):
    scores = torch.tensor([0.0, 1.0, 3.0], dtype=torch.float64, requires_grad=True)
    beta = beta_for_kl(scores, budget)
    assert beta.item() == inf
    for slope in torch.autograd.grad(beta, [scores] if budget is inf else [scores, budget]):
        assert (slope == 0).all()


# ---- the printed formulas


@pytest.mark.parametrize("beta", [0.7, -1.3])
def test_the_jacobian_is_beta_times_diagonal_minus_outer_product(beta):
    scores, prior = random(5), random(5, seed=1, positive=True)
    w = softmax(scores, beta, prior=prior)
    printed = beta * (torch.diag(w) - torch.outer(w, w))
    torch.testing.assert_close(jacrev(lambda s: softmax(s, beta, prior=prior))(scores), printed)
    torch.testing.assert_close(hessian(lambda s: log_partition(s, beta, prior=prior))(scores), printed)


@pytest.mark.parametrize("beta", [0.0, 1e-300, 1e-12, 1e-6, -1e-6, 0.1, 2.0, -2.0])
def test_the_slopes_of_the_value_are_the_weights_and_the_divergence(beta):
    """∂/∂s = softmax; ∂/∂β = KL/β², at β = 0 half the variance; ∂²/∂β² at 0 a third of the third cumulant."""
    scores, prior = random(5), random(5, seed=1, positive=True)
    u = prior / prior.sum()
    leaves = scores.clone().requires_grad_(), torch.tensor(beta, dtype=torch.float64, requires_grad=True)
    value = log_partition(*leaves, prior=prior)
    ds, db = torch.autograd.grad(value, leaves, create_graph=True)
    (dbb,) = torch.autograd.grad(db, leaves[1])
    torch.testing.assert_close(ds, softmax(scores, beta, prior=prior))
    centred = scores - u @ scores
    variance, third = u @ centred**2, u @ centred**3
    if abs(beta) < 1e-5:
        torch.testing.assert_close(db, variance / 2 + beta * third / 3, rtol=1e-10, atol=0)
        torch.testing.assert_close(dbb, third / 3, rtol=1e-4, atol=0)
    else:
        divergence = kl_divergence(softmax(scores, beta, prior=prior), u)
        torch.testing.assert_close(db, divergence / beta**2, rtol=1e-11, atol=0)


def test_slopes_in_beta_are_exact_on_both_sides_of_where_the_method_changes(reference):
    """log_partition integrates up to a spread of 1/4, and takes the logarithm beyond; the scores span 1."""
    rng = np.random.default_rng(6)
    for beta in (0.2, 0.2499, 0.2501, 0.3):
        for _ in range(7):
            scores, prior = np.append(rng.random(), [0.0, 1.0]), rng.dirichlet(np.ones(3))
            b = torch.tensor(beta, dtype=torch.float64, requires_grad=True)
            value = log_partition(torch.tensor(scores), b, prior=torch.tensor(prior))
            (slope,) = torch.autograd.grad(value, b, create_graph=True)
            (second,) = torch.autograd.grad(slope, b)
            w, u = reference.weights(scores, beta, prior), reference.prior_of(scores, prior, None)
            cost, mean = reference.kl(w, u), sum(x * s for x, s in zip(w, scores, strict=True))
            variance = sum(x * (s - mean) ** 2 for x, s in zip(w, scores, strict=True))
            # rounding at 1 over β, and over β², for each derivative
            assert abs(slope.item() - cost / beta**2) <= 2e-14
            assert abs(second.item() - (variance / beta - 2 * cost / beta**3)) <= 2e-13


def test_single_precision_has_the_slope_of_the_value_at_small_beta_too():
    scores = random(5).float()
    for beta in (0.0, 1e-7, 1e-3, 0.05):
        b = torch.tensor(beta, requires_grad=True)
        log_partition(scores, b).backward()
        wide = torch.tensor(beta, dtype=torch.float64, requires_grad=True)
        log_partition(scores.double(), wide).backward()
        torch.testing.assert_close(b.grad.double(), wide.grad, rtol=1e-5, atol=0)


def test_gradients_at_zero_weights_are_finite():
    p = torch.tensor([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]], requires_grad=True)
    q = torch.tensor([[0.25, 0.5, 0.25, 0.0], [0.25, 0.25, 0.25, 0.25]], requires_grad=True)
    (kl_divergence(p, q).sum() + entropy(p).sum() + effective_count(p).sum()).backward()
    assert torch.isfinite(p.grad).all()
    assert torch.isfinite(q.grad).all()
    assert (p.grad[0, 2:] == 0).all()
    assert (p.grad[1] == 0).all()
    assert (q.grad[1] == 0).all()


def test_the_divergence_of_equal_rows_has_slope_zero_and_the_right_curvature():
    q = torch.softmax(random(5), -1)
    torch.testing.assert_close(grad(lambda p: kl_divergence(p, q))(q), torch.zeros_like(q), rtol=0, atol=1e-15)
    torch.testing.assert_close(hessian(lambda p: kl_divergence(p, q))(q), torch.diag(1 / q))


def test_an_entry_that_is_minus_infinity_gives_no_gradient_back():
    scores = random(5).requires_grad_()
    where = torch.tensor([True, True, False, True, False])
    log_softmax(scores, where=where)[2].backward()
    assert (scores.grad == 0).all()


# ---- transforms

CALLS = {
    "softmax": lambda s: softmax(scores=s, beta=0.7),
    "softmax, beta an array": lambda s: softmax(s, torch.full((1,), 0.7, dtype=s.dtype)),
    "log_softmax": lambda s: log_softmax(s, -0.7, prior=torch.arange(1, 6)),
    "log_partition": lambda s: log_partition(s, 0.01),
    "sparsemax": lambda s: sparsemax(s, 0.7),
    "entmax": lambda s: entmax(s, alpha=1.3, beta=0.7, prior=torch.arange(1, 6)),
    "entmax, alpha an array": lambda s: entmax(s, alpha=torch.full((1,), 1.5, dtype=s.dtype), beta=0.7),
    "relu_norm": lambda s: relu_norm(s, -0.7),
    "sigmoid_weights": lambda s: sigmoid_weights(s, 0.7),
    "softmax_plus_one": lambda s: softmax_plus_one(s, 0.7),
    "entmax_vjp": lambda s: entmax_vjp(softmax(s), s, alpha=1.3, beta=0.7),
    "entropy": lambda s: entropy(softmax(s)),
    "effective_count": lambda s: effective_count(softmax(s)),
    "kl_divergence": lambda s: kl_divergence(softmax(s), softmax(s, 0.5)),
    "objective": lambda s: objective(softmax(s), s, 0.5),
    "beta_for_kl": lambda s: beta_for_kl(s, 0.1),
}


@pytest.mark.parametrize("name", CALLS)
def test_vmap_jvp_and_jacobians_agree_with_plain_calls(name):
    f, scores, direction = CALLS[name], random(3, 5), random(3, 5, seed=1)
    same = torch.testing.assert_close
    same(vmap(f)(scores), f(scores))
    rows = torch.stack([jacrev(f)(row) for row in scores])
    same(torch.stack([jacfwd(f)(row) for row in scores]), rows)
    same(vmap(jacrev(f))(scores), rows)
    same(vmap(jacfwd(f))(scores), rows)
    same(vmap(hessian(f))(scores), torch.stack([hessian(f)(row) for row in scores]))
    value, slope = jvp(f, (scores,), (direction,))
    same(value, f(scores))
    same(slope, (rows * direction.reshape(3, *[1] * (rows.ndim - 2), 5)).sum(-1))


def test_vmap_over_beta_is_a_loop_over_beta():
    scores, betas = random(5), torch.tensor([0.0, 0.5, -2.0, inf], dtype=torch.float64)
    for f in MAPS:
        torch.testing.assert_close(
            vmap(lambda b, f=f: f(scores, b))(betas), torch.stack([f(scores, b) for b in betas])
        )


def test_vmap_over_alpha_is_a_loop_over_alpha():
    scores, alphas = random(5), torch.tensor([1.0, 1.3, 2.0, 2.7], dtype=torch.float64)
    torch.testing.assert_close(
        vmap(lambda a: entmax(scores, alpha=a))(alphas),
        torch.stack([entmax(scores, alpha=a.item()) for a in alphas]),
    )
    slope = jacrev(lambda a: entmax(scores, alpha=a))
    torch.testing.assert_close(vmap(slope)(alphas), torch.stack([slope(a) for a in alphas]))
    both = torch.stack([random(5), random(5, seed=1)])
    got = vmap(lambda s, a: entmax(s, alpha=a), in_dims=(None, 0))(both, alphas)
    torch.testing.assert_close(got, torch.stack([entmax(both, alpha=a.item()) for a in alphas]))
