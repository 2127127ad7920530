"""*Pairs*: 24 pairs of sentences in which one word decides what "it" is, and which noun each head looks at."""

import re
from base64 import b64encode
from functools import cache

import numpy as np
from traitlets import Dict, default, observe

from book import encoder_story
from book.models import encoder, encoder_files

from . import encoder_heads
from .base import Figure
from .traits import OneOf, Typed, Within
from .your_sentence import MAPS, TEN, bytes_to_load, send_file

PAIRS = encoder_story.pairs()
SENTENCES = [pair["text"].format(word) for pair in PAIRS for word in pair["words"]]
LAYERS, HEADS = encoder.LAYERS, encoder.HEADS
BETAS = {"own": 1.0, "half": 0.5, "double": 2.0}  # how many times the model's own β
MOST = 65535


@cache
def whole() -> np.ndarray:
    """The recorded weights of "it" on both nouns in 16 bits, (pairs, 2, 6, 12, 2). What is more stays more."""
    found = encoder_story.weights()
    made = np.rint(found * MOST).astype(np.uint16)
    tied = made[..., :1] == made[..., 1:]
    more = found > found[..., ::-1]
    return (made + (tied & more)).astype("<u2")


def packed(numbers: np.ndarray) -> str:
    """These numbers in base64."""
    return b64encode(numbers.tobytes()).decode()


def kept(layer: int, head: int) -> dict:
    """What the view draws of a head: its number among all, counted from 0, and its recorded weights."""
    return {"head": HEADS * (layer - 1) + head - 1, "weights": packed(whole()[:, :, layer - 1, head - 1])}


@cache
def both() -> list[int]:
    """For how many pairs each head is right in both sentences."""
    found = encoder_story.right(encoder_story.weights()).all(axis=1).sum(axis=0)  # (6, 12)
    return found.ravel().tolist()


def shards_of(texts) -> set[int]:
    """Which files of words these texts need, by their numbers. No word of them is in several pieces."""
    vocabulary = (encoder_files.folder() / "vocab.txt").read_text(encoding="utf-8").split("\n")
    ids = {word: place for place, word in enumerate(vocabulary)}
    words = re.findall(r"\w+|[.]", " ".join(texts).lower())
    return {ids[word] // encoder_files.SHARD for word in ("[CLS]", "[SEP]", *words) if word in ids}


@cache
def bytes_for_pairs() -> int:
    """How many bytes a reader loads who wants the model for these sentences; 0 without the model."""
    if not encoder_files.available():
        return 0
    others = shards_of([encoder_heads.made()["sentences"][encoder_heads.FIRST]["text"], *TEN])
    more = len(shards_of(SENTENCES)) - len(others)
    width = HEADS * encoder.WIDTH
    return bytes_to_load() + more * encoder_files.bytes_of([(encoder_files.SHARD, width)], block=width)


class Pairs(Figure):
    """24 pairs of sentences, and for each which of two nouns gets more of the weight of "it" in the open head.

    In each pair one word decides which noun "it" is, so a head that knows it is right in both. The pairs were
    written before they were measured. At rest their results are covered. The recorded ones are those of the
    pretrained encoder as it is; once a reader loads it, the page computes them, under another map or β, too.

    Parameters
    ----------
    layer : int, default 4
        The layer of the open head, from 1 to 6.
    head : int, default 2
        Which of its layer's heads it is, from 1 to 12.
    pair : int, default 1
        The pair that is written out, counted from 1.
    filled : {"no", "yes"}
        Whether the results of all pairs are shown.
    score_map : {"softmax", "entmax", "sparsemax", "sigmoid_weights", "relu_norm"}
        What makes weights of scores in all heads; entmax has α = 1.5. All but softmax need the loaded model.
    beta : {"own", "half", "double"}
        The inverse temperature of all heads, in the model's own; all but that need the loaded model.
    sentence_figure : str
        The name of a figure `YourSentence` of the same page, in which sentences can be tried; "" is none.

    Examples
    --------
    >>> figure = Pairs()
    >>> figure.counts
    {'both': 6, 'one': 17, 'none': 1}
    >>> figure.layer, figure.head = 5, 6
    >>> figure.counts["both"], round(figure.on_nouns, 2)
    (8, 0.05)
    """

    view = "pairs"
    called = "24 pairs of sentences, and the noun that each head looks at"
    changes = ("layer", "head", "pair", "filled", "score_map", "beta")
    beside = ("about", "sentence_figure", "shown")

    layer = Within(1, LAYERS, 4, whole=True).tag(sync=True)
    head = Within(1, HEADS, 2, whole=True).tag(sync=True)
    pair = Within(1, len(PAIRS), 1, whole=True).tag(sync=True)
    filled = OneOf("no", "yes").tag(sync=True)
    score_map = OneOf(*MAPS[:-1]).tag(sync=True)
    beta = OneOf(*BETAS).tag(sync=True)
    sentence_figure = Typed().tag(sync=True)
    about = Dict(help="The pairs, the recorded counts of all heads, and what there is to load.").tag(sync=True)
    shown = Dict(help="The open head's recorded weights; see `kept`. Follows `layer` and `head`.").tag(sync=True)

    def __init__(self, layer=4, head=2, pair=1, filled="no", **options):
        made = encoder_story.made()
        about = {
            "pairs": PAIRS,
            "counts": both(),
            "betas": BETAS,
            "bytes": bytes_for_pairs(),
            "model": "{model} ({licence})".format(**made),
        }
        chosen = {"layer": layer, "head": head, "pair": pair, "filled": filled}
        super().__init__(**chosen, **{"about": about, **options})
        self.on_msg(send_file)

    @classmethod
    def page_data(cls) -> dict:
        """What a page loads when its reader opens another head, by the name of its file."""
        return {"pairs-recorded": packed(whole())}

    @default("shown")
    def _first(self):
        return kept(self.layer, self.head)

    @observe("layer", "head")
    def _show(self, change):
        self.shown = kept(self.layer, self.head)

    @property
    def counts(self) -> dict[str, int]:
        """For how many pairs the open head, as recorded, is right in "both" sentences, in "one", and in "none"."""
        return encoder_story.counts(self.layer, self.head)

    @property
    def on_nouns(self) -> float:
        """How much of the weight of "it" the open head, as recorded, gives to the two nouns, on average."""
        return encoder_story.of_head(self.layer, self.head)["on_nouns"]
