"""*A mixture*: the last word of a sentence looks at each, and its output mixes their values by the weights."""

from .base import Figure
from .score_row import ScoreRow


class Mixture(ScoreRow, Figure):
    """One step of attention: the last word asks, and arcs, scores, weights and the mixture of values answer.

    Parameters
    ----------
    tokens : list of str
        The words of the sentence so far. The last one is the word whose query asks.
    scores : list of float
        What its query scores with the key of each word; finite.
    beta : float, default 1.0
        Inverse temperature; 0, negative and ±infinity are allowed.

    Examples
    --------
    >>> Mixture(["cat", "milk"], [2.0, 1.0], beta=float("inf")).weights
    [1.0, 0.0]
    """

    view = "mixture"
    called = "attention of one word"
    changes = ("beta", "tokens", "scores")

    def __init__(self, tokens, scores, beta=1.0, **options):
        row = {"tokens": tokens, "scores": scores, "beta": beta}
        super().__init__(**row, **options)
