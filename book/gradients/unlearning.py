"""How long training takes to undo a lead: two tokens, the wrong one ahead, plain steps along a gradient."""

from functools import cache

import numpy as np
import torch

from book.solver import Adam
from lib import softmax, softmax_vjp

VALUES = np.array([0.0, 1.0])  # of the wrong token, which leads, and of the right one


def ascent(weights, beta):
    """The gradient of the output ⟨π, v⟩ with respect to the scores."""
    return softmax_vjp(weights, VALUES, beta)


def log_loss_descent(weights, beta):
    """The gradient of log π of the right token with respect to the scores."""
    return beta * (VALUES - weights)


def clipped(step, max_norm=1.0):
    """The step as torch clips it."""
    scores = torch.zeros(len(step), dtype=torch.float64, requires_grad=True)
    scores.grad = torch.from_numpy(step.copy())
    torch.nn.utils.clip_grad_norm_([scores], max_norm=max_norm)
    return scores.grad.numpy()


def lengthened(step):
    """The step brought to the length 1, however short it was."""
    return step / np.linalg.norm(step)


@cache
def course(lead, beta=1.0, step_size=1.0, gradient=ascent, change=None, most=50_000):
    """The lead of the wrong token before the first step and after each, until it leads no more.

    `change` is what is done to each gradient; after `most` steps we give up.

    >>> [round(x, 2) for x in course(1.0)]
    [1.0, 0.61, 0.15, -0.35]
    """
    scores, leads = np.array([lead, 0.0]), [lead]
    while leads[-1] > 0 and len(leads) <= most:
        step = gradient(softmax(scores, beta), beta)
        scores = scores + step_size * (step if change is None else change(step))
        leads.append(float(scores[0] - scores[1]))
    return tuple(leads)


def _counted(leads):
    """How many steps there were; NaN if the last one led nowhere."""
    return len(leads) - 1 if np.isfinite(leads[-1]) else np.nan


def steps_to_undo(lead, beta=1.0, step_size=1.0, gradient=ascent, change=None):
    """How many steps it takes until the wrong token leads no more. `change` is what is done to each gradient.

    >>> steps_to_undo(5.0), steps_to_undo(5.0, gradient=log_loss_descent)
    (81, 3)
    """
    return _counted(course(lead, beta, step_size, gradient, change))


@cache
def steps_of_adam(lead, most=20_000):
    """How many steps of size 1 Adam takes; `most` if that many are not enough.

    >>> steps_of_adam(10.0)
    7
    """
    return _counted(course(lead, change=Adam(), most=most))


def predicted_steps(lead, beta=1.0, step_size=1.0):
    """The same by an integral, as if steps were many and small.

    >>> print(f"{predicted_steps(5.0):.1f}")
    79.2
    """
    return (beta * lead + np.sinh(beta * lead)) / (step_size * beta**2)
