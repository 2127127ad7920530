"""The best weights at a price or within a budget, by each divergence of *the compromise*; what others keep."""

import math
from dataclasses import dataclass

import numpy as np

import lib

inf = math.inf

# Each divergence by the α of the entropy that it comes from, and of the entmax that answers to it.
ALPHAS = {"kl": 1.0, "tsallis": 1.5, "euclidean": 2.0}


def weights(scores, alpha, beta, u):
    """The best compromise at β: softmax, entmax or sparsemax with the null u."""
    if alpha == 1:
        return lib.softmax(scores, beta, prior=u)
    return lib.entmax(scores, alpha=alpha, beta=beta, prior=u)


def bregman(p, u, alpha):
    """What weights `p` (..., n) cost: the Bregman divergence of the negative Tsallis α-entropy.

    It is factored, so that nothing cancels where `p` is near `u`.
    """
    if alpha == 1:
        return lib.kl_divergence(p, np.broadcast_to(u, np.shape(p)))
    if alpha == 2:
        return np.sum((p - u) ** 2, axis=-1) / 2
    a, b = np.sqrt(p), np.sqrt(u)  # α = 1.5
    return np.sum((a - b) ** 2 * (2 * a + b), axis=-1) * 2 / 3


def beta_for_budget(scores, alpha, epsilon, u):
    """The largest β ≥ 0 whose weights stay within ε of the null; ∞ where the budget does not bind."""
    if alpha == 1:
        return float(lib.beta_for_kl(scores, epsilon, prior=u))

    def left(beta):
        return epsilon - bregman(weights(scores, alpha, beta, u), u, alpha)

    if left(inf) >= -1e-14:  # the divergence at β = ∞ is rounded
        return inf
    far = 1500 / (scores.max() - scores[scores < scores.max()].max())  # at this β all but the best have weight 0
    if epsilon == 0 or left(far) >= 0:
        return far if epsilon else 0.0
    within, beyond = 0.0, far
    while within < (middle := (within + beyond) / 2) < beyond:  # until no float is left between them
        within, beyond = (middle, beyond) if left(middle) >= 0 else (within, middle)
    return within


@dataclass(frozen=True)
class Answer:
    """Where the compromise is, and what it costs and earns."""

    u: np.ndarray
    beta: float
    pi: np.ndarray
    spent: float
    gain: float
    left: float


def solve(scores, prior, beta, epsilon, mode, divergence) -> Answer:
    """The best weights at the price 1/β or within the budget ε."""
    scores = np.array(scores, dtype=float)
    alpha = ALPHAS[divergence]
    u = np.ones(len(scores)) if prior is None else np.array(prior, dtype=float)
    u = u / u.sum()
    if mode == "budget":
        beta = beta_for_budget(scores, alpha, epsilon, u)
    pi = weights(scores, alpha, beta, u)
    if alpha == 1 and beta < inf:  # no finite β gives a weight of exactly 0 or 1, but rounding does
        pi = np.clip(pi, math.ulp(0.0), 1 - np.finfo(float).eps)
    spent, gain = float(bregman(pi, u, alpha)), float(pi @ scores)
    return Answer(u, beta, pi, spent, gain, gain if beta == 0 else gain - spent / beta)


@dataclass(frozen=True)
class Standing:
    """Some weights, and what they earn, spend, pay and keep."""

    p: np.ndarray
    earned: float
    spent: float
    paid: float
    kept: float


def standing(p, scores, u, beta, divergence) -> Standing:
    """What weights `p` earn and keep at the price 1/β. The null pays nothing, at any price."""
    earned, spent = float(p @ np.array(scores)), float(bregman(p, u, ALPHAS[divergence]))
    paid = 0.0 if spent == 0 else inf if beta == 0 else spent / beta
    return Standing(p, earned, spent, paid, earned - paid)
