"""A general-purpose solver for problems over weights, slopes, and steps along them. None makes use of softmax."""

import numpy as np
from scipy.optimize import minimize

from lib import kl_divergence


def maximise(gain, size, *constraints):
    """Climb from equal weights until no slope leads up, constraints ≥ 0."""
    one = {"type": "eq", "fun": lambda p: p.sum() - 1}
    rest = [{"type": "ineq", "fun": constraint} for constraint in constraints]
    done = minimize(
        lambda p: -gain(p),
        x0=np.full(size, 1 / size),
        bounds=[(1e-12, 1)] * size,  # just above 0: logarithms stay finite
        constraints=[one, *rest],
        method="SLSQP",  # for smooth functions under constraints
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return done.x if np.isfinite(done.fun) else np.full(size, np.nan)


def most_score(scores, null, budget):
    """The weights with the largest expected score whose divergence from `null` is at most `budget` nats."""
    return maximise(lambda p: p @ scores, len(null), lambda p: budget - kl_divergence(p, null))


def least_divergence(scores, null, score):
    """The weights closest to `null`, in divergence, whose expected score is at least `score`."""
    return maximise(lambda p: -kl_divergence(p, null), len(null), lambda p: p @ scores - score)


def slope(function, x, h=1e-3):
    """The derivative of `function` at `x` by a central difference, off by about h²/6 of the third derivative."""
    return (function(x + h) - function(x - h)) / (2 * h)


class Adam:
    """Each entry of a gradient divided by its own usual size, plus a `tiny` number: with 1e-8 as torch has it."""

    def __init__(self, tiny=1e-8):
        self.mean, self.square, self.t, self.tiny = 0.0, 0.0, 0, tiny

    def __call__(self, step):
        self.t += 1
        self.mean = 0.9 * self.mean + 0.1 * step
        self.square = 0.999 * self.square + 0.001 * step**2
        return self.mean / (1 - 0.9**self.t) / (np.sqrt(self.square / (1 - 0.999**self.t)) + self.tiny)
