"""Entmax with α = 3/2: wᵢ = [zᵢ − τ]₊², with τ such that the weights sum to 1."""

import math

from lib.kernels.compile import compiled


@compiled
def threshold(z, tau, enough):
    """τ, from a value not above it, by Newton's method on ‖[z − τ]₊‖₂ = 1, until a step is below `enough`.

    The norm is convex in τ, so from the left no step goes too far; and it is closer to a straight line
    than the sum of the weights, so few are needed: four to six.
    """
    for _ in range(60):
        total, slope = _sums(z, tau)
        step = (total - math.sqrt(total)) / slope
        tau += step
        if step < enough:
            break
    return tau


@compiled
def _sums(z, tau):
    total, slope = 0.0, 0.0
    for i in range(len(z)):
        x = max(z[i] - tau, 0.0)
        total += x * x
        slope += x
    return total, slope
