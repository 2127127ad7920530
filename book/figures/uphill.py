"""*Uphill*: the right word is behind, and steps of training bring it up two hills, one of them flat."""

import math

from .base import Figure
from .traits import Within

MOST = 12_000  # steps, more than the largest lead takes


def courses(lead) -> dict[str, list[float]]:
    """The lead of the wrong word before the first step and after each, until it leads no more.

    A step adds to both scores the gradient of the right word's weight, or of its logarithm: so it takes twice
    the slope off the lead, at β = 1 and with steps of size 1.

    >>> {hill: len(leads) - 1 for hill, leads in courses(5.0).items()}
    {'weight': 81, 'logarithm': 3}
    """
    found = {}
    for hill in ("weight", "logarithm"):
        leads = [float(lead)]
        while leads[-1] > 0:
            wrong, right = (1 / (1 + math.exp(sign * leads[-1])) for sign in (-1, 1))
            leads.append(leads[-1] - 2 * wrong * (right if hill == "weight" else 1.0))
        found[hill] = leads
    return found


class Uphill(Figure):
    """Two words share the weight, and the wrong one leads; a step of training goes as far as the ground is steep.

    The ground is the weight of the right word, or its logarithm, over how far that word is behind.

    Parameters
    ----------
    lead : float, default 10
        How many points the wrong word leads by at the start, from 1 to 10.
    steps : int, default 0
        How many steps have been taken, up to 12 000; no more are needed.

    Examples
    --------
    >>> figure = Uphill(lead=10, steps=6)
    >>> figure.needed
    {'weight': 11028, 'logarithm': 6}
    >>> {hill: round(lead, 3) for hill, lead in figure.left.items()}
    {'weight': 9.999, 'logarithm': -0.864}
    """

    view = "uphill"
    called = "two hills"
    changes = ("lead", "steps")

    lead = Within(1, 10, 10.0).tag(sync=True)
    steps = Within(0, MOST, 0, whole=True).tag(sync=True)

    def __init__(self, lead=10.0, steps=0, **options):
        super().__init__(lead=lead, steps=steps, **options)

    @property
    def needed(self) -> dict[str, int]:
        """How many steps undo the lead, on each hill."""
        return {hill: len(leads) - 1 for hill, leads in courses(self.lead).items()}

    @property
    def left(self) -> dict[str, float]:
        """By how much the wrong word leads after the steps; below 0 the right one does."""
        return {hill: leads[min(self.steps, len(leads) - 1)] for hill, leads in courses(self.lead).items()}
