"""*The width*: scores as walks that spread with the width of a head, and the weights that come of them."""

import numpy as np
from traitlets import validate

import lib
from book.example import TOKENS

from .base import Figure
from .traits import FigureError, OneOf, Within, Words
from .walks import WIDEST, walks


class Width(Figure):
    """The score of each word as a sum that grows term by term, a walk, divided by √d or not; and the weights.

    The query and the key of each word are random: all components are independent, with mean 0 and variance 1.

    Parameters
    ----------
    d : int, default 16
        Width of the query and of the keys, from 1 to 64: how many terms have been added up.
    scale : {"undivided", "divided"}
        Whether scores are divided by √d.
    query : int, default 1
        Which random query with its keys, from 1 to 999.
    tokens : list of str
        The words, from 2 to 9.

    Examples
    --------
    >>> [round(max(Width(64, scale).weights), 2) for scale in ("undivided", "divided")]
    [0.96, 0.34]
    """

    view = "width"
    called = "the width"
    changes = ("d", "scale", "query")
    beside = ("tokens",)

    d = Within(1, WIDEST, 16, whole=True).tag(sync=True)
    scale = OneOf("undivided", "divided").tag(sync=True)
    query = Within(1, 999, 1, whole=True).tag(sync=True)
    tokens = Words(default_value=TOKENS).tag(sync=True)

    def __init__(self, d=16, scale="undivided", query=1, *, tokens=TOKENS, **options):
        super().__init__(d=d, scale=scale, query=query, tokens=tokens, **options)

    @property
    def scores(self) -> list[float]:
        """The scores, divided if they are to be."""
        ends = walks(self.query, len(self.tokens))[:, self.d]
        return (ends / self.d**0.5 if self.scale == "divided" else ends).tolist()

    @property
    def weights(self) -> list[float]:
        """The weights of the words."""
        return lib.softmax(np.array(self.scores)).tolist()

    @validate("tokens")
    def _has_room(self, proposal):
        words = proposal["value"]
        if not 2 <= len(words) <= 9:
            raise FigureError(f"tokens: {words!r} are not from 2 to 9 words, for which there is room")
        return words
