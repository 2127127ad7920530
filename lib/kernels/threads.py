"""Rows shared out among threads that wait without spinning, so that torch's own are not in the way.

Numba's `parallel=True` would start a second OpenMP pool beside torch's, both of which keep a core busy
for a while after their work, and takes several times as long to compile.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

ENTRIES = 1 << 17  # at a time: long enough to be worth a call, short enough to end together

_pool = None


def over_rows(kernel, shape, *arrays):
    """Call `kernel(start, stop, *arrays)` until all the rows are done, in as many threads as torch uses."""
    rows, n = shape
    step = max(1, min(rows, ENTRIES // n))
    starts = iter(range(0, rows, step))  # shared: who is free takes the next

    def work():
        for start in starts:
            kernel(start, min(start + step, rows), *arrays)

    helpers = min(_threads(), -(-rows // step)) - 1
    waiting = [pool().submit(work) for _ in range(helpers)]
    work()
    for done in waiting:
        done.result()


def pool():
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(_cores(), "lib.kernels")
    return _pool


def _forget_pool():
    global _pool
    _pool = None  # a forked process has none of its parent's threads


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def _cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def _threads():
    torch = sys.modules.get("torch")
    return _cores() if torch is None else torch.get_num_threads()
