"""Two ways to train a hard choice among three values, of which the second is right."""

import numpy as np

from lib import softmax, softmax_vjp

VALUES, TARGET = np.array([0.0, 1.0, 3.0]), 1.0
LOSSES = (VALUES - TARGET) ** 2 / 2


def straight_through(scores):
    """What comes back if the choice was hard and the derivatives are those of softmax."""
    return softmax_vjp(softmax(scores), (VALUES[scores.argmax()] - TARGET) * VALUES)


def sampled(scores):
    """What drawn tokens give on average: the gradient of the expected loss."""
    return softmax_vjp(softmax(scores), LOSSES)


def steps_to_choose(gradient, step_size):
    """How many steps it takes until the right value is chosen, from scores by which the first is.

    >>> steps_to_choose(straight_through, 0.1), steps_to_choose(sampled, 0.1)
    (252, 68)
    """
    scores, steps = np.array([1.0, 0.0, 0.0]), 0
    while scores.argmax() != 1:
        scores = scores - step_size * gradient(scores)
        steps += 1
    return steps
