"""The exercises of the chapter *temperature*."""

import numpy as np
from scipy.optimize import brentq

from book.example import s
from book.judging import Exercise, function, number, show, weights, words
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
        f"the weight of {word!r} is {path[0]:.3f} at β = 0, at most {path.max():.3f} on the way, and "
        f"{path[-1]:.3f} at β = 12: it {'belongs' if belongs else 'does not belong'} here"
    )


THERE_AND_BACK = Exercise(
    "Six words have 5, 3, 2, 1, 0 and −1 points. Which have a weight that first rises with β > 0 and later falls?",
    words(tuple(SIX), _rise_and_fall, _course),
    "Their scores lie above the mean under the null, and below the best.",
    "A weight rises while its score is above the average of the scores. What is that average at β = 0?",
)


def _rows():
    rng = np.random.default_rng(2)
    yield softmax(s, 1.0), 0.5
    for factor in (2.0, 10.0, -1.0):
        yield rng.dirichlet(np.ones(5)), factor
    yield np.array([0.5, 0.5, 0.0]), 0.0  # a weight of 0 is masked, at every temperature
    yield np.full(1000, 1e-3), 500.0  # the powers underflow


def _retempered(old, factor):
    with np.errstate(divide="ignore"):
        return softmax(np.log(old), factor)


NEW_TEMPERATURE = Exercise(
    "Write retempered(weights, factor): the weights of the same scores at factor · β. Weights of 0 are masked.",
    function("retempered", _retempered, _rows),
    "Raised to the factor and normalised, over their largest first; weights of 0 stay out.",
    "Weights are e^(βs) up to a constant, so their powers are weights again. Try 0⁰, and powers that underflow.",
)


TIED, TIED_NULL = np.array([1.0, 1.0, 0.0]), np.array([0.1, 0.3, 0.6])


def _shared(row):
    wanted = softmax(TIED, np.inf, prior=TIED_NULL)
    if abs(row - wanted).max() <= 2.5e-3:
        return None
    if row[2] > 2.5e-3:
        return f"the third token has {show(row[2])}, but e^(−β) is 0 at β = ∞"
    odds = f"{show(row[1])} to {show(row[0])}"
    return f"between the first two the odds are {odds}, which is not what equal scores leave"


A_TIE = Exercise(
    "Scores 1, 1 and 0, and the null 0.1, 0.3 and 0.6: what are the weights at β = ∞?",
    weights(3, _shared),
    "Equal scores keep the odds of the null, 1 to 3, and the lower score loses everything.",
    "The weights are u e^(βs), divided by their sum. What do equal scores cancel, and what not?",
)

EXERCISES = [A_LONGER_TEXT, THERE_AND_BACK, NEW_TEMPERATURE, A_TIE]
