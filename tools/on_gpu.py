"""Runs the tests of the maths on a GPU, then the benchmark, with the Python that runs this: `make gpu`.

What runs is what a GPU changes: the tests of `lib` with CUDA as their device, and those of Triton's kernels as the
GPU compiles them, with products in bfloat16. Where all pass, and the benchmark finds nothing wrong, it records the
run: from then on "auto" takes the kernels on such a GPU. It ends with 1 if anything fails or a package is missing,
and with 2 where there is no GPU. Arguments are for the benchmark.
"""

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEEDED = {  # {what is imported: the package that brings it}
    "numpy": "numpy",
    "torch": "torch",
    "triton": "triton",
    "array_api_compat": "array-api-compat",
    "numba": "numba",
    "pytest": "pytest",
    "hypothesis": "hypothesis",
    "mpmath": "mpmath",
    "filelock": "filelock",
    "array_api_strict": "array-api-strict",
}
RECORD = """
from lib.fast.gpu import runs
print("recorded in", runs.FILE, runs.record())
"""
SECONDS = 270  # for all of them: all of `make gpu` is to take less than eight minutes


def missing():
    """The packages that this Python lacks."""
    return [package for name, package in NEEDED.items() if importlib.util.find_spec(name) is None]


def main(arguments=()):
    if lacking := missing():
        print(f"make gpu: {sys.executable} lacks {' '.join(lacking)}", file=sys.stderr)
        return 1
    import torch

    if not torch.cuda.is_available():
        print("make gpu: there is no GPU that torch can use, so nothing was run", file=sys.stderr)
        return 2
    print(f"torch {torch.__version__} on {torch.cuda.get_device_name()}", flush=True)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}  # `lib` need not be installed
    if not tested(environment):
        return 1
    for command in (["-m", "bench.gpu", *arguments], ["-c", RECORD]):
        if subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, check=False).returncode != 0:
            print("make gpu: not passed, so the run is not recorded", file=sys.stderr)
            return 1
    return 0


def tested(environment):
    """Run the tests; have they all passed?"""
    # Test by test, not file by file: nearly all of the time goes to compiling, and two files have most kernels.
    shared_out = ["-n", "8", "--dist", "load"] if importlib.util.find_spec("xdist") else []
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *shared_out]
    until = time.monotonic() + SECONDS
    try:
        for chosen in (
            ["tests/fast/parallel", "-k", "triton"],
            ["--gpu-kernels", "tests/maths", "tests/fast", "-k", "cuda"],
        ):
            left = until - time.monotonic()
            done = subprocess.run([*command, *chosen], cwd=ROOT, env=environment, timeout=left, check=False)
            if done.returncode != 0:
                return False
    except subprocess.TimeoutExpired:
        print(f"make gpu: the tests took more than {SECONDS} s and were stopped", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
