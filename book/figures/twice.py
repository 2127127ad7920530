"""*Twice*: the scores of a network, softmax of them, and by mistake softmax of that."""

import numpy as np
from traitlets import validate

import lib

from .base import Figure
from .traits import FigureError, Numbers, OneOf, Within, Words, one_for_each_token, proposed

LOWEST, HIGHEST = 0.0, 10.0  # the axis of scores, which never changes


class Twice(Figure):
    """Softmax of scores and, under it, softmax of these weights; the score of the right one can be pulled.

    Parameters
    ----------
    tokens : list of str
        What the network chooses from.
    scores : list of float
        Their scores, from 0 to 10.
    right : int, default 0
        Which of them is right, counted from 0.
    score : float, optional
        The score of the right one; by default what it has among `scores`.
    again : {"taken", "left out"}
        Whether softmax is taken a second time.

    Examples
    --------
    >>> figure = Twice(["cat", "milk"], [10.0, 0.0])
    >>> figure.once.round(3), figure.twice.round(3), round(figure.ceiling, 3)
    (array([1., 0.]), array([0.731, 0.269]), 0.731)
    """

    view = "twice"
    called = "softmax of scores, and softmax again"
    changes = ("score", "again")
    beside = ("tokens", "scores", "right")

    tokens = Words().tag(sync=True)
    scores = Numbers(default_value=(0.0, 0.0)).tag(sync=True)
    right = Within(0, 1000, 0, whole=True).tag(sync=True)
    score = Within(LOWEST, HIGHEST, 0.0).tag(sync=True)
    again = OneOf("taken", "left out").tag(sync=True)

    def __init__(self, tokens, scores, right=0, score=None, again="taken", **options):
        if score is None:
            own, place = Twice.scores.validate(self, scores), Twice.right.validate(self, right)
            score = own[place] if place < len(own) else 0.0
        row = {"tokens": tokens, "scores": scores, "right": right, "score": score, "again": again}
        super().__init__(**row, **options)

    @property
    def once(self) -> np.ndarray:
        """The weights after one softmax."""
        return lib.softmax(np.array([self.score if i == self.right else s for i, s in enumerate(self.scores)]))

    @property
    def twice(self) -> np.ndarray:
        """The weights after a second one."""
        return lib.softmax(self.once)

    @property
    def ceiling(self) -> float:
        """What a second softmax gives at most: it then sees a lead of one point."""
        return float(lib.softmax(np.eye(len(self.tokens))[0])[0])

    @validate("tokens", "scores", "right")
    def _fits(self, proposal):
        one_for_each_token(self, proposal, "scores", indices=("right",))
        (scores,) = proposed(self, proposal, "scores")
        if proposal["trait"].name == "scores":
            for score in scores:
                if not LOWEST <= score <= HIGHEST:
                    raise FigureError(f"scores: {score:g} has no place on the axis from 0 to 10")
        return proposal["value"]
