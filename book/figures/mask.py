"""*The mask*: who may see whom, how it is forbidden, and what becomes of the weights."""

import math
import re

import numpy as np
from traitlets import validate

import lib

from .base import Figure
from .traits import FigureError, Flags, OneOf, Table, Within, Words

PATTERNS = ("causal", "window", "all")
WAYS = ("zeros", "infinity", "fill")
BELOW = ("position", "gradient", "nothing")
LEAST, MOST = 2, 7  # tokens for which there is room on a phone
LOWEST = -2  # position of the first query
PER_TOKEN = "scores", "window", "real", "queries", "offset", "flips"  # what has to fit the number of tokens


class Flips(Flags):
    """A list of bool, one for each cell, row by row: True = the reader turned it round."""

    default_value, allow_none = (), False
    address = {"kind": "flags", "per": "flips"}  # noqa: RUF012

    def validate(self, obj, value):
        two = len(np.shape(value)) == 2
        return super().validate(obj, [flag for row in value for flag in row] if two else value)


class Place(Within):
    """A whole number that may be negative."""

    def __init__(self, low, high, default):
        super().__init__(low, high, default, whole=True)
        self.address = {"kind": "number", "low": low}


def _enough(tokens):
    """How many tokens there are, which are neither too few nor too many."""
    if not LEAST <= len(tokens) <= MOST:
        raise FigureError(f"tokens: {len(tokens)} of them cannot be shown; pass from {LEAST} to {MOST}")
    return len(tokens)


class Mask(Figure):
    """A mask over queries and keys, the weights at β = 1, and what a row with nothing left does to all else.

    Parameters
    ----------
    tokens : list of str
        From 2 to 7; each is a query and a key.
    scores : array, shape (n, n)
        What each query (row) scores with each key.
    pattern : {"causal", "window", "all"}
        Which keys a query may see: those up to its position, the last few of these, or all.
    window : int, optional
        How many these last few are; by default 3.
    real : int, optional
        How many of the tokens are real; those after them are padding. By default all.
    queries : int, optional
        How many of the last tokens ask; the keys of the others are in a cache. By default all ask.
    offset : int, optional
        At which position among the keys the first query stands, from −2. By default n less the queries.
    flips : array of bool, shape (n, n), optional
        Cells that are allowed where the pattern forbids them, and the other way round.
    way : {"zeros", "infinity", "fill"}
        How it is forbidden: a null with zeros, scores of −∞, or scores of −1e9.
    below : {"position", "gradient", "nothing"}
        What stands under the grid: where the first query is, how strongly training pulls on the value of each
        token, or neither. What does not, stands behind “More”.

    Examples
    --------
    >>> figure = Mask(["a", "b"], [[0, 0], [0, 0]], offset=-1)
    >>> figure.weights
    array([[0., 0.],
           [1., 0.]])
    >>> figure.way = "fill"
    >>> figure.weights
    array([[0.5, 0.5],
           [1. , 0. ]])
    """

    view = "mask"
    called = "the mask"
    changes = ("pattern", "window", "real", "queries", "offset", "flips", "way")
    beside = ("tokens", "scores", "below")

    tokens = Words().tag(sync=True)
    scores = Table().tag(sync=True)
    pattern = OneOf(*PATTERNS).tag(sync=True)
    window = Within(1, MOST, 3, whole=True).tag(sync=True)
    real = Within(0, MOST, MOST, whole=True).tag(sync=True)
    queries = Within(1, MOST, MOST, whole=True).tag(sync=True)
    offset = Place(LOWEST, MOST - 1, 0).tag(sync=True)
    flips = Flips().tag(sync=True)
    way = OneOf(*WAYS).tag(sync=True)
    below = OneOf(*BELOW).tag(sync=True)

    def __init__(
        self, tokens, scores, *, window=None, real=None, queries=None, offset=None, flips=None, **options
    ):
        words = Mask.tokens.validate(self, tokens)
        n = _enough(words)
        queries = n if queries is None else Mask.queries.validate(self, queries)
        filled_in = {
            "window": min(3, n) if window is None else window,
            "real": n if real is None else real,
            "queries": queries,
            "offset": n - queries if offset is None else offset,
            "flips": [False] * n**2 if flips is None else flips,
        }
        super().__init__(tokens=words, scores=scores, **filled_in, **options)

    def _plain(self) -> str:
        """As every figure has it, but without a word for each cell."""
        return re.sub(r"; flips = [^;]*", "", super()._plain())

    @property
    def mask(self) -> np.ndarray:
        """Who may see whom: boolean, shape (queries, n), True = takes part."""
        n, shape = len(self.tokens), {"n_q": self.queries, "n_k": len(self.tokens), "offset": self.offset}
        kinds = {
            "causal": lambda: lib.causal_mask(**shape),
            "window": lambda: lib.window_mask(**shape, window=self.window),
            "all": lambda: np.ones((self.queries, n), dtype=bool),
        }
        tokens = lib.padding_mask(np.array(self.real), n)  # (1, n)
        return (kinds[self.pattern]() & tokens) ^ np.reshape(self.flips, (n, n))[n - self.queries :]

    @property
    def weights(self) -> np.ndarray:
        """The weights of each query at β = 1, shape (queries, n); NaN where −∞ fills a whole row."""
        scores = np.array(self.scores)[len(self.tokens) - self.queries :]  # (queries, n)
        if self.way == "zeros":
            return lib.softmax(scores, where=self.mask)
        filled = np.where(self.mask, scores, -1e9 if self.way == "fill" else -math.inf)
        nothing = np.isneginf(filled).all(axis=-1, keepdims=True)
        return np.where(nothing, math.nan, lib.softmax(filled))

    @property
    def gradients(self) -> np.ndarray:
        """What each key's value gets from a loss that adds up all outputs, and those of empty rows 0 times."""
        return self.mask.any(axis=-1).astype(float) @ self.weights  # (queries,) @ (queries, n) -> (n,)

    @validate("tokens", *PER_TOKEN)
    def _fits(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        n = _enough(value) if name == "tokens" else len(self.tokens)
        for other in PER_TOKEN if name == "tokens" else [name]:
            _check(other, value if other == name else getattr(self, other), n)
        return value


def _check(name, value, n):
    """Refuse what does not fit n tokens."""
    if name == "scores" and [len(row) for row in value] != [n] * n:
        raise FigureError(f"scores: a table of {n} rows of {n} numbers is wanted, for {n} tokens")
    if name == "flips" and len(value) != n**2:
        raise FigureError(f"flips: {len(value)} of them do not fit the {n**2} cells of {n} tokens")
    if name in ("window", "real", "queries") and value > n:
        raise FigureError(f"{name}: {value} is more than the {n} tokens")
    if name == "offset" and value > n - 1:
        raise FigureError(f"offset: {value} is behind the last position, {n - 1}")
