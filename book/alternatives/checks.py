"""The checks of the chapter *alternatives*."""

from itertools import product

import numpy as np

from book.alternatives.maps import (
    ORDERS,
    back_by_formula,
    by_level,
    hard,
    in_parts,
    positive_shares,
    price,
    random_rows,
    reaches_zero,
    the_best_alone,
    wavy,
)
from book.alternatives.training import error_after_training
from book.claims import claim, fails, largest, measures, says
from book.example import s
from book.solver import maximise, slope
from lib import entmax, sparsemax


def cases(orders=ORDERS):
    """100 random rows, each with every map by its α."""
    return product(random_rows(100, seed=3), orders)


MAPS, SEEDS = ("softmax", "entmax", "sparsemax"), range(1, 9)


@claim("alternatives-solver", "E9", "E10")
@says(
    "A general solver of the problem lands on lib's weights, for α = 1, 1¼, 1½ and 2, at β = 0.3, 1 and 3 "
    "on the running example."
)
@measures("largest difference of two weights", at_most=1e-6)
@fails("with the price of an α that is ¼ larger", other=0.25)
def largest_gap_of_solver(other=0.0):
    for alpha, beta in product(ORDERS, (0.3, 1.0, 3.0)):
        best = maximise(lambda p: p @ s - price(p, alpha + other) / beta, 7)
        yield best - entmax(s, alpha=alpha, beta=beta)


@claim("alternatives-level", "E9")
@says(
    "The water level from the formula, with words added from the top while the next stands above it, gives lib's "
    "sparsemax, at β = 0.1, 1 and 10 in 200 random rows."
)
@measures("largest difference of two weights", at_most=1e-12)
@fails("with words that stand less than a tenth above the level left out", above=0.1)
def difference_from_level(above=0.0):
    rows = random_rows(200, seed=5)
    return largest(abs(by_level(x, b, above) - sparsemax(x, b)).max() for x in rows for b in (0.1, 1.0, 10.0))


@claim("alternatives-zero", "E9", "E10")
@says(
    "A weight is 0 a billionth above the β of the formula, at twice and at 30 times that, and not a "
    "thousandth below it, for every token but the best of 200 random rows, at five α from 1.1 to 2."
)
@measures("weights on the wrong side of 0", at_most=0)
@fails("with the leads added up without the power", exponent=1.0)
def wrong_sides(exponent=None):
    wrong = 0
    for scores in random_rows(200, seed=0):
        for alpha in (1.1, 1.25, 1.5, 1.75, 2.0):
            sizes = reaches_zero(scores, alpha, exponent)[:, None]  # (n, 1): row i is for token i
            rows, most = np.tile(scores, (len(scores), 1)), np.isinf(sizes[:, 0])
            for part in (0.999, 1 + 1e-9, 2, 30):
                none = np.diag(entmax(rows, alpha=alpha, beta=sizes * part)) == 0
                wrong += ((none != (part > 1)) & ~most).sum()
    return wrong


@claim("alternatives-sparser", "E10")
@says(
    "At β = 10 no token that has weight at an α from 1 to 2 lacks it at a smaller one, in 200 random "
    "rows, by steps of 0.05."
)
@measures("tokens that come back as α grows", at_most=0)
@fails("with β falling like 1/α⁶ meanwhile", beta=lambda alpha: 10 * alpha**-6.0)
def tokens_that_come_back(beta=lambda alpha: 10 + 0 * alpha):
    back, alphas = 0, np.linspace(1, 2, 21)[:, None]
    for scores in random_rows(200, seed=1):
        weights = entmax(np.tile(scores, (21, 1)), alpha=alphas, beta=beta(alphas))
        there = weights > 0
        back += (there[1:] & ~there[:-1]).sum() + np.isnan(weights).sum()
    return back


@claim("alternatives-back", "D5")
@says(
    "The formula gives the slopes of ⟨π, g⟩ in each score, for α = 1, 1¼, 1½ and 2 at β = 2, in 50 random "
    "rows in which no token drops out at a β within 0.002 of that."
)
@measures("largest difference of rate and formula, per point", at_most=1e-5)
@fails("with softmax's formula for all four", order=1.0)
def largest_error_of_slopes(order=None, beta=2.0):
    rng = np.random.default_rng(2)
    for scores in random_rows(50, seed=2):
        g, one = rng.normal(size=len(scores)), np.eye(len(scores))
        for alpha in ORDERS:
            near = alpha > 1 and np.abs(reaches_zero(scores, alpha) - beta).min() < 2e-3
            weigh = lambda x: entmax(x, alpha=alpha, beta=beta)
            if not near:
                rates = slope(lambda x: weigh(scores + x * one) @ g, 0.0, h=1e-6)
                yield rates - back_by_formula(weigh(scores), g, order or alpha, beta)


@claim("alternatives-order")
@says(
    "Under none of the four maps, α = 1, 1¼, 1½ and 2, does a higher score have less weight, at β = ½, 1 "
    "and 3, in 100 random rows."
)
@measures("most by which a higher score's weight is less", at_most=1e-15)
@fails("with β = −1", betas=(-1.0,))
def out_of_order(betas=(0.5, 1.0, 3.0)):
    for (x, alpha), beta in product(cases(), betas):
        yield np.maximum(-np.diff(entmax(np.sort(x), alpha=alpha, beta=beta)), 0)


@claim("alternatives-shift")
@says(
    "Under all four maps none of 20 random numbers, added to all scores, changes a weight, at β = 1, in 100 "
    "random rows."
)
@measures("largest change of a weight", at_most=1e-12)
@fails("with a wave that repeats at each point added to the scores, which 3 points do not show", weigh=wavy)
def change_by_shift(weigh=entmax):
    shifts = np.random.default_rng(8).normal(0, 3, size=(20, 1))
    for x, alpha in cases():
        yield weigh(x + shifts, alpha=alpha) - weigh(x, alpha=alpha)


@claim("alternatives-beta")
@says(
    "Under all four maps weights are even to a millionth at β = 10⁻⁷, and all on the best token to a "
    "millionth at β = 10⁷, in 100 random rows."
)
@measures("largest distance of a weight from these", at_most=1e-6)
@fails("with the positive parts over their sum, in which β cancels", weigh=positive_shares)
def distance_from_ends(weigh=entmax):
    for x, alpha in cases():
        yield weigh(x + 10, alpha=alpha, beta=1e-7) - 1 / len(x)
        yield weigh(x + 10, alpha=alpha, beta=1e7) - hard(x)


@claim("alternatives-masks")
@says(
    "Under all four maps lib gives the weights that it gives with the forbidden keys deleted, and zeros "
    "if none is left, at β = 1, in 100 random rows."
)
@measures("largest difference of two weights", at_most=1e-14)
@fails("with the forbidden weights set to 0 afterwards", weigh=lambda x, a, part: entmax(x, alpha=a) * part)
def difference_from_deleted(weigh=lambda x, a, part: entmax(x, alpha=a, where=part)):
    for x, alpha in cases():
        for left in range(len(x)):
            deleted, part = np.zeros(len(x)), np.arange(len(x)) < left
            deleted[part] = entmax(x[part], alpha=alpha) if left else 0
            yield weigh(x, alpha, part) - deleted


@claim("alternatives-parts", "C7", "D5")
@says(
    "Softmax of scores that are sums of two parts is the product of the softmaxes of the parts, and its "
    "ratios do not change if a token is left out, at β = 1, in 100 random rows."
)
@measures("largest difference of two weights", at_most=1e-14)
@fails("with entmax at α = 1¼", orders=(1.25,))
def dependence(orders=(1.0,)):
    for x, alpha in cases(orders):
        grid = entmax(np.add.outer(x, s).ravel(), alpha=alpha).reshape(-1, 7)
        yield grid - np.outer(entmax(x, alpha=alpha), entmax(s, alpha=alpha))
        whole, fewer = entmax(x, alpha=alpha)[:-1], entmax(x[:-1], alpha=alpha)
        yield whole - whole.sum() * fewer


@claim("alternatives-merge")
@says(
    "Scores and values of the tokens with weight in two parts are enough for the output of the whole, at "
    "α = 1¼, 1½ and 2 and β = 1, in 100 random rows with random values."
)
@measures("largest difference of two outputs", at_most=1e-13)
@fails("with the best token of each part alone", kept=the_best_alone)
def difference_of_merged(kept=lambda weights: weights > 0):
    values = np.random.default_rng(4).normal(size=9)  # as many as the longest row has tokens
    for x, alpha in cases(ORDERS[1:]):
        v = values[: len(x)]
        yield in_parts(x, v, len(x) // 2, alpha, kept) - entmax(x, alpha=alpha) @ v


@claim("alternatives-trained", "D5")
@says(
    "With each of the three maps the head learns the task, at each of eight seeds: 200 steps of Adam "
    "leave less than a fifth of the error of even weights."
)
@measures("largest error, as a part of that of even weights", at_most=0.2)
@fails("with the matrix that it began with", steps=0)
def largest_error_left(steps=200):
    return largest(error_after_training(weights, steps, seed) for weights in MAPS for seed in SEEDS)
