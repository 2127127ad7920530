"""What softmax makes of random queries and keys of any width, divided by √d or not.

All components are independent and standard normal, the case of Vaswani et al. (2017). A narrow query is the
beginning of a wide one, and so are its keys: from one width to the next only the width differs.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from lib import softmax, softmax_jacobian

WIDTHS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
KEYS, QUERIES = 16, 2001  # an odd number of queries, so that one of them is in the middle
SCALES = {"divided": -0.5, "undivided": 0.0}  # β is d to this power
AT_ONCE = 100  # queries


class Rows(NamedTuple):
    """One row of scores and weights for each query, and how far at most a small step of it moves the weights."""

    scores: np.ndarray  # (runs, n) βq·k
    weights: np.ndarray  # (runs, n)
    pull: np.ndarray  # (runs,) the largest possible pull: largest singular value of ∂π/∂q

    @property
    def middle(self) -> int:
        """The query with the median of the largest possible pulls: half of the others have a larger one."""
        return int(np.argsort(self.pull, kind="stable")[len(self.pull) // 2])


def _rows(q, k, beta):
    scores = beta * (k @ q[..., None])[..., 0]  # (runs, n, d) @ (runs, d, 1) -> (runs, n)
    weights = softmax(scores)
    answer = softmax_jacobian(weights)  # (runs, n, n), symmetric
    # ∂π/∂q is β·answer @ k, (runs, n, d); here times its transpose, (runs, n, n).
    squared = answer @ (k @ np.swapaxes(k, -1, -2)) @ answer
    return Rows(scores, weights, beta * np.sqrt(np.maximum(np.linalg.eigvalsh(squared)[:, -1], 0)))


@cache
def _all_rows(n, runs, seed):
    """The rows for every width and scale: few queries at a time, since their keys take much memory."""
    draw, found = np.random.default_rng(seed), {(d, scale): [] for d in WIDTHS for scale in SCALES}
    for first in range(0, runs, AT_ONCE):
        many = min(AT_ONCE, runs - first)
        q, k = draw.standard_normal((many, WIDTHS[-1])), draw.standard_normal((many, n, WIDTHS[-1]))
        for (d, scale), parts in found.items():
            parts.append(_rows(q[:, :d], k[..., :d], d ** SCALES[scale]))
    return {key: Rows(*map(np.concatenate, zip(*parts, strict=True))) for key, parts in found.items()}


def random_rows(d, scale="divided", n=KEYS, runs=QUERIES, seed=0) -> Rows:
    """The rows of `runs` random queries of width `d`, each with `n` random keys of its own.

    Parameters
    ----------
    d : int
        The width of queries and keys, one of `WIDTHS`.
    scale : {"divided", "undivided"}
        Whether scores are divided by √d.

    Examples
    --------
    >>> narrow, wide = (random_rows(d, "undivided").scores.std() for d in (16, 64))
    >>> print(f"{narrow:.1f} {wide:.1f}")
    4.0 8.0
    """
    return _all_rows(n, runs, seed)[d, scale]
