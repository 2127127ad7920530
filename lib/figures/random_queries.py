"""What softmax makes of random queries and keys of any width, divided by √d or not.

All components are independent and standard normal, the case of Vaswani et al. (2017). A narrow query is the
beginning of a wide one, and so are its keys: from one width to the next only the width differs.
"""

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from lib import softmax, softmax_jacobian

WIDTHS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
KEYS, QUERIES = 16, 501  # an odd number of queries, so that one of them is in the middle
SCALES = {"divided": -0.5, "undivided": 0.0}  # β is d to this power


class Rows(NamedTuple):
    """One row of scores and weights for each query, and how far a small step can move the weights."""

    scores: np.ndarray  # (runs, n) βq·k
    weights: np.ndarray  # (runs, n)
    jacobian: np.ndarray  # (runs,) largest singular value of ∂π/∂(βs)
    gradient: np.ndarray  # (runs,) largest singular value of ∂π/∂q

    @property
    def typical(self) -> int:
        """The query in the middle: half of the others have a larger gradient, half a smaller one."""
        return int(np.argsort(self.gradient, kind="stable")[len(self.gradient) // 2])


@lru_cache(maxsize=1)
def _drawn(n, runs, seed):
    """Queries (runs, d) and keys (runs, n, d) as wide as they come."""
    draw = np.random.default_rng(seed)
    return draw.standard_normal((runs, WIDTHS[-1])), draw.standard_normal((runs, n, WIDTHS[-1]))


@cache
def random_rows(d, scale="divided", n=KEYS, runs=QUERIES, seed=0) -> Rows:
    """The rows of `runs` random queries of width `d`, each with `n` random keys of its own.

    Parameters
    ----------
    d : int
        The width of queries and keys, up to 512.
    scale : {"divided", "undivided"}
        Whether scores are divided by √d.

    Examples
    --------
    >>> narrow, wide = (random_rows(d, "undivided").scores.std() for d in (16, 64))
    >>> print(f"{narrow:.1f} {wide:.1f}")
    4.0 8.0
    """
    q, k = (x[..., :d] for x in _drawn(n, runs, seed))
    beta = d ** SCALES[scale]
    scores = beta * (k @ q[..., None])[..., 0]  # (runs, n, d) @ (runs, d, 1) -> (runs, n)
    weights = softmax(scores)
    answer = softmax_jacobian(weights)  # (runs, n, n), symmetric
    # ∂π/∂q is β·answer @ k, (runs, n, d); here times its transpose, (runs, n, n).
    squared = answer @ (k @ np.swapaxes(k, -1, -2)) @ answer
    gradient = beta * np.sqrt(np.maximum(np.linalg.eigvalsh(squared)[:, -1], 0))
    return Rows(scores, weights, np.linalg.eigvalsh(answer)[:, -1], gradient)


def _digits(numbers, digits=4):
    """Plain floats, rounded to what a drawing can show."""
    return [float(f"{x:.{digits}g}") for x in numbers]


@cache
def by_width(seed=0) -> dict:
    """What the figure draws, for each of `WIDTHS`: the spread of all undivided scores, and with each scale the
    scores of the typical query, the highest first, and its gradient.
    """
    found = {"widths": list(WIDTHS)}
    for scale in SCALES:
        rows = [random_rows(d, scale, seed=seed) for d in WIDTHS]
        found[scale] = {
            "scores": [_digits(-np.sort(-row.scores[row.typical])) for row in rows],
            "gradient": _digits(row.gradient[row.typical] for row in rows),
            "spread": _digits(row.scores.std() for row in rows),
        }
    return found
