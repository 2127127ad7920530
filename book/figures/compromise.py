"""*The compromise*: three tokens, each choice of weights a point of a hill, to climb at a price or a budget."""

import numpy as np
from traitlets import validate

from . import compromise_answer
from .base import Figure
from .traits import Beta, FigureError, FromOn, Numbers, OneOf, Shares, Words


class Compromise(Figure):
    """All weights on three tokens as a triangle, shaded like a hill: a point to drag, and the top.

    At a price the hill is what is kept, expected score less divergence over β; within a budget it is the score.

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
    point : list of float, optional
        The weights where the reader's point is, renormalised. None is the null.
    pin : list of float, optional
        The best weights that the point has visited, renormalised. None is those where it is.
    top : {"hidden", "shown"}
        Whether the best weights are shown, and the curve on which they lie at all prices.

    Examples
    --------
    >>> figure = Compromise(["cat", "milk", "it"], [2.0, 1.5, 0.8], mode="budget", epsilon=2)
    >>> figure.weights, figure.answer.beta
    ([1.0, 0.0, 0.0], inf)
    >>> Compromise(["cat", "milk", "it"], [2.0, 1.5, 0.8], point=[1, 0, 0]).standing.earned
    2.0
    """

    view = "compromise"
    changes = ("beta", "tokens", "scores", "prior", "mode", "divergence", "epsilon", "point", "pin", "top")

    tokens = Words(default_value=("a", "b", "c")).tag(sync=True)
    scores = Numbers(default_value=(0.0, 0.0, 0.0)).tag(sync=True)
    prior = Shares().tag(sync=True)
    beta = Beta().tag(sync=True)
    epsilon = FromOn(0, 0.1).tag(sync=True)
    mode = OneOf("price", "budget").tag(sync=True)
    divergence = OneOf(*compromise_answer.ALPHAS).tag(sync=True)
    point = Shares().tag(sync=True)
    pin = Shares().tag(sync=True)
    top = OneOf("hidden", "shown").tag(sync=True)

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

    @property
    def standing(self) -> compromise_answer.Standing:
        """The weights `p` at the point: what they earn, the divergence they `spent`, what is `paid`, and kept."""
        answer = self.answer
        p = answer.u if self.point is None else np.array(self.point) / sum(self.point)
        return compromise_answer.standing(p, self.scores, answer.u, answer.beta, self.divergence)

    @validate("tokens", "scores", "prior", "point", "pin")
    def _three(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        if value is not None and len(value) != 3:
            raise FigureError(f"{name}: {len(value)} values; a triangle has three corners")
        if name == "prior" and value is not None and not (min(value) > 0 and np.isfinite(sum(value))):
            raise FigureError(f"prior: {value} must be positive, since each token has a corner to itself")
        if name in ("point", "pin") and value is not None and not (min(value) >= 0 and 0 < sum(value) < np.inf):
            raise FigureError(f"{name}: {value} must be non-negative, and one above 0")
        return value

    @validate("beta")
    def _not_negative(self, proposal):
        if proposal["value"] < 0:
            raise FigureError(f"beta: {proposal['value']} must be at least 0, since divergence is paid for")
        return proposal["value"]
