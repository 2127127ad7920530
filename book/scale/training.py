"""A small training experiment: how β, the step size and the size of the first matrix act together."""

from functools import cache

import numpy as np

from book.solver import Adam
from lib import softmax, softmax_vjp

STEP_SIZES = 2.0 ** np.arange(-6, 4)  # over β²: from 1/64 to 8
ADAM_SIZES = 0.1 * 2.0 ** np.arange(-10, 2)  # over β: twelve, from 1/10 240 to 1/5


@cache
def problems(n=7, width=1, d=64, queries=64, seeds=4):
    """Random problems: the tokens that ask, those that are asked, their values, what is wanted, a first matrix.

    Wanted is the value, of `width` numbers, of the token that a hidden matrix scores best. The components of all
    tokens have variance 1, and the first matrix gives scores of variance d, as random queries and keys of width d
    have.
    """
    draw = np.random.default_rng(0)
    h = draw.standard_normal((seeds, queries, d))
    others, v = draw.standard_normal((seeds, n, d)), draw.standard_normal((seeds, n, width))
    hidden, first = draw.standard_normal((2, seeds, d, d)) / d**0.5
    best = (h @ hidden @ others.mT).argmax(axis=-1)  # (seeds, queries)
    return h, others, v, np.take_along_axis(v, best[..., None], axis=1), first


def _loss(W, beta, n=7, width=1):
    """The loss of each run, half the mean squared error, and its gradient with respect to W."""
    h, others, v, wanted, _ = problems(n, width)
    weights = softmax(h @ W @ others.mT, beta)  # (runs, seeds, queries, n)
    miss = weights @ v - wanted  # (runs, seeds, queries, d_v)
    # Back from the loss through softmax to the scores, and on to W.
    slope = softmax_vjp(weights, miss @ v.mT / (miss.shape[2] * width), beta)
    return (miss**2).mean(axis=(1, 2, 3)) / 2, h.mT @ slope @ others  # ∂L/∂W, (runs, seeds, d, d)


def _runs(*settings):
    """One entry for each run, to be multiplied with its matrices."""
    return (x.reshape(-1, 1, 1, 1) for x in np.broadcast_arrays(*map(np.atleast_1d, settings)))


def _plain(change):
    return change


def train(beta, step, start=1.0, steps=100, adam=False, n=7, width=1):
    """Learn where to look: the loss before the first step and after each, and what βW has become.

    `beta`, `step` and `start` may be lists, one entry for each run; all runs
    are followed on the same problems.
    """
    beta, step, start = _runs(beta, step, start)
    W = start * problems(n, width)[-1]  # (runs, seeds, d, d)
    rule = Adam(tiny=0.0) if adam else _plain
    loss, change = _loss(W, beta, n, width)
    losses = [loss]
    for _ in range(steps):
        W = W - step * rule(change)
        loss, change = _loss(W, beta, n, width)
        losses.append(loss)
    return np.stack(losses, axis=-1), beta * W


def train_two(beta, step, start=1.0, steps=100, adam=False):
    """βW after steps of two matrices, W = W_QᵀW_K, both `start` times as large at first."""
    beta, step, start = _runs(beta, step, start)
    query = start * problems()[-1]  # (runs, seeds, d, d), as all here
    key = np.roll(query, 1, axis=1)  # the first matrix of the next problem
    query_rule, key_rule = (Adam(tiny=0.0), Adam(tiny=0.0)) if adam else (_plain, _plain)
    for _ in range(steps):
        _, change = _loss(query.mT @ key, beta)
        moves = query_rule(key @ change.mT), key_rule(query @ change)  # from ∂L/∂W_Q and ∂L/∂W_K
        query, key = query - step * moves[0], key - step * moves[1]
    return beta * query.mT @ key


@cache
def _best(beta, n=7, width=1, adam=False):
    """What the best of `STEP_SIZES`, or with Adam of `ADAM_SIZES`, leaves of the loss, and its βW."""
    sizes = ADAM_SIZES / beta if adam else STEP_SIZES / beta**2
    losses, learnt = train(beta, sizes, adam=adam, n=n, width=width)
    best = losses[:, -1].argmin()
    return float(losses[best, -1]), learnt[best]


def least_loss(beta, n=7, width=1, adam=False):
    """What training leaves of the loss with the best of ten plain step sizes, or of Adam's twelve."""
    return _best(beta, n, width, adam)[0]


def losses_left(beta, adam=False):
    """What these steps leave of the loss in each of the first experiment's problems; `least_loss` is their mean.

    >>> bool(np.isclose(losses_left(1 / 8).mean(), least_loss(1 / 8)))
    True
    """
    h, others, v, wanted, _ = problems()
    miss = softmax(h @ _best(beta, adam=adam)[1] @ others.mT) @ v - wanted  # (seeds, queries, d_v)
    return (miss**2).mean(axis=(1, 2)) / 2


def even_loss(n=7, width=1):
    """What even weights leave of the loss."""
    _, _, v, wanted, _ = problems(n, width)
    return float(((v.mean(axis=1, keepdims=True) - wanted) ** 2).mean() / 2)


def first_gradients(beta, n=7, width=1):
    """The length of each query's gradient of half its squared error before training: (seeds, queries)."""
    h, others, v, wanted, first = problems(n, width)
    weights = softmax(h @ first @ others.mT, beta)  # (seeds, queries, n)
    back = softmax_vjp(weights, (weights @ v - wanted) @ v.mT, beta)  # (seeds, queries, n)
    return np.linalg.norm(back @ others, axis=-1)


def _state(beta, trained, sure, miss, adam=False, **task):
    """Which queries are sure, with more than `sure` of their weight on one token, and which miss by over `miss`.

    After training with the best step size; or, with `trained` False, before the first step. Where values
    have more than one number, the miss is the root of the mean square over them.
    """
    h, others, v, wanted, first = problems(**task)
    learnt = _best(beta, adam=adam, **task)[1] if trained else beta * first
    weights = softmax(h @ learnt @ others.mT)  # (seeds, queries, n)
    off = np.sqrt(((weights @ v - wanted) ** 2).mean(axis=-1))  # (seeds, queries)
    return weights.max(axis=-1) > sure, off > miss


def stuck(beta, trained=True, sure=0.9, miss=0.5, **task):
    """Which queries are sure of one token, and have an output that is off by more than `miss`."""
    certain, wrong = _state(beta, trained, sure, miss, **task)
    return certain & wrong


def unsure(beta, trained=True, sure=0.9, miss=0.5, **task):
    """Which queries have an output that is off by as much, and are not sure."""
    certain, wrong = _state(beta, trained, sure, miss, **task)
    return ~certain & wrong
