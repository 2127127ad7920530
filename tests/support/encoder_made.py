"""The pretrained encoder in tests: a small one made at random, and the real one where it is installed."""

import base64
import math
import os

import numpy as np
import pytest

import lib
from book.models import encoder
from book.models import encoder_files as files
from book.models.encoder_files import ENDS, MOST, PIECES, Files

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
MAPS = ["softmax", "entmax", "sparsemax", "sigmoid_weights", "relu_norm"]


def numbers(value):
    """The arrays of a file in float64, as a page has them: {name: array}."""
    raw, at, found = base64.b64decode(value["bytes"]), 0, {}

    def take(kind, count):
        nonlocal at
        array = np.frombuffer(raw, kind, count, at)
        at += array.nbytes
        return array.astype(float)

    for name, about in value["parts"].items():
        shape = about["shape"]
        if len(shape) == 1:
            found[name] = take("<f4", shape[0])
            continue
        blocks = take("i1", math.prod(shape)).reshape(shape[0], -1, about["block"])
        scales = take("<u2", blocks[..., 0].size).reshape(blocks.shape[:2]) * about["unit"]
        found[name] = (blocks * scales[..., None]).reshape(shape)
    assert at == len(raw)
    return found


def weights_of(values):
    """The weights of the model that these files hold, as `book.models.encoder` has them: {name: array}."""
    first = numbers(values["encoder/words"])
    weights = {f"embeddings.LayerNorm.{end}": first[f"norm{kind}"] for kind, end in ENDS.items()}
    weights["embeddings.position_embeddings.weight"] = first["positions"]
    weights["embeddings.token_type_embeddings.weight"] = np.zeros((1, first["positions"].shape[1]))
    rows = [numbers(value)["rows"] for name, value in values.items() if "/rows-" in name]
    weights["embeddings.word_embeddings.weight"] = np.concatenate(rows)
    for layer in range(values["encoder/words"]["sizes"]["layers"]):
        for k, piece in enumerate(PIECES):
            found = numbers(values[f"encoder/layer-{layer + 1}-{k + 1}"])
            for short, long in piece.items():
                for kind, end in ENDS.items():
                    weights[f"encoder.layer.{layer}.{long}.{end}"] = found[f"{short}{kind}"]
    return weights


def small(layers=2, heads=2, inner=128, words=300, seed=30):
    """The files of a small random encoder."""
    generator, d = np.random.default_rng(seed), heads * encoder.WIDTH
    shapes = {"word_embeddings": (words, d), "position_embeddings": (80, d), "token_type_embeddings": (2, d)}
    weights = {f"embeddings.{name}.weight": generator.normal(size=size) for name, size in shapes.items()}
    parts = {f"attention.self.{part}": (d, d) for part in ("query", "key", "value")}
    parts |= {"attention.output.dense": (d, d), "intermediate.dense": (inner, d), "output.dense": (d, inner)}
    parts |= {f"{part}.LayerNorm": (d,) for part in ("attention.output", "output")}
    parts = {f"encoder.layer.{k}.{name}": shape for k in range(layers) for name, shape in parts.items()}
    for name, shape in ({"embeddings.LayerNorm": (d,)} | parts).items():
        matrix = len(shape) > 1
        weights[f"{name}.weight"] = generator.normal(size=shape) / (4 if matrix else 1)
        weights[f"{name}.bias"] = generator.normal(size=shape[:1]) / 4
    vocabulary = [*MARKS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    vocabulary += [f"{a}{b}" for a in LETTERS for b in LETTERS][: words - len(vocabulary)]
    weights = {name: array.astype("f4") for name, array in weights.items()}
    return Files(weights, vocabulary)


def values(of):
    return {name: of.value(name) for name in of.names}


def real():
    """The files of the real model; where it is not installed the test is skipped, unless all has to be there."""
    if files.refusal():
        if os.environ.get("CI") == "true":
            pytest.fail(files.refusal())
        pytest.skip(files.refusal())
    return files.files()


def run(ids, weights, change):
    """What `book.models.encoder` and `lib` make of it: {"layers": [{scores, weights}], "vector"}."""
    x, seen = encoder.embed(ids, weights), []
    scope = change.get("scope", "all")

    def attend(layer, q, k, v):
        scores = q @ k.swapaxes(-1, -2)  # (heads, n, n)
        found = np.empty_like(scores)
        for head, own in enumerate(scores):
            meant = scope == "all" or (scope["layer"], scope.get("head", head + 1)) == (layer + 1, head + 1)
            name, beta = (change.get("map", "softmax"), change.get("beta", 1)) if meant else ("softmax", 1)
            off = meant and (change.get("off") or name == "none")
            options = {"alpha": 1.5} if name == "entmax" else {}
            beta = beta * encoder.WIDTH**-0.5
            found[head] = 0 if off else getattr(lib, name)(own, beta, **options)
        seen.append({"scores": scores, "weights": found})
        return found @ v

    for layer in range(sum(name.endswith("intermediate.dense.bias") for name in weights)):
        x, _ = encoder.run_layer(layer, x, weights, attend)
    return {"layers": seen, "vector": encoder.pooled(x)}


# Under node: a function of {values, text, change}; the values of all files come with the first row.
IN_NODE = """(() => {
  const model = encoder();
  return ({ values = {}, text, change }) => {
    for (const [name, value] of Object.entries(values)) model.add(name, value);
    const { tokens, ids, cut } = model.tokens(text);
    const layers = [];
    let x = model.embed(ids);
    for (let k = 0; k < COUNT; k++) {
      const found = model.layer(k, x, change);
      ({ x } = found);
      layers.push({ weights: Array.from(found.weights), scores: Array.from(found.scores) });
    }
    return { tokens, ids, cut, layers, vector: Array.from(model.pooled(x)) };
  };
})()"""

__all__ = ["IN_NODE", "LETTERS", "MAPS", "MOST", "numbers", "real", "run", "small", "values", "weights_of"]
