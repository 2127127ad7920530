"""Which array library is this? Its dtypes, its devices, and the checks on arguments. No maths.

Everything else in `lib` is written once, in the array-API standard, against the namespace
`xp` that `namespace` returns: NumPy, torch on the CPU or torch on CUDA.
"""

import functools
import math
import numbers
import sys
from typing import Any, NamedTuple, TypeVar

import array_api_compat
import numpy as np

Array = TypeVar("Array")  # a NumPy array or a torch tensor; what goes in comes out

# ---- kinds, devices, dtypes


def is_torch(x):
    """Is `x` a torch tensor? Asks without importing torch, and in a way that torch.compile can follow."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def kind(x):
    """What `x` is, in words for an error message."""
    if is_torch(x):
        return "a torch tensor"
    if type(x) is np.ndarray:
        return "a NumPy array"
    return f"{type(x).__module__}.{type(x).__qualname__}".removeprefix("builtins.")


def namespace_of(x):
    if is_torch(x):
        import array_api_compat.torch as xp

        return xp
    return array_api_compat.array_namespace(x)


def namespace(**arrays):
    """The array-API namespace that the named arguments share; `None` after the first is passed over.

    `TypeError` for what is not an array, and for arrays of two kinds or on two devices.
    """
    (first, x), *others = arrays.items()
    given = {first: x} | {name: y for name, y in others if y is not None}
    for name, x in given.items():
        known = is_torch(x) or array_api_compat.is_array_api_obj(x)
        if not known or isinstance(x, (np.ma.MaskedArray, np.matrix)):
            raise TypeError(f"{name} must be a NumPy array or a torch tensor; got {kind(x)}: pass np.asarray(...)")
    (first, x), *others = given.items()
    xp = namespace_of(x)
    for name, y in others:
        if namespace_of(y) is not xp:
            raise TypeError(f"arrays of two kinds: {first} is {kind(x)}, {name} is {kind(y)}")
        if y.device != x.device:
            raise TypeError(f"arrays on two devices: {first} is on {x.device}, {name} is on {y.device}")
    return xp


def is_number(x):
    """A Python or NumPy real number; not an array, of whatever rank."""
    return isinstance(x, numbers.Real)


def array_or_none(name, x):
    """None where a number stands in for the array `x`; leaving it out is neither."""
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


def working_dtype(xp, *dtypes):
    """The widest of `dtypes`, and float32 at least: half precision is for storage, not for sums."""
    widest = functools.reduce(xp.result_type, dtypes)
    return xp.float32 if xp.finfo(widest).bits < 32 else widest


def cast(xp, x, dtype):
    return xp.astype(x, dtype, copy=False)


def or_one(xp, x):
    """`x` with 1 in place of 0: safe to divide by or to take the logarithm of, for autograd too."""
    return xp.where(x == 0, 1.0, x)


def drop_axis(xp, x, axis, dtype):
    """(..., 1) -> (...) in the dtype of the result; a single row gives a scalar, as a sum does."""
    x = cast(xp, xp.squeeze(x, axis=axis), dtype)
    return x[()] if x.ndim == 0 else x


# ---- values that may or may not be looked at


def stop_gradient(x):
    """`x` as a constant: autograd, forward or backward, does not look behind it."""
    return x.detach() if is_torch(x) else x


def holds(condition):
    """True if the 0-d boolean array `condition` may be read and is true.

    A GPU is never made to wait for an answer, and a graph that is being compiled is not broken.
    """
    if is_torch(condition):
        import torch

        if condition.device.type != "cpu" or torch.compiler.is_compiling():
            return False
    try:
        return bool(condition)
    except RuntimeError:  # under vmap, or for a fake tensor, there is no one value to read
        return False


def all_finite(xp, x):
    """True if `x` may be read and nothing in it is infinite or NaN; in one pass, so not if the sum overflows."""
    return holds(xp.isfinite(xp.sum(x)))


def transform(arrays):
    """What keeps torch from running a function of these arrays just as it stands, in words; or None.

    A kernel, and whatever else has a gradient of its own and no other derivative, is not for such calls.
    """
    import torch
    from torch.autograd.forward_ad import unpack_dual

    if torch.compiler.is_compiling():
        return "while compiling"
    if torch._C._are_functorch_transforms_active():
        return "under a transform of torch.func"
    if any(is_torch(x) and unpack_dual(x).tangent is not None for x in arrays):
        return "in forward-mode differentiation"
    return None


def quiet(function):
    """Let a NumPy computation meet infinities without a warning, as torch does."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if any(is_torch(x) for x in (*args, *kwargs.values())):
            return function(*args, **kwargs)
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)

    return wrapper


def eager(function):
    """Leave a long iteration out of compiled graphs: torch.compile runs it as it stands."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        torch = sys.modules.get("torch")
        if torch is not None and torch.compiler.is_compiling():
            return torch.compiler.disable(function)(*args, **kwargs)
        return function(*args, **kwargs)

    return wrapper


# ---- shapes


def negative_axis(x, axis, name="scores"):
    """`axis` counted from the end, so that it means the same after broadcasting."""
    if x.ndim == 0:
        raise ValueError(f"{name} must have shape (..., n); got a 0-d array: pass {name}[None] for one entry")
    if not isinstance(axis, numbers.Integral):
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


# ---- the arguments that every score-to-weight map shares


def check_beta(xp, beta):
    """Any number but NaN."""
    # x != x, not isnan: torch.compile may trace the number
    if beta != beta if is_number(beta) else holds(xp.any(xp.isnan(stop_gradient(beta)))):
        raise ValueError("beta must not be NaN: got nan; any other number is allowed, also 0, negative and ±inf")


def check_alpha(xp, alpha):
    """1 at least, and finite."""
    wrong = ~(alpha >= 1) | xp.isinf(alpha) if not is_number(alpha) else None
    if (not 1 <= alpha < math.inf) if wrong is None else holds(xp.any(stop_gradient(wrong))):
        value = alpha if wrong is None else float(alpha[wrong][0])
        raise ValueError(f"alpha must be at least 1 and finite; got {value}")


def check_prior(xp, prior, axis):
    """Finite and non-negative, with a positive entry in every row; it need not be normalised."""
    u = stop_gradient(prior)
    for bad in (xp.isnan(u), u < 0, u == math.inf):
        if holds(xp.any(bad)):
            raise ValueError(f"prior must be finite and not negative; got {float(u[bad][0])}")
    total = xp.sum(u, axis=axis)
    if holds(xp.any(total == 0)) and u.shape[axis] > 0:
        raise ValueError("prior must be positive somewhere in every row; got 0.0 everywhere in one")
    if holds(xp.any(total == math.inf)):
        raise ValueError(f"prior must have a finite sum in {u.dtype}; got inf")


class Arguments(NamedTuple):
    """What every score-to-weight map starts from: checked, and cast to one working dtype."""

    xp: Any
    scores: Any  # (..., n)
    beta: Any  # size 1 along axis, or 0-d
    prior: Any  # (..., n), or None for the uniform prior
    where: Any  # (..., n) boolean, or None for everything
    axis: int  # counted from the end
    dtype: Any  # of the result


def prepare(scores, beta=1.0, prior=None, where=None, axis=-1, double=False):
    """Check the arguments that all maps share, in one dtype; all but the scores in float64 if `double`."""
    given_beta = array_or_none("beta", beta)
    xp = namespace(scores=scores, beta=given_beta, prior=prior, where=where)
    axis = negative_axis(scores, axis)
    letters = {"beta": "1", "prior": "n or 1", "where": "n or 1"}
    check_shapes(axis, letters, scores=scores, beta=given_beta, prior=prior, where=where)
    if where is not None and not xp.isdtype(where.dtype, "bool"):
        raise TypeError(f"where must be boolean, True = takes part; got dtype {where.dtype}")
    check_beta(xp, beta)

    dtype = float_dtype(xp, scores)
    others = {"beta": given_beta, "prior": prior}
    floats = [float_dtype(xp, x, name) for name, x in others.items() if x is not None]
    working = working_dtype(xp, dtype, *floats)
    scores, working = cast(xp, scores, working), xp.float64 if double else working
    if prior is not None:
        prior = cast(xp, prior, working)
        prior = xp.reshape(prior, (1,) * (-axis - prior.ndim) + tuple(prior.shape))  # so that it has the axis
        check_prior(xp, prior, axis)
    if given_beta is None:
        if abs(beta) > xp.finfo(working).max:
            beta = math.inf if beta > 0 else -math.inf
        # full, not asarray: on a GPU nothing is copied over, so nothing waits
        beta = xp.full((), float(beta), dtype=working, device=scores.device)
    return Arguments(xp, scores, cast(xp, beta, working), prior, where, axis, dtype)


def besides(given, name, x, size):
    """One argument more than all maps share: a float, or an array of `size` along the axis, checked and cast."""
    array = array_or_none(name, x)
    if array is None:
        return float(x)
    namespace(scores=given.scores, **{name: x})
    float_dtype(given.xp, x, name)
    letters = {"beta": "1", "prior": "n or 1", "where": "n or 1", name: size}
    shared = {k: getattr(given, k) for k in ("scores", "beta", "prior", "where")}
    check_shapes(given.axis, letters, **shared, **{name: x})
    return cast(given.xp, x, given.beta.dtype)
