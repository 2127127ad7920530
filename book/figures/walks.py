"""Random queries and keys, term by term: how the score of each word grows as the head gets wider.

The same draws as the figure's page makes, in js/width_math.js. All components are independent and standard normal.
"""

import numpy as np

from .races import HALF, random_numbers

WIDEST = 64  # numbers in a query and in a key


def components(query, words):
    """The components of a random query and of one key for each word, shape (1 + words, `WIDEST`)."""
    first, second = random_numbers(query, 2 * (1 + words) * WIDEST).reshape(-1, 2).T
    drawn = np.sqrt(-2 * np.log(first + HALF)) * np.cos(2 * np.pi * second)
    return drawn.reshape(1 + words, WIDEST)


def walks(query, words):
    """The score of each word with 0, 1, 2 and more of its terms added up, shape (words, 1 + `WIDEST`).

    >>> walks(1, 7).shape, round(float(np.concatenate([walks(k, 7)[:, -1] for k in range(1, 400)]).std()), 1)
    ((7, 65), 8.0)
    """
    q, *keys = components(query, words)
    return np.concatenate([np.zeros((words, 1)), (q * np.array(keys)).cumsum(axis=1)], axis=1)
