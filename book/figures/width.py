"""*The width*: what queries and keys of width d make of scores and weights, divided by √d or not."""

import numpy as np
from traitlets import Bool, Dict, validate

import lib

from .base import Figure
from .random_queries import SCALES, WIDTHS, by_width
from .traits import FigureError, OneOf, Within


class Width(Figure):
    """Scores and weights of a random query, and how strongly it can be pulled at most, against the width d.

    For each width 2001 queries are drawn with 16 keys each; all components are independent, with mean 0 and
    variance 1. The largest possible pull on a query is the largest factor by which ∂π/∂q stretches a vector: how
    far at most the weights move for a small step of the query, per unit of the step. The query shown is the one
    in the middle when all are put in the order of their largest possible pulls.

    Parameters
    ----------
    d : int, default 64
        Width of queries and keys: 4, 6, 8, 12, 16, 24 and so on, to 512.
    scale : {"divided", "undivided"}
        Whether scores are divided by √d.
    seed : int, default 0
        What queries and keys are drawn with; no trait, so a figure keeps it.
    plain : bool, default False
        Show scores and weights; the largest possible pulls wait behind “More”, and the sentence leaves them out.

    Examples
    --------
    >>> figure = Width(d=512, scale="undivided")
    >>> round(max(figure.weights), 2), round(figure.spread / 512**0.5, 1)
    (1.0, 1.0)
    """

    view = "width"
    called = "the width"
    changes = ("d", "scale")
    beside = ("rows", "plain")

    d = Within(WIDTHS[0], WIDTHS[-1], 64, whole=True).tag(sync=True)
    scale = OneOf(*SCALES).tag(sync=True)
    rows = Dict(help="What is drawn at each width; see `random_queries.by_width`.").tag(sync=True)
    plain = Bool(False).tag(sync=True)

    def __init__(self, d=64, scale="divided", *, seed=0, **options):
        super().__init__(d=d, scale=scale, rows=by_width(seed), **options)

    def _now(self, what):
        return self.rows[self.scale][what][WIDTHS.index(self.d)]

    @property
    def weights(self) -> list[float]:
        """The weights of the query in the middle, the largest first."""
        return lib.softmax(np.array(self._now("scores"))).tolist()

    @property
    def spread(self) -> float:
        """The standard deviation of all scores, in points."""
        return self._now("spread")

    @property
    def pull(self) -> float:
        """The largest possible pull on the query in the middle: the median of all."""
        return self._now("pull")

    @validate("d")
    def _one_of_the_widths(self, proposal):
        if proposal["value"] not in WIDTHS:
            raise FigureError(f"d: {proposal['value']} is none of {', '.join(map(str, WIDTHS))}")
        return proposal["value"]
