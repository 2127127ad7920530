"""The sentence of the chapter as queries, keys and values, two heads and a printed table: all by hand."""

import numpy as np

from book.example import SCORES
from lib import softmax

s = np.array(SCORES)  # (n,)
h = np.array(
    [  # (n, d_model): thing, alive, action, article, link, pointer
        [0, 0, 0, 1, 0, 0],  # the
        [1, 1, 0, 0, 0, 0],  # cat
        [0, 0, 1, 0, 0, 0],  # drank
        [0, 0, 0, 1, 0, 0],  # the
        [1, 0, 0, 0, 0, 0],  # milk
        [0, 0, 0, 0, 1, 0],  # because
        [0, 0, 0, 0, 0, 1],  # it
    ]
)
# Columns: the six of h. Rows, of queries and keys: thing, alive, action, link
W_Q = np.array(
    [
        [0, 0, 2, 1, 0, 1],  # (d, d_model)
        [0, 0, 0, 1, 0, 1],
        [1, 0, 0, 0, 2, 0.5],
        [0, 0, 0, 0, 1, -1],
    ]
)
W_K = np.array(
    [
        [1.5, 0.0, 0.0, 0.2, 0.0, 0.8],  # (d, d_model)
        [0.0, 0.5, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 2.2, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.6, 0.0],
    ]
)
W_V = np.eye(3, 6)  # (d_v, d_model): hand over thing, alive, action
W_O = W_V.T  # (d_model, d_v): and write them back where they came from
# Tokens are rows, so W h for each of them is h @ W.T
q, k, v = h @ W_Q.T, h @ W_K.T, h @ W_V.T  # (n, d), (n, d), (n, d_v)


def in_loops(h, q, k, v, W_O, beta):
    """The update of every token, one number at a time."""
    updated = []
    for stream, query in zip(h, q):
        scores = [sum(a * b for a, b in zip(query, key)) for key in k]
        grown = [np.exp(beta * score) for score in scores]
        output = sum(g / sum(grown) * value for g, value in zip(grown, v))
        updated.append(stream + W_O @ output)
    return np.array(updated)


looks = np.array([[2.0, 0.0], [0.0, 2.0]])  # (heads, keys): cat, milk
heads = softmax(looks)  # (heads, keys), a row of weights for each head
asked = np.array([[2.1, 0.5, -1.2, 3.0], [1.8, -0.3, 2.5, 0.1]])  # the scores
printed = np.array([[0.42, 0.08, 0.02, 0.48], [0.34, 0.04, 0.68, 0.06]])
right = softmax(asked)  # (2, 4), at β = 1
