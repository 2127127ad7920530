"""The numbers in the text of the chapter *alternatives*."""

import numpy as np

from book.alternatives.checks import MAPS, SEEDS, s
from book.alternatives.maps import ORDERS, reaches_zero
from book.alternatives.training import error_after_training
from lib import softmax, sparsemax


def numbers():
    by_order = {alpha: reaches_zero(s, alpha) for alpha in ORDERS[1:]}
    errors = np.array([[error_after_training(weights, 200, seed) for weights in MAPS] for seed in SEEDS])  # (8, 3)
    plain, joined = sparsemax(s), sparsemax(np.where(np.arange(7) == 2, 1.9, s))  # drank comes up to 1.9 points
    return {
        "leads": np.maximum(s - s.min(), 0).sum(),
        "first": by_order[2.0].min(),
        "hard": by_order[2.0][4],
        "hard_half": by_order[1.5][4],
        **{f"by_{weights}": x for weights, x in zip(MAPS, errors.mean(axis=0), strict=True)},
        "upset": (np.diff(errors) < 0).any(axis=1).sum(),
        "ratio": plain[1] / plain[4],
        "ratio_joined": joined[1] / joined[4],
        "cut": softmax(s[[1, 4]])[0],
        "cut_rest": softmax(s[[1, 4]])[1],
        "crowd": softmax(np.r_[2.0, np.zeros(999)])[0],
    }
