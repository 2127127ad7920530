"""Softmax by torch's own kernel, on the CPU, in fewer passes through the memory than the reference body takes."""

import math

from lib._arrays import is_number, known, known_true, stop_gradient
from lib.fast.kernels import highest_ordinary


def why_not(given):
    """Why torch's kernel had better not compute these, or None."""
    if given.prior is not None:
        return "with a prior"
    if not given.scores.is_cpu or given.scores.numel() == 0:
        return "for scores that cannot be looked at, or none"
    return why_not_beta(given.given_beta)


def why_not_beta(beta):
    """Why not with this β, if it is a number; that of an array is looked at later."""
    return None if not is_number(beta) or 1e-30 < beta < 1e30 else "with a beta at or below 0, or near its limits"


def result(given, reference):
    """The weights; None if there may be rows whose best score is infinite, or so high that a gap overflows."""
    scores, beta, axis = given.scores, given.given_beta, given.axis
    if given.where is not None:
        scores = given.xp.where(given.where, scores, -math.inf)
    if is_number(beta) and beta == 1:  # torch itself shifts the row by its maximum, and gives NaN if it cannot
        weights = scores.softmax(axis)
        return None if math.isnan(known(weights.detach().sum())) else weights
    if not is_number(beta):
        good = (beta > 0) & (beta < math.inf)  # the scores finite too: in a gradient of β, −inf · 0 is NaN
        if not known_true(good.all()) or not known_true(stop_gradient(scores).sum().isfinite()):
            return None
    # A product β · score of size n or less is off by n eps at most, which is allowed. So the shift, one more pass,
    # is left out.
    peak = stop_gradient(scores).amax(axis, keepdim=True)  # (..., n) -> (..., 1)
    if not known_true((peak.abs() * beta).amax() <= scores.shape[axis]):
        if not known_true(peak.abs().amax() <= highest_ordinary(given.xp.finfo(scores.dtype))):
            return None
        scores = scores - peak
    return (scores * beta).softmax(axis)
