"""Shares rows out among threads that wait without spinning, and so leave the cores to torch's threads.

For work that lets go of Python's lock: NumPy's, and that of the compiled kernels. (Numba's own threads
would be a second OpenMP pool beside torch's, each keeping the cores busy for a while after its work.) What the
threads share is locked by itself, so that it is safe in a Python without that lock too.
"""

import functools
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

ENTRIES = 1 << 17  # in one call: enough to be worth it, few enough that all threads end at about the same time


def over_rows(work_on, shape, *arrays):
    """Call `work_on(start, stop, *arrays)` until all the rows are done, in as many threads as torch uses."""
    rows, n = shape
    step = max(1, min(rows, ENTRIES // n))
    if step >= rows:
        return work_on(0, rows, *arrays)
    starts, lock = iter(range(0, rows, step)), threading.Lock()  # whichever thread is free takes the next

    def work():
        while (start := following(starts, lock)) is not None:
            work_on(start, min(start + step, rows), *arrays)

    helpers = min(count(), -(-rows // step)) - 1
    waiting = [pool().submit(work) for _ in range(helpers)]
    work()
    for done in waiting:
        done.result()


def following(iterator, lock):
    """The next of an iterator that threads share, or None."""
    with lock:
        return next(iterator, None)


@functools.cache  # two threads that need it at once may make two, of which one is never used
def pool():
    return ThreadPoolExecutor(_cores(), "lib.fast.threads")


if hasattr(os, "register_at_fork"):  # a forked process has none of its parent's threads
    os.register_at_fork(after_in_child=pool.cache_clear)


def _cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def count():
    """How many threads share the work: as many as torch uses, or one for each core."""
    torch = sys.modules.get("torch")
    return _cores() if torch is None else torch.get_num_threads()
