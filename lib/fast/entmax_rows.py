"""Entmax and sparsemax of many rows by the compiled kernels, with the gradient that these give."""

import functools
import math

import numpy as np

from lib._arrays import cast, compiling, is_number, is_torch, working_dtype
from lib._slopes import pull_back, rates
from lib.fast import kernels
from lib.fast.kernels import call_kernel, kernels_for, on_gpu


def why_not(given):
    """Why the kernels cannot weigh the rows of these checked arguments, or had better not; None if they can."""
    if not (is_number(given.alpha) and 1.05 <= given.alpha <= 2):
        return "alpha is an array, so may want a gradient; or so close to 1 that rounding counts; or above 2"
    if math.prod(shape_of(given)) < kernels.SMALLEST and not on_gpu(given.scores):
        return "too little to do"
    constants = given.given_beta, given.prior
    reason = kernels.why_no_kernels(given.scores, (given.scores, given.where, *constants), constants)
    if reason is None and on_gpu(given.scores):
        return kernels_for(given.scores).why_unrecorded(given.scores.device)
    return reason


def result(given, reference):
    """The weights by the kernels, with their derivatives."""
    shape = shape_of(given)
    scores, *options = in_rows(given, shape)
    if compiling():
        from lib.fast import entmax_in_graphs  # only now, since it imports torch

        rows, _ = entmax_in_graphs.weigh_rows_in_graph(scores, given.alpha, *options)
    elif is_torch(scores):
        rows = _differentiable_rows().apply(scores, given.alpha, *options)
    else:
        rows, _ = call_kernel("entmax_forward", scores, scores, given.alpha, *options)
    return out_of_rows(given.xp, rows, given.axis, shape)


def shape_of(given):
    """The shape to which the arguments broadcast."""
    arrays = given.scores, given.given_beta, given.prior, given.where
    return np.broadcast_shapes(*(tuple(x.shape) for x in arrays if x is not None and not is_number(x)))


def in_rows(given, shape):
    """Scores (rows, n), β (rows,), mask and prior (k, n) or None, of arguments that broadcast to `shape`.

    Row r has the mask and the prior r mod k. For the CPU half precision becomes float32; a GPU reads it as it is.
    """
    xp, scores, where, prior, axis = given.xp, given.scores, given.where, given.prior, given.axis
    lead, n = shape[:axis] + shape[axis:][1:], shape[axis]
    if not on_gpu(scores):
        scores = cast(xp, scores, working_dtype(xp, scores.dtype))
    scores = rows_of(xp, scores, axis, lead, n)
    beta = rows_of(xp, given.beta, axis, lead, 1)[:, 0]
    where, prior = (None if x is None else rows_of(xp, x, axis, lead, n, repeat=False) for x in (where, prior))
    return scores, beta, where, prior


def out_of_rows(xp, rows, axis, shape):
    """(rows, n) back to `shape`, in which n stands at `axis`."""
    lead, n = shape[:axis] + shape[axis:][1:], shape[axis]
    return xp.moveaxis(xp.reshape(rows, (*lead, n)), -1, axis)


def rows_of(xp, x, axis, lead, size, repeat=True):
    """(..., n or 1) -> (rows, size), with `axis` last.

    Without `repeat` leading axes of size 1 are dropped, which leaves k rows: row r is then row r mod k.
    """
    x = xp.reshape(x, (1,) * (len(lead) + 1 - x.ndim) + tuple(x.shape))
    x = xp.moveaxis(x, axis, -1)
    while not repeat and x.ndim > 1 and x.shape[0] == 1:
        x, lead = x[0, ...], lead[1:]
    if tuple(x.shape) != (*lead, size):  # only if need be: NumPy's result is read-only, and would be copied later
        x = xp.broadcast_to(x, (*lead, size))
    return xp.reshape(x, (math.prod(lead), size))


@functools.cache
def _differentiable_rows():
    import torch

    class Rows(torch.autograd.Function):
        """Weights and gradient by the kernels; under create_graph=True the gradient is by `pull_back`."""

        @staticmethod
        def forward(ctx, scores, alpha, *options):
            weights, slopes = call_kernel("entmax_forward", scores, scores, alpha, *options)
            ctx.alpha = alpha
            ctx.save_for_backward(weights, slopes)
            return weights

        @staticmethod
        def backward(ctx, grad):
            weights, slopes = ctx.saved_tensors
            if torch.is_grad_enabled():  # create_graph=True
                w = weights.to(working_dtype(torch, weights.dtype))
                slopes = slopes[:, None].to(w.dtype)
                grad = (slopes * pull_back(torch, rates(torch, w, ctx.alpha), grad, -1)).to(weights.dtype)
            else:
                grad = call_kernel("entmax_backward", weights, weights, grad, ctx.alpha, slopes)
            return grad, None, None, None, None

    return Rows
