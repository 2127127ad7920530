"""How far one row of weights is from another, and from certainty: divergence and entropy, in nats."""

import math
from typing import Any

from ._arrays import Array, drop_axis, or_one, widest
from ._checks import in_rows_together
from ._torch_modes import isolated, stop_gradient


@isolated()
def kl_divergence(p: Array, q: Array, axis: int = -1) -> Any:
    r"""How well `p` can be told from `q`: the Kullback–Leibler divergence, in nats.

    It is the expected log-likelihood ratio in favour of `p` when `p` is true,

    .. math:: & \mathrm{KL}(p \,\|\, q) = \sum_i \Bigl( p_i \log\frac{p_i}{q_i} - p_i + q_i \Bigr), \\
              & 0 \log 0 = 0.

    The last two terms add up to nothing when both rows sum to 1. They are kept because they make
    every term non-negative: near :math:`p = q` the bare sum cancels to rounding noise of either
    sign, this one does not. There :math:`\log(p/q)` is taken as ``log1p((p - q) / q)``.

    Parameters
    ----------
    p, q : array, shape (..., n)
        Weights, each row summing to 1. They may broadcast against each other, but not along `axis`.
    axis : int, default -1
        The axis that sums to 1.

    Returns
    -------
    divergence : array, shape (...)
        In the wider dtype of the two; never negative; 0 if the rows are equal, and of the size eps² where they
        differ by rounding; inf where `p` has weight and `q` has none. A row of `p` that is all zeros (an empty
        row) gives 0.

    Raises
    ------
    TypeError
        For lists and scalars, and for arrays of two kinds or on two devices.
    ValueError
        If the shapes do not fit.

    Notes
    -----
    Rows that do not sum to 1 are not normalised: the formula above is used as it stands. The
    rounding of the weights themselves, to eps, costs a divergence of size δ² about eps · δ.
    Gradients flow to both arguments. At ``p = 0`` the slope in `p` is −∞; it is given as 0, so that
    weights which have underflowed or are masked leave the others' gradients alone.

    References
    ----------
    Kullback and Leibler (1951), https://doi.org/10.1214/aoms/1177729694.
    Csiszár (1991), for rows that need not sum to 1, https://doi.org/10.1214/aos/1176348385.

    Examples
    --------
    >>> import numpy as np
    >>> float(kl_divergence(np.array([1.0, 0.0]), np.array([0.5, 0.5])))  # one bit, log 2 nats
    0.6931471805599453
    """
    xp, axis, dtypes, rows = in_rows_together(axis, {"q": "n"}, p=p, q=q)
    return drop_axis(xp, divergence(xp, **rows, axis=axis), axis, widest(xp, dtypes.values()))


def divergence(xp, p, q, axis):
    """KL(p ‖ q) for checked arguments: (..., n), (..., n) -> (..., 1)."""
    d = p - q
    near = xp.abs(d) < 0.5 * q
    log_near = xp.log1p(xp.where(near, d, 0.0) / xp.where(near, q, 1.0))
    log_far = xp.log(or_one(xp, xp.where(near, 1.0, p))) - xp.log(or_one(xp, xp.where(near, 1.0, q)))
    terms = xp.where(p == 0, q, p * xp.where(near, log_near, log_far) - d)  # (..., n)
    terms = xp.where((p != 0) & (q == 0), math.inf, terms)

    total = xp.sum(terms, axis=axis, keepdims=True)  # (..., n) -> (..., 1)
    total = xp.where(xp.all(p == 0, axis=axis, keepdims=True), 0.0, total)
    # Rounding can leave the total a little below 0: its value is raised to 0, its gradient is kept.
    return total + stop_gradient(xp.where(total < 0, -total, 0.0))


@isolated()
def entropy(p: Array, axis: int = -1) -> Any:
    r"""How undecided a row of weights is: its Shannon entropy, in nats.

    .. math:: H(p) = -\sum_i p_i \log p_i, \qquad 0 \log 0 = 0.

    It is 0 when one entry has all the weight and :math:`\log n` when all n entries have the same.
    With a uniform prior :math:`u` it is what divergence leaves over:
    :math:`H(p) = \log n - \mathrm{KL}(p \,\|\, u)`.

    Parameters
    ----------
    p : array, shape (..., n)
        Weights, each row summing to 1.
    axis : int, default -1
        The axis that sums to 1.

    Returns
    -------
    entropy : array, shape (...)
        In the dtype of `p`. A row of zeros (an empty row) gives 0.

    Raises
    ------
    TypeError
        For lists and scalars.
    ValueError
        For 0-d arrays and an `axis` that is not there.

    Notes
    -----
    Zeros are exact in every dtype: no small constant is added under the logarithm. At ``p = 0`` the
    slope is +∞; it is given as 0, so that masked weights leave the others' gradients alone.

    References
    ----------
    Shannon (1948), https://doi.org/10.1002/j.1538-7305.1948.tb01338.x.

    Examples
    --------
    >>> import numpy as np
    >>> entropy(np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]))
    array([0.69314718, 0.        ])
    """
    xp, axis, dtypes, rows = in_rows_together(axis, {}, p=p)
    return drop_axis(xp, shannon(xp, rows["p"], axis), axis, dtypes["p"])


def shannon(xp, p, axis):
    """H(p) for checked arguments: (..., n) -> (..., 1)."""
    # 0 − x, not −x, so that a one-hot row has entropy 0, not −0
    return 0.0 - xp.sum(p * xp.log(or_one(xp, p)), axis=axis, keepdims=True)
