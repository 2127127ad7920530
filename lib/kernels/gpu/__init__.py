"""Entmax and sparsemax on a GPU, and attention by them; compiled by Triton.

The readable bodies, `lib.sparse_maps` and the definition of attention, say what is computed; these kernels are
tested against them. Nothing outside this folder imports Triton, and this folder is imported only when it is
first needed. Its functions are called as those of `lib.kernels.cpu` are, with tensors.

Without a GPU, and with TRITON_INTERPRET=1 in the environment before Triton is imported, Triton's interpreter runs
the kernels on tensors in main memory: slowly, but it is how they are tested where there is no GPU.
"""

import contextlib

import torch
import triton

from lib.kernels.gpu.rows import pull_back_rows, weigh_rows

__all__ = ["entmax_backward", "entmax_forward"]

LONGEST_BLOCK = 4096  # entries of a row that are worked on at once
ENTRIES_OF_A_WARP = 512


def entmax_forward(scores, alpha, beta=1.0, where=None, prior=None):
    """Weights along the last axis, scores (rows, n) -> (rows, n), and the slopes (rows,) for `entmax_backward`.

    float32, bfloat16 or float16, which the weights are in too; 1.05 ≤ α ≤ 2, which is sparsemax; β is a number or
    has shape (rows,). `where` and `prior` have shape (k, n): row r uses their row r mod k. The prior need not be
    normalised. Any score will do, NaN and the infinities too; a NaN in β or the prior makes its rows NaN.
    """
    scores = scores.contiguous()
    rows, n = scores.shape
    weights = torch.empty_like(scores)
    slopes = torch.zeros(rows, dtype=torch.float32, device=scores.device)
    if scores.numel() > 0:
        none = scores.new_empty((1, 0))
        beta = torch.as_tensor(beta, dtype=torch.float64, device=scores.device).expand(rows).contiguous()
        where = none if where is None else where.contiguous().view(torch.uint8)
        log_prior = none if prior is None else torch.log(prior.to(torch.float64)).contiguous()
        with on_device_of(scores):
            weigh_rows[(rows,)](
                scores, beta, where, log_prior, weights, slopes, n, len(where), len(log_prior),
                ALPHA=float(alpha), MASKED=where.numel() > 0, PRIOR=log_prior.numel() > 0,
                EXACT=scores.dtype == torch.float32, **blocks_of_row(n),
            )  # fmt: skip
    return weights, slopes


def entmax_backward(weights, grad, alpha, slopes):
    """Carry `grad`, the gradient in the weights, (rows, n), back to the scores."""
    weights, grad = weights.contiguous(), grad.contiguous()
    out = torch.empty_like(weights)
    if weights.numel() > 0:
        rows, n = weights.shape
        with on_device_of(weights):
            pull_back_rows[(rows,)](weights, grad, slopes, out, n, ALPHA=float(alpha), **blocks_of_row(n))
    return out


def blocks_of_row(n):
    """How many entries of a row are worked on at once, and how many warps of 32 threads share them."""
    block = min(triton.next_power_of_2(n), LONGEST_BLOCK)
    return {"BLOCK": block, "num_warps": min(max(block // ENTRIES_OF_A_WARP, 1), 8)}


def on_device_of(x):
    """Triton starts kernels on the current device, which need not be that of `x`."""
    return torch.cuda.device(x.device) if x.is_cuda else contextlib.nullcontext()
