"""The numbers in the text of the chapter *repairs*."""

import numpy as np

from book.example import s
from book.repairs.maps import LEAD, LENGTHS, cap, of_the_leader
from lib import softmax, softmax_plus_one


def slope_of_cap(s, most=50.0):
    """How much of a gradient comes through a cap at the score s."""
    return 1 - np.tanh(s / most) ** 2


def numbers():
    capped = np.array([cap(100.0), cap(90.0)])
    return {
        "before": softmax_plus_one(s, sink=2.6).sum(),
        "after": softmax_plus_one(s + 2, sink=2.6).sum(),
        "cap_10": cap(10.0),
        "cap_100": cap(100.0),
        "cap_lead": capped[0] - capped[1],
        "slope_25": slope_of_cap(25.0),
        "slope_50": slope_of_cap(50.0),
        "slope_100": slope_of_cap(100.0),
        "norm_most": np.exp(2 * 3.0),
        "lead": LEAD,
        "fixed_16": of_the_leader("one β", 16),
        "fixed_most": of_the_leader("one β", LENGTHS[-1]),
        "grows_most": of_the_leader("log n", LENGTHS[-1]),
        "tenth_most": of_the_leader("a tenth of a log", LENGTHS[-1]),
        "plain_cat": softmax(s)[1],
    }
