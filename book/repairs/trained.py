"""What the committed runs of `book.models.silence` found: heads that have nothing to say at most places."""

from functools import cache

import numpy as np

from book.models.results import results, select
from book.models.silence import CALLS, RATE, STEPS

PLAIN = {"length": 16, "missing": 0.0, "fillers": 0.0, "rate": RATE, "steps": STEPS}


@cache
def found():
    """The file of the experiment."""
    return results("silence")


def measured(name, head="softmax", mark="none", **changes):
    """What was measured under this name in runs that differ from PLAIN by `changes`: (seeds,)."""
    return np.array([run[name] for run in select(found(), head=head, mark=mark, **PLAIN | changes)])


def whisper(n=16, missing=0.0):
    """How long words' values are best if a head has nowhere to rest and its weights are as good as they can be.

    At values of length r the mean of all costs r²/i at a silent place i, and a call, never the first, (1 − r)².
    The best r is the share of calls in the sum of what both cost at 1.
    """
    calls = CALLS * (1 - missing)
    at_calls = calls * (n - 1)
    elsewhere = 1 + (1 - calls) * (1 / np.arange(2, n + 1)).sum()
    return float(at_calls / (at_calls + elsewhere))
