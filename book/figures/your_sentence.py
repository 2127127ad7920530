"""*Your sentence*: who looks at whom in every head of a pretrained encoder, which can run in the page."""

import re
from functools import cache

import numpy as np
from traitlets import Dict, observe, validate

import lib
from book.models import encoder, encoder_files

from . import encoder_heads
from .base import Figure
from .encoder_heads import FIRST, OWN_BETA, made
from .traits import FigureError, OneOf, Typed, Within

SENTENCES = tuple(made()["sentences"])
LAYERS, HEADS = made()["layers"], made()["heads"]
ALPHAS = {"softmax": 1.0, "entmax": 1.5, "sparsemax": 2.0}
MAPS = (*ALPHAS, "sigmoid_weights", "relu_norm", "none")
HIGHEST = 100.0  # β; where it is ∞ a near tie turns round by what 8 bits have lost
# To which of these is the reader's sentence nearest? They can be edited.
TEN = [
    "The concert was called off",
    "My laptop needs a repair",
    "She borrowed some money",
    "A man is fishing",
    "A thirsty kitten drinks",
    "Somebody was attacked",
    "It will rain tomorrow",
    "The soup is too salty",
    "Two teams play football",
    "The king lost his crown",
]


class Query(OneOf):
    """Which token looks: "it", or its place in the sentence, counted from 0; kept as text, as links have it."""

    def __init__(self):
        super().__init__("it", *map(str, range(encoder_files.MOST)))

    def validate(self, obj, value):
        return super().validate(obj, str(value) if isinstance(value, int) else value)


class Text(Typed):
    """A sentence that a reader has typed; "" is none."""

    address = {"kind": "typed", "most": 250}  # noqa: RUF012


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


@cache
def bytes_to_load() -> int:
    """How many bytes come if a reader wants the model for the first sentence and `TEN`; 0 without it."""
    if not encoder_files.available():
        return 0
    d, bytes_of = HEADS * encoder.WIDTH, encoder_files.bytes_of
    inner = 4 * d
    layer = bytes_of([*[(d, d), (d,)] * 4, (d,), (d,)]) + bytes_of([(inner, d), (inner,)])
    layer += bytes_of([(d, inner), (d,), (d,), (d,)])
    text = (encoder_files.folder() / "vocab.txt").read_text(encoding="utf-8")
    ids = {word: place for place, word in enumerate(text.split("\n"))}
    texts = [made()["sentences"][FIRST]["text"], *TEN]
    words = {"[CLS]", "[SEP]", *re.findall(r"\w+", " ".join(texts).lower())}
    shards = {ids[word] // encoder_files.SHARD for word in words if word in ids}
    rows = bytes_of([(encoder_files.SHARD, d)], block=d)
    first = len(text.encode()) + bytes_of([(encoder_files.MOST, d), (d,), (d,)])
    return LAYERS * layer + first + len(shards) * rows


def send_file(figure, content, buffers):
    """In a notebook the view asks for a file of the model by its name."""
    name = content.get("load") if isinstance(content, dict) else None
    if isinstance(name, str):
        try:
            figure.send({"name": name, "value": encoder_files.files().value(name)})
        except LookupError as error:
            figure.send({"name": name, "wrong": str(error)})


class YourSentence(Figure):
    """The weights of all 72 heads of all-MiniLM-L6-v2 for a sentence, small; and what one word sees in one head.

    The model is a sentence encoder (Apache-2.0) on top of MiniLM (Wang et al., 2020, arXiv 2002.10957), trained as
    Reimers and Gurevych (2019, arXiv 1908.10084) do. Some sentences are recorded: for these, another β or map is
    put into the open head alone, and the rest of the model is as it was. Once a reader loads the model, it runs on
    any sentence, and each change acts on all that comes after it. Where the book was built without the model,
    the figure keeps to the recorded sentences.

    Parameters
    ----------
    layer : int, default 4
        The layer of the open head, from 1 to 6.
    head : int, default 2
        Which of its layer's heads it is, from 1 to 12.
    sentence : str, default "thirsty"
        A recorded sentence, by its last word; "ball" is the one about a dog and a ball.
    text : str
        A sentence that a reader has typed, which only the loaded model can show; "" is the recorded one.
    query : "it" or int, default "it"
        The token whose row is read out: "it", or a place in the sentence, counted from 0. Where there is no "it",
        it is the last word.
    beta : float, optional
        Inverse temperature, from 0 to 100. By default the model's own, 1/√32.
    score_map : {"softmax", "entmax", "sparsemax", "sigmoid_weights", "relu_norm", "none"}
        What makes weights of scores; entmax has α = 1.5. With "none" a head puts out nothing. The last three
        need the loaded model.
    scope : {"head", "all"}
        Where β and the map are changed: in the open head, or in all heads, which needs the loaded model.

    Examples
    --------
    >>> figure = YourSentence()
    >>> {token: round(w, 2) for token, w in zip(figure.tokens, figure.row) if w > 0.1}
    {'cat': 0.46, 'milk': 0.22}
    >>> str(figure.role), str(YourSentence(layer=5, head=6).role)
    ('start', 'start')
    """

    view = "your_sentence"
    called = "your sentence, and the 72 heads of a pretrained encoder"
    changes = ("layer", "head", "sentence", "text", "query", "beta", "score_map", "scope")
    beside = ("about", "shown")

    layer = Within(1, LAYERS, 4, whole=True).tag(sync=True)
    head = Within(1, HEADS, 2, whole=True).tag(sync=True)
    sentence = OneOf(*SENTENCES).tag(sync=True)
    text = Text().tag(sync=True)
    query = Query().tag(sync=True)
    beta = Within(0, HIGHEST, OWN_BETA).tag(sync=True)
    score_map = OneOf(*MAPS).tag(sync=True)
    scope = OneOf("head", "all").tag(sync=True)
    about = Dict(help="The model's own β, its name, its bytes, the sentences; see `catalogue`.").tag(sync=True)
    shown = Dict(help="The scores of the recorded sentence; see `kept`. Follows `sentence`.").tag(sync=True)

    def __init__(self, layer=4, head=2, sentence=FIRST, query="it", beta=OWN_BETA, **options):
        sentence = YourSentence.sentence.validate(self, sentence)
        about = {
            "own": OWN_BETA,
            "model": "{model} ({licence})".format(**made()),
            "off": made()["weights_off"],
            "sentences": catalogue(),
            "bytes": bytes_to_load(),
            "most": encoder_files.MOST,
            "ten": TEN,
        }
        chosen = {"layer": layer, "head": head, "sentence": sentence, "query": query, "beta": beta}
        named = {"about": about, "shown": kept(sentence), **options}
        super().__init__(**chosen, **named)
        self.on_msg(send_file)

    @classmethod
    def page_data(cls) -> dict:
        """What a page loads when its reader chooses another sentence, by the names of files."""
        return {f"{cls.view}-{name}": kept(name) for name in SENTENCES}

    @property
    def tokens(self) -> list[str]:
        """The tokens of the recorded sentence, with the marks that the model puts at its start and its end."""
        return self.shown["tokens"]

    @property
    def weights(self) -> np.ndarray:
        """The open head's weights for the recorded sentence, from the query of the row to the key of the column.

        They have shape (n, n). What needs the loaded model leaves them as they are in the model.
        """
        scores = encoder_heads.scores(self.sentence)[self.layer - 1, self.head - 1]
        if self.needs_model:
            return lib.softmax(scores, OWN_BETA)
        return lib.entmax(scores, self.beta, alpha=ALPHAS[self.score_map])

    @property
    def needs_model(self) -> bool:
        """Whether what is asked for is more than the recorded scores can show."""
        return bool(self.text) or self.scope == "all" or self.score_map not in ALPHAS

    @property
    def row(self) -> list[float]:
        """The open head's weights from the token that looks, in the recorded sentence."""
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
        return query == "it" or self.text or int(query) < len(encoder_heads.sentence(self.sentence)["tokens"])

    @observe("sentence", "text")
    def _show(self, change):
        if change["name"] == "sentence":
            self.shown = kept(change["new"])
        if not self._has(self.query):
            self.query = "it"
