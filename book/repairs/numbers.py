"""The numbers in the text of the chapter *repairs*."""

import numpy as np

from book.example import s
from book.repairs.maps import LEAD, LENGTHS, TRAINED, after_clip, cap, of_the_leader, slope_of_cap, with_lead
from lib import softmax, softmax_plus_one


def numbers():
    words, row = np.array([7.0, 10_000.0]), with_lead(101, 8.0)
    few, many = words / (words + np.exp(2.6))  # all at 0 points, beside a sink
    return {
        "before": softmax_plus_one(s, sink=2.6).sum(),
        "after": softmax_plus_one(s + 2, sink=2.6).sum(),
        "plain_cat": softmax(s)[1],
        "long_cat": softmax(np.append(s, np.full(21, 0.2)))[1],
        "seven": few,
        "many": many,
        "cap_10": cap(10.0),
        "cap_100": cap(100.0),
        "lead_low": np.exp(cap(10.0) - cap(0.0)) / 1000,
        "lead_high": np.exp(cap(70.0) - cap(60.0)),
        "slope_25": slope_of_cap(25.0),
        "slope_100": slope_of_cap(100.0),
        "clip_before": softmax(row)[0],
        "clip_after": after_clip(row, 100 / 200)[0],
        "per_log": 1 / np.log(TRAINED),
        "lead": LEAD,
        "fixed_most": of_the_leader("one β", LENGTHS[-1]),
    }
