"""The helpers that know about array libraries: what they accept, what they say, what they leave alone."""

import math
import sys
import types

import numpy as np
import pytest
from optional_torch import torch

from lib import _arrays, _checks

forward_ad = torch.autograd.forward_ad


def test_numbers_are_numbers_and_arrays_are_not(xp):
    for x in (1, 1.5, True, np.float64(2), np.float32(2), np.float16(2), np.int8(2), math.inf):
        assert _arrays.is_number(x)
    for x in (xp.asarray(1.0), xp.asarray([1.0]), "1", None, 1j, [1]):
        assert not _arrays.is_number(x)


def test_a_torch_tensor_is_recognised_and_nothing_else():
    assert _arrays.is_torch(torch.ones(2))
    assert _arrays.is_torch(torch.nn.Parameter(torch.ones(2)))
    assert not any(_arrays.is_torch(x) for x in (np.ones(2), [1.0], 1.0, None, torch))


def test_the_working_dtype_is_the_widest_and_single_at_least(xp_any):
    dtype = _arrays.working_dtype(xp_any.namespace, xp_any.dtype)
    assert dtype == (xp_any.float64 if xp_any.dtype_name == "float64" else xp_any.float32)
    assert _arrays.working_dtype(xp_any.namespace, xp_any.dtype, xp_any.float64) == xp_any.float64


def test_half_and_bfloat_meet_in_single():
    xp = _arrays.namespace(x=torch.ones(1))
    assert _arrays.working_dtype(xp, torch.float16, torch.bfloat16) == torch.float32


def test_a_condition_is_known_only_if_it_may_be_read(xp):
    assert _arrays.known_true(xp.asarray([1.0])[0] > 0) is (xp.device == "cpu")
    assert _arrays.known_true(xp.asarray([1.0])[0] < 0) is False
    assert _arrays.known_true(torch.ones((), device="meta") > 0) is False
    seen = []
    torch.func.vmap(lambda x: (seen.append(_arrays.known_true((x > 0).any())), x)[1])(torch.ones(2, 3))
    assert seen == [False]


def test_a_gpu_is_never_asked_for_a_value(monkeypatch):
    class OnAGpu:
        is_cpu = False
        device = types.SimpleNamespace(type="cuda")

        def __bool__(self):
            raise AssertionError("a value was read")

    monkeypatch.setattr(_arrays, "is_torch", lambda x: True)
    assert _arrays.known_true(OnAGpu()) is False


def test_a_stopped_gradient_is_the_same_value_and_a_constant():
    x = torch.ones(3, requires_grad=True)
    assert not _arrays.stop_gradient(x).requires_grad
    assert torch.equal(_arrays.stop_gradient(x), x)
    y = np.ones(3)
    assert _arrays.stop_gradient(y) is y


def test_an_axis_is_counted_from_the_end(xp):
    x = xp.asarray(np.ones((2, 3, 5)))
    assert [_arrays.negative_axis(x, a) for a in (0, 1, 2, -1, -2, -3, np.int64(1))] == [
        -3,
        -2,
        -1,
        -1,
        -2,
        -3,
        -2,
    ]
    assert _arrays.size_along(x, -3) == 2
    assert _arrays.size_along(x, -4) == 1


def test_quiet_functions_keep_name_and_signature():
    import inspect

    import lib

    assert lib.log_softmax.__name__ == "log_softmax"
    assert list(inspect.signature(lib.log_softmax).parameters) == ["scores", "beta", "prior", "where", "axis"]
    assert list(inspect.signature(lib.beta_for_kl).parameters) == ["scores", "epsilon", "prior", "where", "axis"]
    assert "logarithm" in lib.log_softmax.__doc__
    assert "log_softmax_of(prepare(" in inspect.getsource(lib.log_softmax)


def test_arguments_may_be_given_by_name(xp):
    import lib

    x = xp.asarray([1.0, 2.0])
    np.testing.assert_array_equal(xp.to_numpy(lib.softmax(scores=x, beta=2.0)), xp.to_numpy(lib.softmax(x, 2.0)))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'scores'"):
        lib.softmax()


def test_what_is_prepared_is_cast_and_checked_once(xp_any):
    scores = xp_any.asarray([[1.0, 2.0, 3.0]])
    given = _checks.prepare(scores, 2, prior=xp_any.asarray([1.0, 1.0, 2.0]), axis=1)
    working = xp_any.float64 if xp_any.dtype_name == "float64" else xp_any.float32
    assert given.axis == -1
    assert given.dtype == xp_any.dtype
    assert given.scores.dtype == given.beta.dtype == given.prior.dtype == working
    assert float(given.beta) == 2
    assert given.where is None


def test_double_means_float64_for_all_but_the_scores(xp_any):
    scores = xp_any.asarray([[1.0, 2.0, 3.0]])
    given = _checks.prepare(scores, scores[:, :1], prior=scores, double=True)
    assert given.beta.dtype == given.prior.dtype == xp_any.float64
    assert given.scores.dtype == given.dtype == xp_any.dtype  # in half precision too


def test_one_argument_more_is_held_to_the_shapes_of_the_others(xp):
    given = _checks.prepare(xp.asarray(np.ones((3, 5))), xp.asarray(np.ones((3, 1))))
    assert _checks.one_more_argument(given, "alpha", 2, "1") == 2.0
    assert _checks.one_more_argument(given, "alpha", xp.asarray([2], dtype=xp.int64), "1").dtype == xp.float64
    assert _checks.one_more_argument(given, "bias", xp.asarray(np.ones(5)), "n or 1").shape == (5,)
    with pytest.raises(ValueError, match=r"alpha must have size 1 along axis -1.*alpha has shape \(5,\)"):
        _checks.one_more_argument(given, "alpha", xp.asarray(np.ones(5)), "1")
    with pytest.raises(ValueError, match=r"do not broadcast.*beta has shape \(3, 1\); alpha has shape \(2, 1\)"):
        _checks.one_more_argument(given, "alpha", xp.asarray(np.ones((2, 1))), "1")


def test_a_prior_without_the_axis_is_constant_along_it(xp):
    """scores (n, m) along axis −2 with a prior (m,): the same for all n."""
    scores = xp.asarray(np.ones((3, 5)))
    assert _checks.prepare(scores, 1.0, prior=xp.asarray(np.ones(5)), axis=0).prior.shape == (1, 5)
    with pytest.raises(ValueError, match="positive somewhere in every row"):
        _checks.prepare(scores, 1.0, prior=xp.asarray([1.0, 1.0, 0.0, 1.0, 1.0]), axis=0)


def test_numpy_is_quiet_within_a_quiet_function_and_torch_is_left_alone():
    @_arrays.quiet
    def what_numpy_does_about_a_division_by_zero(x=None, y=None, *, z=None):
        return np.geterr()["divide"], x, y, z

    f, tensor, array, loud = (
        what_numpy_does_about_a_division_by_zero,
        torch.ones(1),
        np.ones(1),
        np.geterr()["divide"],
    )
    assert f() == ("ignore", None, None, None)
    assert f(array, 2, z=3) == ("ignore", array, 2, 3)
    assert f(tensor, 2, z=3) == (loud, tensor, 2, 3)
    assert f(1, tensor) == (loud, 1, tensor, None)
    assert f(z=tensor) == (loud, None, None, tensor)


def test_an_eager_function_is_left_out_of_a_graph_and_of_nothing_else(monkeypatch):
    def function(x, *, y):
        return x, y

    left_out = []
    monkeypatch.setattr(torch.compiler, "disable", lambda f: left_out.append(f) or f)
    wrapped = _arrays.eager(function)
    assert wrapped(1, y=2) == (1, 2)
    assert left_out == []
    with monkeypatch.context() as m:
        m.setattr(torch.compiler, "is_compiling", lambda: True)
        assert wrapped(1, y=2) == (1, 2)
        assert left_out == [function]
    monkeypatch.delitem(sys.modules, "torch")  # where nobody has imported torch
    assert wrapped(1, y=2) == (1, 2)


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # torch's own
def test_what_torch_is_doing_is_said_in_words():
    plain, seen = torch.ones(2), []
    assert _arrays.active_transform([plain, 1.0, None]) is None
    torch.func.vmap(lambda x: seen.append(_arrays.active_transform([plain])) or x)(plain)
    assert seen == ["under a transform of torch.func"]
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(plain, plain)
        assert _arrays.active_transform([plain, 1.0, None]) is None
        assert _arrays.active_transform([1.0, dual]) == "in forward-mode differentiation"
    assert _arrays.active_transform([1.0, plain]) is None


def test_whether_torch_compiles_is_asked_of_torch_if_it_is_there(monkeypatch):
    assert not _arrays.compiling()
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    assert _arrays.compiling()
    monkeypatch.delitem(sys.modules, "torch")
    assert not _arrays.compiling()


def test_a_search_is_known_by_its_name_and_otherwise_as_it_was(monkeypatch):
    def _some_search():
        return 1

    monkeypatch.setattr(_arrays, "SEARCHES", {})
    assert _arrays.as_search(_some_search) is _some_search
    assert _arrays.SEARCHES["some_search"] is _some_search


def test_arrays_of_two_kinds_or_devices_are_named():
    with pytest.raises(TypeError, match=r"^arrays of two kinds: a is a NumPy array, b is a torch tensor$"):
        _arrays.namespace(a=np.ones(1), b=torch.ones(1))
    with pytest.raises(TypeError, match=r"^arrays on two devices: a is on cpu, b is on meta$"):
        _arrays.namespace(a=torch.ones(1), b=torch.ones(1, device="meta"))
    with pytest.raises(TypeError, match=r"^axis must be one integer; got 1\.0$"):
        _arrays.negative_axis(np.ones(3), 1.0)


def test_an_array_is_cast_only_if_it_has_to_be(xp):
    x = xp.asarray([1.0, 2.0])
    assert _arrays.cast(xp.namespace, x, x.dtype) is x
    assert _arrays.cast(xp.namespace, x, xp.float32).dtype == xp.float32
    assert _arrays.working_dtype(xp.namespace, xp.float32) == xp.float32


def test_one_row_gives_a_scalar_and_a_zero_is_one_to_divide_by(xp):
    assert xp.to_numpy(_arrays.or_one(xp.namespace, xp.asarray([0.0, 2.0, -3.0]))).tolist() == [1.0, 2.0, -3.0]
    assert isinstance(_arrays.drop_axis(np, np.ones(1), -1, np.float64), np.float64)


def test_a_sum_that_is_not_finite_is_seen():
    assert _arrays.all_finite(np, np.ones(3))
    assert not _arrays.all_finite(np, np.array([1.0, math.inf]))
    assert not _arrays.all_finite(torch, torch.tensor([1.0, math.nan]))
