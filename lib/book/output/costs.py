"""How long the steps around a last layer take, on whatever machine this runs."""

from time import perf_counter

import torch
from torch.nn.functional import cross_entropy


def fastest(run, repeats=15):
    """The least of so many times, in seconds: what else a machine does can only add to it."""
    times = []
    for _ in range(repeats):
        began = perf_counter()
        run()
        times.append(perf_counter() - began)
    return min(times)


def costs(n=32_000, d=512):
    """Seconds for one row of n logits: to make them from d numbers, for argmax, for softmax, and for the loss."""
    draw = torch.Generator().manual_seed(0)
    matrix, h = torch.randn(n, d, generator=draw), torch.randn(d, generator=draw)
    s, y = matrix @ h, torch.tensor(1)
    return {
        "making": fastest(lambda: matrix @ h),
        "argmax": fastest(lambda: s.argmax()),
        "softmax": fastest(lambda: torch.softmax(s, -1)),
        "loss": fastest(lambda: cross_entropy(s, y)),
    }
