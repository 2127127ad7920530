"""The exercises of the chapter *attention*."""

import numpy as np
from scipy.optimize import brentq

from book.example import TOKENS, s
from book.judging import Exercise, function, number, show, words
from lib import log_softmax, softmax


def _cat_to_milk(beta):
    log_weights = log_softmax(s, beta)
    return np.exp(log_weights[TOKENS.index("cat")] - log_weights[TOKENS.index("milk")])


TEN_TO_ONE = Exercise(
    "Which β gives cat ten times the weight of milk?",
    number(
        lambda: brentq(lambda beta: _cat_to_milk(beta) - 10, 0.0, 100.0),
        lambda beta: f"at β = {beta:g} cat has {show(_cat_to_milk(beta))} times the weight of milk; asked is 10",
    ),
    "The odds are e^(β/2), and the scores of the other five do not matter.",
    "Their gap is half a point. What factor in the odds is a gap of Δ?",
)


def _one_less():
    yield softmax(s, 1.0), 1
    for i in (0, 4):
        yield np.random.default_rng(i).dirichlet(np.ones(5)), i
    yield softmax(np.array([0.0, 34.0, 1.0]), 1.0), 1  # nearly all is on key 1: 1 − π has few digits left


ONE_KEY_LESS = Exercise(
    "Write without(weights, i): the weights after key i has been masked, to full precision, also for π_i near 1.",
    function(
        "without",
        lambda weights, i: softmax(np.log(weights), where=np.arange(len(weights)) != i),
        _one_less,
    ),
    "What was given to key i is shared out in proportion: the odds of the others stay as they were.",
    "Set the weight to 0 and divide by the sum of what is left; 1 − π is that sum, but with fewer digits.",
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
