"""Softmax attention by torch's `scaled_dot_product_attention`: the calls of a plan, made and put together."""

import functools
import math

import torch
from torch.nn.functional import scaled_dot_product_attention

from .._arrays import cast
from .._torch_modes import all_finite, autocast_is_around, can_read, known_true, tracing, wants_gradient
from .sdpa_derivative import chooses_products, with_gradient, with_lse
from .sdpa_plan import length, plan, reason_against, repeated

__all__ = ["reason_against", "result"]

LARGEST_ROUNDING = 1.0  # of β times a score; where it may be more, or the score infinite, the kernel is not called


def result(request, reference):
    """The output (..., n_q, d_v), and the lse (..., n_q, 1) if requested; None if these values are not for it."""
    if 0 in (request.q.numel(), request.k.numel(), request.v.numel(), *request.leading):
        return None
    planned = plan(request)
    results = run(planned, request)
    if planned.blank is False and (results is None or not all_finite(request.xp, results[0])):
        results = run(plan(request, blank=True), request)
    if results is None or (not results[0].requires_grad and wants_gradient(request)):
        return None  # without a gradient though one is wanted: no query sees a key, so there was no call
    leading, d_v = request.leading, request.v.shape[-1]
    output, *lse = (x if x.shape[:2] == leading else x.reshape(*leading, *x.shape[2:]) for x in results)
    output = cast(request.xp, output if output.shape[-1] == d_v else output[..., :d_v], request.dtype)
    return output, *lse


def run(planned, request):
    """The output of all calls of a plan, (batch, H, n_q, ·), and the lse if requested; None if one has none."""
    groups = []
    for calls in planned.groups:
        parts = []
        for call in calls:
            part = run_call(call, planned, request)
            if part is None:
                return None
            parts.append(part)
        groups.append(parts[0] if len(parts) == 1 else [torch.cat(x, 2) for x in zip(*parts, strict=True)])
    results = groups[0] if len(groups) == 1 else [torch.cat(x, 0) for x in zip(*groups, strict=True)]
    if planned.lowered is not None:
        results = results[0], *(lse + planned.lowered for lse in results[1:])
    return results if planned.seeing is None else only_where(planned.seeing, *results)


def only_where(seeing, output, *lse):
    """Nothing for queries that see nothing: an output of 0 and an lse of −inf."""
    return torch.where(seeing, output, 0.0), *(torch.where(seeing, x, -math.inf) for x in lse)


def run_call(call, planned, request):
    """What the kernel makes of one call, which is shown no row in which nothing is left; or None.

    None for scores that are too large: beside such the kernel loses a prior, and mistakes a row of nothing but
    NaN or −inf for another. And where torch would compute products, whose gradients autocast rounds.
    """
    q, k, v, mask, seeing, lowered = call.q, call.k, call.v, call.mask and call.mask(), None, None
    if k.shape[2] == 0:
        output = q.new_zeros(*q.shape[:-1], v.shape[-1])
        return (output, q.new_full((*q.shape[:-1], 1), -math.inf)) if request.return_lse else (output,)
    if mask is not None:
        seeing = mask.any(-1, keepdim=True)  # (..., n_q, n_k) -> (..., n_q, 1)
        seeing = None if known_true(seeing.all()) else seeing
        q = q if seeing is None else torch.where(seeing, q, 0.0)
        if call.bias is not None:
            mask, lowered = bias_under(mask, call.bias, seeing, q.dtype)
        elif seeing is not None:
            mask = mask | ~seeing
        if not q.is_cpu:  # the fast kernels of a GPU, given a mask, do not share heads
            k, v = repeated(k, q.shape[1]), repeated(v, q.shape[1])
    if too_large(q, k, planned):
        return None
    inputs = (q, k, v) if mask is None else (q, k, v, mask)
    options = {"dropout_p": request.dropout, "is_causal": call.is_causal, "scale": planned.scale}
    options["enable_gqa"] = bool(k.shape[1] != q.shape[1])
    if not request.return_lse and (tracing() or not wants_gradient(inputs)):
        results = (scaled_dot_product_attention(*inputs, **options),)
    elif autocast_is_around() and chooses_products(inputs, options):
        return None
    else:
        kernel = functools.partial(scaled_dot_product_attention, **options)
        results = (with_lse if request.return_lse else with_gradient)(kernel, request.path == "fused", inputs)
        if results is None:
            return None
    if lowered is not None:
        results = results[0], *(lse + lowered for lse in results[1:])
    return results if seeing is None else only_where(seeing, *results)


def bias_under(mask, bias, seeing, dtype):
    """The bias, −inf where the mask is False, lowered to at most 0 in each row; and by how much it was lowered.

    Near 0 the most digits are left. `seeing` says which rows have anything left, None that all have.
    """
    bias = torch.where(mask, bias, -math.inf)
    largest = bias.detach().amax(-1, keepdim=True)
    if seeing is None:
        return (bias - largest).to(dtype), largest
    largest = torch.where(seeing, largest, 0.0)
    return torch.where(seeing, (bias - largest).to(dtype), 0.0), largest


def too_large(q, k, planned):
    """True if values can be read and their lengths do not exclude a score that is infinite or rounded too much."""
    if not can_read(q):
        return False
    limit = LARGEST_ROUNDING / torch.finfo(q.dtype).eps / planned.scale
    q, k = (q, k) if planned.features is None else (q[..., : planned.features], k[..., : planned.features])
    # A score is at most the length of its query times that of its key. All queries taken as one vector are at
    # least as long as each of them, and so are all keys.
    if length(q) * length(k) < limit:
        return False
    longest = [torch.linalg.vector_norm(x.detach(), dim=-1).amax().item() for x in (q, k)]
    return not longest[0] * longest[1] < limit
