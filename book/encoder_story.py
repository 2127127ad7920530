"""The pronoun in pairs of sentences: what `book/models/encoder_story.py` found in a pretrained encoder.

In each pair one word decides which of two nouns "it" is. A head is right in a sentence if it gives that noun more
of the weight of "it" than the other one. Layers and heads are counted from 1.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

HEAD = (4, 2)  # the one whose story is told


@cache
def made() -> dict:
    """All that is kept, and where it comes from."""
    return json.loads(Path(__file__).with_name("encoder_story.json").read_text(encoding="utf-8"))


def pairs() -> list[dict]:
    """Of each pair the sentence with a gap, `text`, its two `nouns`, and the `words` that decide for each."""
    return [dict(zip(("text", "nouns", "words"), pair, strict=True)) for pair in made()["pairs"]]


def weights() -> np.ndarray:
    """The weight of "it" on both nouns, if the first is meant and if the second: (pairs, 2, 6, 12, 2)."""
    found = np.reshape(made()["weights"], made()["shape"]) / 1_000_000
    return found.reshape(-1, 2, *found.shape[1:])


def right(found: np.ndarray) -> np.ndarray:
    """In which sentences each head is right: booleans, (pairs, 2, ..., 2) -> (pairs, 2, ...)."""
    more = found[..., 0] - found[..., 1]
    return np.stack([more[:, 0] > 0, more[:, 1] < 0], axis=1)


def counts(layer: int, head: int) -> dict[str, int]:
    """For how many pairs a head is right in "both" sentences, in "one", and in "none"."""
    each = right(weights())[:, :, layer - 1, head - 1].sum(axis=1)  # (pairs,)
    return {name: int((each == count).sum()) for name, count in {"both": 2, "one": 1, "none": 0}.items()}


def of_head(layer: int, head: int) -> dict:
    """Its counts, in how many sentences a head is right, and its mean weight on the two nouns."""
    ours = (slice(None), slice(None), layer - 1, head - 1)
    return {
        **counts(layer, head),
        "sentences": int(right(weights())[ours].sum()),
        "on_nouns": float(weights()[ours].sum(axis=-1).mean()),
    }


def moved(layer: int, head: int) -> int:
    """In how many pairs the weight moves towards the noun that is meant, even if the other keeps more of it.

    This was looked at only after the counts had been seen.
    """
    found = weights()[:, :, layer - 1, head - 1]  # (pairs, 2, 2)
    (a, b), (c, d) = found[:, 0].T, found[:, 1].T
    return int((a * d > c * b).sum())  # a / (a + b) > c / (c + d)


def best_other() -> tuple[int, int]:
    """Of all other heads the one that is right in both sentences of most pairs; then in most sentences."""
    others = [(layer, head) for layer in range(1, 7) for head in range(1, 13) if (layer, head) != HEAD]
    return max(others, key=lambda at: (counts(*at)["both"], of_head(*at)["sentences"], of_head(*at)["on_nouns"]))


def turned() -> dict[str, list[float]]:
    """By how many degrees each sentence's vector turns, if all heads do something else, by map and β.

    Sentences are in the order of the pairs. With "none 1" all heads are silent.
    """
    return made()["turned"]
