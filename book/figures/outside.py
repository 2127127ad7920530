"""*Outside the frame*: five rules, five tests, and which rule each test breaks."""

import numpy as np
from traitlets import validate

import lib

from .base import Figure
from .traits import AnyOf, Numbers, OneOf, Words, one_for_each_token

RULES = ("softmax", "ReLU over its sum", "sigmoid", "softmax-plus-one", "linear attention")
TESTS = ("shift", "fall", "times", "rise", "join")
UP, DOWN, TIMES, LITTLE = 3.0, -4.0, 10.0, 0.4  # points, points, a factor, points
NEWCOMER = ("was", 1.0)  # the word that joins, and its score
FAR = 100.0  # how many times the second word's weight the first is to have, at ten times the scores


def weights_under(rule, scores) -> np.ndarray:
    """The weights of these scores, at β = 1.

    Sigmoid has the bias −log n. For linear attention each key is one number, the score, and the query is 1.
    """
    s = np.asarray(scores, dtype=float)
    if rule == "linear attention":
        return lib.linear_attention(np.ones((1, 1)), s[:, None], np.eye(len(s)))[0]
    maps = {
        "softmax": lib.softmax,
        "ReLU over its sum": lib.relu_norm,
        "sigmoid": lambda row: lib.sigmoid_weights(row, bias=-np.log(len(row))),
        "softmax-plus-one": lib.softmax_plus_one,
    }
    return maps[rule](s)


class Outside(Figure):
    """Softmax, ReLU over its sum, sigmoid, softmax-plus-one and linear attention, put to five tests.

    Each test changes the scores: 3 points up for all, 4 down, ten times the scores, a little more for the worst
    word, a word more. It asks whether the weights stay, whether they sum to 1, whether the best word gets 100
    times the weight of the second, whether the worst gets more, and whether the ratio of the best two stays.

    Parameters
    ----------
    tokens : list of str
        The words, two or more.
    scores : list of float
        Their scores, finite.
    test : {"none", "shift", "fall", "times", "rise", "join"}
        The test that is made.
    asked : list of str, default []
        The tests that have been made.

    Examples
    --------
    >>> figure = Outside(["cat", "milk", "it"], [2.0, 1.5, 0.5], test="shift")
    >>> figure.kept
    ['softmax']
    >>> round(float(figure.maps["ReLU over its sum"][0]), 2)
    0.38
    """

    view = "outside"
    called = "five rules and five tests"
    changes = ("test", "asked")
    beside = ("tokens", "scores")

    tokens = Words().tag(sync=True)
    scores = Numbers(default_value=(0.0, 0.0)).tag(sync=True)
    test = OneOf("none", *TESTS).tag(sync=True)
    asked = AnyOf(*TESTS).tag(sync=True)

    def __init__(self, tokens, scores, test="none", asked=(), **options):
        super().__init__(tokens=tokens, scores=scores, test=test, asked=asked, **options)

    @property
    def tested(self) -> list[float]:
        """The scores under the test."""
        s = np.array(self.scores)
        made = {
            "none": s,
            "shift": s + UP,
            "fall": s + DOWN,
            "times": TIMES * s,
            "rise": s + LITTLE * (np.arange(len(s)) == s.argmin()),
            "join": np.append(s, NEWCOMER[1]),
        }
        return made[self.test].tolist()

    @property
    def maps(self) -> dict[str, np.ndarray]:
        """The weights under each rule, by its name."""
        return {rule: weights_under(rule, self.tested) for rule in RULES}

    @property
    def kept(self) -> list[str]:
        """The rules that pass the test."""
        was = {rule: weights_under(rule, self.scores) for rule in RULES}
        return [rule for rule, w in self.maps.items() if self._passes(was[rule], w)]

    def _passes(self, was, now) -> bool:
        first, second = np.argsort(-np.array(self.scores), kind="stable")[:2]
        worst = int(np.argmin(self.scores))
        if self.test == "shift":
            return bool(np.allclose(was, now, rtol=1e-9))
        if self.test == "fall":
            return bool(abs(now.sum() - 1) < 1e-9)
        if self.test == "times":
            return bool(now[first] >= FAR * now[second])
        if self.test == "rise":
            return bool(now[worst] > was[worst])
        return self.test == "none" or bool(
            np.isclose(now[first] * was[second], was[first] * now[second], rtol=1e-9)
        )

    @validate("tokens", "scores")
    def _one_score_each(self, proposal):
        return one_for_each_token(self, proposal, "scores")
