"""One word carries the answer, and nobody says which: the best possible guess is attention by softmax.

Of n words, each with a score and a value that are normal with variance 1, one is chosen, and its score gets `lead`
more; the answer is its value. By Bayes' rule the chance that word i was chosen, given all scores, is
exp(lead · sᵢ) over the sum of these, which is softmax at β = lead. So the weighted mean of the values is the best
guess in mean square, and no other map comes below its error. (A small case of Duranthon et al., arXiv:2509.21936.)
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.optimize import minimize

import lib

ROWS = 2000
WORDS, LEADS = (16, 256), (2.0, 3.0, 4.0)


def drawn(n: int, lead: float, seed: int = 0) -> np.ndarray:
    """Scores (ROWS, n), of which the first is the word that was chosen."""
    scores = np.random.default_rng(seed).normal(size=(ROWS, n))
    scores[:, 0] += lead
    return scores


def error(weights: np.ndarray) -> float:
    """The mean square error of the weighted mean of the values, as a share of the answer's variance.

    Values are independent of scores and of each other, so only the weights (rows, n) matter: what is missing at
    the first word, and what the others let in, both squared.
    """
    return float(((weights[:, 0] - 1) ** 2 + (weights[:, 1:] ** 2).sum(axis=1)).mean())


def linear(scores, a, b):
    """A weight that is a straight line of the score, as in linear attention without a sum to divide by."""
    return a + b * scores


def fitted(weights: Callable[..., np.ndarray], scores: np.ndarray, *start: float) -> float:
    """The least error of a map on these scores, its parameters chosen on them."""
    return minimize(lambda at: error(weights(scores, *at)), start, method="Nelder-Mead").fun


@cache
def errors(n: int, lead: float, over: float = 1.0) -> dict[str, float]:
    """The error of softmax at β = lead / over, and of each map at its best β (and bias): on the same rows."""
    scores = drawn(n, lead)
    return {
        "the best possible": error(lib.softmax(scores, lead / over)),
        "softmax": fitted(lambda s, beta: lib.softmax(s, abs(beta)), scores, 1.0),
        "entmax": fitted(lambda s, beta: lib.entmax(s, abs(beta), alpha=1.5), scores, 1.0),
        "sparsemax": fitted(lambda s, beta: lib.sparsemax(s, abs(beta)), scores, 0.5),
        "sigmoid": fitted(lambda s, beta, bias: lib.sigmoid_weights(s, abs(beta), bias=bias), scores, 2.0, -5.0),
        "linear": fitted(linear, scores, 0.0, 0.1),
    }
