"""The weights that ship, of the model that `copying.py` trains, a character each: to be read with NumPy alone."""

import json
import string
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("copying.json")
LETTERS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"  # "A" is −31, "f" 0, "-" 31
MOST = 31


def pack(matrix) -> dict:
    """A matrix as text: whole numbers from −31 to 31, a letter for each, times a scale for each row."""
    matrix = np.asarray(matrix, dtype=np.float64)
    if not np.isfinite(matrix).all():
        raise ValueError("the entries of a matrix are to be finite; got NaN or infinity")
    # Three digits of a scale are enough: the largest entry of a row is 31 of it, to 0.2.
    scale = [float(f"{x / MOST:.3g}") or 1.0 for x in abs(matrix).max(axis=1)]
    rounded = np.rint(matrix / np.array(scale)[:, None]).astype(int) + MOST
    return {"shape": list(matrix.shape), "scale": scale, "letters": "".join(LETTERS[x] for x in rounded.flat)}


def unpack(packed: dict) -> np.ndarray:
    """The matrix in float32."""
    entries = np.array([LETTERS.index(letter) - MOST for letter in packed["letters"]]).reshape(packed["shape"])
    return (entries * np.array(packed["scale"])[:, None]).astype(np.float32)


def load() -> dict:
    """What stands in `copying.json`, the weights unpacked: {"weights": {name: matrix}, "symbols": [...], ...}.

    >>> found = load()
    >>> found["weights"]["layers.1.query"].shape, "".join(found["symbols"])
    ((48, 48), '.abcdefghijklmnopqrstuvwxyz^')
    """
    found = json.loads(FILE.read_text(encoding="utf-8"))
    return found | {"weights": {name: unpack(packed) for name, packed in found["weights"].items()}}
