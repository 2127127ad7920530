"""The arguments that the score-to-weight maps share: scores, β, prior, mask, axis. Checked once, in one dtype."""

import math
from typing import Any, NamedTuple

import numpy as np

from ._arrays import as_float, cast, dtypes_of, is_integer, is_number, kind, namespace, native, present
from ._torch_modes import is_torch, known_true, stop_gradient

LOWEST_PRIOR = 1e-300  # for a prior that underflows: 0 in its place would mask the key
SIZES = {"beta": "1", "prior": "n or 1", "where": "n or 1"}  # along the axis of the scores, for `check_shapes`


def check_beta(xp, beta):
    """`ValueError` if β is NaN; any other number is allowed."""
    # NaN alone differs from itself; torch.compile can follow this for a number that it traces
    if beta != beta if is_number(beta) else known_true(xp.any(xp.isnan(stop_gradient(beta)))):
        raise ValueError("beta must not be NaN: got nan; any other number is allowed, also 0, negative and ±inf")


def check_sink(xp, sink):
    """`ValueError` if the score of the empty place is NaN; any other number is allowed."""
    if sink != sink if is_number(sink) else known_true(xp.any(xp.isnan(stop_gradient(sink)))):
        raise ValueError("sink must not be NaN: got nan; any other number is allowed, also ±inf")


def check_alpha(xp, alpha):
    """`ValueError` unless α is at least 1 and finite."""
    wrong = ~(alpha >= 1) | xp.isinf(alpha) if not is_number(alpha) else None
    if (not 1 <= alpha < math.inf) if wrong is None else known_true(xp.any(stop_gradient(wrong))):
        value = alpha if wrong is None else float(alpha[wrong][0])
        raise ValueError(f"alpha must be at least 1 and finite; got {value}")


def check_prior(xp, prior, axis=-1):
    """`ValueError` unless the prior is finite and non-negative, with a positive entry in every row."""
    u = stop_gradient(prior)
    for bad in (xp.isnan(u), u < 0, u == math.inf):
        if known_true(xp.any(bad)):
            raise ValueError(f"prior must be finite and not negative; got {float(u[bad][0])}")
    total = xp.sum(u, axis=axis)
    if known_true(xp.any(total == 0)) and u.shape[axis] > 0:
        raise ValueError("prior must be positive somewhere in every row; got 0.0 everywhere in one")
    if known_true(xp.any(total == math.inf)):
        raise ValueError(f"prior must have a finite sum in {u.dtype}; got inf")


def check_log_prior(xp, log_prior):
    """`ValueError` if this cannot be the logarithm of a prior: NaN or +inf in it, or −inf all through a row."""
    u = stop_gradient(log_prior)
    if known_true(xp.any(xp.isnan(u) | (u == math.inf))):
        raise ValueError("log_prior must be less than inf and not NaN; −inf is allowed (a prior of 0)")
    if known_true(xp.any(xp.all(u == -math.inf, axis=-1))) and u.shape[-1] > 0:
        raise ValueError("log_prior must be above −inf somewhere in every row; got -inf everywhere in one")


def check_dropout(q, dropout, generator):
    """Refuse what is not a probability in [0, 1), and a generator that is not of the library of `q`."""
    if not is_number(dropout):
        raise TypeError(f"dropout must be a number in [0, 1); got {kind(dropout)}")
    if not 0 <= dropout < 1:
        raise ValueError(f"dropout must lie in [0, 1); got {dropout}")
    if generator is None:
        return
    wanted, name = np.random.Generator, "numpy.random.Generator"
    if is_torch(q):
        import torch

        wanted, name = torch.Generator, "torch.Generator"
    if not isinstance(generator, wanted):
        raise TypeError(f"generator must be a {name} where q is {kind(q)}; got {kind(generator)}")


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
    if broadcast_shapes([tuple(y.shape) for y in arrays.values()]) is None:
        raise ValueError(f"these do not broadcast together, {first} being (..., n): {listed(arrays)}")


def broadcast_shapes(shapes):
    """The shape to which these broadcast, or None.

    While torch compiles for any size, a size is a symbol. NumPy's function of this name would make a number of it,
    and the program one for this size alone; nor can a symbol be put into a set.
    """
    first, *others = shapes
    for shape in others:
        longer, shorter = (first, shape) if len(first) >= len(shape) else (shape, first)
        sizes = list(longer)
        for axis in range(-len(shorter), 0):
            if sizes[axis] == 1:
                sizes[axis] = shorter[axis]
            elif shorter[axis] != 1 and shorter[axis] != sizes[axis]:
                return None
        first = tuple(sizes)
    return tuple(first)


def listed(arrays):
    """The shapes, for an error message."""
    return "; ".join(f"{name} has shape {tuple(x.shape)}" for name, x in arrays.items())


def arrays_among(**arguments):
    """Those of the arguments that are arrays, and not numbers, by name; `TypeError` for one that was left out."""
    for name, x in arguments.items():
        if x is None:
            raise TypeError(f"{name} must be a number or an array; got None")
    return {name: x for name, x in arguments.items() if not is_number(x)}


def in_rows_together(axis, sizes, **arrays):
    """The arrays, checked against the first, in one working dtype; with their namespace, the axis, all dtypes.

    `sizes` says what the others should have along the axis, as in `check_shapes`.
    """
    xp, first = namespace(**arrays), next(iter(arrays))
    axis = negative_axis(arrays[first], axis, first)
    check_shapes(axis, sizes, **arrays)
    dtypes, working = dtypes_of(xp, arrays)
    return xp, axis, dtypes, {name: cast(xp, x, working) for name, x in arrays.items()}


class MapArguments(NamedTuple):
    """What every score-to-weight map starts from: checked, and cast to one working dtype."""

    xp: Any
    scores: Any  # (..., n)
    beta: Any  # a float, or an array of size 1 along axis
    working: Any  # the dtype of all but perhaps the scores
    prior: Any  # (..., n), or None for the uniform prior
    where: Any  # (..., n) boolean, or None for everything
    axis: int  # counted from the end
    dtype: Any  # of the result
    alpha: Any = None  # of entmax: a float, or an array of size 1 along axis
    sink: Any = None  # of softmax_plus_one: the same
    row_kernels: Any = None  # those, where `fast.dispatch` has chosen them for attention

    @property
    def beta_array(self):
        """β as an array: of size 1 along axis, or 0-d."""
        if not is_number(self.beta):
            return self.beta
        # `full` makes the number on the device; `asarray` would copy it to a GPU and wait
        return self.xp.full((), self.beta, dtype=self.working, device=self.scores.device)

    def in_one_dtype(self, double=False):
        """The same, cast: for a result in `dtype`, computed in `working` at least.

        If `double`, all but the scores are cast to float64, and scores in half precision are left as they are.
        """
        xp, scores, beta, working, prior = self.xp, self.scores, self.beta, self.working, self.prior
        if is_number(beta) and 1e38 < abs(beta) < math.inf and abs(beta) > float(xp.finfo(working).max):
            working = xp.float64  # in float32 such a β would be infinite
        scores = cast(xp, scores, native(self.dtype) if double and working == xp.float32 else working)
        working = xp.float64 if double else working
        if prior is not None:
            prior = cast(xp, prior, working)
            prior = xp.reshape(prior, (1,) * (-self.axis - prior.ndim) + tuple(prior.shape))  # so it has the axis
        beta = beta if is_number(beta) else cast(xp, beta, working)
        alpha, sink = (x if x is None or is_number(x) else cast(xp, x, working) for x in (self.alpha, self.sink))
        return self._replace(scores=scores, beta=beta, working=working, prior=prior, alpha=alpha, sink=sink)


def prepare(scores, beta, prior=None, where=None, axis=-1, double=False):
    """Check the arguments that all maps share and cast them to one dtype, as `in_one_dtype` does."""
    floats = arrays_among(beta=beta) | present(prior=prior)
    arrays = floats if where is None else floats | {"where": where}
    xp = namespace(scores=scores, **arrays)
    axis = negative_axis(scores, axis)
    if arrays:
        check_shapes(axis, SIZES, scores=scores, **arrays)
    if where is not None and not xp.isdtype(where.dtype, "bool"):
        raise TypeError(f"where must be boolean, True = takes part; got dtype {where.dtype}")
    check_beta(xp, beta)
    if is_number(beta):
        beta = as_float(beta)  # a half-precision number of NumPy would make any limit it is compared with infinite

    dtypes, working = dtypes_of(xp, {"scores": scores} | floats)
    arguments = MapArguments(xp, scores, beta, working, prior, where, axis, dtypes["scores"]).in_one_dtype(double)
    if prior is not None:
        check_prior(xp, arguments.prior, axis)
    return arguments


def one_more_argument(arguments, name, x, size):
    """An argument that not all maps share: a number as a float, an array checked against the others and cast.

    `size` says what it should have along the axis, as in `check_shapes`.
    """
    if not arrays_among(**{name: x}):
        return as_float(x)
    namespace(scores=arguments.scores, **{name: x})
    dtypes_of(arguments.xp, {name: x})
    shared = {k: getattr(arguments, k) for k in ("scores", *SIZES)}
    check_shapes(arguments.axis, SIZES | {name: size}, **shared, **{name: x})
    return cast(arguments.xp, x, arguments.working)
