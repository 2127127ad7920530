"""*Lamps*: four wishes and three rules, and which rule keeps which wish while scores are moved."""

import numpy as np
from traitlets import validate

import lib
from book.squares import squares

from .base import Figure
from .traits import AnyOf, FigureError, Numbers, Within, Words, one_for_each_token, proposed

LOWEST, HIGHEST = -1.5, 3.0  # the axis of scores, which never changes
WISHES = ("others do not change a ratio", "only scores count", "no zero point", "better gets more")
RULES = ("squares", "softmax", "sparsemax")
DUST = 1e-12  # sparsemax may leave a word so much by rounding, when its score is where weight begins
LAMPS = tuple(f"{rule}-{wish}" for rule in RULES for wish in range(1, 1 + len(WISHES)))


def weights_under(rule, scores) -> np.ndarray:
    """The weights of these scores; under *squares* there are none if no score is above 0."""
    scores = np.asarray(scores, dtype=float)
    weights = {"softmax": lib.softmax, "squares": squares, "sparsemax": lib.sparsemax}[rule](scores)
    return np.where(weights < DUST, 0.0, weights) if rule == "sparsemax" else weights


class Lamps(Figure):
    """One row of scores under three rules, and for each of four wishes a lamp, which goes out where a rule fails.

    Parameters
    ----------
    tokens : list of str
        The words, one per column; three or more, since of two the first wish asks nothing.
    scores : list of float
        Their scores; with the shift from −1.5 to 3, which is what the axis holds.
    token, against : int
        The two words, counted from 0, whose weights are compared.
    shift : float, default 0.0
        What everybody has got besides.
    was : list of float, optional
        The scores, shift included, that the last move began from; by default the scores as they are.
    out : list of str, default []
        The lamps that are out from before: rule and wish, such as ``"squares-3"``.

    Examples
    --------
    >>> figure = Lamps(["cat", "drank", "milk"], [2.0, 1.1, 1.5], token=0, against=2)
    >>> {name: round(ratio, 2) for name, ratio in figure.ratios.items()}
    {'squares': 1.78, 'softmax': 1.65, 'sparsemax': 3.0}
    >>> figure.scores = [2.0, 1.9, 1.5]
    >>> round(figure.ratios["sparsemax"]), figure.dark
    (16, ['sparsemax-1'])
    """

    view = "lamps"
    called = "four wishes and three rules"
    changes = ("tokens", "scores", "shift", "was", "out")
    beside = ("token", "against")

    tokens = Words().tag(sync=True)
    scores = Numbers(default_value=(0.0, 0.0)).tag(sync=True)
    shift = Within(LOWEST - HIGHEST, HIGHEST - LOWEST, 0.0).tag(sync=True)
    was = Numbers(default_value=(0.0, 0.0)).tag(sync=True)
    out = AnyOf(*LAMPS).tag(sync=True)
    token = Within(0, 1000, 0, whole=True).tag(sync=True)
    against = Within(0, 1000, 1, whole=True).tag(sync=True)

    def __init__(self, tokens, scores, token=0, against=1, shift=0.0, was=None, out=(), **options):
        if was is None:
            scores, shift = Lamps.scores.validate(self, scores), Lamps.shift.validate(self, shift)
            was = [score + shift for score in scores]
        row = {"tokens": tokens, "scores": scores, "token": token, "against": against}
        super().__init__(**row, shift=shift, was=was, out=out, **options)

    @property
    def now(self) -> list[float]:
        """The scores with what everybody has got."""
        return [score + self.shift for score in self.scores]

    @property
    def maps(self) -> dict[str, list[float]]:
        """The weights under each rule, by its name."""
        return {rule: weights_under(rule, self.now).tolist() for rule in RULES}

    @property
    def ratios(self) -> dict[str, float]:
        """How many times the one word has the weight of the other, under each rule."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return {name: float(np.float64(w[self.token]) / w[self.against]) for name, w in self.maps.items()}

    @property
    def dark(self) -> list[str]:
        """All lamps that are out: those from before, and those that the move from `was` puts out."""
        pair = (self.token, self.against)
        failed = [
            f"{rule}-{k + 1}"
            for rule in RULES
            for k, held in enumerate(judged(rule, self.was, self.now, pair))
            if held is False
        ]
        return [lamp for lamp in LAMPS if lamp in (*self.out, *failed)]

    @validate("tokens", "scores", "shift", "was", "token", "against")
    def _fits(self, proposal):
        name = proposal["trait"].name
        one_for_each_token(self, proposal, "scores", "was", indices=("token", "against"))
        words, scores, shift, was = proposed(self, proposal, "tokens", "scores", "shift", "was")
        if name == "tokens" and len(words) < 3:
            raise FigureError(
                f"tokens: {words!r} are too few; the first wish asks nothing of fewer than three words"
            )
        if name in ("token", "against") and len(set(proposed(self, proposal, "token", "against"))) < 2:
            raise FigureError(f"{name}: {proposal['value']} is the other word as well")
        for score in was if name == "was" else np.add(scores, shift) if name in ("scores", "shift") else ():
            if not LOWEST - 1e-9 <= score <= HIGHEST + 1e-9:
                raise FigureError(f"{name}: {score:g} has no place on the axis from {LOWEST:g} to {HIGHEST:g}")
        return proposal["value"]


def judged(rule, before, after, pair) -> list:
    """What a move shows of a rule, for each wish: True where it was asked and held, False where not, else None.

    The twin of `judged` in js/lamps_math.js, where it is said in words.
    """
    before, after = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    steps = after - before
    moved = np.flatnonzero(np.abs(steps) > 5e-7)
    was, now = weights_under(rule, before), weights_under(rule, after)
    weighed = bool(was.any() or now.any())
    answers = [None] * 4
    if moved.size and not set(pair) & set(moved.tolist()):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = [np.float64(w[pair[0]]) / w[pair[1]] for w in (was, now)]
        if not np.isnan(ratios).all():
            answers[0] = _alike(*ratios)
    if moved.size == 2 and np.abs(after[moved] - before[moved[::-1]]).max() <= 5e-7 and weighed:
        places = np.arange(len(was))
        places[moved] = moved[::-1]
        answers[1] = _alike(now, was[places])
    if moved.size and np.abs(steps - steps[0]).max() <= 5e-7 and weighed:
        answers[2] = _alike(now, was)
    if moved.size == 1:
        answers[3] = bool(((now - was) * np.sign(steps))[moved[0]] > 1e-13)
    return answers


def _alike(one, other) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    with np.errstate(invalid="ignore"):
        near = np.abs(one - other) < 1e-6 * np.minimum(np.abs(one), np.abs(other))
    return bool(((one == other) | near).all())
