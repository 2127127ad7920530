"""*Sampling*: logits become weights, a cut takes away some, and draws pile up against what remains."""

import numpy as np
from traitlets import validate

import lib

from .base import Figure
from .traits import FigureError, OneOf, Table, Within, Words, proposed

CUTS = ("nothing", "top-k", "top-p", "min-p")


class Sampling(Figure):
    """Steps of a model that writes: for each, the logits of what may come next; a temperature, a cut, and draws.

    Parameters
    ----------
    tokens : list of str
        What may be drawn: as many tokens, or characters, as each step has logits, and at least two.
    logits : list of lists of float
        For each step the scores s of all tokens, finite.
    before : list of str
        For each step what the model has read before it.
    step : int, default 0
        Which step is shown, counted from 0.
    temperature : float, default 1.0
        What logits are divided by, from 0.1 to 10.
    cut : {"nothing", "top-k", "top-p", "min-p"}
        What decides who remains; the next three say how much of it.
    top_k : int, default 5
        How many of the largest remain, from 1 to 1000.
    top_p, min_p : float, default 0.9 and 0.1
        The least share of the weight that remains, and the part of the largest that is needed; from 0.01 to 1.
    earlier : {"temperature", "cut"}
        Whether the cut looks at the weights at that temperature, or at those at T = 1.
    draws : int, default 1000
        How many have been drawn, from 0 to 10 000.
    seed : int, default 1
        What they are drawn with: the same seed gives the same draws.

    Examples
    --------
    >>> figure = Sampling(["a", "b"], [[2.0, 1.0]], ["The letter "], temperature=0.5)
    >>> [round(w, 3) for w in figure.weights]
    [0.881, 0.119]
    """

    view = "sampling"
    changes = (
        *("before", "step", "temperature", "cut", "top_k", "top_p", "min_p"),
        *("earlier", "draws", "seed"),
    )
    beside = ("tokens", "logits")

    tokens = Words().tag(sync=True)
    logits = Table().tag(sync=True)
    before = Words().tag(sync=True)
    step = Within(0, 1000, 0, whole=True).tag(sync=True)
    temperature = Within(0.1, 10, 1.0).tag(sync=True)
    cut = OneOf(*CUTS).tag(sync=True)
    top_k = Within(1, 1000, 5, whole=True).tag(sync=True)
    top_p = Within(0.01, 1, 0.9).tag(sync=True)
    min_p = Within(0.01, 1, 0.1).tag(sync=True)
    earlier = OneOf("temperature", "cut").tag(sync=True)
    draws = Within(0, 10_000, 1000, whole=True).tag(sync=True)
    seed = Within(0, 2**31 - 1, 1, whole=True).tag(sync=True)

    def __init__(self, tokens, logits, before, **options):
        logits = logits.tolist() if hasattr(logits, "tolist") else logits
        super().__init__(tokens=tokens, logits=logits, before=before, **options)

    @property
    def weights(self) -> list[float]:
        """The weights of all tokens at this step and temperature, before any cut."""
        return lib.softmax(np.array(self.logits[self.step]), 1 / self.temperature).tolist()

    @validate("tokens", "logits", "before", "step")
    def _fitting(self, proposal):
        tokens, logits, before, step = proposed(self, proposal, "tokens", "logits", "before", "step")
        name, n = proposal["trait"].name, len(tokens)
        if n < 2:
            raise FigureError("tokens: at least two are needed")
        if any(len(row) != n for row in logits):
            raise FigureError(f"{name}: each step needs {n} logits, one for each token")
        if len(before) != len(logits):
            raise FigureError(f"{name}: {len(logits)} steps, and {len(before)} texts before them")
        if step >= len(logits):
            raise FigureError(f"step: {step} is none of 0 to {len(logits) - 1}")
        return proposal["value"]
