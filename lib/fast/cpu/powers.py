"""x^p as 2^(p · log₂ x), both by series: LLVM does arithmetic for several x at once, library calls one by one."""

import math

import numpy as np

from .compile import compiled, contracting

# On the intervals on which the series are used, the first term left out is below 2^-53 of the first.
LOG2 = tuple(2 / math.log(2) / (2 * k + 1) for k in range(10))  # log₂((1 + t)/(1 − t)) = t · Σ cₖ t²ᵏ
EXP2 = tuple(math.log(2) ** k / math.factorial(k) for k in range(14))  # 2^y = Σ cₖ yᵏ
HALF = int(np.float64(math.sqrt(0.5)).view(np.int64))  # √½ as bits
SMALLEST = -1022.0  # the exponent of the smallest normal number
# The same for float32, with a first term left out below 2^-24 of the first.
SHORT_LOG2 = tuple(np.float32(c) for c in LOG2[:4])
SHORT_EXP2 = tuple(np.float32(c) for c in EXP2[:8])
SHORT_HALF = int(np.float32(math.sqrt(0.5)).view(np.int32))
SHORT_SMALLEST = -126.0


@contracting
def write_powers(x, p, out):
    """Write to `out` the power p of each entry of x, for p ≥ 0: in single precision to a few of its roundings."""
    if x.itemsize == 4 and p != 0.0 and p != 0.5:
        least = least_base(p)
        for i in range(len(x)):
            out[i] = quick_power(x[i], np.float32(p), least)
    else:
        for i in range(len(x)):
            out[i] = power(x[i], p)


@contracting
def power(x, p):
    """x to the p, for x ≥ 0 and p ≥ 0; 0 if x is 0, whatever p is, or if the result is too small."""
    if p == 0.0:
        return 1.0 if x > 0.0 else 0.0
    if p == 0.5:
        return math.sqrt(x)
    if p == 1.0:
        return x
    if p == 2.0:
        return x * x
    result = positive_power(np.float64(x), p)
    return result if result > 2.0**SMALLEST else 0.0


@contracting
def logarithm(x):
    """The natural logarithm of x ≥ 0, but that of the smallest normal number instead of anything less."""
    y = _log2(x)
    return math.log(2) * max(y if x > 0.0 else SMALLEST, SMALLEST)


@contracting
def positive_power(x, p):
    """x to the p, but the smallest normal number instead of anything less."""
    y = p * _log2(x)  # for any x, to choose afterwards: LLVM would take a branch one x at a time
    return _exp2(max(y if x > 0.0 else SMALLEST, SMALLEST))


@contracting
def _log2(x):
    """x = 2^e · m with √½ ≤ m < √2; log m from the series in t = (m − 1)/(m + 1)."""
    bits = np.float64(x).view(np.int64)
    e = (bits - HALF) >> 52
    m = np.int64(bits - (e << 52)).view(np.float64)
    t = (m - 1.0) / (m + 1.0)
    return np.float64(np.int32(e)) + t * _polynomial(LOG2, t * t)


@contracting
def _exp2(y):
    """2^y: the whole number nearest to y goes to the exponent, and the series gives the power of the rest."""
    whole = np.rint(y)
    bits = np.float64(_polynomial(EXP2, y - whole)).view(np.int64)
    return np.int64(bits + (np.int64(np.int32(whole)) << 52)).view(np.float64)


@compiled
def least_base(p):
    """The least x for which neither x nor x^p is below the smallest normal number of float32."""
    return np.float32(2.0 ** max(SHORT_SMALLEST, SHORT_SMALLEST / p))


@contracting
def quick_power(x, p, least):
    """x^p for float32 x and p, 0 ≤ x and 0 < p < 20: p roundings of float32 at most, and two; in 0.4 of the time.

    For an x below `least`, which is `least_base(p)`, but not 0, it is about the power of that.
    """
    bits = np.float32(max(x, least)).view(np.int32)
    e = np.int32(np.int32(bits - SHORT_HALF) >> 23)
    m = np.int32(bits - (e << 23)).view(np.float32)
    t = (m - np.float32(1)) / (m + np.float32(1))
    # p · e is up to some hundred, and its last digits count. So p is cut in two: e times the first part is exact.
    coarse = np.rint(p * np.float32(256)) / np.float32(256)
    y = np.float32(e) * coarse
    rest = np.float32(e) * (p - coarse) + p * (t * _polynomial(SHORT_LOG2, t * t))
    whole = np.rint(y + rest)
    bits = np.float32(_polynomial(SHORT_EXP2, (y - whole) + rest)).view(np.int32)
    result = np.int32(bits + (np.int32(whole) << 23)).view(np.float32)
    return result if x > 0 else np.float32(0)


@contracting
def _polynomial(c, x):
    """Σ cₖ xᵏ, an even number of terms; even and odd ones are summed apart: neither sum waits for the other."""
    odd, even, square = c[-1], c[-2], x * x
    for k in range(len(c) - 3, 0, -2):
        odd = odd * square + c[k]
        even = even * square + c[k - 1]
    return odd * x + even
