"""A small training experiment: how β, the step size and the scale of the first weights act together."""

from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import numpy as np
import torch

from lib import softmax


@contextmanager
def one_thread():
    """Have torch use one thread: on small products several only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Paths(NamedTuple):
    """What training runs leave behind."""

    losses: np.ndarray  # (runs, steps), mean over the seeds
    products: np.ndarray  # (runs, seeds, d, d): β times the learned matrix, at the end


def train(betas, steps_of, scales=1.0, *, steps=100, d=16, n=7, queries=64, seeds=4):
    """Learn where to look by plain gradient descent: one query matrix W, keys and values given.

    Scores are x W k, the output is the weighted value, and the target is the value of the key that a hidden
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
    with one_thread():
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
