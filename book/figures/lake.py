"""*The lake*: scores are posts in water, and what stands out of it makes the weights."""

import numpy as np
from traitlets import validate

import lib

from .base import Figure
from .score_row import ScoreRow
from .traits import FigureError, OneOf, Within, one_for_each_token

LOWEST, HIGHEST = -1.0, 2.5  # the axis of scores, which never changes
DEEPEST = -1.2  # how low a hand can take the water


class Lake(ScoreRow, Figure):
    """Scores as posts in water: under sparsemax a token's weight is what stands out, times β.

    The posts stay where they are. The water goes up and down until the weights sum to 1: by hand, or by itself. In
    points it is as high as τ/((α − 1)β), where τ is the threshold of the map.

    Parameters
    ----------
    tokens : list of str
        The words, one post each.
    scores : list of float
        Their scores, from −1 to 2½, which is what the axis holds.
    beta : float, default 1.0
        Inverse temperature, from ¼ to 4.
    alpha : float, default 2.0
        From 1, which is softmax, to 2, which is sparsemax. At 1 there is no water.
    level : float, default 1.7
        How high the water stands while it is held by hand, from −1.2 to 2½.
    water : {"held", "found"}
        Whether the water is held, or has found the level at which the weights sum to 1.

    Examples
    --------
    >>> figure = Lake(["cat", "milk"], [2.0, 1.5], level=1.75)
    >>> round(figure.total, 2)
    0.25
    >>> figure.water = "found"
    >>> [round(w, 2) for w in figure.weights], round(figure.level_now, 2)
    ([0.75, 0.25], 1.25)
    """

    view = "lake"
    called = "posts in water"
    changes = ("beta", "alpha", "level", "water", "tokens", "scores")

    beta = Within(0.25, 4, 1.0).tag(sync=True)
    alpha = Within(1, 2, 2.0).tag(sync=True)
    level = Within(DEEPEST, HIGHEST, 1.7).tag(sync=True)
    water = OneOf("held", "found").tag(sync=True)

    def __init__(self, tokens, scores, beta=1.0, alpha=2.0, level=1.7, **options):
        row = {"tokens": tokens, "scores": scores, "beta": beta, "alpha": alpha, "level": level}
        super().__init__(**row, **options)

    @property
    def level_now(self) -> float:
        """How high the water stands, in points; −∞ under softmax."""
        if self.alpha == 1:
            return -np.inf
        if self.water == "held":
            return self.level
        power, scores = self.alpha - 1, np.array(self.scores)
        best = lib.entmax(scores, alpha=self.alpha, beta=self.beta).max()
        return float(scores.max() - best**power / (power * self.beta))

    @property
    def weights(self) -> list[float]:
        """The weight of each token at this level; they sum to 1 only if it is the right one."""
        scores = np.array(self.scores)
        if self.water == "found" or self.alpha == 1:
            return lib.entmax(scores, alpha=self.alpha, beta=self.beta).tolist()
        power = self.alpha - 1
        out = np.maximum(scores - self.level, 0)
        return ((power * self.beta * out) ** (1 / power)).tolist()

    @property
    def total(self) -> float:
        """What the weights sum to."""
        return sum(self.weights)

    @validate("tokens", "scores")
    def _one_score_each(self, proposal):
        value = one_for_each_token(self, proposal, "scores")
        for score in value if proposal["trait"].name == "scores" else ():
            if not LOWEST <= score <= HIGHEST:
                raise FigureError(f"scores: {score:g} has no place on the axis from {LOWEST:g} to {HIGHEST:g}")
        return value
