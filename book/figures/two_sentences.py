"""*Two sentences*: the best weights of two words in two sentences, for KL and for another measure."""

import numpy as np
from traitlets import Bool, validate

import lib

from .base import Figure
from .traits import FigureError, Within, Words


class TwoSentences(Figure):
    """Two words, each in two sentences that share one weight of 1, drawn as areas: side by side for two measures.

    The first word is `gap` points ahead of the second in both sentences, and the first sentence `lead` points
    ahead of the second for both words. So scores do not tie words to sentences; the weights may.

    Parameters
    ----------
    words : list of str
        The two words, the one that is ahead first.
    lead : float, default 0
        By how many points the first sentence is ahead, from 0 to 1.
    gap : float, default 0.5
        By how many points the first word is ahead, from 0 to 0.5.
    alpha : float, default 2.0
        The measure of the second picture: 1 is KL, 2 is squares, and entmax's α lies between.
    beta : float, default 0.4
        Inverse temperature of both, from 0.1 to 2.
    dial : bool, default False
        Whether α can be moved; how far the weights are tied is written then.

    Examples
    --------
    >>> figure = TwoSentences(["cat", "milk"], lead=0.6)
    >>> figure.weights.round(2)
    array([[0.47, 0.23],
           [0.27, 0.03]])
    """

    view = "two_sentences"
    called = "two words in two sentences"
    changes = ("lead", "alpha")
    beside = ("words", "gap", "beta", "dial")

    words = Words().tag(sync=True)
    lead = Within(0, 1, 0.0).tag(sync=True)
    gap = Within(0, 0.5, 0.5).tag(sync=True)
    alpha = Within(1, 2, 2.0).tag(sync=True)
    beta = Within(0.1, 2, 0.4).tag(sync=True)
    dial = Bool(False).tag(sync=True)

    def __init__(self, words, lead=0.0, gap=0.5, alpha=2.0, beta=0.4, **options):
        state = {"words": words, "lead": lead, "gap": gap, "alpha": alpha, "beta": beta}
        super().__init__(**state, **options)

    @property
    def scores(self) -> np.ndarray:
        """A row for each word, a column for each sentence."""
        return np.add.outer([self.gap, 0.0], [self.lead, 0.0])

    @property
    def weights(self) -> np.ndarray:
        """The weights under the measure α: a row for each word, a column for each sentence."""
        return lib.entmax(self.scores.ravel(), alpha=self.alpha, beta=self.beta).reshape(2, 2)

    @validate("words")
    def _two(self, proposal):
        if len(proposal["value"]) != 2:
            raise FigureError(f"words: two of them are wanted, not {len(proposal['value'])}")
        return proposal["value"]
