"""Which array library is this? Its dtypes, its devices, and the checks on arguments. No maths.

Everything else in `lib` is written once, in the array-API standard, against the namespace
`xp` that `namespace` returns: NumPy, torch on the CPU or torch on CUDA.
"""

import functools
import math
import numbers
from typing import Any, NamedTuple

import array_api_compat
import numpy as np

is_torch = array_api_compat.is_torch_array


# ---- kinds, devices, dtypes


def kind(x):
    """What `x` is, in words for an error message."""
    if is_torch(x):
        return "a torch tensor"
    if isinstance(x, np.ndarray):
        return "a NumPy array"
    return f"{type(x).__module__}.{type(x).__qualname__}".removeprefix("builtins.")


def namespace(**arrays):
    """The array-API namespace shared by the named arguments; `None` is passed over.

    `TypeError` for anything that is not an array, and for arrays of two kinds or two devices.
    """
    given = [(name, x) for name, x in arrays.items() if x is not None]
    for name, x in given:
        if not array_api_compat.is_array_api_obj(x) or isinstance(x, (np.ma.MaskedArray, np.matrix)):
            raise TypeError(f"{name} must be a NumPy array or a torch tensor, e.g. np.asarray(...); got {kind(x)}")
    first, x = given[0]
    for name, y in given[1:]:
        if array_api_compat.array_namespace(x) is not array_api_compat.array_namespace(y):
            raise TypeError(f"arrays of two kinds: {first} is {kind(x)}, {name} is {kind(y)}")
        if array_api_compat.device(x) != array_api_compat.device(y):
            there, here = array_api_compat.device(x), array_api_compat.device(y)
            raise TypeError(f"arrays on two devices: {first} is on {there}, {name} on {here}")
    return array_api_compat.array_namespace(x)


def is_number(x):
    """A Python or NumPy real number (not an array of any rank)."""
    return isinstance(x, numbers.Real)


def float_dtype(xp, x, name="scores"):
    """The dtype of a result made from `x`: its own, or the default float for integers and booleans."""
    if xp.isdtype(x.dtype, "real floating"):
        return x.dtype
    if xp.isdtype(x.dtype, ("integral", "bool")):
        return xp.asarray(0.0).dtype
    raise TypeError(f"{name} must be real; got dtype {x.dtype}")


def working_dtype(xp, *dtypes):
    """The widest of `dtypes`, and float32 at least: half precision is only for storage."""
    widest = functools.reduce(xp.result_type, dtypes)
    return xp.float32 if xp.finfo(widest).bits < 32 else widest


def stop_gradient(x):
    """`x` as a constant: autograd, forward or backward, does not look behind it."""
    return x.detach() if is_torch(x) else x


def can_read(x):
    """May values of `x` steer Python? Not on an accelerator (it would wait), not while compiling."""
    if not is_torch(x):
        return True
    import torch

    return x.device.type == "cpu" and not torch.compiler.is_compiling()


def holds(condition):
    """True if the 0-d boolean array `condition` is true and may be read; never makes a GPU wait."""
    if not can_read(condition):
        return False
    try:
        return bool(condition)
    except RuntimeError:  # under vmap, or a fake tensor: there is no one value to read
        return False


def quiet(function):
    """Let a NumPy computation meet infinities without warnings, as torch does."""

    @functools.wraps(function)
    def wrapper(first, *args, **kwargs):
        if is_torch(first):
            return function(first, *args, **kwargs)
        with np.errstate(all="ignore"):
            return function(first, *args, **kwargs)

    return wrapper


# ---- arguments


def negative_axis(x, axis, name="scores", letters="(..., n)"):
    """`axis` counted from the end, so that it means the same after broadcasting."""
    if x.ndim == 0:
        raise ValueError(f"{name} must have shape {letters}; got a 0-d array: pass x[None] for one entry")
    if not isinstance(axis, numbers.Integral):
        raise TypeError(f"axis must be one integer; got {axis!r}")
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis must lie in [{-x.ndim}, {x.ndim - 1}] for {name} of shape {shape(x)}; got {axis}")
    return int(axis) if axis < 0 else int(axis) - x.ndim


def shape(x):
    return tuple(x.shape)


def size_along(x, axis):
    """Size along a negative `axis`; an axis that `x` does not have counts as 1."""
    return x.shape[axis] if x.ndim >= -axis else 1


def check_fit(name, x, against, scores, axis, sizes, letters):
    """`ValueError` unless `x` broadcasts against `scores` and has one of `sizes` along `axis`."""
    fits = size_along(x, axis) in sizes and all(
        a == b or a == 1 or b == 1
        for a, b in zip(reversed(shape(x)), reversed(shape(scores)), strict=False)
    )
    if not fits:
        raise ValueError(
            f"{name} must have shape {letters} along axis {axis} and broadcast against {against} (..., n): "
            f"{name} has shape {shape(x)}, {against} {shape(scores)}"
        )


def check_beta(beta, scores, axis):
    """β is a number, or an array that does not vary along `axis`; NaN is refused where it can be read."""
    if is_number(beta):
        if math.isnan(beta):
            raise ValueError(f"beta must not be NaN: got {beta}; any number is allowed, also 0, negative and ±inf")
        return
    xp = namespace(scores=scores, beta=beta)
    check_fit("beta", beta, "scores", scores, axis, (1,), "(..., 1)")
    if holds(xp.any(xp.isnan(stop_gradient(beta)))):
        raise ValueError("beta must not be NaN: got nan; any number is allowed, also 0, negative and ±inf")


def check_prior(prior, scores, axis):
    """A prior is finite, non-negative and not all zero in any row; it need not be normalised."""
    xp = namespace(scores=scores, prior=prior)
    check_fit("prior", prior, "scores", scores, axis, (1, scores.shape[axis]), "(..., n)")
    u = stop_gradient(prior)
    rule = "priors are finite, non-negative and not all zero; they need not be normalised"
    for wrong, what in (
        (lambda: xp.isnan(u), "nan"),
        (lambda: xp.isinf(u), "inf"),
        (lambda: u < 0, "a negative entry"),
        (lambda: xp.all(u == 0, axis=axis), "only zeros in a row"),
    ):
        if math.prod(u.shape) and can_read(u) and holds(xp.any(wrong())):
            raise ValueError(f"prior must not hold {what}: {rule}")


def check_where(where, scores, axis):
    xp = namespace(scores=scores, where=where)
    if not xp.isdtype(where.dtype, "bool"):
        raise TypeError(f"where must be boolean, True = takes part; got dtype {where.dtype}")
    check_fit("where", where, "scores", scores, axis, (1, scores.shape[axis]), "(..., n)")


class Arguments(NamedTuple):
    """What every score-to-weight map starts from: checked, and cast to one working dtype."""

    xp: Any
    scores: Any  # (..., n)
    beta: Any  # broadcasts against scores, size 1 along axis
    prior: Any  # (..., n), or None for the uniform prior
    where: Any  # (..., n) boolean, or None for all
    axis: int  # negative
    dtype: Any  # of the result


def prepare(scores, beta=1.0, prior=None, where=None, axis=-1):
    """Check the arguments that all maps share and bring them to one dtype."""
    xp = namespace(scores=scores)
    axis = negative_axis(scores, axis)
    dtype = float_dtype(xp, scores)
    floats = [dtype]
    check_beta(beta, scores, axis)
    if not is_number(beta):
        floats.append(float_dtype(xp, beta, "beta"))
    if prior is not None:
        check_prior(prior, scores, axis)
        floats.append(float_dtype(xp, prior, "prior"))
    if where is not None:
        check_where(where, scores, axis)
    working = working_dtype(xp, *floats)

    def cast(x):
        return xp.astype(x, working, copy=False)

    if is_number(beta):
        # full, not asarray: on a GPU nothing is copied over, so nothing waits
        beta = xp.full((), float(beta), dtype=working, device=array_api_compat.device(scores))
    prior = None if prior is None else cast(prior)
    return Arguments(xp, cast(scores), cast(beta), prior, where, axis, dtype)
