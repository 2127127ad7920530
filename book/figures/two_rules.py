"""*Two rules*: the scores of a real head under two rules that look alike, until everybody gets ten points more."""

import numpy as np
from traitlets import Dict

import lib
from book.squares import squares

from .base import Figure
from .real_head import OWN_BETA, SENTENCE, made, row_of_it
from .traits import OneOf

LAST = ("thirsty", "fresh", "hungry", "sweet", "tired", "warm")  # in turns one that fits the cat and one for milk
MORE = 10.0  # points that everybody gets
CAPTION = (
    "One of the 72 heads of a small trained model, which puts a mark at the start and one at the end. They take "
    "part like words."
)


class TwoRules(Figure):
    """What "it" attends to in a head of a trained model, under softmax (*A*) and under squares (*B*).

    The two are not named until a reader has tried what ten points more for everybody do: nothing under *A*, much
    under *B*. The head is that of `RealHead`, with the model's own β for softmax.

    Parameters
    ----------
    last : {"thirsty", "fresh", "hungry", "sweet", "tired", "warm"}
        The last word. The first and each second one fit the cat, the others the milk.
    rule : {"A", "B"}
        The rule that makes weights from the scores.
    ten : {"no", "yes"}
        Whether each score is ten points higher.
    guess : {"none", "A", "B"}
        Which of the two the reader thinks is in nearly every language model.
    seen : {"one", "word", "both", "ten", "all"}
        What the reader has seen so far: one rule; another last word, and the first again; both rules; ten points
        more under one, or under both.

    Examples
    --------
    >>> for rule, ten in [("A", "no"), ("B", "no"), ("B", "yes")]:
    ...     figure = TwoRules(rule=rule, ten=ten)
    ...     print({word: f"{w:.0%}" for word, w in zip(figure.tokens, figure.weights) if w > 0.15})
    {'cat': '46%', 'milk': '22%'}
    {'cat': '43%', 'milk': '26%'}
    {'cat': '27%', 'milk': '20%'}
    """

    view = "two_rules"
    called = "two rules for the same scores"
    changes = ("last", "rule", "ten", "guess", "seen")
    beside = ("head",)

    last = OneOf(*LAST).tag(sync=True)
    rule = OneOf("A", "B").tag(sync=True)
    ten = OneOf("no", "yes").tag(sync=True)
    guess = OneOf("none", "A", "B").tag(sync=True)
    seen = OneOf("one", "word", "both", "ten", "all").tag(sync=True)
    head = Dict(help="The model's own β, the points more, and the row of each sentence.").tag(sync=True)

    def __init__(self, last=LAST[0], rule="A", ten="no", guess="none", seen="one", **options):
        rows = {one: row_of_it(SENTENCE.format(one)) for one in LAST}
        model = "{model} ({licence}), layer {layer} of {layers}, head {head} of {heads}".format(**made())
        head = {"own": OWN_BETA, "more": MORE, "rows": rows, "model": model}
        state = {"last": last, "rule": rule, "ten": ten, "guess": guess, "seen": seen, "head": head}
        super().__init__(**state, **{"caption": CAPTION, **options})

    @property
    def tokens(self) -> list[str]:
        """The tokens of the sentence, with the marks that the model puts at its start and its end."""
        return self.head["rows"][self.last]["tokens"]

    @property
    def scores(self) -> list[float]:
        """What "it" has given each token, with ten points more if they are given."""
        return [score + MORE * (self.ten == "yes") for score in self.head["rows"][self.last]["scores"]]

    @property
    def weights(self) -> list[float]:
        """What the rule makes of the scores."""
        scores = np.array(self.scores)
        return (lib.softmax(scores, OWN_BETA) if self.rule == "A" else squares(scores)).tolist()
