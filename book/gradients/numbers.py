"""The numbers in the text of the chapter *gradients*."""

import numpy as np

from book.gradients.checks import norm, s
from book.gradients.choosing import sampled, steps_to_choose, straight_through
from book.gradients.unlearning import course, log_loss_descent, steps_of_adam, steps_to_undo
from lib import softmax, softmax_jacobian


def numbers():
    p = softmax(s)  # (n,)
    raised = softmax(s + np.eye(7)[4])
    norms = [norm(softmax(s, b), b) for b in np.linspace(0, 40, 4001)]
    return {
        "five": steps_to_undo(5.0),
        "ten_points": steps_to_undo(10.0),
        "one_step": 1e5 * (course(10.0, most=1)[0] - course(10.0, most=1)[1]),
        "adam": steps_of_adam(10.0),
        "adam_far": steps_of_adam(25.0),
        "cat": p[1],
        "milk": p[4],
        "slope_milk": p[4] * (1 - p[4]),
        "foreseen": p[4] + p[4] * (1 - p[4]),
        "slope_cat": p[1] * p[4],
        "slope_ten": softmax_jacobian(softmax(s, 10.0), 10.0)[4, 4],
        "slope_twenty": softmax_jacobian(softmax(s, 20.0), 20.0)[4, 4],
        "gained": raised[4] - p[4],
        "before": p[4],
        "after": raised[4],
        "norm": norm(p, 1.0),
        "top": np.max(norms),
        "top_at": np.argmax(norms) / 100,
        "ten": norm(softmax(s, 10.0), 10.0),
        "twenty": 1e3 * norm(softmax(s, 20.0), 20.0),
        "matrix": 8 * 4096**2 / 1e6,
        "row": 8 * 4096 / 1e3,
        "flat": steps_to_undo(1.0),
        "log": steps_to_undo(10.0, gradient=log_loss_descent),
        "through": steps_to_choose(straight_through, 0.1),
        "draws": steps_to_choose(sampled, 0.1),
        "through_large": steps_to_choose(straight_through, 1.0),
        "draws_large": steps_to_choose(sampled, 1.0),
        "half": np.log(3 + 8**0.5),
    }
