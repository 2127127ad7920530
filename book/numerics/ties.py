"""Attention in bfloat16 where tokens tie for the best: by how much of a gap its outputs are off, on average."""

import torch

from lib import attention, softmax


def rows(ties, same_sign=True, count=4000, rest=6, behind=12.0):
    """Scores of `ties` tokens at 0 and others far behind, and values of one sign, or of any: (count, n) each."""
    draws = torch.Generator().manual_seed(0)
    others = 0.5 * torch.randn(count, rest, generator=draws) - behind
    scores = torch.cat([torch.zeros(count, ties), others], dim=1).bfloat16()
    values = -1 - 3 * torch.rand(scores.shape, generator=draws)
    if not same_sign:
        values = values * torch.randint(0, 2, scores.shape, generator=draws).mul(2).sub(1)
    return scores, values.bfloat16()


def kept_product(scores, values):
    """The sum of exponentials times values, rounded to 16 bits before it is divided, and what it should be."""
    grown = scores.exp()
    return (grown.float() * values.float()).sum(-1).bfloat16(), (grown.double() * values.double()).sum(-1)


def by_lib(scores, values):
    """The output of lib.attention, with keys that are the scores, and what it should be."""
    q, k, v = torch.ones_like(scores[:, :1, None]), scores[..., None], values[..., None]  # (count, 1 or n, 1)
    return attention(q, k, v, beta=1.0).flatten(), (softmax(scores.double()) * values.double()).sum(-1)


def lean(found, wanted):
    """The mean error, as a part of the gap between neighbouring numbers of bfloat16 there; above 0 away from 0."""
    gap = 2.0 ** (wanted.abs().log2().floor() - 7)
    return float(((found.double() - wanted) * wanted.sign() / gap).mean())
