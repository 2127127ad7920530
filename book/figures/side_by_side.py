"""*Side by side*: one row of scores and one β through softmax, entmax and sparsemax."""

import numpy as np
from traitlets import Bool

import lib

from .base import Figure
from .score_row import ScoreRow
from .traits import OneOf, Within


class SideBySide(ScoreRow, Figure):
    """What three maps make of the same scores at the same β, and which tokens they give no weight.

    Parameters
    ----------
    tokens : list of str
        The words, one per column.
    scores : list of float
        Their scores, finite.
    beta : float, default 1.0
        Inverse temperature; 0, negative and ±infinity are allowed.
    alpha : float, default 1.5
        The α of entmax, from 1, which is softmax, to 2, which is sparsemax.
    ticks : {"shown", "hidden"}
        Whether ticks over β mark where entmax and sparsemax begin to give a token no weight.
    pair : bool, default False
        Show in view what the maps make of two tokens alone, which otherwise waits behind More.

    Examples
    --------
    >>> figure = SideBySide(["cat", "milk"], [1.0, 0.0])
    >>> [[round(x, 2) for x in weights] for weights in figure.maps.values()]
    [[0.73, 0.27], [0.83, 0.17], [1.0, 0.0]]
    """

    view = "side_by_side"
    called = "softmax, entmax and sparsemax side by side"
    changes = ("beta", "alpha", "tokens", "scores", "ticks")
    beside = ("pair",)

    alpha = Within(1, 2, 1.5).tag(sync=True)
    ticks = OneOf("shown", "hidden").tag(sync=True)
    pair = Bool(False).tag(sync=True)

    def __init__(self, tokens, scores, beta=1.0, alpha=1.5, **options):
        row = {"tokens": tokens, "scores": scores, "beta": beta, "alpha": alpha}
        super().__init__(**row, **options)

    @property
    def maps(self) -> dict[str, list[float]]:
        """The weights under each map, by its name."""
        alphas = {"softmax": 1.0, "entmax": self.alpha, "sparsemax": 2.0}
        scores = np.array(self.scores)
        return {name: lib.entmax(scores, alpha=alpha, beta=self.beta).tolist() for name, alpha in alphas.items()}
