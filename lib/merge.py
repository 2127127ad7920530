"""Attention over some of the keys, with what is needed to put it together with attention over the others."""

import math
from collections.abc import Sequence
from typing import Any

from . import fast
from ._arrays import Array, ArrayT, Real, cast, dtypes_of, is_number, kind, matrix_product, namespace, or_one
from ._checks import MapArguments, listed
from ._request import checked
from ._torch_modes import isolated, known_true
from .attention import dot_products, only_where_seeing, to_weights, visible
from .softmax import log_softmax_of, softmax, tilt

inf = math.inf


@isolated(autocast_results=1)
def attention_with_lse(
    q: ArrayT,
    k: Array,
    v: Array,
    *,
    beta: Real | None = None,
    where: Array | None = None,
    causal: bool = False,
    window: int | None = None,
    lengths: Array | None = None,
    offset: int | Array | None = None,
    prior: Array | None = None,
    log_prior: Array | None = None,
    path: str = "auto",
) -> tuple[ArrayT, Any]:
    r"""Softmax attention, and how much all the keys together weigh before normalising.

    .. math:: o_i &= \sum_j \pi_{ij} v_j, \\
              \mathrm{lse}_i &= \log \sum_j u_{ij}\, e^{\beta s_{ij}} .

    The logarithm is what normalising throws away, and what `merge_attention` needs to put attention over
    several sets of keys together: over the blocks of a long sequence, or the devices that each hold a part.

    Parameters
    ----------
    q, k, v, where, causal, window, lengths, offset, prior, log_prior
        As for `attention`.
    beta : float or array of shape (..., n_q or 1, 1), optional
        As for `attention`, but finite.
    path : {"auto", "fused", "blocks", "readable"}, default "auto"
        As for `attention`. "fused" takes torch's ``scaled_dot_product_attention`` on the CPU, which keeps
        the lse for its gradient; elsewhere "auto" takes blocks where the weights are many.

    Returns
    -------
    output : array, shape (..., n_q, d_v)
        As that of `attention`, under autocast too.
    lse : array, shape (..., n_q)
        In nats, float32 at least, since it is to be exponentiated again. The prior counts as it is given,
        not normalised, and none as 1 for every key; it is not divided by β (`log_partition` does both).
        −inf for a query with nothing to attend to, +inf if a score is, with β > 0.

    Raises
    ------
    TypeError, ValueError
        As `attention`, and for an infinite β.

    Notes
    -----
    The gradient of the lse in the scores is β times the weights, and 0 in an empty row. Where the path is not
    "readable", memory grows with n, not n², but for a second derivative, which "fused" refuses. On the fused path
    a gradient of the lse costs a second call of the kernel, forward and backward. A prior for each query that
    wants a gradient, and a β or prior of a wider dtype than q, k and v, are not for it. No path while
    a program is traced and under ``torch.func`` but the readable one.

    References
    ----------
    Dao et al. (2022), section 3.1, https://arxiv.org/abs/2205.14135.

    Examples
    --------
    >>> import numpy as np
    >>> q, k, v = np.eye(2), np.log([[3.0, 1.0], [1.0, 1.0]]), np.array([[8.0], [0.0]])
    >>> output, lse = attention_with_lse(q, k, v, beta=1.0)
    >>> output
    array([[6.],
           [4.]])
    >>> np.exp(lse)
    array([4., 2.])
    """
    request = checked(
        q, k, v, beta=beta, where=where, causal=causal, window=window, lengths=lengths, offset=offset,
        prior=prior, log_prior=log_prior, return_lse=True, path=path,
    )  # fmt: skip
    xp, beta = request.xp, request.beta
    if abs(beta) == inf if is_number(beta) else known_true(xp.any(xp.isinf(beta))):
        raise ValueError("beta must be finite: at ±inf the lse is infinite, or means nothing; got ±inf")
    output, lse = fast.dispatch(request, attend_with_lse)
    return output, lse[..., 0]


def attend_with_lse(request):
    """Output (..., n_q, d_v) and lse (..., n_q, 1), as the formulas are written."""
    xp = request.xp
    q, k, v, where = visible(request)
    scores = dot_products(xp, q, k)
    lse = log_mass(scores, request.beta, request.prior, where)
    if request.log_prior is not None:
        arguments = MapArguments(xp, scores, request.beta, scores.dtype, None, where, -1, scores.dtype)
        arguments = arguments.in_one_dtype()._replace(row_kernels=request.row_kernels)
        lse = lse + log_mass(log_softmax_of(arguments) + request.log_prior)
    output = matrix_product(to_weights(request, scores, where), v)  # (..., n_q, n_k) @ (..., n_k, d_v)
    return cast(xp, only_where_seeing(xp, where, output), request.dtype), lse[..., None]


def merge_attention(outputs: Sequence[ArrayT], lses: Sequence[Array]) -> tuple[ArrayT, Any]:
    r"""Put attention over disjoint sets of keys together, as if it had been over all of them.

    .. math:: \mathrm{lse}_i &= \log \sum_p e^{\mathrm{lse}_{pi}}, \\
              o_i &= \sum_p e^{\mathrm{lse}_{pi} - \mathrm{lse}_i}\, o_{pi} .

    It is attention once more: over the sets, each with its lse as its score.

    Parameters
    ----------
    outputs : sequence of arrays, each (..., n_q, d_v)
        What `attention_with_lse` gives for each set of keys.
    lses : sequence of arrays, each (..., n_q)
        The lse that it gives for each of these sets.

    Returns
    -------
    output : array, shape (..., n_q, d_v)
        In the widest dtype of `outputs`; zeros for a query that no set has anything for.
    lse : array, shape (..., n_q)
        To be merged again: the order and the grouping do not matter, but for sets of lse +inf.

    Raises
    ------
    TypeError
        For what is not a sequence of arrays, and for arrays of two kinds or on two devices.
    ValueError
        For no sets, for more of one than of the other, and for shapes that do not fit.

    Notes
    -----
    A set with lse −inf counts as empty, whatever its output. Where several sets have +inf (from scores of
    +inf), their share is not known any more, and each gets the same; sets that were merged before count as one.
    Differentiable to any order, in outputs and lses.

    References
    ----------
    Milakov and Gimelshein (2018), https://arxiv.org/abs/1805.02867.
    Liu, Zaharia and Abbeel (2023), https://arxiv.org/abs/2310.01889.

    Examples
    --------
    >>> import numpy as np
    >>> halves = [np.array([[8.0]]), np.array([[0.0]])], [np.log([3.0]), np.log([1.0])]
    >>> output, lse = merge_attention(*halves)
    >>> output, np.exp(lse)
    (array([[6.]]), array([4.]))

    Causal attention over shards of the keys: for each the position of query 0 is counted from the shard's first
    key, and `lengths` are what is left of them there.

    >>> q, k, v = np.random.default_rng(0).normal(size=(3, 2, 6, 4))  # (batch, n, d)
    >>> lengths, parts = np.array([6, 3]), []
    >>> for start in (0, 2, 4):
    ...     shard = slice(start, start + 2)
    ...     parts.append(attention_with_lse(
    ...         q, k[:, shard], v[:, shard], causal=True, offset=-start, lengths=lengths - start))
    >>> output, lse = merge_attention(*zip(*parts))
    >>> whole, _ = attention_with_lse(q, k, v, causal=True, lengths=lengths)
    >>> bool(np.allclose(output, whole))
    True
    """
    outputs, lses = _sequence("outputs", outputs), _sequence("lses", lses)
    sets = {
        f"{name}[{p}]": x for name, group in (("outputs", outputs), ("lses", lses)) for p, x in enumerate(group)
    }
    xp = namespace(**sets)
    first = tuple(outputs[0].shape)
    alike = all(tuple(o.shape) == first for o in outputs) and all(tuple(x.shape) == first[:-1] for x in lses)
    if len(outputs) != len(lses) or not alike or len(first) < 2:
        raise ValueError(f"outputs must all be (..., n_q, d_v), and as many lses (..., n_q): {listed(sets)}")
    dtypes, working = dtypes_of(xp, sets)
    dtype = xp.result_type(*list(dtypes.values())[: len(outputs)])

    lse = xp.stack([cast(xp, x, working) for x in lses], axis=-1)  # (..., n_q, sets)
    values = xp.stack([cast(xp, o, working) for o in outputs], axis=-2)  # (..., n_q, sets, d_v)
    return _merged(xp, lse, values, dtype)


@isolated()
def _merged(xp, lse, values, dtype):
    """Attention to sets: (..., n_q, sets), (..., n_q, sets, d_v) -> (..., n_q, d_v), (..., n_q)."""
    values = xp.where((lse == -inf)[..., None], 0.0, values)
    output = matrix_product(softmax(lse)[..., None, :], values)  # (..., n_q, 1, sets) @ (..., n_q, sets, d_v)
    return cast(xp, output[..., 0, :], dtype), log_mass(lse)


def _sequence(name, arrays):
    """The arrays as a list; an error if they are no sequence, or if it is empty."""
    if not hasattr(arrays, "__len__"):
        raise TypeError(f"{name} must be a sequence of arrays, one for each set of keys; got {kind(arrays)}")
    if len(arrays) == 0:
        raise ValueError(f"{name} must hold one array for each set of keys; got none")
    return [arrays[p] for p in range(len(arrays))]


def log_mass(scores, beta=1.0, prior=None, where=None):
    """log Σ u e^(β · score) along the last axis, (..., n) -> (...); −inf where nothing is admissible."""
    xp, dtype = namespace(scores=scores), scores.dtype
    arguments = MapArguments(xp, scores, beta, dtype, prior, where, -1, dtype).in_one_dtype()
    t, beta = tilt(arguments), arguments.beta_array
    best = xp.abs(beta) * t.unit * xp.where(xp.isinf(t.peak), 0.0, t.peak)
    mass = xp.where(xp.isinf(t.peak) & (beta != 0), t.peak, best + xp.log(or_one(xp, t.total)))
    return xp.where(t.total == 0, -inf, mass)[..., 0]
