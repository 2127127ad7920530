"""Scores of all 72 heads of a pretrained encoder for a few sentences: python -m book.models.encoder_heads FOLDER

The figure `book.figures.YourSentence` and the chapter *patterns* are made of them: book/figures/encoder_heads.json
is written anew. `book/models/encoder.py` says what FOLDER is and how to get it. The encoder runs with
`lib.attention` in every layer; where that differs from the plain computation in float64 by more than rounding,
nothing is written.

A row of scores is kept as how far each score is below the row's highest, which is all that softmax, sparsemax and
entmax see of it: as a whole number from 0 to 255 whose square, times a scale that each head has of its own, is
that distance. So scores near the highest, which have the weight, are kept to more digits than those far below. The
highest alone has 0, so that no ties arise. Queries and keys are kept for the heads of OPENED, in half precision.
"""

import json
import sys
from base64 import b64encode
from pathlib import Path

import numpy as np

import lib

from .encoder import HEADS, LAYERS, WIDTH, load

RESULT = Path(__file__).parents[1] / "figures" / "encoder_heads.json"
CAT = "the cat drank the milk because it was {}"
TROPHY = "the trophy does not fit the suitcase because it is too {}"
SENTENCES = {word: (CAT.format(word), ("cat", "milk")) for word in "thirsty hungry tired fresh sweet warm".split()}
SENTENCES["ball"] = ("the dog chased the ball because it was hungry", ("dog", "ball"))
SENTENCES |= {word: (TROPHY.format(word), ("trophy", "suitcase")) for word in ("big", "small")}
OPENED = [(1, 3), (1, 4), (2, 9), (3, 8), (4, 2), (5, 6)]  # (layer, head), counted from 1
MOST = 255
LARGEST_ERROR = 1e-12  # of the vectors, which are of size 1 to 10


def attend(layer, q, k, v):
    """What every layer does, by `lib`."""
    return lib.attention(q, k, v)


def run(text, encoder):
    """Queries and keys of every layer, (6, 12, n, 32) each, and how far `lib` is off the plain computation."""
    vectors, seen = encoder.encode(text, attend)
    plain, _ = encoder.encode(text)
    q, k, _ = (np.stack(parts) for parts in zip(*seen, strict=True))
    return q, k, np.abs(vectors - plain).max()


def in_bytes(scores):
    """How far below the highest of its row each score is: roots, (6, 12, n, n), and scales of heads, (6, 12)."""
    below = scores.max(axis=-1, keepdims=True) - scores
    scale = np.array([float(f"{x:.6g}") for x in (below.max(axis=(-1, -2)) / MOST**2).flat]).reshape(LAYERS, HEADS)
    roots = np.clip(np.round(np.sqrt(below / scale[..., None, None])), 1, MOST)
    return np.where(below > 0, roots, 0).astype(np.uint8), scale


def packed(array):
    return b64encode(array.tobytes()).decode("ascii")


def of_sentence(text, nouns, encoder):
    """What is kept of a sentence, and by how much its weights are off at the model's own β."""
    q, k, off = run(text, encoder)
    if not off < LARGEST_ERROR:
        raise SystemExit(f"lib.attention is off by {off:.1e}; nothing is written")
    scores = q @ k.swapaxes(-1, -2)  # (6, 12, n, n)
    roots, scale = in_bytes(scores)
    kept, exact = (
        lib.softmax(x, WIDTH**-0.5) for x in (-scale[..., None, None] * roots.astype(float) ** 2, scores)
    )
    heads = {f"{i}.{j}": {"q": q[i - 1, j - 1], "k": k[i - 1, j - 1]} for i, j in OPENED}
    made = {
        "text": text,
        "nouns": nouns,
        "tokens": encoder.tokens(text),
        "scale": scale.ravel().tolist(),
        "roots": packed(roots),
        "opened": {
            head: {name: packed(x.astype("<f2")) for name, x in both.items()} for head, both in heads.items()
        },
    }
    print(f"{text}: lib is off by {off:.0e}, the weights kept by up to {np.abs(kept - exact).max():.4f}")
    return made, float(np.abs(kept - exact).max())


def main(folder):
    encoder = load(folder)
    sentences, errors = zip(*(of_sentence(*one, encoder) for one in SENTENCES.values()), strict=True)
    made = {
        **encoder.about("book/models/encoder_heads.py"),
        **{"layers": LAYERS, "heads": HEADS, "width": WIDTH},
        "weights_off": round(max(errors), 5),
        "sentences": dict(zip(SENTENCES, sentences, strict=True)),
    }
    RESULT.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"wrote {RESULT.name}: {RESULT.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main(*sys.argv[1:])
