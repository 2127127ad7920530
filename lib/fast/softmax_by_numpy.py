"""Softmax of NumPy's rows, a few at a time and shared among threads: what is worked on stays in the cache."""

import math

import numpy as np

from .._arrays import is_number
from .kernels import highest_ordinary
from .softmax_by_torch import why_not_beta
from .threads import over_rows


def why_not(given):
    """Why these rows had better not be computed a few at a time, or None."""
    scores, where = given.scores, given.where
    if given.prior is not None:
        return "with a prior"
    if type(scores) is not np.ndarray or given.axis != -1 or not is_number(given.given_beta):
        return "for another kind of array, along another axis, or with an array beta"
    if scores.size == 0 or (where is not None and np.broadcast_shapes(where.shape, scores.shape) != scores.shape):
        return "for no scores, or fewer than there are in the mask"
    return why_not_beta(given.given_beta)


def result(given, reference):
    """The weights; None if a row's best score is infinite, or so high that a gap to another may overflow."""
    scores, where, beta = given.scores, given.where, given.given_beta
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

    over_rows(some_rows, rows.shape)
    return None if unusual else weights.reshape(scores.shape)
