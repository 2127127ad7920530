"""The exercises of the chapter *experiments*."""

import math

import numpy as np

from book.judging import Exercise, number, show
from lib import softmax

FEW, MANY, LEAD = 16, 4096, 3.0
AGREE = 5
RARE = 1 / 1000


def _best_of(size, beta):
    scores = np.zeros(size)
    scores[0] = LEAD
    return softmax(scores, beta)[0]


def _among_many():
    """The weight of the best of MANY, at a β that is 1 among FEW and grows with the logarithm."""
    return _best_of(MANY, math.log(MANY) / math.log(FEW))


def _odds(weight):
    if not 0 < weight < 1:
        return f"a weight of softmax is above 0 and below 1; {show(weight)} is not"
    odds = (1 - weight) / weight
    return f"with {show(weight)} the rivals have together {show(odds)} times the weight of the best"


GROWING = Exercise(
    f"The best leads each rival by {LEAD:g} points, and β = log n / log {FEW}: what is its weight among {MANY}?",
    number(
        _among_many,
        _odds,
        slips=[(_best_of(MANY, 1), "that is with β still 1"), (_best_of(FEW, 1), f"that is among {FEW}")],
    ),
    f"{MANY} is {FEW}³, so β is 3, and each rival has e to the −9 of the weight of the best.",
    f"How many times the logarithm of {FEW} is that of {MANY}? Then count the rivals.",
)


def _share():
    """The weight of one of AGREE, the others being equal, at which the variance is one half."""
    others = AGREE - 1
    a, b, c = 1 + 1 / others, -2 / others, 1 / others - 0.5
    return (-b + math.sqrt(b * b - 4 * a * c)) / (2 * a)


def _variance(weight):
    rest = (1 - weight) / (AGREE - 1)
    return f"with {show(weight)} the variance is {show(weight**2 + (AGREE - 1) * rest**2)}"


AVERAGING = Exercise(
    f"{AGREE} values say the same, each with noise of variance 1: with which weight above {1 / AGREE:g} of one of "
    "them, the others alike, is it ½ in the output?",
    number(
        _share,
        _variance,
        slips=[(2 / AGREE - _share(), "the equation has that root too, and asked is one above a fifth")],
    ),
    "The variance is the sum of the squares of the weights.",
    "If one has x, each of the others has (1 − x)/4. What is the sum of the squares?",
)


def _seeds():
    """How many seeds have to agree until chance does so less than once in 1000 times."""
    return next(k for k in range(1, 100) if 2 * 0.5**k < RARE)


SEEDS = Exercise(
    "Two maps are truly alike: how many seeds does it take until all of them favour the same map less than once "
    "in 1000 times?",
    number(
        _seeds,
        lambda k: f"with {show(k)} seeds chance does so once in {show(2 ** min(max(k, 1), 60) / 2)} times",
        rtol=0,
        slips=[(_seeds() - 1, "that is for a map that is named beforehand, and here either will do")],
    ),
    "The first seed favours one of the two; each further one agrees with a chance of one half.",
    "Whatever the first seed says, with which chance do all others say the same?",
)

EXERCISES = [GROWING, AVERAGING, SEEDS]
