"""The exercises of the chapter *numerics*."""

import math

import numpy as np

from book.judging import Exercise, function, number, row, show
from lib import entropy, softmax

TEN = float(np.float16(math.exp(10)))  # e^10 in float16
LARGEST = float(np.finfo(np.float16).max)


def _first_infinite():
    return next(n for n in range(1, 100) if np.isinf(np.float16(n * TEN)))


HOW_MANY_TENS = Exercise(
    "All scores are 10, in float16 and without the shift. From how many tokens on is the sum infinite?",
    number(
        lambda: float(_first_infinite()),
        lambda n: f"{show(n)} times {TEN:g} is {show(n * TEN)}, and the largest number is {LARGEST:g}",
        rtol=0,
        slips=[(2, "two still fit")],
    ),
    f"Two make {2 * TEN:g}, three would make {3 * TEN:g}, and the largest number is {LARGEST:g}.",
    "What is e^10, and how often does it fit into the largest number of float16?",
)


def merged(one, other):
    """Maximum and sum of two parts together."""
    (highest, total), (highest_2, total_2) = one, other
    new = max(highest, highest_2)
    return new, total * math.exp(highest - new) + total_2 * math.exp(highest_2 - new)


ONE, OTHER = (1000.0, 1.25), (998.0, 3.0)

TWO_PARTS = Exercise(
    "One part has the maximum 1000 and the sum 1.25, the other 998 and 3. What have both together?",
    row(
        ("maximum", "sum"),
        lambda: merged(ONE, OTHER),
        slips=[
            ((1000, 1.25 + 3), "the two sums count from different maxima"),
            ((998, 1.25 * math.exp(2) + 3), "that sum counts from 998, and the maximum of both is 1000"),
        ],
    ),
    "The part with the lower maximum is shrunk by e to the gap of the two, the other stays.",
    "Both sums have to count from the same maximum. By which factor does each change?",
)


def _rows():
    rng = np.random.default_rng(3)
    yield (np.array([0.2, 2.0, 1.1]),)
    yield (rng.normal(size=7) * 30,)
    yield (np.array([0.0, -2000.0]),)  # the second weight is 0
    yield (np.array([2000.0, 2000.0, 0.0]),)  # the exponential overflows
    yield (np.array([1e300, -1e300, 1e300]),)


def _row_entropy(scores):
    return float(entropy(softmax(scores)))


ROW_ENTROPY = Exercise(
    "Write row_entropy(scores): the entropy of their softmax, for scores up to 10^300 in size.",
    function("row_entropy", _row_entropy, _rows),
    "It is log Σ e^(s − max) less the average of s − max, and no logarithm of a weight is taken.",
    "Write log π with the shifted scores, and put it into −Σ π log π. What is 0 · log 0 in your code?",
)

EXERCISES = [HOW_MANY_TENS, TWO_PARTS, ROW_ENTROPY]
