"""The checks of the chapter *temperature*."""

from itertools import product

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import gumbel_r

from book.claims import claim, fails, largest, measures, says, smallest
from book.example import TOKENS, n, s, u
from book.noisy_choice import chances_to_win
from book.other_divergences import total_variation
from book.solver import slope
from book.temperature.sharpness import largest_share, winning_beta
from lib import entropy, kl_divergence, log_softmax, softmax

milk = TOKENS.index("milk")
sure = np.where(s == s.min(), 0.94, 0.01)  # a null that expects "because"
nulls = [u, sure, *np.random.default_rng(1).dirichlet(np.ones(n), size=2)]
tied = np.where(np.arange(n) == milk, s[1], s)  # milk now ties with cat


def best_beta(chances):
    loss = lambda beta: -chances @ log_softmax(s, beta)
    return minimize_scalar(loss, bounds=(0.05, 10), method="bounded", options={"xatol": 1e-8}).x


@claim("temperature-order", "A7", "C4", "E5")
@says(
    "Under the uniform null the higher score has the larger weight at β > 0 and the smaller at β < 0, in "
    "1000 random rows of six tokens with |β| from 0.01 to 10."
)
@measures("number of pairs in the wrong order, of 15\u202f000", at_most=0)
@fails("with a null that is sure of one token", null=sure[1:] / sure[1:].sum())
def pairs_out_of_order(null=None, rows=1000):
    rng, (i, j) = np.random.default_rng(0), np.triu_indices(6, 1)
    scores = rng.normal(size=(rows, 6))
    beta = 10 ** rng.uniform(-2, 1, size=(rows, 1)) * rng.choice([-1, 1], size=(rows, 1))
    p = softmax(scores, beta, prior=null)
    return (~(beta * (scores[:, i] - scores[:, j]) * (p[:, i] - p[:, j]) > 0)).sum()


@claim("temperature-slope", "A8", "C4")
@says(
    "On the running example each weight changes with β at the rate of the weight times its score's lead "
    "over the average, for four nulls and β from −4 to 8."
)
@measures("largest difference of rate and formula, in points", at_most=1e-7)
@fails("with the average under the null in place of that under the weights", average=lambda p, null: null @ s)
def largest_error_of_rate(average=lambda p, null: p @ s):
    for null, beta in product(nulls, np.linspace(-4, 8, 49)):
        p = softmax(s, beta, prior=null)
        yield slope(lambda b: softmax(s, b, prior=null), beta, h=1e-4) - p * (s - average(p, null))


@claim("temperature-courses")
@says(
    "As β grows from 0, the best scores' weights only rise, those of scores not above the null's average "
    "only fall, and all others rise and then fall, once, in 500 random rows with two scores that tie, and "
    "random nulls."
)
@measures("number of weights on another course", at_most=0)
@fails("with the plain average in place of the null's", average=lambda x, null: x.mean())
def weights_on_another_course(average=lambda x, null: null @ x, rows=500):
    rng, off = np.random.default_rng(6), 0
    for x, null in ((rng.normal(size=5)[[0, 0, 1, 2, 3]], rng.dirichlet(np.ones(5))) for _ in range(rows)):
        beta = np.append(0, np.geomspace(1e-5, 30 / (x.max() - np.unique(x)[-2]), 999))
        way = np.diff(log_softmax(x, beta[:, None], prior=null), axis=0)  # (999, 5)
        up, down = way > 1e-13, way < -1e-13
        otherwise = (up.any(axis=0) != (x > average(x, null))) | (down.any(axis=0) != (x < x.max()))
        off += (otherwise | (np.maximum.accumulate(down) & up).any(axis=0)).sum()  # or rises again
    return off


@claim("temperature-alike", "A7", "C4", "P10")
@says(
    "Tokens that tie for the best have the same weight, and less than all of it, at β = 0, 0.1, 1, 10, 1000 "
    "and ∞, on the running example with milk at the score of cat."
)
@measures("largest difference of the two weights, and ∞ where one is above ½", at_most=1e-15)
@fails("with a null that is sure of one token, and a third that ties", null=sure)
def difference_of_ties(null=None):
    scores = tied if null is None else np.where(np.arange(n) == s.argmin(), s[1], tied)
    best = np.flatnonzero(scores == scores.max())
    rows = [softmax(scores, beta, prior=null)[best] for beta in (0.0, 0.1, 1.0, 10.0, 1000.0, np.inf)]
    return largest(np.ptp(row) if (row <= 0.5).all() else np.inf for row in rows)


@claim("temperature-ties", "A7", "C4", "P10")
@says(
    "On the running example and two rows with ties, the weights at β from 0 to 18/Δ are as close to those "
    "of lib at ∞ as the bound says, and those at −β to those at −∞, for four nulls; one row comes within "
    "a millionth of the bound."
)
@measures("largest distance, as a part of the bound", equal_to=1, within=1e-6)
@fails("with ties that share alike, whatever the null", alike=True)
def largest_part_of_bound(alike=False):
    all_behind = np.where(np.arange(n) == 1, 0.5, 0.0)
    gaps = (0.0, 0.25, 0.5, 2.5, 10.0, 18.0)
    for scores, null, gap, way in product((s, tied, all_behind), nulls, gaps, (1, -1)):
        good = way * scores  # at −β the lowest scores are the best
        ties = good == good.max()
        lead, mass = good.max() - good[~ties].max(), null[ties].sum()
        end = ties / ties.sum() if alike else softmax(scores, way * np.inf, prior=null)
        away = total_variation(softmax(scores, way * gap / lead, prior=null), end)
        yield away * mass / (1 - mass) * np.exp(gap)


@claim("temperature-null", "A7", "A8", "C4", "C5", "C6", "D7", "E5")
@says(
    "No set of tokens has a weight further from the null's than |β|R/4, in 1000 random rows and one that "
    "comes within a thousandth of it."
)
@measures("largest distance, as a part of the bound", at_most=1, at_least=0.999)
@fails("with |β|R/5", part=5)
def largest_part_of_range(part=4, rows=1000):
    rng = np.random.default_rng(2)
    cases = [(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 0.1)]
    cases += [(rng.normal(size=k), rng.dirichlet(np.ones(k)), rng.normal()) for k in rng.integers(2, 6, size=rows)]
    for x, null, beta in cases:
        yield total_variation(softmax(x, beta, prior=null), null) / (beta * np.ptp(x) / part)


@claim("temperature-divergence", "A8", "C4", "E5")
@says(
    "On the running example the divergence from the null changes at the rate β Var(s), for four nulls and "
    "β from −4 to 8."
)
@measures("largest difference of rate and formula, in nats times points", at_most=1e-6)
@fails("with the variance alone", power=0)
def largest_error_of_divergence(power=1):
    for null, beta in product(nulls, np.linspace(-4, 8, 49)):
        p = softmax(s, beta, prior=null)
        rate = slope(lambda b: kl_divergence(softmax(s, b, prior=null), null), beta, h=1e-4)
        yield rate - beta**power * p @ (s - p @ s) ** 2


@claim("temperature-entropy", "A8", "C4", "E5")
@says(
    "On the running example entropy changes at the rate −β Var(s) less the covariance of log u and s, "
    "both under the weights, for four nulls and β from −4 to 8."
)
@measures("largest difference of rate and formula, in nats times points", at_most=1e-6)
@fails("with the covariance left out", with_null=0)
def largest_error_of_entropy(with_null=1):
    for null, beta in product(nulls, np.linspace(-4, 8, 49)):
        p = softmax(s, beta, prior=null)
        spread = s - p @ s
        rate = slope(lambda b: entropy(softmax(s, b, prior=null)), beta, h=1e-4)
        yield rate + beta * p @ spread**2 + with_null * (p * spread) @ np.log(null)


@claim("temperature-caution", "A8")
@says(
    "On the running example, with a null sure of another token, entropy rises by more than a nat, and "
    "then falls by more than a nat, without rising again up to β = 8."
)
@measures("smaller of rise and fall, in nats", at_least=1)
@fails("with the uniform null", null=u)
def smaller_of_rise_and_fall(null=sure):
    path = entropy(softmax(s, np.linspace(0, 8, 801)[:, None], prior=null))
    top = path.argmax()
    # Below 0 if it turns twice.
    again = smallest([np.diff(path[: top + 1]).min(initial=0), -np.diff(path[top:]).max(initial=0)])
    return smallest([path[top] - path[0], path[top] - path[-1]]) if again >= 0 else again


@claim("temperature-winner", "C4", "C6", "D7", "E4", "E5")
@says(
    "Under the uniform null, at the β of the formula, the winner has exactly 1 − δ against a crowd at Δ, "
    "and no less against others further behind, for 2 to 100\u202f000 tokens."
)
@measures("largest miss of its share", at_most=1e-12)
@fails("with one rival counted in place of all", rivals=lambda size: 2)
def largest_miss(rivals=lambda size: size):
    rng = np.random.default_rng(3)
    for size, rest, lead in product((2, 7, 1000, 100_000), (0.5, 0.1, 0.001), (0.1, 0.5, 3.0)):
        beta = winning_beta(rivals(size), lead, rest)
        crowd, behind = np.zeros(size - 1), -rng.exponential(size=size - 1)
        yield softmax(np.append(lead, crowd), beta)[0] - (1 - rest)
        yield np.maximum(1 - rest - softmax(np.append(lead, behind), beta)[0], 0)


@claim("temperature-dilute", "C4", "D7", "E4")
@says(
    "Under the uniform null, with scores in a range R, no weight is above e^(βR)/(n − 1 + e^(βR)), in "
    "random rows of 2 to 100\u202f000 tokens and in the row that reaches it."
)
@measures("largest weight, as a part of the bound", at_most=1 + 1e-12)
@fails("with half the range", range_of=lambda x: np.ptp(x) / 2)
def largest_part_of_share(range_of=np.ptp):
    rng = np.random.default_rng(4)
    for size, beta in product((2, 7, 1000, 100_000), (0.0, 0.5, 1.0, 5.0)):
        for scores in (np.append(2.6, np.zeros(size - 1)), rng.uniform(size=size), rng.normal(size=size)):
            yield softmax(scores, beta).max() / largest_share(size, beta * range_of(scores))


@claim("temperature-list", "E5")
@says("On the running example, T = 0.1 is within 0.05 of one-hot and T = 10 within 0.05 of even.")
@measures("largest difference in the weight of a set of tokens", at_most=0.05)
@fails("with all scores a tenth as large", unit=10)
def further_of_two(unit=1):
    cold, hot = softmax(s / unit, 10.0), softmax(s / unit, 0.1)
    return largest([1 - cold.max(), total_variation(hot, u)])


@claim("temperature-fitted", "C4", "C6")
@says(
    "On the running example, where words come as often as the weights at some β say, the least average log loss "
    "is at that β, for ½, 1 and 2."
)
@measures("largest relative error of β", at_most=1e-3)
@fails("with words that come as at one over that β", true=lambda x: 1 / x)
def largest_error_of_fit(true=lambda x: x):
    return largest(abs(best_beta(softmax(s, true(x))) / x - 1) for x in (0.5, 1.0, 2.0))


@claim("temperature-calibrated", "C4", "C6")
@says(
    "On the running example the β with the least expected log loss is one over the size of the Gumbel "
    "noise, for sizes ½, 1 and 2."
)
@measures("largest relative error of β", at_most=1e-3)
@fails("with the size itself in place of one over it", power=-1)
def largest_error_of_beta(power=1):
    return largest(abs(best_beta(chances_to_win(s, gumbel_r(scale=x))) * x**power - 1) for x in (0.5, 1.0, 2.0))
