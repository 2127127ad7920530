"""What surrounds a call changes no result: threads, imports, switches, devices, kinds of integers and arrays."""

import io
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from attending import Lane, close, every_lane, random
from optional_torch import torch, with_torch

from lib import attention, entmax, softmax
from lib.fast import kernels, query_blocks, softmax_by_numpy, threads

SHAPES = (2, 3, 37, 2), (2, 3, 131, 2), (2, 3, 131, 5)
SQUARE = [(2, 3, 7, 2)] * 3


# ---- integers


@every_lane
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.uint64])
@pytest.mark.parametrize("rule", [{"causal": True}, {"window": 11}], ids=", ".join)
def test_an_offset_may_be_an_integer_of_any_dtype(lane, kind, rule, monkeypatch):
    arrays = random(*SHAPES)
    expected = lane(*arrays, offset=113, **rule)
    close(lane, lane(*arrays, offset=kind(113), **rule), expected)
    monkeypatch.setattr(query_blocks, "AT_ONCE", 5 * 131)
    close(lane, Lane(lane.xp.library, "blocks")(*arrays, offset=kind(113), **rule), expected)


@every_lane
@pytest.mark.parametrize("far", [2**63 - 1, 2**63, 10**20])
def test_a_window_or_offset_beyond_all_keys_hides_nothing_that_came_before(lane, far):
    arrays = random(*SQUARE)
    close(lane, lane(*arrays, window=far), lane(*arrays, causal=True))
    close(lane, lane(*arrays, causal=True, offset=far), lane(*arrays))
    close(lane, lane(*arrays, window=3, offset=-far), np.zeros(SQUARE[0]))
    offsets = (np.array([start, 0]) for start in (min(far, 2**63 - 1), 7))  # for each of two items
    close(lane, *(lane(*arrays, causal=True, offset=offset) for offset in offsets))


# ---- kinds of arrays


@with_torch  # and so with Numba
def test_arrays_of_a_file_in_memory_are_computed_as_others(tmp_path, monkeypatch):
    def mapped(x):
        path = tmp_path / f"{len([*tmp_path.iterdir()])}.npy"
        np.save(path, x)
        return np.load(path, mmap_mode="r")

    arrays, calls = random(*SQUARE), []
    over_rows = softmax_by_numpy.over_rows
    monkeypatch.setattr(softmax_by_numpy, "ENTRIES", 0)
    monkeypatch.setattr(softmax_by_numpy, "over_rows", lambda *given: calls.append(given) or over_rows(*given))
    for f in (lambda q, k, v: softmax(q), lambda *x: attention(*x, weights="entmax", path="fused")):
        output = f(*map(mapped, arrays))
        assert type(output) is np.ndarray
        np.testing.assert_array_equal(output, f(*arrays))
    assert len(calls) == 2


def lazily_negative(*shapes):
    """Tensors that hold the numbers of opposite sign, and the plain ones."""
    plain = [torch.tensor(x) for x in random(*shapes)]
    lazy = [torch.complex(torch.zeros_like(x), -x).conj().imag for x in plain]
    assert all(x.is_neg() for x in lazy)
    return lazy, plain


@with_torch
@pytest.mark.parametrize("smallest", [0, 1 << 16])
@pytest.mark.parametrize("alpha", [1.3, 1.5, 2.0])
def test_a_lazy_minus_sign_is_read_and_so_is_that_of_a_gradient(alpha, smallest, monkeypatch):
    monkeypatch.setattr(kernels, "SMALLEST", smallest)
    (lazy,), (plain,) = lazily_negative((5, 7))
    expected = entmax(plain.requires_grad_(), alpha=alpha)
    torch.testing.assert_close(entmax(lazy, alpha=alpha), expected)
    slopes = [torch.autograd.grad(expected.square().sum(), plain, retain_graph=True)]
    weights = torch.complex(torch.zeros_like(expected), expected).conj().imag  # the negative ones
    slopes.append(torch.autograd.grad(weights.square().sum(), plain))
    torch.testing.assert_close(*slopes)


@with_torch
def test_a_lazy_minus_sign_in_attention_by_our_kernels():
    lazy, plain = (attention(*given, weights="entmax", path="fused") for given in lazily_negative(*SQUARE))
    torch.testing.assert_close(lazy, plain)


# ---- devices and switches


@with_torch
@pytest.mark.parametrize("seeded", [True, False])
def test_dropout_by_our_kernels_is_drawn_on_the_cpu_whatever_the_default_device(seeded):
    arrays = [torch.tensor(x) for x in random(*SQUARE)]
    generator = torch.Generator("cpu").manual_seed(0) if seeded else None
    with torch.device("meta"):
        output = attention(*arrays, weights="entmax", path="fused", dropout=0.1, generator=generator)
    assert output.is_cpu
    assert output.isfinite().all()


def in_a_new_python(program):
    """What a program prints that has NumPy and lib, in the folder of the lib under test."""
    start = "import sys, numpy as np, lib; x = np.random.default_rng(0).normal(size=(5, 7))\n"
    folder = Path(sys.modules["lib"].__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", start + program], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@with_torch
def test_where_numba_is_told_not_to_compile_entmax_does_without(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    program = """
from lib.fast import kernels
kernels.SMALLEST = kernels.FEWEST = 0
few = lib.entmax(x, alpha=1.3), lib.attention(x, x, x, weights="entmax")
kernels.SMALLEST = 1 << 16
print(all(map(np.allclose, few, (lib.entmax(x, alpha=1.3), lib.attention(x, x, x, weights="entmax")))))
"""
    assert in_a_new_python(program) == "True"


@with_torch
@pytest.mark.parametrize("errors", [None, io.StringIO()], ids=["none", "closed"])
def test_without_standard_error_kernels_are_compiled_without_a_word(errors, monkeypatch, capsys):
    from lib.fast.cpu import compile

    if errors is not None:
        errors.close()
    monkeypatch.setattr(sys, "stderr", errors)
    compile.announce(f"kept where it cannot be said: {errors}")
    assert capsys.readouterr().out == ""


# ---- threads and imports


class Idle(Future):
    """The work of a helper that never begins, as all threads are at the work of others."""

    def result(self, timeout=None):
        raise AssertionError("it is waited for")


def test_a_helper_that_has_not_begun_is_not_waited_for(monkeypatch):
    helpers, done = [], []
    monkeypatch.setattr(threads, "count", lambda: 3)
    monkeypatch.setattr(threads, "ENTRIES", 7)
    monkeypatch.setattr(
        threads, "pool", lambda: SimpleNamespace(submit=lambda work: helpers.append(Idle()) or helpers[-1])
    )
    threads.over_rows(lambda start, stop: done.extend(range(start, stop)), (11, 7))
    assert done == [*range(11)]
    assert [helper.cancelled() for helper in helpers] == [True, True]


WHILE_IMPORTING = """
from lib.fast import threads
threads.ENTRIES = 7
calls = [
    lambda: lib.softmax(x), lambda: lib.entmax(x), lambda: lib.entropy(abs(x)), lambda: lib.attention(x, x, x),
    lambda: lib.causal_mask(3), lambda: lib.attention(x, x, x, weights="relu_norm", causal=True),
]
class Calling:
    seen = 0
    def find_spec(self, name, path=None, target=None):
        if name.startswith("torch."):
            self.seen += 1
            [call() for call in calls]
[call() for call in calls]
sys.meta_path.insert(0, calling := Calling())
assert "torch" not in sys.modules
import torch
print(calling.seen > 100, lib.softmax(torch.from_numpy(x)).shape == x.shape)
"""


@with_torch
def test_while_torch_is_being_imported_arrays_are_computed_at_each_step_of_it():
    assert in_a_new_python(WHILE_IMPORTING) == "True True"
