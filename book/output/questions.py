"""The exercises of the chapter *output*."""

import numpy as np

from book.judging import Exercise, number, show, words
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
        slips=[
            (0, "that is with the first softmax left out"),
            (np.log(2), "that is where the network is not sure at all"),
        ],
    ),
    "The loss of (1, 0) is the logarithm of e + 1, less 1.",
    "Which two numbers does the second softmax see, if the network is sure? Put them into the loss.",
)


SURE = np.array([1002.0, 1001.0, 1000.0])

FROM_LOGITS = Exercise(
    "Three classes have the logits 1002, 1001 and 1000. What is the log loss if the second one is right?",
    number(
        lambda: -log_softmax(SURE)[1],
        slips=[
            (-log_softmax(SURE)[0], "that is the loss if the first one is right"),
            (-log_softmax(SURE)[2], "that is the loss if the third one is right"),
            (log_softmax(SURE)[1], "a loss is never negative"),
        ],
    ),
    "Shifted by the largest, no exponential overflows, and the sum under the logarithm is at least 1.",
    "The loss is the log-sum-exp of the logits less the right one. What can be taken from all logits first?",
)


NEXT = {"milk": 5.0, "tea": 3.0, "wine": 1.0, "ink": 0.0}
SHARE, WARM = 0.1, 2.0


def _kept():
    kept = min_p(softmax(np.array(list(NEXT.values())), 1 / WARM), SHARE)
    return {word for word, stays in zip(NEXT, kept, strict=True) if stays}


def _share(word, belongs):
    if NEXT[word] == max(NEXT.values()):
        return f"“{word}” is the best, which always stays"
    times = np.exp((NEXT[word] - max(NEXT.values())) / WARM)
    return f"“{word}” has {times:.3f} times the weight of the best, so it {'stays' if belongs else 'goes'}"


WITHOUT_SOFTMAX = Exercise(
    "Logits: milk 5, tea 3, wine 1, ink 0. Which does min-p with a share of a tenth keep at T = 2?",
    words(tuple(NEXT), _kept, _share),
    "The bar stands T log(1/a) points below the best logit.",
    "Write both weights as exponentials over Z, and take logarithms of π_i ≥ a · π_best.",
)

EXERCISES = [TWICE, FROM_LOGITS, WITHOUT_SOFTMAX]
