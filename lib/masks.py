"""Who may look at what: causal, padding and sliding-window masks. Boolean; True = takes part.

They broadcast against scores (..., n_q, n_k), combine with `&`, and go wherever `where=` is taken.
"""

from typing import Any

from ._arrays import Array, as_int, as_position, integers, is_integer, namespace, positions


def causal_mask(
    n_q: int, n_k: int | None = None, *, offset: int | Array | None = None, like: Array | None = None
) -> Any:
    r"""Let no query see a key that comes after it.

    Query i sits at position :math:`o + i` among the keys and sees the keys

    .. math:: j \le o + i .

    Parameters
    ----------
    n_q : int
        Number of queries.
    n_k : int, optional
        Number of keys; by default as many as queries.
    offset : int, or integer array of shape (...), optional
        The position :math:`o` of query 0, in tokens. By default n_k − n_q: the queries are the last
        of the keys, as in decoding with a cache (aligned to the bottom right). It may be negative:
        the queries before position 0 see nothing.
    like : array, optional
        Makes the mask in this array's library, on its device. By default in that of `offset` if it is
        an array, else in NumPy.

    Returns
    -------
    mask : boolean array, shape (n_q, n_k), or (..., n_q, n_k) for an `offset` of shape (...)
        An offset for each batch item, (batch,), thus combines with scores (batch, n_q, n_k); for
        scores with heads, (batch, H, n_q, n_k), pass ``offset[:, None]``. (`attention` does so itself.)

    Raises
    ------
    TypeError
        For sizes or an offset that are not integers, and for `offset` and `like` of two kinds.
    ValueError
        For negative sizes.

    Notes
    -----
    torch's ``scaled_dot_product_attention(is_causal=True)`` has offset 0, aligned to the top left: the
    same for n_q = n_k, another mask for n_q ≠ n_k.

    References
    ----------
    Vaswani et al. (2017), section 3.2.3, https://arxiv.org/abs/1706.03762.

    Examples
    --------
    >>> causal_mask(2, 4).astype(int)  # the last 2 of 4 positions
    array([[1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    query, key = _checked_positions(n_q, n_k, offset, like)
    return key <= query


def window_mask(
    n_q: int, n_k: int | None = None, *, window: int, offset: int | Array | None = None, like: Array | None = None
) -> Any:
    r"""Let each query see the last few keys up to its own, and nothing else: a sliding window.

    Query i at position :math:`o + i` sees, of the keys,

    .. math:: o + i - \mathrm{window} < j \le o + i ,

    so a window is causal; window = 1 is the query's own position alone.

    Parameters
    ----------
    n_q, n_k, offset, like
        As for `causal_mask`.
    window : int, at least 1
        How many keys a query sees, in tokens.

    Returns
    -------
    mask : boolean array, shape (n_q, n_k), or (..., n_q, n_k) for an `offset` of shape (...)

    Raises
    ------
    TypeError, ValueError
        As `causal_mask`, and for a window that is not an integer, or less than 1.

    References
    ----------
    Beltagy, Peters and Cohan (2020), section 3.1, https://arxiv.org/abs/2004.05150.

    Examples
    --------
    >>> window_mask(3, window=2).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    query, key = _checked_positions(n_q, n_k, offset, like)
    return (key <= query) & (key > query - check_window(window))


def padding_mask(lengths: Array, n_k: int) -> Any:
    r"""Let nobody see the padding behind a sequence that is shorter than its batch.

    .. math:: j < \mathrm{length}

    Parameters
    ----------
    lengths : integer array, shape (...)
        How many keys of each sequence are real, in tokens. 0 or less: none; n_k or more: all.
    n_k : int
        Number of keys, padding included.

    Returns
    -------
    mask : boolean array, shape (..., 1, n_k)
        In the library of `lengths` and on its device. Lengths (batch,) combine with scores
        (batch, n_q, n_k); for scores with heads, (batch, H, n_q, n_k), pass ``lengths[:, None]``.
        (`attention` does so itself.)

    Raises
    ------
    TypeError
        For lengths that are not an array of integers, and a size that is not an integer.
    ValueError
        For a negative size.

    Examples
    --------
    >>> import numpy as np
    >>> padding_mask(np.array([1, 3]), 3).astype(int)
    array([[[1, 0, 0]],
    <BLANKLINE>
           [[1, 1, 1]]])
    """
    xp = namespace(lengths=lengths)
    keys = xp.arange(_size("n_k", n_k), device=lengths.device)
    return keys < integers(xp, "lengths", lengths)[..., None, None]  # (n_k,) < (..., 1, 1) -> (..., 1, n_k)


def check_window(window):
    """`window` as an integer, at least 1."""
    if not is_integer(window):
        raise TypeError(f"window must be an integer, at least 1; got {window!r}")
    if window < 1:
        raise ValueError(f"window must be at least 1 (the query's own position); got {window}")
    return as_position(window)


def _size(name, n):
    if not is_integer(n):
        raise TypeError(f"{name} must be an integer, at least 0; got {n!r}")
    if n < 0:
        raise ValueError(f"{name} must be at least 0; got {n}")
    return as_int(n)


def _checked_positions(n_q, n_k, offset, like):
    """Where the queries are, (..., n_q, 1), and where the keys are, (n_k,)."""
    n_q = _size("n_q", n_q)
    n_k = n_q if n_k is None else _size("n_k", n_k)
    offset = n_k - n_q if offset is None else offset
    return positions(n_q, n_k, as_position(offset) if is_integer(offset) else offset, like)
