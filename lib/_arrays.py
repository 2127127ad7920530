"""Which array library is this? Its dtypes, its devices, and small operations that the array API lacks.

Everything else in `lib` is written once, in the array-API standard, against the namespace `xp` that `namespace`
returns: NumPy, and torch on the CPU or on CUDA (for which there are tests that have not been run yet).
"""

import functools
import math
import numbers
from typing import Any, Protocol, TypeVar

import array_api_compat
import array_api_compat.numpy
import numpy as np

from ._torch_modes import autocast_is_around, imported_torch, is_torch, is_traced_size

FAR = 1 << 60  # tokens: no sequence is so long, and to add a few to it is no overflow


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
Real = float | Array  # a number, or an array that holds one for each row

# ---- kinds, devices, dtypes


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
        padded = "torch.nested.to_padded_tensor({0}, 0.0), and which entries are real by where or lengths"
        return "a nested one", padded
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
    """Is `x` an integer of Python or NumPy, or stands for one in a traced program? True and False are not."""
    if isinstance(x, numbers.Integral):
        return not isinstance(x, bool)
    return is_traced_size(x)


def as_int(x):
    """An integer of NumPy, which may have 8 bits, as one of Python, which never overflows; others as they are."""
    return int(x) if isinstance(x, numbers.Integral) else x


def as_position(x):
    """An integer that counts tokens, as one that stays an integer of 64 bits if a few are added to it."""
    return max(-FAR, min(as_int(x), FAR))


def as_float(x):
    """A number as a Python float; the symbol of one stays a symbol, since `float` would make a constant of it."""
    torch = imported_torch()
    return x if torch is not None and isinstance(x, torch.SymFloat) else float(x)


def float_dtype(xp, x, name="scores"):
    """The dtype of a result made from `x`: its own, or the default float for integers and booleans."""
    if xp.isdtype(x.dtype, "real floating"):
        return x.dtype
    if xp.isdtype(x.dtype, ("integral", "bool")):
        return xp.asarray(0.0).dtype
    raise TypeError(f"{name} must be real numbers; got dtype {x.dtype}")


def widest(xp, dtypes):
    """The dtype to which these are promoted, by a function that torch.compile can follow."""
    first, *others = set(dtypes)
    return functools.reduce(getattr(xp, "promote_types", xp.result_type), others, first) if others else first


def working_dtype(xp, *dtypes):
    """The widest of `dtypes`, and float32 at least: half precision is for storage, not for sums."""
    dtype = widest(xp, dtypes)
    if isinstance(dtype, np.dtype) and not dtype.isnative:
        dtype = native(dtype)
    return dtype if dtype in (xp.float32, xp.float64) or xp.finfo(dtype).bits >= 32 else xp.float32


def dtypes_of(xp, arrays):
    """By name the dtype of a result made from each of the arrays; and the one in which to compute."""
    dtypes = {name: float_dtype(xp, x, name) for name, x in arrays.items()}
    return dtypes, working_dtype(xp, *dtypes.values())


def native(dtype):
    """The dtype in this machine's order of bytes; arrays that were read from a file may have the other."""
    return dtype.newbyteorder("=") if isinstance(dtype, np.dtype) else dtype


def cast(xp, x, dtype):
    """`x` in `dtype`, without a copy where it is so already."""
    if type(x) is np.memmap:  # which is an array like others, but that each step would make another
        x = np.asarray(x)
    return x if x.dtype == dtype else xp.astype(x, dtype)


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


def integers(xp, name, x):
    """A copy of the array `x` in the library's index dtype; `TypeError` if it holds no integers."""
    if not xp.isdtype(x.dtype, "integral"):
        raise TypeError(f"{name} must hold integers; got dtype {x.dtype}")
    if isinstance(x, np.ndarray):
        x = np.minimum(x, FAR) if x.dtype == np.uint64 else x
        return np.clip(x.astype(np.int64), -FAR, FAR)
    return xp.clip(xp.astype(x, xp.int64), -FAR, FAR)


def for_each_item(xp, name, x, leading):
    """An argument (batch,) as (batch, 1, ...), with as many axes as `leading`, copied; or an integer."""
    if is_integer(x):
        return as_position(x)
    if not leading or tuple(x.shape) != leading[:1]:
        raise ValueError(
            f"{name} must have shape (batch,), batch being the first axis of the scores (batch, ..., n_q, n_k): "
            f"{name} has shape {tuple(x.shape)}, the leading axes are {leading}"
        )
    return xp.reshape(integers(xp, name, x), (-1,) + (1,) * (len(leading) - 1))


def positions(n_q, n_k, offset, like):
    """Where the queries are, (..., n_q, 1), and where the keys are, (n_k,)."""
    if is_integer(offset):
        model, start = np.empty(0) if like is None else like, offset
        xp = namespace(like=model)
    else:
        xp, model = namespace(offset=offset, **present(like=like)), offset
        start = integers(xp, "offset", offset)[..., None, None]  # (...) -> (..., 1, 1)
    queries, keys = xp.arange(n_q, device=model.device), xp.arange(n_k, device=model.device)
    return start + queries[:, None], keys
