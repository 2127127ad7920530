"""*Streaming*: softmax over keys that come one after another, and over two parts that are merged."""

import numpy as np
from traitlets import validate

import lib

from .base import Figure
from .traits import FigureError, Numbers, OneOf, Within, Words, one_for_each_token, proposed

MOST = 64  # keys


class Streaming(Figure):
    """A running largest score, sum and output, read key by key, in one part or in two.

    Parameters
    ----------
    tokens : list of str
        The keys, at least 2.
    scores, values : array, shape (n,)
        Their scores, and what each hands over.
    step : int, default 0
        How many keys of each part have been read. With two parts the last step merges them.
    cut : int, default 0
        After how many keys the second part begins, from 1 to n − 1; 0 for a single part.
    direction : {"left", "right"}
        From which side each part is read.

    Examples
    --------
    >>> figure = Streaming(["a", "b", "c"], [0.0, 1.0, 3.0], [1.0, 0.0, 0.0], step=2)
    >>> [[round(x, 3) for x in part] for part in figure.parts]
    [[1.0, 1.368, 0.269]]
    """

    view = "streaming"
    changes = ("step", "cut", "direction")
    beside = ("tokens", "scores", "values")

    tokens = Words().tag(sync=True)
    scores = Numbers(default_value=(0.0, 0.0)).tag(sync=True)
    values = Numbers(default_value=(0.0, 0.0)).tag(sync=True)
    step = Within(0, MOST, 0, whole=True).tag(sync=True)
    cut = Within(0, MOST, 0, whole=True).tag(sync=True)
    direction = OneOf("left", "right").tag(sync=True)

    def __init__(self, tokens, scores, values, step=0, cut=0, direction="left", **options):
        row = {"tokens": tokens, "scores": scores, "values": values}
        super().__init__(**row, cut=cut, step=step, direction=direction, **options)

    @property
    def parts(self) -> list[list[float]]:
        """The largest score, the sum of e to the power of what each score lacks to it, and the output of each
        part, as far as it has been read; after the merge of both together."""
        n = len(self.tokens)
        halves = [range(n)] if self.cut == 0 else [range(self.cut), range(self.cut, n)]
        halves = [half if self.direction == "left" else half[::-1] for half in halves]
        if len(halves) == 2 and self.step > max(map(len, halves)):
            return [self._numbers([self._read(half) for half in halves], range(n))]
        return [self._numbers([self._read(half[: self.step])], half[: self.step]) for half in halves]

    def _read(self, keys):
        q, k, v = np.ones((1, 1)), np.array(self.scores)[list(keys), None], np.array(self.values)[list(keys), None]
        return lib.attention_with_lse(q, k, v, beta=1.0)

    def _numbers(self, read, keys):
        output, lse = lib.merge_attention(*zip(*read, strict=True))
        if not keys:
            return [-np.inf, 0.0, 0.0]
        highest = max(self.scores[i] for i in keys)
        return [highest, float(np.exp(lse[0] - highest)), float(output[0, 0])]

    @validate("tokens", "scores", "values", "cut", "step")
    def _fits(self, proposal):
        name, (tokens, cut, step) = proposal["trait"].name, proposed(self, proposal, "tokens", "cut", "step")
        if cut >= len(tokens):
            raise FigureError(f"{name}: cut {cut} leaves none of {len(tokens)} keys for a second part")
        if step > len(tokens):
            raise FigureError(f"{name}: step {step} is more than the {len(tokens)} keys that there are")
        return one_for_each_token(self, proposal, "scores", "values")
