"""*Number formats*: how far a row of scores may be moved before a format cannot write its exponentials."""

import numpy as np
from traitlets import validate

import lib

from .base import Figure
from .traits import Numbers, OneOf, Within, Words, one_for_each_token

FORMATS = ("float16", "bfloat16", "float32", "float64")


class NumberFormats(Figure):
    """Softmax in one number format, every step rounded, and the two cliffs where its exponential ends.

    Parameters
    ----------
    tokens : list of str
        The keys.
    scores : array, shape (n,)
        Their scores.
    shift : float, default 0
        What is added to all of them, from −22 to 12 points.
    way : {"plain", "shifted"}
        Whether the largest score is subtracted before the exponential.
    format : {"float16", "bfloat16", "float32", "float64"}
        In which the scores are held and all is computed.

    Examples
    --------
    >>> figure = NumberFormats(["a", "b"], [2.0, 1.0], shift=9)
    >>> figure.shown
    [11.0, 10.0]
    >>> [round(weight, 3) for weight in figure.weights]
    [0.731, 0.269]
    """

    view = "number_formats"
    changes = ("shift", "way", "format")
    beside = ("tokens", "scores")

    tokens = Words().tag(sync=True)
    scores = Numbers(default_value=(1.0, 0.0)).tag(sync=True)
    shift = Within(-22, 12, 0.0).tag(sync=True)
    way = OneOf("plain", "shifted").tag(sync=True)
    format = OneOf(*FORMATS).tag(sync=True)

    def __init__(self, tokens, scores, shift=0.0, way="plain", format="float16", **options):
        values = {"tokens": tokens, "scores": scores, "shift": shift, "way": way, "format": format}
        super().__init__(**values, **options)

    @property
    def shown(self) -> list[float]:
        """The scores that are turned into weights, before the format rounds them."""
        return [score + self.shift for score in self.scores]

    @property
    def weights(self) -> list[float]:
        """Their exact weights, up to float64."""
        return lib.softmax(np.array(self.shown)).tolist()

    @validate("tokens", "scores")
    def _one_score_each(self, proposal):
        return one_for_each_token(self, proposal, "scores")
