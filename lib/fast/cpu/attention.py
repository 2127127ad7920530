"""Sparsemax and entmax attention, a few queries at a time: their scores, their weights, and the values they weigh.

The weights of all queries are never held at once. The backward pass computes scores and weights again; after
that it works only on keys that have weight.
"""

from typing import Any, NamedTuple

import numpy as np

from .chance import write_stays
from .compile import compiled, contracting, summing
from .powers import write_powers
from .products import WIDTH, scores_of
from .weights import average, scratch_for, weigh_row

ENTRIES = 1 << 16  # scores held at once, which should stay in a core's own cache


@compiled
def attend_queries(start, stop, q, tiles, v, alpha, beta, sight, chance, bits, out):
    """Write the outputs of the queries from `start` to `stop`, counted through all heads.

    q (heads, n_q, d) and tiles (kv heads, ...) as `scores_of` takes them; v (kv heads, n_k, d_v); head h uses
    kv head h // group. beta (heads, n_q); of `sight` the window is a number, and masks and priors are
    (m, n_q or 1, n_k), or (1, 1, 0) for none; bits, an array of integers of the floats' size; out
    (heads, n_q, d_v).
    """
    n_q, group = q.shape[1], len(q) // len(v)
    scores, kept = room_for(tiles, v, bits)
    r = start
    while r < stop:
        head, first = r // n_q, r % n_q
        last = min(first + len(scores), n_q, first + stop - r)
        score_queries(q, tiles[head // group], head, first, last, sight, scores)
        for i in range(first, last):
            row, result = scores[i - first], out[head, i]
            count, low, _ = weights_of(row, head, i, alpha, beta[head, i], sight, bits, kept)
            result[:] = 0.0 if count >= 0 else np.nan
            if count > 0 and chance.below > 0:
                count = drop_some(head * n_q + i, count, low, chance, kept)
            if count > 0:
                add_values(kept.w[:count], kept.index, v[head // group, low:], result)
        r += last - first


@compiled
def pull_back_queries(start, stop, q, tiles, k, v, alpha, beta, sight, chance, bits, grad, dq, dk, dv):
    """Add to dq, dk and dv the gradient in queries, keys and values that `grad`, that of the output, gives.

    dk and dv have a leading axis of shares. Each task from `start` to `stop` is a kv head with one share of its
    queries, so that no two tasks write to the same place. The rest is as in `attend_queries`.
    """
    n_q, group, shares = q.shape[1], len(q) // len(v), len(dk)
    scores, kept = room_for(tiles, v, bits)
    slopes = np.empty_like(kept.w)
    for task in range(start, stop):
        kv, share = task // shares, task % shares
        for head in range(kv * group, (kv + 1) * group):
            for first in range(share * len(scores), n_q, shares * len(scores)):
                last = min(first + len(scores), n_q)
                score_queries(q, tiles[kv], head, first, last, sight, scores)
                for i in range(first, last):
                    row = scores[i - first]
                    count, low, slope = weights_of(row, head, i, alpha, beta[head, i], sight, bits, kept)
                    if count < 0:
                        spoil_by_nan(head, i, sight, dq[head, i], dk[share, kv], dv[share, kv])
                    if count <= 0:
                        continue
                    w, index, stays = kept.w[:count], kept.index[:count], kept.stays[:count]
                    write_stays(head * n_q + i, index, low, chance, stays)
                    for c in range(count):
                        slopes[c] = stays[c] * w[c]
                    add_to_keys(slopes[:count], index, grad[head, i], dv[share, kv, low:])
                    if slope != 0:
                        pull_back_scores(w, stays, index, alpha, slope, grad[head, i], v[kv, low:], kept.z, slopes)
                        add_to_keys(slopes[:count], index, q[head, i], dk[share, kv, low:])
                        add_values(slopes[:count], index, k[kv, low:], dq[head, i])


class Room(NamedTuple):
    """Scratch of a thread for one query."""

    weigh: Any  # what `weigh_row` needs
    weights: Any  # (n_k,), all 0 between two queries
    index: Any  # the keys that have weight
    w: Any  # the weights of these keys
    stays: Any  # what dropout makes of a weight of 1 of each
    z: Any


@compiled
def room_for(tiles, v, bits):
    """Scratch of a thread: the scores of a few queries, and what one of them needs."""
    n = tiles.shape[1] * np.intp(WIDTH)
    scores = np.empty((max(1, ENTRIES // max(n, 1)), n), v.dtype)
    kept = scratch_for(scores, bits)
    return scores, Room(kept, np.zeros(n, v.dtype), kept[0], np.empty(n, v.dtype), np.empty(n), np.empty(n))


@compiled
def score_queries(q, tiles, head, first, last, sight, scores):
    """The scores of the queries from `first` to `last` with the keys that any of them sees."""
    low, _ = seen_by(head, first, sight)
    _, high = seen_by(head, last - 1, sight)
    scores_of(q[head, first:last], tiles, low, high, scores)


@compiled
def seen_by(head, i, sight):
    """The keys that query i sees: from the first number to before the second, less those masked or of prior 0."""
    after = sight.offset[head] + i + 1
    stop = max(0, min(after, sight.length[head]))
    return min(max(0, after - sight.window), stop), stop


@compiled
def weights_of(row, head, i, alpha, beta, sight, bits, kept):
    """Write to `kept` the keys that have weight for a query, and their weights; return (count, `low`, slope).

    The keys in `kept` are counted from the key `low`. The count is −1 if there is a NaN among the scores.
    """
    low, high = seen_by(head, i, sight)
    if low >= high:
        return 0, low, 0.0
    row, weights = row[low:high], kept.weights
    where = row_of(sight.where, sight.where_of[head], i)[low:high]
    prior = row_of(sight.prior, sight.prior_of[head], i)[low:high]
    slope, candidates = weigh_row(row, row.view(bits.dtype), alpha, beta, where, prior, kept.weigh, weights)
    if candidates < 0:
        return -1, low, 0.0
    count = 0
    for c in range(candidates):
        j = kept.index[c]
        kept.index[count], kept.w[count] = j, weights[j]
        count += weights[j] != 0
        weights[j] = 0
    return count, low, slope


@compiled
def drop_some(query, count, low, chance, kept):
    """Leave in `kept` the keys that stay, with what dropout makes of their weights; return how many they are."""
    write_stays(query, kept.index[:count], low, chance, kept.stays)
    left = 0
    for c in range(count):
        kept.index[left], kept.w[left] = kept.index[c], kept.stays[c] * kept.w[c]
        left += kept.stays[c] > 0
    return left


@compiled
def row_of(x, which, i):
    return x[which, i if x.shape[1] > 1 else 0]


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


@compiled
def pull_back_scores(w, stays, index, alpha, slope, grad, values, g, slopes):
    """Write to `slopes` the gradient in the scores of the keys with weight, from that in the output."""
    for c in range(len(w)):
        g[c] = stays[c] * dot(grad, values[index[c]]) if stays[c] > 0 else 0.0
    write_powers(w, 2 - alpha, slopes)
    mean = average(g[: len(w)], slopes)
    for c in range(len(w)):
        slopes[c] *= slope * (g[c] - mean)


@summing
def dot(x, y):
    total = x.dtype.type(0)
    for e in range(len(x)):
        total += x[e] * y[e]
    return total


@compiled
def spoil_by_nan(head, i, sight, dq, dk, dv):
    """Set to NaN the gradients of a query with a NaN among its scores, and of the keys and values that it sees."""
    low, high = seen_by(head, i, sight)
    where = row_of(sight.where, sight.where_of[head], i)
    prior = row_of(sight.prior, sight.prior_of[head], i)
    dq[:] = np.nan
    for j in range(low, high):
        if (len(where) == 0 or where[j]) and (len(prior) == 0 or prior[j] > 0):
            dk[j] = np.nan
            dv[j] = np.nan
