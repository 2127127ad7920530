"""What the scale of the scores does, at the start of training and during it.

Derivatives are taken through `lib.softmax` by autograd: no second formula for them stands here.
"""

from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from scipy.integrate import quad
from torch.func import jacrev, vmap

from lib import softmax
from lib.figures.tell import score_sum


@contextmanager
def _one_thread():
    """Small products: more threads than one only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def winning_beta(n, lead, rest):
    """The β at which one score, `lead` points above n − 1 others that tie, leaves them a weight of `rest`.

    Their odds against it are (n − 1) e^(−β lead), and are to be rest/(1 − rest).

    >>> print(f"{winning_beta(2, lead=1.0, rest=0.5):.0f}, {winning_beta(101, lead=1.0, rest=0.5):.3f}")
    0, 4.605
    """
    return np.log((n - 1) * (1 - rest) / rest) / lead


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
    with _one_thread():
        draw = torch.Generator().manual_seed(d)
        q = torch.randn(runs, d, 1, dtype=torch.float64, generator=draw)
        k = torch.randn(runs, n, d, dtype=torch.float64, generator=draw)
        scores = (k @ q).squeeze(-1)  # (runs, n, d) @ (runs, d, 1) -> (runs, n)
        slope = slopes(scores, beta)
        jacobian = torch.linalg.eigvalsh(slope)[:, -1] / beta  # symmetric, and never negative
        onto = slope @ (k @ k.mT) @ slope.mT  # (runs, n, n): ∂π/∂q is slope @ k, and this its square
        query = torch.linalg.eigvalsh(onto)[:, -1].clamp(min=0).sqrt()
        return Rows(softmax(scores, beta).amax(dim=-1).numpy(), jacobian.numpy(), query.numpy())


def mean_norm_of_two(d, beta):
    """The mean norm of ∂π/∂(βs) for two keys whose scores are independent with variance d, by quadrature."""

    def weighted(x):  # for scores that differ by x, which has variance 2d
        norm = 2 * softmax(np.array([x, 0.0]), beta).prod()
        return norm * np.exp(-x * x / (4 * d)) / np.sqrt(4 * np.pi * d)

    return 2 * quad(weighted, 0, 300, limit=200)[0]


def product_variance(d, mean=0.0):
    """The variance of q·k for 2d independent components of variance 1, skewed: 2 or −½, moved to a mean.

    >>> print(f"{product_variance(3):.6f}, {product_variance(3, mean=0.5):.6f}")
    3.000000, 4.500000
    """
    values, chances = np.array([2.0, -0.5]) + mean, np.array([0.2, 0.8])
    products, joint = (np.multiply.outer(x, x).ravel() for x in (values, chances))
    sums, p = score_sum(products, joint, d, unit=0.25)
    return p @ sums**2 - (p @ sums) ** 2


def dropped(weights, rate, renormalise=False):
    """Every way in which dropout can treat a row: what is left (2ⁿ, n), and the chance of each (2ⁿ,).

    A weight is kept with probability 1 − rate, and then divided by that, as in `lib.attention`.
    """
    n = len(weights)
    kept = np.indices((2,) * n).reshape(n, -1).T  # (2ⁿ, n)
    chances = np.where(kept == 1, 1 - rate, rate).prod(axis=1)
    left = kept * weights / (1 - rate)
    if renormalise:
        total = left.sum(axis=1, keepdims=True)
        left = left / np.where(total == 0, 1, total)
    return left, chances


class Paths(NamedTuple):
    """What training runs leave behind."""

    losses: np.ndarray  # (runs, steps), mean over the seeds
    products: np.ndarray  # (runs, seeds, d, d): β times the learned matrix, at the end


def train(betas, steps_of, scales=1.0, *, steps=100, d=16, n=7, queries=64, seeds=4):
    """Learn where to look by plain gradient descent: one query matrix W, keys and values given.

    Scores are x W k, the output is the weighted value, and wanted is the value of the key that a hidden
    matrix scores best; the loss is half the squared error. Every run has its own β, step size and
    scale of the first W, and is followed on the same `seeds` random problems.
    """
    draw = torch.Generator().manual_seed(0)
    random = {"dtype": torch.float64, "generator": draw}
    x, k = torch.randn(seeds, queries, d, **random), torch.randn(seeds, n, d, **random)
    v = torch.randn(seeds, n, 1, **random)
    hidden, first = torch.randn(2, seeds, d, d, **random) / d**0.5
    best = (x @ hidden @ k.mT).argmax(dim=-1, keepdim=True)  # (seeds, queries, 1)
    wanted = v.gather(-2, best)

    runs = np.broadcast_arrays(betas, steps_of, scales)
    beta, step, scale = (torch.as_tensor(np.array(x, dtype=float))[:, None, None, None] for x in runs)
    w, losses = scale * first, []  # (runs, seeds, d, d)
    with _one_thread():
        for _ in range(steps):
            w.requires_grad_()
            scores = x @ w @ k.mT  # (runs, seeds, queries, n)
            outputs = softmax(scores, beta) @ v  # (runs, seeds, queries, n) @ (seeds, n, 1)
            loss = (outputs - wanted).square().mean(dim=(-2, -1)) / 2  # (runs, seeds)
            losses.append(loss.mean(dim=-1).detach().numpy())
            w = (w - step * torch.autograd.grad(loss.sum(), w)[0]).detach()
    return Paths(np.stack(losses, axis=1), (beta * w).numpy())


@cache
def least_loss(beta):
    """What training leaves of the loss with the best of nine step sizes, from 1/8 to 32 over β²."""
    return train(beta, 2.0 ** np.arange(-3, 6) / beta**2).losses[:, -1].min()
