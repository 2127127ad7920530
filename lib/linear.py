"""Linear attention: weights that factor into features, so that keys and values are summed up once for all."""

from collections.abc import Callable

from ._arrays import Array, ArrayT, cast, highest, matrix_product, namespace, or_one, present
from ._checks import listed, size_along
from ._request import checked
from ._torch_modes import is_torch, isolated, stop_gradient

CHUNK = 64  # causal queries that share one sum over all earlier keys, and have scores for their own keys


def elu1(x):
    """elu(x) + 1: positive, and with a slope everywhere."""
    xp = namespace(x=x)
    zero = xp.zeros((), dtype=x.dtype, device=x.device)
    return xp.exp(xp.minimum(x, zero)) + xp.maximum(x, zero)


FEATURE_MAPS = {"elu1": elu1}


@isolated(autocast_results=1)
def linear_attention(
    q: ArrayT,
    k: Array,
    v: Array,
    *,
    feature_map: str | Callable[..., Array] = "elu1",
    causal: bool = False,
    where: Array | None = None,
    lengths: Array | None = None,
) -> ArrayT:
    r"""Attention in time proportional to n: weights that factor into features of query and key.

    .. math:: \pi_{ij} &= \frac{\varphi(q_i)^\top \varphi(k_j)}{\sum_l \varphi(q_i)^\top \varphi(k_l)}, \\
              o_i &= \sum_j \pi_{ij} v_j
              = \frac{\varphi(q_i)^\top \sum_j \varphi(k_j) v_j^\top}{\varphi(q_i)^\top \sum_l \varphi(k_l)} .

    The sums over keys are the same for all queries (or, if causal, grow from one query to the next).
    Softmax has no such form with finitely many features; what is given up for speed is its sharpness.

    Parameters
    ----------
    q, k, v
        As for `attention`: (..., n_q, d), (..., n_k, d), (..., n_k, d_v), grouped heads included.
    feature_map : str or callable, default "elu1"
        :math:`\varphi`, from (..., n, d) to (..., n, d'), non-negative if the weights are to be. "elu1" is
        elu(x) + 1.
    causal : bool, default False
        No query sees a later key; query 0 is at position n_k − n_q, as in `causal_mask`, whatever the
        `lengths`: a cache that is padded at its end it does not fit.
    where : boolean array, broadcastable to (..., n_k), optional
        Which keys take part; True = takes part. A mask for `attention` with an axis of one query will do
        too, so that `padding_mask` fits as it is. With heads, one of shape (batch, n_k) would fall on the heads.
    lengths : integer array, shape (batch,), optional
        As for `attention`.

    Returns
    -------
    output : array, shape (..., n_q, d_v)
        In the dtype of that of `attention`, under autocast too. A query with nothing to attend to gets zeros,
        and so does one whose features are orthogonal to those of all its keys.

    Raises
    ------
    TypeError, ValueError
        As `attention`, and for a feature map that is neither callable nor known by name.

    Notes
    -----
    Time O(n · d · d_v), memory O(n). Masked keys and values have no effect, not even NaN, and get gradient 0;
    an admissible NaN spoils the queries that see it and, as a value, others near them. Half precision is
    computed in float32. With "elu1" a key of which all entries lie below −708 (in float32 −87) loses
    digits, and below −745 (−103) it counts as masked; a query does at −745 (−103). Differentiable to any order.

    References
    ----------
    Katharopoulos et al. (2020), https://arxiv.org/abs/2006.16236.

    Examples
    --------
    >>> import numpy as np
    >>> q, k, v = np.eye(2), np.array([[2.0, 0.0], [0.0, 2.0]]), np.array([[7.0], [0.0]])
    >>> linear_attention(q, k, v)  # features (2, 1), (1, 2) and (3, 1), (1, 3): weights 7 : 5 and 5 : 7
    array([[4.08333333],
           [2.91666667]])
    >>> linear_attention(q, k, v, causal=True)
    array([[7.        ],
           [2.91666667]])
    """
    features = feature_function(feature_map)
    where = over_keys(q, k, v, where)
    # β is not read, and neither is the offset: it keeps `checked` from asking for one
    request = checked(q, k, v, beta=1.0, where=where, causal=causal, lengths=lengths, offset=0)
    xp = request.xp
    q, k, v = (cast(xp, x, request.working) for x in (request.q, request.k, request.v))
    k, v = request.with_all_heads(k), request.with_all_heads(v)
    n_q, n_k = q.shape[-2], k.shape[-2]
    every_query_sees = n_k > 0 and not (causal and n_q > n_k)
    if where is None and lengths is None and every_query_sees:
        q, k = features(q), features(k)
    else:
        q, k, v = unseen_to_zero(request, features, q, k, v)
    # A factor common to all features of a query cancels; this one keeps small products from underflow.
    q = q / or_one(xp, stop_gradient(highest(xp, xp.abs(q), -1)))
    v = xp.concat([v, xp.ones((*v.shape[:-1], 1), dtype=v.dtype, device=v.device)], axis=-1)
    total = sums_over_keys(q, k, v, request.causal)  # (..., n_q, d_v + 1), the last the sum of the weights
    weight = total[..., -1:]
    return cast(xp, xp.where(weight == 0, 0.0, total[..., :-1] / or_one(xp, weight)), request.dtype)


def over_keys(q, k, v, where):
    """The mask over keys as (..., 1, n_k), with an axis for the queries, which it may have had already."""
    xp = namespace(q=q, k=k, v=v, **present(where=where))
    if where is None or k.ndim < 2:
        return where
    for_one_query = where.ndim >= max(q.ndim, k.ndim, v.ndim)
    if size_along(where, -1) not in (1, k.shape[-2]) or (for_one_query and where.shape[-2] != 1):
        what = f"where must have shape (..., n_k), n_k = {k.shape[-2]}, or (..., 1, n_k)"
        raise ValueError(f"{what}: {listed(dict(k=k, where=where))}")
    return where if for_one_query else xp.reshape(where, (*where.shape[:-1], 1, *where.shape[-1:]))


def unseen_to_zero(request, features, q, k, v):
    """Features of q and k, and v: zeros for masked keys and queries that see nothing, even where they hold NaN."""
    xp = request.xp
    queries, keys = (xp.ones((x.shape[-2], 1), dtype=x.dtype, device=x.device) for x in (q, k))
    mask = request._replace(causal=False).mask()
    keep = keys > 0 if mask is None else xp.matrix_transpose(mask)  # (..., n_k, 1)
    count = sums_over_keys(queries, cast(xp, keep, k.dtype), keys, request.causal)  # of keys seen: (..., n_q, 1)
    seeing = count > 0
    q, k = (xp.where(on, features(xp.where(on, x, 0.0)), 0.0) for x, on in ((q, seeing), (k, keep)))
    return q, k, xp.where(keep, v, 0.0)


def feature_function(feature_map):
    """The feature map as a function of an array, which checks the shape of its result."""
    known = ", ".join(map(repr, FEATURE_MAPS))
    what = f"feature_map must be {known} or a callable, (..., n, d) -> (..., n, d')"
    features = FEATURE_MAPS.get(feature_map) if isinstance(feature_map, str) else feature_map
    if not callable(features):
        error = ValueError if isinstance(feature_map, str) else TypeError
        raise error(f"{what}; got {feature_map!r}")

    def checked_features(x):
        y = features(x)
        if tuple(y.shape[:-1]) != tuple(x.shape[:-1]):
            raise ValueError(f"{what}; it turned {tuple(x.shape)} into {tuple(y.shape)}")
        return y

    return checked_features


def sums_over_keys(q, k, v, causal):
    """Σ (q_i · k_j) v_j over the keys that query i sees: (n_q, d), (n_k, d), (n_k, c) -> (n_q, c)."""
    xp, n_q, n_k = namespace(q=q), q.shape[-2], k.shape[-2]
    past = max(n_k - n_q, 0) if causal else n_k  # keys that every query sees
    memory = matrix_product(xp.matrix_transpose(k[..., :past, :]), v[..., :past, :])  # (..., d, c)
    if not causal or n_q == 0:
        return matrix_product(q, memory)
    q, k, v = (in_chunks(xp, x, n_q) for x in (q, k[..., past:, :], v[..., past:, :]))
    keys = xp.matrix_transpose(k)  # (..., m, d, CHUNK)
    new = matrix_product(keys, v)  # (..., m, d, c)
    memory = xp.concat([memory[..., None, :, :], new[..., :-1, :, :]], axis=-3)
    # torch.compile warns of what array_api_compat does in its own function for this
    memory = memory.cumsum(-3) if is_torch(memory) else xp.cumulative_sum(memory, axis=-3)
    before, here = matrix_product(q, memory), matrix_product(xp.tril(matrix_product(q, keys)), v)
    total = before + here  # the chunks before, and the chunk itself
    return xp.reshape(total, (*total.shape[:-3], -1, total.shape[-1]))[..., -n_q:, :]


def in_chunks(xp, x, n):
    """(..., up to n, d) -> (..., m, n / m, d), with zeros in front for what is missing."""
    size = min(CHUNK, n)
    count = -(-n // size)
    missing = count * size - x.shape[-2]
    if missing > 0:
        zeros = xp.zeros((*x.shape[:-2], missing, x.shape[-1]), dtype=x.dtype, device=x.device)
        x = xp.concat([zeros, x], axis=-2)
    return xp.reshape(x, (*x.shape[:-2], count, size, x.shape[-1]))
