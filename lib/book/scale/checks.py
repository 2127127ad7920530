"""The checks of the chapter *scale*."""

import numpy as np

from lib import softmax
from lib.book.claims import claim, largest, smallest
from lib.book.example import SCORES
from lib.book.scale.dropout import dropped, noise
from lib.book.scale.sensitivity import product_variance, share_of_loudest, starting_spread, times_undivided
from lib.book.scale.training import least_loss, train, train_two
from lib.figures.random_queries import WIDTHS, random_rows

s = np.array(SCORES)  # (n,), divided already


def typical(d, scale):
    """The gradient of the query in the middle."""
    return np.median(random_rows(d, scale).gradient)


sink, printed = np.array([0.0, 1.0, 1.0, 1.0]), np.array([0.999, 0.0003, 0.0003, 0.0003])


@claim(
    "scale-variance",
    "The variance of q·k is d for independent components of mean 0 and variance 1, also skewed ones.",
    measures="largest relative error of d, exact sums, d to 512",
    source=("C6", "E7"),
    at_most=1e-9,
    counter={"mean": 0.5},
    counter_says="with components of mean ½",
)
def largest_relative_gap(mean=0.0):
    return largest(abs(product_variance(d, mean) / d - 1) for d in (16, 64, 512))


@claim(
    "scale-start",
    "For inputs of variance 1, divided scores start with a spread of ½ in torch's default "
    "MultiheadAttention, of ⅓ with two Linear layers.",
    measures="larger distance of the two spreads from ½ and ⅓, in points",
    source=("C6", "E7"),
    at_most=0.02,
    counter={"wanted": (1 / 3, 1 / 2)},
    counter_says="with the two exchanged",
)
def distance_from_start(wanted=(1 / 2, 1 / 3)):
    found = [starting_spread(layer) for layer in ("MultiheadAttention", "Linear")]
    return np.abs(np.subtract(found, wanted)).max()


@claim(
    "scale-larger",
    "At d = 64, with 16 keys and components of variance 1 or ½, the median gradient is over 3 times as "
    "large without the division.",
    measures="smaller ratio of the two, median gradient undivided over divided",
    source=("C6", "E7"),
    at_least=3,
    counter={"d": 512},
    counter_says="at d = 512",
)
def times_as_large(d=64):
    return smallest([typical(d, "undivided") / typical(d, "divided"), times_undivided(d, variance=1 / 2)])


@claim(
    "scale-falls",
    "With 16 keys and variance 1 the median gradient is larger without the division from d = 4 to 96, and "
    "smaller from 256 to 512.",
    measures="least factor by which it is so, over the widths of the figure",
    source=("C6", "E7"),
    at_least=1,
    counter={"middle": np.mean},
    counter_says="with the mean for the median",
)
def least_factor(middle=np.median):
    ratios = {
        d: middle(random_rows(d, "undivided").gradient) / middle(random_rows(d, "divided").gradient)
        for d in WIDTHS
    }
    return smallest([x for d, x in ratios.items() if d <= 96] + [1 / x for d, x in ratios.items() if d >= 256])


@claim(
    "scale-steady",
    "With the division, with 16 keys and variance 1, the median gradient keeps its size from d = 16 to "
    "512, to 15%.",
    measures="largest over smallest median gradient",
    source=("C6", "E7"),
    at_most=1.15,
    counter={"scale": "undivided"},
    counter_says="without the division",
)
def change_over_widths(scale="divided"):
    medians = [typical(d, scale) for d in WIDTHS if d >= 16]
    return largest(medians) / smallest(medians)


@claim(
    "scale-few",
    "At d = 512, with 16 keys and variance 1, a tenth of the queries has more than half of the sum of all "
    "gradients without the division.",
    measures="share of the largest tenth in the sum",
    source=("C6", "E7"),
    at_least=0.5,
    counter={"scale": "divided"},
    counter_says="with the division",
)
def share_of_tenth(scale="undivided"):
    return share_of_loudest(random_rows(512, scale).gradient)


@claim(
    "scale-step",
    "A run at β retraces the run at 1: with one matrix by steps β²η (Adam: βη) from β times the start, "
    "with two by βη (Adam: √β η) from √β times.",
    measures="largest difference of an entry of βW after 20 steps",
    source=("C4", "C7", "E13"),
    at_most=1e-9,
    counter={"plain": 1, "adam": 2, "two": 0.5, "adam_two": 1},
    counter_says="with the powers exchanged",
)
def distance_of_runs(plain=2, adam=1, two=1, adam_two=0.5):
    beta, apart = np.array([0.1, 0.3, 0.6]), []
    for power, step, kind in ((plain, 0.1, False), (adam, 0.01, True)):
        at_beta, at_one = train(beta, step, 1, 20, kind)[1], train(1, beta**power * step, beta, 20, kind)[1]
        apart.append(abs(at_beta - at_one).max())
    for power, step, kind in ((two, 0.1, False), (adam_two, 0.01, True)):
        at_beta, at_one = train_two(beta, step, 1, 20, kind), train_two(1, beta**power * step, beta**0.5, 20, kind)
        apart.append(abs(at_beta - at_one).max())
    return largest(apart)


@claim(
    "scale-stuck",
    "In this experiment, at d = 64, training without the division ends with over 10 times the loss that "
    "it leaves with it, each with the best of ten step sizes.",
    measures="ratio of the losses after 100 steps",
    source=("C4", "C6", "C7", "E7"),
    at_least=10,
    counter={"sharper": 1 / 8},
    counter_says="from an eighth of 1/√d",
)
def loss_when_sharp(sharper=8.0):
    return least_loss(sharper / 8) / least_loss(1 / 8)


@claim(
    "scale-flat",
    "In this experiment training from 1/4, 1/8 and 1/16 of 1/√d ends with no more loss than from 1/√d, "
    "each with the best of ten step sizes.",
    measures="largest ratio of the losses after 100 steps",
    source=("C6", "E7"),
    at_most=1,
    counter={"times": (4, 8, 16)},
    counter_says="from 4, 8 and 16 times 1/√d",
)
def loss_when_flat(times=(1 / 4, 1 / 8, 1 / 16)):
    return largest(least_loss(x / 8) for x in times) / least_loss(1 / 8)


@claim(
    "scale-printed",
    "Each losing weight of [10, 0.1, 0.1, 0.1] is more than 5 times smaller than printed.",
    measures="printed weight over softmax's",
    source="E13",
    at_least=5,
    counter={"best": 8.2},
    counter_says="with a best score of 8.2 in place of 10",
)
def times_too_large(best=10.0):
    return (printed / softmax(np.array([best, 0.1, 0.1, 0.1])))[1:].min()


@claim(
    "scale-noise",
    "Dropout adds ρ/(1 − ρ) Σ πᵢ²vᵢ² to the expected squared error, over all ways in which it can fall.",
    measures="difference of the two sides",
    source="E13",
    at_most=1e-14,
    counter={"power": 1},
    counter_says="with πᵢ in place of its square",
)
def error_of_price(power=2, rate=0.1, target=0.3):
    values, weights = np.random.default_rng(4).normal(size=len(s)), softmax(s)
    left, chances = dropped(weights, rate)
    expected = chances @ (left @ values - target) ** 2
    return abs(expected - (weights @ values - target) ** 2 - rate / (1 - rate) * (weights**power @ values**2))


@claim(
    "scale-prefers",
    "No weights get less noise from dropout than those in proportion to 1/v², of 2000 random rows and "
    "those near by.",
    measures="least noise of the others, over that of 1/v²",
    source="E13",
    at_least=1,
    counter={"power": 1},
    counter_says="than weights in proportion to 1/|v|",
)
def least_noise_of_others(power=2):
    draw, ratios = np.random.default_rng(5), []
    for values in draw.normal(size=(20, 4)):
        best = abs(values) ** -float(power) / (abs(values) ** -float(power)).sum()
        moves = [
            best + smallest([best[a], best[b]]) / 2 * (np.eye(4)[a] - np.eye(4)[b])
            for a in range(4)
            for b in range(4)
            if a != b
        ]
        ratios += [noise(row, values) / noise(best, values) for row in [*draw.dirichlet(np.ones(4), 100), *moves]]
    return smallest(ratios)
