"""What may free queries that are sure and wrong: parameters of their own, or gradients of one length."""

from functools import cache

import numpy as np

from book.scale.training import ADAM_SIZES, problems
from book.solver import Adam
from lib import softmax, softmax_vjp

LENGTHS = 2.0 ** np.arange(-12, 0)  # of the gradients of the first step: twelve


def _miss(scores, n=7, width=1):
    """The weights, and what the outputs miss: (runs, seeds, queries, n) and (..., width)."""
    _, _, v, wanted, _ = problems(n, width)
    weights = softmax(scores)
    return weights, weights @ v - wanted


def stuck_alone(beta, steps=100):
    """Which queries are sure and wrong if Adam moves the scores of each query by themselves: no W, nothing shared.

    The start, the loss and what counts as sure and wrong are those of the first experiment. A score moves where
    W has 64 · 64 entries, so steps are 64 times as long; the best of them is taken.
    """
    h, others, v, _, first = problems()
    sizes = 64 * ADAM_SIZES[:, None, None, None]
    scores, rule = np.repeat((beta * h @ first @ others.mT)[None], len(sizes), axis=0), Adam(tiny=0.0)
    for _ in range(steps):
        weights, miss = _miss(scores)
        scores = scores - sizes * rule(softmax_vjp(weights, miss @ v.mT / miss.shape[2]))
    weights, miss = _miss(scores)
    best = (miss**2).mean(axis=(1, 2, 3)).argmin()
    return (weights[best].max(axis=-1) > 0.9) & (np.abs(miss[best, ..., 0]) > 0.5)


@cache
def least_loss_alike(beta, n=7, width=1, steps=100):
    """What training leaves of the loss if at each step the gradients of all queries have one length.

    The gradients are those in each query. Their length fades evenly to 0 over the steps, and the best of
    twelve lengths is taken.
    """
    h, others, v, _, first = problems(n, width)
    W = np.repeat(beta * first[None], len(LENGTHS), axis=0)  # (runs, seeds, d, d)
    for step in range(steps):
        weights, miss = _miss(h @ W @ others.mT, n, width)
        slope = softmax_vjp(weights, miss @ v.mT)  # (runs, seeds, queries, n)
        sizes = np.linalg.norm(slope @ others, axis=-1, keepdims=True)  # of ∂L/∂q
        slope = slope / np.where(sizes == 0, 1, sizes)
        W = W - LENGTHS[:, None, None, None] * (1 - step / steps) * (h.mT @ slope @ others)
    _, miss = _miss(h @ W @ others.mT, n, width)
    return float(((miss**2).mean(axis=(1, 2, 3)) / 2).min())
