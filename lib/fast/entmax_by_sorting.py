"""Sparsemax and entmax at α = 1.5 by sorting each row, in NumPy: for few rows the quickest way, and exact.

For many rows the compiled kernels are quicker, which sort nothing.
"""

import math

import numpy as np

from .._arrays import cast, highest_ordinary, is_number
from .._sorting import SORTED, sorted_weights
from .._torch_modes import is_torch
from ..gradients import with_derivatives
from . import kernels
from .kernels import in_library_of, in_numpy

HIGHEST, LOWEST = highest_ordinary(np.finfo(np.float64)), np.finfo(np.float64).min


def reason_against(arguments):
    """Why these rows cannot be sorted, or had better not; None if they can."""
    scores, where, beta, alpha = arguments.scores, arguments.where, arguments.beta, arguments.alpha
    if not (is_number(alpha) and alpha in SORTED and is_number(beta) and 1e-30 < beta < 1e30):
        return "with another alpha, or a beta at or below 0, near its limits or in an array"
    if not 0 < math.prod(scores.shape) < kernels.SMALLEST:
        return "for so many scores, or none"
    if arguments.prior is not None:
        return "with a prior"
    return kernels.reason_against_memory(scores, (scores, where))


def result(arguments, reference):
    """The weights; None if a row's best score is infinite, or so high that a gap to another may overflow."""
    xp, where, axis, order = arguments.xp, arguments.where, arguments.axis, arguments.alpha - 1
    scores = cast(xp, arguments.scores, xp.float64)
    rows = in_numpy(scores) if where is None else np.where(in_numpy(where), in_numpy(scores), -math.inf)
    rows = rows.swapaxes(axis, -1)
    peak = rows.max(-1, keepdims=True)
    if not peak.max() <= HIGHEST:
        return None
    z = (rows - np.maximum(peak, LOWEST)) * (order * arguments.beta)
    weights = sorted_weights(z, arguments.alpha) * (peak != -math.inf)  # in an empty row 0
    weights = in_library_of(scores, weights.swapaxes(axis, -1))
    if not (is_torch(scores) and scores.requires_grad):
        return weights
    alive = scores != -math.inf if where is None else where & (scores != -math.inf)
    return with_derivatives(weights, xp.where(alive, scores, 0.0) * arguments.beta, order, axis)
