"""The numbers in the text of the chapter *masking*."""

import numpy as np


def numbers():

    return {
        "gap": np.spacing(np.float32(1e9)),
        "step": abs(np.spacing(np.float16(-65504))),
    }
