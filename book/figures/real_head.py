"""*A real head*: where "it" looks in a sentence, in a head of a pretrained encoder, as the last word changes."""

import json
from functools import cache
from pathlib import Path

import numpy as np
from traitlets import Dict

import lib

from .base import Figure
from .traits import Beta, OneOf

WORDS = ("thirsty", "hungry", "tired", "fresh", "sweet", "warm")
SENTENCE = "the cat drank the milk because it was {}"
ELSEWHERE = "the dog chased the ball because it was hungry"  # where the head does not tell what "it" is
OWN_BETA = 32**-0.5  # the model divides by the square root of the width of its queries and keys
CAPTION = (
    "A head is one of the places in a model where words look at each other. This small trained model has 72 "
    "heads; we picked one that does what you see. “It” sees the whole sentence, the last word too. "
    "Elsewhere the head fails: in “{text}” it gives {told}."
)


@cache
def made() -> dict:
    """The head's queries and keys as `book/models/real_head.py` has left them, and where they come from."""
    return json.loads(Path(__file__).with_name("real_head.json").read_text(encoding="utf-8"))


def sentence(text: str) -> dict:
    """What is kept of one of the sentences: tokens, queries q, keys k, and the two nouns that "it" may mean."""
    return next(one for one in made()["sentences"] if one["text"] == text)


def queries_and_keys(text: str) -> tuple[np.ndarray, np.ndarray]:
    """The head's queries and keys for one of the sentences, shape (n, 32) each."""
    return np.array(sentence(text)["q"]), np.array(sentence(text)["k"])


def row_of_it(text: str) -> dict:
    """What the view draws of a sentence: its tokens, their scores with "it", and the two nouns it may mean."""
    tokens, nouns = sentence(text)["tokens"], sentence(text)["nouns"]
    q, k = queries_and_keys(text)
    scores = k @ q[tokens.index("it")]  # (n, 32) @ (32,) -> (n,)
    return {"tokens": tokens, "scores": scores.round(4).tolist(), "nouns": nouns}


def weights_of_nouns(text: str) -> dict[str, float]:
    """What the two nouns get from "it" at the model's own β."""
    row = row_of_it(text)
    weights = lib.softmax(np.array(row["scores"]), OWN_BETA)
    return {noun: float(weights[row["tokens"].index(noun)]) for noun in row["nouns"]}


def _caption() -> str:
    told = " and ".join(f"“{noun}” {weight:.0%}" for noun, weight in weights_of_nouns(ELSEWHERE).items())
    return CAPTION.format(text=ELSEWHERE, told=told)


class RealHead(Figure):
    """What "it" attends to in "the cat drank the milk because it was …", in a head of a trained model.

    The head is the second of twelve in the fourth of six layers of all-MiniLM-L6-v2, a sentence encoder
    (Apache-2.0) on top of MiniLM (Wang et al., 2020, arXiv 2002.10957), trained as Reimers and Gurevych
    (2019, arXiv 1908.10084) do. It is one head of 72, picked because it does this. It has no causal mask, so it
    reads the last word before it decides. It fails elsewhere: in "the dog chased the ball because it was hungry"
    the ball gets more than the dog.

    Parameters
    ----------
    last : {"thirsty", "hungry", "tired", "fresh", "sweet", "warm"}
        The last word. The first three fit the cat, the others the milk.
    beta : float, optional
        Inverse temperature; 0, negative and ±infinity are allowed. By default the model's own, 1/√32.

    Examples
    --------
    >>> figure = RealHead("fresh")
    >>> {token: round(w, 2) for token, w in zip(figure.tokens, figure.weights) if w > 0.1}
    {'[CLS]': 0.33, 'milk': 0.41}
    """

    view = "real_head"
    called = "a real head"
    changes = ("last", "beta")
    beside = ("head",)

    last = OneOf(*WORDS).tag(sync=True)
    beta = Beta().tag(sync=True)
    head = Dict(help="The model's own β, and the row of each sentence; see `row_of_it`.").tag(sync=True)

    def __init__(self, last=WORDS[0], beta=OWN_BETA, **options):
        rows = {one: row_of_it(SENTENCE.format(one)) for one in WORDS}
        model = "{model} ({licence}), layer {layer} of {layers}, head {head} of {heads}".format(**made())
        head = {"own": OWN_BETA, "rows": rows, "model": model}
        named = {"caption": _caption(), **options}
        super().__init__(last=last, beta=beta, head=head, **named)

    @property
    def tokens(self) -> list[str]:
        """The tokens of the sentence, with the marks that the model puts at its start and its end."""
        return self.head["rows"][self.last]["tokens"]

    @property
    def scores(self) -> list[float]:
        """The dot product of the query of "it" with the key of each token."""
        return self.head["rows"][self.last]["scores"]

    @property
    def weights(self) -> list[float]:
        """What `lib.softmax` makes of the scores."""
        return lib.softmax(np.array(self.scores), self.beta).tolist()
