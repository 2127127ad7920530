"""What `attention` was asked for: its arguments, checked once, in one object, and the mask they add up to."""

import functools
import math
import operator
from typing import Any, NamedTuple

import numpy as np

from ._arrays import (
    as_float,
    cast,
    float_dtype,
    is_integer,
    is_number,
    is_torch,
    kind,
    known_true,
    namespace,
    present,
    stop_gradient,
    widest_dtype,
    working_dtype,
)
from ._checks import check_alpha, check_beta, check_prior
from ._shapes import for_each_item, group_size, leading_axes, with_two_axes
from .masks import causal_mask, check_window, padding_mask, window_mask

ALPHA = {"sparsemax": 2.0, "entmax": 1.5}  # unless another is given
PATHS = ("auto", "fused", "blocks", "readable")


class Request(NamedTuple):
    """The checked arguments of `attention`, and what follows from them."""

    q: Any  # (..., n_q, d)
    k: Any  # (..., n_k, d), perhaps with fewer heads
    v: Any  # (..., n_k, d_v), perhaps with fewer heads
    beta: Any = None  # a number, or (..., n_q or 1, 1)
    where: Any = None  # (..., n_q or 1, n_k or 1), or None
    causal: bool = False
    window: Any = None  # an int, or None
    lengths: Any = None  # (batch, 1, ...), with as many axes as `lead`; or None
    offset: Any = None  # an int, or (batch, 1, ...)
    prior: Any = None  # (..., n_q or 1, n_k or 1), or None
    log_prior: Any = None  # the same
    weights: Any = "softmax"  # the name of a map in SCORE_MAPS, or a function
    alpha: Any = None  # of "entmax": None, a number, or (..., n_q or 1, 1)
    dropout: float = 0.0
    generator: Any = None
    return_weights: bool = False
    path: str = "auto"  # one of PATHS
    xp: Any = None
    lead: tuple = ()  # the leading axes of the scores
    dtype: Any = None  # of the result
    working: Any = None  # to compute in

    def to_compute_with(self):
        """q, k and v in the dtype to compute in, k and v with a head of their own for each head of q."""
        unshared = self.q, self.with_all_heads(self.k), self.with_all_heads(self.v)
        return [cast(self.xp, x, self.working) for x in unshared]

    def differentiable(self):
        """The arguments that can want a gradient, by name."""
        names = "q", "k", "v", "beta", "prior", "log_prior", "alpha"
        return {name: getattr(self, name) for name in names}

    def with_all_heads(self, x):
        """Keys or values `x` with a head of their own for each head of the queries."""
        group = group_size(self.q, x)
        return self.xp.repeat(x, group, axis=-3) if group > 1 else x

    @property
    def path_of_maps(self):
        """Whether the map from scores to weights, too, is to be computed as it is written."""
        return "readable" if self.path == "readable" else "auto"

    def queries(self, start, stop):
        """The same request for the queries from `start` to `stop` alone."""
        return self.part([None] * len(self.lead), slice(start, stop))

    def part(self, lead, queries):
        """The same request for some items and heads, a slice or None for each leading axis, and some queries.

        The arrays of the result are views, of arrays of the same shapes at the same places.
        """

        def cut(x, rows=slice(None), trailing=2):
            if x is None or is_number(x):
                return x
            index = [slice(None)] * (x.ndim - trailing)
            for axis in range(-min(len(lead), len(index)), 0):
                size, whole, some = x.shape[axis - trailing], self.lead[axis], lead[axis]
                if some is not None and size != 1:  # shared heads are fewer, and cut where they end
                    index[axis] = slice(some.start * size // whole, some.stop * size // whole)
            if trailing:
                index += [slice(None) if x.shape[-2] == 1 else rows, slice(None)]
            return x[tuple(index)]

        names = ("beta", "where", "prior", "log_prior", "alpha")
        few = {name: cut(getattr(self, name), queries) for name in names}
        return self._replace(
            q=cut(self.q, queries), k=cut(self.k), v=cut(self.v),
            lead=tuple(n if x is None else x.stop - x.start for n, x in zip(self.lead, lead, strict=True)),
            lengths=cut(self.lengths, trailing=0), offset=cut(self.offset, trailing=0) + queries.start, **few,
        )  # fmt: skip

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

    def chance(self, weights):
        """Random numbers, evenly distributed from 0 to 1, one for each of the weights."""
        if is_torch(weights):
            import torch

            return torch.rand(weights.shape, generator=self.generator, dtype=weights.dtype, device=weights.device)
        generator = self.generator or np.random.default_rng()
        return self.xp.asarray(generator.random(weights.shape), device=weights.device)


def checked(q, k, v, **options):
    """The arguments of `attention` as a `Request`; `TypeError` or `ValueError` if they do not fit.

    `weights` is as `lib._maps.name_or_function` gives it.
    """
    given = Request(q, k, v, **options)
    beta, alpha, where, offset, prior, log_prior = (
        given.beta, given.alpha, given.where, given.offset, given.prior, given.log_prior,
    )  # fmt: skip
    if given.path not in PATHS:
        raise ValueError(f"path must be one of {', '.join(map(repr, PATHS))}; got {given.path!r}")
    if alpha is None and isinstance(given.weights, str):
        alpha = ALPHA.get(given.weights)
    floats = {"q": q, "k": k, "v": v} | present(prior=prior, log_prior=log_prior)
    floats |= {name: x for name, x in present(beta=beta, alpha=alpha).items() if not is_number(x)}
    offsets = None if is_integer(offset) else offset
    others = present(where=where, lengths=given.lengths, offset=offsets)
    xp = namespace(**floats, **others)
    lead = leading_axes(floats if where is None else floats | {"where": where})
    if prior is not None and log_prior is not None:
        raise ValueError("prior and log_prior say the same thing: pass one of them, not both")
    if where is not None and not xp.isdtype(where.dtype, "bool"):
        raise TypeError(f"where must be boolean, True = takes part; got dtype {where.dtype}")
    for name in ("causal", "return_weights"):
        if not isinstance(getattr(given, name), (bool, np.bool_)):
            raise TypeError(f"{name} must be True or False; got {getattr(given, name)!r}")
    check_dropout(q, given.dropout, given.generator)
    n_q, n_k = q.shape[-2], k.shape[-2]
    check_padded_cache(given.causal, given.window, given.lengths, offset, n_q, n_k)

    dtypes = {}  # what each of theirs becomes
    for name, x in floats.items():
        if x.dtype not in dtypes:
            dtypes[x.dtype] = float_dtype(xp, x, name)
    dtype = widest_dtype(xp, [dtypes[x.dtype] for x in (q, k, v)])
    working = working_dtype(xp, *dtypes.values())
    floats = {name: cast(xp, x, dtype if name in "qkv" else working) for name, x in floats.items()}
    beta = default_beta(xp, q.shape[-1], working) if beta is None else floats.get("beta", beta)
    beta = as_float(beta) if is_number(beta) else with_two_axes(xp, beta)
    prior, log_prior = with_two_axes(xp, floats.get("prior")), with_two_axes(xp, floats.get("log_prior"))
    check_beta(xp, beta)
    if alpha is not None:
        alpha = as_float(alpha) if is_number(alpha) else with_two_axes(xp, floats["alpha"])
        check_alpha(xp, alpha)
    if prior is not None:
        check_prior(xp, prior, -1)
    if log_prior is not None:
        check_log_prior(xp, log_prior)
    return given._replace(
        q=floats["q"], k=floats["k"], v=floats["v"], beta=beta, alpha=alpha, prior=prior, log_prior=log_prior,
        where=with_two_axes(xp, where), causal=bool(given.causal),
        window=None if given.window is None else check_window(given.window),
        lengths=for_each_item(xp, "lengths", given.lengths, lead),
        offset=n_k - n_q if offset is None else for_each_item(xp, "offset", offset, lead),
        xp=xp, lead=lead, dtype=dtype, working=working,
    )  # fmt: skip


def default_beta(xp, d, working):
    """1/√d; for torch.jit.trace, to which a size is a tensor, as one in the dtype to compute in."""
    return max(d, 1) ** -0.5 if is_number(d) else cast(xp, d, working) ** -0.5


def check_padded_cache(causal, window, lengths, offset, n_q, n_k):
    """`ValueError` if the queries are fewer than the keys, some of which are padding: where are they then?"""
    name = "window" if window is not None else "causal" if causal else None
    if name is not None and lengths is not None and offset is None and n_q < n_k:
        raise ValueError(
            f"{name} with lengths and fewer queries ({n_q}) than keys ({n_k}) needs offset, where query 0 is: "
            f"pass offset=lengths - {n_q} if the queries are the last of the real keys (a padded cache), or "
            f"offset={n_k - n_q} if they are the last of all, padding included"
        )


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
    if is_torch(q):
        import torch

        wanted, name = torch.Generator, "torch.Generator"
    else:
        wanted, name = np.random.Generator, "numpy.random.Generator"
    if not isinstance(generator, wanted):
        raise TypeError(f"generator must be a {name} where q is {kind(q)}; got {kind(generator)}")
