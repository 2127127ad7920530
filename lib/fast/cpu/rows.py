"""Find, in one pass over a row, the few entries that can have any weight.

Because of NaN, LLVM takes the maximum of floats one by one; of integers it takes many at a time. So the bits
are read as integers, in which positive floats keep their order and negative ones have the reverse order.
(The loops are `for i in range(len(x))`, since `for v in x` runs six times slower.)
"""

import numpy as np

from .compile import compiled, summing

BLOCK = 32  # entries in a block; its maximum is kept, so that only blocks that can hold weight are read again


@compiled
def block_tops(row, bits, top_bits, tops):
    """Keep the maximum of each block in `tops`; return whether the row has a NaN, and the maximum of the row.

    `bits` and `top_bits` are the same memory as `row` and `tops`, read as integers.
    """
    total, peak = row[0], row[0]
    for b in range(len(tops)):
        block = slice(b * BLOCK, (b + 1) * BLOCK)
        top_bits[b], part = _top(row[block], bits[block])
        total += part
    for b in range(len(tops)):
        peak = max(peak, tops[b])
    has_nan = False
    if total != total:  # a NaN, or inf − inf
        for i in range(len(row)):
            has_nan |= row[i] != row[i]
    return has_nan, peak


@summing
def _top(row, bits):
    """The bits of the maximum, and the sum, which is NaN if an entry is."""
    high, low, total = bits[0], bits[0], row[0]
    for i in range(len(row)):
        high = max(high, bits[i])
        low = min(low, bits[i])
        total += row[i]
    return (high if high >= 0 else low), total  # where all are negative, the order is reversed


@compiled
def at_least(row, tops, floor, index):
    """Write to `index` where `row` is at least `floor`; return how many there are."""
    count = np.uintp(0)  # unsigned, as is i: for signed ones Numba adds code for negative indices
    for b in range(len(tops)):
        if tops[b] >= floor:
            for i in range(np.uint32(b * BLOCK), np.uint32(min((b + 1) * BLOCK, len(row)))):
                index[count] = i  # written each time, and the next overwrites it unless it counts: no branch
                count += np.uintp(row[i] >= floor)
    return np.intp(count)


@compiled
def crowded(row, tops, floor):
    """Whether most of `row` is at least `floor`: then it is quicker to take all of it."""
    for b in range(len(tops)):
        if tops[b] < floor:
            return False
    return 2 * _count_at_least(row, floor) > len(row)


@summing
def _count_at_least(row, floor):
    count = 0
    for i in range(len(row)):
        count += row[i] >= floor
    return count


@compiled
def admit(row, negative, where, prior, out):
    """Copy to `out` the row, or if `negative` its negative, with −∞ for what does not take part.

    An entry does not take part if `where` is False, its prior is 0, or its score is −∞. An empty `where` or
    `prior` means that there is none. A score of +∞ takes part even if `negative` makes it the worst: it becomes
    the lowest finite number. Returns the prior's sum and maximum over what takes part.
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
