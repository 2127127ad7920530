"""The exercises of the chapter *masking*."""

import numpy as np

from book.judging import Exercise, function, number
from lib import causal_mask, padding_mask, softmax, window_mask


def _sizes():
    yield from [(2, 5), (1, 7), (3, 3), (4, 11)]


CACHED = Exercise(
    "Write cached(n_q, n_k): the boolean mask (n_q, n_k) of the last n_q of n_k tokens, each of which sees the "
    "keys up to its own.",
    function("cached", lambda n_q, n_k: causal_mask(n_q, n_k).astype(float), _sizes),
    "The queries stand at the end of the keys, so the last row sees them all.",
    "At which position does the first query stand? The last one stands at n_k − 1.",
)


def _empty(length, window, n=10):
    seen = window_mask(n, window=window) & padding_mask(np.array(length), n)
    return int((~seen.any(axis=-1)).sum())


NOTHING_LEFT = Exercise(
    "Ten positions, four tokens and then padding, a causal window of three keys. How many queries see nothing?",
    number(
        lambda: _empty(4, 3),
        lambda x: (
            f"{x:g} is not their number. The query at position 4 still sees two tokens, at 2 and 3; "
            "that at 9 sees padding alone"
        ),
        rtol=0,
        slips=[(6, "six are padding, and some of these still see a token")],
    ),
    "Queries 6 to 9: each sees its own key and the two before it, and the last token is at position 3.",
    "Which keys does the query at position 5 see? And the one at 6?",
)


def _rows():
    draw = np.random.default_rng(0)
    yield np.array([[0.2, 2.0, 1.1], [1.0, 2.0, 3.0]]), np.array([[True, False, True], [False, False, False]])
    for shape, size in (((3, 5), 1.0), ((2, 7), 1000.0), ((5, 2), 1.0)):
        scores = size * draw.normal(size=shape)
        yield scores, draw.random(shape) < 0.4
        yield scores, np.ones(shape, dtype=bool)
    yield np.array([[-2000.0, -2001.0]]), np.array([[True, True]])


ZEROS = Exercise(
    "Write masked(scores, mask): softmax along the last axis at β = 1, zeros where the mask is False.",
    function("masked", lambda scores, mask: softmax(scores, where=mask), _rows),
    "An empty row is 0/1, and its forbidden scores never met −∞ less −∞.",
    "Two places need care where a row has nothing left: what is taken off, and what is divided by.",
)

EXERCISES = [CACHED, NOTHING_LEFT, ZEROS]
