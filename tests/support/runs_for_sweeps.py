"""An experiment for the tests of sweeps: quick runs that leave a trace, one of which may kill its process."""

import os
import signal
import time
from pathlib import Path

FOLDER = Path(os.environ.get("RUNS_FOLDER", "."))  # where they leave their traces


def runs(seeds):
    return [{"factor": factor, "seed": seed} for factor in (3, 5) for seed in seeds]


def run(factor, seed):
    """`deadly` says how often seed 1 kills its process; `slow` makes runs take as many seconds."""
    with (FOLDER / "traces").open("a") as traces:
        traces.write(f"{factor} {seed}\n")
    deaths, deadly = FOLDER / "deaths", FOLDER / "deadly"
    if seed == 1 and deadly.exists():
        before = deaths.read_text() if deaths.exists() else ""
        if len(before) < int(deadly.read_text()):
            time.sleep(0.5)
            deaths.write_text(before + "x")
            os.kill(os.getpid(), signal.SIGKILL)
    slow = FOLDER / "slow"
    if slow.exists():
        time.sleep(float(slow.read_text()))
    return {"product": factor * seed, "third": 1 / 3}
