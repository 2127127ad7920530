"""What `attention` was asked for: its arguments, checked once, in one object; and the mask they add up to.

Letters in shapes: n_q queries q and n_k keys k of width d, values v of width d_v.
"""

import functools
import math
import operator
from typing import Any, NamedTuple

import numpy as np

from ._arrays import as_float, cast, dtypes_of, for_each_item, is_integer, is_number, namespace, positions, widest
from ._checks import (
    broadcast_shapes,
    check_alpha,
    check_beta,
    check_dropout,
    check_log_prior,
    check_prior,
    check_sink,
)
from ._torch_modes import is_torch
from .masks import check_window, padding_mask

ALPHA = {"sparsemax": 2.0, "entmax": 1.5}  # unless another is given
PATHS = ("auto", "fused", "blocks", "readable")
CHECKS = {"beta": check_beta, "alpha": check_alpha, "sink": check_sink}
CHECKS |= {"prior": check_prior, "log_prior": check_log_prior}
LETTERS = {"q": ("n_q", "d"), "k": ("n_k", "d"), "v": ("n_k", "d_v")}  # the last two axes of each argument
OF_ROWS = "beta", "alpha", "sink"  # numbers, or arrays of one number for each query
LETTERS |= dict.fromkeys(OF_ROWS, ("n_q", "1"))
LETTERS |= dict.fromkeys(("where", "prior", "log_prior"), ("n_q", "n_k"))


class Request(NamedTuple):
    """The checked arguments of `attention`, and what follows from them."""

    q: Any  # (..., n_q, d)
    k: Any  # (..., n_k, d), perhaps with fewer heads
    v: Any  # (..., n_k, d_v), perhaps with fewer heads
    beta: Any = None  # a number, or (..., n_q or 1, 1)
    where: Any = None  # (..., n_q or 1, n_k or 1), or None
    causal: bool = False
    window: Any = None  # an int, or None
    lengths: Any = None  # (batch, 1, ...), with as many axes as `leading`; or None
    offset: Any = None  # an int, or (batch, 1, ...)
    prior: Any = None  # (..., n_q or 1, n_k or 1), or None
    log_prior: Any = None  # the same
    weights: Any = "softmax"  # the name of a map, or a function
    alpha: Any = None  # of sparsemax and entmax: a number, or (..., n_q or 1, 1); None for other maps
    sink: Any = None  # of softmax_plus_one: the same
    dropout: float = 0.0
    generator: Any = None
    return_weights: bool = False
    return_lse: bool = False
    path: str = "auto"  # one of PATHS
    row_kernels: Any = None  # those for the map, once `fast.dispatch` has chosen them
    xp: Any = None
    leading: tuple = ()  # the leading axes of the scores
    dtype: Any = None  # of the result
    working: Any = None  # to compute in

    def with_all_heads(self, x):
        """Keys or values `x` with a head of their own for each head of the queries."""
        group = group_size(self.q, x)
        return self.xp.repeat(x, group, axis=-3) if group > 1 else x

    def part(self, leading, queries):
        """The same request for some items and heads, a slice or None for each leading axis, and some queries.

        The arrays of the result are views, of arrays of the same shapes at the same places.
        """

        def cut(x, rows=slice(None), trailing=2):
            if x is None or is_number(x):
                return x
            index = [slice(None)] * (x.ndim - trailing)
            for axis in range(-min(len(leading), len(index)), 0):
                size, whole, some = x.shape[axis - trailing], self.leading[axis], leading[axis]
                if some is not None and size != 1:  # shared heads are fewer, and cut where they end
                    index[axis] = slice(some.start * size // whole, some.stop * size // whole)
            if trailing:
                index += [slice(None) if x.shape[-2] == 1 else rows, slice(None)]
            return x[tuple(index)]

        names = "q", "where", "prior", "log_prior", *OF_ROWS
        values = {name: cut(getattr(self, name), queries) for name in names} | {"k": cut(self.k), "v": cut(self.v)}
        lengths, offset = (cut(x, trailing=0) for x in (self.lengths, self.offset))
        sizes = tuple(n if x is None else x.stop - x.start for n, x in zip(self.leading, leading, strict=True))
        return self._replace(leading=sizes, lengths=lengths, offset=offset + queries.start, **values)

    def queries(self, start, stop):
        """The same request for the queries from `start` to `stop` alone."""
        return self.part([None] * len(self.leading), slice(start, stop))

    def mask(self):
        """Who may look at what, all masks in one: broadcastable to (..., n_q, n_k), or None for no mask."""
        n_q, n_k, masks = self.q.shape[-2], self.k.shape[-2], []
        if self.where is not None:
            masks.append(self.where)
        if self.causal or self.window is not None:
            query, key = positions(n_q, n_k, self.offset, self.q)
            masks.append(key <= query)
            if self.window is not None:
                masks.append(key > query - self.window)
        if self.lengths is not None:
            masks.append(padding_mask(self.lengths, n_k))
        if self.prior is not None:
            masks.append(self.prior != 0)
        if self.log_prior is not None:
            masks.append(self.log_prior != -math.inf)
        return functools.reduce(operator.and_, masks) if masks else None


def checked(q, k, v, **options):
    """The arguments of `attention` as a `Request`; `TypeError` or `ValueError` if they do not fit.

    `weights` is as `lib.attention.name_or_function` gives it.
    """
    request = Request(q, k, v, **options)
    where, lengths, offset = request.where, request.lengths, request.offset
    if request.path not in PATHS:
        raise ValueError(f"path must be one of {', '.join(map(repr, PATHS))}; got {request.path!r}")
    if request.alpha is None and isinstance(request.weights, str):
        request = request._replace(alpha=ALPHA.get(request.weights))
    if request.sink is None and request.weights == "softmax_plus_one":
        request = request._replace(sink=0.0)
    floats, numbers = {"q": q, "k": k, "v": v}, {}
    for name in ("prior", "log_prior", *OF_ROWS):
        x = getattr(request, name)
        if x is not None and name in OF_ROWS and is_number(x):
            numbers[name] = as_float(x)
        elif x is not None:
            floats[name] = x
    others = {name: x for name, x in (("where", where), ("lengths", lengths)) if x is not None}
    if offset is not None and not is_integer(offset):
        others["offset"] = offset
    xp = namespace(**floats, **others)
    leading = leading_axes(floats if where is None else floats | {"where": where})
    if "prior" in floats and "log_prior" in floats:
        raise ValueError("prior and log_prior say the same thing: pass one of them, not both")
    if where is not None and not xp.isdtype(where.dtype, "bool"):
        raise TypeError(f"where must be boolean, True = takes part; got dtype {where.dtype}")
    for name in ("causal", "return_weights"):
        if not isinstance(getattr(request, name), (bool, np.bool_)):
            raise TypeError(f"{name} must be True or False; got {getattr(request, name)!r}")
    if type(request.dropout) is not float or request.dropout or request.generator is not None:
        check_dropout(q, request.dropout, request.generator)
    n_q, n_k, d = q.shape[-2], k.shape[-2], q.shape[-1]
    if lengths is not None:
        check_padded_cache(request.causal, request.window, lengths, offset, n_q, n_k)

    dtypes, working = dtypes_of(xp, floats)
    dtype = widest(xp, [dtypes[name] for name in "qkv"])
    values = {name: cast(xp, x, dtype if name in "qkv" else working) for name, x in floats.items()}
    values |= numbers if where is None else numbers | {"where": where}
    for name, check in CHECKS.items():
        if name in values:
            check(xp, values[name])
    if request.beta is None:  # while torch.jit.trace records, a size is a tensor
        values["beta"] = cast(xp, d, working) ** -0.5 if is_torch(d) else max(d, 1) ** -0.5
    for name, x in values.items():
        if name not in numbers and getattr(x, "ndim", 2) < 2:
            values[name] = xp.reshape(x, (1,) * (2 - x.ndim) + tuple(x.shape))
    if request.window is not None:
        values["window"] = check_window(request.window)
    if lengths is not None:
        values["lengths"] = for_each_item(xp, "lengths", lengths, leading)
    values["offset"] = n_k - n_q if offset is None else for_each_item(xp, "offset", offset, leading)
    values["causal"] = bool(request.causal)
    return request._replace(xp=xp, leading=leading, dtype=dtype, working=working, **values)


def check_padded_cache(causal, window, lengths, offset, n_q, n_k):
    """`ValueError` if the queries are fewer than the keys, some of which are padding: where are they then?"""
    name = "window" if window is not None else "causal" if causal else None
    if name is not None and lengths is not None and offset is None and n_q < n_k:
        raise ValueError(
            f"{name} with lengths and fewer queries ({n_q}) than keys ({n_k}) needs offset, where query 0 is: "
            f"pass offset=lengths - {n_q} if the queries are the last of the real keys (a padded cache), or "
            f"offset={n_k - n_q} if they are the last of all, padding included"
        )


# ---- shapes


def leading_axes(arrays):
    """The leading axes that all arguments broadcast to; `ValueError` if a shape does not fit."""
    sizes, leads = {"1": 1}, []
    for name, x in arrays.items():
        shape = tuple(x.shape)
        if len(shape) < 2:
            if name in "qkv":
                raise ValueError(f"{name} must have shape (..., {', '.join(LETTERS[name])}); got {shape}")
            shape = (1,) * (2 - len(shape)) + shape
        for axis, letter in enumerate(LETTERS[name], -2):
            n = shape[axis]
            if n != sizes.setdefault(letter, n) and (name in "qkv" or n != 1):
                wanted = letter if letter == "1" else f"{letter} = {sizes[letter]}"
                raise ValueError(f"axis {axis} of {name} should be {wanted}, but is {n}: {spelt(arrays)}")
        group = group_size(arrays["q"], x) if name in "kv" and shape[:-2] != leads[0] else 1
        leads.append(shape[:-2] if group == 1 else (*shape[:-3], shape[-3] * group))
    leading = leads[0] if all([other == leads[0] for other in leads]) else broadcast_shapes(leads)
    if leading is None:
        raise ValueError(
            f"leading axes do not broadcast together (only k and v may have fewer heads than q, "
            f"axis -3 of four or more, and by a whole factor): {spelt(arrays)}"
        )
    return leading


def group_size(q, x):
    """How many heads of `q` share one head of `x`, its keys or values (axis −3, from four axes on)."""
    if q.ndim < 4 or x.ndim < 3:
        return 1
    heads, shared = q.shape[-3], x.shape[-3]
    return heads // shared if shared > 1 and heads and heads % shared == 0 else 1


def spelt(arrays):
    """The shapes with their letters, for an error message."""
    letters = {name: ", ".join(LETTERS[name]) for name in arrays}
    return "; ".join(f"{name} (..., {letters[name]}) has shape {tuple(x.shape)}" for name, x in arrays.items())
