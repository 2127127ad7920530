"""What `make gpu` says where it cannot run, and its bench as far as it needs no GPU."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import on_gpu
import pytest
import torch

from bench import gpu
from bench.report import Results

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("command", [["tests/on_gpu.py"], ["-m", "bench.gpu"]], ids=str)
def test_without_a_gpu_one_line_says_so(command, monkeypatch, tmp_path):
    (tmp_path / "triton.py").touch()  # wherever it is not installed
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])}
    done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no GPU that torch can use" in done.stderr.replace("There", "there")
    assert len((done.stdout + done.stderr).splitlines()) == 1


def test_packages_that_are_missing_are_named_in_one_line(monkeypatch, capsys):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        on_gpu.importlib.util, "find_spec", lambda name: None if name in ("numba", "triton") else find(name)
    )
    assert on_gpu.main() == 1
    assert capsys.readouterr().err == f"make gpu: {sys.executable} lacks triton numba\n"


def test_all_lengths_and_widths_are_among_the_cases():
    pytest.importorskip("torch.nn.attention")
    found = gpu.cases()
    assert {(case[1], case[2]) for case in found.values()} == {(n, d) for n in gpu.LENGTHS for d in gpu.WIDTHS}
    assert {case[0] for case in found.values()} == set(gpu.contenders())
    assert all(gpu.TOKENS % n == 0 for n in gpu.LENGTHS)


def test_a_row_of_the_bench_is_read_back(tmp_path):
    row = {f"{key}_{unit}": 1.5 for key in ("forward", "both") for unit in ("ms", "tflops", "mb")} | {
        "error": 1e-3
    }
    results = Results(tmp_path / "gpu.json", {"device": "one"})
    results.rows["a"] = row | {"blocks": 0.25}
    results.save()
    assert Results(tmp_path / "gpu.json", {"device": "one"}).rows == json.loads(json.dumps(results.rows))
    assert Results(tmp_path / "gpu.json", {"device": "another"}).rows == {}
    assert "error 1.0e-03, 25% of the blocks" in gpu.spelt(results.rows["a"])
    assert gpu.spelt({"failed": "why"}) == "why"
