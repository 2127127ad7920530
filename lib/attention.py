"""Attention: scores from queries and keys, weights from the scores, and the values mixed by the weights.

`attend` is the definition, as the formulas are written. `attention` checks its arguments, and `lib.fast` hands
them to a quicker method or to the definition. Letters: n_q queries q and n_k keys k of width d, values v of
width d_v.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import alternatives, fast
from ._arrays import Array, ArrayT, Real, cast, matrix_product
from ._checks import LOWEST_PRIOR, MapArguments, prepare
from ._request import checked
from ._torch_modes import all_finite, is_torch, isolated, stop_gradient
from .entmax import entmax, entmax_of, is_one, sparsemax
from .softmax import log_softmax_of, softmax, softmax_of


@isolated(autocast_results=2)
def attention(
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
    weights: str | Callable[..., Array] = "softmax",
    alpha: Real | None = None,
    sink: Real | None = None,
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
    q, k, v : array, shapes (..., n_q, d), (..., n_k, d) and (..., n_k, d_v)
        Queries: what each position looks for; keys: what each offers to be found by; values: what each hands over.
        The leading axes of all arguments broadcast together. With four axes and more, axis −3 counts heads, and
        k and v may have fewer of them than q (a divisor): head h of q uses head h // group of k.
    beta : float or array of shape (..., n_q or 1, 1), optional
        Inverse temperature, in 1/unit of the scores; per head it is (H, 1, 1). By default 1/√d.
        Any number, as for `softmax`: 0 gives the prior, ±∞ the ties of the best.
    where : boolean array, broadcastable to (..., n_q, n_k), optional
        True = takes part. All masks, those of the next four too, combine with "and".
    causal : bool, default False
        As `causal_mask`: no query sees a later key.
    window : int, optional
        As `window_mask`: each query sees the last `window` keys up to its own (so it implies causal).
    lengths : integer array, shape (batch,), optional
        As `padding_mask`: how many keys are real, for each item of the first axis. Queries in the padding are
        queries like all others.
    offset : int, or integer array of shape (batch,), optional
        The position of query 0 among the keys, for `causal` and `window`. By default n_k − n_q; but with
        `lengths` and n_q < n_k it must be given. For a cache that is padded pass ``lengths - n_q``.
    prior, log_prior : array, shape (n_k,) or broadcastable to (..., n_q, n_k), optional
        The null hypothesis u, or its logarithm; not both. In softmax a log-prior is a bias that is added to βs,
        such as ALiBi's. Sparsemax and entmax take its exponential, normalised, as their prior: a bias for these
        is added to the scores by a callable for `weights`.
    weights : str or callable, default "softmax"
        The map from scores to weights: "softmax", "sparsemax" and "entmax", which take a prior, "relu_norm",
        "sigmoid_weights" and "softmax_plus_one", which take none, or a function, which takes none either. It is
        called as ``f(scores, beta=..., where=..., axis=-1)``: scores (..., n_q, n_k), β a number or
        (..., n_q or 1, 1), `where` boolean or None. So ``functools.partial(lib.entmax, alpha=1.7)`` will do.
    alpha : float or array of shape (..., n_q or 1, 1), optional
        The α of "entmax", for that map alone; by default 1.5.
    sink : float or array of shape (..., n_q or 1, 1), optional
        The score of the empty place of "softmax_plus_one", for that map alone; by default 0. One for each head is
        (H, 1, 1). β multiplies it as it does the scores: a model that learned a logit has ``sink=logit / beta``.
    dropout : float in [0, 1), default 0.0
        The probability that a weight is dropped; those that stay are divided by 1 − dropout.
    generator : torch.Generator or numpy.random.Generator, optional
        Source of the dropout; by default torch's own, and for NumPy a new one in each call. With the same seed the
        paths drop different weights.
    return_weights : bool, default False
        Return the weights as well, as they are before dropout.
    path : {"auto", "fused", "blocks", "readable"}, default "auto"
        "readable" computes as the formula is written, and holds all the weights; "blocks" does so for a few items,
        heads or queries at a time; "fused" takes a kernel that does not hold them. A path that cannot be taken
        raises, except that values which are not for the kernel go to the next path. "auto" takes the fused path
        where it can, else blocks where the weights are many. The page *Attention and masks* has a table.

    Returns
    -------
    output : array, shape (..., n_q, d_v)
        In the wider dtype of q, k and v, or that of autocast; zeros for a query with nothing to attend to.
    weights : array, shape (..., n_q, n_k)
        Only with `return_weights`.

    Raises
    ------
    TypeError, ValueError
        For lists and scalars, arrays of two kinds or devices, masks that are not boolean; shapes that do not fit,
        values out of range. Values on a GPU, under transforms and while compiling are not looked at.

    Notes
    -----
    NaN or inf in a key or value that no query of its batch item may see has no effect at all; one that some query
    sees can spoil, as a value, the other queries' outputs too, since 0 · NaN is NaN. On the CPU half precision is
    computed in float32, and so is all under ``torch.autocast``, gradients and dropout too; the results are rounded
    at the end, to the dtype that ``scaled_dot_product_attention`` gives there.

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
    >>> attention(q, k, v, beta=np.log(3.0)).ravel()
    array([6., 2.])
    >>> attention(q, k, v, causal=True, beta=0.0).ravel()
    array([8., 4.])
    >>> alibi = -np.log(3.0) * abs(np.arange(2) - np.arange(2)[:, None])  # a log-prior that falls with distance
    >>> attention(0 * q, k, v, causal=True, log_prior=alibi).ravel()  # the key before counts a third
    array([8., 2.])
    """
    weights = name_or_function(weights, prior=prior if log_prior is None else log_prior, alpha=alpha, sink=sink)
    request = checked(
        q, k, v, beta=beta, where=where, causal=causal, window=window, lengths=lengths, offset=offset, prior=prior,
        log_prior=log_prior, weights=weights, alpha=alpha, sink=sink, dropout=dropout, generator=generator,
        return_weights=return_weights, path=path,
    )  # fmt: skip
    results = fast.dispatch(request, attend)
    return results if return_weights else results[0]


def attend(request):
    """The output and, if asked for, the weights, for the checked arguments of `attention`."""
    xp, dtype = request.xp, request.dtype
    q, k, v, where = visible(request)
    scores = dot_products(xp, q, k)  # (..., n_q, n_k)
    weights = to_weights(request, scores, where)  # (..., n_q, n_k)
    used = dropped(request, weights) if request.dropout else weights
    output = only_where_seeing(xp, where, matrix_product(used, v))  # (..., n_q, d_v)
    if request.return_weights:
        return cast(xp, output, dtype), cast(xp, weights, dtype)
    return (cast(xp, output, dtype),)


def visible(request):
    """q, k, v to compute with, and the mask: zeros for keys that no query sees, and queries that see nothing.

    A weight of 0 does not remove them: 0 · NaN is NaN, in a product and in its gradient.
    """
    xp, where = request.xp, request.mask()  # True = takes part: (..., n_q, n_k), or None
    q, k, v = (cast(xp, x, request.working) for x in (request.q, request.k, request.v))
    k, v = (x if x.shape[:-2] == request.leading else request.with_all_heads(x) for x in (k, v))
    if where is None:
        return q, k, v, None
    seeing = xp.any(where, axis=-1)[..., None]  # (..., n_q, n_k) -> (..., n_q, 1)
    seen = xp.any(where, axis=-2)[..., None]  # (..., n_q, n_k) -> (..., n_k, 1)
    return xp.where(seeing, q, 0.0), xp.where(seen, k, 0.0), xp.where(seen, v, 0.0), where


def only_where_seeing(xp, where, output):
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
    xp, p, generator = request.xp, request.dropout, request.generator
    if is_torch(weights):
        import torch

        drawn = torch.rand(weights.shape, generator=generator, dtype=weights.dtype, device=weights.device)
    else:
        drawn = (generator or np.random.default_rng()).random(weights.shape)
    return xp.where(xp.asarray(drawn, device=weights.device) < p, 0.0, weights / (1 - p))


# ---- the map from scores to weights


class ScoreMap(NamedTuple):
    function: Callable
    of_checked: Callable  # the same of `MapArguments`
    options: tuple = ()  # that it takes besides scores, beta, where and axis


SCORE_MAPS = {
    "softmax": ScoreMap(softmax, softmax_of, ("prior",)),
    "sparsemax": ScoreMap(sparsemax, entmax_of, ("prior",)),
    "entmax": ScoreMap(entmax, entmax_of, ("prior", "alpha")),
    "relu_norm": ScoreMap(alternatives.relu_norm, alternatives.relu_norm_of),
    "sigmoid_weights": ScoreMap(alternatives.sigmoid_weights, alternatives.sigmoid_weights_of),
    "softmax_plus_one": ScoreMap(alternatives.softmax_plus_one, alternatives.softmax_plus_one_of, ("sink",)),
}


def name_or_function(weights, **options):
    """The name of the map `weights`, or else the callable; `ValueError` if it does not take the options."""
    if isinstance(weights, str):
        if weights not in SCORE_MAPS:
            names = ", ".join(map(repr, SCORE_MAPS))
            raise ValueError(f"weights must be callable or one of {names}; got {weights!r}")
    elif callable(weights):
        weights = next((name for name, known in SCORE_MAPS.items() if known.function is weights), weights)
    else:
        what = "a name or a callable f(scores, beta=..., where=..., axis=-1)"
        raise TypeError(f"weights must be {what}; got {weights!r}")
    taken = () if callable(weights) else SCORE_MAPS[weights].options
    for name, value in options.items():
        if value is not None and name not in taken:
            takers = ", ".join(repr(other) for other, known in SCORE_MAPS.items() if name in known.options)
            raise ValueError(f"{name} does not go with weights={weights!r}; maps that take it: {takers}")
    return weights


def to_weights(request, scores, where):
    """From scores to weights, by the map that was asked for: (..., n_q, n_k) -> (..., n_q, n_k)."""
    xp, working, prior, alpha = request.xp, request.working, request.prior, request.alpha
    if callable(request.weights):
        return cast(xp, request.weights(scores, beta=request.beta, where=where, axis=-1), working)
    by_softmax = request.weights == "softmax"
    if request.log_prior is not None and not by_softmax:
        prior = prior_of(xp, request, where)
    arguments = MapArguments(
        xp, scores, request.beta, working, prior, where, -1, working, alpha, request.sink, request.row_kernels
    )
    arguments = arguments.in_one_dtype(double=alpha is not None and not is_one(alpha))
    if request.log_prior is not None and by_softmax:
        # Its exponential may underflow, so it is added to the logarithms of the weights.
        scores = log_softmax_of(arguments) + request.log_prior
        arguments = arguments._replace(scores=scores, beta=1.0, working=working)
    return SCORE_MAPS[request.weights].of_checked(arguments)


def prior_of(xp, request, where):
    """The prior with this logarithm, which sums to 1 over the keys that a query sees: (..., n_q or 1, n_k).

    A query that sees none needs a prior too, although it makes no difference: a row of zeros would be refused.
    """
    log_prior = xp.broadcast_to(request.log_prior, (*request.log_prior.shape[:-1], request.k.shape[-2]))
    where = where | ~xp.any(where, axis=-1, keepdims=True)  # (..., n_q, n_k) | (..., n_q, 1)
    arguments = prepare(cast(xp, log_prior, xp.float64), 1.0, where=where)
    prior = softmax_of(arguments._replace(row_kernels=request.row_kernels))
    return xp.where(prior > LOWEST_PRIOR, prior, LOWEST_PRIOR)
