"""The exercises of the chapter *attention*."""

import numpy as np
from scipy.optimize import brentq

from book.example import TOKENS, s
from book.judging import Exercise, number, row, show, words
from lib import log_softmax, softmax


def _cat_to_milk(beta):
    log_weights = log_softmax(s, beta)
    return np.exp(log_weights[TOKENS.index("cat")] - log_weights[TOKENS.index("milk")])


TEN_TO_ONE = Exercise(
    "Which β gives cat ten times the weight of milk?",
    number(
        lambda: brentq(lambda beta: _cat_to_milk(beta) - 10, 0.0, 100.0),
        lambda beta: f"at β = {beta:g} cat has {show(_cat_to_milk(beta))} times the weight of milk; asked is 10",
        slips=[(np.log(10), "that is for a gap of one point"), (10, "that β gives odds of e to the 5")],
    ),
    "The odds are e^(β/2), and the scores of the other five do not matter.",
    "Their gap is half a point. What factor in the odds is a gap of Δ?",
)


GIVEN = np.array([0.6, 0.3, 0.1])

ONE_KEY_LESS = Exercise(
    "Three keys have the weights 0.6, 0.3 and 0.1. What are they once the first key is masked?",
    row(
        ("first", "second", "third"),
        lambda: softmax(np.log(GIVEN), where=np.arange(3) > 0),
        weights=True,
        slips=[([0, 0.6, 0.4], "here each gets half of what is freed, and their odds are not what they were")],
    ),
    "What was given to the first is shared out in proportion: the odds of the others stay 3 to 1.",
    "A mask changes no odds between those that are left. What do they sum to, before you divide?",
)

_ROOT = 0.5**0.5
MATRICES = {
    "rotation": np.array([[_ROOT, -_ROOT], [_ROOT, _ROOT]]),
    "reflection": np.array([[1.0, 0.0], [0.0, -1.0]]),
    "permutation": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "scaling": np.array([[2.0, 0.0], [0.0, 2.0]]),
    "shear": np.array([[1.0, 1.0], [0.0, 1.0]]),
}


def _moved(word):
    """By how much the product of two vectors changes when both go through the matrix."""
    q, k = np.array([1.0, 0.5]), np.array([0.2, 1.0])
    return abs((MATRICES[word] @ q) @ (MATRICES[word] @ k) - q @ k)


SAME_FOR_BOTH = Exercise(
    "Which may be applied to queries and keys alike: rotation, reflection, permutation, scaling, shear?",
    words(
        tuple(MATRICES),
        lambda: {word for word in MATRICES if _moved(word) < 1e-12},
        lambda word, belongs: (
            f"a {word} changes {'no product' if belongs else 'the product of (1, ½) and (0.2, 1)'}, "
            f"and is {'missing' if belongs else 'in your list'}"
        ),
    ),
    "They keep all dot products: MᵀM = 1.",
    "(Mq)·(Mk) is q·k for all q and k just when MᵀM is the identity.",
)

EXERCISES = [TEN_TO_ONE, ONE_KEY_LESS, SAME_FOR_BOTH]
