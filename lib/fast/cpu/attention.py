"""Sparsemax and entmax attention, a few queries at a time: their scores, their weights, and the values they weigh.

The weights of all queries are never held at once. The backward pass computes scores and weights again; after
that it works only on keys that have weight.
"""

from typing import Any, NamedTuple

import numpy as np

from .compile import compiled, contracting, summing
from .dropout import Dropout, write_factors
from .products import WIDTH, scores_of
from .rows import Scratch, average, scratch_for, weigh_row, write_powers

ENTRIES = 1 << 16  # scores held at once, which should stay in a core's own cache


class Masks(NamedTuple):
    """Which keys the queries of each head see. Masks and priors are (m, n_q or 1, n_k), or (1, 1, 0) for none."""

    offset: Any  # (heads,): the position of query 0; no query sees a later key
    window: int  # how many keys it sees at most, up to its own position
    lengths: Any  # (heads,): how many keys are real
    where: Any
    where_of: Any  # (heads,): which of the masks is that of the head
    prior: Any
    prior_of: Any


class Inputs(NamedTuple):
    """What attention is computed from. Head h uses kv head h // group."""

    q: Any  # (heads, n_q, d), d as `scores_of` takes it
    tiles: Any  # (kv heads, ...), the keys as `scores_of` takes them
    k: Any  # (kv heads, n_k, d)
    v: Any  # (kv heads, n_k, d_v)
    alpha: float
    beta: Any  # (heads, n_q)
    masks: Masks
    dropout: Dropout


class Gradients(NamedTuple):
    """That in the output (heads, n_q, d_v), which is known, and those in queries, keys and values, to be added to.

    The last two have a leading axis of shares.
    """

    output: Any
    q: Any
    k: Any
    v: Any


class Room(NamedTuple):
    """What a thread needs for a few queries, and for one of them."""

    scores: Any  # (queries, n_k)
    row: Scratch
    w: Any  # what weights the keys in `row.index` have
    factors: Any  # what dropout multiplies these by
    slopes: Any  # what the gradient multiplies keys and queries by


@compiled
def attend_queries(start, stop, inputs, out):
    """Write the outputs (heads, n_q, d_v) of the queries from `start` to `stop`, counted through all heads."""
    q, v = inputs.q, inputs.v
    n_q, group = q.shape[1], len(q) // len(v)
    room = room_for(inputs)
    r = start
    while r < stop:
        head, first = r // n_q, r % n_q
        last = min(first + len(room.scores), n_q, first + stop - r)
        score_queries(head, first, last, inputs, room.scores)
        for i in range(first, last):
            count, low, _ = weights_of(room.scores[i - first], head, i, inputs, room)
            if inputs.dropout.below > 0:
                for c in range(count):
                    room.w[c] *= room.factors[c]
                count = without_zeros(count, room)
            out[head, i] = 0.0
            add_values(room.w[:count], room.row.index, v[head // group, low:], out[head, i])
        r += last - first


@compiled
def pull_back_queries(start, stop, inputs, gradients):
    """Add to the gradients in queries, keys and values.

    Each task from `start` to `stop` is a kv head with one share of its queries, so that no two tasks write to the
    same place.
    """
    n_q, group, shares = inputs.q.shape[1], len(inputs.q) // len(inputs.v), len(gradients.k)
    room = room_for(inputs)
    step = len(room.scores)
    for task in range(start, stop):
        kv, share = task // shares, task % shares
        for head in range(kv * group, (kv + 1) * group):
            for first in range(share * step, n_q, shares * step):
                last = min(first + step, n_q)
                score_queries(head, first, last, inputs, room.scores)
                for i in range(first, last):
                    pull_back_query(room.scores[i - first], head, i, share, inputs, gradients, room)


@compiled
def pull_back_query(row, head, i, share, inputs, gradients, room):
    kv = head // (len(inputs.q) // len(inputs.v))
    count, low, slope = weights_of(row, head, i, inputs, room)
    w, index, factors, slopes = room.w[:count], room.row.index[:count], room.factors[:count], room.slopes[:count]
    grad, v = gradients.output[head, i], inputs.v[kv, low:]
    for c in range(count):
        slopes[c] = factors[c] * w[c]
    add_to_keys(slopes, index, grad, gradients.v[share, kv, low:])
    if slope == 0 or count == 0:
        return
    for c in range(count):  # now the gradient in the weights
        factors[c] *= dot(grad, v[index[c]]) if factors[c] > 0 else 0.0
    write_powers(w, 2 - inputs.alpha, slopes)
    mean = average(factors, slopes)
    for c in range(count):
        slopes[c] *= slope * (factors[c] - mean)
    add_to_keys(slopes, index, inputs.q[head, i], gradients.k[share, kv, low:])
    add_values(slopes, index, inputs.k[kv, low:], gradients.q[head, i])


@compiled
def room_for(inputs):
    n = inputs.tiles.shape[1] * np.intp(WIDTH)
    scores = np.empty((max(1, ENTRIES // max(n, 1)), n), inputs.v.dtype)
    row = scratch_for(scores)
    return Room(scores, row, np.empty(n, scores.dtype), np.empty(n), np.empty(n, scores.dtype))


@compiled
def score_queries(head, first, last, inputs, scores):
    """The scores of the queries from `first` to `last` with the keys that any of them sees."""
    low, _ = seen_by(head, first, inputs.masks)
    _, high = seen_by(head, last - 1, inputs.masks)
    kv = head // (len(inputs.q) // len(inputs.v))
    scores_of(inputs.q[head, first:last], inputs.tiles[kv], low, high, scores)


@compiled
def seen_by(head, i, masks):
    """The keys that query i sees: from the first number to before the second, less those masked or of prior 0."""
    after = masks.offset[head] + i + 1
    stop = max(0, min(after, masks.lengths[head]))
    return min(max(0, after - masks.window), stop), stop


@compiled
def weights_of(row, head, i, inputs, room):
    """Leave in `room` the keys that have weight for a query, with weights and factors.

    Returns how many they are, the key `low` from which they are counted, and the slope of `weigh_row`.
    """
    masks = inputs.masks
    low, high = seen_by(head, i, masks)
    if low >= high:
        return 0, low, 0.0
    where = row_of(masks.where, masks.where_of[head], i)[low:high]
    prior = row_of(masks.prior, masks.prior_of[head], i)[low:high]
    slope, count = weigh_row(row[low:high], inputs.alpha, inputs.beta[head, i], where, prior, room.row)
    for c in range(count):
        room.w[c] = room.row.weights[c]
    count = without_zeros(count, room)
    write_factors(inputs.dropout, head * inputs.q.shape[1] + i, room.row.index[:count], low, room.factors)
    return count, low, slope


@compiled
def row_of(x, which, i):
    return x[which, i if x.shape[1] > 1 else 0]


@compiled
def without_zeros(count, room):
    """Leave in `room` only the keys whose weights are not 0; return how many they are."""
    left = 0
    for c in range(count):
        w = room.w[c]
        room.row.index[left], room.w[left] = room.row.index[c], w
        left += w != 0
    return left


@contracting
def add_values(w, index, values, out):
    """Add to `out` the values of the keys in `index`, each times its weight: (count,), (n, d_v) -> (d_v,)."""
    pairs = len(w) // 2 * 2
    for c in range(0, pairs, 2):  # two at a time: `out` is read and written half as often
        a, b, first, second = w[c], w[c + 1], values[index[c]], values[index[c + 1]]
        for e in range(len(out)):
            out[e] += a * first[e] + b * second[e]
    for c in range(pairs, len(w)):
        add_multiple(w[c], values[index[c]], out)


@compiled
def add_to_keys(w, index, x, out):
    """Add `x`, times its weight, to the row of `out` of each key in `index`: (count,), (d,) -> (n, d)."""
    for c in range(len(w)):
        add_multiple(w[c], x, out[index[c]])


@contracting
def add_multiple(factor, x, out):
    for e in range(len(out)):
        out[e] += factor * x[e]


@summing
def dot(x, y):
    total = x.dtype.type(0)
    for e in range(len(x)):
        total += x[e] * y[e]
    return total
