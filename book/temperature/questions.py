"""The exercises of the chapter *temperature*."""

import numpy as np
from scipy.optimize import brentq

from book.judging import Exercise, number, row, show, words
from book.temperature.sharpness import winning_beta
from lib import softmax


def _share_in_longer_text(more, rivals=10, lead=2.0):
    """What the leader has of the weight when β has grown by `more` and its rivals are a hundred times as many."""
    before = winning_beta(rivals + 1, lead, 0.25)
    return 1 / (1 + 100 * rivals * np.exp(-lead * (before + more)))


A_LONGER_TEXT = Exercise(
    "A leader 2 points ahead has three quarters. By how much must β grow against a hundred times as many rivals?",
    number(
        lambda: brentq(lambda more: _share_in_longer_text(more) - 0.75, 0, 50),
        lambda more: (
            f"with β larger by {more:g} the leader has {show(_share_in_longer_text(more))}; asked is 0.75"
        ),
        slips=[(np.log(100), "that is for a lead of one point")],
    ),
    "A hundred times as many rivals need a hundredth of the odds each: e^(−2x) is that at x = log(100)/2.",
    "The odds of all rivals together are their number times e^(−2β). What must become of the second factor?",
)


SIX = {"bread": 5.0, "fish": 3.0, "milk": 2.0, "salt": 1.0, "soap": 0.0, "stone": -1.0}


def _path(word):
    return softmax(np.array(list(SIX.values())), np.linspace(0, 12, 1201)[:, None])[:, list(SIX).index(word)]


def _rise_and_fall():
    return {word for word in SIX if 0 < _path(word).argmax() < 1200}


def _course(word, belongs):
    path = _path(word)
    return (
        f"the weight of “{word}” is {path[0]:.3f} at β = 0, at most {path.max():.3f} on the way, and "
        f"{path[-1]:.3f} at β = 12: it {'belongs' if belongs else 'does not belong'} here"
    )


THERE_AND_BACK = Exercise(
    "Six words have 5, 3, 2, 1, 0 and −1 points. Which have a weight that first rises with β > 0 and later falls?",
    words(tuple(SIX), _rise_and_fall, _course),
    "Their scores lie above the mean under the null, and below the best.",
    "A weight rises while its score is above the average of the scores. What is that average at β = 0?",
)


OLD = np.array([0.5, 0.3, 0.2])


def _tempered(factor):
    return softmax(np.log(OLD), factor)


NEW_TEMPERATURE = Exercise(
    "Three weights are 0.5, 0.3 and 0.2. What are they at twice the β?",
    row(
        ("first", "second", "third"),
        lambda: _tempered(2),
        weights=True,
        slips=[
            (_tempered(0.5), "that is at half the β"),
            (softmax(OLD, 2), "the weights are no scores: their logarithms are, up to a constant"),
        ],
    ),
    "Raised to the factor, and divided by the sum: 25, 9 and 4 parts of 38.",
    "Each weight is e^(βs) over a sum. What becomes of e^(βs) at twice the β?",
)


TIED, TIED_NULL = np.array([1.0, 1.0, 0.0]), np.array([0.1, 0.3, 0.6])


A_TIE = Exercise(
    "Scores 1, 1 and 0, and the null 0.1, 0.3 and 0.6: what are the weights at β = ∞?",
    row(
        ("first", "second", "third"),
        lambda: softmax(TIED, np.inf, prior=TIED_NULL),
        weights=True,
        slips=[
            ([0.5, 0.5, 0], "equal scores keep the odds of the null, and these are not even"),
            (TIED_NULL, "that is the null itself, which is at β = 0"),
        ],
    ),
    "Equal scores keep the odds of the null, 1 to 3, and the lower score loses everything.",
    "The weights are u e^(βs), divided by their sum. What do equal scores cancel, and what not?",
)

EXERCISES = [A_LONGER_TEXT, THERE_AND_BACK, NEW_TEMPERATURE, A_TIE]
