"""Shares rows out among threads that wait without spinning, and so leave the cores to torch's threads.

For work that lets go of Python's lock: NumPy's, and that of the compiled kernels. (Numba's own threads
would be a second OpenMP pool beside torch's, each keeping the cores busy for a while after its work.) What the
threads share is locked by itself, so that it is safe in a Python without that lock too.
"""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

ENTRIES = 1 << 17  # in one call: enough to be worth it, few enough that all threads end at about the same time

_pool = None
_pool_lock = threading.Lock()


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


def pool():
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(_cores(), "lib.fast.threads")
        return _pool


def _forget_pool():
    """A forked process has none of its parent's threads, and none that would ever let go of the lock."""
    global _pool, _pool_lock
    _pool, _pool_lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def _cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def count():
    """How many threads share the work: as many as torch uses, or one for each core."""
    torch = sys.modules.get("torch")
    return _cores() if torch is None else torch.get_num_threads()
