"""The exercises of the chapter *repairs*."""

import numpy as np

from book.judging import Exercise, choice, number, row, show
from book.repairs.maps import given_up, normed
from book.repairs.measured import capped, clipped
from lib import softmax, softmax_plus_one

LOGS, SINK = np.log([5.0, 2.0, 1.0]), np.log(2.0)
QUERY, KEYS, GAIN = np.array([3.0, 4.0]), np.array([[6.0, 8.0], [-4.0, 3.0], [-3.0, -4.0]]), np.log(4.0)
LARGEST, BOUND = 400.0, 100.0

LESS = Exercise(
    "Scores log 5, log 2 and 0, a sink of log 2, β = 1: what must each word lose for the words to share a fifth?",
    number(
        lambda: np.log(16),
        lambda x: f"with {x:g} taken off, the words share {show(softmax_plus_one(LOGS - x, sink=SINK).sum())}",
        rtol=1e-3,
        slips=[
            (np.log(4), "then the words have 2, as much as the sink: they share a half"),
            (np.log(8), "then the words have 1 beside the 2 of the sink: they share a third"),
            (np.log(20), "the sink has 2, and a fifth of all is a quarter of what the sink has"),
        ],
    ),
    "The words have 8 beside the 2 of the sink, and need ½: a sixteenth, so log 16 points less.",
    "How much must the exponentials of the words sum to, for a fifth of all to be theirs beside a sink of 2?",
)


def centred(scores):
    """The mean of the row off each score, then a cap."""
    return softmax(capped(scores - scores.mean(axis=-1, keepdims=True), 3.0))


def _lost():
    (wish,) = given_up(centred, np.random.default_rng(1).normal(size=(100, 7)))
    return str(wish)


SAVED = Exercise(
    "The mean of the row is taken off all scores before they are capped. Which wish is given up: 1, 2, 3 or 4?",
    choice(
        ("1", "2", "3", "4"),
        _lost,
        {
            "2": "two words that swap their scores leave the mean as it is, and swap their weights",
            "3": "a common shift moves the mean by as much, and is gone before the cap",
            "4": "a word that gains keeps most of its gain, and the mean lifts nobody else",
        }.get,
    ),
    "The mean is made of all scores: a newcomer moves it, the cap bends at another place, and ratios change.",
    "What do two words’ capped scores depend on now, besides these two words?",
)

COSINES = Exercise(
    "QK-norm with gain log 4: query (3, 4), keys (6, 8), (−4, 3) and (−3, −4). Which weights do they get?",
    row(
        ("(6, 8)", "(−4, 3)", "(−3, −4)"),
        lambda: softmax(normed(QUERY, KEYS, GAIN)),
        weights=True,
        slips=[
            (softmax(KEYS @ QUERY), "that is without the norm: the products 50, 0 and −25 are scores there"),
            (softmax(normed(QUERY, KEYS, 1.0)), "that is with a gain of 1, and the gain is log 4"),
        ],
    ),
    "The cosines are 1, 0 and −1, so the exponentials are 4, 1 and ¼, and the weights 16/21, 4/21 and 1/21.",
    "What is the cosine of each key with the query? The gain multiplies it.",
)

CLIPPED = Exercise(
    "The largest score of a head is 400 and QK-clip’s bound is 100: by what are W_Q and W_K each multiplied?",
    number(
        lambda: clipped(1.0, 1.0, LARGEST, BOUND)[0],
        lambda x: f"then the largest score becomes {show(LARGEST * x * x)}",
        slips=[
            (BOUND / LARGEST, "that is right for the scores; each of the two matrices brings a part of it"),
            (2.0, "that makes scores larger"),
        ],
    ),
    "A score has both matrices in it. So each is multiplied by the root of 100/400, which is ½.",
    "A score is a product of a query and a key, and each of them is made by one of the matrices.",
)

EXERCISES = [LESS, SAVED, COSINES, CLIPPED]
