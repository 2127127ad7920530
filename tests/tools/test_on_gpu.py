"""What `make gpu` says where it cannot run, and its bench as far as it needs no GPU."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from bench import gpu
from tools import on_gpu

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("command", [["-m", "tools.on_gpu"], ["-m", "bench.gpu"]], ids=str)
def test_without_a_gpu_one_line_says_so(command, monkeypatch, tmp_path):
    (tmp_path / "triton.py").touch()  # wherever it is not installed
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])}
    done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no GPU that torch can use" in done.stderr.replace("There", "there")
    assert len((done.stdout + done.stderr).splitlines()) == 1


@pytest.fixture
def commands(monkeypatch):
    """Where all that `make gpu` needs is there: the commands that it runs. Those with a word in `failing` fail."""
    asked, failing = [], set()

    def run(command, **options):
        asked.append(" ".join(command[1:]))
        if "time" in failing:
            raise subprocess.TimeoutExpired(command, 1)
        return subprocess.CompletedProcess(command, any(word in asked[-1] for word in failing))

    monkeypatch.setattr(on_gpu, "missing", list)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a GPU")
    monkeypatch.setattr(on_gpu.subprocess, "run", run)
    return asked, failing


def test_a_run_is_recorded_after_its_tests_and_its_benchmark(commands):
    asked, _ = commands
    assert on_gpu.main(["--seconds", "9"]) == 0
    kernels, maths, timed, record = asked
    assert "tests/fast/parallel -k triton" in kernels
    assert "--gpu-kernels tests/maths tests/fast -k cuda" in maths, "with the kernels that the record turns on"
    assert timed == "-m bench.gpu --seconds 9"
    assert record == f"-c {on_gpu.RECORD}"


@pytest.mark.parametrize(
    ("fails", "said"),
    [("parallel", ""), ("cuda", ""), ("time", "were stopped"), ("bench", "not recorded")],
)
def test_a_run_is_not_recorded_where_a_test_or_the_benchmark_fails(fails, said, commands, capsys):
    asked, failing = commands
    failing.add(fails)
    assert on_gpu.main() == 1
    assert said in capsys.readouterr().err
    assert fails == "time" or not any(on_gpu.RECORD in command for command in asked)


GOOD = {
    "entmax 1.5, lib, n=1024, d=64, full, dense": {"error": 2e-3},
    "sparsemax, lib, n=1024, d=64, full, dense": {"error": 2e-3},
    "entmax 1.5, lib, n=4096, d=64, full, dense, float32": {"error": 2e-6},
    "entmax 1.5, materialised, n=32768, d=64, full, dense": {"failed": "MemoryError: the weights do not fit"},
}


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({}, None),
        ({"error": 0.02}, "an error of 2.0e-02, where 1e-02 is the limit"),
        ({"error": math.nan}, "an error of nan"),
        ({"failed": "TimeoutError: not done"}, "TimeoutError: not done"),
        (None, "sparsemax, lib: not measured"),
    ],
)
def test_the_benchmark_says_what_speaks_against_our_kernels(changed, fault):
    name = "sparsemax, lib, n=1024, d=64, full, dense"
    rows = {case: row for case, row in GOOD.items() if case != name or changed is not None}
    if changed:
        rows[name] = changed
    found = gpu.faults(rows)
    assert len(found) == (fault is not None)
    assert all(fault in line and "sparsemax, lib" in line for line in found)
    in_float32 = next(case for case in GOOD if "float32" in case)
    assert "1e-05 is the limit" in gpu.faults(GOOD | {in_float32: {"error": 2e-3}})[0]


def test_all_lengths_and_widths_are_among_the_cases():
    pytest.importorskip("torch.nn.attention")
    found = gpu.cases()
    assert {(case[1], case[2]) for case in found.values()} == {(n, d) for n in gpu.LENGTHS for d in gpu.WIDTHS}
    assert {case[0] for case in found.values()} == set(gpu.contenders())
    assert all(gpu.TOKENS % n == 0 for n in gpu.LENGTHS)
