"""The exercises of the chapter *exponential*."""

import numpy as np
from scipy.optimize import brentq

from book.example import TOKENS, s
from book.exponential.rivals import cubes
from book.judging import Exercise, choice, number, row
from book.wishes import broken_wishes
from lib import softmax

CAT = TOKENS.index("cat")

EIGHT_TIMES = Exercise(
    "In base 2, how many points ahead must a word be to get eight times the weight of another?",
    number(
        lambda: np.log2(8),
        lambda gap: f"a gap of {gap:.3g} points is a factor of {2.0**gap:.3g} in base 2",
        slips=[
            (8, "eight points double the ratio eight times"),
            (np.log(8), "that is the gap in base e"),
        ],
    ),
    "Each point doubles the ratio, and 2 · 2 · 2 is 8.",
    "One point is a factor of 2. Two points are a factor of 4.",
)


def _broken():
    rows = np.random.default_rng(5).normal(size=(100, 4))
    return str(1 + int(np.argmax(np.array(broken_wishes(cubes, rows)) > 1e-9)))


CUBES = Exercise(
    "Which wish do weights in proportion to e to the cube of the score break: 1, 2, 3 or 4?",
    choice(
        ("1", "2", "3", "4"),
        _broken,
        lambda said: {
            "1": "the ratio of two weights depends on their two scores alone",
            "2": "two words that swap their scores swap their weights",
            "4": "a higher score has a higher cube, and gets more",
        }[said],
    ),
    "The same gap of one point gives a factor of e⁷ at scores of 2 and 1, and of e¹⁹ at 3 and 2.",
    "Compare the ratio of two weights at the scores 2 and 1 with the ratio at 3 and 2.",
)


CHAIN = Exercise(
    "a has 3 times the weight of b, and b has 2 times the weight of c; there are no others. "
    "What are the weights of a, b and c?",
    row(
        "abc",
        lambda: np.array([6, 2, 1]) / 9,
        weights=True,
        slips=[
            ([1 / 2, 1 / 3, 1 / 6], "here a has 3 times what c has; it should have 3 times what b has"),
            ([3 / 5, 3 / 10, 1 / 10], "here b has 3 times what c has, and a only 2 times what b has"),
        ],
    ),
    "The ratios are 6 : 2 : 1, and the total of these is 9.",
    "If c weighs 1, what do b and a weigh? Then divide by the total.",
)


def _half_size():
    return 1 / brentq(lambda beta: softmax(s, beta)[CAT] - 0.5, 0.1, 20)


HALF_THE_RACES = Exercise(
    "With Gumbel noise of which size, in points, does cat win half of the races?",
    number(
        _half_size,
        lambda size: (
            f"with noise of size {size:.3g} cat wins {softmax(s, 1 / size)[CAT]:.3f} of the races"
            if size > 0
            else "the size of noise is a number above 0"
        ),
        slips=[(1 / _half_size(), "that is β; the size is one over it")],
    ),
    "The chance to win is softmax with β = 1/size, so the size is one over the β that gives cat 0.5.",
    "Find the β at which softmax(scores, beta)[1] is 0.5, by trying or by bisection, and take one over it.",
)

EXERCISES = [EIGHT_TIMES, CUBES, CHAIN, HALF_THE_RACES]
