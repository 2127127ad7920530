"""The numbers in the text of the chapter *temperature*."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import gumbel_r, norm

from book.example import SCORES
from book.noisy_choice import chances_to_win
from book.temperature.checks import best_beta, milk, n, sure
from book.temperature.sharpness import largest_share, winning_beta
from lib import effective_count, entropy, softmax


def numbers():
    s = np.array(SCORES)  # (n,)
    path = entropy(softmax(s, np.linspace(0, 8, 801)[:, None], prior=sure))
    normal = chances_to_win(s, norm(scale=gumbel_r.std()))
    return {
        "cat": softmax(s, 1.0)[1],
        "four": softmax(s, 4.0)[1],
        "hot": softmax(s, 0.1)[1],
        "turn": brentq(lambda beta: softmax(s, beta) @ s - s[milk], 0.1, 9),
        "near_null": 0.1 * np.ptp(s) / 4,
        "sure_count": effective_count(sure),
        "top": path.argmax() / 100,
        "top_count": np.exp(path.max()),
        "near": winning_beta(2, lead=0.01, rest=0.1),
        "hundred": np.log(100) / 2,
        "bound": winning_beta(n, lead=0.5, rest=0.1),
        "ninety": softmax(s, 1 / 0.9)[1],
        "diluted": 100 * largest_share(1000, 1.0 * np.ptp(s)),
        "cold": softmax(s, 10.0)[1],
        "tenth": softmax(s / 10, 10.0)[1],
        "rivals": 600 * np.exp(-5),
        "range": np.ptp(s),
        "spread": gumbel_r.std(),
        "normal_beta": best_beta(normal),
        "normal_cat": normal[1],
        "normal_says": softmax(s, best_beta(normal))[1],
        "normal_off": abs(softmax(s, best_beta(normal)) - normal).max(),
    }
