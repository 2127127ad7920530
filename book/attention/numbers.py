"""The numbers in the text of the chapter *attention*."""

import numpy as np

from book.attention.by_hand import W_O, asked, h, heads, k, printed, q, right, s, v
from book.example import SCORES
from book.figures.real_head import OWN_BETA, SENTENCE, row_of_it, weights_of_nouns
from lib import softmax


def numbers():
    scores = k @ q[6]  # (n, d) @ (d,) -> (n,)
    grown = np.exp(1.0 * scores)  # (n,), with β = 1
    pi = grown / grown.sum()  # (n,)
    output = pi @ v  # (n,) @ (n, d_v) -> (d_v,)
    new = h[6] + W_O @ output  # (d_model,)
    raised = softmax(np.where(np.arange(7) == 4, 2.0, s))  # milk at 2 points, as cat
    heights = np.array([38.0, 5.0])  # (keys,), the values
    handed = heads @ heights  # (heads,), one number from each head
    unseen = np.array([-heads[0, 1], heads[0, 0]])  # heads[0] @ unseen is 0
    other = heights + 10 * unseen  # (keys,)
    logs = np.log(printed[0, [3, 0]] / printed[0, [0, 1]])
    fits = logs / (asked[0, [3, 0]] - asked[0, [0, 1]])  # β, by two gaps
    assert np.allclose(scores, SCORES)  # the scores of the figure
    assert (abs(right[1] * 1.12 - printed[1]) <= 0.005).all()  # the second row is softmax times its own sum
    assert (abs(right[0, :3] * 1.55 - printed[0, :3]) <= 0.005).all()  # most of the first, times another number
    real = {
        f"real_{word}_{noun}": weight
        for word in ("thirsty", "fresh")
        for noun, weight in weights_of_nouns(SENTENCE.format(word)).items()
    }
    row = row_of_it(SENTENCE.format("thirsty"))
    ahead = np.subtract(*(row["scores"][row["tokens"].index(noun)] for noun in ("cat", "milk")))
    return {
        "real_gap": ahead,
        "real_factor": np.exp(OWN_BETA * ahead),
        "ratio": pi[1] / pi[4],
        "squared": softmax(2 * s)[1] / softmax(2 * s)[4],
        "thing": new[0],
        "alive": new[1],
        "action": new[2],
        "it": s[6],
        "the": s[0],
        "it_the": pi[6] / pi[0],
        "ten": np.log(10) / (s[1] - s[4]),
        "milk": pi[4],
        "lowered": pi[1] / raised[1],
        "there": q[6] @ k[1],
        "back": q[1] @ k[6],
        "mean": handed[0],
        "lower": other[0],
        "taller": other[1],
        "printed_sum": printed[1].sum(),
        "beta_last": fits[0],
        "beta_first": fits[1],
        **real,
    }
