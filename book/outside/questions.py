"""The exercises of the chapter *outside*."""

import numpy as np

from book.judging import Exercise, function, number, show
from lib import linear_attention, relu_norm, softmax_plus_one

POINTS = np.array([3.0, 1.0, -1.0])
LOGS = np.log([3.0, 2.0, 2.0])

A_SHIFT = Exercise(
    "Scores 3, 1 and −1, and 2 points are added to each: which weight does ReLU over its sum give the second?",
    number(
        lambda: relu_norm(POINTS + 2)[1],
        lambda x: (
            f"the scores become 5, 3 and 1, all above 0, and sum to 9; {show(x)} of that is {show(9 * x)}, "
            "and not the second score"
        ),
        slips=[(1 / 4, "that was so before the shift"), (3 / 8, "the third score is above 0 now, too")],
    ),
    "The scores become 5, 3 and 1. Their sum is 9, so the second has 3/9; before it had 1/4.",
    "Which of the shifted scores are above 0, and what is their sum?",
)

SILENCE = Exercise(
    "Scores log 3, log 2 and log 2, β = 1: what must be added to each for softmax-plus-one to hand out ⅛?",
    number(
        lambda: -np.log(49),
        lambda x: f"with {x:g} added, the weights sum to {show(softmax_plus_one(LOGS + x).sum())}",
        rtol=1e-3,
        slips=[
            (-np.log(7), "then the exponentials sum to 1, and the weights to ½"),
            (-np.log(56), "then the exponentials sum to ⅛, and the weights to 1/9"),
        ],
    ),
    "The exponentials sum to 7, and must sum to 1/7 for 1/7 over 1 + 1/7 to be 1/8: a factor of 1/49.",
    "Which sum of exponentials, divided by 1 more than itself, gives 1/8?",
)


def _sequences():
    rng = np.random.default_rng(0)
    for n, d, d_v in ((1, 2, 3), (5, 3, 2), (7, 2, 5)):
        yield rng.normal(size=(n, d)), rng.normal(size=(n, d)), rng.normal(size=(n, d_v))


RECURRENCE = Exercise(
    "Write linear(q, k, v): causal linear attention with the features elu(x) + 1, for as many queries as keys.",
    function("linear", lambda q, k, v: linear_attention(q, k, v, causal=True), _sequences),
    "Two sums grow from token to token, that of φ(k)vᵀ and that of φ(k); each query multiplies both, and divides.",
    "For the first token alone, the output is its value. What does the second token add to the two sums?",
)

EXERCISES = [A_SHIFT, SILENCE, RECURRENCE]
