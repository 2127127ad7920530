"""The exercises of the chapter *patterns*."""

from itertools import pairwise

import numpy as np

from book.judging import Exercise, function, number, show, words
from lib import attention_distance, softmax

TEXT = "abcabdab"
TOKENS = 11


def _followers():
    """The letters that stand after the last letter, where it stood before."""
    return {after for letter, after in pairwise(TEXT) if letter == TEXT[-1]}


def _misplaced(letter, belongs):
    before = " and ".join(sorted({f"“{one}”" for one, after in pairwise(TEXT) if after == letter}))
    here = f"The letter “{letter}” comes after {before}"
    return f"{here}, too" if belongs else f"{here}, and the head looks for what came after “{TEXT[-1]}”"


AFTER = Exercise(
    f"The text so far is {TEXT}: at which letters does an ideal induction head look?",
    words(sorted(set(TEXT)), _followers, _misplaced),
    "It looks for places before which a b came. There are two, and to this head they are alike.",
    "Which letters came right after an earlier b?",
)


def _at_rest():
    """All the weight of every query on the first token: (n, n)."""
    return np.tile(np.eye(TOKENS)[0], (TOKENS, 1))


RESTING = Exercise(
    f"Each of {TOKENS} tokens gives all its weight to the first: what is the mean distance?",
    number(
        lambda: attention_distance(_at_rest()).mean(),
        lambda x: (
            f"distances go from 0 for the first token to {TOKENS - 1} for the last; {show(x)} is not their mean"
        ),
        slips=[
            (TOKENS - 1, "that is how far the last token is from the first"),
            ((TOKENS**2 - 1) / (3 * TOKENS), "that is with equal weights for all"),
        ],
    ),
    "The distances are 0, 1, …, 10. A head that looks at nothing seems to look far.",
    "How far is each token from the first?",
)


def _last_queries():
    rng = np.random.default_rng(0)
    for n_q, n_k in ((1, 5), (3, 7), (2, 2), (5, 11)):
        yield (softmax(rng.normal(size=(n_q, n_k)), where=np.tri(n_q, n_k, n_k - n_q, dtype=bool)),)


DISTANCE = Exercise(
    "Write distance(weights): how far each query looks, for weights (n_q, n_k) of the last n_q of n_k tokens.",
    function("distance", attention_distance, _last_queries),
    "The first of the queries stands at place n_k − n_q, not at 0.",
    "At which place among the keys does the first query stand?",
)

EXERCISES = [AFTER, RESTING, DISTANCE]
