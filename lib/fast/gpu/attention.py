"""Sparsemax and entmax attention on a GPU: a program takes a block of queries of a head, or a block of its keys.

The weights of all queries are never held at once. Forward, the scores of a block are computed anew in every pass
over the keys: one finds the highest, a few find the threshold τ of each query by Newton's method, the last mixes
the values. A pass leaves out blocks of keys in which none was above τ in the pass before (`active`); τ only rises.
The backward pass takes τ and what is `active` from the forward pass. So that its memory grows with n, not n², a
block of queries has a limited number of entries: each stands for `span` neighbouring blocks of keys.

Tiles are (M queries, N keys). Whatever is computed from scores is computed from tiles of the same shape, forward
and backward, so that rounding is the same and equal scores stay equal.
"""

import triton
import triton.language as tl

from .weights import INF, best_highest, heights, kind_of_row, newton_step, weights_and_rates

MOST_STEPS = tl.constexpr(60)  # of Newton's method; four to eight are usual
FOR_GOOD = tl.constexpr(255)  # in `active`: more than there are passes
PRECISION = tl.constexpr("ieee")  # of products of float32: "tf32" and "tf32x3" would drop digits of the scores


@triton.jit
def attend_queries(
    q, k, v, beta, offset, length, where, where_of, log_prior, prior_of, out, peaks, taus, tops, masses, active,
    n_q, n_k, d, d_v, group, window, span,
    where_item, where_row, where_key, prior_item, prior_row, prior_key,
    ALPHA: tl.constexpr, WINDOWED: tl.constexpr, MASKED: tl.constexpr, PRIOR: tl.constexpr,
    PRODUCTS: tl.constexpr, ENOUGH: tl.constexpr,
    M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, DV: tl.constexpr,
):  # fmt: skip
    """Write the outputs of a block of queries, and what the backward pass needs.

    q (heads, n_q, d); k and v (kv heads, n_k, d or d_v), of which head h uses number h // group; beta (heads, n_q)
    float64. Query i sees keys up to offset + i, the last `window` of them if WINDOWED, of the first `length`;
    offset and length (heads,). where and log_prior have steps from item to item, query to query and key to key;
    head h has the items where_of[h] and prior_of[h]. out (heads, n_q, d_v). Written for each query, (heads, n_q)
    float32: peaks, the highest score, −inf if it sees nothing and NaN if there is a NaN; taus; tops and masses,
    e^top · mass being the mass of the prior on the keys for which it counts. active (heads, query blocks, spans of
    key blocks), all 0 before, after it not 0 where there is weight; on the way the last pass in which there was.
    """
    blocks = tl.cdiv(n_q, M)
    head = (tl.program_id(0) // blocks).to(tl.int64)
    block = tl.program_id(0) % blocks
    i = block * M + tl.arange(0, M)
    columns = tl.arange(0, N)
    k, v = k + head // group * n_k * d, v + head // group * n_k * d_v
    where, log_prior = (
        where + tl.load(where_of + head) * where_item,
        log_prior + tl.load(prior_of + head) * prior_item,
    )
    active += (head * blocks + block) * tl.cdiv(tl.cdiv(n_k, N), span)
    low, high = seen_by(i, n_q, n_k, offset + head, length + head, window, WINDOWED)
    first, stop = tl.min(tl.where(i < n_q, low, n_k), axis=0), tl.max(high, axis=0)
    first_block, stop_block = first // N, tl.cdiv(stop, N)
    queries = load_rows(q + head * n_q * d, i, i < n_q, d, D).to(PRODUCTS)
    b = tl.load(beta + head * n_q + i, mask=i < n_q, other=0.0)
    sight = low, high, b < 0, where, log_prior, where_row, where_key, prior_row, prior_key

    peak = tl.full((M,), -INF, tl.float32)
    top = tl.full((M,), -INF, tl.float32)
    mass = tl.zeros((M,), tl.float32)
    nans = tl.zeros((M,), tl.int32)
    for kb in range(first_block, stop_block):
        j = kb * N + columns
        keys = load_rows(k, j, (j >= first) & (j < stop), d, D)
        s, log_u = score(queries, keys, i, j, sight, MASKED, PRIOR, PRODUCTS)
        nans += tl.sum(((s != s) | (log_u != log_u)).to(tl.int32), axis=1)
        peak = tl.maximum(peak, tl.max(tl.where(s == s, s, -INF), axis=1))
        if PRIOR:
            top, mass = more_mass(top, mass, tl.where(s > -INF, log_u, -INF))
        tl.store(active + kb // span, 1)
    bad = (nans > 0) | (b != b)
    rate, ground, per_unit, shared, floor = kind_of_row(b, peak, ALPHA)
    searching = (peak > -INF) & (bad == 0) & (shared == 0)
    unusual = tl.max((bad | shared).to(tl.int32), axis=0) > 0

    if unusual:  # for queries that share, only what is at least `floor` counts
        part_top = tl.full((M,), -INF, tl.float32)
        part = tl.zeros((M,), tl.float32)
        for kb in range(first_block, stop_block):
            j = kb * N + columns
            keys = load_rows(k, j, (j >= first) & (j < stop), d, D)
            s, log_u = score(queries, keys, i, j, sight, MASKED, PRIOR, PRODUCTS)
            part_top, part = more_mass(part_top, part, tl.where(s >= floor[:, None], log_u, -INF))
        top, mass = tl.where(shared, part_top, top), tl.where(shared, part, mass)
    top, mass = tl.where(tl.abs(top) < INF, top, 0.0), tl.where(mass > 0, mass, 1.0)
    rate, log_mass = rate.to(tl.float32), tl.log(mass)

    tau = tl.full((M,), -1.0, tl.float32)
    longest, passes = tl.max(searching.to(tl.float32), axis=0), 1
    tl.debug_barrier()  # what one thread writes to `active`, others read
    while (longest > ENOUGH) & (passes <= MOST_STEPS):
        total = tl.zeros((M,), tl.float32)
        slope = tl.zeros((M,), tl.float32)
        for kb in range(first_block, stop_block):
            if tl.load(active + kb // span) >= passes:
                j = kb * N + columns
                keys = load_rows(k, j, (j >= first) & (j < stop), d, D)
                s, log_u = score(queries, keys, i, j, sight, MASKED, PRIOR, PRODUCTS)
                z = heights(
                    s, log_u - top[:, None], rate[:, None], ground[:, None], per_unit[:, None], log_mass[:, None],
                    ALPHA, PRIOR,
                )  # fmt: skip
                weight, slack = weights_and_rates(z - tau[:, None], ALPHA)
                total += tl.sum(weight, axis=1)
                slope += tl.sum(slack, axis=1)
                above = tl.where(searching[:, None], z > tau[:, None], s != -INF)
                if tl.max(above.to(tl.int32).reshape(M * N), axis=0) > 0:
                    tl.store(active + kb // span, passes + 1)
        tl.debug_barrier()
        step = tl.where(searching, tl.maximum(newton_step(total, slope, ALPHA), 0.0), 0.0)
        tau += step
        longest, passes = tl.max(step, axis=0), passes + 1

    state = rate, ground, per_unit, top, log_mass, tau, shared, floor, bad, unusual
    mixed = tl.zeros((M, DV), tl.float32)
    for kb in range(first_block, stop_block):
        weighty = tl.load(active + kb // span) >= passes
        tl.store(active + kb // span, tl.where(weighty, FOR_GOOD, 0))
        if weighty:
            j = kb * N + columns
            keys = load_rows(k, j, (j >= first) & (j < stop), d, D)
            s, log_u = score(queries, keys, i, j, sight, MASKED, PRIOR, PRODUCTS)
            weight, _ = weigh(s, log_u, state, ALPHA, PRIOR)
            values = load_rows(v, j, (j >= first) & (j < stop), d_v, DV)
            if MASKED or PRIOR:  # 0 · NaN is NaN, and a value that no query here sees may be NaN
                seen = tl.max((s != -INF).to(tl.int32), axis=0) > 0
                values = tl.where(seen[:, None], values, 0.0)
            mixed += tl.dot(weight.to(PRODUCTS), values.to(PRODUCTS), input_precision=PRECISION)
    store_rows(out + head * n_q * d_v, i, i < n_q, mixed, d_v, DV)
    row = head * n_q + i
    tl.store(peaks + row, tl.where(bad, float("nan"), peak), mask=i < n_q)
    tl.store(taus + row, tau, mask=i < n_q)
    tl.store(tops + row, top, mask=i < n_q)
    tl.store(masses + row, mass, mask=i < n_q)


@triton.jit
def pull_back_queries(
    q, k, v, beta, offset, length, where, where_of, log_prior, prior_of, grad, peaks, taus, tops, masses, active,
    means, dq, n_q, n_k, d, d_v, group, window, span,
    where_item, where_row, where_key, prior_item, prior_row, prior_key,
    ALPHA: tl.constexpr, WINDOWED: tl.constexpr, MASKED: tl.constexpr, PRIOR: tl.constexpr,
    PRODUCTS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, DV: tl.constexpr,
):  # fmt: skip
    """Write the gradient in a block of queries, from that in their outputs, `grad`.

    With g the gradient in the weights and r = weight^(2 − α), that in the scores is β r (g − mean), where the mean
    is ⟨r, g⟩ / Σr: it goes to `means` (heads, n_q), for `pull_back_keys`. The rest is as in `attend_queries`.
    """
    blocks = tl.cdiv(n_q, M)
    head = (tl.program_id(0) // blocks).to(tl.int64)
    block = tl.program_id(0) % blocks
    i = block * M + tl.arange(0, M)
    columns = tl.arange(0, N)
    k, v = k + head // group * n_k * d, v + head // group * n_k * d_v
    where, log_prior = (
        where + tl.load(where_of + head) * where_item,
        log_prior + tl.load(prior_of + head) * prior_item,
    )
    active += (head * blocks + block) * tl.cdiv(tl.cdiv(n_k, N), span)
    row = head * n_q + i
    low, high = seen_by(i, n_q, n_k, offset + head, length + head, window, WINDOWED)
    first_block, stop_block = tl.min(tl.where(i < n_q, low, n_k), axis=0) // N, tl.cdiv(tl.max(high, axis=0), N)
    b, peak, state = load_state(beta, peaks, taus, tops, masses, row, i < n_q, ALPHA)
    sight = low, high, b < 0, where, log_prior, where_row, where_key, prior_row, prior_key
    queries = load_rows(q + head * n_q * d, i, i < n_q, d, D).to(PRODUCTS)
    grads = load_rows(grad + head * n_q * d_v, i, peak != -INF, d_v, DV).to(PRODUCTS)

    total = tl.zeros((M,), tl.float32)
    product = tl.zeros((M,), tl.float32)
    for kb in range(first_block, stop_block):
        if tl.load(active + kb // span) != 0:
            j = kb * N + columns
            s, log_u = score(queries, load_rows(k, j, j < n_k, d, D), i, j, sight, MASKED, PRIOR, PRODUCTS)
            _, r = weigh(s, log_u, state, ALPHA, PRIOR)
            values = load_rows(v, j, j < n_k, d_v, DV).to(PRODUCTS)
            g = tl.dot(grads, tl.trans(values), input_precision=PRECISION)
            total += tl.sum(r, axis=1)
            product += tl.sum(tl.where(r != 0, r * g, 0.0), axis=1)
    mean = product / tl.where(total == 0, 1.0, total)
    tl.store(means + row, mean, mask=i < n_q)

    slope = b.to(tl.float32)
    result = tl.zeros((M, D), tl.float32)
    for kb in range(first_block, stop_block):
        if tl.load(active + kb // span) != 0:
            j = kb * N + columns
            keys = load_rows(k, j, j < n_k, d, D)
            s, log_u = score(queries, keys, i, j, sight, MASKED, PRIOR, PRODUCTS)
            _, r = weigh(s, log_u, state, ALPHA, PRIOR)
            values = load_rows(v, j, j < n_k, d_v, DV).to(PRODUCTS)
            g = tl.dot(grads, tl.trans(values), input_precision=PRECISION)
            ds = tl.where(r != 0, slope[:, None] * r * (g - mean[:, None]), 0.0)
            result += tl.dot(ds.to(PRODUCTS), finite(keys).to(PRODUCTS), input_precision=PRECISION)
    store_rows(dq + head * n_q * d, i, i < n_q, result, d, D)


@triton.jit
def pull_back_keys(
    q, k, v, beta, offset, length, where, where_of, log_prior, prior_of, grad, peaks, taus, tops, masses, active,
    means, dk, dv, n_q, n_k, d, d_v, group, window, span,
    where_item, where_row, where_key, prior_item, prior_row, prior_key,
    ALPHA: tl.constexpr, WINDOWED: tl.constexpr, MASKED: tl.constexpr, PRIOR: tl.constexpr,
    PRODUCTS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, DV: tl.constexpr,
):  # fmt: skip
    """Write the gradient in a block of keys and their values, from all queries of the heads that use them."""
    key_blocks = tl.cdiv(n_k, N)
    kv_head = (tl.program_id(0) // key_blocks).to(tl.int64)
    kb = tl.program_id(0) % key_blocks
    j = kb * N + tl.arange(0, N)
    keys = load_rows(k + kv_head * n_k * d, j, j < n_k, d, D)
    values = load_rows(v + kv_head * n_k * d_v, j, j < n_k, d_v, DV).to(PRODUCTS)
    in_keys = tl.zeros((N, D), tl.float32)
    in_values = tl.zeros((N, DV), tl.float32)
    blocks = tl.cdiv(n_q, M)
    for member in range(0, group):
        head = kv_head * group + member
        mask = where + tl.load(where_of + head) * where_item
        bias = log_prior + tl.load(prior_of + head) * prior_item
        for block in range(0, blocks):
            if tl.load(active + (head * blocks + block) * tl.cdiv(key_blocks, span) + kb // span) != 0:
                i = block * M + tl.arange(0, M)
                row = head * n_q + i
                low, high = seen_by(i, n_q, n_k, offset + head, length + head, window, WINDOWED)
                b, peak, state = load_state(beta, peaks, taus, tops, masses, row, i < n_q, ALPHA)
                sight = low, high, b < 0, mask, bias, where_row, where_key, prior_row, prior_key
                queries = load_rows(q + head * n_q * d, i, i < n_q, d, D)
                grads = load_rows(grad + head * n_q * d_v, i, peak != -INF, d_v, DV).to(PRODUCTS)
                s, log_u = score(queries.to(PRODUCTS), keys, i, j, sight, MASKED, PRIOR, PRODUCTS)
                weight, r = weigh(s, log_u, state, ALPHA, PRIOR)
                g = tl.dot(grads, tl.trans(values), input_precision=PRECISION)
                mean = tl.load(means + row, mask=i < n_q, other=0.0)
                ds = tl.where(r != 0, b.to(tl.float32)[:, None] * r * (g - mean[:, None]), 0.0)
                in_values += tl.dot(tl.trans(weight.to(PRODUCTS)), grads, input_precision=PRECISION)
                in_keys += tl.dot(
                    tl.trans(ds.to(PRODUCTS)), finite(queries).to(PRODUCTS), input_precision=PRECISION
                )
    store_rows(dk + kv_head * n_k * d, j, j < n_k, in_keys, d, D)
    store_rows(dv + kv_head * n_k * d_v, j, j < n_k, in_values, d_v, DV)


# ---- parts of the above


@triton.jit
def seen_by(i, n_q, n_k, offset, length, window, WINDOWED: tl.constexpr):
    """The keys that query i sees: from the first number to before the second, less those masked or of prior 0."""
    after = tl.load(offset) + i + 1
    high = tl.minimum(tl.minimum(after, tl.load(length)), n_k)
    high = tl.where(i < n_q, tl.maximum(high, 0), 0)
    low = tl.zeros_like(high)
    if WINDOWED:
        low = tl.minimum(tl.maximum(after - window, 0), high)
    return low.to(tl.int32), high.to(tl.int32)


@triton.jit
def load_rows(x, rows, some, width, WIDTH: tl.constexpr):
    """Rows of a matrix (n, width), as wide as WIDTH; 0 in those that are not among `some`."""
    columns = tl.arange(0, WIDTH)
    inside = some[:, None] & (columns < width)[None, :]
    return tl.load(x + rows.to(tl.int64)[:, None] * width + columns[None, :], mask=inside, other=0.0)


@triton.jit
def store_rows(x, rows, some, values, width, WIDTH: tl.constexpr):
    """The reverse of `load_rows`."""
    columns = tl.arange(0, WIDTH)
    inside = some[:, None] & (columns < width)[None, :]
    place = x + rows.to(tl.int64)[:, None] * width + columns[None, :]
    tl.store(place, values.to(x.dtype.element_ty), mask=inside)


@triton.jit
def load_state(beta, peaks, taus, tops, masses, row, some, ALPHA: tl.constexpr):
    """β, the highest score, and the state that `weigh` takes, of queries as the forward pass left them."""
    b = tl.load(beta + row, mask=some, other=0.0)
    peak = tl.load(peaks + row, mask=some, other=-INF)
    tau = tl.load(taus + row, mask=some, other=0.0)
    top = tl.load(tops + row, mask=some, other=0.0)
    log_mass = tl.log(tl.load(masses + row, mask=some, other=1.0))
    rate, ground, per_unit, shared, floor = kind_of_row(b, peak, ALPHA)
    bad = peak != peak
    unusual = tl.max((bad | shared).to(tl.int32), axis=0) > 0
    return b, peak, (rate.to(tl.float32), ground, per_unit, top, log_mass, tau, shared, floor, bad, unusual)


@triton.jit
def score(queries, keys, i, j, sight, MASKED: tl.constexpr, PRIOR: tl.constexpr, PRODUCTS: tl.constexpr):
    """The scores of queries i with keys j, −inf where not admissible, best highest; log-priors: (M, N) each."""
    low, high, negative, where, log_prior, where_row, where_key, prior_row, prior_key = sight
    s = tl.dot(queries, tl.trans(keys).to(PRODUCTS), input_precision=PRECISION)
    taking = (j[None, :] >= low[:, None]) & (j[None, :] < high[:, None])
    far = i.to(tl.int64)[:, None]
    if MASKED:
        taking = taking & (tl.load(where + far * where_row + j[None, :] * where_key, mask=taking, other=0) != 0)
    log_u = tl.zeros_like(s)
    if PRIOR:
        log_u = tl.load(log_prior + far * prior_row + j[None, :] * prior_key, mask=taking, other=-INF)
        taking = taking & (log_u != -INF)
        log_u = tl.where(s != -INF, log_u, -INF)
    taking = taking & (s != -INF)
    return best_highest(s, taking, negative[:, None]), log_u


@triton.jit
def more_mass(top, mass, log_u):
    """Add e^log_u, (M, N), to a mass that is kept as e^top · mass, (M,): so nothing overflows."""
    new = tl.maximum(top, tl.max(log_u, axis=1))
    shift = tl.where(new > -INF, new, 0.0)
    return new, mass * tl.exp(top - shift) + tl.sum(tl.exp(log_u - shift[:, None]), axis=1)


@triton.jit
def weigh(s, log_u, state, ALPHA: tl.constexpr, PRIOR: tl.constexpr):
    """The weights and their rates, (M, N), of queries of which all is known, from their scores and log-priors."""
    rate, ground, per_unit, top, log_mass, tau, shared, floor, bad, unusual = state
    log_u = log_u - top[:, None]
    z = heights(s, log_u, rate[:, None], ground[:, None], per_unit[:, None], log_mass[:, None], ALPHA, PRIOR)
    weight, r = weights_and_rates(z - tau[:, None], ALPHA)
    if unusual:
        share = tl.where(s >= floor[:, None], tl.exp(log_u - log_mass[:, None]), 0.0)
        spoilt = tl.where(s != -INF, float("nan"), 0.0)
        weight = tl.where(bad[:, None], spoilt, tl.where(shared[:, None], share, weight))
        r = tl.where(bad[:, None], spoilt, tl.where(shared[:, None], 0.0, r))
    return weight, r


@triton.jit
def finite(x):
    """x with 0 in place of NaN and the infinities, which give no gradient: 0 times them would be NaN."""
    return tl.where(tl.abs(x) < INF, x, 0.0)
