"""Softmax attention by torch's kernel, `scaled_dot_product_attention`: which calls mean what `lib` promises.

The kernel never holds the weights, so memory grows with n, not n². But it aligns its causal mask to the top left,
lets NaN through a mask, wants one positive scale and knows no prior. The plan makes up for each:

================================  ===============================================================================
what is requested                 what the kernel gets
================================  ===============================================================================
nothing, or causal from key 0     q, k and v as they are, and `is_causal`
causal or a window elsewhere      a call for each block of queries, with the keys it sees and `is_causal`, or a
                                  small mask of `QUERIES` queries (or the window, if that is longer)
lengths, offsets for each item    a call for each run of items that are alike, with the padding cut off
lengths that cannot be read       one more feature of the keys, which hides the padding
a prior over keys                 one more feature of the keys, and another that hides those whose prior is 0
all else                          masks or biases, each of about `MASK` entries, for a few queries at a time
================================  ===============================================================================

Values cannot be read on a GPU and in a traced program. "All else" is `where`, a prior that differs by query,
offsets that cannot be read, items of many lengths that are short (`FEW`), and hidden keys in float16, which has no
number low enough to hide one. For a gradient torch keeps all of these masks. A traced program, which may be for
any size, holds one mask for all queries in their place.
"""

import functools
import itertools
import math
import operator
from typing import Any, NamedTuple

import torch
from torch.nn.functional import pad

from .._arrays import cast, is_integer, is_number, positions
from .._torch_modes import active_transform, can_read, known_true, tracing, wants_gradient
from ..masks import padding_mask

LARGEST_BETA = 1e6  # times a score of 1e30 it is still a float32
SMALLEST_SCALE = 1e-30  # a smaller one goes into q: a scale of 0 times a masked −inf would be NaN
QUERIES = 256  # queries that share a call where one causal mask for all is not enough
MASK = 1 << 22  # a mask for some of the queries has about so many entries, to save memory,
LEAST = 64  # but never fewer queries than this
FEW = 1 << 19  # weights a call: with fewer in a call for each length, one mask for all lengths is faster


class Call(NamedTuple):
    """One call of the kernel."""

    q: Any  # (batch, H, n_q, d)
    k: Any  # (batch, h, n_k, d)
    v: Any  # (batch, h, n_k, d_v)
    is_causal: bool = False
    mask: Any = None  # a function that makes it when its turn comes, (..., n_q or 1, n_k); or None
    bias: Any = None  # what is added to the scores under the mask, (batch, h, n_q or 1, n_k)


class Plan(NamedTuple):
    """The calls that together are the attention that was requested, and what they have in common."""

    groups: list  # for some items a list of calls, for some of their queries each; then for the next items
    scale: float
    features: int | None = None  # so many of each query and key count for the size of scores: not what hides a key
    seeing: Any = None  # which queries see a key, (batch, h or 1, n_q or 1, 1), where no mask tells
    lowered: Any = None  # by how much the logarithm of the prior was lowered, (batch, h, 1, 1)
    blank: bool | None = None  # are keys and values zero that masks hide from all? None where there are no masks


def reason_against(request):
    """Why the kernel cannot take this request, or should not unless path="fused" asks for it; or None."""
    traced, beta = tracing(), request.beta
    if request.return_lse:
        if not request.q.is_cpu:
            return f"on device {request.q.device}: there torch keeps the lse in another shape for each kernel"
        if kernels_dtype(request) != request.working:
            return "with a beta or prior of a wider dtype than q, k and v"
    if request.return_weights:
        return "with return_weights=True: no kernel holds them"
    if request.q.device.type not in ("cpu", "cuda"):
        return f"on device {request.q.device}"
    if request.dropout and request.generator is not None:
        return "with dropout by a generator: the kernel draws from torch's own"
    if abs(beta) > LARGEST_BETA if is_number(beta) else known_true((beta.abs() > LARGEST_BETA).any()):
        return f"with beta beyond ±{LARGEST_BETA:g}"
    # The kernel's only derivative is its gradient; it has none that a transform could go through.
    if not traced and (why := active_transform(request)):
        return why
    if request.path == "fused":
        return None
    if traced and request.q.device.type == "cpu":
        return "while a program is traced: whether its scores are too large cannot be looked at"
    if not is_number(beta) and not known_true((beta.abs() <= LARGEST_BETA).all()):
        return "with an array beta that cannot be looked at: it may be infinite"
    return None


def plan(request, blank=False):
    """The calls for a request, with zeros for the keys and values that masks hide from all queries if `blank`."""
    if is_plain(request):
        return Plan([[Call(request.q, request.k, request.v, request.causal)]], request.beta)
    whole, scale = as_one_call(request)
    return without_masks(request, whole, scale) or under_masks(request, whole, scale, blank)


def is_plain(request):
    """Can torch's kernel have q, k and v as they are, and no more than be told that it is causal?"""
    q, k, v, leading, offset = request.q, request.k, request.v, request.leading, request.offset
    limits = request.where, request.window, request.lengths, request.prior, request.log_prior
    if tracing() or len(leading) != 2 or q.dtype.itemsize < 4 or not all([x is None for x in limits]):
        return False
    if request.causal and not (type(offset) is int and offset == 0 and q.shape == k.shape):
        return False
    same = leading == q.shape[:-2] == k.shape[:-2] == v.shape[:-2] and q.shape[-1] == v.shape[-1]
    ready = all([x.is_cpu and x.stride(-1) == 1 for x in (q, k, v)])
    return same and ready and type(request.beta) is float and request.beta >= SMALLEST_SCALE


# ---- the arguments as the kernel wants them


def as_one_call(request):
    """q, k, v and the logarithm of the prior, all with four axes, in one call; and the scale."""
    dtype = kernels_dtype(request)
    q, k, v = (cast(request.xp, x, dtype) for x in (request.q, request.k, request.v))
    q, scale = scaled(q, request.beta)
    q, k, v = (four_axes(x, request.leading) for x in (q, k, v))
    heads = request.leading[-1] if len(request.leading) > 1 else 1
    q = q if q.shape[1] == heads else q.expand(-1, heads, -1, -1)
    bias = log_prior_of(request)
    if k.shape[1] != v.shape[1] or (bias is not None and bias.shape[1] > 1):
        k, v = repeated(k, heads), repeated(v, heads)
    return Call(q, k, v, bias=bias), scale


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
    # The kernel's scale is a number: a traced program in which it was one that changes would be for one of them.
    changes = not isinstance(beta, float) or (tracing() and beta != max(q.shape[-1], 1) ** -0.5)
    if changes or abs(beta) < SMALLEST_SCALE:
        return q * beta, 1.0
    return (q, beta) if beta > 0 else (-q, -beta)


def four_axes(x, leading):
    """(..., h, n, d) -> (batch, h, n, d): all leading axes but the heads in one, as the kernel needs it."""
    if x.ndim != 4 or len(leading) != 2 or x.shape[0] != leading[0]:
        outer = leading if len(leading) < 2 else leading[:-1]
        x = x.reshape((1,) * (len(leading) + 2 - x.ndim) + tuple(x.shape))
        x = x.unsqueeze(-3) if len(leading) < 2 else x
        x = x.expand(*outer, *x.shape[-3:]).reshape(math.prod(outer), *x.shape[-3:])
    return x if x.stride(-1) == 1 else x.contiguous()


def repeated(x, heads):
    """Keys or values with shared heads repeated, once for each head of the queries."""
    return x if x.shape[1] == heads else x.repeat_interleave(heads // x.shape[1], dim=1)


def log_prior_of(request):
    """The logarithm of the prior, (batch, h, n_q or 1, n_k), −inf where it is 0; or None."""
    prior, log = request.prior, request.log_prior
    if prior is not None:
        log = torch.where(prior == 0, -math.inf, torch.log(torch.where(prior == 0, 1.0, prior)))
    return None if log is None else four_axes(log.expand(*log.shape[:-1], request.k.shape[-2]), request.leading)


def features_of(bias, hidden, scale, dtype):
    """A prior over keys, and then what hides a key from every query, as further features of the keys."""
    # Far below every score, but finite: of a row of nothing but −inf the kernel makes NaN, of a row of nothing but
    # this the mean of the values, which are 0 where the key is hidden. A power of 2 is not rounded on the way.
    low = -(2.0 ** math.floor(math.log2(torch.finfo(dtype).max / 4 / max(1.0, scale))))
    more = []
    if bias is not None:
        bias = bias if hidden is None else bias.masked_fill(hidden, 0.0)
        more += in_dtype((bias.mT / scale).clamp(min=low / 2), dtype)
    if hidden is not None:
        more.append(torch.zeros_like(hidden.mT, dtype=dtype).masked_fill(hidden.mT, low))
    return more  # each (batch, h or 1, n_k, 1)


def in_dtype(x, dtype):
    """`x` in `dtype`, as one number or, in 16 bits, as the sum of two: one alone has three digits."""
    rounded = x.to(dtype)
    return [rounded] if dtype.itemsize >= 4 else [rounded, (x - rounded).to(dtype)]


def one_width(q, k, v, more=()):
    """q, k and v of one width, which the fast kernels ask for; each of `more` is added to every key's scores."""
    if more:
        q = torch.cat([q, q.new_ones(*q.shape[:-1], len(more))], -1)  # (batch, H, n_q, d + len(more))
        k = torch.cat([k, *(x.expand(*k.shape[:-1], 1) for x in more)], -1)
    d, d_v = q.shape[-1], v.shape[-1]
    if d == d_v and (q.is_cpu or d % 8 == 0):
        return q, k, v
    width = -(-max(d, d_v) // 8) * 8  # on a GPU the fast kernels ask for that, too
    return tuple(pad(x, (0, width - x.shape[-1])) for x in (q, k, v))


# ---- calls without a mask of all queries and keys


def without_masks(request, whole, scale):
    """The plan where positions and keys alone say who sees whom; None if it takes masks, or would be slower."""
    q, k, v, bias, offset = whole.q, whole.k, whole.v, whole.bias, request.offset
    if request.where is not None or (bias is not None and bias.shape[2] > 1) or not can_read(offset):
        return None
    if tracing() and (request.window is not None or (request.causal and not (is_integer(offset) and offset == 0))):
        return None  # small masks would be many, and as many for each size
    items = alike(request, k.shape[0])
    hidden = hidden_keys(request, bias)
    short = len(items) > 1 and q[..., 0].numel() * k.shape[2] < FEW * len(items)
    if short or (hidden is not None and q.dtype == torch.float16):
        return None
    features = seeing = lowered = None
    if bias is not None:
        # The kernel adds this to the scores: far from 0, their last digits would be rounded away.
        lowered = bias.detach().amax(-1, keepdim=True)
        lowered = torch.where(torch.isfinite(lowered), lowered, 0.0)
        bias = bias - lowered
    more = features_of(bias, hidden, scale, q.dtype)
    if hidden is not None:
        features = q.shape[-1] + len(more) - 1
        seeing = torch.cat([mask.any(-1, keepdim=True) for mask in masks(request)], 2)
        q, k, v = torch.where(seeing, q, 0.0), k.masked_fill(hidden.mT, 0.0), v.masked_fill(hidden.mT, 0.0)
    arrays, sizes = one_width(q, k, v, more), [size for *_, size in items]
    parts = [arrays] if len(items) == 1 else zip(*(x.split(sizes) for x in arrays), strict=True)
    groups = []
    for (n, offset, _), (q, k, v) in zip(items, parts, strict=True):
        groups.append(by_position(request, q, cut(k, 0, n), cut(v, 0, n), offset))
    return Plan(groups, scale, features, seeing, lowered)


def alike(request, batch):
    """(length, offset, how many) of neighbouring items with the same real keys and the same offset."""
    n_k, lengths, offset = request.k.shape[-2], request.lengths, request.offset
    if lengths is None or not can_read(lengths):
        if is_integer(offset):
            return [(n_k, offset, batch)]
        lengths = n_k
    lengths = [min(max(n, 0), n_k) for n in per_item(lengths, batch)]
    items = zip(lengths, per_item(offset, batch), strict=True)
    return [(*item, len(list(group))) for item, group in itertools.groupby(items)]


def hidden_keys(request, bias):
    """The keys that no query sees, (batch, h or 1, 1, n_k), without padding that can be cut off; None for none."""
    hidden = None
    if not can_read(request.lengths):
        hidden = four_axes(~padding_mask(request.lengths, request.k.shape[-2]), request.leading)
    if bias is not None and not known_true(torch.isfinite(bias).all()):
        hidden = bias == -math.inf if hidden is None else hidden | (bias == -math.inf)
    return hidden


def by_position(request, q, k, v, offset):
    """Queries at positions offset + i among keys that are all real, in blocks that need little or no mask."""
    n_q, n_k, window, calls = q.shape[2], k.shape[2], request.window, []
    if not request.causal and window is None:
        return [Call(q, k, v)]
    # Blocks begin where the queries start to see something, and where they start to see everything.
    edges = [0, -offset, n_k - offset, n_q]
    if window is None or window >= offset + n_q:
        window = math.inf  # it reaches back to the first key
    if window < math.inf or 0 < offset < n_k:
        edges += range(0, n_q, QUERIES if window == math.inf else max(window, QUERIES))
    for start, stop in itertools.pairwise(sorted(min(max(edge, 0), n_q) for edge in edges)):
        if start == stop:
            continue
        low = 0 if window == math.inf else min(max(0, offset + start - window + 1), n_k)
        high = max(low, min(n_k, offset + stop))
        size, count, position = stop - start, high - low, offset + start - low
        call = Call(cut(q, start, stop), cut(k, low, high), cut(v, low, high))
        if window == math.inf and position == 0 and count > 0:
            call = call._replace(is_causal=True)  # the one alignment that the kernel knows
        elif count > 0 and not (position >= count - 1 and position + size - 1 < window):  # not all see all
            call = call._replace(mask=functools.partial(mask_between, size, count, position, window, q))
        calls.append(call)
    return calls


def mask_between(n_q, n_k, position, window, like):
    """Who sees whom of queries that begin at a position among the keys, (n_q, n_k)."""
    query, key = positions(n_q, n_k, position, like)
    return (key <= query) & (key > query - window)


def cut(x, start, stop):
    """The queries or keys from `start` to `stop`. All of them are not cut: a cut costs a copy of the gradient."""
    return x if (start, stop) == (0, x.shape[2]) else x[..., start:stop, :]


def per_item(x, batch):
    """An integer, or one for each item of the first axis, as a list for all leading axes that were joined."""
    values = [x] if is_integer(x) else x.flatten().tolist()
    return [value for value in values for _ in range(batch // len(values))]


# ---- calls under masks


def under_masks(request, whole, scale, blank):
    """The plan with everything in masks, a few queries at a time if these would be large.

    It takes long to go through keys and values, so these are blanked only if something in them is not finite, or
    gives too large scores: 0 · NaN would be NaN.
    """
    (q, k, v), bias = one_width(whole.q, whole.k, whole.v), whole.bias
    blank = blank or not can_read(q) or (wants_gradient((q, k, v, bias)) and not math.isfinite(length(v)))
    if blank and request.queries(0, 1).mask() is not None:
        seen = functools.reduce(operator.or_, (mask.any(-2) for mask in masks(request)))
        if seen.shape[1] > 1:  # one head may see what another, with the same keys, does not
            k, v = repeated(k, q.shape[1]), repeated(v, q.shape[1])
        k, v = (torch.where(seen[..., None], x, 0.0) for x in (k, v))
    calls = []
    for start, stop in pieces(request):
        mask = functools.partial(mask_of, request.queries(start, stop))
        rows = bias if bias is None or bias.shape[2] == 1 else cut(bias, start, stop)
        calls.append(Call(cut(q, start, stop), k, v, mask=mask, bias=rows))
    return Plan([calls], scale, blank=blank)


def pieces(request):
    """(start, stop) of queries whose mask has about `MASK` entries. All of them, where one row is for all."""
    n_q, n_k = request.q.shape[-2], request.k.shape[-2]
    if tracing() or math.prod(request.leading) * n_q * n_k <= MASK:
        return [(0, n_q)]
    mask = request.queries(0, 2).mask()  # (..., 2 or 1, n_k or 1), or None
    if mask is None or mask.shape[-2] == 1:
        return [(0, n_q)]
    step = max(LEAST, MASK // (math.prod(mask.shape[:-2]) * n_k))
    return [(start, min(start + step, n_q)) for start in range(0, n_q, step)]


def masks(request):
    """The masks of a few queries after the other, none of which is kept."""
    return (mask_of(request.queries(*piece)) for piece in pieces(request))


def mask_of(request):
    """Who may look at what, (batch, h or 1, n_q or 1, n_k), or None for no mask."""
    mask = request.mask()
    return None if mask is None else four_axes(mask.expand(*mask.shape[:-1], request.k.shape[-2]), request.leading)


# ---- values


def length(x):
    """The Euclidean length of a tensor, all of it taken as one vector."""
    return torch.linalg.vector_norm(x.detach()).item()
