"""A small classifier of made-up things, whose true probabilities are known because they were made up first."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from lib import log_softmax, softmax

KINDS, FEATURES = 4, 20


@dataclass(frozen=True)
class Things:
    """Things with `features` (m, FEATURES), the true `chances` (m, KINDS) of each kind, and the `kind` of each."""

    features: np.ndarray
    chances: np.ndarray
    kind: np.ndarray


def world(seed, *counts):
    """Sets of so many things each, of one world: each kind is drawn from softmax of true logits."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(FEATURES, KINDS)) / 3
    for m in counts:
        features = rng.normal(size=(m, FEATURES))
        chances = softmax(features @ truth)
        drawn = (rng.random((m, 1)) > np.cumsum(chances, axis=1)).sum(axis=1)
        yield Things(features, chances, np.minimum(drawn, KINDS - 1))


def log_loss(logits, kind, beta=1.0):
    """The mean log loss, in nats, of softmax(beta * logits)."""
    return -log_softmax(logits, beta)[np.arange(len(kind)), kind].mean()


def fit(things):
    """The matrix (FEATURES, KINDS) that makes the log loss of these things nearly as small as it goes."""

    def loss_and_gradient(flat):
        logits = things.features @ flat.reshape(FEATURES, KINDS)
        miss = softmax(logits) - np.eye(KINDS)[things.kind]  # (m, KINDS): the gradient at the logits
        return log_loss(logits, things.kind), (things.features.T @ miss).ravel() / len(miss)

    found = minimize(
        loss_and_gradient, np.zeros(FEATURES * KINDS), jac=True, method="L-BFGS-B", options={"maxiter": 60}
    )
    return found.x.reshape(FEATURES, KINDS)


def best_temperature(logits, kind):
    """The T whose softmax(logits / T) has the least log loss."""
    return minimize_scalar(lambda t: log_loss(logits, kind, 1 / t), bounds=(0.1, 50), method="bounded").x


def said_and_true(logits, things, beta=1.0):
    """What the weights say of the kind put first, and how likely it truly is: two means over the things."""
    weights = softmax(logits, beta)
    first = weights.argmax(axis=1)
    each = np.arange(len(first))
    return weights[each, first].mean(), things.chances[each, first].mean()


def distances(logits, things, beta=1.0, parts=10):
    """How far the mean weight of the kind put first is from its mean true chance, in each tenth by that weight."""
    weights = softmax(logits, beta)
    first = weights.argmax(axis=1)
    each = np.arange(len(first))
    off = weights[each, first] - things.chances[each, first]
    return np.array([abs(off[part].mean()) for part in np.array_split(weights[each, first].argsort(), parts)])
