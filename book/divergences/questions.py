"""The exercises of the chapter *divergences*."""

import numpy as np
from scipy.optimize import brentq

from book.divergences.derivations import first_given_mean, mutual_information
from book.example import TOKENS, n, s
from book.judging import Exercise, choice, function, number
from lib import kl_divergence, softmax

CAT = TOKENS.index("cat")


TABLE = np.array([[0.4, 0.1], [0.1, 0.4]])
MARGINS = np.full((2, 2), 0.25)

SHARED_INFORMATION = Exercise(
    "Two animals and two colours have the joint weights 0.4, 0.1, 0.1 and 0.4: what is their mutual information?",
    number(
        lambda: mutual_information(TABLE),
        slips=[
            (mutual_information(TABLE) / np.log(2), "that is in bits, and nats are asked"),
            (kl_divergence(MARGINS.ravel(), TABLE.ravel()), "that is the divergence the wrong way round"),
        ],
    ),
    "Both margins are even, so the product is ¼ everywhere, and it is 0.8 log 1.6 + 0.2 log 0.4.",
    "Find the two margins, multiply them out, and take the divergence of the table from that.",
)


FOURTH_WEIGHT = Exercise(
    "Best under KL: cat has 0.21 and 0.09 in two sentences, milk 0.14 in the first. What has milk in the second?",
    number(
        lambda: 0.14 * 0.09 / 0.21,
        lambda answer: f"cat has 3/2 of milk first, and then 0.09 over {answer:g}",
        slips=[(0.09 - (0.21 - 0.14), "here the difference stays the same, and not the ratio")],
    ),
    "In every sentence cat and milk share in the same proportion, here 3 to 2.",
    "How many times the weight of milk does cat have in the first sentence?",
)


def _below_the_mean():
    far = first_given_mean(s, np.full(n, 1 / n), 1000, at_least=0.5)
    nearest = {
        "uniform": np.full(n, 1 / n),
        "negative": softmax(s, _beta_with_mean(0.5)),
        "certain": np.eye(n)[CAT],
    }
    return min(nearest, key=lambda name: np.abs(nearest[name] - far).sum())


def _beta_with_mean(c):
    return brentq(lambda beta: softmax(s, beta) @ s - c, -5, 5)


TOO_EASY = Exercise(
    'Of samples with a mean score of 0.5 or more, is the first token "uniform", "negative" or "certain"?',
    choice(
        ("uniform", "negative", "certain"),
        _below_the_mean,
        lambda said: f"nearly every sample has a mean near {s.mean():.3f}, which is above 0.5 already",
    ),
    "The condition holds for nearly every sample anyway, so it tells nothing about the first token.",
    "What is the mean score of the seven tokens when all are equally likely?",
)


def _rows():
    rng = np.random.default_rng(2)
    for size, beta in ((5, 1.0), (3, 0.25), (4, 2.0)):
        yield rng.normal(size=3), rng.normal(size=(size, 3)) * rng.uniform(0.5, 1.5, size=(size, 1)), beta


LENGTH_IS_A_NULL = Exercise(
    "Write null_of(query, keys, beta): a null with which softmax of the products is the Gaussian smoother.",
    function(
        "null_of",
        lambda query, keys, beta: np.exp(-beta / 2 * (keys**2).sum(axis=1)),
        _rows,
        seen=lambda result, query, keys, beta: softmax(keys @ query, beta, prior=np.asarray(result, dtype=float)),
        gives="leads to the weights",
    ),
    "The smoother's null is e to −β/2 times the squared length of each key: long keys are held back.",
    "Write out the squared distance of query and key; which of its three terms depend on the key alone?",
)

EXERCISES = [SHARED_INFORMATION, FOURTH_WEIGHT, TOO_EASY, LENGTH_IS_A_NULL]
