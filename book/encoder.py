"""A pretrained encoder with another β, another map or a head less: what `book/models/encoder_maps.py` found.

A change is named as in the results: "beta 0.25" is a quarter of the model's own β in every layer, "sparsemax 0.35"
sparsemax at that part of it, "layer 6 beta inf" hard routing in one layer. Layers and heads are counted from 1.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

# What a head puts out instead: nothing, the mean of all values, the start mark's.
CHANGES = ("zero", "uniform", "start")
RESTS = 0.5  # a head rests on the start mark, if that gets at least this much of its weight, on average; and does
STRONGLY = 0.7  # little else, if it gets this much


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


def interval(change: str) -> float:
    """Half the 95% interval of that average, over sentences."""
    each = cosines(change)
    return float(1.96 * each.std(ddof=1) / len(each) ** 0.5)


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


def layers(factor: str) -> np.ndarray:
    """The mean cosine where β is changed in one layer alone, by "0", "0.25", "4" or "inf": (6,)."""
    return np.array([cosine(f"layer {layer} beta {factor}") for layer in range(1, 7)])


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
    betas = {"flat": "0", "quarter": "0.25", "half": "0.5", "twice": "2", "four_times": "4", "hard": "inf"}
    found = {name: cosine(f"beta {factor}") for name, factor in betas.items()}
    for weights in ("sparsemax", "entmax"):
        factor = best_factor(weights)
        found |= {weights: cosine(f"{weights} 1"), f"{weights}_scaled": cosine(f"{weights} {factor:g}")}
        found[f"{weights}_factor"] = factor
    found["sigmoid"] = cosine("sigmoid_weights")
    found["sigmoid_renormalised"] = cosine("sigmoid_weights renormalised")
    found |= {"plus_one": cosine("softmax_plus_one"), "relu": cosine("relu_norm"), "silent": cosine("silent")}
    sinks, others = resting(STRONGLY), ~resting()
    found |= {"sinks": sinks.sum(), "half_on_start": resting().sum(), "others": others.sum()}
    for change in CHANGES:
        found |= {f"sinks_{change}": lost(change)[sinks].mean(), f"others_{change}": lost(change)[others].mean()}
    found |= {"sinks_length": start_length()[sinks].mean(), "longest_sink": start_length()[sinks].max()}
    found |= {"without_previous": 1 - lost("zero")[0, 2], "without_it": 1 - lost("zero")[3, 1]}
    found |= {"without_most": 1 - lost("zero").max(), "without_median": 1 - float(np.median(lost("zero")))}
    for ranking in made()["right"]:
        for change in ("own", "words", "silent"):
            found[f"{ranking}_{change}"] = right(change, ranking).mean()
    return {f"encoder_{name}": float(value) for name, value in found.items()}
