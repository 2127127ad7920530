"""The exercises of the chapter *alternatives*."""

import numpy as np

from book.alternatives.maps import reaches_zero
from book.judging import Exercise, function, number, show
from lib import entmax, sparsemax, sparsemax_vjp

POINTS = np.array([4.0, 3.0, 0.0])
CROWD = np.r_[2.0, np.zeros(999)]


def _total(weight):
    """What the three weights would sum to if the second were this."""
    threshold = POINTS[1] / 4 - weight
    return np.maximum(POINTS / 4 - threshold, 0).sum()


BY_HAND = Exercise(
    "Scores 4, 3 and 0, β = ¼: which weight does sparsemax give the second token?",
    number(
        lambda: sparsemax(POINTS, 0.25)[1],
        lambda x: (
            f"with {x:g} for the second, the threshold is ¾ less {x:g}, and the weights sum to {show(_total(x))}"
        ),
    ),
    "The first two share: 1 − τ and ¾ − τ sum to 1 at τ = ⅜. The third, at 0, is below that.",
    "Multiply the scores by β. Guess who has weight, find τ from the sum 1, and look whether the guess was right.",
)

A_CROWD = Exercise(
    "One token leads 999 that tie by 2 points: from which β on has it all the weight under entmax at α = 1½?",
    number(
        lambda: reaches_zero(CROWD, 1.5)[-1],
        lambda beta: (
            f"at β = {beta:g} it has {show(entmax(CROWD, alpha=1.5, beta=beta)[0])}"
            + ("; but a smaller β would do" if entmax(CROWD, alpha=1.5, beta=beta)[0] == 1 else "")
        ),
    ),
    "Only one token leads those of the crowd, so their number does not count: 1/((α − 1)Δ).",
    "Raise the water to the top of the crowd. Who stands out, and by how much?",
)


def _arrivals():
    rng = np.random.default_rng(0)
    for n, beta in ((5, 1.0), (7, 0.5), (3, 2.0), (4, 30.0)):
        yield sparsemax(rng.normal(size=n), beta), rng.normal(size=n), beta


WAY_BACK = Exercise(
    "Write back(weights, g, beta): the gradient of sparsemax with respect to its scores.",
    function("back", sparsemax_vjp, _arrivals),
    "On the support the gradient less its mean there, times β; elsewhere 0.",
    "The mean in the formula is taken over the support alone, the words whose weight is above 0.",
)

EXERCISES = [BY_HAND, A_CROWD, WAY_BACK]
