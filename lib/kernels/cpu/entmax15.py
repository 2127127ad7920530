"""Entmax with α = 3/2: wᵢ = [zᵢ − τ]₊², with τ such that the weights sum to 1."""

import math

from lib.kernels.cpu.compile import PART, compiled, summing


@compiled
def threshold(z, tau, enough):
    """τ, as a sum of two, by Newton's method on ‖[z − τ]₊‖₂ = 1.

    It starts from a value not above τ and ends at a step below `enough`.

    The norm is convex in τ, so from the left no step goes too far; and it is closer to a straight line
    than the sum of the weights, so few are needed: four to six.
    """
    for _ in range(60):
        total, slope = _sums(z, tau)
        step = (total - math.sqrt(total)) / slope
        if step < enough:
            break
        tau += step
    return tau, step


@compiled
def _sums(z, tau):
    total, slope = 0.0, 0.0
    for start in range(0, len(z), PART):
        more_total, more_slope = _part(z[start : start + PART], tau)
        total += more_total
        slope += more_slope
    return total, slope


@summing
def _part(z, tau):
    total, slope = 0.0, 0.0
    for i in range(len(z)):
        x = max(z[i] - tau, 0.0)
        total += x * x
        slope += x
    return total, slope
