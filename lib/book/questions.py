"""Every exercise of the book in one place: what it asks, how it is judged, why the answer is right, a hint."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from lib import beta_for_kl, kl_divergence, softmax
from lib.book.example import SCORES, TOKENS
from lib.book.judging import choice, function, number, show, weights, words
from lib.book.scaling import train
from lib.book.solver import maximise

S = np.array(SCORES)
N = len(S)
U = np.full(N, 1 / N)
EXERCISES = {}  # id -> Exercise


@dataclass(frozen=True)
class Exercise:
    """One exercise: the question in a line, and what `check` needs."""

    asks: str
    judge: callable
    why: str
    hint: str


# Why KL


def _earns(p):
    """What the objective with the divergence the wrong way round makes of weights, at β = 1."""
    return float(p @ S - kl_divergence(U, p))


def _earns_less(p):
    best = maximise(_earns, N)
    if np.abs(p - best).max() <= 2e-3:
        return None
    return f"these weights earn {_earns(p):.4f}, and {show(best.round(3))} earn {_earns(best):.4f}"


EXERCISES["kl-1"] = Exercise(
    "Which weights maximise ⟨π, s⟩ − KL(u‖π) on the running example, with β = 1?",
    weights(N, _earns_less),
    "The weights are one over the gap to a level above the best score: no exponential, and longer tails.",
    "Set the derivative in πᵢ to a constant μ and solve for πᵢ; bisect for the μ with which they sum to 1.",
)


def _nulls():
    rng = np.random.default_rng(1)
    yield S, 1.0, U
    for beta in (0.25, 2.0, -1.0):
        yield rng.normal(size=5), beta, rng.dirichlet(np.ones(5))
    yield rng.normal(size=3), 1.5, np.array([0.5, 0.0, 0.5])  # a null that rules a token out
    yield rng.normal(size=3), 1.5, np.array([2.0, 1.0, 5.0])  # not normalised


EXERCISES["kl-2"] = Exercise(
    "Write shifted(scores, beta, prior): scores whose plain softmax at beta is the softmax with that prior.",
    function(
        "shifted",
        lambda s, beta, u: s + np.log(u) / beta,
        _nulls,
        seen=lambda result, s, beta, u: softmax(np.asarray(result, dtype=float), beta),
    ),
    "A null is a score of (1/β) log u: whoever adds a bias to the scores has chosen a null.",
    "uᵢ e^(βsᵢ) is one exponential: put log uᵢ into it, and take β out again.",
)


def _tokens_needed():
    return next(m for m in range(1, 10_000) if np.sqrt(m * 0.1 / 2) >= 0.5 - 1e-12)


EXERCISES["kl-3"] = Exercise(
    "Weights keep to 0.1 nats. How many tokens does anyone need, at least, for an edge of one half?",
    number(
        _tokens_needed,
        lambda m: (
            f"by Pinsker {m:g} tokens allow an edge of {np.sqrt(max(m, 0) * 0.1 / 2):.3f}"
            + (", and fewer are enough for a half" if m > _tokens_needed() else "; asked is a half")
        ),
        rtol=1e-9,
    ),
    "Pinsker's bound reaches a half there; a real test may need more.",
    "The edge on m tokens is at most √(0.1 m/2).",
)


def _side_of_limit():
    prior = np.where(np.arange(N) == S.argmax(), 0.1, 0.9 / (N - 1))
    return "infinite" if np.isinf(beta_for_kl(S, 2.5, prior=prior)) else "finite"


EXERCISES["kl-4"] = Exercise(
    'A null gives the best token 0.1. The budget is 2.5 nats. Is β "finite" or "infinite"?',
    choice(
        ("finite", "infinite"),
        _side_of_limit,
        lambda said: f"all the weight on the best token costs log(1/0.1) = {-np.log(0.1):.3f} of the 2.5 nats",
    ),
    "Certainty costs log(1/0.1), less than the budget, so the budget does not bind.",
    "What does it cost to put all the weight on a token to which the null gives 0.1?",
)

# Temperature

COLLAPSED = np.array([10.0, 0.1, 0.1, 0.1])


def _winner(temperature):
    return softmax(COLLAPSED, 1 / temperature)[0] if temperature > 0 else np.nan


EXERCISES["temperature-1"] = Exercise(
    "At which temperature does the winner of [10, 0.1, 0.1, 0.1] have a weight of 0.7?",
    number(
        lambda: brentq(lambda temperature: _winner(temperature) - 0.7, 0.1, 100),
        lambda t: (
            f"at T = {t:g} the winner has {show(_winner(t))}; asked is 0.7"
            if t > 0
            else f"T = {t:g} is not a temperature: it must be above 0"
        ),
    ),
    "At this T three others with odds e^(−9.9/T) each share 0.3.",
    "Odds of 0.3 to 0.7 against the winner are those of three others, each e^(−9.9/T).",
)


def _path(word):
    return softmax(S, np.linspace(0, 12, 1201)[:, None])[:, TOKENS.index(word)]


def _rise_and_fall():
    inside = [word for word in TOKENS if 0 < _path(word).argmax() < 1200]
    return set(inside)


def _course(word, belongs):
    path = _path(word)
    return (
        f"the weight of {word!r} is {path[0]:.3f} at β = 0, at most {path.max():.3f} on the way, and "
        f"{path[-1]:.3f} at β = 12: it {'belongs' if belongs else 'does not belong'} here"
    )


EXERCISES["temperature-2"] = Exercise(
    "Which words of the running example have a weight that first rises with β > 0 and later falls?",
    words(tuple(dict.fromkeys(TOKENS)), _rise_and_fall, _course),
    "Their scores lie above the mean under the null, and below the best.",
    "A weight rises while its score is above the average of the scores. What is that average at β = 0?",
)


def _lead(n, beta, share):
    """The least lead for a share, found on `softmax` by bisection; 0 where none is needed."""

    def has(lead):
        return softmax(np.array([lead, 0.0]), beta, prior=np.array([1.0, n - 1.0]))[0]

    return 0.0 if has(0.0) >= share else brentq(lambda lead: has(lead) - share, 0.0, 1e4 / beta, xtol=1e-13)


EXERCISES["temperature-3"] = Exercise(
    "Write lead(n, beta, share): the least lead ≥ 0 of one score over n − 1 others that gives it that share.",
    function(
        "lead",
        _lead,
        lambda: [(2, 1.0, 0.9), (7, 2.0, 0.5), (100_000, 1.0, 0.9), (1000, 0.125, 0.99), (10, 1.0, 0.05)],
    ),
    "The lead grows with log n and falls with β; no lead is needed for less than an equal share.",
    "Solve 1/share − 1 = (n − 1) e^(−β lead), and mind a share below 1/n.",
)


def _rows():
    rng = np.random.default_rng(2)
    yield softmax(S, 1.0), 0.5
    for factor in (2.0, 10.0, -1.0):
        yield rng.dirichlet(np.ones(5)), factor
    yield np.array([0.5, 0.5, 0.0]), 0.0  # a weight of 0 is out, at every temperature
    yield np.full(1000, 1e-3), 500.0  # the powers underflow


def _retempered(weights, factor):
    with np.errstate(divide="ignore"):
        return softmax(np.log(weights), factor)


EXERCISES["temperature-4"] = Exercise(
    "Write retempered(weights, factor): the weights of the same scores at factor · β.",
    function("retempered", _retempered, _rows),
    "Raised to the factor and normalised, over their largest first; weights of 0 stay out.",
    "Weights are e^(βs) up to a constant, so their powers are weights again. Try 0⁰, and powers that underflow.",
)


def _strays(step):
    """How far a run at β = 1/2, from twice the matrix, is from the run at β = 1 with steps of 1."""
    run = train([1.0, 0.5], [1.0, step], [1.0, 2.0], steps=20)
    return abs(run.losses[0] - run.losses[1]).max(), run.losses[:, -1]


def _step():
    return next(step for step in (0.25, 0.5, 1.0, 2.0, 4.0) if _strays(step)[0] < 1e-12)


def _other_loss(step):
    was, became = _strays(step)[1]
    return f"after 20 steps the loss is {became:.4f}; in the run to be retraced it is {was:.4f}"


EXERCISES["temperature-5"] = Exercise(
    "β is halved and the matrix doubled, so that βs is as before. By what must the step size be multiplied?",
    number(_step, _other_loss, rtol=1e-6),
    "One factor of β is in the gradient, and one in what a step of the matrix does to βs.",
    "Write the step of W, then multiply it by β to see the step of βW.",
)
