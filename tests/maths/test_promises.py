"""What docstrings promise at the ends of the floats, and how exact they say a result is."""

import math
import re

import mpmath as mp
import numpy as np
import pytest
from exactness import distance
from optional_torch import torch

import lib
from lib import beta_for_kl, entmax, log_partition, log_softmax, softmax, sparsemax

inf = math.inf
EPS = 2.0**-52


def makers(dtype):
    """Arrays of both libraries."""
    return [lambda x: np.asarray(x, dtype), lambda x: torch.tensor(np.asarray(x, dtype))]


# ---- scores whose differences are beyond the largest float, and β beyond that of float32

FAR = [
    ([1e308, -1e308], 1e-308, np.float64),
    ([-1e308, 1e308, 1.7e308, -1.7e308], 2e-308, np.float64),
    ([1.5e308, -1.5e308, 3.0], -2e-308, np.float64),
    ([1e300, -1.797e308], 1e-308, np.float64),
    ([3e38, -3e38], 1e-38, np.float32),
    ([3e38, -3e38, 1.0], 2e-38, np.float32),
    ([0.0, 1e-39], 1e39, np.float32),
    ([2e-40, 0.0, 1e-39], -1e39, np.float32),
]


@pytest.mark.parametrize(("scores", "beta", "dtype"), FAR)
def test_softmax_is_exact_however_far_the_scores_are_apart(reference, scores, beta, dtype):
    scores = np.asarray(scores, dtype)
    n, eps = len(scores), float(np.finfo(dtype).eps)
    want = reference.weights(scores.tolist(), beta)
    value = reference.log_partition(scores.tolist(), beta)
    for make in makers(dtype):
        ones = make(np.ones(n))
        # an array β of float64 also makes float32 scores count in float64
        array = ({}, make(np.ones(1)) * beta) if dtype == np.float64 else ({}, beta)
        for given, b in (({}, beta), ({"prior": ones}, beta), ({"where": ones > 0}, beta), array):
            assert distance(softmax(make(scores), b, **given), want) <= 8 * n * eps
            logs = log_softmax(make(scores), b, **given)
            assert distance(logs, [mp.log(w) for w in want]) <= 8 * n * eps * max(1, -float(mp.log(min(want))))
            got = log_partition(make(scores), b, **given)
            assert distance(got, [value]) <= 8 * n * eps * float(np.abs(scores).max())


@pytest.mark.parametrize(
    ("scores", "beta", "dtype"),
    [
        ([1e20, 0.0], 1e20, np.float32),
        ([1e15, 0.0], 1e25, np.float32),
        ([0.0, -1e20], -1e20, np.float32),
        ([-1e290, -2e290], 1e25, np.float64),
    ],
)
def test_the_value_is_finite_where_beta_times_a_score_is_not(reference, scores, beta, dtype):
    best = scores.index(max(scores, key=lambda x: x * math.copysign(1, beta)))
    want = reference.log_partition(scores, beta)
    for make in makers(dtype):
        for given in ({}, {"where": make(np.ones(2)) > 0}):
            x = make(np.asarray(scores, dtype))
            if isinstance(x, torch.Tensor):
                x.requires_grad_()
            value = log_partition(x, beta, **given)
            assert abs(value.item() - want) <= 16 * float(np.finfo(dtype).eps) * max(1, abs(want))
            if isinstance(x, torch.Tensor):
                value.backward()
                assert x.grad.tolist() == np.eye(2)[best].tolist()


@pytest.mark.parametrize("alpha", [1.3, 1.5, 2.0])
@pytest.mark.parametrize(("scores", "beta", "dtype"), FAR)
def test_entmax_is_exact_however_far_the_scores_are_apart(reference, scores, beta, dtype, alpha):
    scores, beta = np.asarray(scores, dtype), 0.3 * beta
    want = reference.entmax(scores.tolist(), alpha, beta)
    n, bound = len(scores), 6e-8 if dtype == np.float32 else 8 * len(scores) * EPS
    for make in makers(dtype):
        for given in ({}, {"where": make(np.ones(n)) > 0}):
            assert distance(entmax(make(scores), alpha=alpha, beta=beta, **given), want) <= bound
    many = np.tile(scores, (1 << 15, 1))  # for the compiled kernels
    assert distance(entmax(many, alpha=alpha, beta=beta)[-1], want) <= bound


def test_gradients_of_softmax_and_log_partition_are_exact_however_far_the_scores_are_apart():
    """With s = 1e308 t and β = 1e-308 the weights, and the gradient in t, are those of t at β = 1."""
    for f in (softmax, sparsemax, log_partition):
        t = torch.tensor([1.0, -1.0, 0.3], dtype=torch.float64, requires_grad=True)
        far = f(1e308 * t, 1e-308, prior=torch.ones(3)) * (1e-308 if f is log_partition else 1)
        near = f(t, prior=torch.ones(3))
        weigh = torch.tensor([1.0, 2.0, 5.0], dtype=torch.float64)
        (got,), (want,) = (torch.autograd.grad((y * weigh).sum(), t) for y in (far, near))
        torch.testing.assert_close(got, want, rtol=1e-13, atol=1e-14)


def test_log_partition_at_beta_zero_is_the_mean_however_far_the_scores_are_apart():
    assert abs(float(log_partition(np.array([1e308, -1e308]), 0.0))) <= 1e294
    assert float(log_partition(np.array([1.5e308, -1.5e308, -1.5e308]), 0.0)) == pytest.approx(-0.5e308, rel=1e-14)


def test_to_softmax_the_largest_beta_of_a_dtype_is_finite():
    for dtype in (np.float64, np.float32):
        largest = float(np.finfo(dtype).max)
        scores = np.array([0.0, 1 / largest], dtype=dtype)
        np.testing.assert_allclose(softmax(scores, largest), softmax(np.array([0.0, 1.0])), rtol=1e-6)


def test_beta_for_kl_is_the_same_however_far_the_scores_are_apart():
    scores = np.array([1.0, -1.0, -0.9])
    got = beta_for_kl(1e308 * scores, 0.3)
    assert float(got) * 1e308 == pytest.approx(float(beta_for_kl(scores, 0.3)), rel=1e-14)


# ---- how exact a β for a budget is


def spent(beta, scores, u):
    """KL(softmax(β s) ‖ u) and its slope in log β, to 100 digits."""
    s, u, beta = ([mp.mpf(float(x)) for x in xs] for xs in (scores, u, [beta]))
    tilted = [x * mp.exp(beta[0] * (y - max(s))) for x, y in zip(u, s, strict=True)]
    w, u = ([x / sum(xs) for x in xs] for xs in (tilted, u))
    kl = sum(x * mp.log(x / y) for x, y in zip(w, u, strict=True) if x > 0)
    mean = sum(x * y for x, y in zip(w, s, strict=True))
    return kl, beta[0] ** 2 * sum(x * (y - mean) ** 2 for x, y in zip(w, s, strict=True))


def test_beta_for_kl_is_as_exact_for_its_budget_as_the_docstring_says():
    says = re.search(
        r"To (\d+) eps of itself, the\s+result\s+is the exact β of a budget within (\d+) eps",
        lib.beta_for_kl.__doc__,
    )
    of_beta, of_budget = (int(k) * EPS for k in says.groups())
    cases = [(np.array([0.0, 1.0, 3.0]), np.ones(3), 0.421)]
    rng = np.random.default_rng(0)
    for k in range(150):
        n = (2, 3, 7, 31)[k % 4]
        prior = 10.0 ** (-rng.uniform(0, 12) * rng.uniform(size=n)) if k % 3 else np.ones(n)
        scores = rng.normal(size=n) * 10 ** rng.uniform(-2, 2)
        limit = math.log(prior.sum() / prior[scores.argmax()])
        share = rng.uniform() ** (1, 4, 20)[k % 3] if k % 5 else 1 - 10.0 ** -rng.uniform(0, 10)
        cases.append((scores, prior, limit * share))
    for scores, prior, epsilon in cases:
        beta = float(beta_for_kl(scores, epsilon, prior=prior))
        kl, slope = spent(beta, scores, prior)
        assert abs(kl - mp.mpf(epsilon)) <= of_budget * epsilon + of_beta * slope, (scores, prior, epsilon)
