"""Questions that are asked of every public function: dtypes, devices, layout, axes; and what they leave alone."""

import math
import sys
import types
import warnings

import array_api_strict
import numpy as np
import pytest
from calls import CALLS, calls, named
from optional_torch import torch, with_torch

import lib
from lib import _torch_modes, objectives
from lib.fast import kernels

inf = math.inf


def close(xp, actual, expected, rtol, atol):
    np.testing.assert_allclose(xp.to_numpy(actual), expected, rtol=rtol, atol=atol)


def wanted_dtypes(xp, call, wide):
    """Of the results where the arrays named in `wide` are in float64: only some decide, but an lse counts all."""
    deciding = call.decide or (next(iter(call.floats)),)
    narrow, widest = xp.dtype, xp.namespace.float64
    single = xp.namespace.float32 if xp.eps > 1e-4 else narrow
    return (widest if {*wide} & {*deciding} else narrow, widest if wide else single)


# ---- dtypes


def test_in_every_dtype_results_are_those_of_double_precision_to_rounding(xp_any):
    """On the rounded inputs. Half precision is computed in float32 and rounded once, by half an eps."""
    half = xp_any.eps > 1e-4
    working, stored = (2.0**-23, xp_any.eps / 2) if half else (xp_any.eps, xp_any.eps)
    for name, call in CALLS.items():
        with named(name):
            call = call._replace(floats={key: xp_any.rounded(x) for key, x in call.floats.items()})
            results, expected = call(xp_any.asarray), call()
            assert [x.dtype for x in results] == [*wanted_dtypes(xp_any, call, ())][: len(results)]
            for got, want in zip(results, expected, strict=True):
                close(xp_any, got, want, stored, 8 * 7 * working * call.size)


def test_the_result_has_the_dtype_of_the_arrays_that_decide_whatever_the_rest_has(xp_any):
    widest, working = xp_any.namespace.float64, min(xp_any.eps, 2.0**-23)
    for name, call in CALLS.items():
        call = call._replace(floats={key: xp_any.rounded(x) for key, x in call.floats.items()})
        exact = call(lambda x: xp_any.asarray(x, dtype=widest if x.dtype.kind == "f" else None))
        for wide, array in call.floats.items():
            with named(name, wide):
                results = call(lambda x, one=array: xp_any.asarray(x, dtype=widest if x is one else None))
                assert [x.dtype for x in results] == [*wanted_dtypes(xp_any, call, [wide])][: len(results)]
                for got, want in zip(results, exact, strict=True):
                    close(xp_any, got, xp_any.to_numpy(want), xp_any.eps, 8 * 7 * working * call.size)


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint8", "bool"])
def test_integers_and_booleans_become_the_default_float(xp, dtype):
    default = torch.get_default_dtype() if xp.is_torch else xp.float64
    for name, call in CALLS.items():
        with named(name):
            whole = {key: np.abs(np.round(x)) + (key == "alpha") for key, x in call.floats.items()}
            whole |= {
                key: np.resize([1.0, 0.0, 1.0], x.shape) for key, x in whole.items() if key in ("p", "prior")
            }
            if dtype == "bool":
                whole = {key: np.minimum(x, 1.0) for key, x in whole.items()}
            call = call._replace(floats=whole)
            numbers = ("beta", "alpha", "epsilon") if dtype == "bool" else ()
            typed = {key: x if key in numbers else x.astype(dtype) for key, x in whole.items()}
            results = call(xp.asarray, **typed)
            assert results[0].dtype == default
            for got, want in zip(results, call(), strict=True):
                close(xp, got, want, 1e-5, 1e-5)


@pytest.mark.parametrize("smallest", [0, kernels.SMALLEST], ids=["many entries", "few"])
@pytest.mark.parametrize(("dtype", "native"), [(">f2", "f2"), (">f4", "f4"), (">f8", "f8"), (np.longdouble, "f8")])
def test_floats_of_foreign_byte_order_or_of_more_digits_are_as_good_as_any(dtype, native, smallest, monkeypatch):
    monkeypatch.setattr(kernels, "SMALLEST", smallest)
    monkeypatch.setattr(kernels, "FEWEST", 0)
    for name, call in CALLS.items():
        with named(name):
            plain = {key: x.astype(native) for key, x in call.floats.items()}
            got, want = (call(**{key: x.astype(t) for key, x in plain.items()}) for t in (dtype, native))
            kept = next(iter(call.floats)) in ("scores", "q")  # others are promoted, to this machine's order
            assert got[0].dtype == dtype or (not kept and got[0].dtype == np.result_type(dtype, native))
            for a, b in zip(got, want, strict=True):
                np.testing.assert_allclose(
                    a.astype(float), b.astype(float), rtol=4 * np.finfo(native).eps, atol=1e-15
                )


def test_one_row_gives_a_number():
    row = np.array([0.5, 0.5])
    for number in (lib.entropy(row), lib.log_partition(row), lib.beta_for_kl(row, 0.1)):
        assert isinstance(number, np.float64)


# ---- devices


@with_torch
def test_what_is_asked_for_on_a_device_is_computed_there(monkeypatch):
    """Torch's meta device has no values, and whoever mixes it with the CPU gets an error, as on a GPU."""
    for module in (sys.modules["lib.entmax"], objectives):  # all steps of a search would take seconds: two will do
        monkeypatch.setattr(module, "range", lambda *_: range(2), raising=False)

    def here(x):
        return torch.tensor(x, dtype=torch.bfloat16 if x.dtype.kind == "f" else None)

    for name, call in CALLS.items():
        options = {"softmax": [{"causal": False, "window": 2}, {"dropout": 0.1}, {"return_weights": True}]}
        for other in ({}, *(options.get(call.rest.get("weights"), []))):
            with named(name, other):
                wanted, results = (call(make, **other) for make in (here, lambda x: here(x).to("meta")))
                for got, want in zip(results, wanted, strict=True):
                    assert got.device.type == "meta"
                    assert (got.shape, got.dtype) == (want.shape, want.dtype)


def test_a_gpu_is_never_asked_for_a_value(monkeypatch):
    class OnAGpu:
        is_cpu = False
        device = types.SimpleNamespace(type="cuda")

        def __bool__(self):
            raise AssertionError("a value was read")

    monkeypatch.setattr(_torch_modes, "is_torch", lambda x: True)
    assert _torch_modes.known_true(OnAGpu()) is False


def test_a_device_of_any_library_is_kept():
    there = array_api_strict.Device("device1")
    for name, call in CALLS.items():
        for other in ({}, {"dropout": 0.1}) if call.rest.get("weights") == "softmax" else ({},):
            with named(name, other):
                results = call(lambda x: array_api_strict.asarray(x, device=there), **other)
                assert {x.device for x in results} == {there}


# ---- where the entries lie


LAYOUTS = {
    "every second": lambda x: x.repeat(2, -1)[..., ::2],
    "reversed": lambda x: np.flip(np.flip(x).copy()),
    "columns first": np.asfortranarray,
    "one for all": lambda x: np.broadcast_to(x[:1], x.shape),
}


@pytest.mark.parametrize("make", [np.asarray, torch.from_numpy])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_in_memory_does_not_matter_nor_that_arrays_are_read_only(layout, make):
    if make is not np.asarray and layout == "reversed":
        pytest.skip("torch has no strides below 0")
    for name, call in CALLS.items():
        views = {key: LAYOUTS[layout](x) for key, x in call.arrays.items()}
        for path in call.paths:
            want = call.by(path)(make, **{key: np.ascontiguousarray(x) for key, x in views.items()})
            for x in views.values():
                x.flags.writeable = False
            with named(name, path), warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # torch warns that it could write to them
                got = call.by(path)(make, **views)
                for a, b in zip(got, want, strict=True):  # strided rows may be added up in another order
                    np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_every_axis_is_the_last_axis_moved(xp, axis):
    for name, call in calls(lead=(3, 5)).items():
        if not call.takes("axis"):
            continue
        arrays = {key: x for key, x in call.arrays.items()}
        wide = {
            key: x if key == "epsilon" else x.reshape((1,) * (3 - x.ndim) + x.shape) for key, x in arrays.items()
        }
        moved = {key: x if key == "epsilon" else np.moveaxis(x, -1, axis) for key, x in wide.items()}
        with named(name):
            (want,), (got,) = call(), call(xp.asarray, axis=axis, **moved)
            want = np.moveaxis(want, -1, axis) if want.ndim == 3 else want
            close(xp, got, want, 1e-12, 1e-13)


def test_each_row_may_have_its_own_beta_alpha_and_budget(xp):
    """And is what it would be alone, with numbers in their place."""
    for name, call in calls().items():
        for betas in ([0.7, -1.3, 1.0, 2.0, 0.01], [0.0, 0.5, inf, -0.5, -inf]):
            given = {"beta": np.array(betas)[:, None]} if call.takes("beta") else {}
            (whole,) = call(xp.asarray, **given)
            for k in range(5):
                row = {key: x[k] if len(x) == 5 else x for key, x in (call.arrays | given).items()}
                row |= {key: float(row[key].item()) for key in ("beta", "alpha", "epsilon") if key in row}
                with named(name, betas[k]):
                    (alone,) = call(xp.asarray, **row)
                    close(xp, whole[k, ...], xp.to_numpy(alone), 1e-13, 1e-14)


def test_beta_is_one_unless_given():
    for name, call in calls().items():
        if call.takes("beta") and call.function is not lib.objective:
            with named(name):
                np.testing.assert_array_equal(call.without("beta")(), call(beta=1.0))


# ---- what is left alone


def test_no_argument_is_ever_changed():
    for name, call in CALLS.items():
        arrays = {key: x.copy() for key, x in call.arrays.items()}
        for key in {"scores", "k"} & {*arrays}:
            arrays[key][0, ..., 0], arrays[key][1, ..., -1] = inf, -inf
        for x in arrays.values():
            x.flags.writeable = False
        for path in call.paths:
            with named(name, path), warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # torch warns that it could write to them
                call.by(path)(**arrays)
                tensors = {key: torch.from_numpy(x) for key, x in arrays.items()}
                before = {key: x.clone() for key, x in tensors.items()}
                call.by(path)(**tensors)
                torch.testing.assert_close(tensors, before, rtol=0, atol=0)
                assert not any(x._version for x in tensors.values())


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_what_underflows_is_no_error_even_where_numpy_is_told_to_raise(dtype):
    """Scores so far apart that weights and outputs, in half precision, are below the smallest normal number."""
    small = {"scores": -6.0, "k": 6.0, "v": 3e-6, "grad": 3e-6, "first": 1e-6, "second": 1e-6}
    for name, call in CALLS.items():
        far = {key: (small.get(key, 1.0) * x).astype(dtype) for key, x in call.floats.items()}
        for path in call.paths:
            with named(name, path), np.errstate(all="raise"):
                settings = np.geterr()
                call.by(path)(**far)
                assert np.geterr() == settings
