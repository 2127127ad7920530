"""Entmax weights of many rows, and their vector-Jacobian product: what is common to every α.

With z = (α − 1) β (score − highest score), an entry needs z > −1 to have any weight. The maxima of the
blocks tell more: the threshold that they would have alone is below that of the row. So those few
entries that exceed it are all that is looked at; the rest of the row is filled with zeros. Where they are
not so few, all of the row is taken as it lies, of which LLVM does several entries at once.
"""

import numpy as np

from lib.kernels.cpu.compile import compiled, summing
from lib.kernels.cpu.powers import power
from lib.kernels.cpu.rows import BLOCK, admit, at_least, block_tops, crowded
from lib.kernels.cpu.thresholds import threshold

HIGHEST = np.finfo(np.float64).max * 2.0**-54  # the peak up to which every gap is a float


@compiled
def weigh_rows(start, stop, scores, bits, alpha, beta, where, prior, out, slopes):
    """Write to `out` the weights of the rows from `start` to `stop`, and to `slopes` what `pull_back_rows` needs.

    scores, out (rows, n); bits, the scores' as integers; beta, slopes (rows,); where and prior (k, n), of
    which row r uses row r mod k, or (1, 0) for none. A slope is that of z / (α − 1) in the scores: β, or 0
    in a row that is not moved by a small change.
    """
    kept = scratch_for(scores[:1], bits[:1])
    for r in range(start, stop):
        out[r] = 0.0
        slopes[r], count = weigh_row(
            scores[r], bits[r], alpha, beta[r], where[r % len(where)], prior[r % len(prior)], kept, out[r]
        )
        if count < 0:
            out[r] = np.nan


@compiled
def scratch_for(rows, bits):
    """What `weigh_row` needs room for: (index, z, maxima of blocks, the same as integers, a row, the same)."""
    n = rows.shape[1]
    top_bits, copy_bits = np.empty((n + BLOCK - 1) // BLOCK, bits.dtype), np.empty(n, bits.dtype)
    return (
        np.empty(n + 1, np.uint32),
        np.empty(n),
        top_bits.view(rows.dtype),
        top_bits,
        copy_bits.view(rows.dtype),
        copy_bits,
    )


@compiled
def weigh_row(row, bits, alpha, beta, where, u, scratch, weights):
    """Write the weights of a row, where they are not 0, to `weights`; return the slope and how many there are.

    Their places are the first of `index`, some of them perhaps with weight 0. Of a row with a NaN there are
    −1. `where` and the prior `u` have length n, or 0 for none.
    """
    n = len(row)
    index, z, tops, top_bits, copy, copy_bits = scratch
    total = highest = 0.0
    if len(where) > 0 or len(u) > 0 or beta < 0:
        total, highest = admit(row, beta < 0, where, u, copy[:n])
        row, bits = copy[:n], copy_bits[:n]
    blocks = (n + BLOCK - 1) // BLOCK
    tops, top_bits = tops[:blocks], top_bits[:blocks]
    has_nan, peak = block_tops(row, bits, top_bits, tops)
    rate = abs(beta) * (alpha - 1)
    if has_nan:
        return 0.0, -1
    if peak == -np.inf:
        return 0.0, 0
    if HIGHEST < peak < np.inf:  # gaps may be beyond the largest float: those of half the scores are not
        for i in range(n):
            copy[i] = row[i] / 2
        row, bits, rate = copy[:n], copy_bits[:n], 2 * rate
        _, peak = block_tops(row, bits, top_bits, tops)
    if rate == 0 or rate == np.inf or peak == np.inf:
        floor = np.finfo(row.dtype).min if rate == 0 else peak
        count = at_least(row, tops, floor, index)
        share_among(weights, index[:count], u)
        return 0.0, count
    return beta, weigh_finite_row(row, tops, peak, rate, alpha, u, total, highest, index, z, weights)


@compiled
def weigh_finite_row(row, tops, peak, rate, alpha, u, total, highest, index, z, weights):
    """Write the weights that are not 0 of a row in which nothing is infinite but what does not take part.

    Returns how many, at most, there are; `index` then says where. u, its sum `total` and maximum `highest`
    belong to the prior, if there is one; z is scratch.
    """
    lift = (highest / total) ** (alpha - 1) if total > 0 else 0.0  # the most that a prior adds to z
    tau, rest = threshold(z[: highest_of_blocks(tops, peak, rate, z)], -1.0, alpha, 0.01)
    tau += rest
    floor = floor_at(peak, (tau - lift) / rate, row)
    whole = crowded(row, tops, floor)
    count = all_of_them(index, len(row)) if whole else at_least(row, tops, floor, index)
    if whole:  # written out, because reading and writing by an index is many times slower
        for i in range(count):
            z[i] = rate * (np.float64(row[i]) - peak)
        tau = max(tau, sum_of(z[:count]) / count - power(1 / count, alpha - 1))  # as if all had their mean
    else:
        for k in range(count):
            z[k] = rate * (np.float64(row[index[k]]) - peak)
    if total > 0:
        for k in range(count):
            z[k] += (u[index[k]] / total) ** (alpha - 1)
            tau = max(tau, z[k] - 1)
    # Newton's next step would be about its square, or where the slope has a kink, its power 1 / (α − 1)
    enough = power(1e-14 if row.itemsize == 4 else 1e-18, max(alpha - 1, 0.5))
    tau, rest = threshold(z[:count], tau, alpha, enough)
    powers_above(z[:count], tau, rest, 1 / (alpha - 1))
    if whole:
        weights[:count] = z[:count]
    else:
        for k in range(count):
            weights[index[k]] = z[k]
    return count


@compiled
def powers_above(z, tau, rest, p):
    """Turn z into the weights [z − τ − rest]₊^p: a loop of its own, in which LLVM does several at once."""
    for k in range(len(z)):  # τ + rest would be rounded, by more than many small weights can bear
        z[k] = power(max(z[k] - tau - rest, 0.0), p)


@compiled
def all_of_them(index, n):
    """What `at_least` gives where all n entries are at least the floor."""
    for i in range(n):
        index[i] = i
    return n


@compiled
def highest_of_blocks(tops, peak, rate, z):
    """Write z of the maxima of the blocks, where above −1, to `z`; return how many there are."""
    count = 0
    for b in range(len(tops)):
        z[count] = rate * (np.float64(tops[b]) - peak)
        count += z[count] > -1
    return count


@compiled
def floor_at(peak, gap, row):
    """`peak + gap`, rounded down in the dtype of `row`."""
    floor = peak + gap
    return row.dtype.type(floor - 2 * np.finfo(row.dtype).eps * (abs(floor) - gap))


@compiled
def share_among(weights, index, u):
    """All the mass to the entries of `index`, in proportion to the prior `u`, or equally without one."""
    total = 0.0
    for k in range(len(index)):
        total += u[index[k]] if len(u) > 0 else 1.0
    for k in range(len(index)):
        weights[index[k]] = (u[index[k]] if len(u) > 0 else 1.0) / total


@compiled
def pull_back_rows(start, stop, weights, bits, grad, alpha, slopes, out):
    """The vector-Jacobian product of the rows from `start` to `stop`, in the scores, written to `out`.

    With d = w^(2 − α) on the support it is slope · d · (g − ⟨d, g⟩ / Σd). All shapes as in `weigh_rows`.
    """
    n = weights.shape[1]
    index, d, part = np.empty(n + 1, np.uint32), np.empty(n, weights.dtype), np.empty(n, grad.dtype)
    top_bits = np.empty((n + BLOCK - 1) // BLOCK, bits.dtype)
    tops = top_bits.view(weights.dtype)
    least = np.nextafter(weights.dtype.type(0.0), weights.dtype.type(1.0))  # the support: any weight at all
    for r in range(start, stop):
        w, g, result = weights[r], grad[r], out[r]
        if np.isnan(sum_of(w)):
            result[:] = np.nan
            continue
        whole = alpha == 2.0 or alpha == 1.5  # d costs less than to look where the support is
        if not whole:
            block_tops(w, bits[r], top_bits, tops)
            whole = crowded(w, tops, least)
        if whole:
            pull_back_row(w, g, slopes[r], alpha, d, result)
            continue
        result[:] = 0.0
        count = at_least(w, tops, least, index)
        for k in range(count):  # nothing else in this loop: so the waits for memory overlap
            part[k] = g[index[k]]
            d[k] = w[index[k]]
        pull_back_row(d[:count], part[:count], slopes[r], alpha, d, part)
        for k in range(count):
            result[index[k]] = part[k]


@compiled
def pull_back_row(w, g, slope, alpha, d, result):
    """What `pull_back_rows` does for a row; d is scratch, and may be w, as `result` may be g."""
    for i in range(len(w)):
        d[i] = power(w[i], 2 - alpha)
    mean = average(g, d)
    for i in range(len(w)):
        x = slope * d[i] * (g[i] - mean)  # first, and then the choice: a branch would be one at a time
        result[i] = x if d[i] > 0 else 0.0


@summing
def sum_of(x):
    total = 0.0
    for k in range(len(x)):
        total += x[k]
    return total


@summing
def average(x, d):
    """⟨d, x⟩ / Σd, the average of x with weights d, whatever x is where d is 0."""
    total, product = 0.0, 0.0
    for k in range(len(x)):
        y = x[k]
        total += d[k]
        product += np.float64(d[k]) * (y if d[k] > 0 else 0.0)
    return product / total
