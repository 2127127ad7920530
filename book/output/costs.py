"""How long the steps around a last layer take, on whatever machine this runs."""

from functools import cache
from time import perf_counter

import torch


def fastest(run, repeats=15):
    """The least of so many times, in seconds: what else a machine does can only add to it."""
    times = []
    for _ in range(repeats):
        began = perf_counter()
        run()
        times.append(perf_counter() - began)
    return min(times)


@cache
def costs(n=32_000, d=512):
    """Seconds for one row of n logits, one thread: to make them from d numbers; for softmax. Measured once."""
    draw = torch.Generator().manual_seed(0)
    matrix, h = torch.randn(n, d, generator=draw), torch.randn(d, generator=draw)
    s = matrix @ h
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return {"making": fastest(lambda: matrix @ h), "softmax": fastest(lambda: torch.softmax(s, -1))}
    finally:
        torch.set_num_threads(threads)
