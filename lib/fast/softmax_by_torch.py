"""Softmax, its logarithm and its value by torch's own kernels, on the CPU, in fewer passes through the memory."""

import math

from .._arrays import highest_ordinary, is_number
from .._torch_modes import active_transform, known, known_true, stop_gradient


def softmax(arguments, reference):
    """Softmax; by the reference if a best score is infinite, NaN, or so high that a gap to another overflows."""
    return normalised(arguments, reference, "softmax", 0.0)


def log_softmax(arguments, reference):
    """The logarithm of softmax; by the reference as for softmax, and in derivatives that are taken forward."""
    return normalised(arguments, reference, "log_softmax", -math.inf)


def normalised(arguments, reference, function, nothing):
    """The scores after torch's function of that name, with `nothing` in rows where nothing is admissible."""
    scores, beta, axis = arguments.scores, arguments.beta, arguments.axis
    if not is_for(arguments) or (nothing and active_transform([scores, beta])):
        return reference(arguments)
    if is_number(beta) and beta == 1 and not scores.requires_grad:  # torch can have the scores as they are
        scores = masked(arguments, scores)
        weights = getattr(scores, function)(axis)  # torch itself shifts the row by its maximum
        if not math.isnan(known(weights.sum())):
            return weights
        peak = scores.amax(axis, keepdim=True)
        if not is_ordinary(arguments, peak):
            return reference(arguments)
        return with_rows(weights, peak == -math.inf, axis, nothing)
    scores, empty = scaled(arguments)
    if scores is None:
        return reference(arguments)
    weights = getattr(scores, function)(axis)
    if nothing != 0 and weights.requires_grad:  # what is −inf is so as a constant, and pulls at no other
        alive = arguments.scores != -math.inf
        return weights.where(alive if arguments.where is None else alive & arguments.where, nothing)
    return weights if empty is None else with_rows(weights, empty, axis, nothing)


def is_for(arguments):
    """Can these be for torch's kernels? A β that is an array is looked at later."""
    scores, beta = arguments.scores, arguments.beta
    moderate = not is_number(beta) or 1e-30 < beta < 1e30
    return arguments.prior is None and scores.is_cpu and scores.numel() > 0 and moderate


def is_ordinary(arguments, x):
    """Are all of these known to be low enough that no gap to another score overflows?"""
    return known(x.amax()) <= highest_ordinary(arguments.xp.finfo(x.dtype))


def masked(arguments, scores):
    return scores if arguments.where is None else arguments.xp.where(arguments.where, scores, -math.inf)


def with_rows(weights, empty, axis, value):
    """The weights with `value` in the rows that are `empty`; in place, if autograd does not follow them."""
    if weights.requires_grad or axis != -1 or not weights.is_contiguous():
        return weights.masked_fill(empty, value)
    weights.view(-1, weights.shape[-1]).index_fill_(0, empty.flatten().nonzero()[:, 0], value)
    return weights


def scaled(arguments):
    """β · score, less a number for the row where that is due, and the rows of nothing, where there are any.

    What is masked is −inf; for a gradient a row of nothing is 0, so that torch finds weights for it. None if the
    best score of a row is infinite, NaN, or so high that a gap to another may overflow.
    """
    scores, beta, axis = arguments.scores, arguments.beta, arguments.axis
    fixed = stop_gradient(scores)
    if not is_number(beta):
        good = (beta > 0) & (beta < math.inf)  # the scores finite too: in a gradient of β, −inf · 0 is NaN
        if not known_true(good.all()) or not known_true(fixed.sum().isfinite()):
            return None, None
    peak = masked(arguments, fixed).amax(axis, keepdim=True)  # (..., n) -> (..., 1)
    empty = peak == -math.inf
    empty = empty if known_true(empty.any()) else None
    if empty is not None:
        peak = peak.masked_fill(empty, 0.0)
    # A product β · score of size n or less is off by n eps at most, which is allowed. So the shift, one more pass,
    # is left out.
    if not known_true((peak.abs() * beta).amax() <= scores.shape[axis]):
        if not is_ordinary(arguments, peak.abs()):
            return None, None
        scores = scores - peak
    scores = masked(arguments, scores if is_number(beta) and beta == 1 else scores * beta)
    return scores.masked_fill(empty, 0.0) if empty is not None and scores.requires_grad else scores, empty


def log_partition(arguments, reference):
    """The value of softmax, (..., 1); by the reference as for softmax, and where β · spread of a row is small."""
    xp, scores, beta, axis = arguments.xp, arguments.scores, arguments.beta, arguments.axis
    if not is_for(arguments) or not is_number(beta):
        return reference(arguments)
    fixed, empty, log_count = stop_gradient(scores), None, math.log(scores.shape[axis])
    low, high = fixed.amin(axis, keepdim=True), fixed.amax(axis, keepdim=True)
    if arguments.where is not None or not known(low.amin()) > -math.inf:
        some = fixed != -math.inf if arguments.where is None else arguments.where & (fixed != -math.inf)
        low, high = (xp.where(some, fixed, x) for x in (math.inf, -math.inf))
        low, high = low.amin(axis, keepdim=True), high.amax(axis, keepdim=True)
        empty = low > high  # of NaN neither is larger
        scores = xp.where(some, scores, xp.where(empty, 0.0, -math.inf))
        log_count = some.sum(axis, keepdim=True).clamp(min=1).to(scores.dtype).log()
    # By the logarithm a value has the rounding of the largest score, if that of log n, over β, is not larger.
    # And no score times β may be infinite.
    wide = ((high - low) * beta > 0.25) & (high.abs() * beta < math.inf)
    if not known_true((wide if empty is None else wide | empty).all()) or not is_ordinary(arguments, high):
        return reference(arguments)
    value = ((scores if beta == 1 else scores * beta).logsumexp(axis, keepdim=True) - log_count) / beta
    return value if empty is None else xp.where(empty, -math.inf, value)
