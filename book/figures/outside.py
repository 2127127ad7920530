"""*Outside the frame*: one row of scores through softmax and three maps that hear a shift of the scores."""

import numpy as np

import lib

from .base import Figure
from .score_row import ScoreRow
from .traits import OneOf, SomeOf, Within


class Outside(ScoreRow, Figure):
    """What softmax, ReLU over its sum, sigmoid and softmax-plus-one make of shifted scores and of a longer row.

    Parameters
    ----------
    tokens : list of str
        The words, one per column.
    scores : list of float
        Their scores, finite.
    beta : float, default 1.0
        Inverse temperature; 0, negative and ±infinity are allowed.
    shift : float, default 0.0
        What is added to each score, from −4 to 4 points.
    copies : int, default 1
        How often each token stands in the row, from 1 to 100.
    bias : {"follows", "stays"}, default "follows"
        The bias of sigmoid is −log of the length of the row, or stays −log of the number of tokens without copies.
    only : list of str, optional
        The maps that are drawn, by their names in `maps`. All four by default.
    sliders : list of {"shift", "copies", "beta"}, optional
        The sliders that a reader has. All three by default.

    Examples
    --------
    >>> figure = Outside(["cat", "milk"], [1.0, 0.0], shift=1.0)
    >>> [[round(x, 2) for x in weights] for weights in figure.maps.values()]
    [[0.73, 0.27], [0.67, 0.33], [0.79, 0.58], [0.67, 0.24]]
    """

    view = "outside"
    called = "softmax and three maps outside of its frame"
    changes = ("beta", "shift", "copies", "bias", "tokens", "scores")
    beside = ("only", "sliders")

    shift = Within(-4, 4, 0.0).tag(sync=True)
    copies = Within(1, 100, 1, whole=True).tag(sync=True)
    bias = OneOf("follows", "stays").tag(sync=True)
    only = SomeOf("softmax", "ReLU over its sum", "sigmoid", "softmax-plus-one").tag(sync=True)
    sliders = SomeOf("shift", "copies", "beta").tag(sync=True)

    def __init__(self, tokens, scores, beta=1.0, shift=0.0, copies=1, bias="follows", **options):
        row = {"tokens": tokens, "scores": scores, "beta": beta, "shift": shift, "copies": copies, "bias": bias}
        super().__init__(**row, **options)

    @property
    def maps(self) -> dict[str, list[float]]:
        """For each map, by its name, the total weight of each token's copies."""
        row = np.repeat(np.array(self.scores) + self.shift, self.copies)
        of = len(row) if self.bias == "follows" else len(self.scores)
        weights = {
            "softmax": lib.softmax(row, self.beta),
            "ReLU over its sum": lib.relu_norm(row, self.beta),
            "sigmoid": lib.sigmoid_weights(row, self.beta, bias=-np.log(of)),
            "softmax-plus-one": lib.softmax_plus_one(row, self.beta),
        }
        return {name: w.reshape(-1, self.copies).sum(axis=-1).tolist() for name, w in weights.items()}

    @property
    def sums(self) -> dict[str, float]:
        """What the weights of each map sum to."""
        return {name: sum(weights) for name, weights in self.maps.items()}
