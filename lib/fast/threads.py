"""Shares rows out among threads that wait without spinning, and so leave the cores to torch's threads.

For work that lets go of Python's lock: NumPy's, and that of the compiled kernels. (Numba's own threads
would be a second OpenMP pool beside torch's, each keeping the cores busy for a while after its work.) What the
threads share is locked by itself, so that it is safe in a Python without that lock too.
"""

import contextlib
import functools
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from .._torch_modes import imported_torch

# Variables of the environment, which joblib and Dask set for their workers
LIMITS = [f"{name}_NUM_THREADS" for name in ("OMP", "NUMBA", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")]
LIMITS.append("VECLIB_MAXIMUM_THREADS")
ENTRIES = 1 << 17  # in one call: enough to be worth it, few enough that all threads end at about the same time


def over_rows(work_on, shape, *arrays):
    """Call `work_on(start, stop, *arrays)` until all the rows are done, in as many threads as torch uses."""
    rows, n = shape
    step = max(1, min(rows, ENTRIES // n))
    if step >= rows:
        return work_on(0, rows, *arrays)
    starts, lock = iter(range(0, rows, step)), threading.Lock()  # whichever thread is free takes the next
    held = [(work_on, arrays)]  # emptied at the end: what was cancelled stays in the pool's queue for a while

    def work():
        while True:
            with lock:
                start = next(starts, None)
            if start is None:
                return
            call, its_arrays = held[0]
            call(start, min(start + step, rows), *its_arrays)

    helpers, waiting = min(count(), -(-rows // step)) - 1, []
    with contextlib.suppress(RuntimeError):  # none can be started as Python ends, or where there are too many
        for _ in range(helpers):
            waiting.append(pool().submit(work))
    work()
    for done in waiting:
        if not done.cancel():  # what has not begun, as all threads work for others, finds nothing left to do
            done.result()
    held.clear()


@functools.cache  # two threads that need it at once may make two, of which one is never used
def pool():
    return ThreadPoolExecutor(_cores(), "lib.fast.threads")


if hasattr(os, "register_at_fork"):  # a forked process has none of its parent's threads
    os.register_at_fork(after_in_child=pool.cache_clear)


def _cores():
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on; PYTHON_CPU_COUNT limits it
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def count():
    """How many threads share the work: one for each core, but no more than have been allowed in any known way."""
    allowed = [_cores()]
    for name in LIMITS:
        first = os.environ.get(name, "").partition(",")[0]  # OpenMP takes a number for each level of nesting
        allowed += [int(first)] if first.strip().isdecimal() else []
    if "threadpoolctl" in sys.modules:
        allowed += [library.num_threads or 1 for library in _controller().lib_controllers]
    if (torch := imported_torch()) is not None:
        allowed.append(torch.get_num_threads())
    return max(1, min(allowed))


@functools.cache  # to look for the libraries takes a while; what they are set to is asked each time
def _controller():
    return sys.modules["threadpoolctl"].ThreadpoolController()
