"""The numbers in the text of the chapter *numerics*."""

import numpy as np
import torch

from book.numerics.checks import down, s
from book.numerics.formats import KINDS, by_steps, smallest, zero_from
from lib import softmax


def numbers():
    lost = torch.tensor([0.0, 0.0, -16.296875], dtype=torch.float16)
    tiny = smallest(torch.float16)
    far_up = 100 * softmax((s + 1000).half().double())  # drank is word 2, it is word 6
    truth, found = (float(weights[1]) for weights in (softmax(s), by_steps(down, shift=False)))
    return {
        "silent": 100 * found,
        "truth": 100 * truth,
        "tied": float(far_up[2]),
        "drank": 100 * float(softmax(s)[2]),
        "it": 100 * float(softmax(s)[6]),
        "odds": np.exp(0.5),
        **{f"zero_{name}": zero_from(kind) for name, kind in KINDS.items()},
        "shrunk": np.exp(0.2 - 2.0),
        "after_cat": np.exp(0.2 - 2.0) + 1,
        "mixed": 1 / (np.exp(0.2 - 2.0) + 1),  # of the values 0 and 1
        "merged": 1.25 + 3 * np.exp(-2),
        "lost_score": float(lost[2]),
        "lost_term": float(lost[2].double().exp()) / tiny,
        "lost_weight": float(softmax(lost.double())[2]) / tiny,
        "smallest": 1e8 * smallest(torch.float16),
        "apart": float(softmax(torch.tensor([60_000.0, -60_000.0]), 1e-5)[1]),
    }
