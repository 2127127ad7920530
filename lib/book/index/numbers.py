"""The numbers in the text of the first page."""

import numpy as np

from lib import kl_divergence, softmax
from lib.book.example import SCORES


def numbers():
    even = np.full(7, 1 / 7)
    return {"kl": kl_divergence(softmax(np.array(SCORES)), even), "most": np.log(7)}
