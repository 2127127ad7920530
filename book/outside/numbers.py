"""The numbers in the text of the chapter *outside*."""

import numpy as np

from book.outside.checks import s
from lib import attention, linear_attention, relu_norm, softmax


def numbers():
    draws = np.random.default_rng(3)
    keys, queries, eye = draws.normal(size=(32, 4)), draws.normal(size=(32, 4)), np.eye(32)
    unit = keys / np.linalg.norm(keys, axis=1, keepdims=True)

    def error(output):
        return ((output - eye) ** 2).sum() / 32

    return {
        "cat": softmax(s)[1],
        "total": s[s > 0].sum(),
        "below": -s.min(),
        "before": relu_norm(s)[1],
        "raised": (s + 3).sum(),
        "after": relu_norm(s + 3)[1],
        "bar": np.log(1000),
        "relu_rank": np.linalg.matrix_rank(relu_norm(queries @ keys.T)),
        "soft_error": error(attention(unit, unit, eye, beta=10)),
        "linear_error": error(linear_attention(unit, unit, eye)),
        "silence": -np.log(49),
    }
