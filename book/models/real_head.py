"""Queries and keys of one head of a pretrained encoder: python -m book.models.real_head FOLDER

The figure `book.figures.RealHead` is drawn from them: book/figures/real_head.json is written anew.
`book/models/encoder.py` says what FOLDER is and how to get it.
"""

import json
import sys
from pathlib import Path

from .encoder import HEADS, LAYERS, WIDTH, load

RESULT = Path(__file__).parents[1] / "figures" / "real_head.json"
LAYER, HEAD = 4, 2  # counted from 1
WORDS = ["thirsty", "hungry", "tired", "fresh", "sweet", "warm"]
SENTENCES = {f"the cat drank the milk because it was {word}": ("cat", "milk") for word in WORDS}
# Where the head does not tell them apart.
SENTENCES["the dog chased the ball because it was hungry"] = ("dog", "ball")
DIGITS = 4  # decimals kept


def of_sentence(text, nouns, encoder):
    """The head's queries and keys for a sentence, and which two nouns "it" may stand for."""
    q, k, _ = (x[HEAD - 1].round(DIGITS).tolist() for x in encoder.encode(text)[1][LAYER - 1])  # (n, 32) each
    return {"text": text, "nouns": nouns, "tokens": encoder.tokens(text), "q": q, "k": k}


def main(folder):
    encoder = load(folder)
    made = {
        **encoder.about("book/models/real_head.py"),
        **{"layer": LAYER, "layers": LAYERS, "head": HEAD, "heads": HEADS, "width": WIDTH},
        "sentences": [of_sentence(text, nouns, encoder) for text, nouns in SENTENCES.items()],
    }
    RESULT.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"wrote {RESULT.name}: {RESULT.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main(*sys.argv[1:])
