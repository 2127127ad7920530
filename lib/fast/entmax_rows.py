"""Entmax and sparsemax of many rows by the compiled kernels, with the gradient that these give."""

import functools
import math

from .._arrays import cast, is_many, is_number, is_torch, known_true, working_dtype
from .._shapes import broadcast_shapes
from .._slopes import pull_back, rates, slope_in_alpha
from . import kernels
from .kernels import call_kernel

LOWEST, HIGHEST = 1.05, 2  # the α of the kernels: nearer to 1 rounding counts


def why_not(given):
    """Why the kernels cannot weigh the rows of these checked arguments, or had better not; None if they can."""
    scores, alpha, constants = given.scores, given.alpha, (given.given_beta, given.prior)
    if is_number(alpha) and not LOWEST <= alpha <= HIGHEST:
        return "with an alpha so close to 1 that rounding counts, or above 2"
    if math.prod(shape_of(given)) < kernels.SMALLEST:
        return "too little to do"
    if not is_number(alpha):
        if given.prior is not None and is_torch(alpha) and alpha.requires_grad:
            return "with a prior and a gradient wanted in alpha"
        if not known_true(given.xp.any(inside(alpha))):
            return "with no alpha from 1.05 to 2 in an array"
    return kernels.why_no_kernels(scores, (scores, given.where, alpha, *constants), constants)


def inside(alpha):
    return (alpha >= LOWEST) & (alpha <= HIGHEST)


def result(given, reference):
    """The weights by the kernels, with their derivatives; where rows have other α, these by the reference."""
    shape = shape_of(given)
    rows = in_rows(given, shape)
    if is_number(given.alpha) or known_true(given.xp.all(inside(given.alpha))):
        weights = by_kernels(*rows)
    else:
        weights = some_by_kernels(given, *rows, reference)
    return out_of_rows(given.xp, weights, given.axis, shape)


def by_kernels(scores, *options):
    if is_torch(scores):
        return _differentiable_rows().apply(scores, *options)
    return call_kernel("entmax_forward", scores, scores, *options)[0]


def some_by_kernels(given, scores, alpha, beta, where, prior, reference):
    """The rows whose α the kernels know, then the others, each put back to its place: (rows, n)."""
    xp = given.xp
    row = xp.arange(scores.shape[0], device=scores.device)
    where, prior = (None if x is None else xp.take(x, row % x.shape[0], axis=0) for x in (where, prior))
    order = xp.argsort(xp.astype(inside(alpha), xp.int64), descending=True)
    count = int(xp.sum(xp.astype(inside(alpha), xp.int64)))
    parts = []
    for some in (order[:count], order[count:]):
        parts.append(
            [None if x is None else xp.take(x, some, axis=0) for x in (scores, alpha, beta, where, prior)]
        )
    scores, alpha, beta, where, prior = parts[1]
    others = given._replace(
        scores=scores, alpha=alpha[:, None], given_beta=beta[:, None], where=where, prior=prior, axis=-1
    )
    weights = xp.concat([by_kernels(*parts[0]), cast(xp, reference(others), scores.dtype)], axis=0)
    return xp.take(weights, xp.argsort(order), axis=0)


def shape_of(given):
    """The shape to which the arguments broadcast."""
    arrays = given.scores, given.given_beta, given.prior, given.where, given.alpha
    return broadcast_shapes([tuple(x.shape) for x in arrays if x is not None and not is_number(x)])


def in_rows(given, shape):
    """Scores (rows, n), α a number or (rows,), β (rows,), mask and prior (k, n) or None, all of one `shape`.

    Row r has the mask and the prior r mod k. Half precision becomes float32.
    """
    xp, scores, where, prior, axis = given.xp, given.scores, given.where, given.prior, given.axis
    lead, n = shape[:axis] + shape[axis:][1:], shape[axis]
    scores = rows_of(xp, cast(xp, scores, working_dtype(xp, scores.dtype)), axis, lead, n)
    alpha, beta = (x if is_number(x) else rows_of(xp, x, axis, lead, 1)[:, 0] for x in (given.alpha, given.beta))
    where, prior = (None if x is None else rows_of(xp, x, axis, lead, n, repeat=False) for x in (where, prior))
    return scores, alpha, beta, where, prior


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
            ctx.alpha = alpha if is_number(alpha) else None
            kept = [] if is_number(alpha) else [alpha]
            ctx.save_for_backward(weights, slopes, *kept, *entries_beside_nan(scores, weights, *options))
            return weights

        @staticmethod
        def backward(ctx, grad):
            (weights, slopes, *kept), wanted, of_alpha = ctx.saved_tensors, ctx.needs_input_grad[1], None
            alpha = kept.pop(0) if ctx.alpha is None else ctx.alpha
            if torch.is_grad_enabled() or is_many(grad):  # create_graph=True, or is_grads_batched=True
                each = alpha if is_number(alpha) else alpha[:, None]
                slopes = slopes[:, None].to(weights.dtype)
                if wanted:
                    of_alpha = (grad * slope_in_alpha(torch, weights, each, -1)).sum(-1)
                grad = slopes * pull_back(torch, rates(torch, weights, each), grad, -1)
            else:
                if wanted:
                    of_alpha = call_kernel("entmax_alpha_backward", weights, weights, grad, alpha)
                grad = call_kernel("entmax_backward", weights, weights, grad, alpha, slopes)
            if kept:
                grad = grad.masked_fill(kept[0], 0.0)
            return grad, of_alpha, None, None, None

    def entries_beside_nan(scores, weights, beta, where, prior):
        """Which entries do not take part in a row that a NaN makes NaN, (rows, n); nothing without such a row."""
        if not known_true(weights[:, :1].isnan().any()):
            return []
        some, rows = scores != -math.inf, len(scores)
        for x in (where, None if prior is None else prior != 0):
            if x is not None:
                some = some & x.repeat(rows // len(x), 1)
        return [weights.isnan() & ~some]

    return Rows
