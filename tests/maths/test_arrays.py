"""What is said and done about kinds of arrays, dtypes and values that cannot be read, whoever asks."""

import math
import types

import numpy as np
import pytest
from optional_torch import torch, with_torch

import lib
from lib import _arrays, _torch_modes


def test_numbers_are_numbers_and_arrays_are_not(xp):
    for x in (1, 1.5, True, np.float64(2), np.float32(2), np.float16(2), np.int8(2), math.inf):
        assert _arrays.is_number(x)
    for x in (xp.asarray(1.0), xp.asarray([1.0]), "1", None, 1j, [1]):
        assert not _arrays.is_number(x)


def test_half_and_bfloat_meet_in_single():
    xp = _arrays.namespace(x=torch.ones(1))
    assert _arrays.working_dtype(xp, torch.float16, torch.bfloat16) == torch.float32


def test_a_condition_is_known_only_if_it_may_be_read(xp):
    assert _torch_modes.known_true(xp.asarray([1.0])[0] > 0) is (xp.device == "cpu")
    assert _torch_modes.known_true(xp.asarray([1.0])[0] < 0) is False
    assert _torch_modes.known_true(torch.ones((), device="meta") > 0) is False


def test_a_condition_of_two_entries_is_an_error_in_torch_too():
    for condition in (np.ones(2, dtype=bool), torch.ones(2, dtype=torch.bool)):
        with pytest.raises((ValueError, RuntimeError), match="more than one"):
            _torch_modes.known_true(condition)


@with_torch
def test_what_has_no_value_is_not_known_to_be_true():
    from torch._subclasses import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    seen = []

    def look(x):
        seen.append(_torch_modes.known_true((x > 0).all()))
        return x + 1

    torch.func.vmap(look)(torch.ones(3, 2))
    make_fx(look, tracing_mode="symbolic")(torch.ones(2))
    make_fx(look)(torch.ones(2))
    with FakeTensorMode():
        look(torch.ones(2))
    assert seen == [False] * 4
    look(torch.ones(2))
    torch.func.grad(lambda x: look(x).sum())(torch.ones(2))
    assert seen[4:] == [True] * 2


def test_a_gpu_is_never_asked_for_a_value(monkeypatch):
    class OnAGpu:
        is_cpu = False
        device = types.SimpleNamespace(type="cuda")

        def __bool__(self):
            raise AssertionError("a value was read")

    monkeypatch.setattr(_torch_modes, "is_torch", lambda x: True)
    assert _torch_modes.known_true(OnAGpu()) is False


def test_one_row_gives_a_number():
    row = np.array([0.5, 0.5])
    for number in (lib.entropy(row), lib.log_partition(row), lib.beta_for_kl(row, 0.1)):
        assert isinstance(number, np.float64)
