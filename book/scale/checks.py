"""The checks of the chapter *scale*."""

from itertools import permutations

import numpy as np

from book.claims import claim, fails, largest, measures, says, smallest
from book.example import s
from book.figures.random_queries import WIDTHS, random_rows
from book.scale.dropout import dropped, noise
from book.scale.remedies import least_loss_alike, stuck_alone
from book.scale.sensitivity import (
    loss_gradients,
    loss_ratio,
    product_variance,
    pull_of_two,
    share_of_loudest,
    starting_spread,
    times_undivided,
)
from book.scale.training import even_loss, first_gradients, least_loss, stuck, train, train_two, unsure
from lib import softmax, softmax_jacobian

MANY = 20_000  # queries: the median of the loss's gradient is noisy where values are single numbers


def median_pull(d, scale):
    """The median of the largest possible pulls."""
    return np.median(random_rows(d, scale).pull)


def ratio_at_first(n, width):
    """The median gradient of the loss before training, undivided over divided."""
    return np.median(first_gradients(1.0, n, width)) / np.median(first_gradients(1 / 8, n, width))


sink, printed = np.array([0.0, 1.0, 1.0, 1.0]), np.array([0.999, 0.0003, 0.0003, 0.0003])


@claim("scale-variance", "C6", "E7")
@says("The variance of q·k is d for independent components of mean 0 and variance 1, also skewed ones.")
@measures("largest relative error of d, exact sums, d to 512", at_most=1e-9)
@fails("with components of mean ½", mean=0.5)
def largest_relative_gap(mean=0.0):
    return largest(abs(product_variance(d, mean) / d - 1) for d in (16, 64, 512))


@claim("scale-start", "C6", "E7")
@says(
    "For inputs of variance 1, divided scores start with a spread of ½ in torch's default "
    "MultiheadAttention, of ⅓ with two Linear layers."
)
@measures("larger distance of the two spreads from ½ and ⅓, in points", at_most=0.02)
@fails("with the two exchanged", wanted=(1 / 3, 1 / 2))
def distance_from_start(wanted=(1 / 2, 1 / 3)):
    found = [starting_spread(layer) for layer in ("MultiheadAttention", "Linear")]
    return np.abs(np.subtract(found, wanted)).max()


@claim("scale-larger", "E7")
@says(
    "At d = 64, with 16 keys and components of variance 1 or ½, the median of the largest possible pulls is "
    "over 3 times as large without the division."
)
@measures("smaller ratio of the two, median undivided over divided", at_least=3)
@fails("at d = 512", d=512)
def times_as_large(d=64):
    return smallest([median_pull(d, "undivided") / median_pull(d, "divided"), times_undivided(d, variance=1 / 2)])


@claim("scale-falls", "E7")
@says(
    "With 16 keys and variance 1 the median of the largest possible pulls is larger without the division from "
    "d = 4 to 96, and smaller from 256 to 512."
)
@measures("least factor by which it is so, over the widths of the figure", at_least=1)
@fails("with the mean for the median", middle=np.mean)
def least_factor(middle=np.median):
    ratios = {d: middle(random_rows(d, "undivided").pull) / middle(random_rows(d, "divided").pull) for d in WIDTHS}
    return smallest([x for d, x in ratios.items() if d <= 96] + [1 / x for d, x in ratios.items() if d >= 256])


@claim("scale-steady", "E7")
@says(
    "With the division, with 16 keys and variance 1, the median of the largest possible pulls keeps its size "
    "from d = 4 to 512, to 15%."
)
@measures("largest over smallest median", at_most=1.15)
@fails("without the division", scale="undivided")
def change_over_widths(scale="divided"):
    medians = [median_pull(d, scale) for d in WIDTHS]
    return largest(medians) / smallest(medians)


@claim("scale-few", "E7")
@says(
    "At d = 512, with 16 keys and values of one number, a tenth of the queries has more than half of the sum of "
    "all gradients of the loss without the division."
)
@measures("share of the largest tenth in the sum", at_least=0.5)
@fails("with the division", scale="divided")
def share_of_tenth(scale="undivided"):
    return share_of_loudest(loss_gradients(512)[scale, 1])


@claim("scale-loss", "E7")
@says(
    "At d = 64 the median gradient of the loss is larger without the division with 16 keys, by over a fifth where "
    "values are single numbers and over 4 times where they have 64; with 7 keys and single numbers it is smaller, "
    "at most 0.6 times as large."
)
@measures("least factor by which one of the three bounds is kept", at_least=1)
@fails("with the mean for the median", middle=np.mean)
def least_factor_of_loss(middle=np.median):
    ratio = lambda n, width: loss_ratio(64, n, width, middle, runs=MANY)
    return smallest([ratio(16, 1) / 1.2, ratio(16, 64) / 4, 0.6 / ratio(7, 1)])


@claim("scale-wide", "E7")
@says(
    "At d = 512, with 16 keys, three medians are less than a fifth as large without the division: of the largest "
    "possible pull, and of the gradient of the loss for values of 1 and of 64 numbers."
)
@measures("largest of the three ratios, undivided over divided", at_most=0.2)
@fails("with the means for the medians", middle=np.mean)
def largest_ratio_when_wide(middle=np.median):
    pulls = [middle(random_rows(512, scale).pull) for scale in ("undivided", "divided")]
    return largest([np.divide(*pulls), *(loss_ratio(512, 16, width, middle) for width in (1, 64))])


@claim("scale-mean", "E7")
@says(
    "The mean gradient of the loss is larger without the division, by over a half, at d = 4, 16, 64, 128 and "
    "512, for 16 keys and values of 1, 16 and 64 numbers."
)
@measures("least ratio, mean undivided over divided", at_least=1.5)
@fails("with the median for the mean", middle=np.median)
def least_ratio_of_means(middle=np.mean):
    return smallest(loss_ratio(d, 16, width, middle) for d in (4, 16, 64, 128, 512) for width in (1, 16, 64))


@claim("scale-here", "E7")
@says(
    "In the first experiment, with 7 keys and values of one number, the median gradient of the loss is at first "
    "less than half as large without the division."
)
@measures("ratio of the medians, undivided over divided", at_most=0.5)
@fails("with 16 keys and values of 16 numbers, as in the second", n=16, width=16)
def ratio_here(n=7, width=1):
    return ratio_at_first(n, width)


@claim("scale-there", "E7")
@says(
    "In the second experiment, with 16 keys and values of 16 numbers, the median gradient of the loss is at first "
    "over 3 times as large without the division."
)
@measures("ratio of the medians, undivided over divided", at_least=3)
@fails("with 7 keys and values of one number, as in the first", n=7, width=1)
def ratio_there(n=16, width=16):
    return ratio_at_first(n, width)


@claim("scale-two")
@says("With two keys the largest possible pull is √2 β π₁π₂ times the distance of the keys, in 200 random rows.")
@measures("largest relative error", at_most=1e-9)
@fails("with 2 in place of √2", factor=2 / 2**0.5)
def largest_error_for_two(factor=1.0):
    draw = np.random.default_rng(6)
    for d in (2, 8, 64, 512):
        for q, *k in draw.normal(size=(50, 3, d)):
            k, beta = np.stack(k), d**-0.5
            found = np.linalg.norm(beta * softmax_jacobian(softmax(k @ q, beta)) @ k, 2)
            yield abs(factor * pull_of_two(q, k, beta) / found - 1)


@claim("scale-step", "C4", "C7", "E13")
@says(
    "A run at β retraces the run at 1: with one matrix by steps β²η (Adam: βη) from β times the start, "
    "with two by βη (Adam: √β η) from √β times."
)
@measures("largest difference of an entry of βW after 20 steps", at_most=1e-9)
@fails("with the powers exchanged", plain=1, adam=2, two=0.5, adam_two=1)
def distance_of_runs(plain=2, adam=1, two=1, adam_two=0.5):
    beta = np.array([0.1, 0.3, 0.6])
    for power, step, kind in ((plain, 0.1, False), (adam, 0.01, True)):
        at_beta, at_one = train(beta, step, 1, 20, kind)[1], train(1, beta**power * step, beta, 20, kind)[1]
        yield at_beta - at_one
    for power, step, kind in ((two, 0.1, False), (adam_two, 0.01, True)):
        at_beta, at_one = train_two(beta, step, 1, 20, kind), train_two(1, beta**power * step, beta**0.5, 20, kind)
        yield at_beta - at_one


@claim("scale-stuck", "C4", "C6", "C7", "E7")
@says(
    "In the first experiment, at d = 64, training without the division ends with over 10 times the loss that "
    "it leaves with it, each with the best of ten step sizes."
)
@measures("ratio of the losses after 100 steps", at_least=10)
@fails("from an eighth of 1/√d", sharper=1 / 8)
def loss_when_sharp(sharper=8.0):
    return least_loss(sharper / 8) / least_loss(1 / 8)


@claim("scale-second", "C6", "E7")
@says(
    "With 16 keys and values of 16 numbers, too, training without the division ends with over 10 times the loss "
    "that it leaves with it, each with the best of ten step sizes."
)
@measures("ratio of the losses after 100 steps", at_least=10)
@fails("from an eighth of 1/√d", sharper=1 / 8)
def loss_when_sharp_again(sharper=8.0):
    return least_loss(sharper / 8, 16, 16) / least_loss(1 / 8, 16, 16)


def gradient_of_the_sure(beta=1.0, **task):
    """Of the queries that are wrong before training: the median gradient of the sure ones, over the others'."""
    gradients = first_gradients(beta, **task)
    return np.divide(*(np.median(gradients[who(beta, trained=False, **task)]) for who in (stuck, unsure)))


@claim("scale-sure", "E7")
@says(
    "Without the division, of the queries whose output is off by more than ½ at first, those with over nine "
    "tenths of their weight on one token have a median gradient less than a twentieth as large as the others "
    "in the first experiment, and less than a seventh as large in the second."
)
@measures("larger ratio of the two medians, sure over not sure, in parts of its bound", at_most=1)
@fails("from twice 1/√d in place of 8 times", beta=1 / 4)
def largest_gradient_of_the_sure(beta=1.0):
    return largest([20 * gradient_of_the_sure(beta), 7 * gradient_of_the_sure(beta, n=16, width=16)])


@claim("scale-adam", "E14")
@says(
    "In the first experiment without the division, at least nine tenths as many queries are sure and wrong after "
    "Adam's steps as after plain ones, each with the best of its step sizes."
)
@measures("ratio of the two numbers of queries, Adam over plain", at_least=0.9)
@fails("where Adam moves the scores of each query by themselves, and no matrix is shared", freed=stuck_alone)
def left_by_adam(freed=lambda beta: stuck(beta, adam=True)):
    return freed(1.0).mean() / stuck(1.0).mean()


@claim("scale-adam-loss", "E7")
@says(
    "With Adam, too, training without the division ends in the first experiment with over 10 times the loss that "
    "it leaves with it, each with the best of twelve step sizes."
)
@measures("ratio of the losses after 100 steps", at_least=10)
@fails("from an eighth of 1/√d", sharper=1 / 8)
def loss_of_adam_when_sharp(sharper=8.0):
    return least_loss(sharper / 8, adam=True) / least_loss(1 / 8, adam=True)


@claim("scale-alike", "E7")
@says(
    "With the gradients of all queries made equally long at each step, training without the division leaves less "
    "than a tenth of the loss in the first experiment that plain steps leave with it."
)
@measures("ratio of the losses after 100 steps", at_most=0.1)
@fails("in the second experiment, with 16 keys and values of 16 numbers", n=16, width=16)
def loss_when_alike(n=7, width=1):
    return least_loss_alike(1.0, n, width) / least_loss(1 / 8, n, width)


@claim("scale-alike-second", "E7")
@says(
    "With the gradients of all queries made equally long at each step, training without the division leaves over "
    "two fifths of the loss of even weights in the second experiment."
)
@measures("ratio of the losses", at_least=0.4)
@fails("with the division", beta=1 / 8)
def loss_when_alike_again(beta=1.0):
    return least_loss_alike(beta, 16, 16) / even_loss(16, 16)


@claim("scale-flat", "C6", "E7")
@says(
    "In the first experiment training from 1/4, 1/8 and 1/16 of 1/√d ends with no more loss than from 1/√d, "
    "each with the best of ten step sizes."
)
@measures("largest ratio of the losses after 100 steps", at_most=1)
@fails("from 4, 8 and 16 times 1/√d", times=(4, 8, 16))
def loss_when_flat(times=(1 / 4, 1 / 8, 1 / 16)):
    return largest(least_loss(x / 8) for x in times) / least_loss(1 / 8)


@claim("scale-printed", "E13")
@says("Each losing weight of [10, 0.1, 0.1, 0.1] is more than 5 times smaller than printed.")
@measures("printed weight over softmax's", at_least=5)
@fails("with a best score of 8.2 in place of 10", best=8.2)
def times_too_large(best=10.0):
    return (printed / softmax(np.array([best, 0.1, 0.1, 0.1])))[1:].min()


@claim("scale-noise", "E13")
@says("Dropout adds ρ/(1 − ρ) Σ πᵢ²vᵢ² to the expected squared error, over all ways in which it can fall.")
@measures("difference of the two sides", at_most=1e-14)
@fails("with πᵢ in place of its square", power=1)
def error_of_price(power=2, rate=0.1, target=0.3):
    values, weights = np.random.default_rng(4).normal(size=len(s)), softmax(s)
    left, chances = dropped(weights, rate)
    expected = chances @ (left @ values - target) ** 2
    return abs(expected - (weights @ values - target) ** 2 - rate / (1 - rate) * (weights**power @ values**2))


@claim("scale-prefers", "E13")
@says(
    "No weights get less noise from dropout than those in proportion to 1/v², of 2000 random rows and "
    "those near by."
)
@measures("least noise of the others, over that of 1/v²", at_least=1)
@fails("than weights in proportion to 1/|v|", power=1)
def least_noise_of_others(power=2):
    draw, ratios = np.random.default_rng(5), []
    for values in draw.normal(size=(20, 4)):
        best = abs(values) ** -float(power) / (abs(values) ** -float(power)).sum()
        moves = [
            best + best[[a, b]].min() / 2 * (np.eye(4)[a] - np.eye(4)[b]) for a, b in permutations(range(4), 2)
        ]
        ratios += [noise(row, values) / noise(best, values) for row in [*draw.dirichlet(np.ones(4), 100), *moves]]
    return smallest(ratios)


@claim("scale-cubed")
@says(
    "Where tokens differ little, attention alone leaves the cube of the difference: of 20 random layers each "
    "makes a difference that is ten times smaller about a thousand times smaller."
)
@measures("least power of the difference that is left", at_least=2.9)
@fails("with the output added to the tokens", stream=True)
def least_power(stream=False):
    rng, found = np.random.default_rng(0), []
    for mean, apart, w, w_v in zip(
        *rng.normal(size=(2, 20, 5, 5)), *rng.normal(size=(2, 20, 5, 5)) / 5, strict=True
    ):
        sizes = []
        for size in (1e-2, 1e-3):
            h = mean[0] + size * apart  # (n, d)
            out = softmax(h @ w @ h.T) @ h @ w_v + stream * h
            sizes.append(np.linalg.norm(out - out.mean(axis=0)))
        found.append(np.log10(sizes[0] / sizes[1]))
    return smallest(found)
