"""The numbers in the text of the chapter *numerics*."""

import numpy as np
import torch

from lib import softmax
from lib.book.numerics.checks import down, s, sum_of_ones
from lib.book.numerics.formats import KINDS, by_steps, ends, smallest


def numbers():
    truth, found = (float(weights[1]) for weights in (softmax(s), by_steps(down, shift=False)))
    return {
        "silent": 100 * found,
        "truth": 100 * truth,
        "odds": np.exp(0.5),
        **{f"zero_{name}": np.ceil(-10 * float(ends(kind)[0])) / 10 for name, kind in KINDS.items()},
        "smallest": 1e8 * smallest(torch.float16),
        "ones": sum_of_ones(torch.bfloat16),
        "apart": float(softmax(torch.tensor([60_000.0, -60_000.0]), 1e-5)[1]),
    }
