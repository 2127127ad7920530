"""The threshold of a row: the τ with which its weights [zᵢ − τ]₊^(1/(α − 1)) sum to 1, for 1 < α ≤ 2.

No step goes past the answer from a τ below it. For α = 2 and 1.5 the first τ must not be above it; for other α
it may be, since the tangent of a convex function leads back. τ is returned as two numbers to be added: rounded to
one number, it would be too far off for small weights.
"""

import numpy as np

from .compile import PART, compiled, summing
from .powers import least_base, positive_power, power, quick_power

NEAR = 1e-4  # a step after which the next is small, even if the slope has a kink


@compiled
def threshold_by_moments(z, alpha):
    """Near the threshold of a row z, if its highest is 0 and most have weight; not above it for α = 2 and 1.5.

    Were all entries at their mean, their powers p = 1/(α − 1) would sum to n aᵖ with a = mean − τ: the τ for which
    this is 1 is never above the answer, as x ↦ xᵖ is convex. To second order about the mean the sum is
    n aᵖ (1 + p (p − 1)/2 · variance/a²). The a for which this is 1 is approached from that for a variance of 0, by
    putting the last one into the bracket, four times.
    """
    n, p = len(z), 1.0 / (alpha - 1.0)
    total, squares = _sum_and_squares(z)
    mean, first = total / n, power(1.0 / n, alpha - 1.0)
    if alpha == 2.0 or alpha == 1.5:
        return mean - first
    variance, a = squares / n - mean * mean, first
    for _ in range(4):
        a = power(1.0 / (n * (1.0 + p * (p - 1.0) / 2.0 * variance / (a * a))), alpha - 1.0)
    return min(mean - a, -first)  # no threshold is above −n^(1 − α), that of a row of n times 0


@summing
def _sum_and_squares(z):
    total, squares = 0.0, 0.0
    for i in range(len(z)):
        total += z[i]
        squares += z[i] * z[i]
    return total, squares


@compiled
def in_parts(sums, z, *rest):
    """The two sums of the row z, from those of its parts: so the rounding of a long one stays small."""
    total, other = sums(z[:0], *rest)  # zeros, of the types that they have
    for start in range(0, len(z), PART):
        more, more_other = sums(z[start : start + PART], *rest)
        total += more
        other += more_other
    return total, other


@compiled
def threshold(z, tau, alpha, enough):
    """The threshold of the row z, from a `tau` not above it; Newton's steps end at one shorter than `enough`.

    Where powers cost much, the first steps, which only have to lead near the answer, are computed in float32. They
    may end past it by a rounding: the next step leads back.
    """
    if alpha != 2.0 and alpha != 1.5:
        tau = near_threshold(z, tau, 1.0 / (alpha - 1.0))
    return exact_threshold(z, tau, alpha, enough)


@compiled
def exact_threshold(z, tau, alpha, enough):
    """The threshold by Newton's method on ‖[z − τ]₊‖_p = 1 with p = 1/(α − 1), for 1 < α ≤ 2.

    For p ≥ 1 the norm is convex in τ, so that from the left no step goes too far; for α > 2 it would not be. And
    it is closer to a straight line than the sum of the weights is, so that few steps are needed: four to six. For
    α = 2 it is Michelot's algorithm: a step moves τ up by the excess of the sum over 1, divided by the number of
    entries above τ, which is the answer if they all stay above it. Sixty steps are enough: as for every convex
    function, each divides the product of what is too much and the slope by 4 at least.
    """
    for _ in range(60):
        step = newton_step(*sums_above(z, tau, alpha), 1.0 / (alpha - 1.0))
        if abs(step) < enough:
            break
        tau += step
    return tau, step


@compiled
def sums_above(z, tau, alpha):
    """Σ[z − τ]₊^p and Σ[z − τ]₊^(p − 1)."""
    if alpha == 2.0:
        return in_parts(_sum_and_count, z, tau)
    if alpha == 1.5:
        return in_parts(_squares_and_sum, z, tau)
    return in_parts(_powers_and_slopes, z, tau, 1.0 / (alpha - 1.0))


@summing
def _sum_and_count(z, tau):
    total, count = 0.0, 0.0
    for i in range(len(z)):
        total += max(z[i] - tau, 0.0)
        count += 1.0 if z[i] > tau else 0.0
    return total, count


@summing
def _squares_and_sum(z, tau):
    total, slope = 0.0, 0.0
    for i in range(len(z)):
        x = max(z[i] - tau, 0.0)
        total += x * x
        slope += x
    return total, slope


@compiled
def near_threshold(z, tau, p):
    """A threshold that is off by some roundings of float32 at most, from a `tau` on either side."""
    for _ in range(60):
        step = newton_step(*_nearly_powers_and_slopes(z, tau, np.float32(p - 1.0)), p)
        tau += step
        if abs(step) < NEAR:
            break
    return tau


@compiled
def newton_step(total, slope, p):
    """From Σ[z − τ]₊^p and Σ[z − τ]₊^(p − 1) to the zero of the tangent of ‖[z − τ]₊‖_p − 1."""
    return (total - power(total, 1.0 - 1.0 / p)) / slope


@summing
def _nearly_powers_and_slopes(z, tau, power):
    total, slope, least = np.float32(0), np.float32(0), least_base(power)
    for i in range(len(z)):
        x = np.float32(max(z[i] - tau, 0.0))
        rate = quick_power(x, power, least)
        slope += rate
        total += rate * x
    return np.float64(total), np.float64(slope)


@summing
def _powers_and_slopes(z, tau, p):
    total, slope = 0.0, 0.0
    for i in range(len(z)):
        x = max(z[i] - tau, 0.0)
        rate = positive_power(x, p - 1.0)
        slope += rate
        total += rate * x
    return total, slope
