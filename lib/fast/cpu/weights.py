"""Entmax weights of many rows, and their vector-Jacobian product: what is common to every α.

With z = (α − 1) β (score − highest score), an entry needs z > −1 to have any weight. The maxima of the
blocks give a closer bound: the threshold that they would have by themselves is not above that of the row.
Only the entries above it are looked at, and all others get 0. Where most of the row is above it, the whole row
is taken as it lies, so that LLVM works on several entries at once.
"""

import numpy as np

from .compile import PART, compiled, summing
from .powers import logarithm, positive_power, power, write_powers
from .rows import BLOCK, admit, at_least, block_tops, crowded
from .thresholds import (
    exact_threshold,
    near_threshold,
    newton_step,
    threshold,
    threshold_by_moments,
)

STRETCH = 64  # weights that are looked at together: shorter loops would spend most of their time on beginning
HIGHEST = np.finfo(np.float64).max * 2.0**-54  # up to this peak no gap overflows


@compiled
def weigh_rows(start, stop, scores, bits, alpha, beta, where, prior, out, slopes):
    """Write to `out` the weights of the rows from `start` to `stop`, and to `slopes` what `pull_back_rows` needs.

    scores, out (rows, n); bits, the scores' as integers; alpha, beta, slopes (rows,); where and prior (k, n), of
    which row r uses row r mod k, or (1, 0) for none. A slope is the derivative of
    z / (α − 1) in the scores: β, or 0 in a row whose weights a small change of the scores does not move.
    """
    kept = scratch_for(scores[:1], bits[:1])
    for r in range(start, stop):
        out[r] = 0.0
        slopes[r], count = weigh_row(
            scores[r], bits[r], alpha[r], beta[r], where[r % len(where)], prior[r % len(prior)], kept, out[r]
        )
        if count < 0:
            out[r] = np.nan


@compiled
def scratch_for(rows, bits):
    """Scratch for `weigh_row`: index, z, z − τ, maxima of blocks and their bits, a row and its bits."""
    n = rows.shape[1]
    top_bits, copy_bits = np.empty((n + BLOCK - 1) // BLOCK, bits.dtype), np.empty(n, bits.dtype)
    return (
        np.empty(n + 1, np.uint32),
        np.empty(n),
        np.empty(n),
        top_bits.view(rows.dtype),
        top_bits,
        copy_bits.view(rows.dtype),
        copy_bits,
    )


@compiled
def weigh_row(row, bits, alpha, beta, where, u, scratch, weights):
    """Write the weights of a row that are not 0 to `weights`; return the slope and a count.

    The first `count` numbers of `index` say where they are; a few of these places may have weight 0. The count is
    −1 for a row with a NaN. `where` and the prior `u` have length n, or 0 for none.
    """
    n = len(row)
    index, z, x, tops, top_bits, copy, copy_bits = scratch
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
    if HIGHEST < peak < np.inf:  # a gap may overflow: half the scores, at twice the rate, do not
        for i in range(n):
            copy[i] = row[i] / 2
        row, bits, rate = copy[:n], copy_bits[:n], 2 * rate
        _, peak = block_tops(row, bits, top_bits, tops)
    none_finite = beta < 0 and peak == np.finfo(row.dtype).min  # all that takes part has a score of +∞
    if rate == 0 or rate == np.inf or peak == np.inf or none_finite:
        floor = np.finfo(row.dtype).min if rate == 0 else peak
        count = at_least(row, tops, floor, index)
        share_among(weights, index[:count], u)
        return 0.0, count
    return beta, weigh_finite_row(row, tops, peak, rate, alpha, u, total, highest, index, z, x, weights)


@compiled
def weigh_finite_row(row, tops, peak, rate, alpha, u, total, highest, index, z, x, weights):
    """Write the weights that are not 0 of a row in which all that takes part is finite; the rest is −∞.

    Returns the count that `weigh_row` does, with the places in `index`. u is the prior, `total` its sum and
    `highest` its maximum, if there is one; z and x are scratch.
    """
    lift = (highest / total) ** (alpha - 1) if total > 0 else 0.0  # the most that a prior adds to z
    tau, rest = threshold(z[: highest_of_blocks(tops, peak, rate, z)], -1.0, alpha, 0.01)
    tau += rest
    floor = floor_at(peak, (tau - lift) / rate, row)
    whole = crowded(row, tops, floor)
    count = all_of_them(index, len(row)) if whole else at_least(row, tops, floor, index)
    if whole:  # a loop without `index`, through which reading and writing is many times slower
        for i in range(count):
            z[i] = rate * (np.float64(row[i]) - peak)
        tau = max(tau, threshold_by_moments(z[:count], alpha))
    else:
        for k in range(count):
            z[k] = rate * (np.float64(row[index[k]]) - peak)
    if total > 0:
        for k in range(count):
            z[k] += (u[index[k]] / total) ** (alpha - 1)
            tau = max(tau, z[k] - 1)
    # After a step s Newton's next step is about s², or s^(1/(α − 1)) where the slope has a kink. `enough` is the s
    # after which the next step is negligible.
    enough = power(1e-14 if row.itemsize == 4 else 1e-18, max(alpha - 1, 0.5))
    enough = max(enough, 4e-16)  # for α near 2: what is less may be rounding
    row_to_weights(z[:count], tau, alpha, enough, row.itemsize == 4, x[:count])
    if whole:
        weights[:count] = z[:count]
    else:
        for k in range(count):
            weights[index[k]] = z[k]
    return count


@compiled
def row_to_weights(z, tau, alpha, enough, single, x):
    """Turn the row z into its weights, from a `tau` below the highest z; x is scratch.

    For α = 2 and 1.5 `tau` must not be above the threshold.

    Where they are for `single` precision, and powers cost much, those for Newton's last step are the last: they
    become the weights by a series in this step.
    """
    p = 1 / (alpha - 1)
    if single and alpha != 2.0 and alpha != 1.5:
        tau = near_threshold(z, tau, p)
        step = newton_step(*to_powers_above(z, tau, p, x), p)
        if abs(step) < enough:
            move_on(z, x, step, p)
            return
        z[:] = x
        tau, rest = exact_threshold(z, step, alpha, enough)
    else:
        tau, rest = threshold(z, tau, alpha, enough)
    powers_above(z, tau, rest, p)


@compiled
def powers_above(z, tau, rest, p):
    """Turn z into the weights [z − τ − rest]₊^p: a loop of its own, in which LLVM does several at once."""
    for k in range(len(z)):  # not z − (τ + rest): the rounded sum would be too far off for small weights
        z[k] = power(max(z[k] - tau - rest, 0.0), p)


@compiled
def to_powers_above(z, tau, p, x):
    """Write z − τ to x, and turn z into [x]₊^p; return the sum of these, and of the powers p − 1."""
    total, slope = 0.0, 0.0
    for start in range(0, len(z), PART):
        stop = start + PART
        more_total, more_slope = _part_to_powers_above(z[start:stop], tau, p, x[start:stop])
        total += more_total
        slope += more_slope
    return total, slope


@summing
def _part_to_powers_above(z, tau, p, x):
    total, slope = 0.0, 0.0
    for i in range(len(z)):
        x[i] = z[i] - tau
        above = max(x[i], 0.0)
        rate = positive_power(above, p - 1.0)
        z[i] = rate * above
        slope += rate
        total += rate * above
    return total, slope


@compiled
def move_on(w, x, step, p):
    """Turn w = [x]₊^p into [x − step]₊^p, for a small step of any sign."""
    near = max(1000 * abs(step), 1e-300)  # for an x as near to 0 as that the series would not do
    for start in range(0, len(x), PART):
        stop = start + PART
        if _move_part_on(w[start:stop], x[start:stop], step, near, p) > 0:
            for k in range(start, min(stop, len(x))):
                if abs(x[k]) < near:
                    w[k] = power(max(x[k] - step, 0.0), p)


@summing
def _move_part_on(w, x, step, near, p):
    """Multiply w by (1 − step / x)^p, to the third power of step / x; return how many x are too near to 0."""
    second, third = (p - 1) / 2, (p - 2) / 3
    count = 0
    for i in range(len(x)):
        count += abs(x[i]) < near
        t = step / max(x[i], near)
        w[i] *= 1.0 - p * t * (1.0 - second * t * (1.0 - third * t))
    return count


@compiled
def all_of_them(index, n):
    """What `at_least` gives where all n entries are at least the floor."""
    for i in range(n):
        index[i] = i
    return n


@compiled
def highest_of_blocks(tops, peak, rate, z):
    """Write to `z` those of the blocks' maxima, as z, that are above −1; return how many there are."""
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
    """Share all the mass among the entries in `index`, in proportion to the prior `u`, or equally without one."""
    total = 0.0
    for k in range(len(index)):
        total += u[index[k]] if len(u) > 0 else 1.0
    for k in range(len(index)):
        weights[index[k]] = (u[index[k]] if len(u) > 0 else 1.0) / total


@compiled
def pull_back_rows(start, stop, weights, grad, alpha, slopes, out):
    """The vector-Jacobian product of the rows from `start` to `stop`, in the scores, written to `out`.

    With d = w^(2 − α) on the support it is slope · d · (g − ⟨d, g⟩ / Σd). All shapes as in `weigh_rows`.
    """
    d = np.empty(weights.shape[1], weights.dtype)
    for r in range(start, stop):
        w, g, result = weights[r], grad[r], out[r]
        if np.isnan(w[0]):  # then all of them are: a score was
            result[:] = np.nan
            continue
        powers_in_stretches(w, 2 - alpha[r], d)
        slope, mean = slopes[r], average(g, d)
        for i in range(len(g)):
            # for any d, to choose afterwards: LLVM would take a branch one at a time
            x = slope * d[i] * (g[i] - mean)
            result[i] = x if d[i] > 0 else 0.0


@compiled
def pull_back_to_alpha(start, stop, weights, grad, alpha, out):
    """The same in the α of each row: ⟨g, a − d Σa / Σd⟩, a what the weights gain at fixed scores and threshold.

    a = −(d − w + (α − 1) w log w) / (α − 1)², which is −w log²w φ₂((1 − α) log w) of `slope_in_alpha`.
    """
    d = np.empty(weights.shape[1])
    for r in range(start, stop):
        w, g = weights[r], grad[r]
        if np.isnan(w[0]):
            out[r] = np.nan
            continue
        powers_in_stretches(w.astype(np.float64), 2 - alpha[r], d)
        out[r] = gain_in_alpha(w, g, d, alpha[r] - 1)


@summing
def gain_in_alpha(w, g, d, order):
    total, product, gained, gain = 0.0, 0.0, 0.0, 0.0
    for i in range(len(w)):
        x, y = np.float64(w[i]), np.float64(g[i]) if d[i] > 0 else 0.0
        a = d[i] - x + order * x * logarithm(x)
        total += d[i]
        product += d[i] * y
        gained += a
        gain += a * y
    return (product / total * gained - gain) / order**2 if total > 0 else 0.0


@compiled
def powers_in_stretches(w, p, out):
    """Write to `out` the power p of each of the weights, sooner where a whole stretch of them is 0."""
    for start in range(0, len(w), STRETCH):
        stretch = slice(start, start + STRETCH)
        if sum_of(w[stretch]) > 0:
            write_powers(w[stretch], p, out[stretch])
        else:
            out[stretch] = 0.0


@summing
def sum_of(x):
    total = x.dtype.type(0)
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
