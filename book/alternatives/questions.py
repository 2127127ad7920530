"""The exercises of the chapter *alternatives*."""

import numpy as np

from book.alternatives.maps import reaches_zero
from book.judging import Exercise, number, row, show
from lib import entmax, softmax_vjp, sparsemax, sparsemax_vjp

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
        slips=[
            (1 / 2, "that is with all three above the water, and the third is below it"),
            (3 / 7, "that is the share of the points; the water takes the same from both"),
        ],
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
        slips=[(reaches_zero(CROWD, 2)[-1], "that is sparsemax, at α = 2")],
    ),
    "Only one token leads those of the crowd, so their number does not count: 1/((α − 1)Δ).",
    "Raise the water to the top of the crowd. Who stands out, and by how much?",
)


SHARES, ARRIVES = np.array([0.5, 0.5, 0.0]), np.array([3.0, 1.0, 5.0])
BETA = 3.0
OVER_ALL = BETA * (ARRIVES - ARRIVES.mean())

WAY_BACK = Exercise(
    "Sparsemax weights ½, ½ and 0, β = 3, and the gradient 3, 1, 5 at them: what is the gradient at the scores?",
    row(
        ("first", "second", "third"),
        lambda: sparsemax_vjp(SHARES, ARRIVES, BETA),
        slips=[
            (softmax_vjp(SHARES, ARRIVES, BETA), "that is the formula of softmax, where a weight is a factor"),
            (OVER_ALL, "the mean is taken over all three"),
            (OVER_ALL * (SHARES > 0), "the mean is taken over all three"),
            (sparsemax_vjp(SHARES, ARRIVES), "that is without β"),
        ],
    ),
    "On the support the gradient less its mean there, times β; elsewhere 0.",
    "The mean in the formula is taken over the support alone, the words whose weight is above 0.",
)

EXERCISES = [BY_HAND, A_CROWD, WAY_BACK]
