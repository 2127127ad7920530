"""Softmax attention by torch's fused kernel, `scaled_dot_product_attention`, with the meaning that `lib` gives.

The kernel never holds the weights, so memory grows with n, not n². But it aligns its causal mask to the
top left, lets NaN through a mask, wants one positive scale and knows no prior: each is put right here.
"""

import functools
import itertools
import math
import numbers

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import pad, scaled_dot_product_attention

from lib.arrays import active_transform, is_number, known_true
from lib.masks import blank_unseen, causal_mask, window_mask

LARGEST_BETA = 1e6  # times a score of 1e30 it is still a float32
SMALLEST_SCALE = 1e-30  # 0 times the −inf of a masked score would be NaN
LARGEST_ROUNDING = 1.0  # of β times a score; where it may be more, or infinite, the readable path is taken
BLOCK = 256  # queries that share a call where one causal mask does not do


def refusal(call, *, strict):
    """Why the kernel cannot take this call or, unless `strict`, had better not; None if it can."""
    compiling, beta = torch.compiler.is_compiling(), call.beta
    if call.q.device.type not in ("cpu", "cuda"):
        return f"on device {call.q.device}"
    if call.dropout and call.generator is not None:
        return "with a generator: the kernel draws from torch's own"
    if abs(beta) > LARGEST_BETA if is_number(beta) else known_true((beta.abs() > LARGEST_BETA).any()):
        return f"with beta beyond ±{LARGEST_BETA:g}"
    # The kernel's only derivative is its gradient; it has none that a transform could go through.
    if not compiling and (why := active_transform((call.q, call.k, call.v, beta, call.prior, call.log_prior))):
        return why
    if strict:
        return None
    if call.dropout:
        return "with dropout: what was dropped inside the kernel is not known to a second derivative"
    if compiling and call.q.device.type == "cpu":
        return "while compiling: whether its result is finite cannot be looked at"
    if not is_number(beta) and not known_true((beta.abs() <= LARGEST_BETA).all()):
        return "with an array beta that cannot be looked at: it may be infinite"
    return None


def attend(call, *, strict):
    """The output of `attention`, or None where the kernel does not have it after all."""
    if 0 in (call.q.numel(), call.k.numel(), call.v.numel(), *call.lead):
        return None  # nothing to look at, or nobody to look
    # On the CPU half precision is no faster than float32, and less exact.
    dtype = torch.float32 if call.q.device.type == "cpu" and call.dtype.itemsize < 4 else call.dtype
    q, scale = scaled(call.q.to(dtype), call.beta)
    q, k, v = (four_axes(x, call.lead) for x in (q, call.k.to(dtype), call.v.to(dtype)))
    heads = call.lead[-1] if len(call.lead) > 1 else 1
    q = q.expand(-1, heads, -1, -1)
    bias = log_prior(call, dtype)
    if k.shape[1] != v.shape[1] or (bias is not None and bias.shape[1] > 1):
        k, v = per_head(k, heads), per_head(v, heads)

    run = functools.partial(kernel, scale=scale, dropout=call.dropout, strict=strict)
    d_v = v.shape[-1]
    if needs_no_mask(call, bias):
        output = by_item(call, *one_width(q, k, v, None if bias is None else bias / scale), run)
    else:
        output = by_mask(call, *one_width(q, k, v), bias, run)
    output = output[..., :d_v].reshape(*call.lead, -1, d_v)
    # NaN says that the kernel could not be trusted; and a call in which nobody sees anything has no gradient.
    unconnected = torch.is_grad_enabled() and any(x.requires_grad for x in (q, k, v)) and not output.requires_grad
    if unconnected or known_true(torch.isnan(output[..., 0].detach().sum())):
        return None
    return output.to(call.dtype)


# ---- the arguments as the kernel wants them


def scaled(q, beta):
    """`q` and a positive scale that together carry a beta of any sign."""
    if not is_number(beta):
        return q * beta.to(q.dtype), 1.0  # (..., n_q, d) * (..., n_q or 1, 1)
    if abs(beta) < SMALLEST_SCALE:
        return q * beta, 1.0
    return (q, float(beta)) if beta > 0 else (-q, -float(beta))


def four_axes(x, lead):
    """(..., h, n, d) -> (batch, h, n, d): all leading axes but the heads in one, as the kernel needs it."""
    outer = lead if len(lead) < 2 else lead[:-1]
    if x.ndim != 4 or x.shape[:1] != outer:
        x = x.reshape((1,) * (len(lead) + 2 - x.ndim) + tuple(x.shape))
        x = x.unsqueeze(-3) if len(lead) < 2 else x
        x = x.expand(*outer, *x.shape[-3:]).reshape(math.prod(outer), *x.shape[-3:])
    return x if x.stride(-1) == 1 else x.contiguous()


def per_head(x, heads):
    """Shared heads repeated: with a mask, the fast kernels do not share them."""
    return x if x.shape[1] == heads else x.repeat_interleave(heads // x.shape[1], dim=1)


def log_prior(call, dtype):
    """The logarithm of the prior as (batch, h, n_q or 1, n_k), −inf where the prior is 0; or None."""
    if call.prior is None and call.log_prior is None:
        return None
    log = call.log_prior
    if log is None:
        log = torch.where(call.prior == 0, -math.inf, torch.log(torch.where(call.prior == 0, 1.0, call.prior)))
    log = log.expand(*log.shape[:-1], call.k.shape[-2])
    return four_axes(log.to(dtype), call.lead)


def one_width(q, k, v, column=None):
    """q, k and v of one width d, which the fast kernels ask for; `column` is added to every key's scores."""
    if column is not None:
        q = torch.cat([q, torch.ones_like(q[..., :1])], -1)  # (batch, H, n_q, d) -> (batch, H, n_q, d + 1)
        k = torch.cat([k, column.mT.expand(*k.shape[:-1], 1)], -1)
    if q.shape[-1] == v.shape[-1]:
        return q, k, v
    width = -(-max(q.shape[-1], v.shape[-1]) // 8) * 8
    return tuple(pad(x, (0, width - x.shape[-1])) for x in (q, k, v))


# ---- one call of the kernel, or several


def needs_no_mask(call, bias):
    """True if nothing but causal, window, lengths and a prior over keys limits who sees what, all of it known."""
    unknown = [x for x in (call.lengths, call.offset) if isinstance(x, torch.Tensor)]
    if call.where is not None or any(x.device.type != "cpu" or torch.compiler.is_compiling() for x in unknown):
        return False
    return bias is None or (bias.shape[-2] == 1 and known_true(torch.isfinite(bias).all()))


def by_mask(call, q, k, v, bias, run):
    """Everything in one mask, or in one bias that is −inf where the mask is False."""
    mask = call.mask()
    if mask is None:
        return run(q, k, v)
    return masked(q, k, v, four_axes(mask.expand(*mask.shape[:-1], k.shape[-2]), call.lead), run, bias)


def masked(q, k, v, mask, run, bias=None):
    """The kernel under a mask. It is shown no NaN that the mask hides, and no row in which nothing is left."""
    q, k, v = blank_unseen(torch, mask, q, per_head(k, q.shape[1]), per_head(v, q.shape[1]))
    seeing = mask.any(-1, keepdim=True)  # (..., n_q, n_k) -> (..., n_q, 1)
    if bias is None:
        mask = mask | ~seeing
    else:
        mask = torch.where(mask, bias, torch.where(seeing, -math.inf, 0.0).to(bias.dtype))
    return torch.where(seeing, run(q, k, v, mask), 0.0)


def by_item(call, q, k, v, run):
    """Without a mask: the padding is cut off, and batch items of one length and offset share a call."""
    batch, n_k = k.shape[0], k.shape[-2]
    lengths = [min(max(n, 0), n_k) for n in listed(n_k if call.lengths is None else call.lengths, batch)]
    groups = itertools.groupby(zip(lengths, listed(call.offset, batch), strict=True))
    alike = [(n, offset, len(list(group))) for (n, offset), group in groups]
    if len(alike) == 1:
        return by_block(call, q, k[..., : lengths[0], :], v[..., : lengths[0], :], alike[0][1], run)
    sizes = [size for _, _, size in alike]
    items = zip(alike, q.split(sizes), k.split(sizes), v.split(sizes), strict=True)
    return join(
        [by_block(call, q, k[..., :n, :], v[..., :n, :], offset, run) for (n, offset, _), q, k, v in items], dim=0
    )


def by_block(call, q, k, v, offset, run):
    """Queries at positions offset + i among keys that are all real, in blocks that need little or no mask."""
    n_q, n_k, window = q.shape[-2], k.shape[-2], call.window
    if not call.causal and window is None:
        offset = n_k  # after all keys
    if window is not None and window >= offset + n_q:
        window = None  # it reaches back to the first key
    # Blocks begin where the queries start to see something, and where they start to see everything.
    edges = {0, -offset, n_k - offset, n_q}
    if window is not None or 0 < offset < n_k:
        edges |= set(range(0, n_q, max(window or 0, BLOCK)))
    parts = []
    for start, stop in itertools.pairwise(sorted({min(max(edge, 0), n_q) for edge in edges})):
        low = 0 if window is None else min(max(0, offset + start - window + 1), n_k)
        high = max(low, min(n_k, offset + stop))
        keys, position = slice(low, high), offset + start - low
        parts.append(one_block(q[..., start:stop, :], k[..., keys, :], v[..., keys, :], position, window, run))
    return join(parts, dim=-2)


def one_block(q, k, v, position, window, run):
    """Queries from `position` on among the keys that at least one of them sees."""
    n_q, n_k = q.shape[-2], k.shape[-2]
    if n_k == 0:
        return q.new_zeros(*q.shape[:-1], v.shape[-1])
    if position >= n_k - 1 and (window is None or position + n_q - 1 < window):
        return run(q, k, v)  # everyone sees everything
    if window is None and position == 0:
        return run(q, k, v, is_causal=True)  # the one alignment that the kernel knows
    if window is None:
        return masked(q, k, v, causal_mask(n_q, n_k, offset=position, like=q), run)
    return masked(q, k, v, window_mask(n_q, n_k, window=window, offset=position, like=q), run)


def listed(x, batch):
    """A number, or one for each item of the first axis, as a list with one entry for each of `batch`."""
    values = [x] if isinstance(x, numbers.Integral) else x.flatten().tolist()
    return [value for value in values for _ in range(batch // len(values))]


def join(parts, dim):
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim)


def kernel(q, k, v, mask=None, is_causal=False, *, scale, dropout, strict):
    """One call of the kernel: q (batch, H, n_q, d), k and v (batch, h, n_k, d) -> (batch, H, n_q, d)."""
    run = functools.partial(
        scaled_dot_product_attention,
        dropout_p=dropout,
        is_causal=is_causal,
        scale=scale,
        enable_gqa=k.shape[1] != q.shape[1],
    )
    inputs = (q, k, v, mask)
    # Kernels take a row of nothing but NaN or −inf for some other row, and lose a prior beside huge scores.
    longest = [torch.linalg.vector_norm(x.detach(), dim=-1).amax() for x in (q, k)]
    bound = longest[0] * longest[1] * scale  # of β times a score, by Cauchy and Schwarz
    if known_true(~(bound < LARGEST_ROUNDING / torch.finfo(q.dtype).eps)):
        return q.new_full((*q.shape[:-1], v.shape[-1]), math.nan)
    gradient = torch.is_grad_enabled() and any(x is not None and x.requires_grad for x in inputs)
    if not gradient or torch.compiler.is_compiling():
        return run(*inputs)
    arriving = {}
    output = run(*Entrance.apply(run, strict, arriving, *inputs))
    output.register_hook(lambda grad: arriving.update(grad=grad) if torch.is_grad_enabled() else None)
    return output


class Entrance(torch.autograd.Function):
    """Where the kernel's inputs go in and its gradient, which cannot itself be differentiated, comes out.

    Where it is going to be (`create_graph=True`), another takes its place: that of the same attention
    computed without the kernel, from the gradient that arrived at the kernel's output.
    """

    @staticmethod
    def forward(ctx, run, strict, arriving, *inputs):
        ctx.run, ctx.strict, ctx.arriving = run, strict, arriving
        ctx.save_for_backward(*inputs)
        return tuple(x if x is None else x.view_as(x) for x in inputs)

    @staticmethod
    def backward(ctx, *grads):
        if not torch.is_grad_enabled():
            return None, None, None, *grads
        if ctx.strict:
            raise RuntimeError('path="fused" has first-order gradients alone; for more take path="readable"')
        inputs, wanted = ctx.saved_tensors, ctx.needs_input_grad[3:]
        grad = ctx.arriving.pop("grad")  # left there, it would keep this node alive, and this node it
        with sdpa_kernel(SDPBackend.MATH):
            output = ctx.run(*inputs)
        inputs = [x for x, want in zip(inputs, wanted, strict=True) if want]
        anew = iter(torch.autograd.grad(output, inputs, grad, create_graph=True))
        return None, None, None, *(next(anew) if want else None for want in wanted)
