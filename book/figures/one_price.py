"""*One price, one rule*: the weights under a price that is turned, and what a newcomer does to a ratio of two."""

import numpy as np
from traitlets import Dict

import lib

from .base import Figure
from .traits import OneOf, Within

ROW = {"cat": 2.0, "milk": 1.5, "it": 0.8}  # the words that are there, with their scores
NEWCOMER = {"drank": 1.5}


class OnePrice(Figure):
    """Three words share the weight at a price that can be turned, and a newcomer joins them or waits.

    The price goes from the logarithm (x log x − x, whose best weights are those of softmax) to the square (½x²,
    sparsemax), by (x^α − x) / (α(α − 1)), whose best weights are those of entmax. Under the logarithm alone the
    newcomer leaves the ratio of the first two words as it was.

    Parameters
    ----------
    price : float, default 1
        α, from 1, the logarithm, to 2, the square.
    newcomer : {"waits", "joins"}
        Whether the newcomer stands beside the row or in it.

    Examples
    --------
    >>> [round(OnePrice(1.5, newcomer).ratio, 2) for newcomer in ("waits", "joins")]
    [2.1, 2.32]
    """

    view = "one_price"
    called = "one price, one rule"
    changes = ("price", "newcomer")
    beside = ("row",)

    price = Within(1, 2, 1.0).tag(sync=True)
    newcomer = OneOf("waits", "joins").tag(sync=True)
    row = Dict(help="The words, of which the last is the newcomer, and their scores.").tag(sync=True)

    def __init__(self, price=1.0, newcomer="waits", **options):
        words = {**ROW, **NEWCOMER}
        row = {"tokens": [*words], "scores": [*words.values()]}
        super().__init__(price=price, newcomer=newcomer, row=row, **options)

    @property
    def weights(self) -> np.ndarray:
        """The weight of each word in the row."""
        there = len(ROW) + (self.newcomer == "joins")
        return lib.entmax(np.array(self.row["scores"][:there]), alpha=self.price)

    @property
    def ratio(self) -> float:
        """How many times the first word gets the weight of the second."""
        first, second, *_ = self.weights
        return float(first / second)
