"""The exercises of the chapter *tell*."""

import math

import numpy as np

from book.example import s, u
from book.judging import Exercise, number
from book.tell.bounds import pinsker
from lib import kl_divergence, softmax

HALF = float(kl_divergence(softmax(s, 0.5), u))


def _bound_at(m):
    """What Pinsker's bound is at this number of words, as a sentence."""
    if not 1 <= m < math.inf:
        return "a number of words is a whole number from 1 on"
    return (
        f"at m = {m:g} the bound is {pinsker(m * HALF):.3f} and at m = {m - 1:g} it is "
        f"{pinsker((m - 1) * HALF):.3f}; wanted is the first m at which it is not above 0"
    )


WHEN_PINSKER_IS_SILENT = Exercise(
    "At β = 0.5, what is the least number of words at which Pinsker's bound with KL(π‖u) is 0 or less?",
    number(
        lambda: math.ceil(2 / HALF), _bound_at, rtol=0, slips=[(math.floor(2 / HALF), "there it is still above 0")]
    ),
    "The bound is used up at m = 2/KL(π‖u). At half the β the divergence is little over a quarter of it.",
    "Compute KL(π‖u) with softmax(s, 0.5), and solve 1 − √(m KL/2) = 0 for m.",
)


DRAWN, EVEN = np.array([0.7, 0.2, 0.1]), np.full(3, 1 / 3)

LEAST_SUM = Exercise(
    "π is 0.7, 0.2, 0.1 and u a third each. What is the least sum of both errors of a test on one word?",
    number(
        lambda: np.minimum(DRAWN, EVEN).sum(),
        slips=[
            (np.maximum(DRAWN, EVEN).sum(), "that is the most that it can be"),
            (abs(DRAWN - EVEN).sum() / 2, "by so much it lies below 1, the sum of who guesses blindly"),
        ],
    ),
    "Each word adds the smaller of its two chances, as the test says the other thing there.",
    "For each word the test must say one thing. What does the word add to the sum, either way?",
)


def _per_word(answer):
    if not 0 < answer < math.inf:
        return "a factor by which a chance is divided is above 0 and finite"
    return f"ten words that divide an error by {answer:g} divide it by e to the {math.log(answer) / 10:.3f} each"


TEN_MORE_WORDS = Exercise(
    "KL(π‖u) = 0.5, KL(u‖π) = 0.8, false alarms held: by which factor do ten more words divide the misses?",
    number(
        lambda: math.exp(10 * 0.8),
        _per_word,
        slips=[(math.exp(10 * 0.5), "that is with the other divergence"), (8, "that is the exponent")],
    ),
    "With false alarms held each word divides the misses by e to the KL(u‖π), ten by e to the 8, about 2981.",
    "Which divergence tells how fast the misses fall, when the false alarms are held?",
)

EXERCISES = [LEAST_SUM, TEN_MORE_WORDS, WHEN_PINSKER_IS_SILENT]
