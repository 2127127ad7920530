"""x^p as 2^(p · log₂ x), both by series: LLVM does arithmetic for several x at once, library calls one by one."""

import math

import numpy as np

from .compile import contracting

# On the intervals on which the series are used, the first term left out is below 2^-53 of the first.
LOG2 = tuple(2 / math.log(2) / (2 * k + 1) for k in range(10))  # log₂((1 + t)/(1 − t)) = t · Σ cₖ t²ᵏ
EXP2 = tuple(math.log(2) ** k / math.factorial(k) for k in range(14))  # 2^y = Σ cₖ yᵏ
HALF = int(np.float64(math.sqrt(0.5)).view(np.int64))  # √½ as bits
SMALLEST = -1022.0  # the exponent of the smallest normal number


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
    y = p * _log2(x)  # for any x, to choose afterwards: LLVM would take a branch one x at a time
    result = _exp2(max(y, SMALLEST))
    return result if x > 0.0 and y > SMALLEST else 0.0


@contracting
def logarithm(x):
    """The natural logarithm of x ≥ 0, but that of the smallest normal number instead of anything less."""
    return math.log(2) * max(_log2(x) if x > 0.0 else SMALLEST, SMALLEST)


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


@contracting
def _polynomial(c, x):
    """Σ cₖ xᵏ, an even number of terms; even and odd ones are summed apart: neither sum waits for the other."""
    odd, even, square = c[-1], c[-2], x * x
    for k in range(len(c) - 3, 0, -2):
        odd = odd * square + c[k]
        even = even * square + c[k - 1]
    return odd * x + even
