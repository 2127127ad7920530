"""Entmax for 1 < α ≤ 2: wᵢ = [zᵢ − τ]₊^p with p = 1/(α − 1), with τ such that the weights sum to 1."""

from lib.kernels.cpu.compile import PART, compiled, summing
from lib.kernels.cpu.power import positive_power


@compiled
def threshold(z, tau, alpha, enough):
    """τ, as a sum of two, by Newton's method on ‖[z − τ]₊‖_p = 1.

    It starts from a value not above τ and ends at a step below `enough`.

    p ≥ 1, so the norm is convex in τ, and from the left no step goes too far. For α > 2 it is not.
    """
    p = 1.0 / (alpha - 1.0)
    for _ in range(60):
        total, slope = _sums(z, tau, p)
        step = (total - total ** (1.0 - 1.0 / p)) / slope
        if step < enough:
            break
        tau += step
    return tau, step


@compiled
def _sums(z, tau, p):
    total, slope = 0.0, 0.0
    for start in range(0, len(z), PART):
        more_total, more_slope = _part(z[start : start + PART], tau, p)
        total += more_total
        slope += more_slope
    return total, slope


@summing
def _part(z, tau, p):
    total, slope = 0.0, 0.0
    for i in range(len(z)):
        x = max(z[i] - tau, 0.0)
        rate = positive_power(x, p - 1.0)
        slope += rate
        total += rate * x
    return total, slope
