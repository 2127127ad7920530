"""Entmax and sparsemax of many rows by the compiled kernels, with the gradient that these give."""

import functools
import math

from .._arrays import cast, is_number, working_dtype
from .._checks import broadcast_shapes
from .._slopes import pull_back, rates, slope_in_alpha
from .._torch_modes import is_many, is_torch, known_true
from . import kernels
from .kernels import call_kernel

LOWEST, HIGHEST = 1.05, 2  # the α of the kernels: nearer to 1 rounding counts


def reason_against(arguments):
    """Why the kernels cannot weigh the rows of these checked arguments, or had better not; None if they can."""
    scores, alpha, constants = arguments.scores, arguments.alpha, (arguments.beta, arguments.prior)
    if is_number(alpha) and not LOWEST <= alpha <= HIGHEST:
        return "with an alpha so close to 1 that rounding counts, or above 2"
    if math.prod(shape_of(arguments)) < kernels.SMALLEST:
        return "too little to do"
    if not is_number(alpha):
        if arguments.prior is not None and is_torch(alpha) and alpha.requires_grad:
            return "with a prior and a gradient wanted in alpha"
        if not known_true(arguments.xp.any(inside(alpha))):
            return "with no alpha from 1.05 to 2 in an array"
    return kernels.reason_against_kernels(scores, (scores, arguments.where, alpha, *constants), constants)


def inside(alpha):
    return (alpha >= LOWEST) & (alpha <= HIGHEST)


def result(arguments, reference):
    """The weights by the kernels, with their derivatives; where rows have other α, these by the reference."""
    xp, axis, shape = arguments.xp, arguments.axis, shape_of(arguments)
    scores, alpha, beta, where, prior = in_rows(arguments, shape)
    others = None if is_number(alpha) else ~inside(alpha)
    known = alpha if others is None else xp.clip(alpha, LOWEST, HIGHEST)
    if is_torch(scores):
        weights = _differentiable_rows().apply(scores, known, beta, where, prior)
    else:
        weights, slopes = call_kernel("entmax_forward", scores, scores, known, beta, where, prior)
        weights[xp.isnan(slopes)] = math.nan
    if others is not None and known_true(xp.any(others)):
        (some,) = xp.nonzero(others)
        where, prior = (None if x is None else xp.take(x, some % x.shape[0], axis=0) for x in (where, prior))
        scores, alpha, beta = (xp.take(x, some, axis=0) for x in (scores, alpha[:, None], beta[:, None]))
        rows = arguments._replace(scores=scores, alpha=alpha, beta=beta, where=where, prior=prior, axis=-1)
        rows = cast(xp, reference(rows), scores.dtype)
        if is_torch(scores):
            weights = weights.index_copy(0, some, rows)
        else:
            weights[some] = rows
    leading, n = shape[:axis] + shape[axis:][1:], shape[axis]
    return xp.moveaxis(xp.reshape(weights, (*leading, n)), -1, axis)


def shape_of(arguments):
    """The shape to which the arguments broadcast."""
    arrays = arguments.scores, arguments.beta, arguments.prior, arguments.where, arguments.alpha
    return broadcast_shapes([tuple(x.shape) for x in arrays if x is not None and not is_number(x)])


def in_rows(arguments, shape):
    """Scores (rows, n), α a number or (rows,), β (rows,), mask and prior (k, n) or None; row r has number r mod k.

    Half precision becomes float32.
    """
    xp, axis, alpha, beta = arguments.xp, arguments.axis, arguments.alpha, arguments.beta_array
    leading, n = shape[:axis] + shape[axis:][1:], shape[axis]
    scores = cast(xp, arguments.scores, working_dtype(xp, arguments.scores.dtype))
    alpha, beta = (x if is_number(x) else rows_of(xp, x, axis, leading, 1)[:, 0] for x in (alpha, beta))
    masks = arguments.where, arguments.prior
    where, prior = (None if x is None else rows_of(xp, x, axis, leading, n, repeat=False) for x in masks)
    return rows_of(xp, scores, axis, leading, n), alpha, beta, where, prior


def rows_of(xp, x, axis, leading, size, repeat=True):
    """(..., n or 1) -> (rows, size), with `axis` last.

    Without `repeat` leading axes of size 1 are dropped, which leaves k rows: row r is then row r mod k.
    """
    x = xp.reshape(x, (1,) * (len(leading) + 1 - x.ndim) + tuple(x.shape))
    x = xp.moveaxis(x, axis, -1)
    while not repeat and x.ndim > 1 and x.shape[0] == 1:
        x, leading = x[0, ...], leading[1:]
    # only if need be: NumPy's result is read-only, and would be copied later
    if tuple(x.shape) != (*leading, size):
        x = xp.broadcast_to(x, (*leading, size))
    return xp.reshape(x, (math.prod(leading), size))


@functools.cache
def _differentiable_rows():
    import torch

    class Rows(torch.autograd.Function):
        """Weights and gradient by the kernels; under create_graph=True the gradient is by `pull_back`."""

        @staticmethod
        def forward(ctx, scores, alpha, beta, where, prior):
            weights, slopes = call_kernel("entmax_forward", scores, scores, alpha, beta, where, prior)
            ctx.alpha, broken, hidden = alpha, slopes.isnan()[:, None], []
            if known_true(broken.any()):
                hidden = [broken & (weights == 0)]  # what is not admissible beside a NaN has no gradient
                weights = weights.masked_fill(broken, math.nan)
            alphas = []
            if not is_number(alpha):
                ctx.alpha, alphas = None, [alpha]
            ctx.save_for_backward(weights, slopes, *alphas, *hidden)
            return weights

        @staticmethod
        def backward(ctx, grad):
            (weights, slopes, *kept), wanted, of_alpha = ctx.saved_tensors, ctx.needs_input_grad[1], None
            alpha = kept.pop(0) if ctx.alpha is None else ctx.alpha
            if torch.is_grad_enabled() or is_many(grad):  # create_graph=True, or is_grads_batched=True
                each = alpha if is_number(alpha) else alpha[:, None]
                if wanted:
                    of_alpha = (grad * slope_in_alpha(torch, weights, each, -1)).sum(-1)
                slopes = slopes[:, None].to(weights.dtype)
                grad = slopes * pull_back(torch, rates(torch, weights, each), grad, -1)
            else:
                if wanted:
                    of_alpha = call_kernel("entmax_alpha_backward", weights, weights, grad, alpha)
                grad = call_kernel("entmax_backward", weights, weights, grad, alpha, slopes)
            for entries in kept:
                grad = grad.masked_fill(entries, 0.0)
            return grad, of_alpha, None, None, None

    return Rows
