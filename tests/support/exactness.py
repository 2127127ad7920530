"""How far results are from what is known to be right: digits in strings, or arrays."""

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


def close(actual, expected, tol=1e-13):
    """Default for float64: a few dozen roundings (2e-16) of numbers up to about 10."""
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=0, atol=tol)


def arguments(row, make=np.asarray):
    """Scores, prior and mask of a golden row, as arrays."""
    options = {k: make(np.asarray(row[k])) for k in ("prior", "where") if row.get(k) is not None}
    return make(np.asarray(row["scores"])), options
