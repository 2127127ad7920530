"""What the chapter measures on softmax, entmax and sparsemax, and what breaks it."""

import numpy as np

from lib import entmax, softmax

ORDERS = (1.0, 1.25, 1.5, 2.0)  # of the maps that the claims run over: softmax, two of entmax, sparsemax


def price(p, alpha):
    """What the frame charges for weights p: Σ (p^α − p) / (α(α − 1)), which is Σ p log p at α = 1."""
    if alpha == 1:
        return (p * np.log(p)).sum()
    return (p**alpha - p).sum() / (alpha * (alpha - 1))


def reaches_zero(scores, alpha, exponent=None):
    """For each token the β from which on its weight is 0; ∞ for the best, and for all at α = 1."""
    exponent = 1 / (alpha - 1) if exponent is None else exponent
    leads = np.maximum(scores[:, None] - scores, 0)  # (n, n): of the row's token over the column's
    with np.errstate(divide="ignore"):
        return 1 / ((alpha - 1) * (leads**exponent).sum(axis=0) ** (1 / exponent))


def back_by_formula(weights, grad, alpha, beta):
    """The gradient with respect to the scores, by the chapter's formula."""
    there = weights > 0
    x = np.where(there, np.where(there, weights, 1) ** (2 - alpha), 0)
    return beta * x * (grad - x @ grad / x.sum())


def random_rows(count, seed, most=9):
    """Rows of 2 to `most` scores, of very different sizes."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=rng.integers(2, most + 1)) * 10 ** rng.uniform(-0.5, 0.5) for _ in range(count)]


def positive_shares(scores, beta=1.0, *, alpha=1.5):
    """The positive parts over their sum, whatever α is, for a row with a score above 0: no map of the frame."""
    positive = np.maximum(beta * scores, 0)
    return positive / positive.sum(axis=-1, keepdims=True)


def wavy(scores, *, alpha=1.5):
    """The map of α, of scores with a wave that repeats at each point: a shift counts unless it is whole."""
    return entmax(scores + 0.1 * np.sin(2 * np.pi * scores), alpha=alpha)


def in_parts(scores, values, cut, alpha, keep=lambda weights: weights > 0):
    """The output of all, computed from the tokens that `keep` leaves in each of two parts."""
    kept = np.concatenate([keep(entmax(part, alpha=alpha)) for part in (scores[:cut], scores[cut:])])
    return entmax(scores[kept], alpha=alpha) @ values[kept]


def the_best_alone(weights):
    """Which token of a part has the most weight."""
    return np.arange(len(weights)) == weights.argmax()


def hard(scores):
    """All the weight on the best token, for a row without ties."""
    return softmax(scores, np.inf)


def by_level(scores, beta, above=0.0):
    """Sparsemax from its water level: words join from the top while the next is over it by more than `above`."""
    tops = np.sort(beta * scores)[::-1]
    for count in range(1, len(tops) + 1):
        level = (tops[:count].sum() - 1) / count
        if count == len(tops) or tops[count] <= level + above:
            return np.maximum(beta * scores - level, 0)
    raise ValueError("a row without a score has no level")
