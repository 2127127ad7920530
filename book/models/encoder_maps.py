"""A pretrained encoder with another β, another map, or a head less: python -m book.models.encoder_maps FOLDER

What comes out is shown in the chapters *patterns* and *experiments*: book/encoder.json is written anew.
`book/models/encoder.py` says what FOLDER is and how to get it. Nothing is trained: the weights of the model stay
as they are, and only what its heads do is changed. For each change, on the triples of `encoder_sentences.py`:

- how near the vector of a sentence stays to what it was: the cosine, for each first sentence of a triple;
- whether the second sentence, which says the same as the first, is nearer to it than others are (`ranks`).

It takes a quarter of an hour on one core. What has been measured is kept in a file, so that Ctrl-C loses nothing
and the same command goes on from there.
"""

import json
import sys
import time
from functools import cache, partial
from itertools import groupby, product
from pathlib import Path

import numpy as np

import lib

from .encoder import HEADS, LAYERS, WIDTH, embed, load, plain_attention, pooled, run_layer
from .encoder_heads import SENTENCES as KEPT
from .encoder_sentences import SENTENCES, TRIPLES

RESULT = Path(__file__).parents[1] / "encoder.json"
PART = Path(__file__).with_name("encoder_maps.part")  # what has been measured so far
OWN = WIDTH**-0.5
INF = float("inf")
FACTORS = [0, 0.25, 0.5, 0.7, 0.8, 0.9, 1.1, 1.25, 1.5, 2, 4, INF]  # of the model's own β
SPARSE_FACTORS = [0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.7, 1]
RANKINGS = ["unrelated", "similar", "all"]
OF_A_LAYER = [0, 0.25, 4, INF]
NAMED = {"previous": [(0, 2)], "it": [(3, 1)]}  # heads, (layer, head) from 0: layer 1, head 3 and layer 4, head 2
OF_TRIPLES = [text for triple in TRIPLES for text in triple]
OF_HEADS = [text for text, _ in KEPT.values()]
EVERY_TEXT = OF_TRIPLES + OF_HEADS
RESTS = 0.5  # a head rests on the start mark, if that gets at least this much of its weight, on average

# --- what heads do instead ------------------------------------------------------------------------


def with_beta(factor, layers=range(LAYERS), **options):
    """Attention at this multiple of the model's own β, in some layers."""

    def attend(layer, q, k, v):
        return lib.attention(q, k, v, beta=OWN * (factor if layer in layers else 1), **options)

    return attend


def renormalised(layer, q, k, v):
    """Sigmoid attention whose weights are divided by their sum."""
    weights = lib.sigmoid_weights(q @ k.swapaxes(-1, -2), OWN)  # (12, n, n)
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def silent(layer, q, k, v):
    """No attention at all."""
    return np.zeros_like(v)


CHANGES = {
    "zero": np.zeros_like,
    "uniform": lambda v: v.mean(axis=-2, keepdims=True),
    "start": lambda v: v[..., :1, :],  # all the weight on the start mark
}


def with_heads(heads, change):
    """The model's own attention, but these heads put out what `CHANGES[change]` makes of their values."""

    def attend(layer, q, k, v):
        out = plain_attention(layer, q, k, v)
        for of_layer, head in heads:
            if of_layer == layer:
                out[..., head, :, :] = CHANGES[change](v[..., head, :, :])
        return out

    return attend


def variants():
    """What is changed in all heads: {name: attend}."""
    found = {f"beta {factor:g}": with_beta(factor) for factor in FACTORS}
    for weights, options in {"entmax": {"alpha": 1.5}, "sparsemax": {}}.items():
        for factor in SPARSE_FACTORS:
            found[f"{weights} {factor:g}"] = with_beta(factor, weights=weights, **options)
    found |= {name: with_beta(1, weights=name) for name in ("sigmoid_weights", "softmax_plus_one", "relu_norm")}
    return found | {"sigmoid_weights renormalised": renormalised, "silent": silent}


# --- what is measured --------------------------------------------------------------------------------


class Measure:
    """The encoder on texts, those of one length together. What comes before the first changed layer is kept."""

    def __init__(self, encoder, texts=EVERY_TEXT):
        self.weights, self.ids = encoder.weights, {text: encoder.ids(text) for text in texts}
        self.start = cache(self.start)
        self.own = self.vectors(texts)  # in the model as it is

    def together(self, texts):
        """These texts in groups of one length."""
        ordered = sorted(texts, key=lambda text: len(self.ids[text]))
        return [tuple(group) for _, group in groupby(ordered, key=lambda text: len(self.ids[text]))]

    def start(self, texts, layer):
        """The vectors with which texts of one length come to a layer, in the model as it is: (texts, n, 384)."""
        if layer == 0:
            return embed([self.ids[text] for text in texts], self.weights)
        return run_layer(layer - 1, self.start(texts, layer - 1), self.weights)[0]

    def vectors(self, texts, attend=plain_attention, first=0):
        """{text: its vector} where `attend` takes over from the layer `first`."""
        found = {}
        for group in self.together(texts):
            x = self.start(group, first)
            for layer in range(first, LAYERS):
                x = run_layer(layer, x, self.weights, attend)[0]
            found |= zip(group, pooled(x), strict=True)
        return found

    def words(self, texts):
        """{text: the mean of the vectors with which its words begin}: no position, no mark, no layer."""
        table = self.weights["embeddings.word_embeddings.weight"]
        return {text: pooled(table[self.ids[text][1:-1]]) for text in texts}

    def cosines(self, texts, attend, first=0):
        """How near to what it was each text's vector stays."""
        vectors = self.vectors(texts, attend, first)
        return [float(self.own[text] @ vectors[text]) for text in texts]

    def of_start(self, texts):
        """What each head gives the start mark, and gets from it, on average over texts: (6, 12) each.

        The first is a part of its weight, the second the length of the mark's value over that of other values.
        """
        share, length = np.zeros((2, LAYERS, HEADS))
        for group in self.together(texts):
            for layer in range(LAYERS):
                q, k, v = run_layer(layer, self.start(group, layer), self.weights)[1]
                weights = lib.softmax(q @ k.swapaxes(-1, -2), OWN)  # (texts, 12, n, n)
                share[layer] += weights[..., 0].mean(axis=-1).sum(axis=0)
                size = np.linalg.norm(v, axis=-1)  # (texts, 12, n)
                length[layer] += (size[..., 0] / size[..., 1:].mean(axis=-1)).sum(axis=0)
        return [(found / len(texts)).tolist() for found in (share, length)]


def ranks(vectors):
    """For each triple, 1 if its second sentence, which says the same as the first, is nearer to it than others.

    "unrelated": than the first sentence of the next triple. "similar": than its own third, which shares words with
    the first. "all": than every other triple's second.
    """
    first, second, third = (np.array([vectors[triple[part]] for triple in TRIPLES]) for part in range(3))
    near = first @ second.T  # (triples, triples)
    own = np.diagonal(near)
    others = np.where(np.eye(len(near), dtype=bool), -1, near).max(axis=1)
    rivals = {"unrelated": np.roll(first, -1, axis=0), "similar": third}
    found = {name: own > (first * rival).sum(axis=-1) for name, rival in rivals.items()} | {"all": own > others}
    return {name: right.astype(int).tolist() for name, right in found.items()}


def tasks(measure, done):
    """All that is measured: {name: what does it}. The last need what the first have found, in `done`."""
    found = {"start": lambda: measure.of_start(SENTENCES), "own": lambda: ranks(measure.own)}
    found["words"] = lambda: ranks(measure.words(OF_TRIPLES))

    def whole(attend):
        vectors = measure.vectors(OF_TRIPLES, attend)
        return {
            "cosine": [float(measure.own[text] @ vectors[text]) for text in SENTENCES],
            **ranks(vectors),
        }

    def part(attend, first=0, texts=SENTENCES):
        return measure.cosines(texts, attend, first)

    for name, attend in variants().items():
        found[name] = partial(whole, attend)
    for layer, factor in product(range(LAYERS), OF_A_LAYER):
        found[f"layer {layer + 1} beta {factor:g}"] = partial(part, with_beta(factor, [layer]), layer)
    every = list(product(range(LAYERS), range(HEADS)))
    for change in CHANGES:
        for layer, head in every:
            attend = with_heads([(layer, head)], change)
            found[f"head {layer + 1}.{head + 1} {change}"] = partial(part, attend, layer)
        for group, wanted in {"resting": True, "others": False}.items():
            found[f"{group} {change}"] = lambda change=change, wanted=wanted: part(
                with_heads([one for one in every if (done["start"][0][one[0]][one[1]] >= RESTS) == wanted], change)
            )
    for name, heads in NAMED.items():
        found[f"{name} of heads' sentences"] = partial(part, with_heads(heads, "zero"), texts=OF_HEADS)
    return found


def run(measure):
    """Do what has not been done; say how far it is."""
    done = json.loads(PART.read_text(encoding="utf-8")) if PART.exists() else {}
    todo = tasks(measure, done)
    began, left = time.monotonic(), [name for name in todo if name not in done]
    for k, name in enumerate(left, start=1):
        done[name] = todo[name]()
        PART.write_text(json.dumps(done), encoding="utf-8")
        rest = (time.monotonic() - began) / k * (len(left) - k)
        print(f"\r{k} of {len(left)}: {name}, about {rest / 60:.0f} minutes left ", end="", file=sys.stderr)
    print(file=sys.stderr)
    return done


# --- what is kept --------------------------------------------------------------------------------------


def kept(done):
    """The results as they are written: digits that mean something; of single heads the mean alone."""
    cosines = lambda values: np.round(values, 5).tolist()  # noqa: E731
    lost = lambda name: float(f"{1 - np.mean(done[name]):.3g}")  # noqa: E731
    names = ["own", "words", *variants()]
    heads = [f"{layer + 1}.{head + 1}" for layer, head in product(range(LAYERS), range(HEADS))]
    layers = [f"layer {layer + 1} beta {factor:g}" for layer, factor in product(range(LAYERS), OF_A_LAYER)]
    groups = [f"{group} {change}" for change in CHANGES for group in ("resting", "others")]
    return {
        "right": {
            ranking: {name: "".join(map(str, done[name][ranking])) for name in names} for ranking in RANKINGS
        },
        "cosine": {name: cosines(done[name]["cosine"]) for name in names if "cosine" in done[name]},
        "layers": {name: cosines(done[name]) for name in layers},
        "groups": {name: cosines(done[name]) for name in groups},
        "named": {name: cosines(done[f"{name} of heads' sentences"]) for name in NAMED},
        "on_start": np.round(done["start"][0], 4).ravel().tolist(),
        "start_length": np.round(done["start"][1], 3).ravel().tolist(),
        "lost": {change: [lost(f"head {head} {change}") for head in heads] for change in CHANGES},
    }


def main(folder):
    encoder = load(folder)
    made = {**encoder.about("book/models/encoder_maps.py"), "triples": TRIPLES, **kept(run(Measure(encoder)))}
    RESULT.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"wrote {RESULT.name}: {RESULT.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main(*sys.argv[1:])
