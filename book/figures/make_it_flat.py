"""*Make it flat*: a rule is drawn as a curve, and a pen writes whether a point counts the same everywhere."""

import numpy as np

import lib

from .base import Figure
from .make_it_flat_curve import AT, FAR, SQUARES, is_flat, log_ratios, log_share
from .traits import FigureError, Numbers, Within


class Heights(Numbers):
    """Five positive numbers."""

    default_value = SQUARES
    address = {"kind": "numbers", "per": "shares"}  # noqa: RUF012

    def validate(self, obj, value):
        items = super().validate(obj, value)
        if len(items) != 5:
            raise FigureError(f"{self.name}: {len(items)} shares, and there are five handles")
        if not all(item > 0 for item in items):
            raise FigureError(f"{self.name}: {items} cannot be drawn; pass positive shares")
        return items


class Slope(Within):
    """A number from `low` to `high`, or None: there is no line yet that has one."""

    def __init__(self, low, high):
        super().__init__(low, high, None)
        self.address = {"kind": "number", "none": True}

    def validate(self, obj, value):
        return None if value is None else super().validate(obj, value)


class MakeItFlat(Figure):
    """A rule as a curve to bend: how many shares a word with this score gets. The weights are shares of the total.

    Three words stand on the curve as a rigid row that can be slid, and a pen writes how many times “cat” gets the
    weight of “milk”. The line is flat for exponentials alone. A reader who has found one is left with its slope.

    Parameters
    ----------
    shares : list of float, default (1, 4, 9, 16, 25)
        The shares at the scores 1, 2, 3, 4 and 5; positive. Only their ratios count.
    place : float, default 1.3
        How far the row has been slid, from 0 to 3.1 points. At 0 “drank” stands at 1.0, “milk” at 1.4, and “cat”
        at 1.9.
    beta : float, optional
        The slope of the exponential that has been found, from 0 to 10. None: none has been found yet.

    Examples
    --------
    >>> MakeItFlat(shares=[1, 2, 4, 8, 16]).flat
    True
    >>> MakeItFlat(beta=0.8).weights.round(2)
    array([0.23, 0.31, 0.46])
    """

    view = "make_it_flat"
    called = "a rule to bend until a point counts the same everywhere"
    changes = ("shares", "place", "beta")

    shares = Heights().tag(sync=True)
    place = Within(0, FAR, 1.3).tag(sync=True)
    beta = Slope(0, 10).tag(sync=True)

    def __init__(self, shares=SQUARES, place=1.3, beta=None, **options):
        super().__init__(shares=shares, place=place, beta=beta, **options)

    @property
    def scores(self) -> np.ndarray:
        """The scores of “drank”, “milk” and “cat”, where the row stands."""
        return np.array(AT) + self.place

    @property
    def slope(self) -> float | None:
        """The slope of the exponential that has been found: `beta`, or that of a curve whose line is flat."""
        if self.beta is not None or not self.flat:
            return self.beta
        return float(np.log(self.shares[-1]) - np.log(self.shares[0])) / 4

    @property
    def weights(self) -> np.ndarray:
        """The weights of “drank”, “milk” and “cat”."""
        if self.slope is not None:
            return lib.softmax(self.scores, self.slope)
        return lib.softmax(log_share(self.shares, self.scores))

    @property
    def ratio(self) -> float:
        """How many times “cat” gets the weight of “milk”, which is what the pen writes."""
        if self.slope is not None:
            return float(np.exp(self.slope * (AT[2] - AT[1])))
        return float(np.exp(log_ratios(self.shares, self.place)))

    @property
    def flat(self) -> bool:
        """Whether the pen's line is flat."""
        return self.beta is not None or is_flat(self.shares)
