"""Entmax for 1 < α ≤ 2: wᵢ = [zᵢ − τ]₊^p with p = 1/(α − 1), with τ such that the weights sum to 1."""

import numpy as np

from lib.kernels.compile import compiled


@compiled
def threshold(z, tau, alpha, enough):
    """τ, from a value not above it, by Newton's method on ‖[z − τ]₊‖_p = 1, until a step is below `enough`.

    p ≥ 1, so the norm is convex in τ, and from the left no step goes too far. For α > 2 it is not.
    """
    p = 1.0 / (alpha - 1.0)
    for _ in range(60):
        total, slope = _sums(z, tau, p)
        step = (total - total ** (1.0 - 1.0 / p)) / slope
        tau += step
        if step < enough:
            break
    return tau


@compiled
def _sums(z, tau, p):
    total, slope = 0.0, 0.0
    for i in range(len(z)):
        x = z[i] - tau
        if x > 0.0:
            power = np.exp2((p - 1.0) * np.log2(x))  # half the time of x**(p − 1)
            slope += power
            total += power * x
    return total, slope
