"""How far results are from digits that are known to be right."""

import math

import mpmath as mp
import numpy as np


def distance(got, digits):
    """The largest |got − digits|; infinities must agree, NaN never does."""
    worst = mp.mpf(0)
    for g, d in zip(np.ravel(got).tolist(), np.ravel(digits).tolist(), strict=True):
        d = mp.mpf(d)
        if math.isinf(g) or mp.isinf(d):
            worst = max(worst, 0 if g == d else mp.inf)
        else:
            worst = max(worst, mp.inf if math.isnan(g) else abs(mp.mpf(g) - d))
    return float(worst)
