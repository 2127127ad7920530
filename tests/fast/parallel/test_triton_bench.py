"""The bench for a GPU, `bench/gpu.py`, as far as it runs without one: its contenders, and whole cases."""

import functools
import sys
import time
import types

import pytest
import torch
import triton_device
from triton_device import DEVICE

from bench import gpu
from lib import attention, causal_mask

N, D = 128 if DEVICE == "cuda" else 16, 16


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Few queries and, where there is no GPU, main memory in place of that of the GPU."""
    cached = gpu.contenders, gpu.flex
    for f in cached:
        f.cache_clear()
    monkeypatch.setattr(gpu, "TOKENS", 2 * N)
    monkeypatch.setattr(gpu, "DEVICE", DEVICE)
    if DEVICE == "cpu":
        for name in ("synchronize", "empty_cache", "reset_peak_memory_stats"):
            monkeypatch.setattr(torch.cuda, name, lambda: None)
        monkeypatch.setattr(torch.cuda, "memory_allocated", lambda: 1e6)
        monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda: 3e6)
        monkeypatch.setattr(torch.cuda, "Event", Event)
        monkeypatch.setattr(
            torch.cuda, "get_device_properties", lambda _: types.SimpleNamespace(total_memory=1 << 40)
        )
    with triton_device.kernels_take_part():
        yield
    for f in cached:
        f.cache_clear()


class Event:
    """A stopwatch in place of CUDA's."""

    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        self.at = time.perf_counter()

    def elapsed_time(self, end):
        return 1e3 * (end.at - self.at)


NEED_A_GPU = ["softmax, SDPA cuDNN"]
OTHERS = [name for name in gpu.contenders() if name not in NEED_A_GPU and "adasplash" not in name]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", OTHERS)
def test_each_contender_computes_the_map_of_its_name(name, causal, monkeypatch):
    if DEVICE == "cpu":  # there is perhaps no compiler
        monkeypatch.setattr(torch, "compile", functools.partial(torch.compile, backend="eager"))
    weights, attend = gpu.contenders()[name]
    dtype = (
        torch.bfloat16 if DEVICE == "cuda" else torch.float32
    )  # on a GPU the fast kernels are for half precision
    q, k, v = gpu.inputs(N, D, dtype, "dense")
    assert weights.split()[0] in name
    assert q.shape == k.shape == v.shape == (1, 2, N, D)
    got = attend(q, k, v, causal)
    where = causal_mask(N, like=q) if causal else None
    want = attention(q, k, v, weights=weights, where=where, path="readable")
    torch.testing.assert_close(got, want, rtol=0, atol=5e-2 if DEVICE == "cuda" else 1e-5)


def test_adasplash_is_called_with_arguments_that_it_takes(monkeypatch):
    """Its releases 0.1 and 0.2 both have these names."""

    def adasplash(q, k, v, alpha=1.5, is_causal=True, varlen=None, niter=None):
        return attention(q, k, v, weights="entmax", alpha=alpha, causal=is_causal)

    monkeypatch.setitem(sys.modules, "adasplash", types.SimpleNamespace(adasplash=adasplash))
    version_of = gpu.version_of
    monkeypatch.setattr(gpu, "version_of", lambda name: "0.2.0" if name == "adasplash" else version_of(name))
    weights, attend = gpu.contenders()["entmax 1.5, adasplash"]
    q, k, v = gpu.inputs(N, D, torch.float32, "dense")
    for causal in (False, True):
        assert gpu.error(weights, attend, q, k, v, causal) < 1e-5


@pytest.mark.parametrize("name", ["entmax 1.5, lib", "sparsemax, lib", "softmax, lib", "softmax, materialised"])
def test_a_case_is_measured_from_end_to_end(name, monkeypatch):
    seconds = types.SimpleNamespace(monotonic=iter(range(1000)).__next__)
    monkeypatch.setattr(gpu, "time", seconds)  # so that three calls are enough
    row = gpu.measured(name, N, D, True, "float32", "clustered")
    assert set(row) - {"blocks"} == {
        "error",
        *(f"{key}_{unit}" for key in ("forward", "both") for unit in ("ms", "mb", "tflops")),
    }, row
    assert row["error"] < (1e-2 if DEVICE == "cuda" else 1e-5)
    assert all(row[f"{key}_{unit}"] > 0 for key in ("forward", "both") for unit in ("ms", "tflops"))
    if DEVICE == "cpu":
        assert row["forward_mb"] == 2
    assert ("blocks" in row) == (name in ("entmax 1.5, lib", "sparsemax, lib"))
    assert 0 < row.get("blocks", 1) <= 2
    assert gpu.spelt(row)


def test_what_fails_or_takes_too_long_has_its_reason_in_its_row(monkeypatch):
    def broken(*_):
        raise ValueError("no such head size")

    def endless(*_):
        time.sleep(60)

    for attend, reason in ((broken, "ValueError: no such head size"), (endless, "TimeoutError: not done in 1 s")):
        monkeypatch.setattr(gpu, "SECONDS", 1)
        monkeypatch.setattr(gpu, "contenders", lambda attend=attend: {"it": ("softmax", attend)})
        assert gpu.measured("it", N, D, False, "float32", "dense") == {"failed": reason}


def test_weights_that_would_not_fit_are_not_made(monkeypatch):
    monkeypatch.setattr(
        torch.cuda, "get_device_properties", lambda _: types.SimpleNamespace(total_memory=16 * N * N)
    )
    _, attend = gpu.contenders()["softmax, materialised"]
    with pytest.raises(MemoryError, match="the weights do not fit"):
        attend(*gpu.inputs(N, D, torch.float32, "dense"), False)
