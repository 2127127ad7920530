"""Softmax, its logarithm and its value by torch's own kernels, on the CPU, in fewer passes through the memory."""

import math

from .._arrays import is_number, known, known_true, stop_gradient
from .kernels import highest_ordinary


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
    """Softmax; None if a row's best score is infinite or NaN, or so high that a gap to another overflows."""
    if at_once(given):
        scores = masked(given, given.scores)
        weights = scores.softmax(given.axis)  # torch itself shifts the row by its maximum
        if not math.isnan(known(weights.sum())):
            return weights
        empty = rows_of_nothing(scores, given)
        return None if empty is None else with_rows(weights, empty, given.axis, 0.0)
    found = scaled(given)
    if found is None:
        return None
    scores, empty = found
    weights = scores.softmax(given.axis)
    return weights if empty is None else with_rows(weights, empty, given.axis, 0.0)


def log_result(given, reference):
    """The logarithm of softmax; None as for softmax."""
    if at_once(given):
        scores = masked(given, given.scores)
        log_weights = scores.log_softmax(given.axis)
        if not math.isnan(known(log_weights.sum())):
            return log_weights
        empty = rows_of_nothing(scores, given)
        return None if empty is None else with_rows(log_weights, empty, given.axis, -math.inf)
    found = scaled(given)
    if found is None:
        return None
    scores, empty = found
    log_weights, some = scores.log_softmax(given.axis), given.where
    if not given.scores.requires_grad:
        return log_weights if empty is None else with_rows(log_weights, empty, given.axis, -math.inf)
    if not known(stop_gradient(given.scores).amin()) > -math.inf:
        some = given.scores != -math.inf if some is None else some & (given.scores != -math.inf)
    # What is −inf is so as a constant, and pulls at no other.
    return log_weights if some is None else given.xp.where(some, log_weights, -math.inf)


def at_once(given):
    """Can torch have the scores as they are, to look at its result afterwards?"""
    return is_number(given.given_beta) and given.given_beta == 1 and not given.scores.requires_grad


def rows_of_nothing(scores, given):
    """The rows (..., 1) in which nothing is admissible, if all others are ordinary; else None."""
    peak = scores.amax(given.axis, keepdim=True)
    return peak == -math.inf if known(peak.amax()) <= highest_ordinary(given.xp.finfo(scores.dtype)) else None


def with_rows(weights, empty, axis, value):
    """The weights with `value` in the rows that are `empty`; in place, if autograd does not follow them."""
    if weights.requires_grad or axis != -1 or not weights.is_contiguous():
        return weights.masked_fill(empty, value)
    weights.view(-1, weights.shape[-1]).index_fill_(0, empty.flatten().nonzero()[:, 0], value)
    return weights


def why_no_value(given):
    """Why torch's kernel had better not compute the value that softmax attains, or None."""
    return why_not(given) or (None if is_number(given.given_beta) else "with an array beta")


def value(given, reference):
    """The value of softmax, (..., 1); None as for softmax, and where β times the spread of a row is small."""
    xp, scores, beta, axis = given.xp, given.scores, given.given_beta, given.axis
    fixed, some, empty = stop_gradient(scores), given.where, None
    log_count = math.log(scores.shape[axis])
    if some is None:
        low, high = fixed.amin(axis, keepdim=True), fixed.amax(axis, keepdim=True)
        if not known(low.amin()) > -math.inf:
            empty = high == -math.inf
            if not known_true(((low > -math.inf) | empty).all()):
                some = fixed != -math.inf
            elif scores.requires_grad:
                scores = scores.masked_fill(empty, 0.0)
    if some is not None:
        some = some & (fixed != -math.inf)
        low, high = (xp.where(some, fixed, x) for x in (math.inf, -math.inf))
        low, high = low.amin(axis, keepdim=True), high.amax(axis, keepdim=True)
        empty = low > high  # of NaN neither is larger
        scores = xp.where(some, scores, xp.where(empty, 0.0, -math.inf))
        log_count = some.sum(axis, keepdim=True).clamp(min=1).to(scores.dtype).log()
    # By the logarithm a value has the rounding of the largest score, if that of log n, over β, is not larger.
    wide = (high - low) * beta > 0.25
    if not known_true((wide if empty is None else wide | empty).all()):
        return None
    if not known(high.amax()) <= highest_ordinary(xp.finfo(scores.dtype)):
        return None
    found = ((scores if beta == 1 else scores * beta).logsumexp(axis, keepdim=True) - log_count) / beta
    return found if empty is None else xp.where(empty, -math.inf, found)


def masked(given, scores):
    return scores if given.where is None else given.xp.where(given.where, scores, -math.inf)


def scaled(given):
    """β · score, less a number for the row where that is due, and the rows of nothing, where there are any.

    What is masked is −inf; for a gradient a row of nothing is 0, so that torch finds weights for it. None if the
    best score of a row is infinite, NaN, or so high that a gap to another may overflow.
    """
    xp, scores, beta, axis = given.xp, given.scores, given.given_beta, given.axis
    if is_number(beta):
        scores = masked(given, scores)
        peak = stop_gradient(scores).amax(axis, keepdim=True)  # (..., n) -> (..., 1)
    else:
        good = (beta > 0) & (beta < math.inf)  # the scores finite too: in a gradient of β, −inf · 0 is NaN
        if not known_true(good.all()) or not known_true(stop_gradient(scores).sum().isfinite()):
            return None
        peak = masked(given, stop_gradient(scores)).amax(axis, keepdim=True)
    if not known(peak.amax()) <= highest_ordinary(xp.finfo(scores.dtype)):
        return None
    empty = peak == -math.inf
    empty = empty if known_true(empty.any()) else None
    if empty is not None:
        peak = peak.masked_fill(empty, 0.0)
    # A product β · score of size n or less is off by n eps at most, which is allowed. So the shift, one more pass,
    # is left out.
    if not known_true((peak.abs() * beta).amax() <= scores.shape[axis]):
        if not known_true(peak.abs().amax() <= highest_ordinary(xp.finfo(scores.dtype))):
            return None
        scores = scores - peak
    if not is_number(beta):
        scores = masked(given, scores * beta)
    elif beta != 1:
        scores = scores * beta
    filled = empty is not None and scores.requires_grad
    return (scores.masked_fill(empty, 0.0) if filled else scores), empty
