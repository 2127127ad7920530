"""How much time goes into new memory: some points of the curves, with memory that is given back and with memory kept.

`python -m bench.fresh` writes `book/speed/fresh.json`. An array of 32 MB and more the C library of Linux asks for at
each call and gives back after it, and the system clears each new page when it is first touched, which counts as a
page fault. Told so by its environment, the library keeps what it has. Linux with glibc only.
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
    "softmax": (1024, 2048, 4096),
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
    command = [sys.executable, "-m", "bench.fresh", "--here"]
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=True, cwd=ROOT
    )
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    if "--here" in sys.argv:
        print(json.dumps(measure()))
    else:
        found = {"new": elsewhere({}), "kept": elsewhere(KEEPING)}
        FILE.write_text(json.dumps({"facts": facts(), "threads": torch.get_num_threads(), **found}, indent=1) + "\n")
