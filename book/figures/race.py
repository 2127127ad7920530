"""*The race*: each token's score plus noise, the best wins, and wins pile up against softmax."""

from .base import Figure
from .races import NOISES, count_wins
from .score_row import ScoreRow
from .traits import OneOf, Within


class Race(ScoreRow, Figure):
    """Scores with noise race for the first place, and their shares of the wins stand beside softmax.

    Parameters
    ----------
    tokens : list of str
        The words, one per column.
    scores : list of float
        Their scores s, finite.
    beta : float, default 1.0
        One over the size of the noise, from 0.1 to 10: the β of the softmax beside it.
    noise : {"Gumbel", "normal", "uniform", "none"}
        The form of the noise. All have mean 0, and all but "none" the standard deviation π/√6 times 1/β.
    races : int, default 1000
        How many have been run, from 0 to 100 000.
    seed : int, default 1
        What the noise is drawn with: the same seed gives the same races. Another β changes the size of
        the same noise.

    Examples
    --------
    >>> figure = Race(["cat", "milk"], [2.0, 1.5], races=100)
    >>> sum(figure.wins), [round(w, 3) for w in figure.weights]
    (100, [0.622, 0.378])
    """

    view = "race"
    called = "the race"
    changes = ("beta", "tokens", "scores", "noise", "races", "seed")

    beta = Within(0.1, 10, 1.0).tag(sync=True)
    noise = OneOf(*NOISES).tag(sync=True)
    races = Within(0, 100_000, 1000, whole=True).tag(sync=True)
    seed = Within(0, 2**31 - 1, 1, whole=True).tag(sync=True)

    def __init__(self, tokens, scores, beta=1.0, **options):
        super().__init__(tokens=tokens, scores=scores, beta=beta, **options)

    @property
    def wins(self) -> list[int]:
        """How many of the races each token has won: the same as the page shows."""
        return count_wins(self.scores, self.beta, self.noise, self.races, self.seed).tolist()
