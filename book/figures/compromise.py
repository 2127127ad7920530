"""*The compromise*: three tokens, every choice of weights a point, and the best one for a price or a budget."""

import numpy as np
from traitlets import validate

from . import compromise_answer
from .base import Figure
from .traits import Beta, FigureError, FromOn, Numbers, OneOf, Shares, Words


class Compromise(Figure):
    """All weights on three tokens as a triangle: the null u to drag, the best weights for a price or a budget.

    Parameters
    ----------
    tokens : list of str
        Three words, one per corner: above, left, right.
    scores : list of float
        Their scores s, finite.
    beta : float, default 1.0
        Inverse temperature, from 0 to infinity; divergence costs 1/β. Counts where `mode` is "price".
    prior : list of float, optional
        The null u, positive, renormalised. None is uniform.
    epsilon : float, default 0.1
        The budget of divergence, from 0 to infinity. Counts where `mode` is "budget".
    mode : {"price", "budget"}
        Which of the two is given.
    divergence : {"kl", "tsallis", "euclidean"}
        What is paid for, and so which map answers: softmax, entmax with α = 1.5, or sparsemax.

    Examples
    --------
    >>> figure = Compromise(["cat", "milk", "it"], [2.0, 1.5, 0.8], mode="budget", epsilon=2)
    >>> figure.weights, figure.answer.beta
    ([1.0, 0.0, 0.0], inf)
    """

    view = "compromise"
    changes = ("beta", "tokens", "scores", "prior", "mode", "divergence", "epsilon")

    tokens = Words(default_value=("a", "b", "c")).tag(sync=True)
    scores = Numbers(default_value=(0.0, 0.0, 0.0)).tag(sync=True)
    prior = Shares().tag(sync=True)
    beta = Beta().tag(sync=True)
    epsilon = FromOn(0, 0.1).tag(sync=True)
    mode = OneOf("price", "budget").tag(sync=True)
    divergence = OneOf(*compromise_answer.ALPHAS).tag(sync=True)

    def __init__(self, tokens, scores, beta=1.0, *, prior=None, **options):
        super().__init__(tokens=tokens, scores=scores, beta=beta, prior=prior, **options)

    @property
    def answer(self) -> compromise_answer.Answer:
        """The best `pi`, its `beta`, the divergence `spent`, the expected score `gain` and J, `left`."""
        return compromise_answer.solve(
            self.scores, self.prior, self.beta, self.epsilon, self.mode, self.divergence
        )

    @property
    def weights(self) -> list[float]:
        """The best weights."""
        return self.answer.pi.tolist()

    @validate("tokens", "scores", "prior")
    def _three(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        if value is not None and len(value) != 3:
            raise FigureError(f"{name}: {len(value)} values; a triangle has three corners")
        if name == "prior" and value is not None and not (min(value) > 0 and np.isfinite(sum(value))):
            raise FigureError(f"prior: {value} must be positive, since each token has a corner to itself")
        return value

    @validate("beta")
    def _not_negative(self, proposal):
        if proposal["value"] < 0:
            raise FigureError(f"beta: {proposal['value']} must be at least 0, since divergence is paid for")
        return proposal["value"]
