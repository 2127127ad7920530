"""*Four rules*: one row of scores under softmax, squares and sparsemax, and the ratio of two of the weights."""

import numpy as np
from traitlets import validate

import lib

from .base import Figure
from .traits import Numbers, Within, Words, one_for_each_token


class FourRules(Figure):
    """Which rules three ways to make weights keep, as scores are moved, one at a time or all at once.

    Parameters
    ----------
    tokens : list of str
        The words, one per column.
    scores : list of float
        Their scores, finite.
    token, against : int
        The two words, counted from 0, whose weights are compared.

    Examples
    --------
    >>> figure = FourRules(["cat", "drank", "milk"], [2.0, 1.1, 1.5], token=0, against=2)
    >>> {name: round(ratio, 2) for name, ratio in figure.ratios.items()}
    {'softmax': 1.65, 'squares': 1.78, 'sparsemax': 3.0}
    """

    view = "four_rules"
    called = "softmax, squares and sparsemax"
    changes = ("tokens", "scores")
    beside = ("token", "against")

    tokens = Words().tag(sync=True)
    scores = Numbers(default_value=(0.0, 0.0)).tag(sync=True)
    token = Within(0, 1000, 0, whole=True).tag(sync=True)
    against = Within(0, 1000, 1, whole=True).tag(sync=True)

    def __init__(self, tokens, scores, token=0, against=1, **options):
        row = {"tokens": tokens, "scores": scores, "token": token, "against": against}
        super().__init__(**row, **options)

    @property
    def maps(self) -> dict[str, list[float]]:
        """The weights under each rule, by its name; *squares* has none if no score is above 0."""
        scores = np.array(self.scores)
        squares = np.maximum(scores, 0.0) ** 2
        every = {
            "softmax": lib.softmax(scores),
            "squares": squares / (squares.sum() or 1.0),
            "sparsemax": lib.sparsemax(scores),
        }
        return {name: weights.tolist() for name, weights in every.items()}

    @property
    def ratios(self) -> dict[str, float]:
        """By how much the one word's weight exceeds the other's, as a factor, under each rule."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return {name: float(np.float64(w[self.token]) / w[self.against]) for name, w in self.maps.items()}

    @validate("tokens", "scores", "token", "against")
    def _fits(self, proposal):
        return one_for_each_token(self, proposal, "scores", indices=("token", "against"))
