"""A pretrained encoder with another β, another map or a head less: what `book/models/encoder_maps.py` found.

A change is named as in the results: "beta 0.25" is a quarter of the model's own β in every layer, "sparsemax 0.35"
sparsemax at that part of it, "layer 6 beta inf" hard routing in one layer. Layers and heads are counted from 1.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

RESTS = 0.5  # a head rests on the start mark, if that gets at least this much of its weight, on average


@cache
def made() -> dict:
    """All that is kept, and where it comes from."""
    return json.loads(Path(__file__).with_name("encoder.json").read_text(encoding="utf-8"))


def cosines(change: str) -> np.ndarray:
    """How near to what it was the vector of each of our sentences stays under a change: (sentences,)."""
    found = made()
    return np.array({**found["cosine"], **found["layers"], **found["groups"]}[change])


def cosine(change: str) -> float:
    """The same, on average."""
    return float(cosines(change).mean())


def right(change: str, ranking: str) -> np.ndarray:
    """For which of our sentences the one that says the same is the nearest: booleans. Also for "own" and "words".

    By `ranking`: nearer than an "unrelated" one, than a "similar" one that shares words with it but says something
    else, or than "all" the sentences that say the same as others. "words" are mean word vectors, with no attention
    and no layer; "silent" is the encoder without any attention.
    """
    return np.array(list(made()["right"][ranking][change])) == "1"


def best_factor(weights: str) -> float:
    """At which of the factors tried, of the model's own β, a map stays nearest to softmax."""
    tried = [name for name in made()["cosine"] if name.startswith(f"{weights} ")]
    return float(max(tried, key=cosine).split()[1])


def on_start() -> np.ndarray:
    """What part of its weight each head gives the start mark, on average over our sentences: (6, 12)."""
    return np.reshape(made()["on_start"], (6, 12))


def start_length() -> np.ndarray:
    """How long the value of the start mark is, as a part of the length of other tokens' values: (6, 12)."""
    return np.reshape(made()["start_length"], (6, 12))


def lost(change: str) -> np.ndarray:
    """1 − cosine, on average over our sentences, where one head puts out something else: (6, 12)."""
    return np.reshape(made()["lost"][change], (6, 12))


def resting(at_least: float = RESTS) -> np.ndarray:
    """Which heads give the start mark at least this part of their weight: booleans, (6, 12)."""
    return on_start() >= at_least


def numbers() -> dict[str, float]:
    """What the text says of it."""
    betas = {"flat": "0", "half": "0.5", "twice": "2", "hard": "inf"}
    found = {name: cosine(f"beta {factor}") for name, factor in betas.items()}
    for weights in ("sparsemax", "entmax"):
        found[f"{weights}_scaled"] = cosine(f"{weights} {best_factor(weights):g}")
    found["sigmoid"] = cosine("sigmoid_weights")
    found["sigmoid_renormalised"] = cosine("sigmoid_weights renormalised")
    found |= {"without_previous": 1 - lost("zero")[0, 2], "without_it": 1 - lost("zero")[3, 1]}
    found |= {"without_median": 1 - np.median(lost("zero")), "similar_own": right("own", "similar").mean()}
    return {f"encoder_{name}": float(value) for name, value in found.items()}
