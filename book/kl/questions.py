"""The exercises of the chapter *kl*."""

import numpy as np

from book.example import n, s
from book.judging import Exercise, choice, number
from lib import beta_for_kl, kl_divergence, objective, softmax

PAIR, EVEN = np.array([1.0, 0.0]), np.array([0.5, 0.5])  # the scores of two words, and equal weights


def _earns(weight):
    """What the objective with the divergence the wrong way round makes of two weights, at β = 1."""
    p = np.array([weight, 1 - weight])
    return float(p @ PAIR - kl_divergence(EVEN, p))


def _earns_less(weight):
    if not 0 < weight < 1:
        return "a weight of 0 costs infinitely much here, so both are above 0"
    return f"so the weights earn {_earns(weight):.4f}, and others earn {_earns(0.5**0.5):.4f}"


WRONG_WAY_ROUND = Exercise(
    "Two words have 1 and 0 points. At β = 1, which weight for the first maximises ⟨π, s⟩ − KL(u‖π)?",
    number(
        lambda: 0.5**0.5,
        _earns_less,
        slips=[(softmax(PAIR)[0], "that is softmax, for the divergence the other way round")],
    ),
    "With u = ½ the weights are ½ over the gap to a level: ½/(λ − 1) and ½/λ, which sum to 1 at λ = 1 + √½.",
    "Set the derivative in πᵢ to a constant λ and solve for πᵢ. For which λ do the two sum to 1?",
)


NULL_IS_A_SCORE = Exercise(
    "β = 2. A null gives milk 3 times what each other word gets. How many points for milk would do the same?",
    number(
        lambda: np.log(3) / 2,
        lambda points: f"{points:.3g} points more are a factor of {np.exp(2 * points):.3g} at β = 2",
        slips=[
            (np.log(3), "that would be right at β = 1"),
            (-np.log(3) / 2, "the null prefers milk, so milk gets more points"),
            (3, "a factor in the null is not as many points"),
        ],
    ),
    "A null is a score of (1/β) log u: whoever adds a bias to the scores has chosen a null.",
    "u e^(βs) is one exponential: put log u into it, and take β out again.",
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
    "Two words have 1 and 0 points. At β = 2, how many points of J do equal weights lose against the best?",
    number(
        lambda: objective(softmax(PAIR, 2.0), PAIR, 2.0) - objective(EVEN, PAIR, 2.0),
        lambda loss: (
            f"equal weights keep {objective(EVEN, PAIR, 2.0):.4f}, so the best would keep "
            f"{objective(EVEN, PAIR, 2.0) + loss:.4f}; softmax at β = 2 keeps "
            f"{objective(softmax(PAIR, 2.0), PAIR, 2.0):.4f}"
        ),
        slips=[
            (kl_divergence(EVEN, softmax(PAIR, 2.0)), "that is the loss in nats; a nat costs 1/β points"),
            (
                objective(softmax(PAIR, 2.0), PAIR, 2.0),
                "that is what the best keeps; equal weights keep something too",
            ),
        ],
    ),
    "It is ½ log Z less the mean score, and just as well ½ KL(u‖π⋆).",
    "Equal weights pay nothing. What is the best worth, and what do equal weights earn?",
)

EXERCISES = [EVEN_AT_TWO, NULL_IS_A_SCORE, WRONG_WAY_ROUND, ENOUGH_TO_BE_CERTAIN]
