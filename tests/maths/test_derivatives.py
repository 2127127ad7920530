"""Derivatives of every function: any order, every transform, in all that it takes; and the formulas for them."""

import functools
import math

import numpy as np
import pytest
from attending import MAPS as OF_ATTENTION
from calls import named
from maps import DENSE
from needs_torch import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap

import lib

inf = math.inf
MAPS = [lib.softmax, lib.log_softmax, lib.log_partition]
# torch warns of its own use of torch.jit when forward derivatives are first asked for
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")


def random(*shape, seed=0, positive=False):
    rng = np.random.default_rng(seed)
    return torch.tensor(rng.uniform(0.2, 1, size=shape) if positive else rng.normal(size=shape))


def column(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)[:, None]


def finite(x):
    return torch.where(torch.isfinite(x), x, 0)


def simplex(*shape, seed=0):
    return torch.softmax(random(*shape, seed=seed), -1)


# ---- against finite differences

WHERE = torch.tensor([[True] * 3, [True] * 3, [True] * 3, [True, False, True], [False] * 3])
S, S2, U = random(5, 3), random(2, 3), random(3, seed=1, positive=True)
BETA = column(0.0, 0.01, -1.3, 0.7, 1.0)  # 0, and either side of the small values that log_partition sets apart
DENSE_BETA = column(0.8, 0.01, -1.3, 0.7, 1.0)  # relu_norm jumps at 0
BETA4, ALPHA = BETA[[0, 2, 3, 4]], column(1.02, 1.2, 1.5, 1.7, 2.2)
P, R = simplex(2, 3), simplex(2, 3, seed=1)
SEEN = torch.tensor([[True, False, True], [False] * 3])  # the second query sees nothing


def of_rows():
    """(what it is, the function, what it is differentiated in)"""
    for f in MAPS:
        name = f.__name__
        yield (
            f"{name} in scores, β and prior",
            lambda s, b, u, f=f: finite(f(s, b, prior=u, where=WHERE)),
            S,
            BETA,
            U,
        )
        yield f"{name}, β a number", lambda s, f=f: finite(f(s, 0.7, where=WHERE[3:])), S2
        yield f"{name} in scores and β", f, S2, column(0.7, 2.0)
    for f in (*MAPS, *DENSE, lib.sparsemax, lib.entmax):
        yield f"{f.__name__} along axis 0", lambda s, f=f: f(s, 0.7, axis=0), S2
    for alpha in (1.0, 1.1, 1.5, 2.0, 2.5):
        f = functools.partial(lib.entmax, alpha=alpha, where=WHERE[1:])
        yield f"entmax at {alpha} in scores, β and prior", lambda s, b, u, f=f: f(s, b, prior=u), S[1:], BETA4, U
    yield "entmax in α and prior", lambda s, a, u: lib.entmax(s, alpha=a, beta=0.7, prior=u), S, ALPHA, U
    yield "entmax in α and β, of one row", lambda a, b: lib.entmax(S[0], alpha=a, beta=b), ALPHA, DENSE_BETA - 0.8
    yield "entmax in one α", lambda a: lib.entmax(S, alpha=a), ALPHA[2, 0]
    slopes = lambda s, a: jacrev(lambda t: lib.entmax(t, alpha=a, beta=0.7))(s)  # noqa: E731
    yield "the slope of entmax, so that its third derivative is right too", slopes, random(3), ALPHA[2]
    for f in DENSE:
        yield f"{f.__name__} in scores and β, masked", lambda s, b, f=f: f(s, b, where=WHERE), S, DENSE_BETA
        if f is not lib.relu_norm:  # which jumps there
            yield f"{f.__name__} at β = 0", f, S2, column(0.0, 0.0)
            yield f"{f.__name__} at 0, where a sign would have no slope", f, 0 * S2
    plus_one = lambda s, b, c: lib.softmax_plus_one(s, b, sink=c, where=WHERE)  # noqa: E731
    yield "softmax_plus_one in scores, β and the sink, masked", plus_one, S, DENSE_BETA, DENSE_BETA - 0.8
    yield "sigmoid_weights in its bias", lambda s, c: lib.sigmoid_weights(s, 0.7, bias=c), S2, random(3, seed=1)


def of_weights():
    yield "softmax_vjp", lib.softmax_vjp, P, random(2, 3, seed=1), column(0.7, -1.3)
    grad, alpha = random(2, 3, seed=1), column(1.5, 2.7)
    yield "entmax_vjp", lambda w, g, a: lib.entmax_vjp(w, g, alpha=a), lib.entmax(S2), grad, alpha
    yield "softmax_jacobian", lib.softmax_jacobian, P, column(0.7, -1.3)
    yield "kl_divergence", lib.kl_divergence, P, R
    yield "kl_divergence of near rows", lib.kl_divergence, R + 1e-3, R
    yield "entropy", lib.entropy, P
    yield "effective_count", lib.effective_count, P
    yield "objective", lambda p, s, b, u: lib.objective(p, s, b, prior=u), P, S2, column(0.7, -1.0), U
    yield "beta_for_kl", lambda s, e, u: lib.beta_for_kl(s, e, prior=u), S2, torch.tensor([0.02, 0.2]).double(), U


def of_attention():
    q, k, v, beta = (
        random(2, 3, 2, 1),
        random(2, 1, 3, 1, seed=1),
        random(2, 1, 3, 2, seed=2),
        BETA[1:4, None] + 1.4,
    )
    for label, (name, options) in OF_ATTENTION.items():
        f = functools.partial(lib.attention, where=SEEN, weights=name)
        if not options:
            yield f"attention by {label}", lambda q, k, v, b, f=f: f(q, k, v, beta=b), q, k, v, beta
            continue
        ((option, x),) = options.items()
        x = torch.as_tensor(x).double() + 0.1  # for finite differences an α must not fall below 1
        g = lambda q, k, v, b, x, f=f, name=option: f(q, k, v, beta=b, **{name: x})  # noqa: E731
        yield f"attention by {label}", g, q, k, v, beta, x

    for name, shape in {"log_prior": (2, 3), "prior": (3, 1, 3), "beta": (3, 1, 1)}.items():
        options = {"causal": True, "lengths": torch.tensor([3, 0]), "offset": 1, "path": "readable"}
        f = lambda q, k, v, x, n=name, o=options: lib.attention(q, k, v, **o, **{n: x})  # noqa: E731
        yield f"attention with lengths, in its {name} too", f, q, k, v, random(*shape, positive=True)

    def with_lse(q, k, v, beta, log_prior):
        output, lse = lib.attention_with_lse(q, k, v, beta=beta, where=SEEN, log_prior=log_prior)
        return output, lse[:, 0]

    q, k, v = q[:, 0], k[:, 0], v[:, 0]
    yield "attention_with_lse", with_lse, q, k, v, column(0.4, -0.9)[..., None], random(3)
    sets = S2, random(2, 3, seed=1), random(2), random(2, seed=1)
    yield "merge_attention", lambda o, p, x, y: lib.merge_attention([o, p], [x, y]), *sets
    for options in ({}, {"causal": True}, {"causal": True, "where": SEEN}):
        yield f"linear_attention {options}", lambda q, k, v, o=options: lib.linear_attention(q, k, v, **o), q, k, v


CHECKED = {name: row for name, *row in (*of_rows(), *of_weights(), *of_attention())}


@pytest.mark.parametrize("name", CHECKED)
def test_derivatives_of_first_and_second_order_backward_and_forward(name):
    f, *leaves = CHECKED[name]
    leaves = [x.clone().requires_grad_() for x in leaves]
    assert gradcheck(f, leaves, check_forward_ad=True)
    assert gradgradcheck(f, leaves, fast_mode=True)


# ---- transforms


def of_one(attend):
    """Attention as a function of one array: 2 queries, 3 keys and 3 values of width 2."""
    return lambda x: attend(x[..., :2, :], x[..., 2:5, :], x[..., 5:, :])


@of_one
def in_halves(q, k, v):
    parts = [lib.attention_with_lse(q, k[..., s, :], v[..., s, :]) for s in (slice(1), slice(1, 3))]
    return lib.merge_attention(*zip(*parts, strict=True))[0]


TRANSFORMED = {
    "softmax": lambda s: lib.softmax(scores=s, beta=0.7),
    "softmax, β an array": lambda s: lib.softmax(s, torch.full((1,), 0.7, dtype=s.dtype)),
    "log_softmax": lambda s: lib.log_softmax(s, -0.7, prior=torch.arange(1, 6)),
    "log_partition": lambda s: lib.log_partition(s, 0.01),
    "sparsemax": lambda s: lib.sparsemax(s, 0.7),
    "entmax": lambda s: lib.entmax(s, alpha=1.3, beta=0.7, prior=torch.arange(1, 6)),
    "entmax, α an array": lambda s: lib.entmax(s, alpha=torch.full((1,), 1.5, dtype=s.dtype), beta=0.7),
    "relu_norm": lambda s: lib.relu_norm(s, -0.7),
    "sigmoid_weights": lambda s: lib.sigmoid_weights(s, 0.7),
    "softmax_plus_one": lambda s: lib.softmax_plus_one(s, 0.7),
    "entmax_vjp": lambda s: lib.entmax_vjp(lib.softmax(s), s, alpha=1.3, beta=0.7),
    "entropy": lambda s: lib.entropy(lib.softmax(s)),
    "effective_count": lambda s: lib.effective_count(lib.softmax(s)),
    "kl_divergence": lambda s: lib.kl_divergence(lib.softmax(s), lib.softmax(s, 0.5)),
    "objective": lambda s: lib.objective(lib.softmax(s), s, 0.5),
    "beta_for_kl": lambda s: lib.beta_for_kl(s, 0.1),
    "attention_with_lse": of_one(lambda q, k, v: lib.attention_with_lse(q, k, v)[1]),
    "merge_attention": in_halves,
    "linear_attention": of_one(lambda q, k, v: lib.linear_attention(q, k, v, causal=True)),
    **{
        f"attention by {label}": of_one(functools.partial(lib.attention, causal=True, weights=name, **options))
        for label, (name, options) in OF_ATTENTION.items()
        if not any(isinstance(x, np.ndarray) for x in options.values())
    },
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_vmap_jvp_and_jacobians_agree_with_plain_calls(name):
    f, shape = TRANSFORMED[name], (3, 8, 2) if "attention" in name else (3, 5)
    x, direction, same = random(*shape), random(*shape, seed=1), torch.testing.assert_close
    same(vmap(f)(x), f(x))
    rows = torch.stack([jacrev(f)(row) for row in x])
    same(torch.stack([jacfwd(f)(row) for row in x]), rows)
    same(vmap(jacrev(f))(x), rows)
    same(vmap(jacfwd(f))(x), rows)
    if "attention" not in name:
        same(vmap(hessian(f))(x), torch.stack([hessian(f)(row) for row in x]))
    value, slope = jvp(f, (x,), (direction,))
    same(value, f(x))
    direction = direction.reshape(3, *[1] * (rows.ndim - len(shape)), *shape[1:])
    same(slope, (rows * direction).flatten(1 - len(shape)).sum(-1))


def test_vmap_over_beta_and_alpha_is_a_loop_over_them():
    scores, betas = random(5), torch.tensor([0.0, 0.5, -2.0, inf], dtype=torch.float64)
    alphas, both = torch.tensor([1.0, 1.3, 2.0, 2.7], dtype=torch.float64), random(2, 5)
    slope = jacrev(lambda a: lib.entmax(scores, alpha=a))
    for name, f, each in (
        *((f.__name__, lambda b, f=f: f(scores, b), betas) for f in MAPS),
        ("entmax", lambda a: lib.entmax(scores, alpha=a), alphas),
        ("its slope", slope, alphas),
        ("entmax of two rows", lambda a: lib.entmax(both, alpha=a), alphas),
    ):
        with named(name):
            torch.testing.assert_close(vmap(f)(each), torch.stack([f(x) for x in each]))
    by_number = torch.stack([lib.entmax(scores, alpha=a.item()) for a in alphas])
    torch.testing.assert_close(vmap(lambda a: lib.entmax(scores, alpha=a))(alphas), by_number)


def test_values_are_not_read_under_vmap_and_nan_propagates():
    scores, second = torch.ones(2, 3), [[False] * 3, [True] * 3]
    broken = torch.tensor([1.0, math.nan])
    prior = torch.tensor([[1.0, 1.0, 2.0], [1.0, math.nan, 1.0]])
    for f in (lib.softmax, lib.sparsemax, lib.entmax, *DENSE):
        assert vmap(f)(scores, broken).isnan().tolist() == second
    for f in (lib.softmax, lib.sparsemax, lib.entmax):
        assert vmap(lambda s, u, f=f: f(s, prior=u))(scores, prior).isnan().tolist() == second
    assert vmap(lambda s, a: lib.entmax(s, alpha=a))(scores, broken + 0.5).isnan().tolist() == second


# ---- the printed formulas


def test_where_the_budget_does_not_bind_beta_has_gradient_zero():
    scores = torch.tensor([[1.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, inf], [-inf, -inf]], requires_grad=True)
    budget = torch.tensor([0.1, 5.0, 0.0, 0.1, 0.1], requires_grad=True)
    beta = lib.beta_for_kl(scores, budget)
    assert beta.tolist() == [inf, inf, 0.0, 0.0, inf]
    finite(beta).sum().backward()
    assert (scores.grad == 0).all()
    assert (budget.grad == 0).all()


@pytest.mark.parametrize("budget", [inf, torch.tensor(inf, dtype=torch.float64, requires_grad=True)])
def test_a_budget_without_end_has_gradient_zero(budget):
    scores = torch.tensor([0.0, 1.0, 3.0], dtype=torch.float64, requires_grad=True)
    beta = lib.beta_for_kl(scores, budget)
    assert beta.item() == inf
    for slope in torch.autograd.grad(beta, [scores] if budget is inf else [scores, budget]):
        assert (slope == 0).all()


@pytest.mark.parametrize("beta", [0.0, 1e-300, 1e-12, 1e-6, -1e-6, 0.1, 2.0, -2.0])
def test_the_slopes_of_the_value_are_the_weights_and_the_divergence(beta):
    """∂/∂s = softmax; ∂/∂β = KL/β², at β = 0 half the variance; ∂²/∂β² at 0 a third of the third cumulant."""
    scores, prior = random(5), random(5, seed=1, positive=True)
    u = prior / prior.sum()
    leaves = scores.clone().requires_grad_(), torch.tensor(beta, dtype=torch.float64, requires_grad=True)
    value = lib.log_partition(*leaves, prior=prior)
    ds, db = torch.autograd.grad(value, leaves, create_graph=True)
    (dbb,) = torch.autograd.grad(db, leaves[1])
    torch.testing.assert_close(ds, lib.softmax(scores, beta, prior=prior))
    centred = scores - u @ scores
    variance, third = u @ centred**2, u @ centred**3
    if abs(beta) < 1e-5:
        torch.testing.assert_close(db, variance / 2 + beta * third / 3, rtol=1e-10, atol=0)
        torch.testing.assert_close(dbb, third / 3, rtol=1e-4, atol=0)
    else:
        divergence = lib.kl_divergence(lib.softmax(scores, beta, prior=prior), u)
        torch.testing.assert_close(db, divergence / beta**2, rtol=1e-11, atol=0)


def test_slopes_in_beta_are_exact_on_both_sides_of_where_the_method_changes(reference):
    """log_partition integrates up to a spread of 1/4, and takes the logarithm beyond; the scores span 1."""
    rng = np.random.default_rng(6)
    for beta in (0.2, 0.2499, 0.2501, 0.3):
        for _ in range(7):
            scores, prior = np.append(rng.random(), [0.0, 1.0]), rng.dirichlet(np.ones(3))
            b = torch.tensor(beta, dtype=torch.float64, requires_grad=True)
            value = lib.log_partition(torch.tensor(scores), b, prior=torch.tensor(prior))
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
        lib.log_partition(scores, b).backward()
        wide = torch.tensor(beta, dtype=torch.float64, requires_grad=True)
        lib.log_partition(scores.double(), wide).backward()
        torch.testing.assert_close(b.grad.double(), wide.grad, rtol=1e-5, atol=0)


def test_gradients_at_zero_weights_are_finite():
    p = torch.tensor([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]], requires_grad=True)
    q = torch.tensor([[0.25, 0.5, 0.25, 0.0], [0.25, 0.25, 0.25, 0.25]], requires_grad=True)
    (lib.kl_divergence(p, q).sum() + lib.entropy(p).sum() + lib.effective_count(p).sum()).backward()
    assert torch.isfinite(p.grad).all()
    assert torch.isfinite(q.grad).all()
    assert (p.grad[0, 2:] == 0).all()
    assert (p.grad[1] == 0).all()
    assert (q.grad[1] == 0).all()


def test_the_divergence_of_equal_rows_has_slope_zero_and_the_right_curvature():
    q = torch.softmax(random(5), -1)
    torch.testing.assert_close(grad(lambda p: lib.kl_divergence(p, q))(q), torch.zeros_like(q), rtol=0, atol=1e-15)
    torch.testing.assert_close(hessian(lambda p: lib.kl_divergence(p, q))(q), torch.diag(1 / q))


def test_an_entry_that_is_minus_infinity_gives_no_gradient_back():
    scores = random(5).requires_grad_()
    where = torch.tensor([True, True, False, True, False])
    lib.log_softmax(scores, where=where)[2].backward()
    assert (scores.grad == 0).all()


@pytest.mark.parametrize("beta", [1.0, 2.0, "an array"])
def test_what_is_minus_infinity_is_a_constant_forward_too(beta):
    """The logarithm of an entry without weight: no derivative, in either direction, and none in β."""
    beta = torch.tensor([1.5], dtype=torch.float64) if beta == "an array" else beta
    scores = torch.tensor([1.0, 2.0, 3.0, -math.inf], dtype=torch.float64)
    where = torch.tensor([True, True, False, True])
    for take in (torch.func.jacfwd, torch.func.jacrev):
        slopes = take(lambda s: lib.log_softmax(s, beta, where=where))(scores)
        assert slopes[2:].tolist() == [[0.0] * 4] * 2
        assert slopes[0, :2].abs().min() > 0
        in_beta = take(lambda b: lib.log_softmax(scores, b, where=where))(torch.ones(1, dtype=torch.float64))
        assert in_beta[2:].tolist() == [[0.0]] * 2
