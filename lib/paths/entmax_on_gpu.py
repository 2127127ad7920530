"""Sparsemax and entmax attention on a GPU by Triton's kernels, which never hold the weights.

Checked arguments become the tensors that the kernels take, and autograd gets the gradients that they give. No
value is looked at: the program would wait for it.
"""

import functools
import itertools
import math
import numbers

import torch

from lib.arrays import is_number, quiet
from lib.attention_shapes import group_size
from lib.definition import attend
from lib.kernels.entmax_on_arrays import gpu_kernels, why_no_kernels
from lib.paths.entmax_attention import ALPHA, alpha_of, stacked


def why_not(request):
    """Why the kernels cannot take this request, or should not unless path="fused" asks for them; or None."""
    if callable(request.weights):
        return "with a callable: no kernel knows it"
    if request.return_weights:
        return "with return_weights=True: no kernel holds them"
    if request.weights not in ALPHA:
        return f"with weights={request.weights!r}: the kernels are for sparsemax and entmax"
    alpha = alpha_of(request)
    if not (is_number(alpha) and 1.05 <= alpha <= 2):
        return "with an alpha that is an array, or outside [1.05, 2]"
    if request.dropout:
        return "with dropout"
    if torch.compiler.is_compiling():
        return "while compiling"
    constants = request.beta, request.prior, request.log_prior
    reason = why_no_kernels(request.q, (request.q, request.k, request.v, request.where, *constants), constants)
    if reason is None and max(request.q.shape[-1], request.v.shape[-1]) > (widest := gpu_kernels().WIDEST):
        return f"with more than {widest} features"
    if reason is None and request.path != "fused":
        return gpu_kernels().why_unrecorded(request.q.device)
    return reason


def output(request):
    """The output (..., n_q, d_v), by the kernels."""
    lead, k, v, group = request.lead, request.k, request.v, group_size(request.q, request.k)
    if group_size(request.q, v) != group:
        k, v, group = request.with_all_heads(k), request.with_all_heads(v), 1
    shared = (*lead[:-1], lead[-1] // group) if lead else ()
    q, k, v = (stacked(request.xp, x, axes) for x, axes in ((request.q, lead), (k, shared), (v, shared)))

    def as_defined(q, k, v):
        q, k, v = (x.reshape(*axes, *x.shape[-2:]) for x, axes in ((q, lead), (k, shared), (v, shared)))
        return stacked(request.xp, attend(request._replace(q=q, k=k, v=v))[0], lead)

    options = float(alpha_of(request)), beta_of(request), sight_of(request)
    found = _differentiable().apply(q, k, v, options, None if request.path == "fused" else as_defined)
    return found.reshape(*lead, *found.shape[-2:])


def beta_of(request):
    """β for each query, (heads, n_q), float64."""
    lead, n_q = request.lead, request.q.shape[-2]
    if is_number(request.beta):
        return torch.full((math.prod(lead), n_q), request.beta, dtype=torch.float64, device=request.q.device)
    beta = request.beta.detach()[..., 0].to(torch.float64)  # (..., n_q or 1)
    return beta.expand(*lead, n_q).reshape(math.prod(lead), n_q).contiguous()


def sight_of(request):
    """Who sees what, as the kernels take it."""
    n_k, lead, device = request.k.shape[-2], request.lead, request.q.device
    limited = request.causal or request.window is not None
    log_prior = request.log_prior if request.prior is None else torch.log(request.prior)
    if log_prior is not None and log_prior.dtype == torch.float64 and log_prior.numel() > 0:
        largest = log_prior.amax(-1, keepdim=True)
        log_prior = log_prior - torch.where(torch.isfinite(largest), largest, 0.0)
        log_prior = log_prior.to(torch.float32)  # which has its most digits near 0
    where, where_of = per_query(request.where, lead, device)
    log_prior, prior_of = per_query(log_prior, lead, device)
    return gpu_kernels().Sight(
        offset=for_each_head(request.offset if limited else n_k, lead, device),
        window=request.window,
        length=for_each_head(n_k if request.lengths is None else request.lengths, lead, device),
        where=where,
        where_of=where_of,
        log_prior=log_prior,
        prior_of=prior_of,
    )


def for_each_head(x, lead, device):
    """An integer, or one for each item of the first axis, as (heads,)."""
    if isinstance(x, numbers.Integral):  # to copy it to the GPU would be to wait
        return torch.full((math.prod(lead),), x, dtype=torch.int64, device=device)
    return x.to(torch.int64).expand(lead).reshape(math.prod(lead)).contiguous()


def per_query(x, lead, device):
    """A mask or log-prior as (m, n_q or 1, n_k or 1), or None; and for each head which of the m is its own."""
    if x is None:
        return None, for_each_head(0, lead, device)
    x, m = x.detach(), math.prod(x.shape[:-2])
    which = torch.arange(m, device=device).reshape(x.shape[:-2])
    return x.reshape(m, *x.shape[-2:]), for_each_head(which, lead, device)


@functools.cache
def _differentiable():
    class SparseAttentionOnGpu(torch.autograd.Function):
        """Output and gradient by the kernels; under create_graph=True it is by `as_defined`, if given."""

        @staticmethod
        def forward(ctx, q, k, v, options, as_defined):
            out, kept = gpu_kernels().attention_forward(*(x.detach() for x in (q, k, v)), *options)
            ctx.save_for_backward(q, k, v, *kept)
            ctx.options, ctx.as_defined = options, as_defined
            return out

        @staticmethod
        @quiet
        def backward(ctx, grad):
            (*inputs, state, active), wanted = ctx.saved_tensors, ctx.needs_input_grad
            if not torch.is_grad_enabled():
                return *gpu_kernels().attention_backward(*inputs, *ctx.options, (state, active), grad), None, None
            if ctx.as_defined is None:
                raise RuntimeError('path="fused" has first-order gradients alone; for more take path="readable"')
            some = list(itertools.compress(inputs, wanted))
            anew = iter(torch.autograd.grad(ctx.as_defined(*inputs), some, grad, create_graph=True))
            return tuple(next(anew) if want else None for want in wanted)

    return SparseAttentionOnGpu
