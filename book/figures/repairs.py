"""*Repairs*: what models changed about softmax, one repair at a time, and what each keeps, gains and gives up."""

import numpy as np
from traitlets import validate

import lib

from .base import Figure
from .traits import FigureError, Numbers, OneOf, Within, Words, one_for_each_token

REPAIRS = ("none", "sink", "gate", "cap", "norm", "length")
SITUATIONS = ("shift", "join", "long", "times")
UP, TIMES = 2.0, 3.0  # points, a factor
NEWCOMER = ("was", 1.0)  # the word that joins, and its score
LONGER, LITTLE = 3, 0.2  # so many more words for each word, and the score of each of these
REST = 2.0  # QK-norm: each key is (its score, REST), and the query (1, 0)
LAMPS = (
    "others do not change a ratio",
    "only scores count",
    "no zero point",
    "better gets more",
    "can say nothing",
    "scores are bounded",
    "a lead lasts in long texts",
)
FARTHEST = 100.0  # how far from 0 a score may be
TRIED = (2.0, 1.1, -0.6)  # the scores on which the lamps are tried


def used_scores(repair, scores, knobs, words=None, times=1.0) -> np.ndarray:
    """The scores that softmax gets, where there are so many `words` and the query is so many `times` as long."""
    s = np.asarray(scores, dtype=float)
    if repair == "cap":
        return knobs["cap"] * np.tanh(times * s / knobs["cap"])
    if repair == "norm":
        return knobs["gain"] * s / np.hypot(s, REST)  # the length of the query does not count
    if repair == "length":
        return times * s * np.log(len(s) if words is None else words) / np.log(knobs["typical"])
    return times * s


def weights_under(repair, scores, knobs, counts=None, times=1.0) -> np.ndarray:
    """The weights, as they are handed over, of scores that stand for so many words each, or for one."""
    counts = np.ones(len(scores)) if counts is None else np.asarray(counts, dtype=float)
    all_ = used_scores(repair, scores, knobs, counts.sum(), times) + np.log(counts)
    if repair == "sink":
        return lib.softmax_plus_one(all_, sink=knobs["sink"])
    return lib.softmax(all_) * (1 / (1 + np.exp(-knobs["gate"])) if repair == "gate" else 1)


def lamps_of(repair, knobs) -> dict[str, bool]:
    """Which of the four wishes a repair keeps, and which of three things it can do: all of it tried out."""
    tried, one = np.array(TRIED), np.eye(3)
    give = lambda scores, **how: weights_under(repair, scores, knobs, **how)  # noqa: E731
    alike = lambda a, b: bool(np.allclose(a, b, rtol=1e-9, atol=0))  # noqa: E731
    ratio = lambda weights: weights[0] / weights[1]  # noqa: E731
    was = give(tried)
    others = (tried + one[2], tried[:2], np.append(tried, NEWCOMER[1]))  # it rises, it leaves, one joins
    largest = [np.abs(used_scores(repair, tried, knobs, times=times)).max() for times in (1e3, 1e6)]
    answers = (
        all(alike(ratio(give(row)), ratio(was)) for row in others),
        alike(give(tried[[1, 0, 2]]), was[[1, 0, 2]]),
        alike(give(tried + UP), was),
        all(bool(give(tried + one[k] / 2)[k] > was[k]) for k in range(3)),
        bool(give(tried - 10).sum() < 0.999),
        bool(largest[1] < 2 * largest[0]),
        bool(give([4.0, 0.0], counts=[1, 999_999])[0] > 0.5),
    )
    return dict(zip(LAMPS, answers, strict=True))


class Repairs(Figure):
    """One row of scores and one softmax, which is repaired in one of five ways, or not at all.

    An empty place takes part in softmax (sink), a gate lets a part of the weights through (gate), scores go
    through c · tanh(s/c) (cap), query and key are brought to one length (norm), or scores grow with the logarithm
    of the number of words (length). At β = 1.

    Parameters
    ----------
    tokens : list of str
        The words, two or more.
    scores : list of float
        Their scores, from −100 to 100.
    repair : {"sink", "gate", "cap", "norm", "length", "none"}
        What is done to softmax.
    situation : {"none", "shift", "join", "long", "times"}
        What happens: nothing, 2 points more for all, one word more, a text four times as long, a query three times
        as long.
    sink : float, default 2.6
        The score of the empty place.
    gate : float, default 0.4
        What the logistic function makes the gate of.
    cap : float, default 2.0
        The bound c of the scores.
    gain : float, default 3.0
        QK-norm: by how much the cosine is multiplied.
    typical : int, default 7
        The number of words at which log n changes nothing.

    Examples
    --------
    >>> figure = Repairs(["cat", "milk", "it"], [2.0, 1.5, 0.8])
    >>> round(figure.share, 2), round(figure.nobody, 2)
    (0.51, 0.49)
    >>> figure.situation = "shift"
    >>> round(figure.share, 2), [lamp for lamp, on in figure.lamps.items() if not on][0]
    (0.89, 'no zero point')
    """

    view = "repairs"
    called = "softmax and its repairs"
    changes = ("repair", "situation", "sink", "gate", "cap", "gain", "typical")
    beside = ("tokens", "scores")

    tokens = Words().tag(sync=True)
    scores = Numbers(default_value=(0.0, 0.0)).tag(sync=True)
    repair = OneOf(*REPAIRS).tag(sync=True)
    situation = OneOf("none", *SITUATIONS).tag(sync=True)
    sink = Within(-4, 8, 2.6).tag(sync=True)
    gate = Within(-6, 6, 0.4).tag(sync=True)
    cap = Within(0.5, 10, 2.0).tag(sync=True)
    gain = Within(0.5, 10, 3.0).tag(sync=True)
    typical = Within(2, 30, 7, whole=True).tag(sync=True)

    def __init__(self, tokens, scores, repair="sink", situation="none", **options):
        super().__init__(tokens=tokens, scores=scores, repair=repair, situation=situation, **options)

    @property
    def knobs(self) -> dict[str, float]:
        """The settings of all repairs, of which only the chosen one's counts."""
        return {name: getattr(self, name) for name in ("sink", "gate", "cap", "gain", "typical")}

    @property
    def row(self) -> list[float]:
        """The scores, as far as the situation adds to them; those of the words that it brings come last."""
        more = {"join": [NEWCOMER[1]], "long": [LITTLE]}.get(self.situation, [])
        return [score + UP * (self.situation == "shift") for score in self.scores] + more

    @property
    def counts(self) -> list[int]:
        """How many words each of these scores stands for."""
        words = len(self.scores)
        return [1] * words + {"join": [1], "long": [LONGER * words]}.get(self.situation, [])

    @property
    def _times(self) -> float:
        return TIMES if self.situation == "times" else 1.0

    @property
    def used(self) -> np.ndarray:
        """The scores that softmax gets."""
        return used_scores(self.repair, self.row, self.knobs, sum(self.counts), self._times)

    @property
    def weights(self) -> np.ndarray:
        """The weights of the words, as they are handed over; what the situation brings is the last of them."""
        return weights_under(self.repair, self.row, self.knobs, self.counts, self._times)

    @property
    def plain(self) -> np.ndarray:
        """Softmax's own, in this situation."""
        return weights_under("none", self.row, self.knobs, self.counts, self._times)

    @property
    def share(self) -> float:
        """What all words have together."""
        return float(self.weights.sum())

    @property
    def nobody(self) -> float:
        """What no word has."""
        return 1 - self.share

    @property
    def lamps(self) -> dict[str, bool]:
        """The four wishes and what else a repair may do, and which of it this one keeps or can do."""
        return lamps_of(self.repair, self.knobs)

    @validate("tokens", "scores")
    def _one_score_each(self, proposal):
        one_for_each_token(self, proposal, "scores")
        name, value = proposal["trait"].name, proposal["value"]
        if name == "tokens" and len(value) < 2:
            raise FigureError(f"tokens: {value!r} are too few; there is no ratio of fewer than two words")
        for score in value if name == "scores" else ():
            if abs(score) > FARTHEST:
                raise FigureError(f"scores: {score:g} is too far from 0; pass numbers from −100 to 100")
        return value
