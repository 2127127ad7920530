"""Entmax weights of many rows, and their vector-Jacobian product.

With z = (α − 1) β (score − highest score), an entry needs z > −1 to have any weight. The maxima of the
blocks give a closer bound: the threshold that they would have by themselves is not above that of the row.
Only the entries above it are looked at, and all others get 0.
"""

from typing import Any, NamedTuple

import numpy as np

from .compile import compiled, summing
from .powers import logarithm, power
from .thresholds import threshold, to_powers_above

BLOCK = 32  # entries that are looked at together: shorter loops would spend most of their time on beginning
HIGHEST = np.finfo(np.float64).max * 2.0**-54  # up to this peak no gap overflows


class Scratch(NamedTuple):
    """What a thread needs to weigh a row of n scores at most; the result is left in `index` and `weights`."""

    row: Any  # (n,): the scores, −∞ where an entry is not admissible
    tops: Any  # the maximum of each block, as z
    index: Any  # (n + 1,): which entries may have weight
    weights: Any  # (n + 1,): what weights they have, first as z


@compiled
def scratch_for(scores):
    n = scores.shape[1]
    blocks = (n + BLOCK - 1) // BLOCK
    return Scratch(np.empty(n, scores.dtype), np.empty(blocks), np.empty(n + 1, np.uint32), np.empty(n + 1))


@compiled
def weigh_rows(start, stop, scores, alpha, beta, masks, weights, slopes):
    """Write the `weights` of the rows from `start` to `stop`, and to `slopes` what `pull_back_rows` needs.

    scores, weights (rows, n); alpha, beta, slopes (rows,); masks are `where` and the prior, both (k, n), of which
    row r uses row r mod k, or (1, 0) for none.
    """
    scratch, (where, prior) = scratch_for(scores), masks
    for r in range(start, stop):
        mask, u = where[r % len(where)], prior[r % len(prior)]
        slopes[r], count = weigh_row(scores[r], alpha[r], beta[r], mask, u, scratch)
        w = weights[r]
        w[:] = 0.0
        for c in range(count):
            w[scratch.index[c]] = scratch.weights[c]


@compiled
def weigh_row(row, alpha, beta, where, prior, scratch):
    """Leave in `scratch` the weights of a row; return the slope, and how many entries may have weight.

    The slope is the derivative of z / (α − 1) in the scores: β, or 0 in a row whose weights a small change of the
    scores does not move. In a row with a NaN the slope is NaN, and so are the weights of all that is admissible.
    `where` and `prior` have length n, or 0 for none.
    """
    total = highest = 0.0
    if len(where) > 0 or len(prior) > 0 or beta < 0:
        total, highest = write_admissible(row, beta < 0, where, prior, scratch.row)
        row = scratch.row[: len(row)]
    lowest = np.finfo(row.dtype).min
    if has_nan(row):
        count = share(row, lowest, prior, scratch)
        scratch.weights[:count] = np.nan
        return np.nan, count
    peak, rate = write_tops(row, scratch.tops), abs(beta) * (alpha - 1)
    if peak == -np.inf:
        return 0.0, 0
    if HIGHEST < peak < np.inf:  # a gap may overflow: half the scores, at twice the rate, do not
        for i in range(len(row)):
            scratch.row[i] = row[i] / 2
        row = scratch.row[: len(row)]
        peak, rate = write_tops(row, scratch.tops), 2 * rate
    none_finite = beta < 0 and peak == lowest  # all that is admissible has a score of +∞
    if rate == 0 or rate == np.inf or peak == np.inf or none_finite:
        return 0.0, share(row, lowest if rate == 0 else peak, prior, scratch)
    lift = (highest / total) ** (alpha - 1) if total > 0 else 0.0  # the most that a prior adds to z
    count, tau = gather(row, peak, rate, lift, alpha, scratch)
    z = scratch.weights[:count]
    if total > 0:
        for c in range(count):
            z[c] += (prior[scratch.index[c]] / total) ** (alpha - 1)
            tau = max(tau, z[c] - 1)
    # After a step s Newton's next step is about s², or s^(1/(α − 1)) where the slope has a kink. `enough` is the s
    # after which the next step is negligible.
    enough = power(1e-14 if row.itemsize == 4 else 1e-18, max(alpha - 1, 0.5))
    enough = max(enough, 4e-16)  # for α near 2: what is less may be rounding
    tau, rest = threshold(z, tau, 1 / (alpha - 1), enough)
    to_powers_above(z, tau, rest, 1 / (alpha - 1))
    return beta, count


@compiled
def write_admissible(row, negative, where, prior, out):
    """Copy to `out` the row, or if `negative` its negative, with −∞ for what is not admissible.

    A score of +∞ is, even if `negative` makes it the worst: it becomes the lowest finite number. Returns the sum
    and the maximum of the prior over what is admissible.
    """
    total, highest = 0.0, 0.0
    lowest = np.finfo(row.dtype).min
    for i in range(len(row)):
        x = row[i]
        if (len(where) > 0 and not where[i]) or x == -np.inf or (len(prior) > 0 and prior[i] == 0.0):
            out[i] = -np.inf
            continue
        out[i] = x if not negative else lowest if x == np.inf else -x
        if len(prior) > 0:
            total += prior[i]
            highest = max(highest, prior[i])
    return total, highest


@compiled
def has_nan(row):
    total = sum_of(row)
    if total == total:
        return False
    found = False  # or it is inf − inf
    for i in range(len(row)):
        found |= row[i] != row[i]
    return found


@summing
def sum_of(x):
    total = x.dtype.type(0)
    for i in range(len(x)):
        total += x[i]
    return total


@compiled
def write_tops(row, tops):
    """Write the maximum of each block; return that of the row."""
    peak = -np.inf
    for b in range((len(row) + BLOCK - 1) // BLOCK):
        tops[b] = maximum(row[b * BLOCK : (b + 1) * BLOCK])
        peak = max(peak, tops[b])
    return peak


@compiled
def maximum(x):
    """Of the bits, read as integers, LLVM compares many at a time; of floats not, because of NaN.

    As integers positive floats keep their order, and negative ones have the reverse order.
    """
    high = low = np.float64(x[0]).view(np.int64)
    for i in range(len(x)):
        bits = np.float64(x[i]).view(np.int64)
        high = max(high, bits)
        low = min(low, bits)
    return np.int64(high if high >= 0 else low).view(np.float64)


@compiled
def share(row, least, prior, scratch):
    """Share all the mass among the entries not less than `least`, in proportion to the prior, or equally."""
    count, total = 0, 0.0
    for i in range(len(row)):
        if not row[i] < least:
            scratch.index[count] = i
            scratch.weights[count] = prior[i] if len(prior) > 0 else 1.0
            total += scratch.weights[count]
            count += 1
    for c in range(count):
        scratch.weights[c] /= total
    return count


@compiled
def gather(row, peak, rate, lift, alpha, scratch):
    """Leave in `scratch` the z of the entries that can have weight, to which a prior adds `lift` at most.

    Returns how many they are, and a τ that is not above the threshold.
    """
    tops, index, z = scratch.tops[: (len(row) + BLOCK - 1) // BLOCK], scratch.index, scratch.weights
    count = np.uintp(0)  # unsigned, as is i: for signed ones Numba adds code for negative indices
    for b in range(len(tops)):
        top = rate * (tops[b] - peak)
        tops[b] = z[count] = top  # written each time, and the next overwrites it unless it counts: no branch
        count += np.uintp(top > -1)
    tau, rest = threshold(z[:count], -1.0, 1 / (alpha - 1), 0.01)
    tau, count = tau + rest, np.uintp(0)
    for b in range(len(tops)):
        if tops[b] > tau - lift:
            for i in range(np.uint32(b * BLOCK), np.uint32(min((b + 1) * BLOCK, len(row)))):
                x = rate * (row[i] - peak)
                z[count], index[count] = x, i
                count += np.uintp(x > tau - lift)
    # Were all of them at their mean, their powers would sum to less, since x ↦ xᵖ is convex.
    count = np.intp(count)
    return count, max(tau, sum_of(z[:count]) / count - power(1.0 / count, alpha - 1))


@compiled
def pull_back_rows(start, stop, weights, grad, alpha, slopes, out):
    """The vector-Jacobian product of the rows from `start` to `stop`, in the scores, written to `out`.

    With d = w^(2 − α) on the support it is slope · d · (g − ⟨d, g⟩ / Σd). All shapes as in `weigh_rows`.
    """
    d = np.empty(weights.shape[1], weights.dtype)
    for r in range(start, stop):
        slope, g, result = slopes[r], grad[r], out[r]
        if slope != slope:
            result[:] = np.nan
            continue
        write_powers(weights[r], 2 - alpha[r], d)
        mean = average(g, d)
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
    for r in range(start, stop):  # a NaN in a row makes all of these NaN
        write_powers(weights[r], 2 - alpha[r], d)
        out[r] = gain_in_alpha(weights[r], grad[r], d, alpha[r] - 1)


@summing
def gain_in_alpha(w, g, d, alpha_less_1):
    total, product, gained, gain = 0.0, 0.0, 0.0, 0.0
    for i in range(len(w)):
        x, y = np.float64(w[i]), np.float64(g[i]) if d[i] > 0 else 0.0
        a = d[i] - x + alpha_less_1 * x * logarithm(x)
        total += d[i]
        product += d[i] * y
        gained += a
        gain += a * y
    return (product / total * gained - gain) / alpha_less_1**2 if total > 0 else 0.0


@compiled
def write_powers(w, p, out):
    """Write to `out` the power p of each of the weights, sooner where a whole block of them is 0."""
    for start in range(0, len(w), BLOCK):
        block = slice(start, start + BLOCK)
        if sum_of(w[block]) != 0:
            _write_powers(w[block], p, out[block])
        else:
            out[block] = 0.0


@compiled
def _write_powers(w, p, out):
    for i in range(len(w)):
        out[i] = power(w[i], p)


@summing
def average(x, d):
    """⟨d, x⟩ / Σd, the average of x with weights d, whatever x is where d is 0."""
    total, product = 0.0, 0.0
    for k in range(len(x)):
        y = x[k]
        total += d[k]
        product += np.float64(d[k]) * (y if d[k] > 0 else 0.0)
    return product / total
