"""The checks of the chapter *kl*."""

from itertools import product

import numpy as np

from book.claims import claim, fails, largest, measures, says
from book.example import n, s, u
from book.solver import least_divergence, maximise, most_score, slope
from lib import beta_for_kl, kl_divergence, log_partition, objective, softmax

nulls = [u, *np.random.default_rng(1).dirichlet(np.ones(n), size=2)]
betas = np.linspace(0.1, 8.0, 80)  # (80,)


@claim("kl-gibbs", "A5")
@says(
    "Of 100\u202f000 random pairs of different rows of weights, near or far and many with zeros in the first, "
    "all have a divergence above 10⁻⁹ nats, far more than rounding."
)
@measures("smallest divergence, in nats", at_least=1e-9)
@fails("with the logarithms averaged evenly and not with the weights p", weigh=lambda p: 1 / n)
def smallest_divergence(weigh=lambda p: p, runs=100_000):
    rng = np.random.default_rng(0)
    p, other = rng.dirichlet(np.ones(n), size=(2, runs))  # (runs, n) each
    x = 10 ** rng.uniform(-3, 0, size=(runs, 1))
    r = (1 - x) * p + x * other  # (runs, n), from nearly p to quite another row
    p[::2] *= p[::2] > 0.1  # in every other row the small weights become 0
    p /= p.sum(axis=1, keepdims=True)
    return (weigh(p) * np.log(np.where(p > 0, p / r, 1.0))).sum(axis=1).min()  # a weight of 0 adds 0


@claim("kl-solver", "A5")
@says(
    "Asked for the largest J, with our scores, three nulls (equal weights and two random rows) and β = ½ "
    "or 4, the solver lands on softmax."
)
@measures("largest difference between two weights", at_most=1e-6)
@fails("with powers of 2 in place of powers of e", base=2.0)
def largest_gap(base=np.e):
    for beta, null in product((0.5, 4.0), nulls):
        best = maximise(lambda p: objective(p, s, beta, prior=null), n)
        yield best - softmax(s, beta * np.log(base), prior=null)


@claim("kl-regret", "A5")
@says(
    "Each of 100\u202f000 random weightings, with random scores, nulls and β from 0.1 to 5, falls short of "
    "(1/β) log Z by its divergence from softmax over β."
)
@measures("largest error of the shortfall, in points", at_most=1e-12)
@fails("with the arguments of the divergence swapped", swap=True)
def largest_error(swap=False, runs=100_000):
    rng = np.random.default_rng(2)
    p, null = rng.dirichlet(np.full(n, 0.5), size=(2, runs))  # (runs, n) each
    scores, beta = rng.normal(size=(runs, n)), rng.uniform(0.1, 5.0, size=(runs, 1))
    best = softmax(scores, beta, prior=null)
    short = log_partition(scores, beta, prior=null) - objective(p, scores, beta, prior=null)
    off = kl_divergence(best, p) if swap else kl_divergence(p, best)
    return largest([abs(short - off / beta[:, 0]).max(), (-short).max()])


@claim("kl-slopes", "A6")
@says(
    "With our scores, three nulls and 80 values of β from 0.1 to 8, log Z has the slope ⟨π, s⟩, and that "
    "has the slope Var(s)."
)
@measures("largest error of a slope", at_most=1e-6)
@fails("with the mean square in place of the variance", centred=False)
def largest_error_of_slope(centred=True):
    for null in nulls:
        weights = softmax(s, betas[:, None], prior=null)  # (80, n)
        mean = weights @ s
        log_z = lambda b: b * log_partition(s, b[:, None], prior=null)
        score = lambda b: softmax(s, b[:, None], prior=null) @ s
        yield slope(log_z, betas, h=1e-4) - mean
        yield slope(score, betas, h=1e-4) - (weights @ s**2 - centred * mean**2)


@claim("kl-budget", "A6")
@says(
    "With our scores and three nulls the solver lands on softmax with a budget of 10% or 70% of what all "
    "on cat costs, and with the score required that softmax earns there."
)
@measures("largest difference between two weights", at_most=1e-6)
@fails("with softmax at 90% of the budget", spend=0.9)
def largest_gap_in_budget(spend=1.0):
    for null in nulls:
        for budget in -np.log(null[1]) * np.array([0.1, 0.7]):  # in parts of what all on cat costs
            p = softmax(s, beta_for_kl(s, spend * budget, prior=null), prior=null)
            full = softmax(s, beta_for_kl(s, budget, prior=null), prior=null) @ s
            yield most_score(s, null, budget) - p
            yield least_divergence(s, null, full) - p


@claim("kl-monotone", "A6")
@says(
    "With our scores, three nulls and 80 values of β from 0.1 to 8 the divergence grows with β, at the "
    "rate β Var(s)."
)
@measures("largest error of the rate", at_most=1e-6)
@fails("with the variance alone", power=0)
def largest_error_of_rate(power=1):
    for null in nulls:
        weights = softmax(s, betas[:, None], prior=null)  # (80, n)
        variance = weights @ s**2 - (weights @ s) ** 2
        spent = lambda b: kl_divergence(softmax(s, b[:, None], prior=null), null)
        yield slope(spent, betas, h=1e-4) - betas**power * variance
        yield np.where(np.diff(spent(betas)) <= 0, np.inf, 0.0)


@claim("kl-prices", "A6")
@says(
    "By the solver, with our scores, at β = ½, 1 and 4, with another null at each, for small changes a "
    "nat is worth 1/β points and a point costs β nats."
)
@measures("largest relative error of a rate", at_most=1e-4)
@fails("with β and 1/β exchanged", power=-1)
def largest_relative_error(power=1):
    for beta, null in zip((0.5, 1.0, 4.0), nulls, strict=True):
        p = softmax(s, beta, prior=null)
        worth = slope(lambda budget: most_score(s, null, budget) @ s, kl_divergence(p, null))
        costs = slope(lambda points: kl_divergence(least_divergence(s, null, points), null), p @ s)
        yield worth * beta**power - 1
        yield costs / beta**power - 1


@claim("kl-margin", "A6")
@says(
    "With our scores and equal weights as the null, add from 0.001 to 5 nats to a budget from 0.02 to "
    "1.9: the score rises by less than 1/β points for each nat added, with β that of the budget before."
)
@measures("smallest shortfall, as a part of 1/β", at_least=1e-4)
@fails("with 0.01 nats taken away and not added", amounts=(-0.01,))
def smallest_shortfall(amounts=np.geomspace(0.001, 5, 40)):
    before = np.linspace(0.02, 1.9, 95)  # (95,)
    rows = np.tile(s, (95, 1))  # the same scores for each budget
    score = lambda budget: softmax(s, beta_for_kl(rows, budget)[:, None]) @ s
    return 1 - largest(
        ((score(before + x) - score(before)) / x * beta_for_kl(rows, before)).max() for x in amounts
    )


@claim("kl-saturation", "A6")
@says(
    "For three nulls and our scores, as they are or with milk tied to cat, the solver needs −log of the "
    "null's share of the best tokens to earn the best score, and just there β becomes infinite."
)
@measures("largest distance from that limit, in nats", at_most=1e-5)
@fails("with ties forgotten, and only the null's share of cat", ties=False)
def distance_from_limit(ties=True):
    for null in nulls:
        for scores in (s, np.where(np.arange(n) == 4, s[1], s)):  # in the second, milk ties with cat
            full = kl_divergence(least_divergence(scores, null, scores.max() - 1e-8), null)  # knows no formula
            around = [beta_for_kl(scores, budget, prior=null) for budget in (full - 1e-5, full + 1e-5)]
            switches = np.isinf(around).tolist() == [False, True]
            mass = null[scores == scores.max()].sum() if ties else null[1]
            yield abs(full + np.log(mass)) if switches else np.inf


def rescaled(plan, totals, turns=500):
    """Sinkhorn's iteration: columns are scaled to these totals and rows to 1, in turn."""
    for _ in range(turns):
        plan = plan * (totals / plan.sum(axis=0))
        plan = plan / plan.sum(axis=1, keepdims=True)
    return plan


@claim("kl-transport")
@says(
    "With each key bound to receive what attention gives it, the cheapest plan is attention itself, for 5 random "
    "tables of 4 queries and 6 keys at β = 1.7."
)
@measures("largest difference of an entry", at_most=1e-12)
@fails("with each key bound to receive as much as any other", even=True)
def difference_of_plans(even=False):
    for scores in np.random.default_rng(0).normal(size=(5, 4, 6)):
        plan = softmax(scores, 1.7)
        totals = np.full(6, 4 / 6) if even else plan.sum(axis=0)
        yield rescaled(np.exp(1.7 * scores), totals) - plan
