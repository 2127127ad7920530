"""Torch's MultiheadAttention with a mask of floats, and the same by hand, with the mask added somewhere."""

import torch

from lib import attention

N, WIDTH, HEADS = 5, 6, 2


def made(seed):
    """Torch's module, an input (1, n, d_model), and a mask of each kind."""
    torch.manual_seed(seed)
    module = torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=True, dtype=torch.float64)
    masks = {"key_padding_mask": torch.randn(1, N).double(), "attn_mask": torch.randn(N, N).double()}
    return module, torch.randn(1, N, WIDTH).double(), masks


@torch.no_grad()
def by_heads(seed, kind):
    """What torch hands over with a mask of this kind."""
    module, h, masks = made(seed)
    return module(h, h, h, **{kind: masks[kind]})[0]


@torch.no_grad()
def by_hand(seed, kind, to):
    """The same with the mask added to the scores, the keys, the values or the weights."""
    module, h, masks = made(seed)
    mask = masks[kind]
    q, k, v = (h @ w.T for w in module.in_proj_weight.split(WIDTH))  # biases start at 0
    if to in ("keys", "values"):
        k, v = (k + mask[..., None], v) if to == "keys" else (k, v + mask[..., None])
    q, k, v = (x.view(1, N, HEADS, -1).transpose(1, 2) for x in (q, k, v))  # (1, heads, n, d)
    spread = mask[:, None, None, :] if kind == "key_padding_mask" else mask
    output = attention(q, k, v, log_prior=spread if to == "scores" else None)
    if to == "weights":
        output = output + spread @ v
    return output.transpose(1, 2).reshape(1, N, WIDTH) @ module.out_proj.weight.T
