"""A small training experiment: how β, the step size and the size of the first matrix act together."""

from functools import cache

import numpy as np

from lib import softmax, softmax_vjp


@cache
def problems(d=16, n=7, queries=64, seeds=4):
    """Random problems: the tokens that ask, those that are asked, their values, what is wanted, a first matrix.

    Wanted is the value of the token that a hidden matrix scores best. The components of all tokens have variance
    1, and the first matrix gives scores of variance d, as random queries and keys of width d have.
    """
    draw = np.random.default_rng(0)
    h = draw.standard_normal((seeds, queries, d))
    others, v = draw.standard_normal((seeds, n, d)), draw.standard_normal((seeds, n, 1))
    hidden, first = draw.standard_normal((2, seeds, d, d)) / d**0.5
    best = (h @ hidden @ others.mT).argmax(axis=-1)  # (seeds, queries)
    return h, others, v, np.take_along_axis(v[..., 0], best, axis=-1)[..., None], first


def train(beta, step, start=1.0, steps=100, adam=False):
    """Learn where to look: the loss at every step, and what βW has become.

    `beta`, `step` and `start` may be lists, one entry for each run; all runs
    are followed on the same problems.
    """
    h, others, v, wanted, first = problems()
    runs = np.broadcast_arrays(np.atleast_1d(beta), step, start)
    beta, step, start = (x.reshape(-1, 1, 1, 1) for x in runs)
    W = start * first  # (runs, seeds, d, d)
    mean, square, losses = 0.0, 0.0, []
    for t in range(1, steps + 1):
        scores = h @ W @ others.mT  # (runs, seeds, queries, n)
        weights = softmax(scores, beta)
        miss = weights @ v - wanted  # (runs, seeds, queries, 1)
        losses.append((miss**2).mean(axis=(1, 2, 3)) / 2)
        # Back from the loss through softmax to the scores, and on to W.
        slope = softmax_vjp(weights, miss * v.mT / miss.shape[2], beta)
        change = h.mT @ slope @ others  # ∂L/∂W, (runs, seeds, d, d)
        if adam:  # divides by the usual size of the gradient, entry by entry
            mean = 0.9 * mean + 0.1 * change
            square = 0.999 * square + 0.001 * change**2
            change = mean / (1 - 0.9**t) / np.sqrt(square / (1 - 0.999**t))
        W = W - step * change
    return np.stack(losses, axis=-1), beta * W


@cache
def least_loss(beta):
    """What training leaves of the loss with the best of nine step sizes, from 1/8 to 32 over β²."""
    losses, _ = train(beta, 2.0 ** np.arange(-3, 6) / beta**2)
    return float(losses[:, -1].min())
