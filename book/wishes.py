"""The four wishes, put to a rule that turns scores into weights."""

import numpy as np


def broken_wishes(rule, rows):
    """By how much a rule breaks each of the four wishes on rows of scores, (rows, n); 0 for one that it keeps.

    1: the largest change of the log-ratio of the first two weights when the others' scores change, when the last
    token leaves, and when one joins. 2: the largest change of a weight when two tokens exchange scores, and then
    weights. 3: the same when everybody gets the same number more or less, for each of 20 random ones. 4: the share
    of all weights that do not rise when their score rises by ½.
    """
    weights, n = rule(rows), rows.shape[1]
    log = lambda w: np.log(np.maximum(w, np.finfo(float).tiny))  # noqa: E731 - a weight may be 0
    shifted = [rule(rows + x) - weights for x in np.random.default_rng(6).normal(0, 2, size=20)]
    others = np.concatenate([rows[:, :2], np.roll(rows[:, 2:], 1, axis=0)], axis=1)
    joined = np.concatenate([rows, np.roll(rows[:, :1], 1, axis=0)], axis=1)
    moved = [
        log(w[:, 0]) - log(w[:, 1]) - log(weights[:, 0]) + log(weights[:, 1])
        for w in (rule(others), rule(rows[:, :-1]), rule(joined))
    ]
    swaps = [[*range(i), j, *range(i + 1, j), i, *range(j + 1, n)] for j in range(n) for i in range(j)]
    swapped = [rule(rows[:, swap])[:, swap] - weights for swap in swaps]
    raised = [rule(rows + 0.5 * one)[:, i] - weights[:, i] for i, one in enumerate(np.eye(n))]
    return (
        float(np.max(np.abs(moved))),
        float(np.max(np.abs(swapped))),
        float(np.max(np.abs(shifted))),
        float(np.mean(~(np.array(raised) > 0))),
    )
