"""How spread scores are, and how far a small step in them moves the weights."""

import numpy as np
import torch
from torch import nn

from lib import softmax, softmax_jacobian
from lib.figures.tell import score_sum


def sensitivity(scores, beta=1.0):
    """How far a small step of length 1 in βs can move the weights: the largest eigenvalue of ∂π/∂(βs).

    >>> sensitivity([0.0, 0.0])  # nothing is more sensitive than two tokens that share
    0.5
    """
    return float(largest_factor(softmax(np.array(scores, dtype=float), beta)))


def largest_factor(weights):
    """The largest eigenvalue of diag(π) − ππᵀ, for each row of weights.

    >>> largest_factor(np.array([[0.5, 0.5], [1.0, 0.0]])).tolist()
    [0.5, 0.0]
    """
    return np.linalg.eigvalsh(softmax_jacobian(weights))[..., -1]


def product_variance(d, mean=0.0):
    """The variance of q·k, whose 2d components are independent, of variance 1 and skewed: 2 or −½, plus `mean`.

    >>> print(f"{product_variance(3):.6f}, {product_variance(3, mean=0.5):.6f}")
    3.000000, 4.500000
    """
    values, chances = np.array([2.0, -0.5]) + mean, np.array([0.2, 0.8])
    products, joint = (np.multiply.outer(x, x).ravel() for x in (values, chances))
    sums, p = score_sum(products, joint, d, unit=0.25)
    return p @ sums**2 - (p @ sums) ** 2


def starting_spread(layer, d=64, d_model=512, tokens=64):
    """The spread of q·k/√d as torch makes `layer` ("MultiheadAttention" or "Linear"), before any training.

    Its inputs have independent components with mean 0 and variance 1.
    """
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        h = torch.randn(tokens, d_model)
        if layer == "MultiheadAttention":
            both = nn.MultiheadAttention(d_model, d_model // d).in_proj_weight[: 2 * d_model]
            q, k = (h @ both.T).chunk(2, dim=-1)  # (tokens, d_model) each
        else:
            q, k = nn.Linear(d_model, d_model)(h), nn.Linear(d_model, d_model)(h)
        q, k = (x.reshape(tokens, -1, d).transpose(0, 1) for x in (q, k))  # (heads, tokens, d)
        return float((q @ k.mT / d**0.5).std())


def share_of_loudest(gradients, part=0.1):
    """Which share of the sum of all gradients the largest `part` of them has.

    >>> print(f"{share_of_loudest([1.0] * 9 + [11.0]):.2f}")
    0.55
    """
    ordered = np.sort(gradients)
    return float(ordered[-round(part * len(ordered)) :].sum() / ordered.sum())


def times_undivided(d, variance, n=16, runs=501, seed=0):
    """How many times larger the typical gradient ∂π/∂q is without the division, for components of any variance.

    The components of queries and keys are normal; each query has `n` keys of its own.

    >>> print(f"{times_undivided(1, 0.5):.1f}")  # at width 1 there is nothing to divide by
    1.0
    """
    draw = np.random.default_rng(seed)
    q, k = (variance**0.5 * draw.standard_normal((runs, rows, d)) for rows in (1, n))
    scores = (q @ k.mT)[:, 0]  # (runs, 1, d) @ (runs, d, n) -> (runs, n)

    def typical(beta):
        return np.median(np.linalg.norm(beta * softmax_jacobian(softmax(scores, beta)) @ k, 2, axis=(1, 2)))

    return float(typical(1.0) / typical(d**-0.5))
