"""Sparsemax and entmax attention on a GPU: how `entmax_attention` calls the kernels by Triton.

No value is looked at: the program would wait for it.
"""

import math
import numbers

import torch

from lib._arrays import is_number
from lib.fast.kernels import kernels_for, why_no_kernels


def why_not(request):
    """Why the kernels cannot take these arrays, or should not unless path="fused" asks for them; or None."""
    if request.dropout:
        return "with dropout"
    if torch.compiler.is_compiling():
        return "while compiling"
    constants = request.beta, request.prior, request.log_prior
    reason = why_no_kernels(request.q, (request.q, request.k, request.v, request.where, *constants), constants)
    if reason is None and max(request.q.shape[-1], request.v.shape[-1]) > kernels_for(request.q).WIDEST:
        return f"with more than {kernels_for(request.q).WIDEST} features"
    if reason is None and request.path != "fused":
        return kernels_for(request.q).why_unrecorded(request.q.device)
    return reason


def options(request):
    """What the kernels take besides q, k, v and α."""
    return beta_of(request), sight_of(request)


def forward(q, k, v, *options):
    """The output, and the tensors that are kept for the gradient."""
    return kernels_for(q).attention_forward(q, k, v, *options)


def backward(q, k, v, *rest):
    return kernels_for(q).attention_backward(q, k, v, *rest)


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
    return kernels_for(request.q).Sight(
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
