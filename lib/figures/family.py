"""What *the compromise* is between, by divergence, its answer and its sentence: the twin of js/family.js."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

import lib

from .words import fixed, percent, short

inf = math.inf


@dataclass(frozen=True)
class Kind:
    """A divergence, and the map that answers to it."""

    alpha: float
    symbol: str
    unit: str
    one: str


KINDS = {
    "kl": Kind(1.0, "KL(π‖u)", "nats", "a nat"),
    "tsallis": Kind(1.5, "D(π, u)", "", "a unit"),
    "euclidean": Kind(2.0, "½‖π − u‖²", "", "a unit"),
}


def weights(scores, alpha, beta, u):
    """The best compromise at β: softmax, entmax or sparsemax with the null u."""
    if alpha == 1:
        return lib.softmax(scores, beta, prior=u)
    return lib.entmax(scores, alpha, beta, prior=u)


def bregman(p, u, alpha):
    """What it costs to be at `p` (..., n): the Bregman divergence of the negative Tsallis α-entropy, factored."""
    if alpha == 1:
        return lib.kl_divergence(p, np.broadcast_to(u, np.shape(p)))
    if alpha == 2:
        return np.sum((p - u) ** 2, axis=-1) / 2
    a, b = np.sqrt(p), np.sqrt(u)  # α = 1.5
    return np.sum((a - b) ** 2 * (2 * a + b), axis=-1) * 2 / 3


def beta_for_budget(scores, alpha, epsilon, u):
    """The largest β ≥ 0 whose weights stay within ε of the null; ∞ where that does not bind."""
    if alpha == 1:
        return float(lib.beta_for_kl(scores, epsilon, prior=u))

    def left(beta):
        return epsilon - bregman(weights(scores, alpha, beta, u), u, alpha)

    if left(inf) >= -1e-14:  # a limit comes with its rounding
        return inf
    far = 1500 / (scores.max() - scores[scores < scores.max()].max())  # there all but the best weigh nothing
    if epsilon == 0 or left(far) >= 0:
        return far if epsilon else 0.0
    return brentq(left, 0.0, far, xtol=1e-300, rtol=1e-14)


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
    alpha = KINDS[divergence].alpha
    u = np.ones(len(scores)) if prior is None else np.array(prior, dtype=float)
    u = u / u.sum()
    if mode == "budget":
        beta = beta_for_budget(scores, alpha, epsilon, u)
    pi = weights(scores, alpha, beta, u)
    if alpha == 1 and beta < inf:  # an edge is reached by rounding alone
        pi = np.clip(pi, math.ulp(0.0), 1 - np.finfo(float).eps)
    spent, gain = float(bregman(pi, u, alpha)), float(pi @ scores)
    return Answer(u, beta, pi, spent, gain, gain if beta == 0 else gain - spent / beta)


def _points(x: float) -> str:
    return f"{short(x)} point{'' if short(x) == '1' else 's'}"


def compromise(tokens, scores, prior, beta, epsilon, mode, divergence) -> str:
    """The state of *the compromise* in plain words."""
    kind = KINDS[divergence]
    answer = solve(scores, prior, beta, epsilon, mode, divergence)
    beta, pi, spent = answer.beta, answer.pi, fixed(answer.spent, 2)
    if min(scores) == max(scores):
        return "The scores are equal, so the best choice is the null itself."
    shares = ", ".join(f"“{token}” {percent(w)}" for token, w in zip(tokens, pi, strict=True))
    first = int((pi > 0).sum())
    best = f"“{tokens[int(pi.argmax())]}”" if first == 1 else f"the {first} best tokens"
    if mode == "budget":
        budget = f"A budget of {short(epsilon)}{kind.unit and ' ' + kind.unit}"
        if beta == 0:
            return f"{budget} allows nothing but the null."
        if beta < inf:
            more = f"Here {kind.one} more buys {_points(1 / beta)}: the price 1/β."
            return f"{budget} is spent in full: {shares}.\n{more}"
        enough = f"{budget} is enough for all the weight on {best}, which takes {spent}."
        return f"{enough}\nMore would buy nothing: β = ∞."
    away = f"{spent}{kind.unit and ' ' + kind.unit} from the null"
    if beta == 0:
        return "At β = 0 no score is worth any divergence: the weights stay at the null."
    if beta == inf:
        return f"At β = ∞ divergence is free: all the weight is on {best}, {away}."
    reach = {
        1: "A corner at a finite β: two have exactly 0.",
        2: f"An edge at a finite β: “{tokens[int(pi.argmin())]}” has exactly 0.",
        3: "No weight is exactly 0 yet.",
    }[first]
    if divergence == "kl":
        reach = "With KL no finite β reaches an edge."
    price = f"At {_points(1 / beta)} {kind.one}"
    return f"{price} the best weights lie {away}: {shares}.\n{reach}"
