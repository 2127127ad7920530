"""The runs of these kernels on a GPU that are recorded: without one they are taken only if asked for by name.

`make gpu` records a run whose tests and benchmark have passed. It counts for its compute capability and its minor
versions of torch and Triton, by which the kernels are compiled, and for no others.
"""

import json
import os
import re
from pathlib import Path

import torch
import triton

FILE = Path(__file__).with_name("runs.json")  # a list of objects with these fields
FORMAT = {"capability": r"\d+\.\d+", "torch": r"\d+\.\d+\..+", "triton": r"\d+\.\d+\..+", "device": r".+"}


def read():
    """The recorded runs, [] if there is no file. One that is not as it should be is a ValueError."""
    runs = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else []
    if not isinstance(runs, list) or not all(map(well_formed, runs)):
        raise ValueError(f"{FILE} is to be a list of objects with the fields {', '.join(FORMAT)}, which are texts")
    return runs


def well_formed(run):
    if not isinstance(run, dict) or set(run) != set(FORMAT):
        return False
    return all(isinstance(run[name], str) and re.fullmatch(form, run[name]) for name, form in FORMAT.items())


def minor(version):
    return ".".join(version.split(".")[:2])


def counts_for(run):
    """Where a run counts: capability, torch, Triton."""
    return run["capability"], minor(run["torch"]), minor(run["triton"])


def record(device="cuda"):
    """Write that the kernels have run on this device, in place of a run that counted for the same; return it."""
    run = {
        "capability": here(device)[0],
        "torch": str(torch.__version__),
        "triton": str(triton.__version__),
        "device": torch.cuda.get_device_name(device),
    }
    runs = [old for old in read() if counts_for(old) != counts_for(run)] + [run]
    part = FILE.with_suffix(".part")
    part.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    os.replace(part, FILE)
    return run


VERSIONS = minor(str(torch.__version__)), minor(str(triton.__version__))
recorded = {counts_for(run) for run in read()}


def here(device):
    """What a run has to count for to count for this device."""
    found = torch.cuda.get_device_properties(device)  # which torch.compile takes for a constant
    return f"{found.major}.{found.minor}", *VERSIONS


def why_unrecorded(device):
    """Why the kernels are to be asked for by name on this device, or None."""
    if (asked := here(device)) in recorded:
        return None
    words = "where no run of the kernels is recorded for compute capability {}, torch {} and Triton {}"
    return words.format(*asked) + ': path="fused" asks for those of attention by name'


def take_part(device="cuda"):
    """From now on this process takes the kernels on this device, recorded or not: to test and to time them."""
    recorded.add(here(device))
