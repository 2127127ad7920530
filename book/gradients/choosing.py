"""Two ways to train a hard choice among three values, of which the second is right."""

import numpy as np
import torch

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


def shares_of_16_bits():
    """All numbers from 0 to 1 of each of torch's two formats of 16 bits."""
    every = torch.arange(2**15, dtype=torch.int32).to(torch.int16)
    return tuple(x[x <= 1] for x in (every.view(torch.float16), every.view(torch.bfloat16)))
