"""The rule that most people think of first: squares of the positive scores, over their sum."""

import numpy as np


def squares(scores):
    """The square of each positive score, over their sum, along the last axis; zeros if none is positive."""
    grown = np.maximum(scores, 0.0) ** 2
    total = grown.sum(axis=-1, keepdims=True)
    return grown / np.where(total > 0, total, 1.0)
