"""The weights that ship, of the model that `copying.py` trains, in int8: to be read with NumPy alone."""

import base64
import json
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("copying.json")


def pack(matrix) -> dict:
    """A matrix as text: whole numbers from −127 to 127, times a scale for each row."""
    matrix = np.asarray(matrix, dtype=np.float64)
    if not np.isfinite(matrix).all():
        raise ValueError("the entries of a matrix are to be finite; got NaN or infinity")
    # Four digits of a scale are enough: the largest entry of a row is 127 of it, to 0.1.
    scale = [float(f"{x / 127:.4g}") or 1.0 for x in abs(matrix).max(axis=1)]
    rounded = np.rint(matrix / np.array(scale)[:, None])
    data = base64.b64encode(rounded.astype(np.int8).tobytes()).decode()
    return {"shape": list(matrix.shape), "scale": scale, "int8": data}


def unpack(packed: dict) -> np.ndarray:
    """The matrix in float32."""
    entries = np.frombuffer(base64.b64decode(packed["int8"]), dtype=np.int8).reshape(packed["shape"])
    return (entries * np.array(packed["scale"])[:, None]).astype(np.float32)


def load() -> dict:
    """What stands in `copying.json`, the weights unpacked: {"weights": {name: matrix}, "symbols": [...], ...}.

    >>> found = load()
    >>> found["weights"]["layers.1.query"].shape, "".join(found["symbols"])
    ((48, 48), '.abcdefghijklmnopqrstuvwxyz^')
    """
    found = json.loads(FILE.read_text(encoding="utf-8"))
    return found | {"weights": {name: unpack(packed) for name, packed in found["weights"].items()}}
