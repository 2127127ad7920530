"""How much time goes into new memory: points of two curves, with memory that is given back and with memory kept.

`python -m bench.fresh` writes `book/speed/fresh.json`, in which "by" says what measured it. The C library of Linux
asks for an array of 32 MB or more at each call and gives it back after. The system clears each new page when it is
first touched, which counts as a page fault. Told so by its environment, the library keeps what it has. Needs glibc
and a quiet machine: on a busy one the times grow several times over, unevenly.
"""

import json
import os
import resource
import subprocess
import sys
import time

import torch

from bench.measure import ROOT, facts, timed_call, uncollected
from bench.scaling import CURVES, setup

FILE = ROOT / "book" / "speed" / "fresh.json"
SIZES = {
    "softmax, scores stored": (1024, 2048, 4096),
    "linear attention, causal": (4096, 8192, 16384),
}
KEEPING = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(2**40)}
ROUNDS, SECONDS = 25, 6.0


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def least(call, rounds=ROUNDS, seconds=SECONDS):
    """The shortest of several calls in ms, since others use the machine too, and the page faults of the last."""
    call()
    times, start = [], time.perf_counter()
    with uncollected():
        while len(times) < 3 or (len(times) < rounds and time.perf_counter() - start < seconds):
            before = faults()
            times.append(timed_call(call)[1])
            touched = faults() - before
    return {"ms": 1e3 * min(times), "faults": touched}


def measure(sizes=SIZES, **pace):
    """{curve: {n: ms and faults}}, as memory is in this process."""
    return {
        curve: {str(n): least(setup(CURVES[curve].attend, n), **pace) for n in ns} for curve, ns in sizes.items()
    }


def elsewhere(environment):
    """The same, each curve in a process of its own, since what a library keeps depends on what it had."""
    found = {}
    for curve in SIZES:
        command = [sys.executable, "-m", "bench.fresh", curve]
        done = subprocess.run(
            command, env=os.environ | environment, capture_output=True, text=True, check=True, cwd=ROOT
        )
        found |= json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(measure({sys.argv[1]: SIZES[sys.argv[1]]})))
    else:
        found = {"new": elsewhere({}), "kept": elsewhere(KEEPING)}
        by = {
            "by": "bench.fresh",
            "facts": facts(),
            "threads": torch.get_num_threads(),
            "load": os.getloadavg()[0],
        }
        FILE.write_text(json.dumps(by | found, indent=1) + "\n")
