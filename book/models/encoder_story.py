"""The pronoun in pairs of sentences, in all 72 heads: python -m book.models.encoder_story FOLDER

What comes out is told in the chapter *patterns*: book/encoder_story.json is written anew. `book/models/encoder.py`
says what FOLDER is and how to get it. The pairs are those of `encoder_pairs.py`, none of them left out. For each
sentence the weights of "it" on both nouns are kept; and by how many degrees its vector turns, if another map or
another β is put into all heads.
"""

import json
import sys
from pathlib import Path

import numpy as np

from .encoder import WIDTH, load
from .encoder_maps import silent, with_beta
from .encoder_pairs import PAIRS

# What is put into all heads: the name of a map and how many times the model's own β.
CHANGES = {
    "softmax 0.5": with_beta(0.5),
    "softmax 2": with_beta(2),
    "entmax 1": with_beta(1, weights="entmax", alpha=1.5),
    "sparsemax 1": with_beta(1, weights="sparsemax"),
    "sigmoid_weights 1": with_beta(1, weights="sigmoid_weights"),
    "relu_norm 1": with_beta(1, weights="relu_norm"),
    "none 1": silent,
}
RESULT = Path(__file__).parents[1] / "encoder_story.json"


def sentences():
    """Each sentence with its two nouns, first and second, pair by pair."""
    return [(text.format(word), nouns) for text, nouns, words in PAIRS for word in words]


def places(tokens, word):
    """Where a word stands, which may be in several pieces. It stands there once."""
    for first in range(len(tokens)):
        for last in range(first + 1, len(tokens) + 1):
            if "".join(token.removeprefix("##") for token in tokens[first:last]) == word:
                return range(first, last)
    raise ValueError(f"{word} is not in {tokens}")


def on_nouns(weights, tokens, nouns):
    """The weight of "it" on each of the two nouns, (..., n, n) -> (..., 2)."""
    row = weights[..., tokens.index("it"), :]  # (..., n)
    return np.stack([row[..., list(places(tokens, noun))].sum(axis=-1) for noun in nouns], axis=-1)


def of_sentence(encoder, text, nouns):
    """The weight of "it" on each noun in every head: (6, 12, 2)."""
    _, seen = encoder.encode(text)
    found = []
    for q, k, _ in seen:
        scores = q @ k.swapaxes(-1, -2) / WIDTH**0.5  # (12, n, n)
        mass = np.exp(scores - scores.max(axis=-1, keepdims=True))
        found.append(on_nouns(mass / mass.sum(axis=-1, keepdims=True), encoder.tokens(text), nouns))
    return np.array(found)


def turned(encoder, attend):
    """By how many degrees the vector of each sentence turns, if its heads do this."""
    texts = [text for text, _ in sentences()]
    cosines = [encoder.embedding(text) @ encoder.embedding(text, attend) for text in texts]
    return np.degrees(np.arccos(np.clip(cosines, -1, 1))).round(2).tolist()


def main(folder):
    encoder = load(folder)
    found = np.array([of_sentence(encoder, text, nouns) for text, nouns in sentences()])  # (48, 6, 12, 2)
    whole = np.rint(found * 1_000_000).astype(int)
    made = {
        **encoder.about("book/models/encoder_story.py"),
        "pairs": PAIRS,
        "shape": whole.shape,
        "weights": whole.ravel().tolist(),  # in millionths, so that near ties stay what they are
        "turned": {name: turned(encoder, attend) for name, attend in CHANGES.items()},
    }
    RESULT.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"wrote {RESULT.name}: {RESULT.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main(*sys.argv[1:])
