"""Two functions timed in turns, their memory, and what machine it was."""

import ast
import contextlib
import ctypes
import gc
import hashlib
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SETTLING = 0.02  # seconds; torch's threads spin for about 5 ms
LONG = 0.2  # seconds: in a longer call the threads that still spin do not matter


class Pair(NamedTuple):
    """Ours and the peer's way to the same result, and the check that it is the same."""

    ours: Callable
    peer: Callable
    check: Callable  # (ours, peer) raises AssertionError if the results differ
    reference: Callable | None = None  # the right result, where the peer computes something else or more
    copy: Callable | None = None  # what reading the inputs and writing as much costs, whatever is computed


class Case(NamedTuple):
    """One row of the table."""

    name: str
    peer: str
    target: float  # largest ratio, ours over the peer's, that is wanted
    setup: Callable  # () -> Pair
    limit_mb: float | None = None  # most memory that is wanted


def timed(pair, rounds, seconds, least=3):
    """Times of both in ms, in turns, and the ratio of each round: in a round the machine is alike for both.

    If the pair has a copy, it is timed in turns with them.

    Before it is timed, each function is called for `SETTLING` seconds, so that it does not start while the threads
    of the other still spin in wait for work. A call of `LONG` or more does without.
    """
    (ours, ours_took), (peer, peer_took) = timed_call(pair.ours), timed_call(pair.peer)
    pair.check(ours, peer if pair.reference is None else pair.reference())
    del ours, peer
    shortest = {"ours": ours_took, "peer": peer_took}
    if pair.copy is not None:
        shortest["copy"] = timed_call(pair.copy)[1]
    times, start = {side: [] for side in shortest}, time.perf_counter()
    with uncollected():
        while more(times["ours"], start, rounds, seconds, least):
            for side in times:
                call = getattr(pair, side)
                if shortest[side] < LONG:
                    settle(call)
                times[side].append(timed_call(call)[1])
                shortest[side] = min(shortest[side], times[side][-1])
    ratios = [a / b for a, b in zip(times["ours"], times["peer"], strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    medians = {f"{side}_ms": 1e3 * statistics.median(x) for side, x in times.items()}
    return medians | {
        "ratio": middle,
        "ratio_low": low,
        "ratio_high": high,
        "rounds": len(ratios),
        "load": os.getloadavg()[0],
    }


def settle(call):
    start = time.perf_counter()
    while time.perf_counter() - start < SETTLING:
        call()


def median_ms(call, rounds, seconds, least=3):
    """The median time of a call, after some that are not timed."""
    settle(call)
    times, start = [], time.perf_counter()
    with uncollected():
        while more(times, start, rounds, seconds, least):
            times.append(timed_call(call)[1])
    return 1e3 * statistics.median(times)


def more(times, start, rounds, seconds, least):
    """Is another round to come? At least `least`, then as many as begin within `seconds`, at most `rounds`."""
    return len(times) < least or (len(times) < rounds and time.perf_counter() - start < seconds)


def timed_call(call, *args):
    """What a call returns, and its seconds."""
    start = time.perf_counter()
    result = call(*args)
    return result, time.perf_counter() - start


@contextlib.contextmanager
def uncollected():
    """Keep Python from collecting garbage while times are taken."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def peak_memory(name):
    """The most MB that each call of that name adds to what was there, in a process of its own; {} if not known."""
    if not Path("/proc/self/clear_refs").exists():
        return {}
    command = [sys.executable, "-m", "bench", "--memory-of", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout.splitlines()[-1])


def peak_memory_here(calls):
    for call in calls.values():
        call()  # so that all is compiled and loaded, and threads have started
    return {name: added(call) for name, call in calls.items()}


def added(call):
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = _status("VmRSS")
    call()
    return max(0.0, (_status("VmHWM") - before) / 1024)


def _status(key):
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(key)))


def facts():
    """What a result depends on: machine, versions, and the source of `lib`. No names and no paths."""
    names = ("numpy", "scipy", "torch", "numba", "entmax")
    timed_folders = ("lib", "fast", "cpu")
    sources = sorted(path for path in (ROOT / "lib").rglob("*.py") if path.parent.name in timed_folders)
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: importlib.metadata.version(name) for name in names},
        "lib": hashlib.sha256("".join(map(code_of, sources)).encode()).hexdigest()[:12],
    }


def code_of(path):
    """What a file of Python does, written without comments, layout and docstrings, none of which takes time."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        if documented and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)


def _processor():
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), platform.processor())
