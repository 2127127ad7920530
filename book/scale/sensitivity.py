"""How spread scores are, how far a small step moves the weights, and how strongly a loss pulls at a query."""

from functools import cache

import numpy as np
import torch
from torch import nn

from book.figures.tell import score_sum
from lib import softmax, softmax_jacobian, softmax_vjp


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
    """How many times larger the median of the largest possible pulls is without the division.

    The components of queries and keys are normal, of any variance; each query has `n` keys of its own.

    >>> print(f"{times_undivided(1, 0.5):.1f}")  # at width 1 there is nothing to divide by
    1.0
    """
    draw = np.random.default_rng(seed)
    q, k = (variance**0.5 * draw.standard_normal((runs, rows, d)) for rows in (1, n))
    scores = (q @ k.mT)[:, 0]  # (runs, 1, d) @ (runs, d, n) -> (runs, n)

    def median(beta):
        return np.median(np.linalg.norm(beta * softmax_jacobian(softmax(scores, beta)) @ k, 2, axis=(1, 2)))

    return float(median(1.0) / median(d**-0.5))


@cache
def loss_gradients(d, n=16, runs=4000, widths=(1, 16, 64), seed=0):
    """How strongly a loss pulls at each of many random queries, divided and not, for values of several widths.

    All components of queries, keys and values are standard normal. The loss is half the squared distance of the
    output from the value of one key, drawn at random; its gradient in the query is ∂L/∂q, and what is returned is
    its length: {(scale, d_v): (runs,)}.

    >>> pulls = loss_gradients(4, n=2, runs=10)
    >>> pulls["divided", 64].shape, len(pulls)
    ((10,), 6)
    """
    draw, at_once = np.random.default_rng(seed), 250
    found = {(scale, width): [] for scale in ("divided", "undivided") for width in widths}
    for first in range(0, runs, at_once):
        many = min(at_once, runs - first)
        q, k = draw.standard_normal((many, 1, d)), draw.standard_normal((many, n, d))
        values, wanted = draw.standard_normal((many, n, max(widths))), draw.integers(n, size=many)
        scores, rows = q @ k.mT, np.arange(many)  # (many, 1, d) @ (many, d, n) -> (many, 1, n)
        for scale, beta in (("divided", d**-0.5), ("undivided", 1.0)):
            weights = softmax(scores, beta)
            for width in widths:
                v = values[..., :width]
                miss = weights @ v - v[rows, wanted][:, None]  # (many, 1, d_v)
                back = softmax_vjp(weights, miss @ v.mT, beta) @ k  # (many, 1, n) @ (many, n, d) -> (many, 1, d)
                found[scale, width].append(np.linalg.norm(back[:, 0], axis=-1))
    return {key: np.concatenate(parts) for key, parts in found.items()}


def loss_ratio(d, n=16, width=1, middle=np.median, **options):
    """How many times as large the gradient of the loss is without the division, in the median or in the mean.

    >>> loss_ratio(1, runs=10)  # at width 1 there is nothing to divide by
    1.0
    """
    pulls = loss_gradients(d, n, **options)
    return float(middle(pulls["undivided", width]) / middle(pulls["divided", width]))


def pull_of_two(q, k, beta):
    """The largest possible pull on a query with two keys, by the formula: √2 β π₁π₂ times their distance.

    >>> round(pull_of_two(np.zeros(3), np.eye(3)[:2], beta=2.0), 9)  # √2 · 2 · ¼ · √2
    1.0
    """
    first, second = softmax(k @ q, beta)
    return float(2**0.5 * beta * first * second * np.linalg.norm(k[0] - k[1]))


def times_for_two(d, lead):
    """How many times as large it is without the division, if the better key leads by `lead` divided points.

    >>> times_for_two(1, 0.4)
    1.0
    """
    divided, undivided = (2 + np.exp(x) + np.exp(-x) for x in (lead, lead * d**0.5))  # 1/π₁π₂
    return float(d**0.5 * divided / undivided)
