"""What 72 heads of a pretrained encoder score in a few sentences, as `book/models/encoder_heads.py` has left it.

Sentences go by their last word, except the one about a dog and a ball, which is "ball". Layers and heads are
counted from 1. Weights are those of the model to within `made()["weights_off"]`.
"""

import json
from base64 import b64decode
from functools import cache
from pathlib import Path

import numpy as np

import lib

OWN_BETA = 32**-0.5  # the model divides by the square root of the width of its queries and keys
FIRST = "thirsty"
MOSTLY = 0.5  # a head does what gets at least this much of its weight
BROAD = 0.5  # or it looks about, if it spreads over at least this part of the tokens


@cache
def made() -> dict:
    """All that is kept, and where it comes from."""
    return json.loads(Path(__file__).with_name("encoder_heads.json").read_text(encoding="utf-8"))


def sentence(name: str) -> dict:
    """What is kept of a sentence: text, tokens, the two nouns that "it" may mean, and its scores."""
    return made()["sentences"][name]


def scores(name: str) -> np.ndarray:
    """How far each score is below the highest of its row, so none is above 0: shape (layers, heads, n, n)."""
    kept, shape = sentence(name), (made()["layers"], made()["heads"])
    n = len(kept["tokens"])
    roots = np.frombuffer(b64decode(kept["roots"]), np.uint8).reshape(*shape, n, n)
    return -np.reshape(kept["scale"], (*shape, 1, 1)) * roots.astype(float) ** 2


def weights(name: str, beta: float = OWN_BETA, alpha: float = 1.0) -> np.ndarray:
    """The weights of all heads, from the query of the row to the key of the column: (layers, heads, n, n)."""
    return lib.entmax(scores(name), beta, alpha=alpha)


def opened(name: str) -> list[tuple[int, int]]:
    """(layer, head) of those whose queries and keys are kept."""
    return [tuple(map(int, head.split("."))) for head in sentence(name)["opened"]]


def queries_and_keys(name: str, layer: int, head: int) -> tuple[np.ndarray, np.ndarray]:
    """Queries and keys of one of these heads, shape (n, 32) each, to three digits."""
    kept = sentence(name)["opened"][f"{layer}.{head}"]
    q, k = (np.frombuffer(b64decode(kept[part]), "<f2").astype(float) for part in "qk")
    return q.reshape(-1, made()["width"]), k.reshape(-1, made()["width"])


def shares(weights: np.ndarray) -> dict[str, np.ndarray]:
    """What part of its weight each head gives to what, on average over the tokens that have such a neighbour.

    `weights` has shape (..., n, n); its first and last token are the marks of start and end.
    """
    before, here, after = (np.diagonal(weights, step, -2, -1) for step in (-1, 0, 1))
    found = {"previous": before, "next": after, "itself": here, "start": weights[..., 0], "end": weights[..., -1]}
    return {what: part.mean(axis=-1) for what, part in found.items()}


def spread(weights: np.ndarray) -> np.ndarray:
    """Effective tokens of each head, on average over its rows."""
    return lib.effective_count(weights).mean(axis=-1)


def roles(weights: np.ndarray) -> np.ndarray:
    """What each head does, by its scores: one of the names of `shares`, "broad", or "mixed"."""
    parts = shares(weights)
    names, values = np.array(list(parts)), np.stack(list(parts.values()))
    broad = np.where(spread(weights) >= BROAD * weights.shape[-1], "broad", "mixed")
    return np.where(values.max(axis=0) >= MOSTLY, names[values.argmax(axis=0)], broad)
