"""Other roads to softmax, each followed exactly on a small example."""

import numpy as np
from scipy.integrate import quad

from lib.book.solver import maximise
from lib.figures.tell import score_sum


def total_variation(p, q):
    """The largest difference in probability that p and q give to one event: Σ|p − q|/2."""
    return 0.5 * np.abs(p - q).sum()


def chi_squared(p, q):
    """Pearson's divergence Σ(p − q)²/q; with q uniform, n times the squared distance."""
    return ((p - q) ** 2 / q).sum()


def renyi(p, q):
    """Rényi's divergence of order 2, log Σ p²/q; it adds up over independent parts, as KL does."""
    return np.log((p**2 / q).sum())


def nearest_weights(scores):
    """The point of the simplex nearest to the scores' halves, found by the solver."""
    return maximise(lambda p: p @ scores - p @ p, len(scores))


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


def times_won(scores, noise, runs):
    """How often each score was the largest after `noise`, an array of shape (runs, n)."""
    return np.bincount((scores + noise).argmax(axis=-1), minlength=len(scores)) / runs


def error_bound(runs, n, chance=1e-9):
    """A bound on the total variation between a distribution on n tokens and its frequencies in `runs` draws.

    It fails with a probability of at most `chance`: Hoeffding's bound for one event, summed over all 2ⁿ.

    >>> print(f"{error_bound(10**6, 7):.5f}")
    0.00358
    """
    return np.sqrt((n * np.log(2) - np.log(chance)) / (2 * runs))


def first_given_mean(scores, null, n, at_least):
    """The chance of each token as the first of `n` drawn from `null`, given their mean score is `at_least` that.

    Bayes' rule: the null, times the chance that the other n − 1 make up the rest.
    """
    scores, null = np.asarray(scores, dtype=float), np.asarray(null, dtype=float)
    sums, chances = score_sum(scores, null, n - 1)
    tail = np.append(np.cumsum(chances[::-1])[::-1], 0.0)  # chance of a sum of at least sums[k]
    joint = null * tail[np.searchsorted(sums, n * at_least - scores - 1e-9)]
    return joint / joint.sum()


def gaussian_smoother(query, keys, width):
    """The weights of Nadaraya–Watson regression with a Gaussian kernel: one per key, falling with distance."""
    squared = ((keys - query) ** 2).sum(axis=-1)
    kernel = np.exp(-squared / (2 * width**2))
    return kernel / kernel.sum()
