"""The numbers in the text of the chapter *divergences*."""

import numpy as np

from lib import kl_divergence, sparsemax
from lib.book.divergences.checks import pi, s, u
from lib.book.divergences.derivations import first_given_mean, mutual_information
from lib.book.example import TOKENS
from lib.book.other_divergences import renyi
from lib.book.solver import maximise


def numbers():
    scores, even = (
        np.add.outer([0.5, 0.0], [0.6, 0.0]).ravel(),
        np.full(4, 1 / 4),
    )  # cat and milk, in two sentences
    squares = sparsemax(scores, 0.4).reshape(2, 2)  # a row for each word, a column for each sentence
    cat, milk = squares
    cat_renyi, milk_renyi = maximise(lambda p: p @ scores - renyi(p, even) / 1.6, 4).reshape(2, 2)
    return {
        "first": cat[0] / milk[0],
        "words": kl_divergence(squares.sum(axis=1), np.full(2, 1 / 2)),
        "sentences": kl_divergence(squares.sum(axis=0), np.full(2, 1 / 2)),
        "tie": mutual_information(squares),
        "renyi_first": cat_renyi[0] / milk_renyi[0],
        "renyi_second": cat_renyi[1] / milk_renyi[1],
        "mean": u @ s,
        "ten": first_given_mean(s, u, 10, at_least=pi @ s)[TOKENS.index("cat")],
    }
