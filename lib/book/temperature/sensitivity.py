"""How far a small step in the scores moves the weights, for one row and for many random ones.

Derivatives are taken through `lib.softmax` by autograd: no second formula for them stands here.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from scipy.integrate import quad
from torch.func import jacrev, vmap

from lib import softmax
from lib.book.temperature.training import one_thread
from lib.figures.tell import score_sum


def slopes(scores, beta):
    """∂π/∂s for each row, (runs, n) -> (runs, n, n)."""
    return vmap(jacrev(lambda row: softmax(row, beta)))(scores)


def sensitivity(scores, beta=1.0):
    """How far a small step of length 1 in βs can move the weights: the largest eigenvalue of ∂π/∂(βs).

    >>> sensitivity([0.0, 0.0])  # nothing is more sensitive than two tokens that share
    0.5
    """
    row = torch.as_tensor(np.array(scores, dtype=float))
    return float(torch.linalg.eigvalsh(slopes(row[None], beta))[0, -1] / beta)


class Rows(NamedTuple):
    """What softmax makes of random queries and keys, one number for each query."""

    top: np.ndarray  # (runs,) the largest weight
    jacobian: np.ndarray  # (runs,) spectral norm of ∂π/∂(βs)
    query: np.ndarray  # (runs,) spectral norm of ∂π/∂q


@cache
def random_rows(d, beta, n=16, runs=500):
    """One row of `n` scores q·k for each of `runs` queries, all components independent and standard normal."""
    with one_thread():
        draw = torch.Generator().manual_seed(d)
        q = torch.randn(runs, d, 1, dtype=torch.float64, generator=draw)
        k = torch.randn(runs, n, d, dtype=torch.float64, generator=draw)
        scores = (k @ q).squeeze(-1)  # (runs, n, d) @ (runs, d, 1) -> (runs, n)
        slope = slopes(scores, beta)
        jacobian = torch.linalg.eigvalsh(slope)[:, -1] / beta  # symmetric, and never negative
        onto = slope @ (k @ k.mT) @ slope.mT  # ∂π/∂q is slope @ k; here times its transpose, (runs, n, n)
        query = torch.linalg.eigvalsh(onto)[:, -1].clamp(min=0).sqrt()
        return Rows(softmax(scores, beta).amax(dim=-1).numpy(), jacobian.numpy(), query.numpy())


def mean_norm_of_two(d, beta):
    """The mean norm of ∂π/∂(βs) for two keys whose scores are independent with variance d, by quadrature."""

    def weighted(x):  # for scores that differ by x, which has variance 2d
        norm = 2 * softmax(np.array([x, 0.0]), beta).prod()
        return norm * np.exp(-x * x / (4 * d)) / np.sqrt(4 * np.pi * d)

    return 2 * quad(weighted, 0, 300, limit=200)[0]


def product_variance(d, mean=0.0):
    """The variance of q·k, whose 2d components are independent, of variance 1 and skewed: 2 or −½, plus `mean`.

    >>> print(f"{product_variance(3):.6f}, {product_variance(3, mean=0.5):.6f}")
    3.000000, 4.500000
    """
    values, chances = np.array([2.0, -0.5]) + mean, np.array([0.2, 0.8])
    products, joint = (np.multiply.outer(x, x).ravel() for x in (values, chances))
    sums, p = score_sum(products, joint, d, unit=0.25)
    return p @ sums**2 - (p @ sums) ** 2
