"""What a row of weights looks like, in one number."""

from typing import Any

from ._arrays import Array, cast, drop_axis, dtypes_of, for_each_item, is_integer, namespace, positions, present
from ._checks import in_rows_together
from ._torch_modes import isolated
from .divergences import shannon


@isolated()
def effective_count(p: Array, axis: int = -1) -> Any:
    r"""Over how many entries a row of weights is spread: the exponential of its entropy.

    .. math:: e^{H(p)} = \prod_i p_i^{-p_i}, \qquad 1 \le e^{H(p)} \le n.

    It is k when k entries have the same weight and the others none: the effective number of tokens
    that a query attends to.

    Parameters
    ----------
    p : array, shape (..., n)
        Weights, each row summing to 1.
    axis : int, default -1
        The axis that sums to 1.

    Returns
    -------
    count : array, shape (...)
        In the dtype of `p`; 0 for a row of zeros (an empty row), which attends to nothing.

    Raises
    ------
    TypeError
        For lists and scalars.
    ValueError
        For 0-d arrays and an `axis` that is not there.

    Notes
    -----
    Computed in float32 at least; in float16 a count above 65504 is inf. Gradients as for `entropy`.

    References
    ----------
    Hill (1973), https://doi.org/10.2307/1934352.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[0.25, 0.25, 0.25, 0.25], [0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.0, 0.0]])
    >>> effective_count(rows).round(12)
    array([4., 2., 0.])
    """
    xp, axis, dtypes, rows = in_rows_together(axis, {}, p=p)
    nothing = xp.all(rows["p"] == 0, axis=axis, keepdims=True)
    return drop_axis(xp, xp.where(nothing, 0.0, xp.exp(shannon(xp, rows["p"], axis))), axis, dtypes["p"])


@isolated()
def attention_distance(weights: Array, *, offset: int | Array | None = None) -> Any:
    r"""How far each query looks: its expected distance, in tokens, from what it attends to.

    .. math:: \text{distance}_i = \sum_j \pi_{ij}\, \lvert (\mathrm{offset} + i) - j \rvert .

    Parameters
    ----------
    weights : array, shape (..., n_q, n_k)
        Attention weights of n_q queries over n_k keys, each row summing to 1.
    offset : int, or integer array of shape (batch,), optional
        The position of query 0 among the keys, for each batch item (the first axis) where it is an
        array. By default n_k − n_q: the queries are the last of the keys, as in `causal_mask`.

    Returns
    -------
    distance : array, shape (..., n_q)
        In tokens and the dtype of `weights`; 0 for a row of zeros. Its mean over queries is the mean
        attention distance of a head.

    Raises
    ------
    TypeError
        For lists and scalars, and an `offset` that is not of integers.
    ValueError
        For fewer than two axes, and an `offset` that does not fit.

    References
    ----------
    Dosovitskiy et al. (2020), appendix D.7, https://arxiv.org/abs/2010.11929.

    Examples
    --------
    >>> import numpy as np
    >>> attention_distance(np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]))  # 2 queries, the last of 3 keys
    array([0.5, 0. ])
    """
    xp = namespace(weights=weights, **present(offset=None if is_integer(offset) else offset))
    if weights.ndim < 2:
        raise ValueError(f"weights must have shape (..., n_q, n_k); got {tuple(weights.shape)}")
    dtypes, working = dtypes_of(xp, {"weights": weights})
    weights = cast(xp, weights, working)
    n_q, n_k = weights.shape[-2:]
    offset = n_k - n_q if offset is None else for_each_item(xp, "offset", offset, tuple(weights.shape[:-2]))
    queries, keys = positions(n_q, n_k, offset, weights)  # (..., n_q, 1), (n_k,)
    distance = cast(xp, xp.abs(queries - keys), weights.dtype)
    return cast(xp, xp.sum(weights * distance, axis=-1), dtypes["weights"])
