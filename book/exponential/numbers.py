"""The numbers in the text of the chapter *exponential*."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from book.example import TOKENS
from book.exponential.checks import pi, s
from book.noisy_choice import chances_to_win
from book.squares import squares
from lib import softmax, sparsemax

BELL = norm(scale=np.pi / 6**0.5)  # with the standard deviation of Gumbel noise of size 1


def numbers():
    cat, drank, milk, last = (TOKENS.index(word) for word in ("cat", "drank", "milk", "because"))
    strong = np.where(np.arange(len(s)) == drank, 1.9, s)
    kept = sparsemax(s)  # (n,)
    copied = softmax(np.append(s, s[cat]))
    normal = chances_to_win(s, BELL)  # (n,)

    def ratio(weights):
        return weights[cat] / weights[milk]

    return {
        "softmax": ratio(pi),
        "squares": ratio(squares(s)),
        "squares_shifted": ratio(squares(s + 1)),
        "level": s[cat] - kept[cat],
        "level_raised": strong[cat] - sparsemax(strong)[cat],
        "cat_kept": kept[cat],
        "milk_kept": kept[milk],
        "sparsemax": ratio(kept),
        "sparsemax_raised": ratio(sparsemax(strong)),
        "base_2": np.log(2),
        "base_10": np.log(10),
        "cat": pi[cat],
        "cats": copied[cat] + copied[-1],
        "milk": pi[milk],
        "milk_joined": copied[milk],
        "normal_last": normal[last],
        "gumbel_last": pi[last],
        "normal_cat": normal[cat],
        "gumbel_cat": pi[cat],
        "turn": brentq(lambda gap: chances_to_win([gap, 0.0], BELL)[1] - softmax(np.array([gap, 0.0]))[1], 1, 6),
        "half": (half := brentq(lambda beta: softmax(s, beta)[cat] - 0.5, 0.1, 20)),
        "size": 1 / half,
    }
