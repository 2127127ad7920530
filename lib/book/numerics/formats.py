"""Four number formats of torch: where the exponential ends in each, and softmax with every step rounded."""

import math
from decimal import Decimal

import torch

KINDS = {name: getattr(torch, name) for name in ("float64", "float32", "bfloat16", "float16")}


def smallest(kind, subnormal=True):
    """The smallest positive number of a format, or the smallest that has all its digits."""
    limits = torch.finfo(kind)
    return limits.smallest_normal * (limits.eps if subnormal else 1.0)


def ends(kind, subnormal=True):
    """Below the first number e^s is rounded to 0, above the second it is beyond the largest number; 28 digits."""
    half_of_smallest = Decimal(smallest(kind, subnormal)) / 2
    return half_of_smallest.ln(), Decimal(torch.finfo(kind).max).ln()


def neighbours(x, kind):
    """The largest number of a format that is at most x, and the next one."""
    up = torch.tensor(math.inf, dtype=kind)
    near = torch.tensor(float(x), dtype=kind)
    if Decimal(float(near)) > x:
        near = torch.nextafter(near, -up)
    return near, torch.nextafter(near, up)


def by_steps(scores, shift=True):
    """Softmax as one writes it by hand, with every step rounded to the format of the scores."""
    if shift:
        scores = scores - scores.max(-1, keepdim=True).values
    grown = torch.exp(scores)
    return grown / grown.sum(-1, keepdim=True)


def with_epsilon(weights, epsilon=1e-12):
    """The entropy with a small number in the logarithm."""
    return -(weights * torch.log(weights + epsilon)).sum(-1)


def added_one_by_one(count, kind):
    """So many ones, added one after another in a format."""
    total, one = torch.zeros((), dtype=kind), torch.ones((), dtype=kind)
    for _ in range(count):
        total = total + one
    return float(total)
