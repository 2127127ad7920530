"""Sparsemax and entmax at α = 1.5 by sorting each row, in NumPy: for few rows the quickest way, and exact.

In a sorted row, z₁ ≥ z₂ ≥ …, the threshold is the one that the k best entries would have by themselves, for the k
at which all others get no weight. (For many rows the compiled kernels are quicker, which sort nothing.)
"""

import math

import numpy as np

from lib._arrays import cast, compiling, is_number, is_torch
from lib.fast import kernels
from lib.fast.kernels import highest_ordinary, in_library_of, in_numpy
from lib.gradients import with_derivatives

SORTED = (1.5, 2)  # the α that sorting can solve
HIGHEST, LOWEST = highest_ordinary(np.finfo(np.float64)), np.finfo(np.float64).min


def why_not(given):
    """Why these rows cannot be sorted, or had better not; None if they can."""
    scores, where, beta, alpha = given.scores, given.where, given.given_beta, given.alpha
    if not (is_number(alpha) and alpha in SORTED and is_number(beta) and 1e-30 < beta < 1e30):
        return "with another alpha, or a beta at or below 0, near its limits or in an array"
    if not 0 < math.prod(scores.shape) < kernels.SMALLEST:
        return "for so many scores, or none"
    if given.prior is not None:
        return "with a prior"
    if compiling() or kernels.on_gpu(scores):
        return "while compiling, or on a GPU"
    return kernels.why_no_memory(scores, (scores, where))


def result(given, reference):
    """The weights; None if a row's best score is infinite, or so high that a gap to another may overflow."""
    xp, where, axis, order = given.xp, given.where, given.axis, given.alpha - 1
    scores = cast(xp, given.scores, xp.float64)
    rows = in_numpy(scores) if where is None else np.where(in_numpy(where), in_numpy(scores), -math.inf)
    rows = rows.swapaxes(axis, -1)
    peak = rows.max(-1, keepdims=True)
    if not peak.max() <= HIGHEST:
        return None
    z = (rows - np.maximum(peak, LOWEST)) * (order * given.given_beta)
    weights = sorted_weights(z, given.alpha) * (peak != -math.inf)  # in an empty row 0
    weights = in_library_of(scores, weights.swapaxes(axis, -1))
    if not (is_torch(scores) and scores.requires_grad):
        return weights
    alive = scores != -math.inf if where is None else where & (scores != -math.inf)
    return with_derivatives(weights, xp.where(alive, scores, 0.0) * given.given_beta, order, axis)


def sorted_weights(z, alpha):
    """[zᵢ − τ]₊^(1/(α − 1)) that sum to 1, for α 1.5 or 2: float64 (..., n) with maximum 0 -> (..., n)."""
    z = np.maximum(z, -1.0)  # an entry at −1 or below has no weight
    best, count = np.sort(z)[..., ::-1], np.arange(1, z.shape[-1] + 1)
    return (_sparsemax_of_sorted if alpha == 2 else _entmax15_of_sorted)(z, best, count)


def _sparsemax_of_sorted(z, best, count):
    # With too few or too many of the best entries the threshold is lower, so the largest is the right one.
    tau = np.maximum.reduce((np.add.accumulate(best, axis=-1) - 1) / count, axis=-1, keepdims=True)
    return np.maximum(z - tau, 0)


def _entmax15_of_sorted(z, best, count):
    mean = np.add.accumulate(best, axis=-1) / count
    squares = np.add.accumulate(best * best, axis=-1) / count - mean * mean
    tau = mean - np.sqrt(np.maximum(1 / count - squares, 0))  # of the k best: where the squares of z − τ sum to 1
    last = np.add.reduce(tau <= best, axis=-1, keepdims=True) - 1
    tau = np.take_along_axis(tau, last, axis=-1)
    root = np.maximum(z - tau, 0)
    # The difference of squares has lost digits to rounding; a Newton step restores them in the weights.
    weights = root * root
    excess = np.add.reduce(weights, axis=-1, keepdims=True) - 1
    return np.maximum(weights - root * (excess / np.add.reduce(root, axis=-1, keepdims=True)), 0)
