"""The numbers in the text of the chapter *repairs*."""

import numpy as np

from book.example import s
from book.repairs.maps import LEAD, LENGTHS, TRAINED, leader_under_steps, of_the_leader
from book.repairs.measured import cap_left, cap_slope, capped, clip_elsewhere, growth_apart
from book.repairs.trained import measured, whisper
from lib import softmax, softmax_plus_one


def numbers():
    words, clip = np.array([7.0, 10_000.0]), clip_elsewhere()
    few, many = words / (words + np.exp(2.6))  # all at 0 points, beside a sink
    return {
        "before": softmax_plus_one(s, sink=2.6).sum(),
        "after": softmax_plus_one(s + 2, sink=2.6).sum(),
        "plain_cat": softmax(s)[1],
        "long_cat": softmax(np.append(s, np.full(21, 0.2)))[1],
        "seven": few,
        "many": many,
        "cap_10": capped(10.0),
        "cap_100": capped(100.0),
        "lead_plain": np.exp(10) / 1000,
        "lead_low": np.exp(cap_left(0.0, 10.0)) / 1000,
        "lead_high": np.exp(cap_left(60.0, 70.0)),
        "slope_25": cap_slope(25.0),
        "slope_100": cap_slope(100.0),
        "clip_before": clip[0],
        "clip_after": clip[1],
        "apart": growth_apart()["most"][0],
        "lead": LEAD,
        "whisper": whisper(missing=0.5),
        "loud": np.median(measured("loud", missing=0.5)),
        "full": np.median(measured("mark_late", mark="full")),
        "full_error": np.median(measured("error_called", mark="full")),
        "word_error": np.median(measured("error_called", mark="word")),
        "fillers": np.median(measured("mark_resting", fillers=0.25)),
        "both_mark": np.median(measured("mark_silent", "sink", "first")),
        "both_sink": np.median(measured("empty_silent", "sink", "first")),
        "fixed_most": of_the_leader("one β", LENGTHS[-1]),
        "steps_least": leader_under_steps()[0],
        "steps_most": leader_under_steps()[1],
        "crowd_few": of_the_leader("one β", TRAINED, lead=8.0),
        "crowd_most": of_the_leader("one β", LENGTHS[-1], lead=8.0),
    }
