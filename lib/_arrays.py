"""Which array library is this? Its dtypes, its devices, its shapes, and what may be asked of them. No maths.

Everything else in `lib` is written once, in the array-API standard, against the namespace
`xp` that `namespace` returns: NumPy, torch on the CPU or torch on CUDA.
"""

import functools
import math
import numbers
import sys
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, overload

import array_api_compat
import array_api_compat.numpy
import numpy as np

from ._autocast import apart, autocast_dtype, autocast_is_around


class Array(Protocol):
    """What a NumPy array and a torch tensor have in common, for annotations.

    A result of the same shape and dtype is of the same type, `ArrayT`; of any other only the docstring can tell.
    """

    @property
    def ndim(self) -> int: ...
    @property
    def shape(self) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def device(self) -> Any: ...


ArrayT = TypeVar("ArrayT", bound=Array)
Function = TypeVar("Function", bound=Callable)

# ---- kinds, devices, dtypes


def imported_torch():
    """torch, if it has been imported; None while another thread is still at it, as there are no tensors yet."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "compiler") else None


def is_torch(x):
    """Is `x` a torch tensor? Asks without importing torch, and in a way that torch.compile can follow."""
    torch = sys.modules.get("torch")
    return hasattr(torch, "Tensor") and isinstance(x, torch.Tensor)  # another thread may be importing it


def kind(x):
    """What `x` is, in words for an error message."""
    if is_torch(x):
        return "a torch tensor"
    if type(x) is np.ndarray:
        return "a NumPy array"
    return f"{type(x).__module__}.{type(x).__qualname__}".removeprefix("builtins.")


def namespace_of(x):
    """The array-API namespace of one array."""
    if type(x) is np.ndarray:
        return array_api_compat.numpy
    if is_torch(x):
        import array_api_compat.torch as xp

        return xp
    return array_api_compat.array_namespace(x)


def namespace(**arrays):
    """The array-API namespace that the named arguments share.

    `TypeError` for what is not an array, and for arrays of two kinds or on two devices.
    """
    for name, x in arrays.items():
        if type(x) is np.ndarray:
            continue
        if is_torch(x):
            if advice := _advice_on_tensor(x):
                what, instead = advice
                raise TypeError(f"{name} must be a dense tensor; got {what}: pass {instead.format(name)}")
        elif not array_api_compat.is_array_api_obj(x) or _advice_on_array(x):
            beside = "torch.tensor(...)" if any(is_torch(y) for y in arrays.values()) else "np.asarray(...)"
            instead = (_advice_on_array(x) or beside).format(name)
            raise TypeError(f"{name} must be a NumPy array or a torch tensor; got {kind(x)}: pass {instead}")
    (first, x), *others = arrays.items()
    xp = namespace_of(x)
    for name, y in others:
        if type(y) is not type(x) and namespace_of(y) is not xp:
            raise TypeError(f"arrays of two kinds: {first} is {kind(x)}, {name} is {kind(y)}")
        if y.device != x.device:
            raise TypeError(f"arrays on two devices: {first} is on {x.device}, {name} is on {y.device}")
    return xp


def _advice_on_tensor(x):
    """What a tensor is, and what to pass in its place, if it is not a block of numbers; else None."""
    import torch

    if x.is_nested:
        return (
            "a nested one",
            "torch.nested.to_padded_tensor({0}, 0.0), and which entries are real by where or lengths",
        )
    if x.layout is not torch.strided:
        return f"one of layout {x.layout}", "{0}.to_dense()"
    if x.is_quantized:
        return "a quantised one", "{0}.dequantize()"
    if type(x) is not torch.Tensor and type(x).__name__ == "MaskedTensor":
        return "a masked one", "{0}.get_data(), where={0}.get_mask()"
    return None


def _advice_on_array(x):
    """What to pass in place of an array that is not a block of numbers; None if it is one."""
    if isinstance(x, np.ma.MaskedArray):
        return "{0}.data, where=~{0}.mask"
    if isinstance(x, np.matrix):
        return "np.asarray({0})"
    if array_api_compat.is_dask_array(x):
        return "{0}.compute()"
    if array_api_compat.is_pydata_sparse_array(x):
        return "{0}.todense()"
    return "{0}.toarray()" if hasattr(x, "toarray") else None  # of SciPy


def present(**arguments):
    """Those of the arguments that are not None, by name."""
    return {name: x for name, x in arguments.items() if x is not None}


def is_number(x):
    """Is `x` a real number of Python or NumPy, or the symbol of one? An array is not, not even a 0-d one."""
    # The first test is quick, and settles most calls.
    if type(x) in (float, int) or isinstance(x, numbers.Real):
        return True
    torch = imported_torch()
    return torch is not None and isinstance(x, (torch.SymFloat, torch.SymInt))


def is_integer(x):
    """Is `x` an integer of Python or NumPy, or stands for one in a recorded program? True and False are not."""
    if type(x) is int:
        return True
    if isinstance(x, numbers.Integral):
        return not isinstance(x, bool)
    torch = imported_torch()
    if torch is None:
        return False
    if isinstance(x, torch.SymInt):
        return True
    size_in_a_trace = not compiling() and torch._C._is_tracing() and isinstance(x, torch.Tensor) and x.ndim == 0
    return size_in_a_trace and not x.is_floating_point()


def as_int(x):
    """An integer of NumPy, which may have 8 bits, as one of Python, which never overflows; others as they are."""
    return int(x) if isinstance(x, numbers.Integral) else x


def as_float(x):
    """A number as a Python float; the symbol of one stays a symbol, since `float` would make a constant of it."""
    torch = imported_torch()
    return x if torch is not None and isinstance(x, torch.SymFloat) else float(x)


def array_or_none(name, x):
    """The argument `x` if it is an array, None if it is a number; `TypeError` if it was left out."""
    if x is None:
        raise TypeError(f"{name} must be a number or an array; got None")
    return None if is_number(x) else x


def float_dtype(xp, x, name="scores"):
    """The dtype of a result made from `x`: its own, or the default float for integers and booleans."""
    if xp.isdtype(x.dtype, "real floating"):
        return x.dtype
    if xp.isdtype(x.dtype, ("integral", "bool")):
        return xp.asarray(0.0).dtype
    raise TypeError(f"{name} must be real numbers; got dtype {x.dtype}")


def widest_dtype(xp, dtypes):
    """The dtype to which these are promoted, by a function that torch.compile can follow."""
    first, *others = set(dtypes)
    return functools.reduce(getattr(xp, "promote_types", xp.result_type), others, first) if others else first


def working_dtype(xp, *dtypes):
    """The widest of `dtypes`, and float32 at least: half precision is for storage, not for sums."""
    widest = widest_dtype(xp, dtypes)
    if isinstance(widest, np.dtype) and not widest.isnative:
        widest = native(widest)
    return widest if widest in (xp.float32, xp.float64) or xp.finfo(widest).bits >= 32 else xp.float32


def native(dtype):
    """The dtype in this machine's order of bytes; arrays that were read from a file may have the other."""
    return dtype.newbyteorder("=") if isinstance(dtype, np.dtype) else dtype


def cast(xp, x, dtype):
    """`x` in `dtype`, without a copy where it is so already."""
    if type(x) is np.memmap:  # which is an array like others, but that each step would make another
        x = np.asarray(x)
    return x if x.dtype == dtype else xp.astype(x, dtype)


def cumulative_sum(xp, x, axis):
    """Running sums along `axis`; torch.compile warns of what array_api_compat does in its own."""
    return x.cumsum(axis) if is_torch(x) else xp.cumulative_sum(x, axis=axis)


def matrix_product(a, b):
    """a @ b for two axes and more, with a gradient that is computed without autocast where this is."""
    if is_torch(a) and autocast_is_around():
        from ._product_autograd import product  # only now, since NumPy arrays do not need torch

        return product(a, b)
    return a @ b


def or_one(xp, x):
    """`x` with 1 in place of 0: safe to divide by or to take the logarithm of, for autograd too."""
    return xp.where(x == 0, 1.0, x)


def highest(xp, x, axis):
    """The maximum along `axis`, (..., n) -> (..., 1); −inf for n = 0."""
    if x.shape[axis] == 0:
        return xp.sum(x, axis=axis, keepdims=True) - math.inf
    return xp.max(x, axis=axis, keepdims=True)


def highest_ordinary(limits):
    """How high the best score of a row may be if no gap to another is to overflow, by the limits of its dtype.

    A gap that exceeds the largest float by less than half its spacing is rounded to that float, not to infinity.
    """
    return float(limits.max) * float(limits.eps) / 4


def drop_axis(xp, x, axis, dtype):
    """(..., 1) -> (...) in the dtype of the result; a single row gives a scalar, as a sum does."""
    x = cast(xp, xp.squeeze(x, axis=axis), dtype)
    return x[()] if x.ndim == 0 else x


# ---- reading values, where that is possible; what torch is doing
#
# Torch tells some of it under private names alone. They stand here, but for three that
# `lib.fast.sdpa_derivative` lists: in `is_integer` and `recording` `_is_tracing`; in `recording`
# `_dispatch_tls_is_dispatch_key_included`, `_len_torch_dispatch_stack` and `proxy_tensor.get_proxy_mode`; in
# `readable` `FakeTensor`; in `active_transform` `_are_functorch_transforms_active`; in `is_many`
# `is_batchedtensor` and `is_legacy_batchedtensor`.


def stop_gradient(x):
    """`x` as a constant: no derivative, forward or backward, goes through it."""
    return x.detach() if is_torch(x) else x


def known_true(condition):
    """True if the 0-d boolean array `condition` can be read now and is true; False also where it cannot."""
    return known(condition, bool, False)


def known(x, to=float, unknown=math.nan):
    """The value of a 0-d array, or `unknown` where it cannot be read now.

    On a GPU it is not read, since the program would wait for it, nor while a program is recorded, since that
    breaks the graph, or leaves in it what is true of the example alone.
    """
    if is_torch(x) and (not x.is_cpu or recording()):
        return unknown
    try:
        return to(x)
    except RuntimeError:  # it is one of many under vmap, or a fake one
        if x.ndim > 0:
            raise
        return unknown


def all_finite(xp, x):
    """True if `x` can be read and its sum is finite: then all values are. The sum of large ones may overflow."""
    return known_true(xp.isfinite(xp.sum(x)))


def readable(x):
    """May values be read, of a tensor too? For a GPU the program would wait; a graph and a fake have none yet."""
    if not is_torch(x):
        return True
    from torch._subclasses import FakeTensor

    return x.is_cpu and not recording() and not isinstance(x, FakeTensor)


def wants_gradient(arguments):
    """Does autograd follow what torch computes from these tensors, numbers and None?"""
    import torch

    return torch.is_grad_enabled() and any([isinstance(x, torch.Tensor) and x.requires_grad for x in arguments])


def compiling():
    """Is torch.compile or torch.export tracing this?"""
    torch = imported_torch()
    return torch is not None and torch.compiler.is_compiling()


def recording():
    """Is torch recording a program from this call, to be run on other values, so that none must be read?

    By torch.compile, torch.export, torch.jit.trace, make_fx, or the exporters to ONNX that are built on them.
    """
    torch = sys.modules.get("torch")
    if not hasattr(torch, "compiler"):
        return False  # another thread may be importing it
    if torch.compiler.is_compiling() or torch._C._is_tracing():
        return True
    before_dispatch = torch._C._dispatch_tls_is_dispatch_key_included(torch._C.DispatchKey.PreDispatch)
    if not before_dispatch and torch._C._len_torch_dispatch_stack() == 0:
        return False  # as nearly always, and known sooner than what follows
    from torch.fx.experimental.proxy_tensor import get_proxy_mode

    return get_proxy_mode() is not None


def watched():
    """Does something follow torch's operations, to which a kernel that is called through NumPy would be hidden?

    A recorded program, but also a mode that counts operations or gives fake tensors.
    """
    torch = imported_torch()
    return torch is not None and (torch._C._len_torch_dispatch_stack() > 0 or recording())


def active_transform(arrays):
    """What torch is doing, in words, if it needs more than values and gradients; else None.

    A compiled kernel has no derivative but its gradient, so it must not be used then.
    """
    import torch

    if torch._C._are_functorch_transforms_active():
        return "under a transform of torch.func"
    dual = torch.autograd.forward_ad.unpack_dual  # outside of `dual_level` no tensor has a tangent
    forward = any(dual(x).tangent is not None for x in arrays if isinstance(x, torch.Tensor))
    return "in forward-mode differentiation" if forward else None


def is_many(x):
    """Is this a tensor that stands for many, under vmap: of torch.func, or of `is_grads_batched`?"""
    import torch

    one_of_many = torch._C._functorch.is_batchedtensor, torch._C._functorch.is_legacy_batchedtensor
    return isinstance(x, torch.Tensor) and any(ask(x) for ask in one_of_many)


def savable(x):
    """The tensor, or a copy if it was made in inference mode, which autograd does not keep."""
    return x.clone() if x.is_inference() else x


@overload
def quiet(function: Function) -> Function: ...
@overload
def quiet(*, rounded: int) -> Callable[[Function], Function]: ...
def quiet(function=None, *, rounded=0):
    """Wrap `function` so that NumPy gives no warning of infinities and NaN, as torch gives none; and no autocast.

    Under torch's autocast it is computed as outside, and the first results, as many as `rounded`, take its dtype.
    """
    if function is None:
        return functools.partial(quiet, rounded=rounded)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        for x in args if args and is_torch(args[0]) else (*args, *kwargs.values()):
            if is_torch(x):
                if autocast_dtype(x) is None:
                    return function(*args, **kwargs)
                return apart(function, x, rounded, args, kwargs)
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)

    return wrapper


def eager(function):
    """Wrap a function with a long loop, so that torch.compile runs it as it stands, without unrolling the loop."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        torch = imported_torch()
        if torch is not None and torch.compiler.is_compiling():
            return torch.compiler.disable(function)(*args, **kwargs)
        return function(*args, **kwargs)

    return wrapper


# ---- shapes


def negative_axis(x, axis, name="scores"):
    """`axis` counted from the end, so that it means the same after broadcasting."""
    if x.ndim == 0:
        raise ValueError(f"{name} must have shape (..., n); got a 0-d array: pass {name}[None] for one entry")
    if not is_integer(axis):
        raise TypeError(f"axis must be one integer; got {axis!r}")
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis must lie from {-x.ndim} to {x.ndim - 1} for {name} {tuple(x.shape)}; got {axis}")
    return int(axis) if axis < 0 else int(axis) - x.ndim


def size_along(x, axis):
    """Size along a negative `axis`; an axis that `x` does not have counts as 1."""
    return x.shape[axis] if x.ndim >= -axis else 1


def check_shapes(axis, letters, **arrays):
    """`ValueError` unless the arrays broadcast together without growing the first along `axis`.

    `letters` says what each should have along `axis`: "n" (the first array's size), "1", or "n or 1".
    """
    arrays = {name: x for name, x in arrays.items() if x is not None and not is_number(x)}
    (first, x), *others = arrays.items()
    for name, y in others:
        size, allowed = size_along(y, axis), letters[name]
        if not (("n" in allowed and size == x.shape[axis]) or ("1" in allowed and size == 1)):
            what = f"{name} must have size {allowed} along axis {axis} of {first} (..., n)"
            raise ValueError(f"{what}: {listed(arrays)}")
    for k in range(1, max(y.ndim for y in arrays.values()) + 1):
        sizes = [size_along(y, -k) for y in arrays.values() if size_along(y, -k) != 1]
        if any(size != sizes[0] for size in sizes):
            raise ValueError(f"these do not broadcast together, {first} being (..., n): {listed(arrays)}")


def listed(arrays):
    """The shapes, for an error message."""
    return "; ".join(f"{name} has shape {tuple(x.shape)}" for name, x in arrays.items())
