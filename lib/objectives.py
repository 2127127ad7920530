"""What softmax trades: expected score against divergence from the prior, and the β that a budget buys."""

import math
from typing import Any

from ._arrays import Array, Real, as_float, cast, drop_axis, float_dtype, highest, is_number, namespace, or_one
from ._checks import SIZES, arrays_among, check_shapes, negative_axis, prepare
from ._torch_modes import is_torch, isolated, known_true, stop_gradient, tracing
from .divergences import divergence
from .softmax import admissible_mass, tilt

inf = math.inf


@isolated()
def objective(
    p: Array, scores: Array, beta: Real, *, prior: Array | None = None, where: Array | None = None, axis: int = -1
) -> Any:
    r"""What softmax maximises: expected score minus divergence from the prior, at 1/β a nat.

    .. math:: J(p) &= \langle p, s \rangle - \tfrac{1}{\beta}\,\mathrm{KL}(p \,\|\, u), \\
              \max_p J(p) &= J(\mathrm{softmax}(s, \beta)) \\
              &= \mathrm{log\_partition}(s, \beta).

    For :math:`\beta < 0` softmax minimises it, with the same equality.

    Parameters
    ----------
    p : array, shape (..., n)
        Weights to judge, each row summing to 1.
    scores, beta, prior, where, axis
        As for `softmax`; the prior :math:`u` is normalised over the admissible entries.

    Returns
    -------
    value : array, shape (...)
        In the unit of `scores` and the wider dtype of `p` and `scores`. At β = ±∞ it is ⟨p, s⟩. At
        β = 0 it is −∞, but ⟨p, s⟩ if `p` is the prior to rounding (8 eps of the dtype of `p`). Weight
        on an entry that is not admissible, and an empty row, are worth −∞ (for β < 0, +∞).

    Raises
    ------
    TypeError, ValueError
        As `softmax`.

    Notes
    -----
    ⟨p, s⟩ counts 0 · ∞ as 0. The divergence is that of `kl_divergence`, with its gradients.

    References
    ----------
    Donsker and Varadhan (1975), https://doi.org/10.1002/cpa.3160280102.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([0.0, 1.0])
    >>> rows = np.array([[0.5, 0.5], [0.1, 0.9], [0.0, 1.0]])
    >>> [round(float(objective(p, scores, 2.0)), 3) for p in rows]
    [0.5, 0.716, 0.653]
    """
    xp = namespace(p=p, scores=scores)
    axis = negative_axis(p, axis, "p")
    p_dtype = float_dtype(xp, p, "p")
    dtype = xp.result_type(p_dtype, float_dtype(xp, scores))
    arguments = prepare(cast(xp, scores, dtype), beta, prior, where, axis)
    others = {"scores": scores, "beta": beta, "prior": prior, "where": where}
    check_shapes(axis, SIZES | {"scores": "n"}, p=p, **others)
    p, scores, beta = cast(xp, p, arguments.scores.dtype), arguments.scores, arguments.beta_array

    admissible, mass = admissible_mass(arguments)
    total = xp.sum(mass, axis=axis, keepdims=True)
    u = mass / or_one(xp, total)
    kl = divergence(xp, p, u, axis)  # (..., 1)
    at_prior = xp.all(xp.abs(p - u) <= 8 * xp.finfo(p_dtype).eps * u, axis=axis, keepdims=True)
    endless = xp.any(admissible & xp.isinf(scores) & (p != 0), axis=axis, keepdims=True)
    gain = xp.sum(p * xp.where(admissible & ~xp.isinf(scores), scores, 0.0), axis=axis, keepdims=True)

    forbidden = xp.isinf(kl) | (total == 0) | ((beta == 0) & ~at_prior & ~xp.isnan(gain))
    price = xp.where(forbidden | (beta == 0), 0.0, kl) / or_one(xp, beta)
    worst = xp.where(beta < 0, xp.full_like(beta, inf), -inf)
    value = xp.where(forbidden, worst, xp.where(endless, inf, gain) - price)
    return drop_axis(xp, value, axis, dtype)


@isolated()
def beta_for_kl(
    scores: Array, epsilon: Real, *, prior: Array | None = None, where: Array | None = None, axis: int = -1
) -> Any:
    r"""The sharpest softmax that a budget of distinguishability allows.

    The largest β ≥ 0 whose weights stay within ε nats of the prior,

    .. math:: \max \{\beta \ge 0 : {} & \mathrm{KL}(\mathrm{softmax}(\beta s) \,\|\, u) \\
              & {} \le \varepsilon\},

    so that softmax at this β solves :math:`\max \langle \pi, s \rangle` subject to
    :math:`\mathrm{KL}(\pi \,\|\, u) \le \varepsilon`. 1/β is what the last nat of the budget is worth.

    Parameters
    ----------
    scores, prior, where, axis
        As for `softmax`.
    epsilon : float or array, shape (...)
        The budget ε ≥ 0, in nats: one for all rows, or one for each.

    Returns
    -------
    beta : array, shape (...)
        In 1/unit and the dtype of `scores`, `axis` taken away: give it to `softmax` as
        ``beta[..., None]``. Infinite where the budget does not bind: where ε reaches −log of the
        prior's share of the best entries (log n for one best of n), to 4 eps; so also where all
        scores are equal, and in an empty row. 0 for ε = 0 elsewhere, and where a score of +inf makes
        every β > 0 exceed the budget. A finite β too large for the dtype is its largest number.

    Raises
    ------
    TypeError
        As `softmax`.
    ValueError
        As `softmax`; and for ε negative or NaN, or not of the rows' shape.

    Notes
    -----
    Newton's method on the log-odds of the share of the budget used, inside a bracket that bisection
    closes when Newton strays; in float64, whatever the dtype of the scores. To 8 eps of itself, the result
    is the exact β of a budget within 8 eps of ε, from the least normal number to the limit. Differentiable
    in `scores`, `prior` and ε, twice, by two Newton steps at the solution; where β is 0 or infinite the
    gradient is given as 0. A program that torch traces holds 24 steps, where 5 to 10 are usual; there a budget
    that would take more gives NaN.

    References
    ----------
    Csiszár (1975), https://doi.org/10.1214/aop/1176996454.
    Hoeffding (1963), for the lower end of the bracket, https://doi.org/10.1080/01621459.1963.10500830.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([0.0, 1.0, 3.0])
    >>> [round(float(beta_for_kl(scores, e)), 4) for e in (0.0, 0.1, 0.5, np.log(3))]
    [0.0, 0.3535, 0.8988, inf]
    """
    xp = namespace(scores=scores, **arrays_among(epsilon=epsilon))
    dtype = float_dtype(xp, scores)
    axis = negative_axis(scores, axis)
    t = tilt(prepare(cast(xp, scores, xp.float64), 1.0, prior, where, axis))
    budget, slack = _budget(xp, epsilon, t.peak, axis)

    best = t.alive & (t.gap == 0)
    ties = xp.sum(xp.where(best, t.mass, 0.0), axis=axis, keepdims=True)  # (..., n) -> (..., 1)
    others = xp.sum(xp.where(best, 0.0, t.mass), axis=axis, keepdims=True)
    limit = xp.log1p(others / or_one(xp, ties))  # the divergence at β = ∞
    free = budget >= limit * (1 - slack)
    binds = ~free & (budget > 0) & xp.isfinite(t.peak)
    budget = xp.where(binds, budget, 1.0)  # elsewhere it counts no more: an infinite one has NaN gradients

    width = or_one(xp, stop_gradient(highest(xp, -t.gap, axis)))
    gap, p = t.gap / width, t.mass / or_one(xp, ties + others)  # (..., n): in [−1, 0]; sums to 1
    relative = _relative_beta(xp, gap, p, budget, limit, binds, axis)  # (..., 1): β in units of 1/width
    beta = xp.minimum(relative / width / t.unit, xp.full_like(relative, xp.finfo(dtype).max))
    beta = xp.where(free, inf, xp.where(binds, beta, 0.0))
    return drop_axis(xp, xp.where(xp.isnan(t.peak), t.peak, beta), axis, dtype)


def _budget(xp, epsilon, peak, axis):
    """ε as an array (..., 1) in float64, and the relative rounding it may come with."""
    if is_number(epsilon):
        if not epsilon >= 0:
            raise ValueError(f"epsilon must be at least 0, in nats; got {epsilon}")
        return xp.full_like(peak, as_float(epsilon)), 4 * xp.finfo(xp.float64).eps
    wrong = ~(stop_gradient(epsilon) >= 0)
    if known_true(xp.any(wrong)):
        raise ValueError(f"epsilon must be at least 0, in nats; got {float(epsilon[wrong][0])}")
    slack = 4 * xp.finfo(float_dtype(xp, epsilon, "epsilon")).eps
    rows = tuple(xp.squeeze(peak, axis=axis).shape)
    if epsilon.ndim > 0 and tuple(epsilon.shape) != rows:
        raise ValueError(
            f"epsilon must be a number or have the shape of the rows, which is {rows}: that of scores without "
            f"axis {axis}; epsilon has shape {tuple(epsilon.shape)}"
        )
    epsilon = xp.broadcast_to(epsilon, rows)  # if it is 0-d
    return cast(xp, xp.expand_dims(epsilon, axis=axis), xp.float64), slack


def _kl_and_variance(xp, x, p, axis):
    """KL(w ‖ p) for w ∝ p e^x, x ≤ 0, and the variance of x under w: (..., n) -> (..., 1), (..., 1).

    To full relative accuracy, however close w is to p: each term p · h(log w/p), h(r) = r e^r − e^r + 1,
    is positive, and h is summed as a series where its own terms would cancel.
    """
    growth = xp.sum(p * xp.expm1(x), axis=axis, keepdims=True)  # Σ p e^x − 1
    steep = growth < -0.5
    total = xp.sum(p * xp.exp(x), axis=axis, keepdims=True)
    log_total = xp.where(steep, xp.log(or_one(xp, total)), xp.log1p(xp.where(steep, 0.0, growth)))
    w, r = p * xp.exp(x) / or_one(xp, total), x - log_total  # (..., n)

    near = xp.abs(r) < 0.5
    small, series = xp.where(near, r, 0.0), 0.0
    for k in range(15, -1, -1):  # h(r) = r² Σ r^k (k + 1)/(k + 2)!
        series = (k + 1) / math.factorial(k + 2) + small * series
    kl = xp.sum(xp.where(near, p * small**2 * series, w * r - (w - p)), axis=axis, keepdims=True)
    x = x - xp.sum(w * x, axis=axis, keepdims=True)
    return kl, xp.sum(w * x * x, axis=axis, keepdims=True)


def _relative_beta(xp, gap, p, budget, limit, binds, axis):
    """b = β · width with KL(w ‖ p) = budget for w ∝ p e^(b gap), where the budget binds; 1 elsewhere: (..., 1)."""
    root = find_relative_beta(xp, *(stop_gradient(x) for x in (gap, p, budget, limit)), binds, axis)
    relative = xp.where(binds, root, 1.0)
    for _ in range(2 if is_torch(gap) else 0):
        # A Newton step at the root keeps the value, and makes one more order of derivatives right.
        kl, variance = _kl_and_variance(xp, relative * gap, p, axis)
        step = xp.where(binds, relative * (kl - budget) / or_one(xp, variance), 0.0)
        relative = relative - (step - stop_gradient(step))
    return relative


def find_relative_beta(xp, gap, p, budget, limit, binds, axis):
    """That b, the root, by Newton's method on the log-odds of KL/limit in log b, nearly straight at both ends.

    5 to 10 steps are usual. A traced program holds each of its steps, so there they are few, and where they do
    not lead to the root it is NaN.
    """
    mean = xp.sum(p * gap, axis=axis, keepdims=True)
    variance = xp.sum(p * (gap - mean) ** 2, axis=axis, keepdims=True)
    parabola = xp.sqrt(2.0 * budget) / xp.sqrt(or_one(xp, variance))  # KL = b² variance/2 for small b
    to_next = -highest(xp, xp.where(gap < 0, gap, -inf), axis)  # the gap from the best entries to the next
    low = xp.sqrt(8.0 * budget)  # Hoeffding: KL ≤ b²/8, as the gaps span 1
    high = xp.minimum(1500.0 / to_next, xp.full_like(to_next, 1e300))  # there all but the best weigh 0 in float64
    relative, last, eps = xp.minimum(xp.maximum(parabola, low), high), inf, xp.finfo(gap.dtype).eps
    done = ~binds
    traced = tracing()
    for _ in range(24 if traced else 100):
        kl, variance = _kl_and_variance(xp, relative * gap, p, axis)
        low, high = xp.where(kl <= budget, relative, low), xp.where(kl <= budget, high, relative)
        odds = xp.log(budget / kl) - xp.log((limit - budget) / (limit - kl))
        step = odds / (variance * (1 / kl + 1 / (limit - kl)))
        newton, middle = relative * xp.exp(step), xp.sqrt(low) * xp.sqrt(high)
        good = (newton >= low) & (newton <= high) & (xp.abs(step) <= 0.5 * last)
        arrived = (xp.abs(step) <= 4 * eps) | (xp.abs(kl - budget) <= 2 * eps * budget)
        done = done | arrived | (high <= low * (1 + 4 * eps))
        relative = xp.where(done, relative, xp.where(good, newton, middle))
        last = xp.where(good, xp.abs(step), inf)
        if known_true(xp.all(done)):
            break
    return xp.where(parabola < eps, parabola, relative if not traced else xp.where(done, relative, math.nan))
