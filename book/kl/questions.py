"""The exercises of the chapter *kl*."""

import numpy as np

from book.example import n, s, u
from book.judging import Exercise, choice, function, number, show, weights
from book.solver import maximise
from lib import beta_for_kl, kl_divergence, objective, softmax


def _earns(p):
    """What the objective with the divergence the wrong way round makes of weights, at β = 1."""
    return float(p @ s - kl_divergence(u, p))


def _earns_less(p):
    best = maximise(_earns, n)
    if np.abs(p - best).max() <= 2e-3:
        return None
    return f"on {show(s)} these weights earn {_earns(p):.4f}, and others earn {_earns(best):.4f}"


WRONG_WAY_ROUND = Exercise(
    "Which weights maximise ⟨π, s⟩ − KL(u‖π) on the running example, with β = 1?",
    weights(n, _earns_less),
    "The weights are 1/n over the gap to a level above the best score: no exponential, and longer tails.",
    "Set the derivative in πᵢ to a constant λ and solve for πᵢ; bisect for the λ with which they sum to 1.",
)


def _nulls():
    rng = np.random.default_rng(1)
    yield s, 1.0, u
    for beta in (0.25, 2.0, -1.0):
        yield rng.normal(size=5), beta, rng.dirichlet(np.ones(5))
    yield rng.normal(size=3), 1.5, np.array([0.5, 0.0, 0.5])  # a null that rules a token out
    yield rng.normal(size=3), 1.5, np.array([2.0, 1.0, 5.0])  # not normalised


NULL_IS_A_SCORE = Exercise(
    "Write shifted(scores, beta, prior): scores whose plain softmax at beta is the softmax with that prior.",
    function(
        "shifted",
        lambda s, beta, u: s + np.log(u) / beta,
        _nulls,
        seen=lambda result, s, beta, u: softmax(np.asarray(result, dtype=float), beta),
        gives="leads to the weights",
    ),
    "A null is a score of (1/β) log u: whoever adds a bias to the scores has chosen a null.",
    "uᵢ e^(βsᵢ) is one exponential: put log uᵢ into it, and take β out again.",
)


def _side_of_limit():
    null = np.where(np.arange(n) == s.argmax(), 0.1, 0.9 / (n - 1))
    return "infinite" if np.isinf(beta_for_kl(s, 2.5, prior=null)) else "finite"


ENOUGH_TO_BE_CERTAIN = Exercise(
    'A null gives the best token 0.1. The budget is 2.5 nats. Is β "finite" or "infinite"?',
    choice(
        ("finite", "infinite"),
        _side_of_limit,
        lambda said: f"all the weight on the best token costs log(1/0.1) = {-np.log(0.1):.3f} of the 2.5 nats",
    ),
    "Certainty costs log(1/0.1), less than the budget, so the budget does not bind.",
    "What does it cost to put all the weight on a token to which the null gives 0.1?",
)

EVEN_AT_TWO = Exercise(
    "At β = 2, how many points of J do equal weights lose against the best, on the running example?",
    number(
        lambda: objective(softmax(s, 2.0), s, 2.0) - objective(u, s, 2.0),
        lambda loss: (
            f"equal weights keep {objective(u, s, 2.0):.4f}, so the best would keep "
            f"{objective(u, s, 2.0) + loss:.4f}; softmax at β = 2 keeps {objective(softmax(s, 2.0), s, 2.0):.4f}"
        ),
    ),
    "It is ½ log Z less the mean score, and just as well ½ KL(u‖π⋆).",
    "Equal weights pay nothing. What is the best worth, and what do equal weights earn?",
)

EXERCISES = [EVEN_AT_TWO, NULL_IS_A_SCORE, WRONG_WAY_ROUND, ENOUGH_TO_BE_CERTAIN]
