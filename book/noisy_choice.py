"""Which token is best after noise: softmax as the chance of each score to come out largest."""

import numpy as np
from scipy.integrate import quad


def chances_to_win(scores, noise):
    """The chance of each score to be the largest after independent `noise`, by quadrature.

    `noise` is a distribution with `pdf` and `cdf`, such as `scipy.stats.gumbel_r`. Token i wins at
    height x where its own noise puts it there and every other stays below: ∫ f(x − sᵢ) ∏ F(x − sⱼ) dx.
    """
    scores = np.asarray(scores, dtype=float)

    def density(x, i):
        below = noise.cdf(x - np.delete(scores, i))
        return noise.pdf(x - scores[i]) * below.prod()

    ends = scores.min() - 15, scores.max() + 45
    return np.array([quad(density, *ends, args=(i,), epsabs=1e-11, limit=200)[0] for i in range(len(scores))])


def error_bound(runs, n, chance=1e-9):
    """A bound on the total variation between a distribution on n tokens and its frequencies in `runs` draws.

    It fails with a probability of at most `chance`: Hoeffding's bound for one event, summed over all 2ⁿ.

    >>> print(f"{error_bound(10**6, 7):.5f}")
    0.00358
    """
    return np.sqrt((n * np.log(2) - np.log(chance)) / (2 * runs))
