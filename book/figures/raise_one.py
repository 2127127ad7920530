"""*Raise one score*: what becomes of every weight, and what the slopes forecast."""

import numpy as np
from traitlets import validate

import lib

from .base import Figure
from .score_row import ScoreRow
from .traits import Within, one_for_each_token


class RaiseOne(ScoreRow, Figure):
    """One score is raised or lowered; below are all weights, what each gains or loses, and its forecast.

    Parameters
    ----------
    tokens : list of str
        The words, one per column.
    scores : list of float
        Their scores at the start, finite.
    token : int, default 0
        Which score is moved, counted from 0.
    by : float, default 1.0
        By how many points, from −3 to 3.
    beta : float, default 1.0
        Inverse temperature; 0, negative and ±infinity are allowed.

    Examples
    --------
    >>> figure = RaiseOne(["cat", "milk"], [0.0, 0.0], token=1, by=2.0)
    >>> [round(x, 2) for x in figure.after], [round(x, 2) for x in figure.forecast]
    ([0.12, 0.88], [0.0, 1.0])
    """

    view = "raise_one"
    called = "raise one score"
    changes = ("token", "by", "beta")
    beside = ("tokens", "scores")

    token = Within(0, 1000, 0, whole=True).tag(sync=True)
    by = Within(-3, 3, 1.0).tag(sync=True)

    def __init__(self, tokens, scores, token=0, by=1.0, beta=1.0, **options):
        row = {"tokens": tokens, "scores": scores, "token": token, "by": by, "beta": beta}
        super().__init__(**row, **options)

    @property
    def after(self) -> list[float]:
        """The weights with that score moved."""
        moved = np.array(self.scores)
        moved[self.token] += self.by
        return lib.softmax(moved, self.beta).tolist()

    @property
    def forecast(self) -> list[float]:
        """What the slopes at the start make of the weights; it may lie below 0 or above 1."""
        weights = np.array(self.weights)
        return (weights + self.by * lib.softmax_jacobian(weights, self.beta)[:, self.token]).tolist()

    @validate("tokens", "scores", "token")
    def _one_score_each(self, proposal):
        return one_for_each_token(self, proposal, "scores", indices=("token",))
