"""Entmax weights as the solution of an equation: found by Newton's method, differentiated through the equation."""

import functools
import math

import numpy as np

from lib.arrays import (
    as_search,
    cast,
    compiling,
    is_number,
    is_torch,
    known_true,
    namespace,
    namespace_of,
    or_one,
    stop_gradient,
    working_dtype,
)
from lib.gradients import pull_back, rates, slope_in_alpha
from lib.kernels import entmax_on_arrays as on_arrays
from lib.kernels.entmax_by_sorting import SORTED, sorted_weights
from lib.kernels.plain_calls import highest_plain_peak


def find_weights(xp, x, order, axis):
    """The weights (1 + order · (x − θ))^(1/order), 0 where the base is negative, that sum to 1: (..., n).

    The maximum of x is 0, and `order` is α − 1; at order 0 they are e^(x − θ). With P the largest of them
    they are P · (1 + order · x / P^order)^(1/order), so P is the one unknown. Their sum grows with P, from at
    most 1 at P = 1/n to at least 1 at P = 1. For order ≤ 1 the sum is convex in P, so Newton's steps from
    P = 1 go down to the root and never past it. Each step divides the product of excess and slope by 4 or
    more, so 27 + log₂ n steps are enough (55 for 2²⁸ entries), and 4 to 10 are usual. For order > 1 a step may
    leave the bracket that is known to hold the root; then the bracket is halved. Every step after the 55th
    halves it, which makes the end certain. 5 to 20 steps are usual, and 110 the most.
    """

    def total(y):
        return xp.sum(y, axis=axis, keepdims=True)  # (..., n) -> (..., 1)

    n, one = x.shape[axis], xp.ones_like(total(x))
    x = xp.maximum(x, xp.full_like(one, -1e300))  # at order 0, 0 · −inf would be NaN
    rounding = (4 + n**0.5) * xp.finfo(x.dtype).eps  # of a sum of n weights
    steps = 27 + n.bit_length() if is_number(order) and order <= 1 else 110
    low, high, trial = one / (n + 1), one, one
    done = False
    for k in range(steps):
        ratio, slope = _relative(xp, x, trial, order)
        excess = trial * total(ratio) - 1
        enough = excess >= -rounding
        low, high = xp.where(enough, low, trial), xp.where(enough, trial, high)
        done = done | ~(xp.abs(excess) > rounding) | (high - low <= rounding * high)
        newton = trial - excess / total(slope)
        inside = (newton > low) & (newton < high) & (k < 55)
        trial = xp.where(inside, newton, (low + high) / 2)
        trial = xp.where(done, high, trial)
        if known_true(xp.all(done)):
            break
    # The last step corrects the weights instead of P, so that those near 0 lose no digits.
    ratio, slope = _relative(xp, x, high, order)
    share = slope / or_one(xp, total(slope))
    weights = high * ratio + share * (1 - high * total(ratio))
    return xp.maximum(weights, xp.zeros_like(one))


def _relative(xp, x, largest, order):
    """For P = `largest`: weight / P, and the slope of the weight in P: (..., n), (..., n)."""
    x = x / xp.maximum(largest**order, xp.full_like(largest, 1e-300))
    bend = order * x
    base = xp.maximum(1 + bend, xp.zeros_like(largest))
    if is_number(order) and order >= 0.2:
        ratio = base ** (1 / order)
    else:  # the power 1/order would magnify the rounding of the base; at order 0 the limit is e^x
        bend = xp.maximum(bend, -xp.ones_like(largest))
        ratio = xp.exp(xp.where(bend == 0, x, xp.log1p(bend) / order))
    return ratio, xp.where(base > 0, ratio / base, 0.0)


def with_derivatives(weights, x, order, axis):
    """`weights`, with the derivatives in `x` and `order` that the equation gives them."""
    if compiling():
        from lib import operators  # only now, since it imports torch

        return operators.weights_with_slopes(weights, x, order, axis)
    return _solution().apply(weights, x, order, axis) if is_torch(x) else weights


@functools.cache
def _solution():
    import torch

    class Solution(torch.autograd.Function):
        """Returns the weights that it is given, with the derivatives that the equation's solution has."""

        generate_vmap_rule = True

        @staticmethod
        def forward(weights, x, order, axis):
            return weights.clone()

        @staticmethod
        def setup_context(ctx, inputs, weights):
            _, _, order, ctx.axis = inputs
            ctx.order = order if is_number(order) else None
            saved = (weights,) if is_number(order) else (weights, order)
            ctx.save_for_backward(*saved)
            ctx.save_for_forward(*saved)

        @staticmethod
        def backward(ctx, grad):
            xp, weights, alpha = parts(ctx)
            grad_x = pull_back(xp, rates(xp, weights, alpha), grad, ctx.axis)
            if ctx.order is not None:
                return None, grad_x, None, None
            products = grad * slope_in_alpha(xp, weights, alpha, ctx.axis)
            return None, grad_x, xp.sum(products, axis=ctx.axis, keepdims=True), None

        @staticmethod
        def jvp(ctx, _, x, order, __):
            xp, weights, alpha = parts(ctx)
            tangent = 0.0 if x is None else pull_back(xp, rates(xp, weights, alpha), x, ctx.axis)
            if order is not None:
                tangent = tangent + order * slope_in_alpha(xp, weights, alpha, ctx.axis)
            return tangent

    def parts(ctx):
        weights, *order = ctx.saved_tensors
        return namespace(weights=weights), weights, 1 + (order[0] if order else ctx.order)

    return Solution


def solve(xp, x, order, axis):
    """The weights of `find_weights`, without derivatives."""
    x, order = stop_gradient(x), stop_gradient(order)
    if not compiling():
        return weights_found(xp, x, order, axis)
    from lib import operators  # only now, since it imports torch

    return operators.found("weights_found", (x, order), axis, like=x)


@as_search
def weights_found(xp, x, order, axis):
    """The weights of `find_weights`, for arrays that want no derivatives.

    A few numbers in main memory are worked on in NumPy, which takes a third of torch's time on them; there
    they are found by sorting, if α allows that.
    """
    few = 0 < math.prod(x.shape) < on_arrays.SMALLEST
    if not few or on_arrays.why_no_memory(x, (x, order)) is not None:
        return find_weights(xp, x, order, axis)
    rows, order = on_arrays.in_numpy(x), on_arrays.in_numpy(order)
    with np.errstate(all="ignore"):
        if is_number(order) and order + 1 in SORTED:
            weights = np.moveaxis(sorted_weights(np.moveaxis(order * rows, axis, -1), order + 1), -1, axis)
        else:
            weights = find_weights(np, rows, order, axis)
    return on_arrays.in_library_of(x, weights)


def plain_weights(scores, alpha, beta):
    """Entmax of a plain call by sorting; None unless scores are few, α is 1.5 or 2 and no gap can overflow."""
    if not (type(alpha) in (float, int) and alpha in SORTED and 0 < math.prod(scores.shape) < on_arrays.SMALLEST):
        return None
    if on_arrays.why_no_memory(scores, (scores,)) is not None:
        return None
    rows, order = on_arrays.in_numpy(scores), alpha - 1
    peak = np.maximum.reduce(rows, axis=-1, keepdims=True)
    if not np.maximum.reduce(np.abs(peak), axis=None) <= highest_plain_peak(rows.dtype):
        return None
    z = np.subtract(rows, peak, dtype=np.float64) * (order * beta)
    weights = on_arrays.in_library_of(scores, sorted_weights(z, alpha))
    if is_torch(scores) and scores.requires_grad:
        weights = with_derivatives(weights, scores.double() * beta, order, -1)
    return cast(namespace_of(scores), weights, scores.dtype)


def weights_by_kernels(given, alpha):
    """Entmax of checked arguments by the compiled kernels, with its derivatives; None where they cannot."""
    xp, axis = given.xp, given.axis
    arrays = (given.scores, given.beta, given.prior, given.where)
    shape = np.broadcast_shapes(*(tuple(x.shape) for x in arrays if x is not None))
    if on_arrays.why_not_rows(given, alpha, shape) is not None:
        return None
    scores, *options = on_arrays.in_rows(given, shape)
    if compiling():
        from lib import operators  # only now, since it imports torch

        rows, _ = operators.entmax_rows(scores, alpha, *options)
    elif is_torch(scores):
        rows = _solution_by_kernels().apply(scores, alpha, *options)
    else:
        rows, _ = on_arrays.kernels_for(scores).entmax_forward(scores, alpha, *options)
    return cast(xp, on_arrays.out_of_rows(xp, rows, axis, shape), given.dtype)


@functools.cache
def _solution_by_kernels():
    import torch

    kernels_for, for_kernels, in_library_of = on_arrays.kernels_for, on_arrays.for_kernels, on_arrays.in_library_of

    class SolutionByKernels(torch.autograd.Function):
        """Weights and gradient by the kernels; under create_graph=True the gradient is by `pull_back`."""

        @staticmethod
        def forward(ctx, scores, alpha, *options):
            weights, slopes = kernels_for(scores).entmax_forward(for_kernels(scores), alpha, *options)
            weights, ctx.slopes, ctx.alpha = in_library_of(scores, weights), slopes, alpha
            ctx.save_for_backward(weights)
            return weights

        @staticmethod
        def backward(ctx, grad):
            (weights,) = ctx.saved_tensors
            if torch.is_grad_enabled():  # create_graph=True
                w = weights.to(working_dtype(torch, weights.dtype))
                slopes = in_library_of(w, ctx.slopes)[:, None].to(w.dtype)
                grad = (slopes * pull_back(torch, rates(torch, w, ctx.alpha), grad, -1)).to(weights.dtype)
            else:
                arrays = for_kernels(weights), for_kernels(grad)
                grad = in_library_of(grad, kernels_for(weights).entmax_backward(*arrays, ctx.alpha, ctx.slopes))
            return grad, None, None, None, None

    return SolutionByKernels
