"""*β and the weights*: a row of scores, one β, and what softmax makes of them."""

import numpy as np
from traitlets import Bool, Unicode, validate

import lib

from .base import Figure
from .traits import Beta, FigureError, Flags, Numbers, Shares, Within, Words, one_for_each_token


class BetaWeights(Figure):
    """Scores to drag above, the weights softmax gives them below, β on a slider from 0 to infinity.

    Parameters
    ----------
    tokens : list of str
        The words, one per column.
    scores : list of float
        Their scores s, finite.
    beta : float, default 1.0
        Inverse temperature; 0, negative and ±infinity are allowed.
    prior : list of float, optional
        The null hypothesis u; non-negative, renormalised. None is uniform.
    where : list of bool, optional
        True = takes part. None is everyone.
    query : str
        The word that asks, named beside the scores.
    crowd : int, default 0
        How many words there are, from as many as there are tokens (or 0) to 100 000. The best stands once, and the
        others stand for equally many each. Only a `plain` figure without a `prior` has them.
    curves : bool, default False
        Draw each weight against β above the slider, on its scale. The bars then wait behind More.
    plain : bool, default False
        Show scores, β and weights alone: no null, no readings behind More, and nothing about either in the
        sentence. A figure that has a `prior` shows its null all the same.

    Examples
    --------
    >>> figure = BetaWeights(["cat", "milk"], [2.0, 1.0], beta=float("inf"))
    >>> figure.weights
    [1.0, 0.0]
    """

    view = "beta_weights"
    called = "β and the weights"
    changes = ("beta", "tokens", "scores", "prior", "where", "crowd")
    beside = ("query", "curves", "plain")

    tokens = Words().tag(sync=True)
    scores = Numbers(default_value=(0.0, 0.0)).tag(sync=True)
    beta = Beta().tag(sync=True)
    prior = Shares().tag(sync=True)
    where = Flags().tag(sync=True)
    crowd = Within(0, 100_000, 0, whole=True).tag(sync=True)
    query = Unicode("").tag(sync=True)
    curves = Bool(False).tag(sync=True)
    plain = Bool(False).tag(sync=True)

    def __init__(self, tokens, scores, beta=1.0, *, prior=None, where=None, **options):
        row = {"tokens": tokens, "scores": scores, "beta": beta, "prior": prior, "where": where}
        super().__init__(**row, **options)

    @property
    def weights(self) -> list[float]:
        """What `lib.softmax` makes of the figure's state: of each word, or of one of those that are like it."""
        copies, where = self._copies(), None if self.where is None else np.array(self.where)
        prior = copies if self.prior is None else np.array(self.prior)
        return (lib.softmax(np.array(self.scores), self.beta, prior=prior, where=where) / copies).tolist()

    def _copies(self):
        """How many words each token stands for."""
        open_ = np.ones(len(self.tokens), bool) if self.where is None else np.array(self.where)
        copies, there = np.ones(len(self.tokens)), int(open_.sum())
        if self.plain and self.prior is None and there > 1:
            copies += max(0, self.crowd - len(self.tokens)) / (there - 1)
            copies[np.argmax(np.where(open_, self.scores, -np.inf))] = 1
        return copies

    @validate("tokens", "scores", "prior", "where")
    def _one_for_each_token(self, proposal):
        value = one_for_each_token(self, proposal, "scores", "prior", "where")
        if proposal["trait"].name == "prior" and value is not None and (min(value) < 0 or max(value) == 0):
            raise FigureError(f"prior: {value} must be non-negative, with at least one value above 0")
        return value
