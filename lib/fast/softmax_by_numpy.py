"""Softmax of NumPy's rows, a few at a time and shared among threads: what is worked on stays in the cache."""

import math

import numpy as np

from .._arrays import highest_ordinary, is_number
from .threads import ENTRIES, over_rows


def softmax(arguments, reference):
    """Softmax; by the reference if a best score is infinite, or so high that a gap to another may overflow."""
    scores, where, beta = arguments.scores, arguments.where, arguments.beta
    usual = arguments.prior is None and type(scores) is np.ndarray and arguments.axis == -1 and scores.size > 0
    fits = where is None or np.broadcast_shapes(where.shape, scores.shape) == scores.shape
    if not (usual and fits and is_number(beta) and 1e-30 < beta < 1e30):
        return reference(arguments)
    rows, largest = scores.reshape(-1, scores.shape[-1]), highest_ordinary(np.finfo(scores.dtype))
    keep = None if where is None else np.broadcast_to(where, scores.shape).reshape(rows.shape)
    weights, unusual = np.empty_like(rows), []

    def some_rows(start, stop):
        x = rows[start:stop] if keep is None else np.where(keep[start:stop], rows[start:stop], -math.inf)
        peak = np.maximum.reduce(x, axis=1, keepdims=True)  # (rows, n) -> (rows, 1)
        if not np.maximum.reduce(np.abs(peak), axis=None) <= largest:
            if not np.all(peak <= largest):
                return unusual.append(start)
            peak = np.where(peak == -math.inf, 0, peak)
        with np.errstate(all="ignore"):
            w = np.subtract(x, peak, out=weights[start:stop])
            w *= beta
            np.exp(w, out=w)
        total = np.add.reduce(w, axis=1, keepdims=True)
        w /= np.maximum(total, 1)  # the total is 1 or more, or 0 like the weights if nothing is admissible

    if scores.size <= ENTRIES:
        some_rows(0, len(rows))
    else:
        over_rows(some_rows, rows.shape)
    return reference(arguments) if unusual else weights.reshape(scores.shape)
