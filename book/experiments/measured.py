"""What the committed sweeps found, as the chapter *experiments* asks for it: an entry for each seed.

The files are those of `book.models.results`, as `python -m book.models.sweep` wrote them. Nothing is trained here.
"""

from functools import cache

import numpy as np
import torch

from book.models import induction, learned_beta, retrieval, sharpness
from book.models.induction import CASES, LEVELS
from book.models.learned_beta import TIMES
from book.models.results import results, select
from book.models.retrieval import RULES, SIZES, entropy_fitted
from book.models.sharpness import KEYS, REACH, VALUES
from book.models.sweep import SEEDS
from lib import softmax

SIZES_OF_NOISE = {"keys": KEYS, "values": VALUES, "own gradient": REACH, "worst": REACH}
SIZES_OF_NOISE |= {"sharpened keys": KEYS, "sharpened values": VALUES}


@cache
def found(name):
    """The file of an experiment."""
    return results(name)


def retrieved(rule, lead, what="right", steps=retrieval.STEPS[0], rate=retrieval.RATES[0]):
    """For each seed and each of SIZES: the share of right answers, "top" weight, or "ceiling": (seeds, sizes)."""
    trained = rule if rule in RULES else "softmax"  # others are put into a model that was trained with it
    rows = select(found("retrieval"), rule=trained, lead=lead, steps=steps, rate=rate)
    return np.array([row["ceiling"] if what == "ceiling" else row[rule][what] for row in rows])


def at(n):
    """Which of SIZES this is."""
    return SIZES.index(n)


def predicted(steps=retrieval.STEPS[0]):
    """Among how many items softmax is expected to leave the largest one half, if it leads by 0.1: (seeds,)."""
    rows = select(found("retrieval"), rule="softmax", lead=0.1, steps=steps, rate=retrieval.RATES[0])
    return np.array([row["n_star"] for row in rows])


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


def looked_up(agree, beta, what="clean", level=None, weights="softmax", long=False, rate=sharpness.RATES[0]):
    """The shares of right answers of models trained without noise, with one sharpness: (seeds,)."""
    steps = sharpness.STEPS[1] if long else sharpness.STEPS[0]
    rows = select(found("sharpness"), agree=agree, beta=beta, weights=weights, steps=steps, rate=rate)
    place = None if level is None else SIZES_OF_NOISE[what].index(level)
    return np.array([row[what] if place is None else row[what][place] for row in rows])


def settled(noise, start, rate=learned_beta.RATE):
    """Where a β that is learned has come to: (seeds,)."""
    return np.array([row["settled"] for row in _learned(noise, start, rate)])


def on_its_way(noise, start):
    """A β that is learned after so many steps, (parts,), and its median over the seeds, (parts,)."""
    rows = _learned(noise, start)
    steps = 1 + rows[0]["steps"] // learned_beta.PARTS * np.arange(len(rows[0]["way"]))
    return np.append(steps, rows[0]["steps"]), np.append(np.median([row["way"] for row in rows], axis=0),
                                                         np.median(settled(noise, start)))  # fmt: skip


def with_own_beta(noise, start, times=1.0):
    """The share of right answers with the noise of training and this many times the learned β: (seeds,)."""
    return np.array([row["times"][TIMES.index(times)] for row in _learned(noise, start)])


def held(beta, noise=2.0):
    """The share of right answers of models whose β was held there in training, with the same noise: (seeds,)."""
    rows = select(found("learned_beta"), noise=noise, beta=beta, learn=False)
    return np.array([row["times"][TIMES.index(1.0)] for row in rows])


def _learned(noise, start, rate=learned_beta.RATE):
    return select(found("learned_beta"), noise=noise, beta=start, learn=True, rate=rate)


def steps(weights, rate, case="plain", level=LEVELS[-1]):
    """After how many steps a model has so many right, ∞ if it never does: (seeds,)."""
    taken = [row["steps"][LEVELS.index(level)] for row in _copying(weights, rate, case)]
    return np.array([np.inf if each is None else float(each) for each in taken])


def at_beta(beta):
    """The case in which β is this many times the usual one."""
    return "plain" if beta == 1 else f"beta {beta}"


def arrived(weights, rate, case="plain"):
    """How many of the seeds come to the last level."""
    return int(np.isfinite(steps(weights, rate, case)).sum())


def steps_at_best(weights, betas=(1,), level=LEVELS[-1]):
    """After how many steps a map has so many right, at its best rate and β: (seeds,)."""
    rate, beta = best(weights, betas, level)
    return steps(weights, rate, at_beta(beta), level)


def best(weights, betas=(1,), level=LEVELS[-1]):
    """The rate, and β over the usual one, with which a map is soonest, by the median, where all seeds arrive."""
    tried = [(rate, beta) for beta in betas for rate in CASES[at_beta(beta)][1]]
    whole = [(rate, beta) for rate, beta in tried if arrived(weights, rate, at_beta(beta)) == SEEDS]
    return min(whole, key=lambda each: np.median(steps(weights, each[0], at_beta(each[1]), level)))


def last(weights, rate, case):
    """The share that is right at the end of training: (seeds,)."""
    return np.array([row["last"] for row in _copying(weights, rate, case)])


def looks(weights, rate, case):
    """The most that any head looks at what came after the symbol that is being read: (seeds,)."""
    return np.array([row["looks"] for row in _copying(weights, rate, case)])


def _copying(weights, rate, case):
    return select(found("induction"), case=case, weights=weights, rate=rate)


def least_recent_is_next(repeats=False):
    """The share of places at which the symbol that was seen least recently comes next; this is computed here."""
    batch = induction.Blocks(repeats).batch(200, torch.Generator().manual_seed(0))
    right = []
    for row, targets, counts in zip(*(x.tolist() for x in batch), strict=True):
        seen = {}
        for place, symbol in enumerate(row):
            seen.pop(symbol, None)
            seen[symbol] = place  # a dict keeps its order, so the first is the one seen least recently
            if counts[place]:
                right.append(next(iter(seen)) == targets[place])
    return float(np.mean(right))
