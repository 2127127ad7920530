"""Where the kernels for a GPU have not run they are taken by name alone; and what the record of a run says."""

import importlib.util
import json
import shutil
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import torch
import triton_device
from triton_device import DEVICE, on_device

import lib
from bench import gpu as bench
from lib import attention
from lib.fast import gpu
from lib.fast.gpu import runs
from tools import on_gpu

HERE = {"capability": "9.0", "torch": "2.13.0", "triton": "3.7.1", "device": "NVIDIA H200"}
# On a GPU what is patched here, its properties, is asked for by others too.
pytestmark = pytest.mark.skipif(DEVICE == "cuda", reason="there is a GPU, whose own properties count")


@pytest.fixture(autouse=True)
def on_a_gpu(monkeypatch, tmp_path):
    """As on a GPU of compute capability 9.0, with these versions and no record."""
    with triton_device.kernels_take_part():
        monkeypatch.setattr(runs, "here", here)
        monkeypatch.setattr(runs, "recorded", set())
        monkeypatch.setattr(runs, "VERSIONS", ("2.13", "3.7"))
        monkeypatch.setattr(runs, "FILE", tmp_path / "runs.json")
        found = types.SimpleNamespace(major=9, minor=0)
        monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: found)
        monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "NVIDIA H200")
        yield


here = runs.here  # before `kernels_take_part` puts another in its place


@pytest.fixture
def asked(monkeypatch):
    """The calls of the kernels."""
    calls = []
    for name in ("entmax_forward", "attention_forward"):
        f = getattr(gpu, name)
        monkeypatch.setattr(gpu, name, lambda *args, f=f, name=name: calls.append(name) or f(*args))
    return calls


def everything():
    """Rows and attention, all that there are kernels for, by "auto"."""
    x = on_device(np.ones((2, 5, 3)))
    lib.sparsemax(x)
    lib.entmax(x)
    attention(x, x, x, weights="sparsemax")
    attention(x, x, x, weights="entmax")


ALL = ["entmax_forward"] * 2 + ["attention_forward"] * 2


def test_without_a_record_the_kernels_are_not_taken(asked):
    everything()
    assert asked == []


def test_by_name_those_of_attention_are_taken_all_the_same(asked):
    x = on_device(np.ones((2, 5, 3)))
    got = attention(x, x, x, weights="entmax", path="fused")
    assert asked == ["attention_forward"]
    torch.testing.assert_close(got, attention(x, x, x, weights="entmax"))
    assert asked == ["attention_forward"]


def test_why_they_are_not_taken_is_said_with_what_helps():
    said = (
        "where no run of the kernels is recorded for compute capability 9.0, torch 2.13 and Triton 3.7: "
        'path="fused" asks for those of attention by name'
    )
    assert runs.why_unrecorded("cuda") == said


@pytest.mark.parametrize(
    ("run", "counts"),
    [
        ({}, True),
        ({"torch": "2.13.2+cu130", "triton": "3.7.9", "device": "another of that capability"}, True),
        ({"capability": "9.1"}, False),
        ({"torch": "2.14.0"}, False),
        ({"torch": "2.1.3"}, False),
        ({"triton": "3.6.1"}, False),
        ({"triton": "4.7.1"}, False),
    ],
)
def test_a_record_counts_for_its_capability_and_its_minor_versions_alone(run, counts, asked, monkeypatch):
    monkeypatch.setattr(runs, "recorded", {runs.counts_for(HERE | run)})
    everything()
    assert asked == (ALL if counts else [])


def test_one_of_several_records_is_enough(asked, monkeypatch):
    monkeypatch.setattr(runs, "recorded", {runs.counts_for(HERE | {"capability": c}) for c in ("8.0", "9.0")})
    everything()
    assert asked == ALL


def as_loaded(folder):
    """The module as it is where its file lies in this folder."""
    spec = importlib.util.spec_from_file_location("copied", shutil.copy(runs.__file__, folder))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_run_is_written_with_its_versions_and_counts_when_it_is_read(tmp_path, capsys):
    exec(on_gpu.RECORD, {})
    assert str(tmp_path / "runs.json") in capsys.readouterr().out
    versions = {"torch": torch.__version__, "triton": runs.triton.__version__}
    assert runs.read() == [HERE | versions]
    assert as_loaded(tmp_path).recorded == {runs.counts_for(HERE | versions)}
    other = HERE | {"capability": "8.0"}
    runs.FILE.write_text(json.dumps([other, HERE | versions | {"device": "an older one"}]))
    runs.record()
    assert runs.read() == [other, HERE | versions], "in place of one that counted for the same, beside others"


def test_without_a_file_nothing_is_recorded(tmp_path):
    assert as_loaded(tmp_path).recorded == set()


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        [HERE | {"capability": "9"}],
        [HERE | {"torch": "2"}],
        [HERE | {"more": "x"}],
        [HERE, {"capability": "9.0"}],
        ["9.0"],
    ],
    ids=str,
)
def test_a_file_that_is_no_record_is_refused(wrong, tmp_path):
    runs.FILE.write_text(json.dumps(wrong))
    with pytest.raises(
        ValueError, match=r"runs\.json is to be a list of objects with the fields capability, torch"
    ):
        runs.record()
    with pytest.raises(ValueError, match=r"runs\.json"):
        as_loaded(tmp_path)
    assert json.loads(runs.FILE.read_text()) == wrong


def test_the_file_of_this_checkout_is_a_record_or_is_not_there():
    file = Path(gpu.__file__).with_name("runs.json")
    assert not file.exists() or all(map(runs.well_formed, json.loads(file.read_text())))


def test_the_benchmark_is_of_the_kernels_and_fails_where_they_do(asked, monkeypatch, tmp_path, capsys):
    errors = []

    def measured(*_):
        everything()
        return {"error": errors[-1], **dict.fromkeys(numbers, 1.0)}

    numbers = [f"{key}_{unit}" for key in ("forward", "both") for unit in ("ms", "tflops", "mb")]
    monkeypatch.setattr(bench, "cases", lambda: {f"{name}, n=8": () for name in bench.OURS})
    monkeypatch.setattr(bench, "facts", dict)
    monkeypatch.setattr(bench, "measured", measured)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    for name in ("synchronize", "empty_cache"):
        monkeypatch.setattr(torch.cuda, name, lambda: None)
    for error, status in ((1e-3, 0), (1.0, 1)):
        errors.append(error)
        monkeypatch.setattr(bench, "RESULTS", tmp_path / f"{status}.json")
        monkeypatch.setattr(sys, "argv", ["bench.gpu"])
        assert bench.main() == status
        assert ("an error of 1.0e+00" in capsys.readouterr().err) == (status == 1)
    assert asked == 4 * ALL
    monkeypatch.setattr(sys, "argv", ["bench.gpu", "--only", "sparsemax"])
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "part.json")
    assert bench.main() == 1
    assert "entmax 1.5, lib: not measured" in capsys.readouterr().err
