"""Entmax and sparsemax on a GPU, and attention by them; compiled by Triton.

The reference bodies, of entmax and of attention, say what is computed; these kernels are
tested against them. Nothing outside this folder imports Triton, and this folder is imported only when it is
first needed. Its functions are called as those of `lib.fast.cpu` are, with tensors.

Without a GPU, and with TRITON_INTERPRET=1 in the environment before Triton is imported, Triton's interpreter runs
the kernels on tensors in main memory: slowly, but it is how they are tested where there is no GPU.
"""

import contextlib

import torch
import triton
import triton.language as tl

from .attention import attend_queries, pull_back_keys, pull_back_queries
from .rows import pull_back_rows, weigh_rows
from .runs import why_unrecorded

__all__ = [
    "attention_backward",
    "attention_forward",
    "entmax_backward",
    "entmax_forward",
    "why_unrecorded",
]

LONGEST_BLOCK = 4096  # entries of a row that are worked on at once
ENTRIES_OF_A_WARP = 512
WIDEST = 256  # features of a query, key or value: a block of them must fit into the registers
QUERIES, KEYS = 64, 64  # in a tile; fewer where there are fewer, or where more is kept of each
SPANS = 512  # of keys at most, for each block of queries: whether there is weight on a span is kept
FEWEST = 16  # in each direction of a product, on a GPU


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


def attention_forward(q, k, v, alpha, beta, sight, dropout=0.0, seed=None):
    """Outputs of entmax attention: (heads, n_q, d), (kv heads, n_k, d), (kv heads, n_k, d_v) -> (heads, n_q, d_v).

    Head h uses kv head h // group. float32, bfloat16 or float16; beta (heads, n_q) float64; `sight` says who sees
    what, and with what log-prior; there is no dropout. Also returned is what `attention_backward` needs, in O(n)
    memory: 16 bytes for each query, and up to `SPANS` for each block of queries.
    """
    (heads, n_q, _), (_, n_k, d_v) = q.shape, v.shape
    out = q.new_zeros((heads, n_q, d_v))
    state = torch.empty((4, heads, n_q), dtype=torch.float32, device=q.device)
    tiles = tiles_of(q, v, sight)
    blocks, spans = triton.cdiv(n_q, tiles["M"]), triton.cdiv(n_k, tiles["N"] * span_of(n_k, tiles))
    active = torch.zeros((heads, blocks, spans), dtype=torch.uint8, device=q.device)
    if 0 not in (heads * n_q, v.numel()):
        arrays, sizes, constants = arguments(q, k, v, alpha, beta, sight, tiles)
        enough = 2e-6 if q.dtype == torch.float32 else 1e-4  # for a step: the next is about its square
        with on_device_of(q):
            attend_queries[(heads * blocks,)](*arrays, out, *state, active, *sizes, **constants, ENOUGH=enough)
    return out, (state, active)


def attention_backward(q, k, v, alpha, beta, sight, dropout, seed, kept, grad):
    """Carry `grad`, the gradient in the outputs, back to q, k and v; `kept` is from `attention_forward`."""
    state, active = kept
    dq, dk, dv = (torch.zeros_like(x, memory_format=torch.contiguous_format) for x in (q, k, v))
    if active.numel() > 0 and v.numel() > 0:
        tiles = tiles_of(q, v, sight)
        arrays, sizes, constants = arguments(q, k, v, alpha, beta, sight, tiles)
        given = *arrays, grad.contiguous(), *state, active, torch.empty_like(state[0])
        blocks, key_blocks = active.shape[0] * active.shape[1], len(k) * triton.cdiv(k.shape[1], tiles["N"])
        with on_device_of(q):
            pull_back_queries[(blocks,)](*given, dq, *sizes, **constants)
            pull_back_keys[(key_blocks,)](*given, dk, dv, *sizes, **constants)
    return dq, dk, dv


def arguments(q, k, v, alpha, beta, sight, tiles):
    """What the kernels of attention are all called with: arrays, sizes, constants."""
    q, k, v, beta, offset, length, where_of, prior_of = (
        x.contiguous() for x in (q, k, v, beta, sight.offset, sight.length, sight.where_of, sight.prior_of)
    )
    masks = [q.new_empty((1, 1, 0)) if x is None else x.contiguous() for x in (sight.where, sight.prior)]
    where, log_prior = masks[0].view(torch.uint8), masks[1].to(torch.float32)
    arrays = q, k, v, beta, offset, length, where, where_of, log_prior, prior_of
    sizes = q.shape[1], k.shape[1], q.shape[2], v.shape[2], len(q) // len(k), sight.window or 0
    constants = {"ALPHA": float(alpha), "WINDOWED": sight.window is not None}
    constants |= {"MASKED": sight.where is not None, "PRIOR": sight.prior is not None}
    sizes = *sizes, span_of(k.shape[1], tiles), *steps_of(where), *steps_of(log_prior)
    return arrays, sizes, constants | tiles


def span_of(n_k, tiles):
    """How many blocks of keys in a row share an entry of `active`: as few as its size allows."""
    return max(triton.cdiv(n_k, tiles["N"] * SPANS), 1)


def steps_of(x):
    """How far it is in memory from item to item, query to query and key to key; 0 where one is for all."""
    return [0 if size == 1 else step for size, step in zip(x.shape, x.stride(), strict=True)]


def tiles_of(q, v, sight):
    """The sizes of tiles, how many warps share one, and the dtype in which products are taken.

    It is that of the arrays on a GPU, and float32 in the interpreter, which has no arithmetic in bfloat16. What a
    program holds of keys and values has to fit into the memory that it shares, 99 KiB on the smallest GPUs.
    """
    widths = [max(triton.next_power_of_2(x.shape[-1]), FEWEST) for x in (q, v)]
    few = max(triton.next_power_of_2(q.shape[1]), FEWEST)
    whole, wide = q.dtype == torch.float32, max(widths) > 128
    much = wide or sight.where is not None or sight.prior is not None
    products = {torch.float32: tl.float32, torch.bfloat16: tl.bfloat16, torch.float16: tl.float16}[q.dtype]
    return {
        "M": max(min(QUERIES // (1 + whole), few), FEWEST),
        "N": max(KEYS // ((1 + (whole or much)) * (1 + (whole and wide))), FEWEST),
        "D": widths[0],
        "DV": widths[1],
        "PRODUCTS": products if q.is_cuda else tl.float32,
        "num_warps": 8 if whole or few >= QUERIES else 4,
    }


def blocks_of_row(n):
    """How many entries of a row are worked on at once, and how many warps of 32 threads share them."""
    block = min(triton.next_power_of_2(n), LONGEST_BLOCK)
    return {"BLOCK": block, "num_warps": min(max(block // ENTRIES_OF_A_WARP, 1), 8)}


def on_device_of(x):
    """Triton starts kernels on the current device, which need not be that of `x`."""
    return torch.cuda.device(x.device) if x.is_cuda else contextlib.nullcontext()
