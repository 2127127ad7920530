"""The threshold of a row: the τ with which its weights [zᵢ − τ]₊^p sum to 1, for p = 1/(α − 1) and 1 < α ≤ 2."""

from .compile import compiled, summing
from .powers import power


@compiled
def threshold(z, tau, p, enough):
    """The threshold of the row z by Newton's method, from a `tau` not above it, as two numbers to be added.

    Rounded to one number, it would be too far off for small weights. The steps, which end at one shorter than
    `enough`, are those on ‖[z − τ]₊‖_p = 1. For p ≥ 1 this norm is convex in τ, so that from the left no step goes
    too far. And it is closer to a straight line than the sum of the weights is, so that few steps are needed: four
    to six. For α = 2 it is Michelot's algorithm: a step moves τ up by the excess of the sum over 1, divided by the
    number of entries above τ, which is the answer if they all stay above it. Sixty steps are enough: as for every
    convex function, each divides the product of what is too much and the slope by 4 at least.
    """
    step = 0.0
    for _ in range(60):
        total, slope = sums_above(z, tau, p)
        step = (total - power(total, 1.0 - 1.0 / p)) / slope
        if abs(step) < enough:
            break
        tau += step
    return tau, step


@compiled
def sums_above(z, tau, p):
    """Σ[z − τ]₊^p and Σ[z − τ]₊^(p − 1): with a number for p − 1, LLVM makes a loop for it alone."""
    if p == 1.0:
        return _sums_above(z, tau, 0.0)
    if p == 2.0:
        return _sums_above(z, tau, 1.0)
    return _sums_above(z, tau, p - 1.0)


@summing
def _sums_above(z, tau, exponent):
    total, slope = 0.0, 0.0
    for i in range(len(z)):
        x = max(z[i] - tau, 0.0)
        rate = power(x, exponent)
        slope += rate
        total += rate * x
    return total, slope


@compiled
def to_powers_above(z, tau, rest, p):
    """Turn z into the weights [z − τ − rest]₊^p: a loop of its own, in which LLVM does several at once."""
    for k in range(len(z)):  # not z − (τ + rest): the rounded sum would be too far off for small weights
        z[k] = power(max(z[k] - tau - rest, 0.0), p)
