"""The curve of *make it flat*: through five shares, smooth in the logarithm; and what a pen makes of it."""

import numpy as np

WORDS = ("drank", "milk", "cat")
AT = (1.0, 1.4, 1.9)  # the words' scores where the row stands at 0
FAR = 3.1  # how far the row can be slid, in points
SQUARES = (1.0, 4.0, 9.0, 16.0, 25.0)
SCORES = np.arange(1.0, 6.0)  # of the five shares
PLACES = np.linspace(0, FAR, 187)
LEVEL, LEVEL_OF_MEAN, LEAST = np.log(1.05), 0.16, np.log(1.08)


def _slopes(y):
    """Of the monotone cubic through five values at 1, …, 5 (Fritsch and Carlson's, as SciPy's PCHIP has them)."""
    steps = np.diff(y)
    a, b = steps[:-1], steps[1:]
    both = a * b > 0
    inner = np.where(both, 2 * a * b / np.where(both, a + b, 1.0), 0.0)

    def end(near, far):
        slope = (3 * near - far) / 2
        if slope * near <= 0:
            return 0.0
        return 3 * near if near * far <= 0 and abs(slope) > 3 * abs(near) else slope

    return np.array([end(steps[0], steps[1]), *inner, end(steps[-1], steps[-2])])


def _cubic(y, s):
    k = np.clip(np.floor(s - 1).astype(int), 0, 3)
    t, d = s - 1 - k, _slopes(y)
    rise = t * t * (3 - 2 * t)
    return y[k] * (1 - rise) + y[k + 1] * rise + d[k] * t * (1 - t) ** 2 - d[k + 1] * t * t * (1 - t)


def log_share(shares, scores):
    """The logarithm of the share of a word with these scores, from 1 to 5.

    Equal factors from handle to handle make an exact exponential. Squares, a straight line through 0 and other
    powers of the score are exact as well, and what is near one of them is drawn towards it.
    """
    y, s, x = np.log(shares), np.asarray(scores, dtype=float), np.log(SCORES)
    wide = np.ptp(y)
    power = (x - x.mean()) @ y / np.sum((x - x.mean()) ** 2)
    off = np.max(np.abs(y - y.mean() - power * (x - x.mean())))
    near = max(0.0, 1 - 25 * off / wide) if wide > 0 else 0.0
    return _cubic(y, s) + near * power * (np.log(s) - _cubic(x, s))


def log_ratios(shares, places=PLACES):
    """What the pen writes: the logarithm of how many times “cat” gets the weight of “milk”."""
    places = np.asarray(places, dtype=float)
    return log_share(shares, AT[2] + places) - log_share(shares, AT[1] + places)


def is_flat(shares) -> bool:
    """Whether the pen's line is level, and the better word gets more."""
    ratios = log_ratios(shares)
    mean, wide = ratios.mean(), np.ptp(ratios)
    return bool(mean > LEAST and wide < LEVEL and wide < LEVEL_OF_MEAN * mean)
