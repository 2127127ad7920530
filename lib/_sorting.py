"""The weights of sparsemax, and of entmax at α = 1.5, read off the sorted rows: a few operations, without a loop.

In a sorted row, z₁ ≥ z₂ ≥ …, the threshold is the one that the k best entries would have by themselves, for the k
at which all others get no weight.
"""

from lib._arrays import cumulative_sum, is_torch

SORTED = (1.5, 2)  # the α for which it is known


def sorted_weights(xp, z, alpha, axis=-1):
    """[zᵢ − τ]₊^(1/(α − 1)) that sum to 1 along `axis`, for α 1.5 or 2: (..., n) with maximum 0 -> (..., n)."""
    z = xp.maximum(z, xp.full_like(z, -1.0))  # an entry at −1 or below has no weight
    # A stable sort, which the array API asks for, has no counterpart in ONNX.
    best = z.sort(axis, descending=True).values if is_torch(z) else xp.sort(z, axis=axis, descending=True)
    count = xp.arange(1, z.shape[axis] + 1, dtype=z.dtype, device=z.device)
    count = xp.reshape(count, (-1,) + (1,) * (-axis - 1))
    return (_sparsemax_of_sorted if alpha == 2 else _entmax15_of_sorted)(xp, z, best, count, axis)


def _sparsemax_of_sorted(xp, z, best, count, axis):
    # With too few or too many of the best entries the threshold is lower, so the largest is the right one.
    tau = xp.max((cumulative_sum(xp, best, axis) - 1) / count, axis=axis, keepdims=True)
    return positive(xp, z - tau)


def _entmax15_of_sorted(xp, z, best, count, axis):
    mean = cumulative_sum(xp, best, axis) / count
    squares = cumulative_sum(xp, best * best, axis) / count - mean * mean
    tau = mean - xp.sqrt(positive(xp, 1 / count - squares))  # of the k best: where the squares of z − τ sum to 1
    last = xp.sum(xp.astype(tau <= best, z.dtype), axis=axis, keepdims=True)
    tau = xp.sum(xp.where(count == last, tau, 0.0), axis=axis, keepdims=True)
    root = positive(xp, z - tau)
    # The difference of squares has lost digits to rounding; a Newton step restores them in the weights.
    weights = root * root
    excess = xp.sum(weights, axis=axis, keepdims=True) - 1
    return positive(xp, weights - root * (excess / xp.sum(root, axis=axis, keepdims=True)))


def positive(xp, x):
    return xp.maximum(x, xp.zeros_like(x))
