"""What `attention` was asked for: its arguments, checked against each other, and the mask they add up to."""

import functools
import math
import numbers
import operator
from typing import Any, NamedTuple

import numpy as np

from lib.arrays import (
    cast,
    float_dtype,
    is_number,
    is_torch,
    kind,
    known_true,
    namespace,
    size_along,
    stop_gradient,
    working_dtype,
)
from lib.map_arguments import check_beta, check_prior
from lib.masks import causal_mask, check_window, integers, padding_mask, window_mask

# The last two axes of each argument, in the letters of the docstring.
LETTERS = {
    "q": ("n_q", "d"),
    "k": ("n_k", "d"),
    "v": ("n_k", "d_v"),
    "beta": ("n_q", "1"),
    "where": ("n_q", "n_k"),
    "prior": ("n_q", "n_k"),
    "log_prior": ("n_q", "n_k"),
}


class Call(NamedTuple):
    """The checked arguments of `attention`."""

    xp: Any
    q: Any  # (..., n_q, d)
    k: Any  # (..., n_k, d), perhaps with fewer heads
    v: Any  # (..., n_k, d_v), perhaps with fewer heads
    beta: Any  # a number, or (..., n_q or 1, 1)
    where: Any  # (..., n_q or 1, n_k or 1), or None
    causal: bool
    window: Any  # an int, or None
    lengths: Any  # (batch, 1, ...), or None: with all leading axes of the scores
    offset: Any  # an int, or (batch, 1, ...)
    prior: Any  # (..., n_q or 1, n_k or 1), or None
    log_prior: Any  # the same
    dropout: float
    generator: Any
    lead: tuple  # the leading axes of the scores
    dtype: Any  # of the result
    working: Any  # to compute in
    alpha: Any = None  # of "entmax": a number, or broadcastable to (..., n_q or 1, 1)

    def per_head(self, x):
        """Keys or values `x` with a head of their own for each head of the queries."""
        group = group_size(self.q, x)
        return self.xp.repeat(x, group, axis=-3) if group > 1 else x

    def queries(self, start, stop):
        """The same for the queries from `start` to `stop` alone."""

        def part(x):
            one_for_all = x is None or is_number(x) or x.ndim < 2 or x.shape[-2] == 1
            return x if one_for_all else x[..., start:stop, :]

        names = ("beta", "where", "prior", "log_prior", "alpha")
        few = {name: part(getattr(self, name)) for name in names}
        return self._replace(q=self.q[..., start:stop, :], offset=self.offset + start, **few)

    def mask(self):
        """Who may look at what, all masks in one: broadcastable to (..., n_q, n_k), or None for no mask."""
        n_q, n_k = self.q.shape[-2], self.k.shape[-2]
        masks = [self.where]
        if self.window is not None:
            masks.append(window_mask(n_q, n_k, window=self.window, offset=self.offset, like=self.q))
        elif self.causal:
            masks.append(causal_mask(n_q, n_k, offset=self.offset, like=self.q))
        if self.lengths is not None:
            masks.append(padding_mask(self.lengths, n_k))
        if self.prior is not None:
            masks.append(self.prior != 0)
        if self.log_prior is not None:
            masks.append(self.log_prior != -math.inf)
        masks = [mask for mask in masks if mask is not None]
        return functools.reduce(operator.and_, masks) if masks else None


def checked(q, k, v, beta, where, causal, window, lengths, offset, prior, log_prior, dropout, generator):
    """The arguments of `attention` as a `Call`; `TypeError` or `ValueError` if they do not fit."""
    floats = {"q": q, "k": k, "v": v, "beta": beta, "prior": prior, "log_prior": log_prior}
    floats = {name: x for name, x in floats.items() if x is not None and not (name == "beta" and is_number(x))}
    start = None if isinstance(offset, numbers.Integral) else offset
    xp = namespace(**floats, where=where, lengths=lengths, offset=start)
    lead = check_shapes(**floats, where=where)
    if prior is not None and log_prior is not None:
        raise ValueError("prior and log_prior say the same thing: pass one of them, not both")
    if where is not None and not xp.isdtype(where.dtype, "bool"):
        raise TypeError(f"where must be boolean, True = takes part; got dtype {where.dtype}")
    check_dropout(q, dropout, generator)

    dtypes = {name: float_dtype(xp, x, name) for name, x in floats.items()}
    dtype = functools.reduce(xp.result_type, (dtypes[name] for name in "qkv"))
    working = working_dtype(xp, *dtypes.values())
    floats = {name: cast(xp, x, dtype if name in "qkv" else working) for name, x in floats.items()}
    given = {"beta": beta, "where": where} | floats
    beta, where, prior, log_prior = (_two_axes(xp, given.get(n)) for n in ("beta", "where", "prior", "log_prior"))
    beta = max(q.shape[-1], 1) ** -0.5 if beta is None else beta
    check_beta(xp, beta)
    if prior is not None:
        check_prior(xp, prior, -1)
    if log_prior is not None:
        check_log_prior(xp, log_prior)
    window = None if window is None else check_window(window)
    lengths = per_item(xp, "lengths", lengths, lead)
    offset = k.shape[-2] - q.shape[-2] if offset is None else per_item(xp, "offset", offset, lead)
    q, k, v = (floats[name] for name in "qkv")
    return Call(
        xp, q, k, v, beta, where, bool(causal), window, lengths, offset, prior, log_prior,
        dropout, generator, lead, dtype, working,
    )  # fmt: skip


def _two_axes(xp, x):
    """An array with two axes at least; None and numbers as they are."""
    if x is None or is_number(x) or x.ndim >= 2:
        return x
    return xp.reshape(x, (1,) * (2 - x.ndim) + tuple(x.shape))


def check_shapes(**arrays):
    """The leading axes that all arguments broadcast to; `ValueError` if a shape does not fit."""
    arrays = {name: x for name, x in arrays.items() if x is not None}
    sizes, leads = {"1": 1}, []
    for name, x in arrays.items():
        if name in "qkv" and x.ndim < 2:
            raise ValueError(f"{name} must have shape (..., {', '.join(LETTERS[name])}); got {tuple(x.shape)}")
        for axis, letter in zip((-2, -1), LETTERS[name], strict=True):
            n = size_along(x, axis)
            if n != sizes.setdefault(letter, n) and (name in "qkv" or n != 1):
                wanted = letter if letter == "1" else f"{letter} = {sizes[letter]}"
                raise ValueError(f"axis {axis} of {name} should be {wanted}, but is {n}: {_spell(arrays)}")
        leads.append(tuple(x.shape[:-2]))
        if name in "kv" and leads[-1]:
            leads[-1] = (*leads[-1][:-1], leads[-1][-1] * group_size(arrays["q"], x))
    return _broadcast(leads, arrays)


def group_size(q, x):
    """How many heads of `q` share one head of `x`, its keys or values (axis −3, from four axes on)."""
    if q.ndim < 4 or x.ndim < 3:
        return 1
    heads, shared = q.shape[-3], x.shape[-3]
    return heads // shared if shared > 1 and heads % shared == 0 else 1


def _broadcast(leads, arrays):
    lead = ()
    for axis in range(-max(len(shape) for shape in leads), 0):
        sizes = {shape[axis] for shape in leads if len(shape) >= -axis} - {1}
        if len(sizes) > 1:
            raise ValueError(
                f"leading axes do not broadcast together (only k and v may have fewer heads than q, "
                f"axis -3 of four or more, and by a whole factor): {_spell(arrays)}"
            )
        lead = (*lead, *(sizes or {1}))
    return lead


def _spell(arrays):
    letters = {name: ", ".join(LETTERS[name]) for name in arrays}
    return "; ".join(f"{name} (..., {letters[name]}) has shape {tuple(x.shape)}" for name, x in arrays.items())


def per_item(xp, name, x, lead):
    """(batch,) -> (batch, 1, ...), as many axes as `lead`; None and integers as they are."""
    if x is None or isinstance(x, numbers.Integral):
        return x
    if not lead or tuple(x.shape) != lead[:1]:
        raise ValueError(
            f"{name} must have shape (batch,), batch being the first axis of the scores (batch, ..., n_q, n_k): "
            f"{name} has shape {tuple(x.shape)}, the leading axes are {lead}"
        )
    return xp.reshape(integers(xp, name, x), (-1,) + (1,) * (len(lead) - 1))


def check_log_prior(xp, log_prior):
    """Never NaN or +inf, and somewhere above −inf in every row: the logarithm of a prior."""
    u = stop_gradient(log_prior)
    if known_true(xp.any(xp.isnan(u) | (u == math.inf))):
        raise ValueError("log_prior must be less than inf and not NaN; −inf is allowed (a prior of 0)")
    if known_true(xp.any(xp.all(u == -math.inf, axis=-1))) and u.shape[-1] > 0:
        raise ValueError("log_prior must be above −inf somewhere in every row; got -inf everywhere in one")


def check_dropout(q, dropout, generator):
    """A probability in [0, 1), and a source of random numbers of the library that `q` belongs to."""
    if not is_number(dropout):
        raise TypeError(f"dropout must be a number in [0, 1); got {kind(dropout)}")
    if not 0 <= dropout < 1:
        raise ValueError(f"dropout must lie in [0, 1); got {dropout}")
    if generator is None:
        return
    if is_torch(q):
        import torch

        wanted, name = torch.Generator, "torch.Generator"
    else:
        wanted, name = np.random.Generator, "numpy.random.Generator"
    if not isinstance(generator, wanted):
        raise TypeError(f"generator must be a {name} where q is {kind(q)}; got {kind(generator)}")
