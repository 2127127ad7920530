"""Softmax of ordinary rows, in fewer calls and fewer passes through the memory than the readable body takes.

A row is ordinary if its highest admissible score is finite, and so far from the largest float that no difference
of scores overflows. Where a row is not, these functions return None, and the readable body does the work.
"""

import math

import numpy as np

from lib.arrays import cast, is_number, is_torch, known_true
from lib.kernels.plain_calls import highest_plain_peak
from lib.kernels.threads import over_rows

inf = math.inf


FEW = 1 << 12  # entries of a tensor, up to which NumPy looks for the maxima: torch takes longer to start


def plain_softmax(scores, beta):
    """Softmax of a call that `is_plain`."""
    if not is_torch(scores):
        return numpy_softmax(scores, beta)
    if not 0 < scores.numel() <= FEW:
        return torch_softmax(scores, beta)
    if beta == 1:  # torch itself shifts the row by its maximum, and gives NaN where it cannot
        weights = scores.softmax(-1)
        return weights if np.add.reduce(weights.detach().numpy(), axis=None) < inf else None
    rows = scores.detach().numpy()
    peak = np.maximum.reduce(rows, axis=-1, keepdims=True)
    highest = float(np.maximum.reduce(np.abs(peak), axis=None))
    if not highest * beta <= rows.shape[-1]:  # the bound of `torch_softmax`, explained there
        if not highest <= highest_plain_peak(rows.dtype):
            return None
        scores = scores - scores.new_tensor(peak)
    return (scores * beta).softmax(-1)


def ordinary_softmax(given, beta):
    """Softmax of checked arguments; `beta` is as it was passed: a number, or an array that may want a gradient."""
    xp, scores, _, prior, where, axis, dtype = given
    beta = float(beta) if is_number(beta) else beta
    if prior is not None or (is_number(beta) and not 1e-30 < beta < 1e30):
        return None
    if is_torch(scores):
        weights = torch_softmax(scores, beta, where, axis)
    elif type(scores) is np.ndarray and axis == -1 and is_number(beta):
        weights = numpy_softmax(scores, beta, where)
    else:
        return None
    return None if weights is None else cast(xp, weights, dtype)


def torch_softmax(scores, beta, where=None, axis=-1):
    """Softmax by torch's fused kernel, of float32 or float64 on the CPU. β is a number above 0, or an array."""
    import torch

    if not scores.is_cpu or scores.numel() == 0:
        return None
    if where is not None:
        scores = torch.where(where, scores, -inf)
    if is_number(beta) and beta == 1:  # torch itself shifts the row by its maximum, and gives NaN if it cannot
        weights = torch.softmax(scores, axis)
        return weights if known_true(weights.detach().sum() < inf) else None
    if not is_number(beta):
        good = (beta > 0) & (beta < inf)  # the scores must be finite too: in a gradient of β, −inf · 0 is NaN
        if not known_true(good.all()) or not known_true(scores.detach().sum().isfinite()):
            return None
    # A product β · score of size n or less is off by n eps at most, which is allowed. So the shift, one more pass,
    # is left out.
    peak = scores.detach().amax(axis, keepdim=True)  # (..., n) -> (..., 1)
    if not known_true((peak.abs() * beta).amax() <= scores.shape[axis]):
        if not known_true(peak.abs().amax() <= highest_plain_peak(str(scores.dtype).removeprefix("torch."))):
            return None
        scores = scores - peak
    return torch.softmax(scores * beta, axis)


def numpy_softmax(scores, beta, where=None):
    """Softmax in NumPy along the last axis, β a number above 0: a few rows at a time, to stay in the cache."""
    if scores.size == 0 or (where is not None and np.broadcast_shapes(where.shape, scores.shape) != scores.shape):
        return None
    rows, largest = scores.reshape(-1, scores.shape[-1]), highest_plain_peak(scores.dtype)
    keep = None if where is None else np.broadcast_to(where, scores.shape).reshape(rows.shape)
    weights, unusual = np.empty_like(rows), []

    def some_rows(start, stop):
        x = rows[start:stop] if keep is None else np.where(keep[start:stop], rows[start:stop], -inf)
        peak = np.maximum.reduce(x, axis=1, keepdims=True)  # (rows, n) -> (rows, 1)
        if not np.maximum.reduce(np.abs(peak), axis=None) <= largest:
            if not np.all(peak <= largest):
                return unusual.append(start)
            peak = np.where(peak == -inf, 0, peak)
        with np.errstate(all="ignore"):
            w = np.subtract(x, peak, out=weights[start:stop])
            w *= beta
            np.exp(w, out=w)
        total = np.add.reduce(w, axis=1, keepdims=True)
        w /= np.maximum(total, 1)  # the total is 1 or more, or 0 like the weights if nothing is admissible

    over_rows(some_rows, rows.shape)
    return None if unusual else weights.reshape(scores.shape)
