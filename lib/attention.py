"""Attention: scores from queries and keys, weights from the scores, and the values mixed by the weights.

`attend` is the definition, as the formulas are written. `attention` checks its arguments, asks the quicker ways
in `lib.fast`, and else computes as it is defined. Letters: n_q queries q and n_k keys k of width d, values v of
width d_v.
"""

from collections.abc import Callable
from typing import Any

from . import fast
from ._arrays import Array, ArrayT, all_finite, cast, is_torch, quiet, stop_gradient
from ._autocast import matrix_product
from ._maps import name_or_function, to_weights
from ._request import checked
from .masks import blank_unseen


@quiet(rounded=2)
def attention(
    q: ArrayT,
    k: Array,
    v: Array,
    *,
    beta: float | Array | None = None,
    where: Array | None = None,
    causal: bool = False,
    window: int | None = None,
    lengths: Array | None = None,
    offset: int | Array | None = None,
    prior: Array | None = None,
    log_prior: Array | None = None,
    weights: str | Callable[..., Array] = "softmax",
    alpha: float | Array | None = None,
    dropout: float = 0.0,
    generator: Any = None,
    return_weights: bool = False,
    path: str = "auto",
) -> ArrayT | Any:  # Any is the pair, with return_weights
    r"""Let each query fetch a mixture of the values, by how well their keys score with it.

    .. math:: s_{ij} &= \langle q_i, k_j \rangle, \\
              \pi_i &= \mathrm{softmax}(\beta s_i;\, u), \\
              o_i &= \sum_j \pi_{ij} v_j .

    Parameters
    ----------
    q : array, shape (..., n_q, d)
        Queries: what each position looks for.
    k : array, shape (..., n_k, d)
        Keys: what each position offers to be found by.
    v : array, shape (..., n_k, d_v)
        Values: what each position hands over. The leading axes of all arguments broadcast together.
        With four axes and more, axis −3 counts heads, and k and v may have fewer of them than q (a
        divisor): head h of q uses head h // group of k.
    beta : float or array of shape (..., n_q or 1, 1), optional
        Inverse temperature, in 1/unit of the scores; per head it is (H, 1, 1). By default 1/√d.
        Any number, as for `softmax`: 0 gives the prior, ±∞ the ties of the best.
    where : boolean array, broadcastable to (..., n_q, n_k), optional
        True = takes part. All masks given here combine with "and".
    causal : bool, default False
        As `causal_mask`: no query sees a later key.
    window : int, optional
        As `window_mask`: each query sees the last `window` keys up to its own (so it implies causal).
    lengths : integer array, shape (batch,), optional
        As `padding_mask`: how many keys are real, for each item of the first axis. Queries in the
        padding are queries like all others.
    offset : int, or integer array of shape (batch,), optional
        The position of query 0 among the keys, for `causal` and `window`. By default n_k − n_q; but with
        `lengths` and n_q < n_k it must be given. For a cache that is padded pass ``lengths - n_q``.
    prior, log_prior : array, shape (n_k,) or broadcastable to (..., n_q, n_k), optional
        The null hypothesis u, or its logarithm; not both. In softmax a log-prior is a bias that is added to βs,
        such as ALiBi's. In sparsemax and entmax it is not: they take its exponential, normalised, as their prior.
        A bias for these is added to the scores by a callable for `weights`.
    weights : str or callable, default "softmax"
        The map from scores to weights. By name: "softmax", "sparsemax" and "entmax", which take a prior, or
        "relu_norm", "sigmoid_weights" and "softmax_plus_one", which take none. Or any function
        of your own, called as ``f(scores, beta=..., where=..., axis=-1)``: scores (..., n_q, n_k), β a number
        or (..., n_q or 1, 1), `where` boolean or None. So ``functools.partial(lib.entmax, alpha=1.7)`` will
        do. It takes no prior either.
    alpha : float or array of shape (..., n_q or 1, 1), optional
        The α of "entmax", for that map alone; by default 1.5.
    dropout : float in [0, 1), default 0.0
        The probability that a weight is dropped; those that stay are divided by 1 − dropout.
    generator : torch.Generator or numpy.random.Generator, optional
        Source of the dropout; by default the library's own. With the same seed the paths drop different weights.
        With torch, softmax by a generator does not take the fused path, whose kernel draws from torch's own.
    return_weights : bool, default False
        Return the weights as well, as they are before dropout.
    path : {"auto", "fused", "blocks", "readable"}, default "auto"
        "readable" computes as the formula is written, and holds all the weights. "blocks" does so for a few
        items, heads or queries at a time. "fused" takes a kernel that never holds them: for softmax torch's
        ``scaled_dot_product_attention``, for sparsemax and entmax our own, by Numba on the CPU and by Triton on
        a GPU. What cannot be taken raises, but for scores too large for a kernel, which go the readable way
        in any case; "auto" takes the fused path where it can, else blocks where the weights are many.

    Returns
    -------
    output : array, shape (..., n_q, d_v)
        In the wider dtype of q, k and v, or that of autocast (see below). A query with nothing to attend to
        gets zeros.
    weights : array, shape (..., n_q, n_k)
        Only with `return_weights`.

    Raises
    ------
    TypeError
        For lists and scalars, arrays of two kinds or on two devices, masks that are not boolean.
    ValueError
        If shapes do not fit or a value is out of its range. Values on a GPU, under transforms and
        while compiling are not looked at.

    Notes
    -----
    NaN or inf in a key or value that no query of its batch item may see has no effect at all; one that
    some query sees can spoil, as a value, the other queries' outputs too, since 0 · NaN is NaN.
    Half precision is computed in float32 (on a GPU, the fused path does as its kernel does).

    Under ``torch.autocast`` the results have the dtypes that ``scaled_dot_product_attention`` gives there: that of
    autocast, but for float64, which stays. They are computed as outside and rounded at the end: products and
    dropout in float32, gradients too, even if ``backward`` is called within. (On a GPU the fused path takes q, k
    and v as they come: float32 in float32, half precision of autocast's dtype in that.)

    The readable path can be differentiated any number of times and goes through ``torch.func``; an infinite
    score gives no gradient to q and k. The path in blocks computes each block again for its gradient, holds all
    the weights for a second derivative, and does not go through ``torch.func``.

    The fused paths have first-order gradients: if these are themselves differentiated, "fused" raises and "auto"
    computes them anew. The one for softmax is for β up to ±10⁶. It rounds β·s before the row's maximum is taken
    off, so offsets in the scores cost it eps · abs(βs). Where that might be 1, or a score not finite, the
    readable path is taken; on a GPU and while a program is recorded the values are not looked at, and such
    scores get what the kernel makes of them. The one for sparsemax and entmax, 1.05 ≤ α ≤ 2, is as exact as the
    readable path at any score, takes any β, and never looks at a value of weight 0. For dropout it draws one
    seed, from which a number for each weight follows (SplitMix64); then it has no second derivative. Its first
    call in a dtype compiles for half a minute, its first in a process takes a second to load what was compiled.

    A program that torch records (``torch.compile(fullgraph=True)``, ``torch.export``, an exporter to ONNX,
    ``make_fx``, ``torch.jit.trace``) holds torch's operations alone, for any size and any value of the numbers
    where the recorder allows that. So every map goes the readable way then; "fused" is for softmax, and "blocks"
    is refused. Torch gives a compiled program no second derivative, and lets no `generator` into it.

    The one for softmax holds masks, though no weights, for `where`, for a prior that differs by query, for a
    window, and if causal for fewer queries than keys; also for `lengths` and offsets of many small items that
    differ; on a GPU wherever `offset` is an array, and in float16 where there is a prior or `lengths`. They come
    a few queries at a time, but for a gradient all are kept. With dropout it has no second derivative, which
    is refused when it is taken, by "auto" too; and on the CPU torch then holds all the weights.

    The one for sparsemax and entmax on a GPU is taken by "auto" only where `make gpu` has recorded a run with the
    same compute capability and minor versions of torch and Triton; "fused" asks for it by name. It is for float32
    and half precision, up to 256 features, and any score and β. It computes in float32, but rounds the weights to
    half precision before they mix values in half precision. What it keeps for the
    gradient grows with the number of queries alone: at most 48 bytes for each. No value is read on the CPU: a NaN
    in β or the prior gives NaN, a negative prior too, and lengths and offsets may be anything. The first call of
    each kind compiles for some seconds.

    References
    ----------
    Bahdanau, Cho and Bengio (2014), https://arxiv.org/abs/1409.0473.
    Vaswani et al. (2017), https://arxiv.org/abs/1706.03762.
    Grouped heads: Ainslie et al. (2023), https://arxiv.org/abs/2305.13245.
    ALiBi: Press, Smith and Lewis (2021), https://arxiv.org/abs/2108.12409.
    Dao et al. (2022), for the fused path, https://arxiv.org/abs/2205.14135.

    Examples
    --------
    >>> import numpy as np
    >>> q, k, v = np.eye(2), np.eye(2), np.array([[8.0], [0.0]])
    >>> attention(q, k, v, beta=np.log(3.0))
    array([[6.],
           [2.]])
    >>> attention(q, k, v, causal=True, beta=0.0)
    array([[8.],
           [4.]])

    ALiBi, a log-prior that falls with distance, by its own slope for each head: with slope log 3 and no
    scores, the key before counts a third of the query's own.

    >>> slopes, position = np.log([3.0, 1.0]), np.arange(2)
    >>> alibi = -slopes[:, None, None] * abs(position[:, None] - position)  # (H, n_q, n_k)
    >>> attention(0 * q, k, v, causal=True, log_prior=alibi)
    array([[[8.],
            [2.]],
    <BLANKLINE>
           [[8.],
            [4.]]])
    """
    weights = name_or_function(weights, prior=prior if log_prior is None else log_prior, alpha=alpha)
    request = checked(
        q, k, v, beta=beta, where=where, causal=causal, window=window, lengths=lengths, offset=offset, prior=prior,
        log_prior=log_prior, weights=weights, alpha=alpha, dropout=dropout, generator=generator,
        return_weights=return_weights, path=path,
    )  # fmt: skip
    found = fast.take("attention", request, attend, path)
    return found if return_weights else found[0]


def attend(request):
    """The output and, if asked for, the weights, for the checked arguments of `attention`."""
    xp, dtype = request.xp, request.dtype
    q, k, v, where = visible(request)
    scores = dot_products(xp, q, k)  # (..., n_q, n_k)
    weights = to_weights(request, scores, where)  # (..., n_q, n_k)
    output = nothing_unless_seeing(xp, where, matrix_product(dropped(request, weights), v))  # (..., n_q, d_v)
    found = (output, weights) if request.return_weights else (output,)
    return tuple(cast(xp, x, dtype) for x in found)


def visible(request):
    """q, k, v, zero where the mask hides them from everyone; the mask."""
    where = request.mask()  # True = takes part: (..., n_q, n_k), or None
    q, k, v = request.to_compute_with()
    return *blank_unseen(request.xp, where, q, k, v), where


def nothing_unless_seeing(xp, where, output):
    """Zeros, as constants, for queries that see nothing: a NaN that came back to them would spoil all values."""
    return output if where is None else xp.where(xp.any(where, axis=-1)[..., None], output, 0.0)


def dot_products(xp, q, k):
    """(..., n_q, d) @ (..., d, n_k); an infinite score has slope 0."""
    scores = matrix_product(q, xp.matrix_transpose(k))
    if not is_torch(q) or all_finite(xp, scores):
        return scores
    q, k = (xp.where(xp.isfinite(x), x, 0.0) for x in (q, k))
    slopes = matrix_product(q, xp.matrix_transpose(k))
    return xp.where(xp.isfinite(scores), slopes, stop_gradient(scores))


def dropped(request, weights):
    """Each weight is 0 with probability p, else divided by 1 − p."""
    xp, p = request.xp, request.dropout
    if p == 0:
        return weights
    return xp.where(request.chance(weights) < p, 0.0, weights / (1 - p))
