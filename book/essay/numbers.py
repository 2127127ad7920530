"""The numbers in the text of the first page."""

import numpy as np

from book.example import TOKENS, pi, s
from book.figures import encoder_heads
from book.figures.real_head import OWN_BETA, SENTENCE, row_of_it
from book.squares import squares
from lib import kl_divergence, softmax, sparsemax

WORDS = ("cat", "milk", "it")  # of the triangle
THREE = s[[TOKENS.index(word) for word in WORDS]]


def of_the_head():
    row = row_of_it(SENTENCE.format("thirsty"))
    scores = np.array(row["scores"])  # (n,)
    cat, milk = (row["tokens"].index(word) for word in ("cat", "milk"))
    weights = softmax(scores, OWN_BETA)
    return {
        "cat_score": scores[cat],
        "milk_score": scores[milk],
        "lead": scores[cat] - scores[milk],
        "beta": OWN_BETA,
        "cat_a": weights[cat],
        "milk_a": weights[milk],
        "ratio": weights[cat] / weights[milk],
        "cat_b": squares(scores)[cat],
        "cat_b_ten": squares(scores + 10)[cat],
    }


def of_the_row():
    cat, drank, milk = (TOKENS.index(word) for word in ("cat", "drank", "milk"))
    raised = np.where(np.arange(len(s)) == drank, 1.9, s)

    def ratio(weights):
        return weights[cat] / weights[milk]

    return {
        "softmax": ratio(pi),
        "squares": ratio(squares(s)),
        "sparsemax": ratio(sparsemax(s)),
        "sparsemax_raised": ratio(sparsemax(raised)),
    }


def of_the_climb():
    even, all_on_cat, best = np.full(3, 1 / 3), np.array([1.0, 0.0, 0.0]), softmax(THREE)
    found = {"third": even[0], "factor": best[0] / even[0]}
    for name, weights in {"even": even, "all": all_on_cat, "best": best}.items():
        earns, pays = weights @ THREE, kl_divergence(weights, even)
        found |= {f"{name}_earns": earns, f"{name}_pays": pays, f"{name}_keeps": earns - pays}
    return found | {f"three_{word}": weight for word, weight in zip(WORDS, best, strict=True)}


def numbers():
    def leader(n):
        return softmax(np.append(5.0, np.zeros(n - 1)))[0]

    resting = (encoder_heads.roles(encoder_heads.weights("thirsty")) == "start").sum()
    crowd = {"among_8": leader(8), "among_1000": leader(1000)}
    return of_the_head() | of_the_row() | of_the_climb() | crowd | {"resting": resting}
