"""The exercises of the chapter *How sharp should attention be?*"""

import numpy as np
from scipy.optimize import brentq

from lib import softmax
from lib.book.example import SCORES, TOKENS
from lib.book.judging import Exercise, function, number, show, words

S = np.array(SCORES)


COLLAPSED = np.array([10.0, 0.1, 0.1, 0.1])


def _winner(temperature):
    return softmax(COLLAPSED, 1 / temperature)[0] if temperature > 0 else np.nan


UNDO_A_COLLAPSE = Exercise(
    "At which temperature does the winner of [10, 0.1, 0.1, 0.1] have a weight of 0.7?",
    number(
        lambda: brentq(lambda temperature: _winner(temperature) - 0.7, 0.1, 100),
        lambda t: (
            f"at T = {t:g} the winner has {show(_winner(t))}; asked is 0.7"
            if t > 0
            else f"T = {t:g} is not a temperature: it must be above 0"
        ),
    ),
    "At this T three others with odds e^(−9.9/T) each share 0.3.",
    "Odds of 0.3 to 0.7 against the winner are those of three others, each e^(−9.9/T).",
)


def _path(word):
    return softmax(S, np.linspace(0, 12, 1201)[:, None])[:, TOKENS.index(word)]


def _rise_and_fall():
    return {word for word in TOKENS if 0 < _path(word).argmax() < 1200}


def _course(word, belongs):
    path = _path(word)
    return (
        f"the weight of {word!r} is {path[0]:.3f} at β = 0, at most {path.max():.3f} on the way, and "
        f"{path[-1]:.3f} at β = 12: it {'belongs' if belongs else 'does not belong'} here"
    )


THERE_AND_BACK = Exercise(
    "Which words of the running example have a weight that first rises with β > 0 and later falls?",
    words(tuple(dict.fromkeys(TOKENS)), _rise_and_fall, _course),
    "Their scores lie above the mean under the null, and below the best.",
    "A weight rises while its score is above the average of the scores. What is that average at β = 0?",
)


def _rows():
    rng = np.random.default_rng(2)
    yield softmax(S, 1.0), 0.5
    for factor in (2.0, 10.0, -1.0):
        yield rng.dirichlet(np.ones(5)), factor
    yield np.array([0.5, 0.5, 0.0]), 0.0  # a weight of 0 is out, at every temperature
    yield np.full(1000, 1e-3), 500.0  # the powers underflow


def _retempered(weights, factor):
    with np.errstate(divide="ignore"):
        return softmax(np.log(weights), factor)


NEW_TEMPERATURE = Exercise(
    "Write retempered(weights, factor): the weights of the same scores at factor · β.",
    function("retempered", _retempered, _rows),
    "Raised to the factor and normalised, over their largest first; weights of 0 stay out.",
    "Weights are e^(βs) up to a constant, so their powers are weights again. Try 0⁰, and powers that underflow.",
)


def _strays(step):
    """How far a run at β = 1/2, from twice the matrix, is from the run at β = 1 with steps of 1."""
    from lib.book.temperature.training import train  # which needs torch: only this exercise does

    run = train([1.0, 0.5], [1.0, step], [1.0, 2.0], steps=20)
    return abs(run.losses[0] - run.losses[1]).max(), run.losses[:, -1]


def _step():
    return next(step for step in (0.25, 0.5, 1.0, 2.0, 4.0) if _strays(step)[0] < 1e-12)


def _other_loss(step):
    was, became = _strays(step)[1]
    return f"after 20 steps the loss is {became:.4f}; in the run to be retraced it is {was:.4f}"


RETRACE_A_RUN = Exercise(
    "β is halved and the matrix doubled, so that βs is as before. By what must the step size be multiplied?",
    number(_step, _other_loss, rtol=1e-6),
    "One factor of β is in the gradient, and one in what a step of the matrix does to βs.",
    "Write the step of W, then multiply it by β to see the step of βW.",
)

EXERCISES = [UNDO_A_COLLAPSE, THERE_AND_BACK, NEW_TEMPERATURE, RETRACE_A_RUN]
