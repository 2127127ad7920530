"""Entmax by the compiled kernels, where they are there and mean the same as the readable body."""

import functools

import numpy as np

from lib.arrays import cast, is_number, is_torch, transform
from lib.gradients import pull_back, rates

SMALLEST = 1 << 16  # entries; for fewer, loading the kernels costs more than they save


def entmax(given, alpha):
    """The weights for checked arguments, scores in float32 or float64; None where it is for the readable body."""
    xp, scores, beta, prior, where, axis, dtype = given
    shape = np.broadcast_shapes(*(tuple(x.shape) for x in (scores, beta, prior, where) if x is not None))
    if refusal(given, alpha, shape) is not None:
        return None
    lead, n = shape[:axis] + shape[axis:][1:], shape[axis]
    scores = rows_of(xp, scores, axis, lead, n)  # (..., n) -> (rows, n)
    beta = in_numpy(rows_of(xp, beta, axis, lead, 1)[:, 0])  # (rows,)
    where, prior = (
        None if x is None else in_numpy(rows_of(xp, x, axis, lead, n, repeat=False)) for x in (where, prior)
    )
    if is_torch(scores):
        weights = _differentiable().apply(scores, alpha, beta, where, prior)
    else:
        weights, _ = kernels().entmax(scores, alpha, beta, where, prior)
    return cast(xp, xp.moveaxis(xp.reshape(weights, (*lead, n)), -1, axis), dtype)


def refusal(given, alpha, shape):
    """Why the kernels cannot do it, or had better not; None if they can."""
    if not (is_number(alpha) and 1.05 <= alpha <= 2):
        return "alpha is an array, so may want a gradient; or so close to 1 that rounding counts; or above 2"
    if np.prod(shape) < SMALLEST:
        return "too little to do"
    return not_here(given.scores, given, constants=(given.beta, given.prior))


def not_here(x, arrays, constants):
    """Why no kernel can take `x` with these arrays, to which the kernels know no gradient in `constants`."""
    if is_torch(x):
        import torch

        tensors = [x for x in arrays if isinstance(x, torch.Tensor)]
        if x.device.type != "cpu" or any(type(x) not in (torch.Tensor, torch.nn.Parameter) for x in tensors):
            return "not in the main memory of this machine, or a tensor of some special kind"
        if why := transform(tensors):
            return why
        if torch.is_grad_enabled() and any(is_torch(x) and x.requires_grad for x in constants):
            return "with a gradient wanted in beta or the prior"
    elif type(x) is not np.ndarray:
        return "not in the main memory of this machine, as far as one knows"
    return "without Numba" if kernels() is None else None


@functools.cache
def kernels():
    """The compiled kernels, or None where Numba is not installed."""
    try:
        from lib.kernels import cpu as found
    except ImportError:
        return None
    return found


def rows_of(xp, x, axis, lead, size, repeat=True):
    """(..., n or 1) -> (rows, size), `axis` last; unless `repeat`, (k, size) where row r is row r mod k."""
    x = xp.reshape(x, (1,) * (len(lead) + 1 - x.ndim) + tuple(x.shape))
    x = xp.moveaxis(x, axis, -1)
    while not repeat and x.ndim > 1 and x.shape[0] == 1:
        x, lead = x[0, ...], lead[1:]
    if tuple(x.shape) != (*lead, size):  # NumPy's result is read-only, which would cost a copy
        x = xp.broadcast_to(x, (*lead, size))
    return xp.reshape(x, (-1, size))


def in_numpy(x):
    return x.detach().numpy() if is_torch(x) else x


@functools.cache
def _differentiable():
    import torch

    class Entmax(torch.autograd.Function):
        """Weights and gradient by the kernels; the gradient of the gradient by the readable formula."""

        @staticmethod
        def forward(ctx, scores, alpha, *options):
            weights, slopes = kernels().entmax(in_numpy(scores), alpha, *options)
            weights, ctx.slopes, ctx.alpha = torch.from_numpy(weights), slopes, alpha
            ctx.save_for_backward(weights)
            return weights

        @staticmethod
        def backward(ctx, grad):
            (weights,) = ctx.saved_tensors
            if torch.is_grad_enabled():  # create_graph=True
                slopes = torch.from_numpy(ctx.slopes)[:, None].to(weights.dtype)
                grad = slopes * pull_back(torch, rates(torch, weights, ctx.alpha), grad, -1)
            else:
                grad = kernels().entmax_vjp(in_numpy(weights), in_numpy(grad), ctx.alpha, ctx.slopes)
                grad = torch.from_numpy(grad)
            return grad, None, None, None, None

    return Entmax
