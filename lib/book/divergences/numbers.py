"""The numbers in the text of the chapter *divergences*."""

import numpy as np

from lib import sparsemax
from lib.book.divergences.checks import pi, s, u
from lib.book.divergences.derivations import first_given_mean
from lib.book.example import TOKENS
from lib.book.other_divergences import renyi
from lib.book.solver import maximise


def numbers():
    scores, even = (
        np.add.outer([0.5, 0.0], [0.6, 0.0]).ravel(),
        np.full(4, 1 / 4),
    )  # cat and milk, in two sentences
    cat, milk = sparsemax(scores, 0.4).reshape(2, 2)  # (2,) each
    cat_renyi, milk_renyi = maximise(lambda p: p @ scores - renyi(p, even) / 1.6, 4).reshape(2, 2)
    return {
        "first": cat[0] / milk[0],
        "renyi_first": cat_renyi[0] / milk_renyi[0],
        "renyi_second": cat_renyi[1] / milk_renyi[1],
        "mean": u @ s,
        "ten": first_given_mean(s, u, 10, at_least=pi @ s)[TOKENS.index("cat")],
    }
