"""What the committed sweeps found, as the chapter *experiments* asks for it: an entry for each seed.

The files are those of `book.models.results`, as `python -m book.models.sweep` wrote them. Nothing is trained here.
"""

from functools import cache

import numpy as np
import torch

from book.models.learned_beta import TIMES
from book.models.lookup import Lookup, accuracy, exact
from book.models.results import results, select
from book.models.retrieval import RULES, SIZES, entropy_fitted
from book.models.sharpness import KEYS, REACH, VALUES
from lib import softmax

LEVELS = {"keys": KEYS, "values": VALUES, "own gradient": REACH, "worst": REACH}


@cache
def found(name):
    """The file of an experiment."""
    return results(name)


def retrieved(rule, lead, what="right"):
    """For each seed and each of SIZES: the share of right answers, "top" weight, or "ceiling": (seeds, sizes)."""
    trained = rule if rule in RULES else "softmax"  # others are put into a model that was trained with it
    rows = select(found("retrieval"), rule=trained, lead=lead)
    return np.array([row["ceiling"] if what == "ceiling" else row[rule][what] for row in rows])


def at(n):
    """Which of SIZES this is."""
    return SIZES.index(n)


def predicted():
    """Among how many items softmax is expected to leave the largest one half, if it leads by 0.1: (seeds,)."""
    return np.array([row["n_star"] for row in select(found("retrieval"), rule="softmax", lead=0.1)])


def falls(rows, level):
    """Among how many items each row first comes below a level, between two sizes by their logarithms: (seeds,)."""
    x, places = np.log(SIZES), []
    for row in rows:
        k = int(np.argmax(row < level))
        if not row[k] < level <= row[k - 1]:
            places.append(np.nan)
            continue
        part = (row[k - 1] - level) / (row[k - 1] - row[k])
        places.append(np.exp(x[k - 1] + part * (x[k] - x[k - 1])))
    return np.array(places)


def polynomial_ends():
    """The most nearly equal tokens over which weights may be spread while the polynomial still raises β."""
    for n in range(2000, 1, -1):
        scores = torch.zeros(n, dtype=torch.float64)
        scores[0] = 0.01
        if entropy_fitted(scores, 1.0)[0] > 1.0001 * softmax(scores)[0]:
            return n
    return np.nan


def looked_up(agree, beta, what="clean", level=None, weights="softmax"):
    """The shares of right answers of models trained without noise, with one sharpness: (seeds,)."""
    rows = select(found("sharpness"), agree=agree, beta=beta, weights=weights)
    return np.array([row[what] if level is None else row[what][LEVELS[what].index(level)] for row in rows])


def with_nothing_to_learn(beta, agree, noise):
    """The share of right answers with noise on the keys of a model whose matrices are 1; this is computed here."""
    return accuracy(exact("softmax", beta), Lookup(agree, keys=noise))


def settled(noise, start):
    """Where a β that is learned has come to: (seeds,)."""
    return np.array([row["settled"] for row in _learned(noise, start)])


def with_own_beta(noise, start, times=1.0):
    """The share of right answers with the noise of training and this many times the learned β: (seeds,)."""
    return np.array([row["times"][TIMES.index(times)] for row in _learned(noise, start)])


def held(beta, noise=2.0):
    """The share of right answers of models whose β was held there in training, with the same noise: (seeds,)."""
    rows = select(found("learned_beta"), noise=noise, beta=beta, learn=False)
    return np.array([row["times"][TIMES.index(1.0)] for row in rows])


def _learned(noise, start):
    return select(found("learned_beta"), noise=noise, beta=start, learn=True)


def steps(weights, case="plain", level="0.98"):
    """After how many steps a model has so many right, ∞ if it never does: (seeds,)."""
    taken = [row["steps to"][level] for row in select(found("induction"), case=case, weights=weights)]
    return np.array([np.inf if each is None else float(each) for each in taken])


def last(weights, case):
    """The share that is right at the end of training: (seeds,)."""
    return np.array([row["last"] for row in select(found("induction"), case=case, weights=weights)])


def rising(weights, case):
    """The share that was right, after each WINDOW of steps: (seeds, windows)."""
    return np.array([row["right"] for row in select(found("induction"), case=case, weights=weights)])


def looks(weights, case):
    """The most that any head looks at what came after the symbol that is being read: (seeds,)."""
    return np.array([row["induction"] for row in select(found("induction"), case=case, weights=weights)])
