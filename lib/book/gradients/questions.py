"""The exercises of the chapter *gradients*."""

import numpy as np
from scipy.optimize import brentq

from lib import softmax, softmax_jacobian
from lib.book.judging import Exercise, function, number, show

SHARES = np.array([0.5, 0.2, 0.3])


def _really(raised=0.01):
    """What the second weight gains in truth when the first score is raised."""
    return softmax(np.log(SHARES) / 2 + raised * np.eye(3)[0], 2.0)[1] - SHARES[1]


A_SMALL_RAISE = Exercise(
    "Weights ½ and ⅕, β = 2. The first score is raised by 1/100 point. How much does the second weight change?",
    number(
        lambda: 0.01 * softmax_jacobian(SHARES, 2.0)[1, 0],
        lambda x: f"a change of {x:g} is far from the truth, which is {show(_really())} without the forecast",
    ),
    "It loses β times the product of the two weights, times the raise: 2 · ½ · ⅕ · 1/100.",
    "Does it gain or lose? The slope has β and both weights in it.",
)


def _norm(lead):
    return float(np.linalg.norm(softmax_jacobian(softmax(np.array([lead, 0.0]))), 2))


HALF_THE_ANSWER = Exercise(
    "Two tokens, an even null, β = 1: at which lead, in points, is the norm half of its largest value?",
    number(
        lambda: brentq(lambda lead: _norm(lead) - 0.25, 0, 50),
        lambda lead: f"at a lead of {lead:g} the norm is {show(_norm(lead))}; half of the largest is 0.25",
    ),
    "The norm is twice the product of the weights, and the product is 1/(e^x + 2 + e^(−x)).",
    "For two tokens the norm is 2π₁π₂. Which product of the weights is needed, and which odds give it?",
)


def _estimate(weights, drawn, loss, beta):
    return beta * loss * (np.eye(len(weights))[drawn] - weights)


def _draws():
    rng = np.random.default_rng(0)
    for n, beta in ((2, 1.0), (5, 0.5), (4, 3.0)):
        yield rng.dirichlet(np.ones(n)), int(rng.integers(n)), float(rng.exponential()), beta


ONE_DRAW = Exercise(
    "Write estimate(weights, drawn, loss, beta): the gradient of the expected loss, estimated from one draw.",
    function("estimate", _estimate, _draws),
    "The loss times the slopes of log π of the drawn token: β(1 − π) for its own score, −βπ for the others.",
    "Divide the slopes of the drawn token's weight by that weight, and multiply by the loss.",
)

EXERCISES = [A_SMALL_RAISE, HALF_THE_ANSWER, ONE_DRAW]
