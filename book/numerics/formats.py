"""Four number formats of torch: where the exponential ends in each, and softmax with every step rounded."""

import math
from decimal import Decimal, localcontext

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


def zero_from(kind):
    """How many points behind the best a weight is 0 for certain, at β = 1: rounded up to a tenth.

    >>> zero_from(torch.float16)
    17.4
    """
    return math.ceil(-10 * ends(kind)[0]) / 10


def neighbours(x, kind):
    """The largest number of a format that is at most x, and the next one."""
    up = torch.tensor(math.inf, dtype=kind)
    near = torch.tensor(float(x), dtype=kind)
    if Decimal(float(near)) > x:
        near = torch.nextafter(near, -up)
    return near, torch.nextafter(near, up)


def numbers_of(kind):
    """All finite numbers of a 16-bit format; of a longer one 100 001 from −1200 to 1200."""
    if kind.itemsize > 2:
        return torch.linspace(-1200, 1200, 100_001, dtype=kind)
    every = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(kind)
    return every[every.isfinite()]


def misplaced(kind, subnormal=True):
    """How many scores have an exponential of 0 or ∞ on the wrong side of the format's two ends."""
    low, high = ends(kind, subnormal)
    (under, above), (inside, outside) = neighbours(low, kind), neighbours(high, kind)
    edges = torch.stack([under, above, inside, outside])
    wrong = 0
    # torch computes long rows and single numbers in different ways.
    for scores in (torch.cat([numbers_of(kind), edges]), *edges):
        grown = scores.exp()
        wrong += ((grown == 0) != (scores <= under)).sum() + (grown.isinf() != (scores >= outside)).sum()
        wrong += grown.isnan().sum()
    return int(wrong)


def in_decimals(scores, beta=1):
    """Softmax of the rows of a matrix in 40 decimal digits, rounded to float64 at the end.

    >>> in_decimals(torch.tensor([[0.0, -1000.0]]))
    tensor([[1., 0.]], dtype=torch.float64)
    """
    with localcontext(prec=40):  # a difference below 10^8 is off by less than 10^-32
        beta, rows = Decimal(beta), [[Decimal(x) for x in row] for row in scores.double().tolist()]
        grown = [[(beta * (x - max(row))).exp() for x in row] for row in rows]
        return torch.tensor([[float(x / sum(row)) for x in row] for row in grown], dtype=torch.float64)


def by_steps(scores, shift=True):
    """Softmax as one writes it by hand, with every step rounded to the format of the scores."""
    if shift:
        scores = scores - scores.max(-1, keepdim=True).values
    grown = torch.exp(scores)
    return grown / grown.sum(-1, keepdim=True)


def rounded(x, kind):
    """Numbers of float64 as a format holds them."""
    return x.to(kind).double()


def with_epsilon(weights, epsilon=1e-12):
    """The entropy with a small number in the logarithm."""
    return -(weights * torch.log(weights + epsilon)).sum(-1)


def added_one_by_one(count, kind):
    """So many ones, added one after another in a format."""
    total, one = torch.zeros((), dtype=kind), torch.ones((), dtype=kind)
    for _ in range(count):
        total = total + one
    return float(total)
