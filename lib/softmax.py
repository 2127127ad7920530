"""The Gibbs family: softmax, its logarithm, and the value that softmax attains.

All three are read off one tilted prior, that of `tilt`, so the formula stands in one place. For softmax there are
quicker ways in `lib.fast`.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from . import fast
from ._arrays import Array, ArrayT, Real, cast, drop_axis, highest, highest_ordinary, or_one
from ._checks import prepare
from ._torch_modes import isolated, known_true, stop_gradient

inf = math.inf


@isolated()
def softmax(
    scores: ArrayT, beta: Real = 1.0, *, prior: Array | None = None, where: Array | None = None, axis: int = -1
) -> ArrayT:
    r"""Turn scores into weights by the Gibbs rule.

    Among all distributions over the admissible entries, the result maximises
    expected score minus divergence from `prior`:

    .. math:: \pi^\star &= \arg\max_\pi\; \langle \pi, s \rangle
              - \tfrac{1}{\beta}\,\mathrm{KL}(\pi \,\|\, u), \\
              \pi^\star_i &= \frac{u_i e^{\beta s_i}}{\sum_j u_j e^{\beta s_j}}.

    For :math:`\beta < 0` it minimises; 0 and ±∞ are the limits.

    Parameters
    ----------
    scores : array, shape (..., n)
        Scores :math:`s`, in any unit (a dot product, an energy, a logit).
    beta : float or array of size 1 along `axis`, default 1.0
        Inverse temperature, in 1/unit of `scores`. 0 returns the prior, normalised over the admissible
        entries; infinity shares the mass among the maxima; negative prefers low scores.
    prior : array, shape (n,) or broadcastable to (..., n), optional
        The null hypothesis :math:`u`: non-negative, not necessarily normalised. Uniform if not given.
        An entry of prior 0 gets no weight.
    where : boolean array, broadcastable to (..., n), optional
        True = takes part. Masking an entry equals deleting it, in gradients too.
    axis : int, default -1
        The axis of the n entries.

    Returns
    -------
    weights : array, shape of `scores`
        Same library, dtype and device, under ``torch.autocast`` too; non-negative; sums to 1 along `axis`.
        Integers give the library's default float. A row with no admissible entry (`where` False, prior 0 or
        score −inf everywhere) is all zeros. Arguments that are larger than `scores` broadcast it.

    Raises
    ------
    TypeError
        For lists and scalars, arrays of two kinds or on two devices, a mask that is not boolean.
    ValueError
        If shapes do not fit, β is NaN or varies along `axis`, or the prior is negative, NaN, infinite
        or all zero. Values on a GPU, under `vmap` and while compiling are not looked at.

    Notes
    -----
    The scores are shifted by their row's maximum before β multiplies them, so a large offset costs
    no digits: the weights are within 8 n eps of exact arithmetic; where a prior with entries a factor
    r apart all but cancels the scores, within (8 n + log r) eps. Half precision is computed in float32
    and rounded once. Scores of +inf share all the mass if β > 0; if β < 0 they get none, unless the row has
    no others: then they share it as well. A NaN makes its row NaN, unless it is masked. Differentiable to
    any order in `scores`, `prior` and an array `beta`; what is not admissible gets gradient 0.

    References
    ----------
    Donsker and Varadhan (1975), https://doi.org/10.1002/cpa.3160280102.
    Blanchard, Higham and Higham (2021), https://doi.org/10.1093/imanum/draa038.

    Examples
    --------
    >>> import numpy as np
    >>> softmax(np.array([0.0, np.log(3.0)]))
    array([0.25, 0.75])
    >>> softmax(np.array([1.0, 2.0, 2.0]), np.inf)
    array([0. , 0.5, 0.5])
    """
    return softmax_of(prepare(scores, beta, prior, where, axis))


def softmax_of(arguments):
    """Softmax of checked arguments."""
    kernels = arguments.row_kernels or fast.row_kernels(arguments.scores)
    return cast(arguments.xp, kernels.softmax(arguments, gibbs), arguments.dtype)


def gibbs(arguments):
    """Softmax as it is defined: the tilted prior, normalised."""
    t = tilt(arguments)
    return t.tilted / or_one(t.xp, t.total)


@isolated()
def log_softmax(
    scores: ArrayT, beta: Real = 1.0, *, prior: Array | None = None, where: Array | None = None, axis: int = -1
) -> ArrayT:
    r"""The logarithm of `softmax`, exact also where the weight itself underflows.

    .. math:: \log \pi^\star_i = \log u_i + \beta s_i - \log \sum_j u_j e^{\beta s_j}.

    Parameters
    ----------
    scores, beta, prior, where, axis
        As for `softmax`.

    Returns
    -------
    log_weights : array, shape of `scores`
        Same library, dtype and device; −inf where not admissible, and all through an empty row.

    Raises
    ------
    TypeError, ValueError
        As `softmax`.

    Notes
    -----
    Within 8 n eps of exact arithmetic, relative to the largest of 1, the result and the log-prior.
    An entry that is not admissible is −inf and a constant: whatever is done with it, no gradient comes back.

    References
    ----------
    Blanchard, Higham and Higham (2021), https://doi.org/10.1093/imanum/draa038.

    Examples
    --------
    >>> import numpy as np
    >>> log_softmax(np.array([0.0, -1000.0]))
    array([    0., -1000.])
    """
    return log_softmax_of(prepare(scores, beta, prior, where, axis))


def log_softmax_of(arguments):
    """The logarithm of softmax, of checked arguments."""
    kernels = arguments.row_kernels or fast.row_kernels(arguments.scores)
    return cast(arguments.xp, kernels.log_softmax(arguments, log_gibbs), arguments.dtype)


def log_gibbs(arguments):
    """The logarithm of softmax as it is defined."""
    t, xp = tilt(arguments), arguments.xp
    log_tilted = t.rate * t.gap + xp.log(or_one(xp, t.mass))  # (..., n)
    return xp.where(t.alive, log_tilted - xp.log(or_one(xp, t.total)), -inf)


@isolated()
def log_partition(
    scores: Array, beta: Real = 1.0, *, prior: Array | None = None, where: Array | None = None, axis: int = -1
) -> Any:
    r"""The value that softmax attains: the best score, softened.

    .. math:: & \max_\pi\; \langle \pi, s \rangle - \tfrac{1}{\beta}\,\mathrm{KL}(\pi \,\|\, u) \\
              & \quad = \frac{1}{\beta} \log \sum_i u_i e^{\beta s_i} \\
              & \quad = \frac{1}{\beta} \int_0^\beta \langle \mathrm{softmax}(b s), s \rangle \,\mathrm{d}b,

    with `prior` :math:`u` normalised over the admissible entries. (For :math:`\beta < 0` it is the
    minimum.) It grows with β from the lowest score (−∞) through the mean under u (0) to the highest (∞).

    Parameters
    ----------
    scores, beta, prior, where, axis
        As for `softmax`.

    Returns
    -------
    value : array, shape (...)
        In the unit of `scores`; same library, dtype and device. An empty row gives −inf for β ≥ 0,
        +inf for β < 0: the value of a choice among nothing.

    Raises
    ------
    TypeError, ValueError
        As `softmax`.

    Notes
    -----
    Within 8 n eps of the largest score in size, for every β. Where β times the spread of the scores is
    small, the logarithm over β would lose its digits (all of them at β = 1e-16), and the mean in the
    last formula is taken instead, by five Gauss–Legendre nodes; so the derivatives in β are right there
    too. The derivative in the scores is `softmax`, that in β is KL(softmax ‖ u)/β².

    References
    ----------
    Donsker and Varadhan (1975), https://doi.org/10.1002/cpa.3160280102.
    Kirkwood (1935), for the integral, https://doi.org/10.1063/1.1749657.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([1.0, 2.0, 6.0])
    >>> values = [log_partition(scores, beta) for beta in (-np.inf, 0.0, 1e-15, 1.0, np.inf)]
    >>> [round(float(value), 3) for value in values]
    [1.0, 3.0, 3.0, 4.926, 6.0]
    """
    arguments = prepare(scores, beta, prior, where, axis)
    value = fast.row_kernels(arguments.scores).log_partition(arguments, value_of_gibbs)
    return drop_axis(arguments.xp, value, arguments.axis, arguments.dtype)


def value_of_gibbs(arguments):
    """The value of softmax as it is defined, (..., 1)."""
    t, xp = tilt(arguments), arguments.xp
    whole = xp.sum(t.mass, axis=t.axis, keepdims=True)  # (..., n) -> (..., 1)
    spread = t.rate * highest(xp, -t.gap, t.axis)
    small = (t.rate == 0) | ((spread <= 0.25) & xp.all(t.alive == t.admissible, axis=t.axis, keepdims=True))
    rise = xp.log(or_one(xp, t.total) / or_one(xp, whole)) / xp.where(small, 1.0, t.rate)
    if not known_true(xp.all(~small)):
        rise = xp.where(small, _mean_on_the_way(t, xp.where(small, t.rate, 0.0)), rise)
    return t.sign * xp.where(xp.isinf(t.peak), t.peak, (t.peak + rise) * t.unit)


class Tilt(NamedTuple):
    """A prior tilted by scores: what softmax, its logarithm and its value have in common.

    For β < 0 the scores change sign (`sign` = −1) and |β| takes the place of β, so that the best score is the
    highest. In a *hard* row |β| is infinite, or the best score is and β ≠ 0: then only the entries that tie
    for the best are alive, and the rate is 0.
    """

    xp: Any
    axis: int
    sign: Any  # (..., 1) −1 where β < 0, else 1
    unit: Any  # (..., 1) what scores are counted in: 1, or 2 if the gaps between them could overflow
    rate: Any  # (..., 1) |β| · unit; 0 in a hard row
    peak: Any  # (..., 1) the highest of sign · score / unit; −inf in an empty row
    gap: Any  # (..., n) sign · score / unit − peak ≤ 0; 0 where not alive
    admissible: Any  # (..., n) where is True, prior > 0, score ≠ −inf
    alive: Any  # (..., n) admissible, and not infinitely worse than the best
    mass: Any  # (..., n) prior; 0 where not admissible
    tilted: Any  # (..., n) mass · e^(rate · gap); 0 where not alive
    total: Any  # (..., 1) their sum, never below the prior of the best; 0 in an empty row


def admissible_mass(arguments):
    """Which entries are admissible, and the prior's mass on them: (..., n), (..., n)."""
    xp, some, prior = arguments.xp, taking_part(arguments), arguments.prior
    return some, xp.where(some, xp.ones_like(arguments.scores) if prior is None else prior, 0.0)


def taking_part(arguments):
    """Which entries are admissible: (..., n)."""
    some = arguments.scores != -inf
    if arguments.where is not None:
        some = some & arguments.where
    if arguments.prior is not None:
        some = some & (arguments.prior != 0)
    return some


def tilt(arguments):
    """Prior times e^(β · score), shifted so that nothing overflows and what counts does not underflow."""
    xp, scores, beta, axis = arguments.xp, arguments.scores, arguments.beta_array, arguments.axis
    admissible, mass = admissible_mass(arguments)
    sign = xp.where(beta < 0, -1.0, xp.ones_like(beta))
    scores = sign * scores
    peak = highest(xp, stop_gradient(xp.where(admissible, scores, -inf)), axis)  # (..., n) -> (..., 1)
    # Where the peak is near the largest float, a gap may exceed it: such rows are counted in units of 2.
    limits = xp.finfo(scores.dtype)
    unit = xp.where(peak > highest_ordinary(limits), 2.0, xp.ones_like(peak))
    rate, scores, peak = sign * beta * unit, scores / unit, peak / unit
    hard = xp.isinf(rate) | (xp.isinf(peak) & (rate != 0))
    rate = xp.where(hard, 0.0, rate)
    alive = admissible & ~(scores < xp.where(hard, peak, -float(limits.max)))

    # Shift first, multiply later: the other order loses the digits that a large offset takes up.
    # Entries that are not alive, and infinite scores, are set to the peak, so that no gradient meets inf − inf.
    base = xp.where(xp.isinf(peak), 0.0, peak)
    gap = xp.where(alive & ~xp.isinf(scores), scores, base) - base
    tilted = xp.where(alive, mass * xp.exp(rate * gap), 0.0)
    total = xp.sum(tilted, axis=axis, keepdims=True)  # (..., n) -> (..., 1)
    return Tilt(xp, axis, sign, unit, rate, peak, gap, admissible, alive, mass, tilted, total)


# Gauss–Legendre on [0, 1]: with 5 nodes the mean below is exact to float64 for rate · gap ≥ −1/4.
_nodes, _weights = np.polynomial.legendre.leggauss(5)
_QUADRATURE = tuple(zip(((1 + _nodes) / 2).tolist(), (_weights / 2).tolist(), strict=True))


def _mean_on_the_way(t, rate):
    """The mean over b from 0 to `rate` of the expected gap under softmax at b: (..., n) -> (..., 1)."""
    xp, mean = t.xp, 0.0
    for node, weight in _QUADRATURE:
        tilted = xp.where(t.alive, t.mass * xp.exp(node * rate * t.gap), 0.0)
        weights = tilted / or_one(xp, xp.sum(tilted, axis=t.axis, keepdims=True))
        mean = mean + weight * xp.sum(weights * t.gap, axis=t.axis, keepdims=True)
    return mean
