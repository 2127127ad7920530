"""Every exercise of the book in one place: what it asks, how it is judged, why the answer is right, a hint."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from lib import beta_for_kl, kl_divergence, log_softmax, softmax
from lib.book.example import SCORES, TOKENS
from lib.book.judging import choice, function, number, show, weights, words
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
    return f"on {show(S)} these weights earn {_earns(p):.4f}, and others earn {_earns(best):.4f}"


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
        gives="leads to the weights",
    ),
    "A null is a score of (1/β) log u: whoever adds a bias to the scores has chosen a null.",
    "uᵢ e^(βsᵢ) is one exponential: put log uᵢ into it, and take β out again.",
)


def _side_of_limit():
    prior = np.where(np.arange(N) == S.argmax(), 0.1, 0.9 / (N - 1))
    return "infinite" if np.isinf(beta_for_kl(S, 2.5, prior=prior)) else "finite"


EXERCISES["kl-3"] = Exercise(
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
    return {word for word in TOKENS if 0 < _path(word).argmax() < 1200}


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


EXERCISES["temperature-3"] = Exercise(
    "Write retempered(weights, factor): the weights of the same scores at factor · β.",
    function("retempered", _retempered, _rows),
    "Raised to the factor and normalised, over their largest first; weights of 0 stay out.",
    "Weights are e^(βs) up to a constant, so their powers are weights again. Try 0⁰, and powers that underflow.",
)


def _strays(step):
    """How far a run at β = 1/2, from twice the matrix, is from the run at β = 1 with steps of 1."""
    from lib.book.scaling import train  # which needs torch: only this exercise does

    run = train([1.0, 0.5], [1.0, step], [1.0, 2.0], steps=20)
    return abs(run.losses[0] - run.losses[1]).max(), run.losses[:, -1]


def _step():
    return next(step for step in (0.25, 0.5, 1.0, 2.0, 4.0) if _strays(step)[0] < 1e-12)


def _other_loss(step):
    was, became = _strays(step)[1]
    return f"after 20 steps the loss is {became:.4f}; in the run to be retraced it is {was:.4f}"


EXERCISES["temperature-4"] = Exercise(
    "β is halved and the matrix doubled, so that βs is as before. By what must the step size be multiplied?",
    number(_step, _other_loss, rtol=1e-6),
    "One factor of β is in the gradient, and one in what a step of the matrix does to βs.",
    "Write the step of W, then multiply it by β to see the step of βW.",
)


# Attention


def _cat_to_milk(beta):
    log_weights = log_softmax(S, beta)
    return np.exp(log_weights[TOKENS.index("cat")] - log_weights[TOKENS.index("milk")])


EXERCISES["attention-1"] = Exercise(
    "Which β gives cat ten times the weight of milk?",
    number(
        lambda: brentq(lambda beta: _cat_to_milk(beta) - 10, 0.0, 100.0),
        lambda beta: f"at β = {beta:g} cat has {show(_cat_to_milk(beta))} times the weight of milk; asked is 10",
    ),
    "The odds are e^(β/2), and the scores of the other five do not matter.",
    "Their gap is half a point. What factor in the odds is a gap of Δ?",
)


def _one_less():
    yield softmax(S, 1.0), 1
    for i in (0, 4):
        yield np.random.default_rng(i).dirichlet(np.ones(5)), i
    yield softmax(np.array([0.0, 34.0, 1.0]), 1.0), 1  # nearly all of it: 1 − π has lost its digits


EXERCISES["attention-2"] = Exercise(
    "Write without(weights, i): the row of weights after key i has been masked, from the weights alone.",
    function(
        "without",
        lambda weights, i: softmax(np.log(weights), where=np.arange(len(weights)) != i),
        _one_less,
    ),
    "What was given to key i is shared out in proportion: the odds of the others stay as they were.",
    "Set the weight to 0 and divide by the sum of what is left; 1 − π is that sum, but with fewer digits.",
)

_ROOT = 0.5**0.5
MATRICES = {
    "rotation": np.array([[_ROOT, -_ROOT], [_ROOT, _ROOT]]),
    "reflection": np.array([[1.0, 0.0], [0.0, -1.0]]),
    "permutation": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "scaling": np.array([[2.0, 0.0], [0.0, 2.0]]),
    "shear": np.array([[1.0, 1.0], [0.0, 1.0]]),
}


def _moved(word):
    """By how much the product of two vectors changes when both go through the matrix."""
    q, k = np.array([1.0, 0.5]), np.array([0.2, 1.0])
    return abs((MATRICES[word] @ q) @ (MATRICES[word] @ k) - q @ k)


EXERCISES["attention-3"] = Exercise(
    "Which may be applied to queries and keys alike: rotation, reflection, permutation, scaling, shear?",
    words(
        tuple(MATRICES),
        lambda: {word for word in MATRICES if _moved(word) < 1e-12},
        lambda word, belongs: (
            f"a {word} changes {'no product' if belongs else 'the product of (1, ½) and (0.2, 1)'}, "
            f"and is {'missing' if belongs else 'in your list'}"
        ),
    ),
    "They keep all dot products: MᵀM = 1.",
    "(Mq)·(Mk) is q·k for all q and k just when MᵀM is the identity.",
)
