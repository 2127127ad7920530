"""How long training takes to undo a lead: two tokens, the wrong one ahead, plain steps along a gradient."""

from functools import cache

import numpy as np
import torch

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
def steps_to_undo(lead, beta=1.0, step_size=1.0, gradient=ascent, change=None):
    """How many steps it takes until the wrong token leads no more. `change` is what is done to each gradient.

    >>> steps_to_undo(5.0), steps_to_undo(5.0, gradient=log_loss_descent)
    (81, 3)
    """
    scores, steps = np.array([lead, 0.0]), 0
    while scores[0] > scores[1]:
        step = gradient(softmax(scores, beta), beta)
        scores = scores + step_size * (step if change is None else change(step))
        steps += 1
    return steps if np.isfinite(scores).all() else np.nan


def predicted_steps(lead, beta=1.0, step_size=1.0):
    """The same by an integral, as if steps were many and small.

    >>> print(f"{predicted_steps(5.0):.1f}")
    79.2
    """
    return (beta * lead + np.sinh(beta * lead)) / (step_size * beta**2)
