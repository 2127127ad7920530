"""Softmax over keys that come one after another: a running maximum, a running sum and a running mean."""

import math

import numpy as np

from lib import attention_with_lse, merge_attention

EMPTY = (-math.inf, 0.0, 0.0)


def read(state, score, value, rescale=True):
    """One key more: (maximum, sum of e^(score − maximum), mean of the values) before and after it."""
    highest, total, mean = state
    new = max(highest, score)
    kept = total * (math.exp(highest - new) if rescale or not total else 1.0)
    added = math.exp(score - new)
    return new, kept + added, (kept * mean + added * value) / (kept + added)


def all_of(scores, values):
    """The same three numbers, computed at once."""
    scores, values = np.asarray(scores), np.asarray(values)
    grown = np.exp(scores - scores.max())
    return scores.max(), grown.sum(), grown @ values / grown.sum()


def merged_at_random(q, k, v, rng, by_count=False):
    """Attention over some of the keys each, put together two by two in random order: output and log-sum-exp."""
    cuts = np.sort(rng.choice(np.arange(1, len(k)), size=rng.integers(1, 6), replace=False))
    parts = np.split(rng.permutation(len(k)), cuts)
    done = [attention_with_lse(q, k[part], v[part]) for part in parts]
    if by_count:
        done = [
            (output, np.full_like(lse, np.log(len(part)))) for part, (output, lse) in zip(parts, done, strict=True)
        ]
    while len(done) > 1:
        one, other = (done.pop(rng.integers(len(done))) for _ in range(2))
        done.append(merge_attention(*zip(one, other, strict=True)))
    return done[0]
