"""The weights of sparsemax, and of entmax at α = 1.5, read off the sorted rows: a few operations, without a loop.

In a sorted row, z₁ ≥ z₂ ≥ …, the threshold is the one that the k best entries would have by themselves, for the k
at which all others get no weight. Written with what arrays of NumPy and of torch can do of themselves: this is for
few rows, for which all else takes longer, and for traced programs of torch.
"""

import numpy as np

from ._torch_modes import is_torch

SORTED = (1.5, 2)  # the α for which it is known


def sorted_weights(z, alpha, axis=-1):
    """[zᵢ − τ]₊^(1/(α − 1)) that sum to 1 along `axis`, for α 1.5 or 2: (..., n) with maximum 0 -> (..., n)."""
    z = at_least(z, -1.0)  # an entry at −1 or below has no weight
    if is_torch(z):
        import torch

        best = z.sort(axis, descending=True).values
        count = torch.arange(1, z.shape[axis] + 1, dtype=z.dtype, device=z.device)
    else:
        best, count = -np.sort(-z, axis), np.arange(1, z.shape[axis] + 1)
    count = count.reshape(-1, *[1] * (-axis - 1))
    return (_sparsemax_of_sorted if alpha == 2 else _entmax15_of_sorted)(z, best, count, axis)


def _sparsemax_of_sorted(z, best, count, axis):
    # With too few or too many of the best entries the threshold is lower, so the largest is the right one.
    tau = (best.cumsum(axis) - 1) / count
    tau = tau.amax(axis, keepdim=True) if is_torch(tau) else tau.max(axis, keepdims=True)
    return at_least(z - tau, 0.0)


def _entmax15_of_sorted(z, best, count, axis):
    mean = best.cumsum(axis) / count
    squares = (best * best).cumsum(axis) / count - mean * mean
    tau = mean - at_least(1 / count - squares, 0.0) ** 0.5  # of the k best: where the squares of z − τ sum to 1
    last = (tau <= best).sum(axis, keepdims=True)
    tau = ((count == last) * tau).sum(axis, keepdims=True)
    root = at_least(z - tau, 0.0)
    # The difference of squares has lost digits to rounding; a Newton step restores them in the weights.
    weights = root * root
    excess = weights.sum(axis, keepdims=True) - 1
    return at_least(weights - root * (excess / root.sum(axis, keepdims=True)), 0.0)


def at_least(x, low):
    return x.clamp(min=low) if is_torch(x) else np.maximum(x, low)
