"""Other divergences and other derivations of softmax, each followed exactly on a small example."""

import numpy as np

from book.figures.tell import DIRECT, score_sum
from lib import kl_divergence


def product_of_margins(weights):
    """What weights of shape (k, l) would be if their two indices were independent."""
    return np.outer(weights.sum(axis=1), weights.sum(axis=0))


def mutual_information(weights):
    """How far weights of shape (k, l) are from the product of their margins, in nats."""
    return float(kl_divergence(weights.ravel(), product_of_margins(weights).ravel()))


def power_weights(scores, null, beta, order):
    r"""The weights that are best when a power divergence takes the place of KL.

    They maximise ⟨π, s⟩ − D(π)/β with D(π) = Σ u φ(π/u) and φ(x) = (xᵅ − 1 − α(x − 1))/(α(α − 1)), where
    α is `order`: 1 is KL, 2 is half of χ², 0 is KL the other way round. Where they are positive,
    φ′(π/u) = βs − λ; the λ that makes them sum to 1 is found by bisection.

    >>> power_weights(np.array([1.0, 0.0]), np.array([0.5, 0.5]), beta=1.0, order=2).round(3).tolist()
    [0.75, 0.25]
    """
    power = beta * np.asarray(scores, dtype=float)

    def weights(level):
        if order == 1:
            return null * np.exp(power - level)
        base = np.maximum(0.0, 1 + (order - 1) * (power - level))
        with np.errstate(divide="ignore"):
            return null * base ** (1 / (order - 1))

    low, high = power.min(), power.max()  # at the one all weights are at least u, at the other at most
    for _ in range(200):
        level = (low + high) / 2
        low, high = (level, high) if weights(level).sum() > 1 else (low, level)
    return weights(high)


def still_to_gain(weights, scores, null, beta, order, step=1e-6):
    """The steepest rise of ⟨π, s⟩ − D(π)/β on the way from `weights` to all weight on one token.

    D is the power divergence of `power_weights`, here by its definition. What is climbed is concave. So no way
    rises from the best weights, and from all others one does, unless they are so near that `step` passes the top.

    >>> problem = np.array([1.0, 0.0]), np.array([0.5, 0.5]), 1.0, 2
    >>> bool(still_to_gain(np.array([0.75, 0.25]), *problem) < 1e-9)
    True
    >>> round(float(still_to_gain(np.array([0.7, 0.3]), *problem)), 3)
    0.06
    """

    def gain(p):
        x = p / null
        if order == 0:
            f = x - 1 - np.log(x)
        elif order == 1:
            f = x * np.log(x) - (x - 1)
        else:
            f = (x**order - 1 - order * (x - 1)) / (order * (order - 1))
        return p @ scores - null @ f / beta

    ways = (1 - step) * weights + step * np.eye(len(weights))  # (n, n): a step towards each token
    return max(gain(p) - gain(weights) for p in ways) / step


def first_given_mean(scores, null, m, at_least):
    """The chance of each token to be the first of `m` drawn from `null`, if their mean score is `at_least` that.

    By Bayes' rule it is the null times the chance that the other m − 1 make up the rest of the score. That
    chance may be tiny, so it must be right relative to itself, which `score_sum` promises up to DIRECT tokens.
    """
    if m - 1 > DIRECT:
        raise ValueError(f"first_given_mean: m must be at most {DIRECT + 1}; got {m}")
    scores, null = np.asarray(scores, dtype=float), np.asarray(null, dtype=float)
    sums, chances = score_sum(scores, null, m - 1)
    tail = np.append(np.cumsum(chances[::-1])[::-1], 0.0)  # chance of a sum of at least sums[k]
    joint = null * tail[np.searchsorted(sums, m * at_least - scores - 1e-9)]
    return joint / joint.sum()


def gaussian_smoother(query, keys, beta):
    """The weights of Nadaraya–Watson smoothing with a Gaussian kernel of width 1/√β: one per key."""
    kernel = np.exp(-beta / 2 * ((keys - query) ** 2).sum(axis=-1))
    return kernel / kernel.sum()
