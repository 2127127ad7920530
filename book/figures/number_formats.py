"""*Number formats*: what float64, float32, bfloat16 and float16 make of softmax."""

import numpy as np
from traitlets import validate

import lib

from .base import Figure
from .traits import FigureError, Numbers, OneOf, Within, Words, one_for_each_token


class NumberFormats(Figure):
    """Softmax in four number formats, with every step rounded, and where the exponential ends in each.

    Parameters
    ----------
    tokens : list of str
        The keys.
    scores : array, shape (n,)
        Their scores, of which the largest is above 0. They are multiplied until it is `size`.
    size : float, default 2
        How large the largest score is, from 1 to 10 000 points.
    way : {"plain", "shifted"}
        Whether the largest score is subtracted before the exponential.
    side : {"above", "below"}
        "below" makes all scores negative: lowered by twice the largest, which then is −size.

    Examples
    --------
    >>> figure = NumberFormats(["a", "b"], [2.0, 1.0], size=20)
    >>> figure.shown
    [20.0, 10.0]
    >>> [round(weight, 5) for weight in figure.weights]
    [0.99995, 5e-05]
    """

    view = "number_formats"
    changes = ("size", "way", "side")
    beside = ("tokens", "scores")

    tokens = Words().tag(sync=True)
    scores = Numbers(default_value=(1.0, 0.0)).tag(sync=True)
    size = Within(1, 10_000, 2.0).tag(sync=True)
    way = OneOf("plain", "shifted").tag(sync=True)
    side = OneOf("above", "below").tag(sync=True)

    def __init__(self, tokens, scores, size=2.0, way="plain", side="above", **options):
        values = {"tokens": tokens, "scores": scores, "size": size, "way": way, "side": side}
        super().__init__(**values, **options)

    @property
    def shown(self) -> list[float]:
        """The scores that are turned into weights, before a format rounds them."""
        largest = max(self.scores)
        lowered = 2 * self.size if self.side == "below" else 0.0
        return [self.size * score / largest - lowered for score in self.scores]

    @property
    def weights(self) -> list[float]:
        """Their exact weights, up to float64."""
        return lib.softmax(np.array(self.shown)).tolist()

    @validate("tokens")
    def _one_score_each(self, proposal):
        return one_for_each_token(self, proposal, "scores")

    @validate("scores")
    def _one_of_them_positive(self, proposal):
        scores = one_for_each_token(self, proposal, "scores")
        if not max(scores) > 0:
            raise FigureError(f"scores: none of {scores} is above 0, so that none can be made as large as `size`")
        return scores
