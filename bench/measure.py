"""Two functions timed in turns, their memory, and what machine it was."""

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


class Pair(NamedTuple):
    """Ours and the peer's way to the same result, and the check that it is the same."""

    ours: Callable
    peer: Callable
    check: Callable  # (ours, peer) raises AssertionError if the results differ


class Case(NamedTuple):
    """One row of the table."""

    name: str
    peer: str
    target: float  # largest ratio, ours over the peer's, that is wanted
    setup: Callable  # () -> Pair


def timed(pair, rounds, seconds=6.0):
    """Times of both in seconds, in turns, and the ratio of each round: the machine's mood is the same for both.

    Before each timed call goes one that is not, so that neither starts among the threads of the other.
    """
    pair.check(pair.ours(), pair.peer())
    times, start = {"ours": [], "peer": []}, time.perf_counter()
    gc.collect()
    gc.disable()
    try:
        while len(times["ours"]) < rounds and (len(times["ours"]) < 3 or time.perf_counter() - start < seconds):
            for side in times:
                call = getattr(pair, side)
                call()
                before = time.perf_counter()
                call()
                times[side].append(time.perf_counter() - before)
    finally:
        gc.enable()
    ratios = [a / b for a, b in zip(*times.values(), strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    medians = {f"{side}_ms": 1e3 * statistics.median(x) for side, x in times.items()}
    return medians | {
        "ratio": middle,
        "ratio_low": low,
        "ratio_high": high,
        "rounds": len(ratios),
        "load": os.getloadavg()[0],
    }


def peak_memory(case_name):
    """The most MB that a call of each adds to what was there, in a process of its own; None if not known."""
    if not Path("/proc/self/clear_refs").exists():
        return {"ours_mb": None, "peer_mb": None}
    command = [sys.executable, "-m", "bench", "--memory-of", case_name]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout.splitlines()[-1])


def peak_memory_here(pair):
    pair.ours(), pair.peer()  # compiled, loaded, threads started
    return {"ours_mb": _added(pair.ours), "peer_mb": _added(pair.peer)}


def _added(call):
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
    sources = sorted(p for p in (ROOT / "lib").rglob("*.py") if p.parent.name in ("lib", "kernels"))
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: importlib.metadata.version(name) for name in names},
        "lib": hashlib.sha256(b"".join(p.read_bytes() for p in sources)).hexdigest()[:12],
    }


def _processor():
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), platform.processor())
