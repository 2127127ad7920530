"""Tests on a few tokens with every sequence listed, so that nothing need be known about which test is best."""

import numpy as np
from scipy.optimize import linprog


def sequences(weights, m):
    """The chance of each of the n^m sequences of `m` tokens drawn with `weights`, in one fixed order."""
    chances = np.ones(1)
    for _ in range(m):
        chances = np.outer(chances, weights).ravel()  # (n^l,) and (n,) -> (n^(l+1),)
    return chances


def sums(values, m):
    """What the `values` of the tokens of each sequence add up to, in the order of `sequences`."""
    total = np.zeros(1)
    for _ in range(m):
        total = np.add.outer(total, values).ravel()
    return total


def fewest_misses(under_u, under_pi, level):
    """The least chance of a miss among all rules with at most `level` false alarms, by linear programming.

    A rule gives each sequence a chance to say π, from 0 to 1. Both errors are linear in these chances.
    """
    done = linprog(-under_pi, A_ub=under_u[None], b_ub=[level], bounds=(0, 1), method="highs")
    return 1 + done.fun


def misses_above_a_bar(statistic, under_u, under_pi, level):
    """The misses of the test that says π where `statistic` is above a bar, with a coin at the bar itself.

    Bar and coin are such that the false alarms are exactly `level`.
    """
    values, place = np.unique(np.round(statistic, 9), return_inverse=True)
    alarms = np.bincount(place, under_u, len(values))[::-1]  # (values,), what speaks most for π first
    hits = np.bincount(place, under_pi, len(values))[::-1]
    room = level - (np.cumsum(alarms) - alarms)
    return 1 - np.clip(room / alarms, 0, 1) @ hits
