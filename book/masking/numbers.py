"""The numbers in the text of the chapter *masking*."""

import numpy as np

from lib import softmax


def numbers():
    high, low = softmax(np.array([200.0, 1.0, 0.0]), where=np.array([False, True, True]))[1:]
    return {
        "gap": np.spacing(np.float32(1e9)),
        "step": abs(np.spacing(np.float16(-65504))),
        "after_high": high,
        "after_low": low,
    }
