"""*Seventy-two heads*: who looks at whom in every head of a pretrained encoder, and one of them opened."""

import numpy as np
from traitlets import Dict, observe, validate

import lib

from . import encoder_heads
from .base import Figure
from .encoder_heads import FIRST, OWN_BETA, made
from .traits import FigureError, FromOn, OneOf, Within

SENTENCES = tuple(made()["sentences"])
LAYERS, HEADS = made()["layers"], made()["heads"]
ALPHAS = {"softmax": 1.0, "entmax": 1.5, "sparsemax": 2.0}
CAPTION = "Each picture is a head: a row for each token that looks, a column for each that is seen."
MOST_TOKENS = max(len(one["tokens"]) for one in made()["sentences"].values())


class Query(OneOf):
    """Which token looks: "it", or its place in the sentence, counted from 0; kept as text, as links have it."""

    def __init__(self):
        super().__init__("it", *map(str, range(MOST_TOKENS)))

    def validate(self, obj, value):
        return super().validate(obj, str(value) if isinstance(value, int) else value)


def kept(name: str) -> dict:
    """What the view draws of a sentence: its tokens, and the scores of all heads in bytes."""
    return {"name": name, **{part: encoder_heads.sentence(name)[part] for part in ("tokens", "scale", "roots")}}


def place_of_it(name: str) -> int:
    """Which token of the sentence is "it"."""
    return encoder_heads.sentence(name)["tokens"].index("it")


def catalogue() -> dict:
    """Each sentence's text, how many tokens it has, and which of them is "it"."""
    return {
        name: {"text": one["text"], "n": len(one["tokens"]), "it": place_of_it(name)}
        for name, one in made()["sentences"].items()
    }


class SeventyTwo(Figure):
    """The weights of all 72 heads of all-MiniLM-L6-v2 for a sentence, small; and those of one head, large.

    The model is a sentence encoder (Apache-2.0) on top of MiniLM (Wang et al., 2020, arXiv 2002.10957), trained as
    Reimers and Gurevych (2019, arXiv 1908.10084) do. What a head does is told by its weights on this sentence, at
    the model's own β. For the open head alone β and the map can be changed: its weights are then computed anew
    from its scores; the rest of the model is as it was.

    Parameters
    ----------
    layer : int, default 1
        The layer of the open head, from 1 to 6.
    head : int, default 3
        Which of its layer's heads it is, from 1 to 12.
    sentence : str, default "thirsty"
        A sentence, by its last word; "ball" is the one about a dog and a ball.
    query : "it" or int, default "it"
        The token whose row is read out: "it", or a place in the sentence, counted from 0.
    beta : float, optional
        Inverse temperature of the open head, at least 0; ∞ is allowed. By default the model's own, 1/√32.
    score_map : {"softmax", "entmax", "sparsemax"}
        What makes weights of the open head's scores; entmax has α = 1.5.

    Examples
    --------
    >>> figure = SeventyTwo(layer=4, head=2)
    >>> {token: round(w, 2) for token, w in zip(figure.tokens, figure.row) if w > 0.1}
    {'cat': 0.46, 'milk': 0.22}
    >>> str(figure.role), str(SeventyTwo(layer=5, head=6).role)
    ('start', 'start')
    """

    view = "seventy_two"
    called = "seventy-two heads"
    changes = ("layer", "head", "sentence", "query", "beta", "score_map")
    beside = ("about", "shown")

    layer = Within(1, LAYERS, 1, whole=True).tag(sync=True)
    head = Within(1, HEADS, 3, whole=True).tag(sync=True)
    sentence = OneOf(*SENTENCES).tag(sync=True)
    query = Query().tag(sync=True)
    beta = FromOn(0, 1.0).tag(sync=True)
    score_map = OneOf(*ALPHAS).tag(sync=True)
    about = Dict(help="The model's own β, its name, and its sentences; see `catalogue`.").tag(sync=True)
    shown = Dict(help="The scores of the sentence; see `kept`. Follows `sentence`.").tag(sync=True)

    def __init__(self, layer=1, head=3, sentence=FIRST, query="it", beta=OWN_BETA, **options):
        sentence = SeventyTwo.sentence.validate(self, sentence)
        about = {
            "own": OWN_BETA,
            "model": "{model} ({licence})".format(**made()),
            "off": made()["weights_off"],
            "sentences": catalogue(),
        }
        chosen = {"layer": layer, "head": head, "sentence": sentence, "query": query, "beta": beta}
        named = {"caption": CAPTION, "about": about, "shown": kept(sentence), **options}
        super().__init__(**chosen, **named)

    @classmethod
    def page_data(cls) -> dict:
        """What a page loads when its reader chooses another sentence, by the names of files."""
        return {f"{cls.view}-{name}": kept(name) for name in SENTENCES}

    @property
    def tokens(self) -> list[str]:
        """The tokens of the sentence, with the marks that the model puts at its start and its end."""
        return self.shown["tokens"]

    @property
    def weights(self) -> np.ndarray:
        """The open head's weights, from the query of the row to the key of the column, shape (n, n)."""
        scores = encoder_heads.scores(self.sentence)[self.layer - 1, self.head - 1]
        return lib.entmax(scores, self.beta, alpha=ALPHAS[self.score_map])

    @property
    def row(self) -> list[float]:
        """The open head's weights from the token that looks."""
        place = place_of_it(self.sentence) if self.query == "it" else int(self.query)
        return self.weights[place].tolist()

    @property
    def role(self) -> str:
        """What the open head does at the model's own β, by its scores; see `encoder_heads.roles`."""
        return encoder_heads.roles(encoder_heads.weights(self.sentence))[self.layer - 1, self.head - 1]

    @validate("query")
    def _is_a_token(self, proposal):
        n = len(encoder_heads.sentence(self.sentence)["tokens"])
        if not self._has(proposal["value"]):
            raise FigureError(f'query: the sentence has {n} tokens; pass "it", or a number from 0 to {n - 1}')
        return proposal["value"]

    def _has(self, query):
        return query == "it" or int(query) < len(encoder_heads.sentence(self.sentence)["tokens"])

    @observe("sentence")
    def _show(self, change):
        self.shown = kept(change["new"])
        if not self._has(self.query):
            self.query = "it"
