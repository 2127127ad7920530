"""The exercises of the chapter *Scaling: why divide by √d?*"""

import numpy as np

from book.judging import Exercise, function, number, show
from lib import softmax, softmax_jacobian


def _narrow():
    draw = np.random.default_rng(0)
    q, k = 0.5 * draw.standard_normal((2, 400, 100))
    return float((q @ k.T).std())


SMALL_COMPONENTS = Exercise(
    "Components have mean 0 and variance ¼, and d = 100. By what must scores be divided to be spread by 1?",
    number(
        lambda: 100**0.5 / 4,
        lambda x: (
            f"divided by {x:g}, 160\u202f000 scores that were drawn so are spread by {show(_narrow() / x)} points"
            if x > 0
            else f"{x:g} is no spread: it must be above 0"
        ),
        slips=[
            (100**0.5, "that is √d, which is right where components have variance 1"),
            (100 / 16, "that is the variance of the scores; their spread is its root"),
        ],
    ),
    "Each product has variance 1/16, a hundred of them 100/16, and the root of that is 2.5: √d would be too much.",
    "Variances of independent numbers add up. What is the variance of one product?",
)


def _gradient(q, keys, beta):
    return beta * softmax_jacobian(softmax(keys @ q, beta)) @ keys


def _queries():
    draw = np.random.default_rng(1)
    for n, d, beta in ((2, 3, 1.0), (5, 2, 0.5), (7, 16, 0.25)):
        yield draw.standard_normal(d), draw.standard_normal((n, d)), beta


GRADIENT = Exercise(
    "Write query_gradient(q, keys, beta): the slopes ∂π/∂q of all weights, one row for each key.",
    function("query_gradient", _gradient, _queries),
    "Three factors by the chain rule: β, how weights answer to βs, and how scores answer to q, which is the keys.",
    "Weights answer to βs by diag(π) − ππᵀ. What are the derivatives of the scores, keys @ q, with respect to q?",
)


def _strays(step):
    """How far a run at β = 1/2, from twice the matrix, is from the run at β = 1 with steps of 1."""
    from book.scale.training import train  # only this exercise trains

    losses, _ = train([1.0, 0.5], [1.0, step], [1.0, 2.0], steps=20)
    return abs(losses[0] - losses[1]).max(), losses[:, -1]


def _step():
    return next(step for step in (0.25, 0.5, 1.0, 2.0, 4.0) if _strays(step)[0] < 1e-12)


def _other_loss(step):
    was, became = _strays(step)[1]
    return f"after 20 steps the loss is {became:.4f}; in the run to be retraced it is {was:.4f}"


RETRACE_A_RUN = Exercise(
    "β is halved and the first matrix doubled. By what must the step size of gradient descent be multiplied?",
    number(
        _step,
        _other_loss,
        rtol=1e-6,
        slips=[
            (2, "that makes up for one factor of β, and there are two"),
            (1 / 4, "that is the other way round"),
        ],
    ),
    "One factor of β is in the gradient, and one in what a step of the matrix does to βs.",
    "Write the step of W, then multiply it by β to see the step of βW.",
)

EXERCISES = [SMALL_COMPONENTS, GRADIENT, RETRACE_A_RUN]
