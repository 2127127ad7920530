"""Attention: scores from queries and keys, weights from the scores, and the values mixed by the weights.

`attention` checks its arguments and decides who computes; `attend` is the computation as it is defined.
"""

import functools

import numpy as np

from lib.alternatives import relu_norm, sigmoid_weights, softmax_plus_one
from lib.arrays import all_finite, cast, is_torch, quiet, stop_gradient
from lib.attention_arguments import checked
from lib.gibbs import log_softmax, softmax
from lib.masks import blank_unseen
from lib.paths import entmax_attention as sparse_attention
from lib.paths import query_blocks as blocks
from lib.sparse_maps import entmax, sparsemax

# The maps that `weights` may name, and what each takes besides scores, beta, where and axis.
MAPS = {
    "softmax": (softmax, ("prior",)),
    "sparsemax": (sparsemax, ("prior",)),
    "entmax": (entmax, ("prior", "alpha")),
    "relu_norm": (relu_norm, ()),
    "sigmoid_weights": (sigmoid_weights, ()),
    "softmax_plus_one": (softmax_plus_one, ()),
}


@quiet
def attention(
    q,
    k,
    v,
    *,
    beta=None,
    where=None,
    causal=False,
    window=None,
    lengths=None,
    offset=None,
    prior=None,
    log_prior=None,
    weights="softmax",
    alpha=None,
    dropout=0.0,
    generator=None,
    return_weights=False,
    path="auto",
):
    r"""Let each query fetch a mixture of the values, by how well their keys score with it.

    .. math:: s_{ij} = \langle q_i, k_j \rangle, \qquad \pi_i = \mathrm{softmax}(\beta s_i;\, u), \qquad
              o_i = \sum_j \pi_{ij} v_j .

    Parameters
    ----------
    q : array, shape (..., n_q, d)
        Queries: what each position looks for.
    k : array, shape (..., n_k, d)
        Keys: what each position offers to be found by.
    v : array, shape (..., n_k, d_v)
        Values: what each position hands over. Leading axes broadcast together, those of all arguments.
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
        The position of query 0 among the keys, for `causal` and `window`. By default n_k − n_q. For a
        cache that is padded pass ``lengths - n_q``.
    prior, log_prior : array, shape (n_k,) or broadcastable to (..., n_q, n_k), optional
        The null hypothesis u, or its logarithm (a relative-position bias such as ALiBi); not both.
    weights : str or callable, default "softmax"
        The map from scores to weights. By name: "softmax", "sparsemax" and "entmax", which take a prior, or
        "relu_norm", "sigmoid_weights" and "softmax_plus_one", which take none. Or any function
        ``f(scores, beta, where=..., axis=-1)``, with `where` boolean or None; it takes no prior either.
    alpha : float or array of shape (..., n_q or 1, 1), optional
        The α of "entmax", for that map alone; by default 1.5.
    dropout : float in [0, 1), default 0.0
        The probability that a weight is dropped; those that stay are divided by 1 − dropout.
    generator : torch.Generator or numpy.random.Generator, optional
        Source of the dropout; by default the library's own.
    return_weights : bool, default False
        Return the weights as well, as they are before dropout.
    path : {"auto", "fused", "blocks", "readable"}, default "auto"
        "readable" computes as the formula is written, and holds all the weights. "blocks" does so for a few
        queries at a time. "fused" takes a kernel that never holds them: for softmax torch's
        ``scaled_dot_product_attention``, for sparsemax and entmax on the CPU our own, by Numba. What cannot be
        taken raises; "auto" takes the fused path where it can, else blocks where the weights are many.

    Returns
    -------
    output : array, shape (..., n_q, d_v)
        In the wider dtype of q, k and v. A query with nothing to attend to gets zeros.
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
    NaN or inf in a key or value that no query of its batch item may see has no effect at all; one
    that some query sees spoils, as a value, the other queries' outputs too, since 0 · NaN is NaN.
    Half precision is computed in float32 (on a GPU, the fused path does as its kernel does).

    The readable path can be differentiated any number of times and goes through ``torch.func``; an infinite
    score gives no gradient to q and k. The path in blocks computes each block again for its gradient, holds all
    the weights for a second derivative, and does not go through ``torch.func``.

    The fused paths have first-order gradients: if these are themselves differentiated, "fused" raises and
    "auto" computes them anew. That for softmax is for finite β. It rounds β·s before the row's maximum is taken
    off, so offsets in the scores cost it eps · abs(βs). Where that might be 1, or a score not finite, the
    readable path is taken; on a GPU and while compiling nobody looks, and such scores get what the kernel
    makes of them. That for sparsemax and entmax, 1.05 ≤ α ≤ 2, is as exact as the readable path at any score,
    takes any β, and never looks at a value of weight 0. Its first call in a dtype compiles for half a minute,
    its first in a process takes a second to load what was compiled.

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
    weights = check_map(weights, prior=prior if log_prior is None else log_prior, alpha=alpha)
    ways = {"auto": (fused, in_blocks), "fused": (fused,), "blocks": (in_blocks,), "readable": ()}
    if path not in ways:
        raise ValueError(f"path must be one of {', '.join(map(repr, ways))}; got {path!r}")
    call = checked(
        q, k, v, beta, where, causal, window, lengths, offset, prior, log_prior, dropout, generator
    )._replace(alpha=alpha)  # fmt: skip

    for way in ways[path]:
        output = way(call, weights, return_weights, strict=path != "auto")
        if output is not None:
            return output
    output, pi = attend(call, weights)
    return (output, pi) if return_weights else output


def fused(call, weights, return_weights, strict):
    """The output by a fused kernel; without one for this call None or, if `strict`, a `ValueError`."""
    kernel = None
    if callable(weights):
        why_not = "with a callable: no kernel knows it"
    elif return_weights:
        why_not = "with return_weights=True: no kernel holds them"
    elif weights == "softmax" and not is_torch(call.q):
        why_not = "with softmax for NumPy arrays: the kernel is torch's"
    elif weights == "softmax":
        from lib.paths import sdpa  # not before there is a torch tensor: it imports torch

        why_not = sdpa.refusal(call, strict=strict)
        kernel = sdpa.attend
    else:
        why_not = sparse_attention.refusal(call, weights, strict=strict)
        kernel = functools.partial(sparse_attention.attend, weights=weights, readable=readably(weights))
    return kernel(call, strict=strict) if possible("fused", why_not, strict) else None


def in_blocks(call, weights, return_weights, strict):
    """The output a few queries at a time; if that cannot or need not be, None or, if `strict`, a `ValueError`."""
    why_not = "with return_weights=True" if return_weights else blocks.refusal(call, weights, strict=strict)
    return blocks.attend(call, readably(weights)) if possible("blocks", why_not, strict) else None


def readably(weights):
    return lambda call: attend(call, weights)[0]


def possible(path, why_not, strict):
    if why_not and strict:
        raise ValueError(f'path="{path}" cannot be taken {why_not}; take path="readable" or "auto"')
    return not why_not


def attend(call, weights):
    """The output and the weights, as the formula is written."""
    scores, v, where = scored(call)
    pi = weigh(call, scores, where, weights)  # (..., n_q, n_k)
    output = dropped(call, pi) @ v  # (.., n_k) @ (n_k, d_v) -> (.., n_q, d_v)
    return cast(call.xp, output, call.dtype), cast(call.xp, pi, call.dtype)


def scored(call):
    """Scores (..., n_q, n_k), values (..., n_k, d_v) and the mask; nothing of what nobody sees is left in them."""
    xp = call.xp
    q, k, v = (cast(xp, x, call.working) for x in (call.q, call.per_head(call.k), call.per_head(call.v)))
    where = call.mask()
    q, k, v = blank_unseen(xp, where, q, k, v)
    return products(xp, q, k), v, where


def products(xp, q, k):
    """Scores; an infinite one is a constant, so its slope is 0."""
    scores = q @ xp.matrix_transpose(k)  # (.., n_q, d) @ (.., d, n_k)
    if not is_torch(q) or all_finite(xp, scores):
        return scores
    finite = xp.isfinite(scores)
    q, k = (xp.where(xp.isfinite(x), x, 0.0) for x in (q, k))
    return xp.where(finite, q @ xp.matrix_transpose(k), stop_gradient(scores))


def weigh(call, scores, where, weights):
    """From scores to weights, by the map that was asked for: (..., n_q, n_k) -> (..., n_q, n_k)."""
    xp = call.xp
    if not isinstance(weights, str):
        return cast(xp, weights(scores, call.beta, where=where, axis=-1), call.working)
    score_map, _ = MAPS[weights]
    if score_map is softmax and call.log_prior is not None:
        # It may lie far below any logarithm of a float, so it meets the scores before their exponential.
        return softmax(log_softmax(scores, call.beta, where=where) + call.log_prior, where=where)
    options = {} if call.alpha is None else {"alpha": call.alpha}
    if call.prior is not None:
        options["prior"] = call.prior
    if call.log_prior is not None:
        # Normalised over what is admissible; all of it for a row that has nothing, and no use for it. What is
        # too small for a float stays above 0: it is as good as nothing to add to a score, but no mask.
        u = softmax(cast(xp, call.log_prior, xp.float64), where=where | ~xp.any(where, axis=-1, keepdims=True))
        options["prior"] = xp.where(u > 1e-300, u, 1e-300)
    return score_map(scores, beta=call.beta, where=where, axis=-1, **options)


def dropped(call, pi):
    """Each weight set to 0 with probability p, or else divided by 1 − p: the expectation stays."""
    if call.dropout == 0:
        return pi
    if is_torch(pi):
        import torch

        chance = torch.rand(pi.shape, generator=call.generator, dtype=pi.dtype, device=pi.device)
    else:
        generator = call.generator or np.random.default_rng()
        chance = call.xp.asarray(generator.random(pi.shape), device=pi.device)
    return call.xp.where(chance < call.dropout, 0.0, pi / (1 - call.dropout))


def check_map(weights, **options):
    """The name of `weights` in the table, or else the callable; `ValueError` if it does not take the options."""
    if not (callable(weights) or isinstance(weights, str)):
        raise TypeError(
            f"weights must be a name or a callable f(scores, beta, where=..., axis=-1); got {weights!r}"
        )
    weights = next((name for name, (score_map, _) in MAPS.items() if score_map is weights), weights)
    if not callable(weights) and weights not in MAPS:
        raise ValueError(f"weights must be callable or one of {', '.join(map(repr, MAPS))}; got {weights!r}")
    taken = () if callable(weights) else MAPS[weights][1]
    for name, given in options.items():
        if given is not None and name not in taken:
            takers = ", ".join(repr(other) for other, (_, names) in MAPS.items() if name in names)
            raise ValueError(f"{name} does not go with weights={weights!r}; maps that take it: {takers}")
    return weights
