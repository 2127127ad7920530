"""Derivatives of the score-to-weight maps, in closed form.

Softmax (α = 1), entmax (any α) and sparsemax (α = 2) share one formula: a weight rises with its own score at
the rate r = weight^(2 − α), and what it gains is taken from all the weights, in proportion to their r.
"""

import math
from typing import Any

from ._arrays import Array, ArrayT, Real, as_float, cast, is_number
from ._checks import arrays_among, check_alpha, check_beta, in_rows_together
from ._slopes import pull_back, rates
from ._torch_modes import compiling, is_torch, isolated


@isolated()
def softmax_jacobian(weights: Array, beta: Real = 1.0) -> Any:
    r"""How each weight of softmax answers to each score.

    .. math:: \frac{\partial \pi_i}{\partial s_j} = \beta\, (\pi_i \delta_{ij} - \pi_i \pi_j),

    β times the covariance of one draw from π. It depends on scores and prior through π alone, is
    symmetric, and has rows that sum to 0.

    Parameters
    ----------
    weights : array, shape (..., n)
        The result π of `softmax`, along the last axis.
    beta : float or array of shape (..., 1), default 1.0
        The β that was used, in 1/unit of the scores. ±∞ gives 0: hard routing has no slope.

    Returns
    -------
    jacobian : array, shape (..., n, n)
        In 1/unit of the scores and the dtype of `weights`; zeros for an empty row.

    Raises
    ------
    TypeError, ValueError
        As `softmax`.

    Examples
    --------
    >>> import numpy as np
    >>> softmax_jacobian(np.array([0.5, 0.5]), 2.0)
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    xp, w, _, beta, _, dtype = _checked_derivative(weights, beta)
    identity = xp.eye(w.shape[-1], dtype=w.dtype, device=w.device)
    jacobian = w[..., :, None] * (identity - w[..., None, :])  # (..., n, 1) * (..., n, n)
    return cast(xp, jacobian * (beta if is_number(beta) else beta[..., None]), dtype)


@isolated()
def softmax_vjp(weights: ArrayT, grad: Array, beta: Real = 1.0, *, axis: int = -1) -> ArrayT:
    r"""Carry a gradient back through softmax, from its weights to its scores.

    .. math:: & g \mapsto J^\top g = \beta\, \pi \odot (g - \langle \pi, g \rangle), \\
              & J = J^\top.

    Parameters
    ----------
    weights : array, shape (..., n)
        The result π of `softmax`.
    grad : array, shape (..., n)
        The gradient g with respect to the weights.
    beta : float or array of size 1 along `axis`, default 1.0
        The β that was used. ±∞ gives 0.
    axis : int, default -1
        The axis of the n entries.

    Returns
    -------
    grad : array, shape (..., n)
        With respect to the scores, in the wider dtype of the two; 0 where the weight is 0, whatever
        gradient arrives there.

    Raises
    ------
    TypeError, ValueError
        As `softmax`.

    Examples
    --------
    >>> import numpy as np
    >>> softmax_vjp(np.array([0.25, 0.75]), np.array([1.0, 0.0]), 4.0)
    array([ 0.75, -0.75])
    """
    return entmax_vjp(weights, grad, beta, alpha=1.0, axis=axis)


@isolated()
def sparsemax_vjp(weights: ArrayT, grad: Array, beta: Real = 1.0, *, axis: int = -1) -> ArrayT:
    r"""Carry a gradient back through sparsemax: take off its mean over the support S.

    .. math:: g \mapsto \beta\, \mathbb{1}_S \odot (g - \bar g_S).

    Parameters
    ----------
    weights, grad, beta, axis
        As for `softmax_vjp`, the weights being the result of `sparsemax`.

    Returns
    -------
    grad : array, shape (..., n)
        As `softmax_vjp`.

    Raises
    ------
    TypeError, ValueError
        As `softmax`.

    References
    ----------
    Martins and Astudillo (2016), https://arxiv.org/abs/1602.02068.

    Examples
    --------
    >>> import numpy as np
    >>> sparsemax_vjp(np.array([0.25, 0.75, 0.0]), np.array([1.0, 3.0, 7.0]))
    array([-1.,  1.,  0.])
    """
    return entmax_vjp(weights, grad, beta, alpha=2.0, axis=axis)


@isolated()
def entmax_vjp(weights: ArrayT, grad: Array, beta: Real = 1.0, *, alpha: Real = 1.5, axis: int = -1) -> ArrayT:
    r"""Carry a gradient back through entmax, from its weights to its scores.

    .. math:: & g \mapsto \beta\, r \odot \Bigl( g - \frac{\langle r, g \rangle}{\sum_i r_i} \Bigr), \\
              & r_i = \pi_i^{2 - \alpha} \text{ where } \pi_i > 0, \text{ else } 0.

    Parameters
    ----------
    weights, grad, beta, axis
        As for `softmax_vjp`, the weights being the result of `entmax`.
    alpha : float or array of size 1 along `axis`, default 1.5
        The α ≥ 1 that was used.

    Returns
    -------
    grad : array, shape (..., n)
        As `softmax_vjp`.

    Raises
    ------
    TypeError, ValueError
        As `entmax`.

    References
    ----------
    Peters, Niculae and Martins (2019), https://arxiv.org/abs/1905.05702.

    Examples
    --------
    >>> import numpy as np
    >>> entmax_vjp(np.array([0.64, 0.36, 0.0]), np.array([1.0, 0.0, 7.0]), alpha=1.5).round(4)
    array([ 0.3429, -0.3429,  0.    ])
    """
    xp, weights, grad, beta, alpha, dtype = _checked_derivative(weights, beta, alpha, axis, grad=grad)
    there = weights != 0
    grad = pull_back(xp, rates(xp, weights, alpha), xp.where(there, grad, 0.0), axis)
    return cast(xp, beta * xp.where(there, grad, 0.0), dtype)


def with_derivatives(weights, x, order, axis):
    """`weights`, with the derivatives in `x` and `order`, α − 1, that the equation of entmax gives them."""
    if not is_torch(x):
        return weights
    from . import _entmax_autograd  # only now, since NumPy arrays do not need torch

    # torch.compile cannot follow a derivative forward
    solution = _entmax_autograd.Solution if compiling() else _entmax_autograd.SolutionForTransforms
    return solution.apply(weights, x, order, axis)


def _checked_derivative(weights, beta, alpha=1.0, axis=-1, **grad):
    """The arguments of a derivative, with `grad` or without, in one working dtype; an infinite β becomes 0."""
    others = grad | arrays_among(beta=beta, alpha=alpha)
    sizes = {"grad": "n", "beta": "1", "alpha": "1"}
    xp, _, dtypes, cast_to = in_rows_together(axis, sizes, weights=weights, **others)
    check_beta(xp, beta)
    check_alpha(xp, alpha)
    dtype = xp.result_type(*(dtypes[name] for name in ("weights", *grad)))
    beta, alpha = cast_to.get("beta", beta), cast_to.get("alpha", alpha)
    if is_number(beta):
        beta = 0.0 if abs(beta) == math.inf else as_float(beta)
    else:
        beta = xp.where(xp.isinf(beta), 0.0, beta)
    return xp, cast_to["weights"], cast_to.get("grad"), beta, alpha, dtype
