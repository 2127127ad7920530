"""The weights that ship, of the model that `copying.py` trains, in int8: to be read with NumPy alone."""

import base64
import json
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("copying.json")


def pack(matrix) -> dict:
    """A matrix as text: whole numbers from −127 to 127, times a scale for each row."""
    matrix = np.asarray(matrix, dtype=np.float64)
    largest = abs(matrix).max(axis=1)
    # Four digits are enough; upwards, so that no entry is over 127.
    scale = [float(f"{1.0001 * x / 127:.4g}") or 1.0 for x in largest]
    rounded = np.rint(matrix / np.array(scale)[:, None])
    if abs(rounded).max() > 127:
        raise ValueError(f"the entries of a matrix are to be finite; got {largest.max()}")
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
