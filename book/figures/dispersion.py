"""*Dispersion*: what is left for the best of n tokens as n grows."""

import math

import numpy as np

import lib

from .base import Figure
from .traits import OneOf, Within

FEWEST, MOST, WIDEST = 8, 1_000_000, 12
RULES = ("fixed", "grows")
TRENDS = ("stays", "shrinks")


class Dispersion(Figure):
    """The weight of the best of n tokens under three maps, against n, where all its rivals score the same.

    Parameters
    ----------
    crowd : int, default 8
        How many tokens n there are, from 8 to 1 000 000.
    rule : {"fixed", "grows"}
        Whether β is 1, or log n / log 8, which is 1 among 8 tokens and grows with log n.
    trend : {"stays", "shrinks"}
        Whether the lead is the same for every n, or 8/n of what it is among 8 tokens.
    lead : float, default 5.0
        By how many points the best leads among 8 tokens, from 0 to 12.

    Examples
    --------
    >>> figure = Dispersion(crowd=1000)
    >>> {name: round(weight, 3) for name, weight in figure.top_weights.items()}
    {'softmax': 0.129, 'entmax': 1.0, 'sparsemax': 1.0}
    >>> figure.rule = "grows"
    >>> round(figure.beta, 2), round(figure.top_weights["softmax"], 4)
    (3.32, 0.9999)
    """

    view = "dispersion"
    changes = ("crowd", "rule", "trend", "lead")

    crowd = Within(FEWEST, MOST, FEWEST, whole=True).tag(sync=True)
    rule = OneOf(*RULES).tag(sync=True)
    trend = OneOf(*TRENDS).tag(sync=True)
    lead = Within(0, WIDEST, 5.0).tag(sync=True)

    def __init__(self, crowd=FEWEST, rule="fixed", trend="stays", lead=5.0, **options):
        values = {"crowd": crowd, "rule": rule, "trend": trend, "lead": lead}
        super().__init__(**values, **options)

    @property
    def beta(self) -> float:
        """The inverse temperature among n tokens."""
        return math.log(self.crowd) / math.log(FEWEST) if self.rule == "grows" else 1.0

    @property
    def lead_now(self) -> float:
        """By how many points the best of n tokens leads."""
        return self.lead * FEWEST / self.crowd if self.trend == "shrinks" else self.lead

    @property
    def top_weights(self) -> dict[str, float]:
        """The weight of the best token under each map."""
        scores = np.zeros(self.crowd)
        scores[0] = self.lead_now
        maps = {"softmax": lib.softmax, "entmax": lib.entmax, "sparsemax": lib.sparsemax}
        return {name: float(function(scores, self.beta)[0]) for name, function in maps.items()}
