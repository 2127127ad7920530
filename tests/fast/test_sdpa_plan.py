"""How softmax attention calls torch's kernel: what it plans, with which masks, and where no value may be read."""

import functools
import math

import numpy as np
import pytest
from attending import Lane, case, is_readable_too, same, same_with_gradients, tensors
from calls import named
from needs_torch import torch
from torch._subclasses import FakeTensorMode
from torch.autograd import grad
from torch.nn.attention import SDPBackend, sdpa_kernel

from lib import attention, causal_mask
from lib._request import checked
from lib.fast import sdpa_plan, sdpa_run

inf, nan = math.inf, math.nan
READABLE = Lane("torch-cpu", "readable")


def planned(*inputs, **options):
    """(queries, keys, and what limits who sees whom, if anything does) of each call."""
    calls = [call for group in sdpa_plan.plan(checked(*inputs, **options)).groups for call in group]
    limits = ["causal" if call.is_causal else call.mask and "mask" for call in calls]
    return [(call.q.shape[2], call.k.shape[2], limit) for call, limit in zip(calls, limits, strict=True)]


def per_item(*numbers):
    return torch.tensor(numbers)


def test_the_kernel_gets_little_or_no_mask_and_no_more_keys_than_a_block_of_queries_sees(monkeypatch):
    """In blocks of 4 queries or a window, and a call for each length and offset."""
    monkeypatch.setattr(sdpa_plan, "QUERIES", 4)
    monkeypatch.setattr(sdpa_plan, "FEW", 0)
    u, two, last = torch.ones(9), per_item(9, 6), {"offset": per_item(8, 5)}
    for n_q, n_k, options, expected in (
        (9, 9, {}, [(9, 9, None)]),
        (9, 9, {"causal": True, "log_prior": u}, [(9, 9, "causal")]),
        (9, 9, {"lengths": two}, [(9, 9, None), (9, 6, None)]),
        (9, 9, {"causal": True, "lengths": two, "prior": u}, [(9, 9, "causal"), (6, 6, "causal"), (3, 6, None)]),
        (1, 9, {"causal": True, "lengths": two, **last}, [(1, 9, None), (1, 6, None)]),
        (9, 5, {"causal": True, "offset": -2}, [(2, 0, None), (5, 5, "causal"), (2, 5, None)]),
        (9, 5, {"causal": True, "offset": 5}, [(9, 5, None)]),
        (9, 20, {"causal": True, "offset": 1}, [(4, 5, "mask"), (4, 9, "mask"), (1, 10, None)]),
        (9, 20, {"causal": True}, [(4, 15, "mask"), (4, 19, "mask"), (1, 20, None)]),
        (9, 9, {"window": 2}, [(4, 4, "mask"), (4, 5, "mask"), (1, 2, None)]),
        (13, 13, {"window": 6}, [(6, 6, "mask"), (6, 11, "mask"), (1, 6, None)]),
        (9, 9, {"window": 9}, [(9, 9, "causal")]),
        (1, 20, {"window": 3}, [(1, 3, None)]),
        (5, 3, {"window": 4, "offset": 1}, [(2, 3, "mask"), (2, 3, "mask"), (1, 1, None)]),
    ):
        inputs = tensors((2, 3, n_q, 2), (2, 3, n_k, 2), (2, 3, n_k, 2))
        with named(n_q, n_k, options):
            assert planned(*inputs, **options) == expected
            same(attention(*inputs, path="fused", **options), READABLE.raw(*inputs, **options))


def test_what_the_kernel_takes_as_it_is_is_neither_cut_nor_copied(kernel):
    """A cut or a copy costs memory, and once more in the gradient."""
    shapes = (2, 7, 6, 5), (2, 7, 3, 5), (2, 7, 3, 5), (2, 7, 6, 5)
    q, k, v, more = (x.transpose(1, 2) for x in tensors(*shapes))  # heads cut from one row, as models make them
    for options in (
        {},
        {"causal": True},
        {"causal": True, "offset": per_item(0, 0)},
        {"window": 7},
        {"lengths": per_item(7, 9)},
        {"causal": True, "lengths": per_item(7, 7)},
    ):
        for keys in (k, more):
            output = attention(q, keys, v, path="fused", **options)
            call = kernel.pop()
            assert not kernel, options
            assert call.q is q
            assert call.k is keys
            assert call.v is v if keys is k else call.v.shape == (2, 6, 7, 5)
            assert call.output is output
            assert call.mask is None
            assert call.options["enable_gqa"] == (keys is k)
            assert call.causal == ("causal" in options or "window" in options)


def test_the_kernel_gets_rows_without_gaps_of_one_width_and_shared_heads_as_they_are(kernel):
    u = tensors((7,))[0]
    attention(*(x.mT for x in tensors((2, 3, 5, 7), (2, 3, 5, 7), (2, 3, 5, 7))), path="fused")
    assert all(x.stride(-1) == 1 for x in kernel.pop()[:3])
    attention(*tensors((2, 6, 7, 5), (2, 3, 7, 5), (2, 3, 7, 5)), path="fused", causal=True, log_prior=u)
    call = kernel.pop()
    assert (call.k.shape[1], call.v.shape[1], call.mask) == (3, 3, None)
    for d, d_v, width, width_with_prior in ((11, 3, 16, 16), (3, 11, 16, 16), (7, 5, 8, 8), (8, 3, 8, 16)):
        inputs = tensors((2, 3, 5, d), (2, 3, 7, d), (2, 3, 7, d_v))
        for log_prior, expected in ((None, width), (u, width_with_prior)):
            same(attention(*inputs, log_prior=log_prior, path="fused"), READABLE.raw(*inputs, log_prior=log_prior))
            assert {x.shape[-1] for x in kernel.pop()[:3]} == {expected}
    for d, d_v, prior, width in ((20, 20, None, 24), (24, 24, None, 24), (14, 15, 1, 16), (15, 16, 1, 24)):
        given = [torch.ones(2, 24, 24, n, device="meta") for n in (d, d, d_v)]  # off the CPU
        output, call = result(*given, log_prior=prior and torch.zeros(24, device="meta")), kernel.pop()
        assert output.shape == (2, 24, 24, d_v)
        assert {x.shape[-1] for x in call[:3]} == {width}
        if d == width:  # what needs nothing is not copied
            assert all(x is y for x, y in zip(call[:3], given, strict=True))


def test_the_kernel_takes_any_beta_up_to_a_million_and_priors_of_a_wider_dtype(kernel):
    inputs = tensors((5, 2), (7, 2), (7, 3))
    for beta in (0.7, -0.7, 0.0, 1e6, -1e6, torch.tensor([[-0.7]]), torch.tensor([[1e6]])):
        expected = attention(*inputs, beta=beta, path="readable")
        for path in ("fused", "auto"):
            same(attention(*inputs, beta=beta, path=path), expected, 1e-8 if abs(beta) > 1 else 1e-13)
            assert kernel.pop()
            assert not kernel
    inputs = [x.float() for x in tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 3))]
    for options in (
        {"log_prior": tensors((7,))[0]},
        {"log_prior": tensors((5, 7))[0], "causal": True},
        {"prior": torch.arange(7, dtype=torch.float64)},
        {"beta": torch.tensor([[0.7]], dtype=torch.float64)},
    ):
        output = attention(*inputs, path="fused", **options)
        assert output.dtype == torch.float32
        torch.testing.assert_close(output, attention(*inputs, path="readable", **options))
        assert kernel.pop()


def test_the_fast_kernel_serves_widths_heads_strides_and_priors():
    """The CPU's flash kernel alone is allowed: it has no shapes of its own to fall back from."""
    q, k, v, u = tensors((2, 6, 7, 5), (2, 3, 7, 5), (2, 3, 7, 11), (7,), wanted=True)
    q1, k1, v1 = tensors((2, 7, 5), (2, 7, 5), (2, 7, 3))
    where = torch.ones(2, 1, 7, 7, dtype=torch.bool)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        for options in ({}, {"causal": True}, {"where": where}, {"log_prior": u}, {"window": 3}, {"beta": -0.7}):
            attention(q, k, v, path="fused", **options)
        attention(q1, k1.mT.contiguous().mT, v1, path="fused", causal=True)
        attention(q1[0], k1[0], v1[0], path="fused")
        attention(q[None], k[None], v[None], path="fused", lengths=per_item(5))


# ---- scores too large for it


def test_the_kernel_is_called_as_long_as_no_score_is_huge_however_large_the_arrays(kernel):
    """The square of 1e-24 is 0 in float32 and that of 1e30 infinite: neither hides what their product is."""
    q, k, v = tensors((2, 3, 53, 2), (2, 3, 61, 2), (2, 3, 61, 2))
    half = 2.0**25.5 * torch.ones(2, 3, 5, 1, dtype=torch.float64)  # scores of half of what is too large
    for inputs, beta, count in (
        ((1e5 * q, 1e5 * k, v), None, 1),
        ((q, 1e17 * k, v), None, 0),
        ((half, half, half), 1.0, 1),
    ):
        kernel.clear()
        attention(*inputs, beta=beta, path="fused")
        assert len(kernel) == count
    row = torch.tensor([1.0, -1.0, 0.5])
    for tiny, huge, count in ((1e-24, 1e18, 1), (1e-24, 1e30, 0), (1e-6, 1e18, 0)):
        kernel.clear()
        output = attention(
            tiny * torch.ones(1, 1, 2, 3), huge * row[:, None] * torch.ones(3, 3), torch.eye(3), beta=1e6
        )
        assert len(kernel) == count
        scores = 3e6 * tiny * huge * row.double()
        torch.testing.assert_close(output[0, 0].double(), (scores - scores.max()).softmax(-1).expand(2, 3))
    q, k, v = tensors((5, 2), (7, 2), (7, 2))
    same(attention(1e20 * q, 1e20 * k, v, beta=1e-40, path="fused"), attention(q, k, v, beta=1.0), 1e-12)


@pytest.mark.parametrize("shape", [(2, 1, 1, 9), (9,)])
def test_where_values_can_be_read_a_prior_of_zero_is_not_taken_for_a_huge_score(shape, kernel):
    q, k, v = (x.float() for x in tensors((2, 3, 9, 2), (2, 3, 9, 2), (2, 3, 9, 2)))
    prior = (torch.arange(9) % 3).float().expand(shape)
    want = attention(q, k, v, prior=prior, causal=True, path="readable")
    torch.testing.assert_close(attention(q, k, v, prior=prior, causal=True, path="fused"), want)
    assert [(call.mask, call.causal) for call in kernel] == [(None, True)]
    kernel.clear()
    for feature in (0, 1):
        huge = torch.where(torch.arange(2) == feature, 1e6, 1.0)
        attention(huge * q, huge * k, v, prior=prior, causal=True, path="fused")
    assert not kernel


# ---- masks


@pytest.mark.parametrize("prior", [{}, {"log_prior": tensors((5, 7))[0]}, {"prior": torch.arange(7.0)}], ids=str)
def test_the_kernel_is_shown_no_row_in_which_nothing_is_left(prior, kernel):
    """What it makes of such a row depends on the device and the version of torch."""
    where = causal_mask(5, 7, offset=torch.tensor(-2)) & (torch.arange(7) != 1)
    output = attention(*tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 2)), where=where, path="fused", **prior)
    (call,) = kernel
    left = call.mask if call.mask.dtype == torch.bool else call.mask > -inf
    assert left.any(-1).all()
    blind = 4 if "prior" in prior else 2
    assert (output[:, :, :blind] == 0).all()
    assert (output[:, :, blind:] != 0).all()


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
    output = attention(q, k, v, where=where)
    assert [call.k is k for call in kernel] == [True, False]  # once as they are, and once blanked
    torch.testing.assert_close(output, attention(q, k, v, where=where, path="readable"))


@pytest.mark.parametrize("order", [{}, {"causal": True}, {"window": 2}], ids=str)
@pytest.mark.parametrize("offset", [0, torch.tensor([3, -2, 0, 1, 5])], ids=["0", "offsets"])
def test_short_items_of_any_lengths_share_one_call(offset, order, kernel):
    lengths = torch.tensor([4, 7, 0, 4, 2])
    q, k, v = tensors((5, 6, 7, 4), (5, 3, 7, 4), (5, 3, 7, 2))
    padding = torch.arange(7)[:, None] >= lengths[:, None, None, None]
    for hidden in (nan, inf):
        for prior in (None, torch.tensor([0, 1, 2, 0, 1, 3, 1])):
            inputs = [x.requires_grad_() for x in (q, *(torch.where(padding, hidden, x.detach()) for x in (k, v)))]
            options = {"lengths": lengths, "offset": offset, "prior": prior, **order}
            attend = functools.partial(attention, *inputs, **options)
            same_with_gradients(lambda path, attend=attend: attend(path=path), inputs)
            (call,) = kernel
            assert call.mask.shape[1] == 1  # one mask for all heads
            kernel.clear()


def test_long_items_keep_calls_of_their_own(monkeypatch):
    inputs = tensors((3, 6, 7, 4), (3, 6, 7, 4), (3, 6, 7, 4))
    for few, expected in ((6 * 7 * 7, 3), (6 * 7 * 7 + 1, 1)):
        monkeypatch.setattr(sdpa_plan, "FEW", few)
        calls = planned(*inputs, causal=True, lengths=torch.tensor([4, 7, 5]))
        assert all(limit != "mask" for *_, limit in calls) == (expected == 3)
        assert len(calls) >= expected if expected == 3 else len(calls) == 1


@pytest.mark.parametrize("structure", [{}, {"causal": True}])
@pytest.mark.parametrize("wanted", [True, False])
def test_a_mask_wants_a_gradient_only_if_its_prior_does(structure, wanted, kernel):
    """For one that wants none the kernel is as fast as torch's own, and keeps no weights."""
    inputs = tensors((1, 2, 7, 4), (1, 2, 7, 4), (1, 2, 7, 4), wanted=True)
    log_prior = tensors((7, 7), seed=4)[0].requires_grad_(wanted)
    attention(*inputs, log_prior=log_prior, path="fused", **structure).sum().backward()
    (call,) = kernel
    assert call.mask.requires_grad == wanted
    assert ("FlashAttention" in call.output.grad_fn.name()) != wanted
    attention(inputs[0], *(x.detach() for x in inputs[1:]), path="fused")
    assert [x.requires_grad for x in kernel[-1][:3]] == [True, False, False]


def kept_for_the_gradient(attend):
    """Bytes of the tensors that autograd keeps, each counted once."""
    kept = {}
    pack = lambda x: kept.update({x.untyped_storage()._cdata: x}) or x  # noqa: E731 — held, so that none is freed
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        attend()
    return sum(x.untyped_storage().nbytes() for x in kept.values())


def in_pieces(monkeypatch, least, entries=1):
    """Masks for so few queries at a time."""
    monkeypatch.setattr(sdpa_plan, "MASK", entries)
    monkeypatch.setattr(sdpa_plan, "LEAST", least)


def test_pieces_of_a_mask_do_not_each_keep_the_keys(monkeypatch):
    q, k, v = tensors((1, 8, 256, 16), (1, 2, 256, 16), (1, 2, 256, 16), wanted=True)
    where = torch.rand(256, 256, generator=torch.Generator().manual_seed(0)) < 0.5
    whole = kept_for_the_gradient(lambda: attention(q, k, v, where=where, path="fused"))
    in_pieces(monkeypatch, 16)
    pieces = kept_for_the_gradient(lambda: attention(q, k, v, where=where, path="fused"))
    assert pieces < 1.2 * whole


# ---- where nobody looks: on a GPU, and on devices that only others know


@pytest.fixture
def unread(monkeypatch):
    """Values of tensors are not read, as on a GPU."""
    for module in (sdpa_run, sdpa_plan):
        monkeypatch.setattr(module, "known_true", lambda condition: False)
        monkeypatch.setattr(module, "can_read", lambda x: not isinstance(x, torch.Tensor))


@pytest.fixture
def half(monkeypatch):
    """Half precision stays what it is, as on a GPU."""
    monkeypatch.setattr(sdpa_plan, "kernels_dtype", lambda request: request.dtype)


def result(*inputs, **options):
    return sdpa_run.result(checked(*inputs, **options), pytest.fail)[0]


@pytest.mark.parametrize("seed", range(61))
def test_values_and_gradients_are_those_of_the_readable_path_where_no_value_is_read(seed, unread, monkeypatch):
    """Whatever stands in keys and values that no query sees; with a mask for all queries, or for two at a time."""
    (q, k, v), options, _, _ = case(seed)
    if seed % 2:
        in_pieces(monkeypatch, 2)
    given = {name: torch.tensor(x) if isinstance(x, np.ndarray) else x for name, x in options.items()}
    mask = checked(*map(torch.tensor, (q, k, v)), **given).mask()
    if mask is not None:
        unseen = ~(mask & torch.ones(*q.shape[:3], k.shape[2]).bool()).any(2).any(1).numpy()[:, None, :, None]
        k, v = np.where(unseen, nan, k), np.where(unseen, inf, v)
    is_readable_too((q, k, v), **options)


@pytest.mark.parametrize("entries", [1, 40, 150, 10**6])
def test_masks_come_a_few_queries_at_a_time(entries, kernel, monkeypatch, unread):
    in_pieces(monkeypatch, 1, entries)
    for options, each in (  # and the entries that a query has in its mask
        ({"causal": True, "offset": per_item(2, 0, -3)}, 3 * 7),
        ({"causal": True, "where": torch.arange(7) % 3 > 0}, 7),
        ({"log_prior": tensors((2, 6, 7), seed=3)[0]}, 2 * 7),
        ({"where": torch.arange(7) % 3 > 0}, 6 * 7),  # one row for all, in one piece
    ):
        attention(*tensors((3, 2, 6, 2), (3, 1, 7, 2), (3, 2, 7, 3)), path="fused", **options)
        at_once = 6 if entries >= 3 * 2 * 6 * 7 or each == 6 * 7 else min(6, max(1, entries // each))
        assert [call.sizes[0] for call in kernel] == [min(at_once, 6 - n) for n in range(0, 6, at_once)]
        kernel.clear()


@pytest.mark.parametrize("n_q", [1, 5, 7, 9])
@pytest.mark.parametrize("order", [{"causal": True}, {"window": 2}, {"window": 3, "causal": True}, {}], ids=str)
def test_lengths_that_are_not_read_need_no_mask_of_their_own(n_q, order, kernel, unread):
    lengths = torch.tensor([7, 4, 0, 99, -1])
    q, k, v = tensors((5, 6, n_q, 2), (5, 3, 7, 2), (5, 3, 7, 3))
    padding = torch.arange(7)[:, None] >= lengths[:, None, None, None]
    for offset in (None, 0, 3, -2, -8, 9):
        for in_keys, in_values in ((nan, inf), (inf, 0.5)):
            arrays = q.detach(), torch.where(padding, in_keys, k), torch.where(padding, in_values, v)
            inputs = [x.requires_grad_() for x in arrays]
            options = {"lengths": lengths, "offset": 7 - n_q if offset is None and n_q < 7 else offset, **order}
            same_with_gradients(lambda path, x=inputs, o=options: attention(*x, path=path, **o), inputs)
    assert all(call.mask is None or call.mask.ndim == 2 for call in kernel)  # one for all the batch


@pytest.mark.parametrize("lengths", [None, torch.tensor([7, 3, 0])])
@pytest.mark.parametrize("shape", [(7,), (3, 1, 1, 7), (6, 1, 7)])
@pytest.mark.parametrize("read", [True, False])
def test_keys_whose_prior_is_zero_need_no_mask_of_their_own(read, shape, lengths, kernel, request, monkeypatch):
    """Also for queries that see no other key, which may be NaN; a log-prior of −inf is the same."""
    monkeypatch.setattr(sdpa_plan, "FEW", 0)
    if not read:
        request.getfixturevalue("unread")
    for order in ({}, {"causal": True}, {"window": 1}, {"window": 2}, {"causal": True, "offset": 1}):
        q, k, v, log_prior = tensors((3, 6, 7, 2), (3, 3, 7, 2), (3, 3, 7, 3), shape)
        log_prior[..., [0, 1, 4]] = -inf
        mask = checked(q, k, v, log_prior=log_prior, lengths=lengths, **order).mask()
        q = torch.where(mask.any(-1, keepdim=True), q, nan)
        k[..., 4, :], v[..., [0, 4], :] = nan, inf
        inputs = [x.requires_grad_() for x in (q, k, v)]
        for name, prior in (("log_prior", log_prior), ("prior", log_prior.exp())):
            options = {name: prior.requires_grad_(), "lengths": lengths, **order}
            with named(options):
                same_with_gradients(
                    lambda path, x=inputs, o=options: attention(*x, path=path, **o), [*inputs, prior]
                )
    assert len(kernel) >= 10
    assert all(call.mask is None or call.mask.ndim == 2 for call in kernel)


@pytest.mark.parametrize("beta", [1e6, 1.0, 1e-20, -1e6, torch.tensor(1e6)])
@pytest.mark.parametrize("factor", [1.0, 30.0])
def test_a_hidden_key_has_no_weight_however_low_the_other_scores_are(beta, factor, unread):
    """And a row of hidden keys alone gives 0, not NaN, where β times the lowest number would be infinite."""
    q, k, v = (x.float() for x in tensors((2, 3, 7, 4), (2, 3, 7, 4), (2, 3, 7, 2)))
    k = -q * (1 if beta > 0 else -1) * factor
    prior = torch.tensor([0.0, 0, 1, 1, 0, 1, 1])
    inputs = [x.requires_grad_() for x in (q, k.detach().clone(), v)]
    output = attention(*inputs, beta=beta, prior=prior, causal=True, path="fused")
    want = attention(*(x.double() for x in inputs), beta=beta, prior=prior, causal=True, path="readable")
    assert (output[..., :2, :] == 0).all()
    torch.testing.assert_close(output.double(), want, rtol=1e-4, atol=1e-5 * max(1.0, abs(float(beta)) * 1e-4))
    assert all(slope.isfinite().all() for slope in grad(output.sum(), inputs))


LOWEST = torch.finfo(torch.float32).min


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    "log_prior", [[LOWEST, LOWEST, 0, 1, 0], [-inf, -3e37, 0, 0, -3e37], [-inf, -1e30, 0, 0, LOWEST]]
)
def test_a_key_of_the_lowest_prior_is_not_a_hidden_one(log_prior, dtype, half, unread):
    """Such a log-prior stands for −inf in many a program; but a query that sees no other key takes these."""
    log_prior = torch.tensor(log_prior)
    for width in (4, 64):
        arrays = [x.to(dtype) for x in tensors((5, width), (5, width), (5, 3))]
        got = attention(*arrays, log_prior=log_prior, causal=True, path="fused")
        want = attention(*(x.double() for x in arrays), log_prior=log_prior.double(), causal=True, path="readable")
        several = (log_prior == LOWEST)[:2].all()  # their scores are lost beside such a number, whoever computes
        rows = slice(2 if several else 0, None)
        assert got.isfinite().all()
        torch.testing.assert_close(got[rows].double(), want[rows], rtol=0, atol=4 * torch.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_score_of_a_hidden_key_is_the_same_however_it_is_multiplied(dtype, kernel, half, unread):
    """A power of 2: with a product rounded or not, a row of nothing else has weights that sum to 1."""
    inputs = [x.to(dtype) for x in tensors((5, 4), (5, 4), (5, 3))]
    for beta in (0.3, 1.0, 7.0, 1e6):
        attention(*inputs, beta=beta, lengths=None, prior=torch.arange(5) % 2, path="fused")
        low = kernel.pop().k[0, 0, 0].amin().item()
        assert math.log2(-low).is_integer()
        assert -torch.finfo(dtype).max / 3 < low * max(1, beta) < -torch.finfo(dtype).max / 32


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_off_the_cpu_only_float16_hides_keys_by_a_mask(dtype, kernel):
    """Its lowest number is not below every score. The others take up to three more features, filled up to 8.

    On torch's device "meta": tensors of which all but the values is there.
    """
    q, k, v = (torch.ones(2, 3, 7, 8, dtype=dtype, device="meta") for _ in range(3))
    for name, shape, of in (("lengths", (2,), torch.int64), ("log_prior", (7,), torch.float32)):
        output = result(q, k, v, causal=True, **{name: torch.ones(shape, dtype=of, device="meta")})
        call, masked = kernel.pop(), dtype == torch.float16
        assert (call.mask is not None, call.causal, call.q.shape[-1]) == (masked, not masked, 8 if masked else 16)
        assert {x.dtype for x in (*call[:3], output)} == {dtype}


def test_in_half_precision_priors_keep_their_digits_and_an_array_beta_is_not_rounded_by_itself(half, kernel):
    """Far keys are less probable, written so that later keys, which are not seen, have the largest numbers."""
    n = 1024
    log_prior = 0.5 * (torch.arange(n) - torch.arange(n)[:, None])
    for dtype in (torch.bfloat16, torch.float16):
        arrays = [x.to(dtype) for x in tensors((n, 8), (n, 8), (n, 8))]
        got = attention(*arrays, log_prior=log_prior, causal=True, path="fused")
        want = attention(*(x.double() for x in arrays), log_prior=log_prior.double(), causal=True, path="readable")
        torch.testing.assert_close(got.double(), want, rtol=0, atol=8 * torch.finfo(dtype).eps)
    q, k, v = (x.bfloat16() for x in tensors((5, 8), (5, 8), (5, 8)))
    attention(q, k, v, beta=torch.tensor(0.1), path="fused")
    assert (kernel[-1].q[0, 0] == (q.float() * 0.1).bfloat16()).all()
    assert kernel[-1].q.dtype == torch.bfloat16


def test_of_a_fake_tensor_no_value_is_read_and_one_of_a_gpu_keeps_its_half_precision(kernel):
    with FakeTensorMode():  # of a GPU's tensors all but the values, on any machine
        q, k, v = (torch.ones(2, 3, 7, 8) for _ in range(3))
        for options in ({"lengths": torch.ones(2).long()}, {"offset": torch.ones(2).long(), "causal": True}):
            assert attention(q, k, v, path="fused", **options).shape == (2, 3, 7, 8)
        q, k, v = (torch.ones(2, 3, n, 8, dtype=torch.bfloat16, device="cuda") for n in (5, 7, 7))
        output = attention(q, k, v, path="fused")
    assert {x.dtype for x in (*kernel[-1][:3], output)} == {torch.bfloat16}
    assert output.device.type == "cuda"


def test_an_array_beta_that_cannot_be_looked_at_may_be_infinite(monkeypatch):
    inputs = tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 2))
    beta = torch.tensor([0.7, inf, -inf], dtype=torch.float64).reshape(3, 1, 1)
    expected = attention(*inputs, beta=beta, path="readable")
    monkeypatch.setattr(sdpa_plan, "known_true", lambda condition: False)
    same(attention(*inputs, beta=beta), expected)


def test_where_a_graph_is_made_no_value_is_looked_at(kernel, monkeypatch):
    """So padding is hidden by one more feature; "auto" does without the kernel: the scores may be too large."""
    inputs, lengths = tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 2)), torch.tensor([5, 0])
    expected = attention(*inputs, lengths=lengths, path="readable")
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    same(attention(*inputs, lengths=lengths), expected)
    assert not kernel
    same(attention(*inputs, lengths=lengths, path="fused"), expected)
    assert [(call.q.shape[-1], call.mask) for call in kernel] == [(8, None)]
