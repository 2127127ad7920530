"""From scores to weights on a GPU: the steps that rows and attention share, for tiles of any shape.

With z = (α − 1) β (score − highest score), and what a prior adds to it, the weights are [z − τ]₊^(1/(α − 1)), and
τ is such that they sum to 1. For β < 0 the scores change sign, so that the best is the highest; what does not
take part is −inf. A row may be *shared* instead, in proportion to the prior: at β = 0 among all that takes part,
at β = ±inf and for scores of +inf among the best.
"""

import triton
import triton.language as tl

INF = tl.constexpr(float("inf"))
LARGEST = tl.constexpr(3.4028234663852886e38)  # float32
LARGE = tl.constexpr(LARGEST.value * 2.0**-25)  # above this a gap between two scores may overflow
SMALLEST = tl.constexpr(2.0**-149)  # float32


@triton.jit
def best_highest(s, taking, negative):
    """Scores with their sign changed where β is negative, −inf where they do not take part."""
    s = tl.where(negative, tl.where(s == INF, -LARGEST, -s), s)  # +inf is the worst, but better than nothing
    return tl.where(taking, s, -INF)


@triton.jit
def kind_of_row(beta, peak, ALPHA: tl.constexpr):
    """What β (float64) and the highest score (NaN if there is a NaN) say of a row.

    Returns its rate (α − 1)|β|, in float64; the `ground` that its scores are measured from; `per_unit`, by which
    they are multiplied, which is 1/2 where a gap could overflow (the rate is then doubled); whether it is shared;
    and from which score on the prior counts: from the best if only those share, else from any.
    """
    rate = tl.abs(beta) * (ALPHA - 1)
    shared = (rate == 0) | (rate == INF) | (peak == INF) | (peak == -LARGEST)  # the last: all are +inf, β < 0
    floor = tl.where(shared & (rate != 0), peak, -LARGEST)
    per_unit = tl.where(peak > LARGE, 0.5, 1.0)
    rate = tl.minimum(tl.maximum(rate / per_unit, SMALLEST), LARGEST)
    ground = tl.where(tl.abs(peak) < INF, peak, 0.0) * per_unit
    return rate, ground, per_unit, shared & (peak > -INF), floor


@triton.jit
def heights(s, log_u, rate, ground, per_unit, log_mass, ALPHA: tl.constexpr, PRIOR: tl.constexpr):
    """z, in the dtype of `rate`; `log_u` − `log_mass` is the logarithm of the prior, if there is one."""
    z = rate * (s.to(rate.dtype) * per_unit - ground)
    if PRIOR:
        z += tl.exp((ALPHA - 1) * (log_u - log_mass).to(rate.dtype))
    return z


@triton.jit
def weights_and_rates(x, ALPHA: tl.constexpr):
    """The weights [x]₊^(1/(α − 1)), and the rates weight^(2 − α), 0 where there is no weight."""
    x = tl.maximum(x, 0.0)
    if ALPHA == 2.0:
        return x, tl.where(x > 0, 1.0, 0.0).to(x.dtype)
    elif ALPHA == 1.5:
        return x * x, x
    else:
        rate = tl.exp2((2 - ALPHA) / (ALPHA - 1) * tl.log2(tl.where(x > 0, x, 1.0)))
        rate = tl.where(x > 0, rate, 0.0)
        return rate * x, rate


@triton.jit
def newton_step(total, slope, ALPHA: tl.constexpr):
    """How far Newton's method moves τ, from the sums of weights and of rates: on ‖[z − τ]₊‖ = 1, p = 1/(α − 1).

    This norm is convex in τ, so from the left no step goes past the answer. For α = 2 it is Michelot's algorithm.
    """
    if ALPHA == 2.0:
        aim = tl.full(total.shape, 1.0, total.dtype)
    elif ALPHA == 1.5:
        aim = tl.sqrt(total)
    else:
        aim = tl.exp2((2 - ALPHA) * tl.log2(tl.where(total > 0, total, 1.0)))
    return tl.where(slope > 0, (total - aim) / tl.where(slope > 0, slope, 1.0), 0.0)
