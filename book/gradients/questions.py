"""The exercises of the chapter *Gradients: what being sure costs*"""

import numpy as np
from scipy.optimize import brentq

from book.judging import Exercise, number, row, show
from lib import softmax, softmax_jacobian

SHARES = np.array([0.5, 0.2, 0.3])


def _really(raised=0.01):
    """What the second weight gains in truth when the first score is raised."""
    return softmax(np.log(SHARES) / 2 + raised * np.eye(3)[0], 2.0)[1] - SHARES[1]


A_SMALL_RAISE = Exercise(
    "Weights ½ and ⅕, β = 2. The first score is raised by 1/100 point. How much does the second weight change?",
    number(
        lambda: 0.01 * softmax_jacobian(SHARES, 2.0)[1, 0],
        lambda x: f"a change of {x:g} is far from the truth, which is {show(_really())} without the forecast",
        slips=[(0.002, "the size is right, and the sign is not"), (-0.001, "that is without β")],
    ),
    "It loses β times the product of the two weights, times the raise: 2 · ½ · ⅕ · 1/100.",
    "Does it gain or lose? The slope has β and both weights in it.",
)


def _slope(lead):
    """How fast the leader's weight rises with its own score, at β = 1."""
    return float(softmax_jacobian(softmax(np.array([lead, 0.0])))[0, 0])


HALF_THE_ANSWER = Exercise(
    "Two tokens, an even null, β = 1: at which lead, in points, is the slope π(1 − π) half of its largest value?",
    number(
        lambda: brentq(lambda lead: _slope(lead) - 0.125, 0, 50),
        lambda lead: f"at a lead of {lead:g} the slope is {show(_slope(lead))}; half of the largest is 0.125",
        slips=[(np.log(3 - 8**0.5), "then the other token leads, by as much; give the lead")],
    ),
    "The slope is the product of the two weights, which is 1/(e^x + 2 + e^(−x)); it has to be 1/8.",
    "For two tokens the slope is π₁π₂. What is the most that it can be, and which odds give half of that?",
)


LEFT = np.array([0.7, 0.2, 0.1])


def _log_loss_gradient(weights, right, beta):
    return beta * (weights - np.eye(len(weights))[right])


THE_OTHER_LOSS = Exercise(
    "Weights 0.7, 0.2 and 0.1, β = 2. What is the gradient of −log π of the second token in the three scores?",
    row(
        ("first", "second", "third"),
        lambda: _log_loss_gradient(LEFT, 1, 2.0),
        slips=[
            (_log_loss_gradient(LEFT, 1, -2.0), "that is the gradient of log π; the loss is minus that"),
            (_log_loss_gradient(LEFT, 1, 1.0), "that is without β"),
        ],
    ),
    "β times the weights, less β at the right token: its small weight cancels against the 1/π that arrives.",
    "What arrives is g, which is −1/π at the right token and 0 elsewhere. What is its average ⟨π, g⟩?",
)

EXERCISES = [A_SMALL_RAISE, HALF_THE_ANSWER, THE_OTHER_LOSS]
