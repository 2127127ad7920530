"""*Two maps learn*: two small transformers are trained in the page, alike but for the map in their heads."""

import json
from functools import cache
from pathlib import Path

from traitlets import Dict, validate

from .base import Figure
from .traits import FigureError, OneOf, Within

MAPS = ("softmax", "entmax", "sparsemax", "sigmoid_weights", "relu_norm")
RULES = ("fixed", "learned", "log-n")
BETA = 0.25  # 1/√16: queries and keys have 16 numbers
CAPTION = "Two small transformers, alike but for the rule that makes the weights in their heads."


@cache
def record() -> dict:
    """The runs that the figure shows on paper, as `two_maps_recorded` has left them, and their choices."""
    return json.loads(Path(__file__).with_name("two_maps.json").read_text(encoding="utf-8"))


class TwoMapsLearn(Figure):
    """Train two small transformers in the page, each with its own map, and watch what their heads learn.

    A model has attention alone: one or two layers of two heads, of width 32. It reads blocks of 3 to 12 symbols
    that repeat, and is to say what comes next. Both models begin with the same numbers and read the same
    sequences. At rest the figure is empty: the reader bets, then trains. A run ends once 98% are right, or after
    600 steps. Where all but the maps is as by default, there are recorded runs: they stand on paper, and are
    played where the machine is slow. Nothing that is trained in the page reaches Python.

    Parameters
    ----------
    first, second : {"softmax", "entmax", "sparsemax", "sigmoid_weights", "relu_norm"}
        Two different maps, by their names in `lib`; entmax has α = 1.5.
    rate : float, default 0.01
        The size of the steps (of AdamW), from 0.001 to 0.1.
    beta : float, default 0.25
        Inverse temperature at the start, from 0.01 to 10.
    rule : {"fixed", "learned", "log-n"}
        Whether β stays, is learned in each head, or is multiplied by log n, where a query sees n symbols.
    layers : {2, 1}
        How many layers the models have.
    symbols : {"differ", "repeat"}
        Whether the symbols of a block all differ, or may repeat: then one symbol may not tell what comes next.
    seed : int, default 1
        Of the numbers that both begin with and of the sequences that both read.

    To set both maps where one takes the other's place, set them inside
    ``with figure.hold_trait_notifications():``.

    Examples
    --------
    >>> figure = TwoMapsLearn("softmax", "relu_norm")
    >>> figure.steps_to(0.98, figure.first) < figure.steps_to(0.98, figure.second)
    True
    """

    view = "two_maps_learn"
    changes = ("first", "second", "rate", "beta", "rule", "layers", "symbols", "seed")
    beside = ("record",)

    first = OneOf(*MAPS).tag(sync=True)
    second = OneOf("sparsemax", *(name for name in MAPS if name != "sparsemax")).tag(sync=True)
    rate = Within(0.001, 0.1, 0.01).tag(sync=True)
    beta = Within(0.01, 10, BETA).tag(sync=True)
    rule = OneOf(*RULES).tag(sync=True)
    layers = Within(1, 2, 2, whole=True).tag(sync=True)
    symbols = OneOf("differ", "repeat").tag(sync=True)
    seed = Within(0, 2**31 - 1, 1, whole=True).tag(sync=True)
    record = Dict(help="The recorded runs; see `record`.").tag(sync=True)

    def __init__(self, first=MAPS[0], second="sparsemax", **options):
        named = {"caption": CAPTION, **options}
        super().__init__(first=first, second=second, record=record(), **named)

    @validate("first", "second")
    def _maps_differ(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        if value == (self.second if name == "first" else self.first):
            raise FigureError(f"{name}: {value!r} is the other map as well; pass two maps that differ")
        return value

    @staticmethod
    def steps_to(accuracy, name):
        """The first step at which the recorded run of this map has such a share right, or None."""
        every, shares = record()["every"], record()["runs"][name]["accuracy"]
        return next((every * k for k, share in enumerate(shares) if share >= accuracy), None)
