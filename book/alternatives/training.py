"""A small task that one head of attention can learn: find the key that belongs to a query."""

import functools

import numpy as np
import torch

from lib import attention

N, D = 7, 8  # keys in a row, and numbers in a key


def rows(count, turn, draws):
    """Queries (count, 1, D), keys (count, N, D), values (count, N, 1), and the value that each query means."""
    keys, values = torch.randn(count, N, D, generator=draws), torch.randn(count, N, 1, generator=draws)
    meant = torch.randint(N, (count, 1, 1), generator=draws)
    query = keys.gather(1, meant.expand(-1, 1, D)) @ turn
    return query, keys, values, values.gather(1, meant)


@functools.cache
def error_after_training(weights, steps, seed=1):
    """The squared error on new rows of a head that began with a small random matrix, over that of even weights."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # for arrays this small, to share the work takes longer than to do it
    try:
        return _train(weights, steps, seed)
    finally:
        torch.set_num_threads(threads)


def _train(weights, steps, seed):
    draws = torch.Generator().manual_seed(seed)
    turn = torch.from_numpy(np.linalg.qr(np.random.default_rng(seed + 1).normal(size=(D, D)))[0]).float()
    matrix = (0.01 * torch.randn(D, D, generator=draws)).requires_grad_()
    learner = torch.optim.Adam([matrix], lr=0.05)

    def error(count):
        query, keys, values, wanted = rows(count, turn, draws)
        found = attention(query @ matrix, keys, values, beta=1.0, weights=weights, path="readable")
        return ((found - wanted) ** 2).mean(), ((values.mean(dim=1, keepdim=True) - wanted) ** 2).mean()

    for _ in range(steps):
        learner.zero_grad()
        error(64)[0].backward()
        learner.step()
    with torch.no_grad():
        found, even = error(2000)
    return float(found / even)
