"""What figures share that show one row of scores, one β and what softmax makes of them."""

import numpy as np
from traitlets import HasTraits, validate

import lib

from .traits import Beta, Numbers, Words, one_for_each_token


class ScoreRow(HasTraits):
    """Tokens, their scores and β, for a figure to inherit beside `Figure`."""

    tokens = Words().tag(sync=True)
    scores = Numbers(default_value=(0.0, 0.0)).tag(sync=True)
    beta = Beta().tag(sync=True)

    @property
    def weights(self) -> list[float]:
        """What `lib.softmax` makes of the scores."""
        return lib.softmax(np.array(self.scores), self.beta).tolist()

    @validate("tokens", "scores")
    def _one_score_each(self, proposal):
        return one_for_each_token(self, proposal, "scores")
