"""The numbers in the text of the chapter *divergences*."""

import numpy as np

from book.divergences.derivations import first_given_mean, mutual_information
from book.example import TOKENS, pi, s, u
from book.other_divergences import renyi
from book.solver import maximise
from lib import kl_divergence, softmax, sparsemax


def numbers():
    scores = np.add.outer([0.5, 0.0], [0.6, 0.0]).ravel()  # (4,): cat and milk, each in two sentences
    even = np.full(4, 1 / 4)
    squares = sparsemax(scores, 0.4).reshape(2, 2)  # a row for each word, a column for each sentence
    cat, milk = squares
    of_both = sparsemax(np.repeat([0.5, 0.0], 2), 0.4).reshape(2, 2)  # neither sentence ahead
    under_kl = softmax(scores, 0.4).reshape(2, 2)
    cat_renyi, milk_renyi = maximise(lambda p: p @ scores - renyi(p, even) / 1.6, 4).reshape(2, 2)
    return {
        "even": of_both[0, 0] / of_both[1, 0],
        "first": cat[0] / milk[0],
        "second": cat[1] / milk[1],
        "cat_first": cat[0],
        "cat_second": cat[1],
        "milk_first": milk[0],
        "milk_second": milk[1],
        "word": under_kl.sum(axis=1)[0],
        "place": under_kl.sum(axis=0)[0],
        "both": under_kl[0, 0],
        "words": kl_divergence(squares.sum(axis=1), np.full(2, 1 / 2)),
        "sentences": kl_divergence(squares.sum(axis=0), np.full(2, 1 / 2)),
        "tie": mutual_information(squares),
        "renyi_first": cat_renyi[0] / milk_renyi[0],
        "renyi_second": cat_renyi[1] / milk_renyi[1],
        "shared": mutual_information(np.array([[0.4, 0.1], [0.1, 0.4]])),
        "mean": u @ s,
        "ten": first_given_mean(s, u, 10, at_least=pi @ s)[TOKENS.index("cat")],
    }
