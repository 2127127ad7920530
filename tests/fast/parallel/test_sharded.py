"""Attention over several processes is that of one: values, gradients, awkward inputs; what is sent; the end."""

import math
import os
import re
import signal
import subprocess
import sys
import time
import weakref
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
import torch
import torch.distributed as dist
from processes import LOOPBACK, on
from torch.utils._python_dispatch import TorchDispatchMode

import lib
from lib import sharded

ROOT = Path(__file__).parents[3]
inf, nan = math.inf, math.nan
N_Q, N_K = 29, 31
# How many queries and keys each process has, by the number of processes: uneven, and some have none.
QUERIES = {1: [29], 2: [20, 9], 3: [13, 1, 15]}
KEYS = {1: [31], 2: [14, 17], 3: [0, 19, 12]}


def normal(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def qkv(seed=0, d=3, d_v=5, n_q=N_Q, n_k=N_K):
    """Two batch items, and four heads of q to two of k and v."""
    return [
        normal(2, h, n, d, seed=seed + i) for i, (h, n, d) in enumerate(((4, n_q, d), (2, n_k, d), (2, n_k, d_v)))
    ]


def own(x, sizes, rank, axis=-2):
    """The piece of a tensor that a process holds, as a leaf of its own."""
    return x.split(sizes, axis)[rank].detach().clone()


def shard(name, x, rank, size):
    """The piece of an argument for one process."""
    queries, keys = QUERIES[size], KEYS[size]
    if name in ("k", "v"):
        return own(x, keys, rank)
    if name in ("prior", "log_prior") and x.shape[-1] > 1:
        return own(x, keys, rank, axis=-1)
    if name == "q" or (name == "beta" and torch.is_tensor(x) and x.shape[-2] > 1):
        return own(x, queries, rank)
    return x.detach().clone() if torch.is_tensor(x) else x


def leaves(arguments):
    """The arguments, those that can want a gradient wanting one."""
    return {
        name: x.detach().clone().requires_grad_() if torch.is_tensor(x) and x.is_floating_point() else x
        for name, x in arguments.items()
    }


def pieces(rank, size, **arguments):
    """The arguments of one process."""
    return {name: shard(name, x, rank, size) for name, x in arguments.items()}


def as_leaves(rank, size, **arguments):
    """The arguments of one process, those that can want a gradient wanting one."""
    return leaves(pieces(rank, size, **arguments))


def inputs():
    """q, k and v by name."""
    return dict(zip("qkv", qkv(), strict=True))


def compare(rank, size, arguments, tol=1e-13):
    """Output and gradients of this process are the pieces of those of one process, to `tol`."""
    whole = leaves(arguments)
    output = lib.attention(**whole, path="readable")
    direction = normal(*output.shape, seed=9)
    wanted = [name for name, x in whole.items() if torch.is_tensor(x) and x.requires_grad]
    expected = torch.autograd.grad(output, [whole[name] for name in wanted], direction)
    mine = as_leaves(rank, size, **arguments)
    got = sharded.attention(**mine)
    torch.testing.assert_close(got, own(output, QUERIES[size], rank), rtol=tol, atol=tol)
    grads = torch.autograd.grad(got, [mine[name] for name in wanted], own(direction, QUERIES[size], rank))
    for name, slope, of_whole in zip(wanted, grads, expected, strict=True):
        shared = {"beta": -2, "log_prior": -1}
        if name in shared and arguments[name].shape[shared[name]] == 1:
            dist.all_reduce(slope)  # as for any parameter of which each process has a copy
        else:
            of_whole = shard(name, of_whole, rank, size)
        torch.testing.assert_close(slope, of_whole, rtol=tol, atol=4 * tol, msg=lambda m, n=name: f"{n}: {m}")


# ---- equal to one process


def zeros_in_front(n, x):
    return torch.cat([torch.full((n,), 0.0), x]).double()


CASES = {
    "plain": {},
    "causal": {"causal": True},
    "window of 1": {"window": 1},
    "window of 6": {"window": 6},
    "window wider than a piece": {"window": 25, "causal": True},
    "lengths": {"lengths": torch.tensor([31, 13])},
    "lengths of nothing and more than all": {"lengths": torch.tensor([-2, 40])},
    "offset": {"causal": True, "offset": -4},
    "an offset for each item": {"window": 9, "offset": torch.tensor([-3, 7])},
    "a window that ends in padding": {"window": 9, "offset": 10, "lengths": torch.tensor([29, 16])},
    "negative beta": {"beta": -0.6, "causal": True},
    "beta 0": {"beta": 0.0, "lengths": torch.tensor([20, 3])},
    "beta per head": {"beta": normal(4, 1, 1), "causal": True},
    "beta per query": {"beta": normal(2, 1, N_Q, 1), "window": 12},
    "prior": {"prior": normal(N_K).exp(), "causal": True},
    "prior of 0 for whole pieces": {"prior": zeros_in_front(19, normal(12).exp())},
    "log-prior per head": {"log_prior": 3 * normal(4, 1, N_K), "beta": normal(4, 1, 1).abs()},
    "one log-prior for all keys": {"log_prior": normal(2, 1, 1, 1)},
    "all at once": {
        "causal": True,
        "window": 17,
        "lengths": torch.tensor([22, 29]),
        "offset": torch.tensor([1, -6]),
        "beta": normal(4, 1, 1),
        "log_prior": normal(2, 1, 1, N_K),
    },
}


@on(2, 3, case=CASES)
def test_it_is_attention_of_one_process(rank, size, case):
    compare(rank, size, inputs() | CASES[case])


@on(3, case=["causal", "window of 6", "an offset for each item", "beta per query", "all at once"])
def test_in_however_many_blocks_it_is_computed(rank, size, case):
    with patch.object(sharded, "AT_ONCE", 8 * 19 * 2):  # two queries at a time, or a few
        compare(rank, size, inputs() | CASES[case])


@on(1, 2, 3, case=["plain", "window of 6", "prior of 0 for whole pieces", "all at once"])
def test_in_however_many_rounds_the_keys_go(rank, size, case):
    with patch.object(sharded, "PART", 5), patch.object(sharded, "AT_ONCE", 8 * 19 * 2):
        compare(rank, size, inputs() | CASES[case])


@on(2, 3)
def test_leading_axes_broadcast(rank, size):
    q, k, v = normal(3, 2, N_Q, 3), normal(1, N_K, 3), normal(3, 1, N_K, 4)
    for arrays in ((q, k, v), (q[0, 0], k[0], v[0, 0]), (q[:, 0], k, v[:, 0]), (q[:0], k, v[:0])):
        compare(rank, size, dict(zip("qkv", arrays, strict=True)) | {"causal": True})


@on(3)
def test_a_group_of_some_processes(rank, size):
    group = dist.new_group([2, 1])
    if rank > 0:
        q, k, v = qkv()
        place = dist.get_rank(group)
        mine = [own(x, sizes, place) for x, sizes in ((q, QUERIES[2]), (k, KEYS[2]), (v, KEYS[2]))]
        got = sharded.attention(*mine, causal=True, group=group)
        torch.testing.assert_close(got, own(lib.attention(q, k, v, causal=True), QUERIES[2], place))
    dist.barrier()
    dist.destroy_process_group(group) if rank > 0 else None


@on(2, 3, case=["float32", "bfloat16", "float16"])
def test_half_precision_is_computed_in_float32(rank, size, case):
    """On the rounded inputs each output and gradient is rounded once, by half an eps."""
    dtype = getattr(torch, case)
    rounded = {name: x.to(dtype) for name, x in inputs().items()}
    rounded |= {"prior": normal(N_K).exp().to(dtype), "beta": normal(4, 1, 1).to(dtype)}
    exact = {name: x.double() for name, x in rounded.items()}
    half, single = 0.5 * torch.finfo(dtype).eps, 50 * torch.finfo(torch.float32).eps
    whole = leaves(exact)
    output = lib.attention(**whole, causal=True, path="readable")
    output.backward(torch.ones_like(output))
    mine = as_leaves(rank, size, **rounded)
    got = sharded.attention(**mine, causal=True)
    assert got.dtype == dtype
    got.backward(torch.ones_like(got))
    pairs = [(got, own(output, QUERIES[size], rank))]
    pairs += [(mine[name].grad, shard(name, whole[name].grad, rank, size)) for name in ("q", "k", "v", "prior")]
    for actual, expected in pairs:
        assert actual.dtype == dtype
        largest = expected.abs().max().item() if expected.numel() else 1
        torch.testing.assert_close(actual.double(), expected, rtol=half + single, atol=single * max(1, largest))


@on(2, case=["bfloat16", "float16"])
def test_under_autocast_the_output_alone_is_rounded(rank, size, case):
    """Forward and backward within it; the gradients are of float32 accuracy."""
    dtype = getattr(torch, case)
    single = {name: x.float() for name, x in inputs().items()}
    whole = leaves({name: x.double() for name, x in single.items()})
    output = lib.attention(**whole, causal=True, path="readable")
    output.backward(torch.ones_like(output))
    mine = as_leaves(rank, size, **single)
    with torch.autocast("cpu", dtype):
        got = sharded.attention(**mine, causal=True)
        got.backward(torch.ones_like(got))
    assert got.dtype == dtype
    half = 0.5 * torch.finfo(dtype).eps + 1e-5
    torch.testing.assert_close(got.double(), own(output, QUERIES[size], rank), rtol=half, atol=1e-5)
    for name in "qkv":
        expected = shard(name, whole[name].grad, rank, size)
        torch.testing.assert_close(mine[name].grad.double(), expected, rtol=1e-5, atol=2e-5)


# ---- awkward inputs


def is_that_of_one(rank, size, q, k, v, rtol=1e-13, atol=None, **options):
    """What this process gets is what `lib.attention` gives for its queries, NaN where that is NaN."""
    got = sharded.attention(**pieces(rank, size, q=q, k=k, v=v, **options))
    expected = own(lib.attention(q, k, v, path="readable", **options), QUERIES[size], rank)
    torch.testing.assert_close(got, expected, rtol=rtol, atol=rtol if atol is None else atol, equal_nan=True)
    return got


@on(2, 3, case=[inf, -inf])
def test_the_limits_of_beta_share_ties_in_all_pieces(rank, size, case):
    q, k, v = normal(N_Q, 1).sign() * 2, torch.ones(N_K, 1).double(), normal(N_K, 4)
    k[[1, 5, 8]], k[[2, 20, 30]] = 7.0, -7.0
    for options in ({}, {"prior": normal(N_K).exp()}, {"causal": True}):
        assert is_that_of_one(rank, size, q, k, v, 1e-14, beta=case, **options).isfinite().all()


@on(2, 3, case=[1.0, 0.0, -1.0, inf])
def test_infinite_scores_share_the_weight_across_pieces(rank, size, case):
    q, k, v = torch.ones(N_Q, 1).double(), normal(N_K, 1), normal(N_K, 4)
    k[[1, 5, 20, 30]], k[[2, 25]] = inf, -inf
    for options in ({}, {"prior": normal(N_K).exp()}, {"causal": True}):
        for keys in (k, torch.full_like(k, inf), torch.full_like(k, -inf)):
            assert is_that_of_one(rank, size, q, keys, v, 1e-14, beta=case, **options).isfinite().all()


@on(2, 3)
def test_large_scores_and_large_offsets_lose_nothing(rank, size):
    q, v = torch.ones(N_Q, 1), normal(N_K, 4).float()
    steps = torch.arange(N_K)[:, None] % 4
    for k in (1e6 + steps, 1e30 * (steps - 1), -1e9 + 64 * steps, (3e38 * (steps / 2 - 0.75))):
        for beta in (0.7, -0.7, 3e-39):
            got = sharded.attention(**pieces(rank, size, q=q, k=k.float(), v=v), beta=beta)
            exact = lib.attention(q.double(), k.float().double(), v.double(), beta=beta, path="readable")
            torch.testing.assert_close(got.double(), own(exact, QUERIES[size], rank), rtol=1e-5, atol=1e-6)
    far = 1.5e308 * torch.where(torch.arange(N_K) < 19, -1.0, 1.0).double()[:, None]
    is_that_of_one(rank, size, q.double(), far, v.double(), beta=1e-308)
    is_that_of_one(rank, size, 1e-20 * q, 1e-20 * steps.float(), v, 1e-5, 1e-6, beta=1e39)  # infinite in float32


@on(2, 3, case=[0.7, -0.7])
def test_the_gradient_of_beta_loses_nothing_to_a_large_offset(rank, size, case):
    q, k, v = torch.ones(N_Q, 1), 1e6 + torch.arange(N_K)[:, None] % 4, normal(N_K, 4).float()
    exact = torch.full((1, 1), case, dtype=torch.float64, requires_grad=True)
    lib.attention(q.double(), k.double(), v.double(), beta=exact, path="readable").sum().backward()
    beta = torch.full((1, 1), case, requires_grad=True)
    sharded.attention(**pieces(rank, size, q=q, k=k.float(), v=v), beta=beta).sum().backward()
    dist.all_reduce(beta.grad)
    torch.testing.assert_close(beta.grad.double(), exact.grad, rtol=1e-5, atol=1e-4)


@on(2, 3)
def test_an_empty_row_is_zeros_and_so_are_its_gradients(rank, size):
    for options in (
        {"lengths": torch.tensor([0, 20])},
        {"causal": True, "offset": -40},
        {"window": 2, "offset": 60},
    ):
        mine = as_leaves(rank, size, **inputs())
        mine["q"].data[0] = nan
        got = sharded.attention(**mine, **options)
        got.square().sum().backward()
        assert (got[0] == 0).all()
        assert all((x.grad[0] == 0).all() and x.grad.isfinite().all() for x in mine.values())


@on(2, 3)
def test_without_any_keys_or_queries(rank, size):
    q, k, v = as_leaves(rank, size, **inputs()).values()
    got = sharded.attention(q, k[..., :0, :], v[..., :0, :], causal=True, prior=torch.ones(0))
    got.sum().backward()
    assert got.shape == (*q.shape[:-1], 5)
    assert (got == 0).all()
    assert (q.grad == 0).all()
    got = sharded.attention(q[..., :0, :], k, v)
    got.sum().backward()
    assert got.shape == (2, 4, 0, 5)
    assert (k.grad == 0).all()


@on(2, case=["causal", "window"])
def test_a_padded_cache_asks_for_the_offset(rank, size, case):
    """Two queries on one process, none on the other, whose keys decide that the queries are fewer."""
    q, k, v = qkv(n_q=2 * (1 - rank), n_k=2)
    options = {"lengths": torch.tensor([3, 4]), case: True if case == "causal" else 3}
    with pytest.raises(ValueError, match=rf"{case} with lengths .*\(2\).*\(4\).*offset=lengths - 2 "):
        sharded.attention(q, k, v, **options)
    assert sharded.attention(q, k, v, offset=torch.tensor([1, 2]), **options).shape == (2, 4, 2 - 2 * rank, 5)


@on(2, 3)
def test_what_is_masked_has_no_effect_not_even_nan(rank, size):
    options = {"lengths": torch.tensor([11, 25]), "causal": True, "offset": 0, "prior": torch.ones(N_K)}
    options["prior"][4] = 0
    clean, spoilt = inputs(), inputs()
    for x in (spoilt["k"], spoilt["v"]):
        x[0, :, 11:], x[1, :, 25:], x[:, :, 4] = nan, inf, -inf
    results = []
    for arrays in (clean, spoilt):
        mine = as_leaves(rank, size, **arrays)
        got = sharded.attention(**mine, **pieces(rank, size, **options))
        results.append([got, *torch.autograd.grad(got.square().sum(), list(mine.values()))])
    assert all(map(torch.equal, *results))


@on(2, 3)
def test_a_nan_score_spoils_its_row_alone(rank, size):
    q, k, v = normal(N_Q, 3), normal(N_K, 3), normal(N_K, 4)
    q[7] = nan
    got = is_that_of_one(rank, size, q, k, v)
    assert torch.equal(got.isnan().any(-1), own(q, QUERIES[size], rank).isnan().any(-1))
    assert not got.requires_grad


@on(2, 3)
def test_a_row_of_nan_gives_no_gradient_to_what_it_may_not_see(rank, size):
    """Query 7 stands at position 9 of the keys, of which every fourth has a prior of 0."""
    arrays, position, log_prior = inputs(), torch.arange(N_K), normal(N_K)
    arrays["q"][:, :, 7] = nan
    log_prior[::4] = -inf
    mine = as_leaves(rank, size, **arrays, log_prior=log_prior)
    sharded.attention(**mine, causal=True).sum().backward()
    nothing, seen = (
        own(x, KEYS[size], rank, axis=-1) for x in (log_prior == -inf, (log_prior > -inf) & (position <= 9))
    )
    for grad in (mine["v"].grad, mine["log_prior"].grad[:, None]):
        assert (grad[..., nothing, :] == 0).all()
        assert torch.equal(grad.isnan().any(-1), seen.expand(grad.shape[:-1]))


@on(2)
def test_integers_and_odd_layouts(rank, size):
    q, k, v = (x.mul(3).to(torch.int64) for x in qkv())
    assert is_that_of_one(rank, size, q, k, v, 1e-6).dtype == torch.float32
    q, k, v = qkv()
    k, v = k.mT.contiguous().mT, v[..., :1].expand(-1, -1, -1, 5)
    whole = lib.attention(q, k, v, causal=True)
    pieces = q.split(QUERIES[2], -2)[rank], k.split(KEYS[2], -2)[rank], v.split(KEYS[2], -2)[rank]
    before = [x.clone() for x in pieces]
    got = sharded.attention(*pieces, causal=True)
    torch.testing.assert_close(got, own(whole, QUERIES[2], rank), rtol=1e-13, atol=1e-13)
    assert all(torch.equal(x, y) for x, y in zip(pieces, before, strict=True))


# ---- errors


def error_of(**arguments):
    try:
        sharded.attention(**arguments)
    except (TypeError, ValueError) as error:
        return error
    raise AssertionError(f"no error for {arguments}")


def fitting():
    return {"q": normal(2, 1, 4, 3), "k": normal(2, 1, 5, 3), "v": normal(2, 1, 5, 2)}


DISAGREEMENTS = {  # what the last process passes, and the argument that is named
    "width": ({"q": normal(2, 1, 4, 4), "k": normal(2, 1, 5, 4)}, "q"),
    "width of v": ({"v": normal(2, 1, 5, 7)}, "v"),
    "batch": ({name: x[:1] for name, x in fitting().items()}, "q"),
    "dtype": ({name: x.float() for name, x in fitting().items()}, "q"),
    "gradient": ({"k": normal(2, 1, 5, 3).requires_grad_()}, "k"),
    "beta": ({"beta": 0.3}, "beta"),
    "kind of beta": ({"beta": torch.ones(1, 1)}, "beta"),
    "causal": ({"causal": True}, "causal"),
    "window": ({"window": 3}, "window"),
    "lengths": ({"lengths": torch.tensor([3, 4])}, "lengths"),
    "offset": ({"offset": 2}, "offset"),
    "prior": ({"prior": torch.ones(5)}, "prior"),
    "log_prior": ({"log_prior": torch.ones(5)}, "log_prior"),
    "timeout": ({"timeout": 9.0}, "timeout"),
}


@on(2, 3, case=DISAGREEMENTS)
def test_arguments_that_disagree_are_an_error_on_every_process(rank, size, case):
    other, name = DISAGREEMENTS[case]
    error = error_of(**fitting() | (other if rank == size - 1 else {}))
    assert type(error) is ValueError
    says = rf"{name} must be the same on every process; rank 0.*: .*; rank {size - 1}: "
    assert re.match(says, str(error)), error


@on(2)
def test_long_arguments_that_disagree(rank, size):
    lengths = torch.arange(3000)
    lengths[2999] += rank
    error = error_of(q=normal(3000, 1, 1), k=normal(3000, 1, 1), v=normal(3000, 1, 1), lengths=lengths)
    assert re.match(r"lengths must be the same .*; rank 1: .*… \(\w{12}\)$", str(error))


REFUSED = {
    "another map": ({"weights": "sparsemax"}, ValueError, 'weights must be "softmax"'),
    "dropout": ({"dropout": 0.5}, ValueError, "dropout must be 0.0"),
    "a list": ({"q": [[1.0]]}, TypeError, "q must be a NumPy array or a torch tensor; got list"),
    "NumPy": ({name: x.numpy() for name, x in fitting().items()}, TypeError, "must be torch tensors"),
    "a shape": ({"k": normal(2, 1, 6, 3)}, ValueError, "n_k"),
    "beta": ({"beta": nan}, ValueError, "beta must not be NaN"),
    "window": ({"window": 0}, ValueError, "window must be at least 1"),
    "a prior per query": ({"prior": torch.ones(4, 5)}, ValueError, r"prior and log_prior must be \(n_k,\)"),
    "a negative prior": ({"prior": torch.tensor([0, 0, 0, 0, -1.0])}, ValueError, "prior must be finite"),
    "a log-prior of NaN": ({"log_prior": torch.full((5,), nan)}, ValueError, "log_prior must be less than inf"),
    "both priors": ({"prior": torch.ones(5), "log_prior": torch.ones(5)}, ValueError, "pass one of them"),
    "lengths": ({"lengths": torch.ones(3, dtype=torch.int64)}, ValueError, "lengths must have shape"),
    "complex": ({"v": normal(2, 1, 5, 2) * 1j}, TypeError, "v must be real numbers"),
    "timeout 0": ({"timeout": 0}, ValueError, "timeout must be a number of seconds above 0; got 0"),
    "timeout inf": ({"timeout": inf}, ValueError, "timeout must be"),
    "timeout in words": ({"timeout": "10"}, ValueError, "timeout must be"),
    "device": (
        {name: x.to("meta") for name, x in fitting().items()},
        ValueError,
        "q must be on a device",
    ),
    "causal of two minds": ({"causal": torch.tensor([True, False])}, TypeError, "causal must be True or False"),
}


@on(3, case=REFUSED)
def test_what_one_process_may_not_pass_is_an_error_on_every_process(rank, size, case):
    wrong, kind, says = REFUSED[case]
    error = error_of(**fitting() | (wrong if rank == 1 else {}))
    assert type(error) is kind
    assert re.match(f"on rank 1: .*{says}", str(error)), error


@on(2, case=["prior", "log_prior"])
def test_a_prior_that_is_nothing_in_all_pieces_is_refused(rank, size, case):
    nothing = torch.full((5,), 0.0 if case == "prior" else -inf)
    assert "somewhere in every row" in str(error_of(**fitting(), **{case: nothing}))
    some = nothing.clone()
    some[2] = 1.0
    sharded.attention(**fitting(), **{case: some if rank == 0 else nothing})


@on(1)
def test_gloo_sends_from_the_cpu_alone_and_nccl_from_the_gpu(rank, size):
    for backends, devices in (
        (dist.get_backend_config(), ["cpu"]),
        ("cpu:gloo,cuda:gloo", ["cpu"]),
        ("cuda:nccl", ["cuda"]),
        ("cpu:gloo,cuda:nccl", ["cpu", "cuda"]),
    ):
        with patch.object(dist, "get_backend_config", lambda group, found=backends: found):
            assert sharded.Ring.of(None, 1.0).devices == devices


@on(2)
def test_a_process_elsewhere_in_the_program_is_an_error_too(rank, size):
    arguments = leaves(fitting())
    output = sharded.attention(**arguments)
    says = "call must be the same on every process; rank 0: forward; rank 1: backward"
    with pytest.raises(ValueError, match=says):
        sharded.attention(**arguments) if rank == 0 else output.sum().backward()


@on(2)
def test_gradients_of_the_first_order_alone(rank, size):
    arguments = leaves(fitting())
    output = sharded.attention(**arguments)
    with pytest.raises(RuntimeError, match="first-order gradients alone"):
        torch.autograd.grad(output.square().sum(), arguments["q"], create_graph=True)


@on(2)
def test_lengths_and_offsets_that_change_before_backward_count_as_they_were(rank, size):
    found = []
    for change in (0, 5):
        mine, lengths, offset = as_leaves(rank, size, **inputs()), torch.tensor([11, 29]), torch.tensor([2, 3])
        output = sharded.attention(**mine, lengths=lengths, offset=offset, causal=True)
        lengths -= change
        offset += change
        found.append(torch.autograd.grad(output.sin().sum(), list(mine.values())))
    torch.testing.assert_close(*found, rtol=0, atol=0)


def test_what_needs_no_second_process_to_be_refused():
    arguments = fitting()
    with pytest.raises(RuntimeError, match="init_process_group"):
        sharded.attention(**arguments)


# ---- what is sent, computed and held


@contextmanager
def sent():
    """The bytes that this process sends, by dtype."""
    bytes_of, send = {}, dist.batch_isend_irecv

    def count(ops):
        for op in ops:
            if op.op is dist.isend:
                bytes_of[op.tensor.dtype] = (
                    bytes_of.get(op.tensor.dtype, 0) + op.tensor.numel() * op.tensor.itemsize
                )
        return send(ops)

    with patch.object(dist, "batch_isend_irecv", count):
        yield bytes_of


@on(1, 2, 3, case=["float64", "float32", "bfloat16"])
def test_the_bytes_that_a_process_sends_are_those_of_the_docstring(rank, size, case):
    dtype, batch, heads, n, d, d_v = getattr(torch, case), 2, 3, 8, 5, 7  # n keys on each process
    q = normal(batch, 2 * heads, 4, d).to(dtype).requires_grad_()
    k, v = (normal(batch, heads, n, x).to(dtype).requires_grad_() for x in (d, d_v))
    numbers = (size - 1) * n * (d + d_v) * batch * heads
    check = (size - 1) * 4096  # bytes
    for options, part in (({}, 1024), ({"causal": True}, 1024), ({}, 3)):
        with sent() as forward, patch.object(sharded, "PART", part):
            output = sharded.attention(q, k, v, **options)
        with sent() as backward, patch.object(sharded, "PART", part):
            output.sum().backward()
        for found, each in ((forward, dtype.itemsize), (backward, dtype.itemsize + max(dtype.itemsize, 4))):
            assert found.pop(torch.uint8, 0) == check
            assert sum(found.values()) == numbers * each
    with sent() as forward:
        sharded.attention(q, k, v, prior=torch.ones(n, dtype=torch.float32))
    of_prior = (size - 1) * n * max(dtype.itemsize, 4)
    assert sum(forward.values()) - forward.get(torch.uint8, 0) == numbers * dtype.itemsize + of_prior


@on(3)
def test_keys_that_no_query_here_may_see_are_not_computed(rank, size):
    q, k, v = (normal(8, 4, seed=i) for i in range(3))
    computed, weigh = [], sharded.weigh

    def count(request, *scores_and_mask):
        computed.append(request.k.shape[-2])
        return weigh(request, *scores_and_mask)

    expected = {
        "plain": [8, 8, 8],
        "causal": [8] * (rank + 1),  # its own piece, then those before it
        "window": [8, 2] if rank > 0 else [8],
        "lengths": [8, 3] if rank != 2 else [3, 8],
        "late": [] if rank == 0 else [8] * rank,
    }
    options = {"causal": {"causal": True}, "window": {"window": 3}, "late": {"causal": True, "offset": -8}}
    with patch.object(sharded, "weigh", count):
        for name, sizes in expected.items():
            computed.clear()
            given = {"lengths": torch.tensor([11])} if name == "lengths" else options.get(name, {})
            sharded.attention(*((x[None] for x in (q, k, v)) if name == "lengths" else (q, k, v)), **given)
            assert sorted(computed) == sorted(sizes), name


class Held(TorchDispatchMode):
    """The most bytes that were held at one time in tensors made since it was entered."""

    def __init__(self):
        super().__init__()
        self.now = self.most = 0
        self.known = set()

    def __torch_dispatch__(self, f, types, args=(), kwargs=None):
        result = f(*args, **kwargs or {})
        for x in result if isinstance(result, (tuple, list)) else [result]:
            if torch.is_tensor(x):
                storage = x.untyped_storage()
                if storage._cdata not in self.known:
                    self.known.add(storage._cdata)
                    self.now += storage.nbytes()
                    self.most = max(self.most, self.now)
                    weakref.finalize(storage, self.gone, storage._cdata, storage.nbytes())
        return result

    def gone(self, key, size):
        self.known.discard(key)
        self.now -= size


@on(1, 2, 4)
def test_the_memory_of_a_process_falls_as_one_over_their_number(rank, size):
    n, d, part = 3072, 64, 96
    with patch.object(sharded, "AT_ONCE", 1 << 12), patch.object(sharded, "PART", part), Held() as held:
        q, k, v = (torch.ones(n // size, d).requires_grad_() for _ in "qkv")
        output = sharded.attention(q, k, v, window=16)
        forward = held.most
        output.sum().backward()
    # Forward there are q, k, v and the output; backward the gradients of q, k and v as well. What is there beside
    # them does not depend on how many there are: keys and values that are worked on and that come; backward their
    # gradients, those that are computed, sent and received; and what it takes to compute with a few queries.
    passing, block = 2 * part * d * 4, 192 * 1024
    for bytes_held, own, others in ((forward, 4, 2), (held.most, 7, 5)):
        own *= n // size * d * 4
        assert own < bytes_held < own + others * passing + block, (own, bytes_held)


# ---- processes that end, stop or stay away


def end_at(rank, size, who, step, how, timeout):
    """Attention forward and backward, in which one process ends before it sends for the so-manieth time."""
    q, k, v = (normal(300, 8, seed=i).requires_grad_() for i in range(3))
    send, sends = dist.batch_isend_irecv, []

    def counted(ops):
        sends.append(ops)
        if rank == who and len(sends) == step:
            os.kill(os.getpid(), how)
        return send(ops)

    start = time.monotonic()
    with patch.object(dist, "batch_isend_irecv", counted), pytest.raises(RuntimeError) as caught:
        sharded.attention(q, k, v, timeout=timeout).sum().backward()
    return str(caught.value), time.monotonic() - start


# Three processes send 2 messages to agree and 2 pieces of k and v; backward the same, and the gradients twice.
@pytest.mark.parametrize("step", [1, 4, 8, 10])
def test_when_one_process_is_killed_the_others_end_with_an_error(processes, step):
    found = processes(3).ask(end_at, {"who": 1, "step": step, "how": signal.SIGKILL, "timeout": 10.0})
    assert found[1] == ("ended", -signal.SIGKILL)
    for rank in (0, 2):
        what, (says, _) = found[rank]
        assert what == "returned"
        broke_off = f"sharded attention broke off on rank {rank} of 3: rank "
        assert says.startswith(broke_off)
        assert re.match(r".*1.* has ended, or did not answer within 10 s ", says.removeprefix(broke_off))


@pytest.mark.parametrize("step", [3, 9])
def test_when_one_process_stops_the_others_wait_no_longer_than_they_should(processes, step):
    started = processes(3)
    options = {"who": 2, "step": step, "how": signal.SIGSTOP, "timeout": 0.5}
    found = started.ask(end_at, options, ranks=(0, 1))
    for rank in (0, 1):
        what, (says, seconds) = found[rank]
        assert what == "returned"
        assert "did not answer within 0.5 s (timeout)" in says
        assert seconds < 10  # not the group's own half hour
    for rank in (0, 1):  # nor does anything keep them from ending
        started.pipes[rank].close()
        started.all[rank].join(20)
        assert started.all[rank].exitcode == 0


def stay_away(rank, size):
    if rank == 1:
        return "elsewhere"
    with pytest.raises(
        RuntimeError, match=r"broke off on rank 0 of 2: rank 1 has ended, or did not answer within 0.2 s"
    ):
        sharded.attention(normal(4, 3), normal(4, 3), normal(4, 3), timeout=0.2)
    return "waited"


def test_a_process_that_never_calls_is_not_waited_for(processes):
    found = processes(2).ask(stay_away, {})
    assert found == {0: ("returned", "waited"), 1: ("returned", "elsewhere")}


@on(2)
def test_the_time_limit_of_the_group_stays_its_own(rank, size):
    sharded.attention(*fitting().values(), timeout=0.5)
    x = torch.ones(1)
    if rank == 1:
        time.sleep(1.5)
    dist.all_reduce(x)
    assert x == 2


# ---- as a user starts it


def example_in(text):
    """The lines of code from the first import to the end of the process group, without their indentation."""
    (code,) = re.findall(
        r"^( *)(import torch\n.*?dist\.destroy_process_group\(\)\n)", text, re.DOTALL | re.MULTILINE
    )
    indent, lines = code
    return "".join(line.removeprefix(indent) for line in (indent + lines).splitlines(keepends=True))


def test_the_example_runs_under_torchrun(tmp_path):
    code = example_in(sharded.attention.__doc__)
    assert len(code.splitlines()) <= 22
    (tmp_path / "ring.py").write_text(code, encoding="utf-8")
    command = ["-m", "torch.distributed.run", "--standalone", "--local-addr", "127.0.0.1", "--nproc-per-node", "2"]
    done = subprocess.run(
        [sys.executable, *command, "ring.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "GLOO_SOCKET_IFNAME": LOOPBACK, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    said = re.findall(r"rank (\d): queries \(1, 4, 500, 32\), (\S+) from one process", done.stdout)
    assert sorted(rank for rank, _ in said) == ["0", "1"], done.stdout
    assert all(0 <= float(error) < 1e-5 for _, error in said)
