"""*The Jacobian*: how each weight answers to each score, and how much of the answer is left."""

import numpy as np

import lib

from .base import Figure
from .score_row import ScoreRow


class Jacobian(ScoreRow, Figure):
    """The slopes of all weights in all scores as a signed map, and their norm as a part of |β|/2 against β.

    Parameters
    ----------
    tokens : list of str
        The words, one per row and column.
    scores : list of float
        Their scores, finite.
    beta : float, default 1.0
        Inverse temperature; 0, negative and ±infinity are allowed.

    Examples
    --------
    >>> figure = Jacobian(["cat", "milk"], [1.0, 1.0], beta=2.0)
    >>> figure.slopes, figure.norm
    ([[0.5, -0.5], [-0.5, 0.5]], 1.0)
    """

    view = "jacobian"
    called = "the Jacobian of softmax"
    changes = ("beta", "tokens", "scores")

    def __init__(self, tokens, scores, beta=1.0, **options):
        super().__init__(tokens=tokens, scores=scores, beta=beta, **options)

    @property
    def slopes(self) -> list[list[float]]:
        """∂π/∂s: row i has the slopes of weight i."""
        return lib.softmax_jacobian(np.array(self.weights), self.beta).tolist()

    @property
    def norm(self) -> float:
        """How far at most, to first order, a step of the scores moves the weights, per unit of its length."""
        return float(np.linalg.norm(self.slopes, 2))
