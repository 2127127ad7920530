"""The checks of the chapter *divergences*."""

from functools import cache
from itertools import product

import numpy as np

from book.claims import claim, fails, largest, measures, says, smallest
from book.divergences.derivations import (
    first_given_mean,
    gaussian_smoother,
    mutual_information,
    power_weights,
    product_of_margins,
    still_to_gain,
)
from book.example import n, s, u
from book.other_divergences import chi_squared, total_variation
from book.solver import maximise
from lib import entropy, kl_divergence, softmax, sparsemax

a = np.array([0.0, 0.4, 1.0])  # (3,)
b = np.array([-0.3, 0.4, 0.9, 0.2, 0.6])  # (5,)
rng = np.random.default_rng(1)
cases = [
    (rng.normal(size=3), rng.normal(size=5), rng.dirichlet(np.full(3, 5)), rng.dirichlet(np.full(5, 5)))
    for _ in range(5)
]


@cache
def best_of_two_parts(divergence):
    """For each case and β = ½, 1 and 2 the weights that are best under a divergence; with the β and the case."""
    found = []
    for case, beta in product(cases, (0.5, 1, 2)):
        first, second, one, other = case
        score, null = np.add.outer(first, second).ravel(), np.outer(one, other).ravel()
        best = maximise(lambda p: p @ score - divergence(p, null) / beta, 15).reshape(3, 5)
        found.append((best, beta, case))
    return found


@claim("divergences-squares", "A10")
@says(
    "Under squares, and for scores of two parts, the weights of two kinds differ at every place by β times the "
    "gap of their parts, for 1000 random rows in which no weight is 0."
)
@measures(
    "largest deviation of a difference of two weights (infinity if there are not 1000 such rows)", at_most=1e-12
)
@fails("with softmax, which pays for KL", rule=softmax)
def largest_gap_of_differences(rule=sparsemax):
    random, gaps = np.random.default_rng(3), []
    for _ in range(100_000):
        first, second, beta = random.normal(size=3), random.normal(size=5), random.uniform(0.01, 0.2)
        best = rule(np.add.outer(first, second).ravel(), beta).reshape(3, 5)
        if best.min() > 0:
            gaps.append(abs(best[0] - best[1] - beta * (first[0] - first[1])).max())
        if len(gaps) == 1000:
            return largest(gaps)
    return np.inf


@claim("divergences-split", "A10")
@says(
    "KL is the divergences of the two margins plus mutual information, for 10\u202f000 random weights, half of "
    "them with a 0, and as many random nulls of two parts."
)
@measures("largest difference of the two sides, nats", at_most=1e-12)
@fails("with the mutual information left out", with_information=0)
def largest_gap_of_split(with_information=1, runs=10_000):
    random = np.random.default_rng(2)
    for k, p in enumerate(random.dirichlet(np.full(15, 0.5), size=runs).reshape(-1, 3, 5)):
        if k % 2:
            p = np.where(p == p.max(), 0, p) / (1 - p.max())
        first, second = random.dirichlet(np.full(3, 5)), random.dirichlet(np.full(5, 5))
        split = kl_divergence(p.sum(axis=1), first) + kl_divergence(p.sum(axis=0), second)
        split += with_information * mutual_information(p)
        yield kl_divergence(p.ravel(), np.outer(first, second).ravel()) - split


@claim("divergences-independent", "A10")
@says(
    "Under KL the best weights, by the solver of the earlier chapter, are the product of their margins, for "
    "five random scores and nulls of two parts, each at β = ½, 1 and 2."
)
@measures("largest difference of a weight from that product", at_most=1e-6)
@fails("with χ² in the place of KL, for scores further apart than above", divergence=chi_squared)
def dependence(divergence=kl_divergence):
    return largest(abs(best - product_of_margins(best)).max() for best, *_ in best_of_two_parts(divergence))


def crooked(p, null):
    """The f-divergence with the slope log x + 0.4 (x² − 4x), which rises for every x > 0."""
    x = p / null
    return float(null @ (x * np.log(x) - x + 0.4 * (x**3 / 3 - 2 * x**2)))


@claim("divergences-small", "A10")
@says(
    "With two words, two sentences and equal nulls, the best weights under another smooth f-divergence are the "
    "product of their margins too, for thirty random scores, and at every β up to 5 a weight of theirs differs by "
    "more than 0.002 from softmax."
)
@measures(
    "largest difference of a weight from that product (infinity if softmax comes as near as 0.002)", at_most=1e-6
)
@fails("with a null that gives the first word 0.7", first_share=0.7)
def dependence_of_two_by_two(first_share=0.5, runs=30):
    random = np.random.default_rng(7)
    null = np.outer([first_share, 1 - first_share], [0.5, 0.5]).ravel()
    for _ in range(runs):
        words, sentences = random.uniform(0.5, 2, size=2)
        scores = np.array([words + sentences, words, sentences, 0.0])
        best = maximise(lambda p, scores=scores: p @ scores - crooked(p, null), 4)
        near = abs(softmax(scores, np.linspace(0, 5, 501)[:, None], prior=null) - best).max(axis=1).min()
        tie = abs(best.reshape(2, 2) - product_of_margins(best.reshape(2, 2))).max()
        yield tie if near > 0.002 else np.inf


@claim("divergences-three", "A10")
@says(
    "With three words, two sentences and equal nulls, the best weights under that f-divergence are no product of "
    "their margins, for the words’ parts 2, 1, 0 and the sentences’ parts 1½ and 0."
)
@measures("largest difference of a weight from that product", at_least=0.01)
@fails("with two words", words=(2.0, 0.0))
def dependence_of_words(words=(2.0, 1.0, 0.0)):
    scores = np.add.outer(words, [1.5, 0.0])
    null = np.full(scores.size, 1 / scores.size)
    best = maximise(lambda p: p @ scores.ravel() - crooked(p, null), scores.size).reshape(scores.shape)
    return abs(best - product_of_margins(best)).max()


@claim("divergences-parts", "A10")
@says(
    "Under KL each margin of these best weights is the softmax of its own part, at the same β and with "
    "its own null."
)
@measures("largest difference of a margin and softmax", at_most=1e-6)
@fails("with twice KL in the place of KL", divergence=lambda p, null: 2 * kl_divergence(p, null))
def distance_of_margins(divergence=kl_divergence):
    for best, beta, (first, second, one, other) in best_of_two_parts(divergence):
        yield best.sum(axis=1) - softmax(first, beta, prior=one)
        yield best.sum(axis=0) - softmax(second, beta, prior=other)


@claim("divergences-only", "A10")
@says(
    "Of the power divergences of order 0 to 2.5, by 0.05, KL alone has a product as its best weights, at "
    "β = ½, for the two parts above and for five random ones."
)
@measures(
    "least distance of the best weights from the product of their margins, in one weight, for the other orders",
    at_least=1e-4,
)
@fails("with order 1, which is KL and has a product", orders=[1.0])
def least_distance(orders=np.setdiff1d(np.linspace(0, 2.5, 51).round(2), [1.0])):
    found = []
    for first, second, one, other in [(a, b, np.full(3, 1 / 3), np.full(5, 1 / 5)), *cases]:
        for order in orders:
            problem = np.add.outer(first, second).ravel(), np.outer(one, other).ravel(), 0.5, order
            best = power_weights(*problem)
            assert still_to_gain(best, *problem) < 1e-6, "not the best weights"
            found.append(abs(best.reshape(3, 5) - product_of_margins(best.reshape(3, 5))).max())
    return smallest(found)


@claim("divergences-functions", "A10")
@says(
    "Under KL², e^KL − 1 and log(1 + KL) the solver lands on softmax, at β over the slope of the "
    "function, for β = ½, 1 and 2 and two nulls."
)
@measures("largest difference of two weights", at_most=1e-5)
@fails("with β left as it is", slopes=(lambda k: 1.0,) * 3)
def largest_gap_of_functions(slopes=(lambda k: 2 * k, np.exp, lambda k: 1 / (1 + k))):
    for function, slope in zip((np.square, np.expm1, np.log1p), slopes, strict=True):
        for beta, null in product((0.5, 1, 2), (u, np.array([1, 4, 2, 6, 1, 4, 2]) / 20)):
            best = maximise(lambda p: p @ s - function(kl_divergence(p, null)) / beta, n)
            yield best - softmax(s, beta / slope(kl_divergence(best, null)), prior=null)


@claim("divergences-jaynes", "A10")
@says(
    "Among weights with a given expected score, the solver's largest entropy lands on softmax, for four "
    "values of that score, one of them below that of equal weights."
)
@measures("largest difference of two weights", at_most=1e-6)
@fails("with minus the sum of squares in the place of entropy", spread=lambda p: -(p @ p))
def largest_gap_of_entropy(spread=entropy):
    for beta in (-0.5, 0.3, 1.0, 3.0):
        goal = softmax(s, beta)
        yield maximise(spread, n, lambda p, b=beta, c=goal @ s: np.sign(b) * (p @ s - c)) - goal


@claim("divergences-conditioned", "A10")
@says(
    "Given a high mean score of m tokens from u, the first is distributed as softmax with that mean, up "
    "to 2.5/m in total variation, for m = 100, 300 and 1000 and three means."
)
@measures("largest m times total variation between the two", at_most=2.5)
@fails("with softmax at 1.1 times that β", factor=1.1)
def distance_of_conditioned(factor=1.0):
    for beta, m in product((0.25, 0.5, 1.0), (100, 300, 1000)):
        first = first_given_mean(s, u, m, softmax(s, beta) @ s)
        yield m * total_variation(first, softmax(s, factor * beta))


@claim("divergences-kernel", "A10")
@says(
    "Gaussian kernel weights are softmax of the products with the null e^(−β‖k‖²/2), for five keys of "
    "different lengths, at β = ¼, 1 and 4."
)
@measures("largest difference of two weights", at_most=1e-13)
@fails("with the lengths left out and keys of different length", null=lambda keys, beta: None)
def largest_gap_of_smoother(null=lambda keys, beta: np.exp(-beta / 2 * (keys**2).sum(axis=1))):
    for beta in (0.25, 1.0, 4.0):
        query, *keys = np.random.default_rng(8).normal(size=(6, 3))
        keys = np.array(keys)  # (5, 3)
        yield gaussian_smoother(query, keys, beta) - softmax(keys @ query, beta, prior=null(keys, beta))
