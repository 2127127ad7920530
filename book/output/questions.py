"""The exercises of the chapter *output*."""

import numpy as np

from book.judging import Exercise, function, number, show
from book.output.cutting import min_p
from lib import log_softmax, softmax


def _surest(logits):
    """The log loss of the first class from these logits, 0 and not −0 at the least."""
    return 0.0 - float(log_softmax(np.array(logits))[0])


TWICE = Exercise(
    "A network for two classes ends in softmax, and CrossEntropyLoss takes another. How low can its loss get?",
    number(
        lambda: _surest(softmax(np.array([1000.0, 0.0]))),
        lambda x: (
            f"{x:g} is not it. With the first softmax left out a sure network would get to "
            f"{show(_surest([1000.0, 0.0]))}; here the second one sees (1, 0) at best"
        ),
    ),
    "The loss of (1, 0) is the logarithm of e + 1, less 1.",
    "Which two numbers does the second softmax see, if the network is sure? Put them into the loss.",
)


def _rows():
    draw = np.random.default_rng(0)
    yield np.array([2.0, 1.0, 0.0]), 1
    for size in (1.0, 30.0, 5000.0):
        yield draw.normal(size=7) * size, int(draw.integers(7))
    yield np.array([-4000.0, -4001.0]), 1


FROM_LOGITS = Exercise(
    "Write loss(s, y): the log loss of class y from logits s, also where they are in the thousands.",
    function("loss", lambda s, y: -log_softmax(s)[y], _rows),
    "Shifted by the largest, no exponential overflows, and the sum under the logarithm is at least 1.",
    "The loss is the log-sum-exp of the logits less the right one. What can be taken from all logits first?",
)


def _settings():
    draw = np.random.default_rng(1)
    for n, temperature, share in ((3, 1.0, 0.1), (7, 2.0, 0.3), (9, 0.5, 0.02), (20, 1.0, 0.9), (5, 1.7, 1.0)):
        yield draw.normal(0, 2, size=n), temperature, share


WITHOUT_SOFTMAX = Exercise(
    "Write kept(s, T, a): which tokens min-p with share a keeps at temperature T, from the logits.",
    function("kept", lambda s, T, a: min_p(softmax(s, 1 / T), a).astype(float), _settings),
    "The bar stands T log(1/a) points below the best logit.",
    "Write both weights as exponentials over Z, and take logarithms of π_i ≥ a · π_best.",
)

EXERCISES = [TWICE, FROM_LOGITS, WITHOUT_SOFTMAX]
