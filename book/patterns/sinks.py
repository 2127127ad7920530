"""What the encoder's heads at rest are missed for, from the results that are kept: `book.encoder`."""

import numpy as np

from book import encoder

INNER = (2, 3, 4, 5)  # layers with heads at rest and a layer above; those of the last go straight into the vector
LAST = (6,)


def turned(rest, change, layers=INNER):
    """By how many degrees the vector turns if one head hands over something else, on average over heads.

    The heads are those of `layers` that rest on the start mark, or the others. A head's angle is that of its mean
    cosine over sentences, since only this mean is kept.
    """
    chosen = [layer - 1 for layer in layers]
    degrees = np.degrees(np.arccos(np.clip(1 - encoder.lost(change)[chosen], -1, 1)))
    return float(degrees[encoder.resting()[chosen] == rest].mean())


def length(rest, layers=INNER):
    """How long the start mark's value is, as a part of the length of other tokens' values: (heads,)."""
    chosen = [layer - 1 for layer in layers]
    return encoder.start_length()[chosen][encoder.resting()[chosen] == rest]


def even_over_silent(rest, layers=INNER):
    """How many times as far equal weights turn the vector as silence does."""
    return turned(rest, "uniform", layers) / turned(rest, "zero", layers)
