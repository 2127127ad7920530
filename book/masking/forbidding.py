"""Ways in which code forbids keys, and what a loss makes of them."""

import math

import torch
from torch.nn.functional import scaled_dot_product_attention

from lib import attention


def with_added(q, k, v, keep, value=-torch.inf):
    """Attention in torch, with `value` added to the scores of forbidden keys."""
    scores = q @ k.mT / q.shape[-1] ** 0.5
    return torch.softmax(scores + torch.zeros_like(scores).masked_fill(~keep, value), -1) @ v


def with_filled(q, k, v, keep, value=-torch.inf):
    """Attention in torch, with the scores of forbidden keys replaced by `value`."""
    scores = q @ k.mT / q.shape[-1] ** 0.5
    return torch.softmax(scores.masked_fill(~keep, value), -1) @ v


def by_torch(q, k, v, keep):
    """Attention by torch's own function, which wants two axes more."""
    return scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], attn_mask=keep)[0, 0]


def by_lib(q, k, v, keep):
    """Attention by `lib`."""
    return attention(q, k, v, where=keep)


def mended(Q, K, V, mask):  # mask: boolean, True = takes part
    """Attention as a text prints it, mended; zeros where nothing is left."""
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])  # (..., n_q, n_k)
    scores = scores.masked_fill(~mask, -torch.inf)
    top = scores.detach().amax(-1, keepdim=True)  # (..., n_q, 1)
    grown = torch.exp(scores - top.masked_fill(top == -torch.inf, 0))
    Z = grown.sum(-1, keepdim=True)  # (..., n_q, 1), 0 for an empty row
    weights = grown / Z.masked_fill(Z == 0, 1)  # 0/1 in an empty row
    return weights @ V, weights


def gradients(attend, read, keep, *, spoilt=None, d=4, seed=0):
    """Outputs that a loss reads, and the gradients of W_Q, W_K and W_V: tokens (n, d), matrices (d, d).

    The loss is the squared length of the outputs of the queries `read`. The keys and values of the tokens
    `spoilt`, if given, are NaN, as memory may be that nobody has written to.
    """
    draw = torch.Generator().manual_seed(seed)
    n = keep.shape[-1]
    h = torch.randn(n, d, generator=draw, dtype=torch.float64)
    matrices = torch.randn(3, d, d, generator=draw, dtype=torch.float64).unbind()
    for matrix in matrices:
        matrix.requires_grad_()
    q, k, v = (h @ matrix for matrix in matrices)
    if spoilt is not None:
        bad = torch.zeros(n, 1, dtype=torch.bool)
        bad[spoilt] = True
        k, v = (x.masked_fill(bad, torch.nan) for x in (k, v))
    output = attend(q, k, v, keep)[read]
    (output**2).sum().backward()
    return output.detach(), torch.stack([matrix.grad for matrix in matrices])
