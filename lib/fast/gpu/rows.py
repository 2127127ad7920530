"""Entmax weights of many rows, and their vector-Jacobian product, on a GPU: a program takes a row, in blocks.

A row is read again for each step of the search; then it comes from the cache, not from the GPU's memory.
"""

import triton
import triton.language as tl

from .weights import INF, best_highest, heights, kind_of_row, newton_step, weights_and_rates

MOST_STEPS = tl.constexpr(60)  # of Newton's method; four to eight are usual


@triton.jit
def weigh_rows(
    scores, beta, where, log_prior, weights, slopes, n, masks, priors,
    ALPHA: tl.constexpr, MASKED: tl.constexpr, PRIOR: tl.constexpr, EXACT: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Write the weights of a row, and the slope that `pull_back_rows` needs.

    scores and weights (rows, n); beta (rows,) float64; slopes (rows,): β, or 0 where a small change of the scores
    moves no weight. where (masks, n) and log_prior (priors, n) float64, of which row r uses row r mod their
    number. The search for τ is in float32; if EXACT it ends in float64, for the exact support and weights that
    are rounded once.
    """
    row = tl.program_id(0).to(tl.int64)
    scores, weights = scores + row * n, weights + row * n
    where, log_prior = where + row % masks * n, log_prior + row % priors * n
    b = tl.load(beta + row)
    entries = tl.arange(0, BLOCK)

    best = tl.full((BLOCK,), -INF, tl.float32)
    nans = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, n, BLOCK):
        s, log_u = read(scores, where, log_prior, start + entries, n, b < 0, MASKED, PRIOR)
        nans += ((s != s) | (log_u != log_u)).to(tl.int32)
        best = tl.maximum(best, tl.where(s == s, s, -INF))
    peak = tl.max(best, axis=0)
    has_nan = (tl.sum(nans, axis=0) > 0) | (b != b)
    rate, ground, per_unit, shared, floor = kind_of_row(b, peak, ALPHA)

    log_mass = 0.0 * b  # the logarithm of the prior's mass on the entries that it counts for
    if PRIOR or shared:
        log_mass = log_mass_of(scores, where, log_prior, entries, n, b < 0, floor, MASKED, PRIOR)

    searching = (peak > -INF) & (shared == 0) & (has_nan == 0)
    rough_rate, tau = rate.to(tl.float32), tl.full((), -1.0, tl.float32)
    step, k = tl.where(searching, tau + 2, 0.0), 0
    while (step > 1e-5) & (k < MOST_STEPS):  # after a shorter one, the next would be less than its rounding
        step = step_from(
            tau, scores, where, log_prior, entries, n, b < 0, rough_rate, ground, per_unit, log_mass,
            ALPHA, MASKED, PRIOR,
        )  # fmt: skip
        tau, k = tau + step, k + 1
    if not EXACT:
        rate, exact_tau = rough_rate, tau
    else:
        exact_tau = tau.to(tl.float64) - 1e-5  # not above the answer, whatever the rounding was
        exact_step, k = tl.where(searching, exact_tau + 2, 0.0), 0
        while (exact_step > 1e-10) & (k < MOST_STEPS):
            exact_step = step_from(
                exact_tau, scores, where, log_prior, entries, n, b < 0, rate, ground, per_unit, log_mass,
                ALPHA, MASKED, PRIOR,
            )  # fmt: skip
            exact_tau, k = exact_tau + exact_step, k + 1

    for start in range(0, n, BLOCK):
        s, log_u = read(scores, where, log_prior, start + entries, n, b < 0, MASKED, PRIOR)
        z = heights(s, log_u, rate, ground, per_unit, log_mass, ALPHA, PRIOR)
        weight, _ = weights_and_rates(z - exact_tau, ALPHA)
        weight = tl.where(searching, weight, 0.0)
        if shared:
            weight = tl.where(s >= floor, tl.exp(log_u - log_mass), 0.0).to(weight.dtype)
        weight = tl.where(has_nan, float("nan"), weight)
        tl.store(weights + start + entries, weight.to(weights.dtype.element_ty), mask=start + entries < n)
    tl.store(slopes + row, tl.where(searching, b, 0.0).to(slopes.dtype.element_ty))


@triton.jit
def read(scores, where, log_prior, columns, n, negative, MASKED: tl.constexpr, PRIOR: tl.constexpr):
    """The scores, −inf where not admissible, with the best highest; the logarithm of the prior: two (BLOCK,)."""
    inside = columns < n
    s = tl.load(scores + columns, mask=inside, other=-INF).to(tl.float32)
    taking = s != -INF
    if MASKED:
        taking = taking & (tl.load(where + columns, mask=inside, other=0) != 0)
    log_u = tl.zeros(columns.shape, tl.float64)
    if PRIOR:
        log_u = tl.load(log_prior + columns, mask=inside, other=0.0)
        taking = taking & (log_u != -INF)
        log_u = tl.where(taking, log_u, -INF)
    return best_highest(s, taking, negative), log_u


@triton.jit
def log_mass_of(scores, where, log_prior, entries, n, negative, floor, MASKED: tl.constexpr, PRIOR: tl.constexpr):
    """The logarithm of the prior's mass on the scores of at least `floor`; without a prior, of their number."""
    top = tl.full(entries.shape, -INF, tl.float64)
    for start in range(0, n, entries.shape[0]):
        s, log_u = read(scores, where, log_prior, start + entries, n, negative, MASKED, PRIOR)
        top = tl.maximum(top, tl.where(s >= floor, log_u, -INF))
    highest = tl.max(top, axis=0)
    highest = tl.where(tl.abs(highest) < INF, highest, 0.0)
    mass = tl.zeros(entries.shape, tl.float64)
    for start in range(0, n, entries.shape[0]):
        s, log_u = read(scores, where, log_prior, start + entries, n, negative, MASKED, PRIOR)
        mass += tl.where(s >= floor, tl.exp(log_u - highest), 0.0)
    return tl.log(tl.maximum(tl.sum(mass, axis=0), 1e-300)) + highest


@triton.jit
def step_from(
    tau, scores, where, log_prior, entries, n, negative, rate, ground, per_unit, log_mass,
    ALPHA: tl.constexpr, MASKED: tl.constexpr, PRIOR: tl.constexpr,
):  # fmt: skip
    """Newton's step from τ, in its dtype."""
    total = tl.zeros(entries.shape, tau.dtype)
    slope = tl.zeros(entries.shape, tau.dtype)
    for start in range(0, n, entries.shape[0]):
        s, log_u = read(scores, where, log_prior, start + entries, n, negative, MASKED, PRIOR)
        z = heights(s, log_u, rate, ground, per_unit, log_mass, ALPHA, PRIOR)
        weight, slack = weights_and_rates(z - tau, ALPHA)
        total += weight
        slope += slack
    return newton_step(tl.sum(total, axis=0), tl.sum(slope, axis=0), ALPHA)


@triton.jit
def pull_back_rows(weights, grad, slopes, out, n, ALPHA: tl.constexpr, BLOCK: tl.constexpr):
    """The vector-Jacobian product of a row: with r = weight^(2 − α) it is slope · r · (g − ⟨r, g⟩ / Σr)."""
    row = tl.program_id(0).to(tl.int64)
    weights, grad, out = weights + row * n, grad + row * n, out + row * n
    entries = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    product = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        r, g = rates_and_gradient(weights, grad, start + entries, n, ALPHA)
        total += r
        product += r * g
    total, product = tl.sum(total, axis=0), tl.sum(product, axis=0)
    mean = product / tl.where(total == 0, 1.0, total)
    slope = tl.load(slopes + row)
    for start in range(0, n, BLOCK):
        r, g = rates_and_gradient(weights, grad, start + entries, n, ALPHA)
        result = tl.where(r == 0, 0.0, slope * r * (g - mean))
        tl.store(out + start + entries, result.to(out.dtype.element_ty), mask=start + entries < n)


@triton.jit
def rates_and_gradient(weights, grad, columns, n, ALPHA: tl.constexpr):
    """The rates weight^(2 − α), 0 off the support, and the gradient in the weights, 0 there too."""
    w = tl.load(weights + columns, mask=columns < n, other=0.0).to(tl.float32)
    g = tl.load(grad + columns, mask=columns < n, other=0.0).to(tl.float32)
    if ALPHA == 2.0:
        r = tl.where(w == w, 1.0, w)
    elif ALPHA == 1.5:
        r = tl.sqrt(w)
    else:
        r = tl.exp2((2 - ALPHA) * tl.log2(tl.where(w == 0, 1.0, w)))
    return tl.where(w == 0, 0.0, r), tl.where(w == 0, 0.0, g)
