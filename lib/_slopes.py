"""The formulas for the derivatives of softmax, entmax and sparsemax, of which `gradients` tells."""

import math

from ._arrays import or_one


def rates(xp, weights, alpha):
    """r = weight^(2 − α) on the support, 0 off it: (..., n) -> (..., n)."""
    return xp.where(weights == 0, 0.0, or_one(xp, weights) ** (2 - alpha))


def pull_back(xp, r, grad, axis):
    """r ⊙ (g − ⟨r, g⟩ / Σ r): (..., n), (..., n) -> (..., n). It is symmetric, so it carries tangents too."""
    mean = xp.sum(r * grad, axis=axis, keepdims=True) / or_one(xp, xp.sum(r, axis=axis, keepdims=True))
    return r * (grad - mean)


def slope_in_alpha(xp, weights, alpha, axis):
    """∂π/∂α of entmax at fixed scores, (..., n) -> (..., n); at α = 1 too, where it is a limit.

    π = (1 + (α − 1) y)^(1 / (α − 1)) has the slope −π log²π φ₂((1 − α) log π) at fixed y; then the
    threshold in y moves so that the sum stays 1 (Correia et al., 2019, https://arxiv.org/abs/1909.00015).
    """
    log_w = xp.log(or_one(xp, weights))
    direct = -weights * log_w**2 * phi(xp, (1 - alpha) * log_w, 2)
    r = rates(xp, weights, alpha)
    share = r / or_one(xp, xp.sum(r, axis=axis, keepdims=True))
    return direct - share * xp.sum(direct, axis=axis, keepdims=True)


def phi(xp, t, k):
    """φ_k(t) = Σ_j t^j / (j + k)!, which is (e^t − 1)/t for k = 1 and (e^t − 1 − t)/t² for k = 2.

    The quotients lose their digits near 0, so there the series stands in, for autograd too.
    """
    near = xp.abs(t) < 1
    small, far, series = xp.where(near, t, 0.0), xp.where(near, 1.0, t), 0.0
    for j in range(17, -1, -1):
        series = 1 / math.factorial(j + k) + small * series
    quotient = xp.expm1(far) / far
    return xp.where(near, series, quotient if k == 1 else (quotient - 1) / far)
