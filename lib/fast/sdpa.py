"""Softmax attention by torch's fused kernel, `scaled_dot_product_attention`, made to mean what `lib` promises.

The kernel never holds the weights, so memory grows with n, not n². But it aligns its causal mask to the
top left, lets NaN through a mask, wants one positive scale and knows no prior. This module makes up for each.

Where only `causal`, `window`, `lengths` and a prior over keys are given, it builds no mask of all queries and
keys: padding is cut off, and the prior is one more feature of the keys. On a GPU, and in a recorded program, no
value is read; then another feature hides the padding, as it hides the keys whose prior is 0. A window takes
small masks, and so do causal queries that are fewer than the keys: for `QUERIES` at a time. All else takes masks
or biases with an entry for each query and key, and each item and head where they differ: `where`, a prior that
differs by query, and where values are not read, an array of offsets, and hidden keys in float16, which has no
number low enough to hide one. These come a few queries at a time too, but for a gradient torch keeps all of
them. A recorded program, which may be for any size, holds one mask for all queries in their place.
"""

import contextlib
import functools
import itertools
import math
import operator

import torch
from torch.nn.functional import pad

from .._arrays import active_transform, all_finite, cast, is_integer, is_number, known_true, recording
from ..masks import causal_mask, padding_mask, window_mask
from .kernel_call import Kernel, NoKernelError, ScoresTooLargeError, length, readable, wants_gradient

LARGEST_BETA = 1e6  # times a score of 1e30 it is still a float32
SMALLEST_SCALE = 1e-30  # a smaller one goes into q: a scale of 0 times a masked −inf would be NaN
QUERIES = 256  # queries that share a call where one causal mask for all is not enough
MASK = 1 << 22  # a mask for some of the queries has about so many entries, to save memory,
LEAST = 64  # but never fewer queries than this
FEW = 1 << 19  # weights a call: with fewer in a call for each length, one mask for all lengths is faster


def why_not(request):
    """Why the kernel cannot take this request, or should not unless path="fused" asks for it; or None."""
    recorded, beta = recording(), request.beta
    if request.return_weights:
        return "with return_weights=True: no kernel holds them"
    if request.q.device.type not in ("cpu", "cuda"):
        return f"on device {request.q.device}"
    if request.dropout and request.generator is not None:
        return "with dropout by a generator: the kernel draws from torch's own"
    if abs(beta) > LARGEST_BETA if is_number(beta) else known_true((beta.abs() > LARGEST_BETA).any()):
        return f"with beta beyond ±{LARGEST_BETA:g}"
    # The kernel's only derivative is its gradient; it has none that a transform could go through.
    if not recorded and (why := active_transform(request.differentiable().values())):
        return why
    if request.path == "fused":
        return None
    if recorded and request.q.device.type == "cpu":
        return "while a program is recorded: whether its scores are too large cannot be looked at"
    if not is_number(beta) and not known_true((beta.abs() <= LARGEST_BETA).all()):
        return "with an array beta that cannot be looked at: it may be infinite"
    return None


def why_no_lse(request):
    """Why the kernel cannot give the lse too, or None."""
    if not request.q.is_cpu:
        return f"on device {request.q.device}: there torch keeps the lse in another shape for each kernel"
    if kernels_dtype(request) != request.working:
        return "with a beta or prior of a wider dtype than q, k and v"
    return active_transform(request.differentiable().values()) or why_not(request)


def result(request, reference, lse=False):
    """The output (..., n_q, d_v) and, with `lse`, that (..., n_q, 1); None if these values are not for it."""
    if 0 in (request.q.numel(), request.k.numel(), request.v.numel(), *request.lead):
        return None
    try:
        found = from_kernel(request, lse)
    except NoKernelError:
        return None
    if not found.requires_grad and wants_gradient(request.differentiable().values()):
        return None  # no query sees a key, so there was no call
    d_v = request.v.shape[-1]
    output = cast(request.xp, found if found.shape[-1] == d_v else found[..., :d_v], request.dtype)
    return (output, found[..., -1:].clone()) if lse else (output,)  # else they would share their memory


def result_with_lse(request, reference):
    return result(request, reference, lse=True)


def from_kernel(request, lse=False):
    """The output, put together from one call of the kernel or several; `NoKernelError` if it is not for these.

    It may have more columns than the values, of zeros, and with `lse` that in its last one.
    """
    q, k, v, lead, dtype = request.q, request.k, request.v, request.lead, kernels_dtype(request)
    if dtype != request.dtype:
        q, k, v = q.to(dtype), k.to(dtype), v.to(dtype)
    q, scale = scaled(q, request.beta)
    q, k, v = four_axes(q, lead), four_axes(k, lead), four_axes(v, lead)
    heads = lead[-1] if len(lead) > 1 else 1
    if q.shape[1] != heads:
        q = q.expand(-1, heads, -1, -1)
    bias, taken_off = log_prior_of(request)
    if k.shape[1] != v.shape[1] or (bias is not None and bias.shape[1] > 1):
        k, v = repeated(k, heads), repeated(v, heads)

    run = Kernel(scale, request.dropout, request.path == "fused", lse)
    structured = is_structured(request, bias)
    hidden = hidden_keys(request, bias) if structured else None
    if structured and (hidden is None or q.dtype != torch.float16):
        found = by_key(request, q, k, v, bias, hidden, run)
    else:
        found = by_mask(request, *one_width(q, k, v), bias, run)
    found = found if taken_off is None else run.raised(found, taken_off)
    return found if found.shape[:2] == lead else found.reshape(*lead, *found.shape[2:])


# ---- the arguments as the kernel wants them


def kernels_dtype(request):
    """That of q, k and v; on the CPU half precision would be no faster than float32, and less exact."""
    return torch.float32 if request.dtype.itemsize < 4 and request.q.device.type == "cpu" else request.dtype


def scaled(q, beta):
    """`q` and a positive scale that together carry a beta of any sign."""
    if not is_number(beta):
        # A query of NaN that sees nothing gives β no gradient, which 0 · NaN would.
        product = q * beta  # (..., n_q, d) * (..., n_q or 1, 1)
        if beta.requires_grad:
            finite = torch.isfinite(q)
            product = torch.where(finite, torch.where(finite, q, 0.0) * beta, q * beta.detach())
        return product.to(q.dtype), 1.0
    # The kernel's scale is a number: a recorded program in which it was one that changes would be for one of them.
    changes = not isinstance(beta, float) or (recording() and beta != max(q.shape[-1], 1) ** -0.5)
    if changes or abs(beta) < SMALLEST_SCALE:
        return q * beta, 1.0
    return (q, beta) if beta > 0 else (-q, -beta)


def four_axes(x, lead):
    """(..., h, n, d) -> (batch, h, n, d): all leading axes but the heads in one, as the kernel needs it."""
    if x.ndim != 4 or len(lead) != 2 or x.shape[0] != lead[0]:
        outer = lead if len(lead) < 2 else lead[:-1]
        x = x.reshape((1,) * (len(lead) + 2 - x.ndim) + tuple(x.shape))
        x = x.unsqueeze(-3) if len(lead) < 2 else x
        x = x.expand(*outer, *x.shape[-3:]).reshape(math.prod(outer), *x.shape[-3:])
    return x if x.stride(-1) == 1 else x.contiguous()


def repeated(x, heads):
    """Keys or values with shared heads repeated, once for each head of the queries."""
    return x if x.shape[1] == heads else x.repeat_interleave(heads // x.shape[1], dim=1)


def ready_for_mask(x, heads):
    """Keys or values with their shared heads repeated where the fast kernels, given a mask, do not share them."""
    return x if x.is_cpu else repeated(x, heads)


def log_prior_of(request):
    """The logarithm of the prior, (batch, h, n_q or 1, n_k), −inf where it is 0; what was taken off it, or None.

    A prior over keys is lowered to at most 0, by (batch, h, 1, 1); of one for each query `masked` takes off more.
    """
    prior, log = request.prior, request.log_prior
    if prior is None and log is None:
        return None, None
    if log is None:
        log = torch.where(prior == 0, -math.inf, torch.log(torch.where(prior == 0, 1.0, prior)))
    largest = None
    if log.shape[-2] == 1:
        largest = log.detach().amax(-1, keepdim=True)
        # The kernel adds this to the scores: so far from 0, their last digits would be rounded away.
        largest = torch.where(torch.isfinite(largest), largest, 0.0)
        log, largest = log - largest, four_axes(largest, request.lead)
    return four_axes(log.expand(*log.shape[:-1], request.k.shape[-2]), request.lead), largest


def one_width(q, k, v, more=()):
    """q, k and v of one width, which the fast kernels ask for; each of `more` is added to every key's scores."""
    if more:  # each (batch, h or 1, n_k, 1)
        q = torch.cat([q, q.new_ones(*q.shape[:-1], len(more))], -1)  # (batch, H, n_q, d + len(more))
        k = torch.cat([k, *(x.expand(*k.shape[:-1], 1) for x in more)], -1)
    d, d_v = q.shape[-1], v.shape[-1]
    if d == d_v and (q.is_cpu or d % 8 == 0):
        return q, k, v
    width = -(-max(d, d_v) // 8) * 8  # on a GPU the fast kernels ask for that, too
    return tuple(pad(x, (0, width - x.shape[-1])) for x in (q, k, v))


# ---- one call of the kernel, or several


def is_structured(request, bias):
    """True if only causal, window, lengths and a prior over keys limit who sees what, and positions are known.

    In a recorded program small masks would be many, and as many for each size.
    """
    if recording() and (
        request.window is not None or (request.causal and not (is_integer(request.offset) and request.offset == 0))
    ):
        return False
    return request.where is None and (bias is None or bias.shape[2] == 1) and readable(request.offset)


def hidden_keys(request, bias):
    """The keys that no query sees, (batch, h or 1, 1, n_k), without padding that can be cut off; None for none."""
    hidden = None
    if not readable(request.lengths):
        hidden = four_axes(~padding_mask(request.lengths, request.k.shape[-2]), request.lead)
    if bias is not None and not known_true(torch.isfinite(bias).all()):
        hidden = bias == -math.inf if hidden is None else hidden | (bias == -math.inf)
    return hidden


def by_key(request, q, k, v, bias, hidden, run):
    """Without a mask: a prior, and what hides a key from every query, are further features of that key."""
    if bias is None and hidden is None:
        return by_item(request, *one_width(q, k, v), run)
    more, scale = [], run.scale
    # Far below every score, but finite: of a row of nothing but −inf the kernel makes NaN, of a row of nothing but
    # this the mean of the values, which are 0 where the key is hidden. A power of 2 is not rounded on the way.
    low = -(2.0 ** math.floor(math.log2(torch.finfo(q.dtype).max / 4 / max(1.0, scale))))
    if bias is not None:
        bias = bias if hidden is None else bias.masked_fill(hidden, 0.0)
        more = in_dtype((bias.mT / scale).clamp(min=low / 2), q.dtype)
    if hidden is not None:
        run = run._replace(checked=k.shape[-1] + len(more))
        more.append(torch.zeros_like(hidden.mT, dtype=q.dtype).masked_fill(hidden.mT, low))
        gone = hidden  # what is cut off later, too
        if request.lengths is not None and readable(request.lengths):
            gone = gone | four_axes(~padding_mask(request.lengths, request.k.shape[-2]), request.lead)
        seeing = queries_that_see(request, gone)
        q = torch.where(seeing, q, 0.0)
        k, v = k.masked_fill(hidden.mT, 0.0), v.masked_fill(hidden.mT, 0.0)
        request = request if readable(request.lengths) else request._replace(lengths=None)
    found = by_item(request, *one_width(q, k, v, more), run)
    return found if hidden is None else run.where_seen(seeing, found)


def in_dtype(x, dtype):
    """`x` in `dtype`, as one number or, in 16 bits, as the sum of two: one alone has three digits."""
    rounded = x.to(dtype)
    return [rounded] if dtype.itemsize >= 4 else [rounded, (x - rounded).to(dtype)]


def queries_that_see(request, hidden):
    """Which queries see a key that is not hidden: (batch, h or 1, 1, n_k) -> (batch, h or 1, n_q, 1)."""
    if not request.causal and request.window is None:
        return ~hidden.all(-1, keepdim=True)
    n_q, n_k = request.q.shape[-2], request.k.shape[-2]
    counts = pad((~hidden).cumsum(-1), (1, 0))  # (batch, h or 1, 1, n_k + 1): of the first j keys, how many are
    offset = request.offset[..., None, None] if isinstance(request.offset, torch.Tensor) else request.offset
    stop = four_axes(offset + 1 + torch.arange(n_q, device=hidden.device)[:, None], request.lead).mT
    # The first key that is after each query, (batch, h or 1, 1, n_q), and the first that is not before its window.
    stop = stop.expand(*counts.shape[:-1], n_q)
    start = torch.zeros_like(stop) if request.window is None else stop - request.window
    until, before = (counts.gather(-1, x.clamp(0, n_k)) for x in (stop, start))
    return (until > before).mT


def by_mask(request, q, k, v, bias, run):
    """Everything in masks, a few queries at a time if these would be large.

    At first with keys and values as they are, for it takes long to go through them: only what is not finite, or
    gives too large scores, has to be blanked where no query sees it.
    """
    k, v = ready_for_mask(k, q.shape[1]), ready_for_mask(v, q.shape[1])
    n_q, step = q.shape[2], queries_at_once(request)
    # In a recorded program a size may be a symbol, of which a range would make a number.
    blocks = [(0, n_q)] if step >= n_q else [(i, min(i + step, n_q)) for i in range(0, n_q, step)]
    if readable(q) and (not wants_gradient((q, k, v, bias)) or math.isfinite(length(v))):
        with contextlib.suppress(ScoresTooLargeError):
            found = by_blocks_of_queries(request, blocks, q, k, v, bias, run)
            if all_finite(request.xp, found[..., : v.shape[-1]]):  # 0 · NaN of a hidden value would be NaN
                return found
    if request.queries(0, 1).mask() is not None:
        seen = (mask_of(request.queries(*block)).any(-2) for block in blocks)  # each built again, and none kept
        seen = functools.reduce(operator.or_, seen)
        if seen.shape[1] > 1:  # one head may see what another, with the same keys, does not
            k, v = repeated(k, q.shape[1]), repeated(v, q.shape[1])
        k, v = (torch.where(seen[..., None], x, 0.0) for x in (k, v))  # as 0 · NaN would be NaN
    return by_blocks_of_queries(request, blocks, q, k, v, bias, run)


def by_blocks_of_queries(request, blocks, q, k, v, bias, run):
    """The outputs of some queries after those of others, each under a mask of their own, if there is any."""
    outputs = []
    for block in blocks:
        few, mask = some(q, *block), mask_of(request.queries(*block))
        rows = bias if bias is None or bias.shape[2] == 1 else some(bias, *block)
        outputs.append(run(few, k, v) if mask is None else masked(few, k, v, mask, run, rows))
    return join(outputs, dim=2)


def queries_at_once(request):
    """How many queries' mask has about `MASK` entries. All of them, where one row is for all."""
    n_q, n_k = request.q.shape[-2], request.k.shape[-2]
    if recording() or math.prod(request.lead) * n_q * n_k <= MASK:
        return n_q
    mask = request.queries(0, 2).mask()  # (..., 2 or 1, n_k or 1), or None
    if mask is None or mask.shape[-2] == 1:
        return n_q
    return max(LEAST, MASK // (math.prod(mask.shape[:-2]) * n_k))


def mask_of(request):
    """Who may look at what, (batch, h or 1, n_q or 1, n_k), or None for no mask."""
    mask = request.mask()
    return None if mask is None else four_axes(mask.expand(*mask.shape[:-1], request.k.shape[-2]), request.lead)


def masked(q, k, v, mask, run, bias=None):
    """The kernel under a mask, or a bias that is −inf where it is False; shown no row in which nothing is left."""
    seeing = mask.any(-1, keepdim=True)  # (..., n_q, n_k) -> (..., n_q, 1)
    all_see = known_true(seeing.all())
    q = q if all_see else torch.where(seeing, q, 0.0)
    if bias is None:
        return run(q, k, v, mask) if all_see else run.where_seen(seeing, run(q, k, v, mask | ~seeing))
    bias = torch.where(mask, bias, -math.inf)
    largest = bias.detach().amax(-1, keepdim=True)  # of what is seen: near 0 the most digits are left
    largest = torch.where(seeing, largest, 0.0)
    bias = (bias - largest).to(q.dtype)
    if all_see:
        return run.raised(run(q, k, v, bias), largest)
    return run.where_seen(seeing, run.raised(run(q, k, v, torch.where(seeing, bias, 0.0)), largest))


def by_item(request, q, k, v, run):
    """Without a mask: the padding is cut off, and batch items of one length and offset share a call."""
    if request.lengths is None and is_integer(request.offset):
        return by_block(request, q, k, v, request.offset, run)
    batch, n_k = k.shape[0], k.shape[2]
    lengths = [n_k] if request.lengths is None else [min(max(n, 0), n_k) for n in numbers_of(request.lengths)]
    items = zip(for_all(lengths, batch), for_all(numbers_of(request.offset), batch), strict=True)
    alike = [(n, offset, len(list(group))) for (n, offset), group in itertools.groupby(items)]
    if len(alike) > 1 and k.shape[0] * q.shape[1] * q.shape[2] * n_k < FEW * len(alike):
        return by_mask(request._replace(prior=None, log_prior=None), q, k, v, None, run)
    sizes = [size for _, _, size in alike]
    groups = [(q, k, v)] if len(alike) == 1 else zip(*(x.split(sizes) for x in (q, k, v)), strict=True)
    outputs = [
        by_block(request, q, some(k, 0, n), some(v, 0, n), offset, run)
        for (n, offset, _), (q, k, v) in zip(alike, groups, strict=True)
    ]
    return join(outputs, dim=0)


def by_block(request, q, k, v, offset, run):
    """Queries at positions offset + i among keys that are all real, in blocks that need little or no mask."""
    n_q, n_k, window = q.shape[2], k.shape[2], request.window
    if not request.causal and window is None:
        return one_block(q, k, v, n_k, None, run)  # as if all queries came after all keys
    if window is not None and window >= offset + n_q:
        window = None  # it reaches back to the first key
    # Blocks begin where the queries start to see something, and where they start to see everything.
    edges = [0, -offset, n_k - offset, n_q]
    if window is not None or 0 < offset < n_k:
        edges += range(0, n_q, QUERIES if window is None else max(window, QUERIES))
    outputs = []
    for start, stop in itertools.pairwise(sorted(min(max(edge, 0), n_q) for edge in edges)):
        if start == stop:
            continue
        low = 0 if window is None else min(max(0, offset + start - window + 1), n_k)
        high = max(low, min(n_k, offset + stop))
        block = some(q, start, stop), some(k, low, high), some(v, low, high)
        outputs.append(one_block(*block, offset + start - low, window, run))
    return join(outputs, dim=2)


def one_block(q, k, v, position, window, run):
    """Queries from `position` on among the keys that at least one of them sees."""
    n_q, n_k = q.shape[2], k.shape[2]
    if n_k == 0:
        return run.nothing(q.new_empty(*q.shape[:-1], v.shape[-1] + run.lse))
    if position >= n_k - 1 and (window is None or position + n_q - 1 < window):
        return run(q, k, v)  # everyone sees everything
    if window is None and position == 0:
        return run(q, k, v, is_causal=True)  # the one alignment that the kernel knows
    k, v = ready_for_mask(k, q.shape[1]), ready_for_mask(v, q.shape[1])
    if window is None:  # the last query sees the last key, and so all of them; the first sees one at least
        return run(q, k, v, causal_mask(n_q, n_k, like=q))
    mask = window_mask(n_q, n_k, window=window, offset=position, like=q)
    return masked(q, k, v, mask, run)


def some(x, start, stop):
    """The queries or keys from `start` to `stop`. All of them are not cut: a cut costs a copy of the gradient."""
    return x if (start, stop) == (0, x.shape[2]) else x[..., start:stop, :]


def numbers_of(x):
    """A number, or an array of one for each item of the first axis, as a list."""
    return [x] if is_integer(x) else x.flatten().tolist()


def for_all(values, batch):
    """A value for each of `batch`: the values of the first axis, repeated for the leading axes joined to it."""
    return [value for value in values for _ in range(batch // len(values))]


def join(parts, dim):
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim)
