"""*Can you tell?*: words drawn from the weights or from their null, and the best tests of which it was."""

import numpy as np
from traitlets import Bool, validate

from . import tell
from .base import Figure
from .traits import FigureError, Numbers, OneOf, Within, Words, one_for_each_token

UNIT = 0.1


class CanYouTell(Figure):
    """How the mean score of m words is distributed under u and under π, and how fast the best test's errors fall.

    Parameters
    ----------
    tokens : list of str
        The words.
    scores : list of float
        Their scores s, multiples of 0.1, at most 10 apart and not all equal.
    beta : float, default 1.0
        Inverse temperature of π = softmax(βs), from 0.1 to 10.
    m : int, default 20
        How many words are shown, from 1 to 1000.
    hold : {"neither", "misses", "false alarms"}
        The error that the test holds at 5% while it makes the other as small as can be; with neither
        held it makes their sum as small as can be.
    sample : int, default 0
        The number of the sample that waits for a guess; 0 is none.
    seed : int, default 1
        What the samples are drawn with: the same seed and number give the same sample.
    exponents : bool, default True
        Show for each error that may be held how fast the other falls, as an exponent, with the game behind “More”;
        if False, show the game and leave exponents out.

    Examples
    --------
    >>> figure = CanYouTell(["cat", "milk"], [1.0, 0.0], beta=2, m=7, hold="misses")
    >>> round(figure.limit, 3), figure.test.bar
    (0.328, 5.0)
    """

    view = "can_you_tell"
    called = "can you tell?"
    changes = ("beta", "tokens", "scores", "m", "hold", "sample", "seed")
    beside = ("exponents",)

    tokens = Words().tag(sync=True)
    scores = Numbers(default_value=(0.0, 1.0)).tag(sync=True)
    beta = Within(0.1, 10, 1.0).tag(sync=True)
    m = Within(1, 1000, 20, whole=True).tag(sync=True)
    hold = OneOf("neither", "misses", "false alarms").tag(sync=True)
    sample = Within(0, 2**31 - 1, 0, whole=True).tag(sync=True)
    seed = Within(0, 2**31 - 1, 1, whole=True).tag(sync=True)
    exponents = Bool(True).tag(sync=True)

    def __init__(self, tokens, scores, beta=1.0, **options):
        super().__init__(tokens=tokens, scores=scores, beta=beta, **options)

    @property
    def test(self) -> tell.BestTest:
        """The best test: where it changes its mind, and the logs of both its errors."""
        return tell.best_test(self.scores, self.beta, self.m, hold=self.hold)

    @property
    def exponent(self) -> float:
        """−log(error)/m of what the test makes as small as can be, in nats a word."""
        return tell.exponent(self.scores, self.beta, self.m, hold=self.hold)

    @property
    def limit(self) -> float:
        """What the exponent comes to as m grows."""
        return float(tell.limit(self.scores, self.beta, self.hold))

    @validate("tokens")
    def _one_score_each(self, proposal):
        return one_for_each_token(self, proposal, "scores")

    @validate("scores")
    def _on_the_lattice(self, proposal):
        scores = one_for_each_token(self, proposal, "scores")
        steps = (np.array(scores) - min(scores)) / UNIT
        if not np.allclose(steps, np.rint(steps), rtol=0, atol=1e-6) or not 0 < np.ptp(scores) <= 10:
            raise FigureError(f"scores: {scores} must be multiples of {UNIT}, not all equal and at most 10 apart")
        return scores
