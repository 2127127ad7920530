"""One call under one mask: decoding with grouped heads and padding, items of unequal lengths. And dropout."""

import functools
import itertools
import math

import numpy as np
import pytest
from attending import same, same_with_gradients, tensors
from needs_torch import torch

from lib import attention
from lib.fast import sdpa_plan

nan, inf = math.nan, math.inf


MASKS = {
    "keys of each item": (3, 1, 1, 7),
    "queries and keys": (4, 7),
    "heads, queries and keys": (6, 4, 7),
    "all": (3, 6, 4, 7),
    "keys of each head": (1, 6, 1, 7),
}


@pytest.mark.parametrize("n_q", [1, 4])
@pytest.mark.parametrize("prior", [None, (7,), (6, 1, 7), (4, 7)], ids=str)
@pytest.mark.parametrize("hidden", [nan, inf, 1e200])
@pytest.mark.parametrize("shape", MASKS.values(), ids=MASKS)
def test_grouped_heads_under_any_mask_are_as_defined_whatever_is_hidden(shape, hidden, prior, n_q):
    shape, prior = ([n_q if n == 4 else n for n in x] if x else x for x in (shape, prior))
    where = torch.rand(shape, generator=torch.Generator().manual_seed(0)) < 0.6
    where[..., 0, :] &= torch.arange(7) > 9  # the first query sees nothing
    where[..., [2, 5]] = False  # nobody sees these keys
    q, k, v = tensors((3, 6, n_q, 4), (3, 2, 7, 4), (3, 2, 7, 3))
    k[..., 2, :] = v[..., 5, :] = hidden
    inputs = [x.requires_grad_() for x in (q, k, v)]
    options = {} if prior is None else {"log_prior": tensors(prior, seed=1)[0]}
    attend = functools.partial(attention, *inputs, where=where, **options)
    same_with_gradients(lambda path: attend(path=path), inputs)
    with torch.no_grad():
        same(attend(path="fused"), attend(path="readable"))


def test_decoding_with_padding_neither_repeats_nor_copies_keys_and_values(kernel):
    q, k, v = tensors((3, 6, 1, 4), (3, 2, 7, 4), (3, 2, 7, 4))
    where = torch.arange(7) >= torch.tensor([0, 3, 6])[:, None, None, None]
    attention(q, k, v, where=where)
    (call,) = kernel
    assert call.k is k
    assert call.v is v
    assert call.mask.shape == (3, 1, 1, 7)
    v[1, :, 0] = nan
    kernel.clear()
    found = attention(q, k, v, where=where)
    assert [call.k is k for call in kernel] == [True, False]  # once as they are, and once blanked
    torch.testing.assert_close(found, attention(q, k, v, where=where, path="readable"))


@pytest.mark.parametrize("hidden", [nan, inf])
@pytest.mark.parametrize("prior", [None, torch.tensor([0, 1, 2, 0, 1, 3, 1])], ids=["", "prior"])
@pytest.mark.parametrize("order", [{}, {"causal": True}, {"window": 2}], ids=str)
@pytest.mark.parametrize("offset", [0, torch.tensor([3, -2, 0, 1, 5])], ids=["0", "offsets"])
def test_items_of_any_lengths_share_one_call(offset, order, prior, hidden, kernel):
    lengths = torch.tensor([4, 7, 0, 4, 2])
    q, k, v = tensors((5, 6, 7, 4), (5, 3, 7, 4), (5, 3, 7, 2))
    padding = torch.arange(7)[:, None] >= lengths[:, None, None, None]
    inputs = [x.requires_grad_() for x in (q, *(torch.where(padding, hidden, x) for x in (k, v)))]
    options = {"lengths": lengths, "offset": offset, "prior": prior, **order}
    same_with_gradients(lambda path: attention(*inputs, path=path, **options), inputs)
    assert len(kernel) == 1
    assert kernel[0].mask.shape[1] == 1  # one mask for all heads


def test_long_items_keep_calls_of_their_own(kernel, monkeypatch):
    monkeypatch.setattr(sdpa_plan, "FEW", 6 * 7 * 7)
    q, k, v = tensors((3, 6, 7, 4), (3, 6, 7, 4), (3, 6, 7, 4))
    attention(q, k, v, causal=True, lengths=torch.tensor([4, 7, 5]))
    assert len(kernel) >= 3  # the queries in the padding of an item apart
    assert all(call.mask is None for call in kernel)
    kernel.clear()
    monkeypatch.setattr(sdpa_plan, "FEW", 6 * 7 * 7 + 1)
    attention(q, k, v, causal=True, lengths=torch.tensor([4, 7, 5]))
    assert len(kernel) == 1


def test_a_cache_padded_on_either_side_gives_what_plain_arithmetic_gives():
    """Steps of one query, grouped heads: against each item alone in NumPy's float64."""
    rng, real, n = np.random.default_rng(0), np.array([3, 6, 1]), 9
    for left, step in itertools.product((True, False), range(3)):
        q, k, v = (rng.normal(size=(3, h, m, 4)) for h, m in ((6, 1), (2, n), (2, n)))
        have = real + step
        at = [np.arange(n - m, n) if left else np.arange(m) for m in have]
        for b in range(3):
            unused = np.setdiff1d(np.arange(n), at[b])
            k[b, :, unused] = v[b, :, unused] = nan
        if left:
            options = {"where": torch.arange(n) >= torch.tensor(n - have)[:, None, None, None]}
        else:
            lengths = torch.tensor(have)
            options = {"lengths": lengths, "offset": lengths - 1, "causal": True}
        found = attention(*map(torch.tensor, (q, k, v)), **options).numpy()
        for b, h in np.ndindex(3, 6):
            scores = k[b, h // 3, at[b]] @ q[b, h, 0] / 2
            weights = np.exp(scores - scores.max())
            right = weights @ v[b, h // 3, at[b]] / weights.sum()
            np.testing.assert_allclose(found[b, h, 0], right, rtol=1e-13, atol=1e-13)


# ---- dropout


def test_dropout_takes_the_kernel_unless_there_is_a_generator(kernel):
    q, k, v = tensors((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 4))
    torch.manual_seed(0)
    first = attention(q, k, v, dropout=0.4)
    assert len(kernel) == 1
    torch.manual_seed(0)
    torch.testing.assert_close(attention(q, k, v, dropout=0.4), first, rtol=0, atol=0)
    kernel.clear()
    drawn = [
        attention(q, k, v, dropout=0.4, generator=torch.Generator().manual_seed(1), path=path)
        for path in ("auto", "readable")
    ]
    torch.testing.assert_close(*drawn, rtol=1e-13, atol=1e-13)
    assert not kernel


def test_a_second_derivative_with_dropout_is_refused_when_it_is_taken_and_not_before():
    q, k, v = tensors((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 4), wanted=True)
    torch.manual_seed(0)
    plain = torch.autograd.grad(attention(q, k, v, dropout=0.4).sum(), q)[0]
    torch.manual_seed(0)
    (slope,) = torch.autograd.grad(attention(q, k, v, dropout=0.4).sum(), q, create_graph=True)
    torch.testing.assert_close(slope, plain)
    with pytest.raises(RuntimeError, match=r'dropout dropped; for one with dropout take path="readable"'):
        slope.sum().backward()
    (slope,) = torch.autograd.grad(attention(q, k, v, dropout=0.4, path="readable").sum(), q, create_graph=True)
    slope.sum().backward()
