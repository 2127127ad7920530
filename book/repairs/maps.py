"""The repairs of softmax as maps from a row of scores to weights, and what they do to training."""

import numpy as np

from book.repairs.measured import CHUNK, capped, chunk_ends, chunked_growth
from book.wishes import broken_wishes
from lib import softmax, softmax_plus_one

WISHES = (1, 2, 3, 4)


def with_sink(scores, sink=0.5):
    """Softmax with one empty place, whose score a model has learned."""
    return softmax_plus_one(scores, sink=sink)


def gated(scores, gate=0.7):
    """Softmax, and then a gate that is open by so much; nothing here depends on the scores."""
    return gate * softmax(scores)


def with_cap(scores, most=3.0):
    """Softmax of scores that have gone through a cap."""
    return softmax(capped(scores, most))


def unit(vectors):
    """Each vector, (..., d), divided by its length."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def normed(q, keys, gain):
    """The scores (n,) of a query (d,) with keys (n, d), all brought to length 1, times the gain."""
    return gain * (unit(keys) @ unit(q))


def with_norm(scores, gain=3.0):
    """QK-norm for keys (score, 2) and the query (1, 0): all keys have the same beside the query."""
    keys = np.stack([scores, np.full_like(scores, 2.0)], axis=-1)  # (..., n, 2)
    return softmax(normed(np.array([1.0, 0.0]), keys, gain))


def scores_of(w_q, w_k, tokens):
    """The scores (n, n) of a head with these matrices, (d, d_model) each."""
    return (tokens @ w_q.T) @ (tokens @ w_k.T).T


def after_clip(scores, part=0.4):
    """What the weights are after QK-clip: all scores of the head are smaller by one factor."""
    return softmax(part * scores)


def growing(scores, trained=7):
    """β grows with the logarithm of the length, and is 1 at the length of training."""
    return softmax(scores, np.log(np.shape(scores)[-1]) / np.log(trained))


def chosen(scores, count=4):
    """Softmax among `count` words alone, chosen by other scores, of which each of up to 8 places has one."""
    others = np.array([8, 3, 1, 7, 0, 6, 2, 5])[: np.shape(scores)[-1]]
    return softmax(scores, where=others >= np.sort(others)[-count])


REPAIRS = {
    "sink": with_sink,
    "gate": gated,
    "cap": with_cap,
    "QK-norm": with_norm,
    "QK-clip": after_clip,
    "log n": growing,
    "chosen keys": chosen,
}


def given_up(rule, rows):
    """The numbers of the wishes that a rule breaks on these rows."""
    breaches = np.array(broken_wishes(rule, rows))
    return set(np.array(WISHES)[~(breaches < 1e-9)].tolist())


def with_lead(n, lead):
    """A row of n scores in which the first leads all others, who are equal, by so many points."""
    return np.where(np.arange(n) == 0, lead, 0.0)


# What β is in a row of n words, of a model that was trained with at most 8192.
TRAINED = CHUNK
BETAS = {
    "one β": lambda n: 1.0,
    "log n": lambda n: max(1.0, np.log(n) / np.log(TRAINED)),  # as Qwen
    "steps": chunked_growth,  # as Llama 4
}
LEAD = np.log(TRAINED - 1)  # points; the leader has half of the weight where training ended
LENGTHS = [2**k for k in range(4, 18)]


def of_the_leader(rule, n, lead=LEAD):
    return softmax(with_lead(n, lead), BETAS[rule](n))[0]


def leader_under_steps(most=10_000_000):
    """The least and the largest weight of that leader under the steps of Llama 4, from 8192 words up to `most`."""
    n = chunk_ends(most)
    weights = 1 / (1 + (n - 1) * np.exp(-chunked_growth(n) * LEAD))
    return float(weights.min()), float(weights.max())


def softpick(scores):
    """Weights of 0 or above, over a sum in which scores below 0 count too."""
    above = np.expm1(scores)
    return np.maximum(above, 0) / abs(above).sum(axis=-1, keepdims=True)
