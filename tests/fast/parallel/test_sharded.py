"""Attention over several processes is that of one: values, gradients, awkward inputs, errors, memory, the end."""

import contextlib
import io
import math
import os
import re
import signal
import textwrap
import time
import weakref
from unittest.mock import patch

import pytest
import torch
import torch.distributed as dist
from processes import on
from torch.utils._python_dispatch import TorchDispatchMode

import lib
from lib import sharded

inf, nan = math.inf, math.nan
N_Q, N_K = 29, 31
# How many queries and keys each process has, by the number of processes: uneven, and some have none.
QUERIES = {1: [29], 2: [20, 9], 3: [13, 0, 16]}
KEYS = {1: [31], 2: [14, 17], 3: [0, 19, 12]}


def normal(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def inputs():
    """q, k and v by name: two batch items, and four heads of q to two of k and v."""
    return {"q": normal(2, 4, N_Q, 3), "k": normal(2, 2, N_K, 3, seed=1), "v": normal(2, 2, N_K, 5, seed=2)}


def piece(name, x, rank, size):
    """The part of an argument that a process passes."""
    axis = -1 if name in ("prior", "log_prior") else -2
    if not torch.is_tensor(x) or name in ("lengths", "offset") or x.shape[axis] < 2:
        return x
    return x.split((QUERIES if name in ("q", "beta", "output") else KEYS)[size], axis)[rank]


def pieces(rank, size, **arguments):
    return {name: piece(name, x, rank, size) for name, x in arguments.items()}


def leaves(arguments):
    """Copies of the arguments, those wanting a gradient that can."""
    copies = {name: x.detach().clone() if torch.is_tensor(x) else x for name, x in arguments.items()}
    for x in copies.values():
        x.requires_grad_() if torch.is_tensor(x) and x.is_floating_point() else None
    return copies


def compare(rank, size, arguments, tol=1e-13):
    """Output and gradients of this process are the pieces of those of one process."""
    whole, mine = leaves(arguments), leaves(pieces(rank, size, **arguments))
    wanted = [name for name, x in whole.items() if torch.is_tensor(x) and x.requires_grad]
    output = lib.attention(**whole, path="readable")
    direction = normal(*output.shape, seed=9)
    expected = torch.autograd.grad(output, [whole[name] for name in wanted], direction)
    got = sharded.attention(**mine)
    slopes = torch.autograd.grad(got, [mine[name] for name in wanted], piece("output", direction, rank, size))
    torch.testing.assert_close(got, piece("output", output, rank, size), rtol=tol, atol=tol)
    for name, slope, of_whole in zip(wanted, slopes, expected, strict=True):
        of_mine = piece(name, of_whole, rank, size)
        if name not in "qkv" and of_mine is of_whole:
            dist.all_reduce(slope)  # as for any parameter of which each process has a copy
        torch.testing.assert_close(slope, of_mine, rtol=tol, atol=4 * tol, msg=lambda m, n=name: f"{n}: {m}")


# ---- equal to one process


def changed(name, index, value):
    """An input with a value of its own in some places."""
    x = inputs()[name]
    x[index] = value
    return x


LAST_12 = torch.cat([torch.zeros(19), torch.ones(12)]).double()
TIES = {"q": normal(N_Q, 1).sign() * 2, "k": torch.ones(N_K, 1).double(), "v": normal(N_K, 4)}
TIES["k"][[1, 5, 8]], TIES["k"][[2, 20, 30]] = 7.0, -7.0
CASES = {
    "plain": {},
    "causal": {"causal": True},
    "window of 1": {"window": 1},
    "window of 6": {"window": 6},
    "window wider than a piece": {"window": 25, "causal": True},
    "lengths": {"lengths": torch.tensor([31, 13])},
    "lengths of nothing and more than all": {"lengths": torch.tensor([-2, 40])},
    "offset": {"causal": True, "offset": -4},
    "an offset for each item": {"window": 9, "offset": torch.tensor([-3, 7], dtype=torch.int8)},
    "a window that ends in padding": {"window": 9, "offset": 10, "lengths": torch.tensor([29, 16])},
    "negative beta": {"beta": -0.6, "causal": True},
    "beta 0": {"beta": 0.0, "lengths": torch.tensor([20, 3])},
    "beta per head": {"beta": normal(4, 1, 1), "causal": True},
    "beta per query": {"beta": normal(2, 1, N_Q, 1), "window": 12},
    "prior": {"prior": normal(N_K).exp(), "causal": True},
    "prior of 0 for whole pieces": {"prior": LAST_12},
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
    "leading axes of k and v alone": {"q": normal(N_Q, 3), "k": normal(1, N_K, 3), "v": normal(3, 1, N_K, 4)},
    "leading axes of q alone": {"q": normal(3, 2, N_Q, 3), "k": normal(N_K, 3), "v": normal(N_K, 4)},
    "an empty batch": {name: x[:0] for name, x in inputs().items()},
    "no keys": {"k": inputs()["k"][..., :0, :], "v": inputs()["v"][..., :0, :], "causal": True},
    "no queries": {"q": inputs()["q"][..., :0, :]},
    "the limits of beta, ties in all pieces": TIES | {"beta": inf, "causal": True},
    "the other limit, with a prior": TIES | {"beta": -inf, "prior": normal(N_K).exp()},
    "scores of inf": {"k": changed("k", (..., [1, 5, 20, 30], 0), inf)},
    "scores of inf, beta 0": {"k": changed("k", (..., [1, 5, 20, 30], 0), inf), "beta": 0.0},
    "scores of inf, with a prior": {"k": changed("k", (..., [2, 25], 0), inf), "prior": LAST_12, "beta": -1.0},
    "no score but inf": TIES | {"q": TIES["q"].abs(), "k": torch.full((N_K, 1), inf).double()},
    "scores too large for a sum": TIES | {"k": 1.5e308 * (2 * LAST_12[:, None] - 1), "beta": 1e-308},
    "a query of NaN that sees nothing": {"q": changed("q", 0, nan), "lengths": torch.tensor([0, 20])},
    "causal, before all keys": {"causal": True, "offset": -40},
    "a window after all keys": {"window": 2, "offset": 60},
    "NaN behind a prior": {"k": changed("k", (..., slice(19), slice(None)), nan), "prior": LAST_12},
    "inf in padding": {"v": changed("v", (..., slice(25, None), 0), inf), "lengths": torch.tensor([11, 25])},
}


@on(1, 2, 3, case=CASES)
def test_it_is_attention_of_one_process(rank, size, case):
    compare(rank, size, inputs() | CASES[case])
    with patch.object(sharded, "PAIRS", 4 * N_K):  # four queries at a time
        compare(rank, size, inputs() | CASES[case])


@on(2)
def test_a_compiled_program_leaves_its_graph_for_it(rank, size):
    mine = pieces(rank, size, **inputs())
    torch.testing.assert_close(
        torch.compile(sharded.attention, backend="eager")(**mine), sharded.attention(**mine)
    )


@on(3)
def test_a_group_of_some_processes(rank, size):
    group = dist.new_group([2, 1])
    place = dist.get_rank(group)
    if rank > 0:
        got = sharded.attention(**pieces(place, 2, **inputs()), causal=True, group=group)
        torch.testing.assert_close(got, piece("output", lib.attention(**inputs(), causal=True), place, 2))
    else:
        with pytest.raises(ValueError, match="this process belongs to"):
            sharded.attention(**inputs(), group=group)
    dist.barrier()
    dist.destroy_process_group(group) if rank > 0 else None


@on(2, 3, case=["float32", "bfloat16", "float16", "autocast to bfloat16", "autocast to float16"])
def test_half_precision_is_computed_in_float32(rank, size, case):
    """On the rounded inputs each output and gradient is rounded once, by half an eps; by autocast the output."""
    dtype, autocast = getattr(torch, case.split()[-1]), "autocast" in case
    given = torch.float32 if autocast else dtype
    rounded = {name: x.to(given) for name, x in inputs().items()}
    rounded |= {"prior": normal(N_K).exp().to(given), "beta": normal(4, 1, 1).to(given)}
    whole = leaves({name: x.double() for name, x in rounded.items()})
    output = lib.attention(**whole, causal=True, path="readable")
    output.sum().backward()
    mine = leaves(pieces(rank, size, **rounded))
    with torch.autocast("cpu", dtype if autocast else torch.bfloat16, enabled=autocast):
        got = sharded.attention(**mine, causal=True)
        got.backward(torch.ones_like(got))
    pairs = [(got, piece("output", output, rank, size), dtype)]
    pairs += [(mine[x].grad, piece(x, whole[x].grad, rank, size), given) for x in ("q", "k", "v", "prior")]
    single = 50 * torch.finfo(torch.float32).eps
    for actual, expected, kind in pairs:
        assert actual.dtype == kind
        largest = expected.abs().max().item() if expected.numel() else 1
        close = {"rtol": 0.5 * torch.finfo(kind).eps + single, "atol": single * max(1, largest)}
        torch.testing.assert_close(actual.double(), expected, **close)


@on(2, 3)
def test_a_query_of_nan_spoils_its_own_row_and_what_it_sees_alone(rank, size):
    whole = inputs() | {"q": changed("q", (..., 7, slice(None)), nan), "log_prior": normal(N_K)}
    whole["log_prior"][::4] = -inf
    mine = leaves(pieces(rank, size, **whole))
    got = sharded.attention(**mine, causal=True)
    got.sum().backward()
    assert torch.equal(got.isnan().any(-1), mine["q"].isnan().any(-1))
    hidden = mine["log_prior"] == -inf
    assert (mine["v"].grad[..., hidden, :] == 0).all()
    assert (mine["log_prior"].grad[hidden] == 0).all()


@on(2)
def test_integers_odd_layouts_and_that_no_argument_is_changed(rank, size):
    q, k, v = inputs().values()
    odd = {"q": q, "k": k.mT.contiguous().mT, "v": v[..., :1].expand(-1, -1, -1, 5)}
    for whole in (odd, {name: x.mul(3).to(torch.int64) for name, x in inputs().items()}):
        mine = pieces(rank, size, **whole)
        before = [x.clone() for x in mine.values()]
        got, expected = sharded.attention(**mine, causal=True), lib.attention(**whole, causal=True)
        torch.testing.assert_close(got, piece("output", expected, rank, size))
        assert all(map(torch.equal, mine.values(), before))


@on(2)
def test_lengths_and_offsets_that_change_before_backward_count_as_they_were(rank, size):
    found = []
    for change in (0, 5):
        mine, lengths, offset = (
            leaves(pieces(rank, size, **inputs())),
            torch.tensor([11, 29]),
            torch.tensor([2, 3]),
        )
        output = sharded.attention(**mine, lengths=lengths, offset=offset, causal=True)
        lengths -= change
        offset += change
        found.append(torch.autograd.grad(output.sin().sum(), list(mine.values())))
    torch.testing.assert_close(*found, rtol=0, atol=0)


@on(2)
def test_second_derivatives_are_refused_but_for_what_stays_here(rank, size):
    mine, whole, slopes = leaves(pieces(rank, size, **inputs())), leaves(inputs()), []
    for q, output in ((mine["q"], sharded.attention(**mine)), (whole["q"], lib.attention(**whole))):
        (slope,) = torch.autograd.grad(output.square().sum(), q, create_graph=True)
        slopes.append(torch.autograd.grad(slope.square().sum(), q)[0])
    torch.testing.assert_close(slopes[0], piece("q", slopes[1], rank, size))
    with pytest.raises(RuntimeError, match="first-order gradients alone"):
        torch.autograd.grad(sharded.attention(**mine).square().sum(), mine["k"], create_graph=True)


# ---- errors, the same on every process


def fitting():
    return {"q": normal(2, 1, 4, 3), "k": normal(2, 1, 5, 3), "v": normal(2, 1, 5, 2)}


REFUSED = {  # what one process passes, and what is said on all of them
    "another map": ({"weights": "sparsemax"}, ValueError, 'weights must be "softmax"'),
    "dropout": ({"dropout": 0.5}, ValueError, "weights .* and dropout 0.0"),
    "a list": ({"q": [[1.0]]}, TypeError, "q must be a NumPy array or a torch tensor; got list"),
    "NumPy": ({name: x.numpy() for name, x in fitting().items()}, TypeError, "must be torch tensors"),
    "a shape": ({"k": normal(2, 1, 6, 3)}, ValueError, "n_k"),
    "beta": ({"beta": nan}, ValueError, "beta must not be NaN"),
    "window": ({"window": 0}, ValueError, "window must be at least 1"),
    "a prior per query": ({"prior": torch.ones(4, 5)}, ValueError, r"prior must be \(n_k,\)"),
    "both priors": ({"prior": torch.ones(5), "log_prior": torch.ones(5)}, ValueError, "pass one of them"),
    "lengths": ({"lengths": torch.ones(3, dtype=torch.int64)}, ValueError, "lengths must have shape"),
    "complex": ({"v": normal(2, 1, 5, 2) * 1j}, TypeError, "v must be real numbers"),
    "timeout 0": ({"timeout": 0}, ValueError, "timeout must be None or a number of seconds, .*; got 0"),
    "timeout inf": ({"timeout": inf}, ValueError, "timeout must be"),
    "timeout in words": ({"timeout": "10"}, ValueError, "timeout must be"),
    "device": ({name: x.to("meta") for name, x in fitting().items()}, ValueError, "No backend type .* meta"),
    "causal of two minds": ({"causal": torch.tensor([True, False])}, TypeError, "causal must be True or False"),
}
OTHERS = {  # what one process passes otherwise than the other, which says so of the argument in the first word
    "q of another width": {"q": normal(2, 1, 4, 4), "k": normal(2, 1, 5, 4)},
    "q of another batch": {name: x[:1] for name, x in fitting().items()},
    "q of another dtype": {name: x.float() for name, x in fitting().items()},
    "k that wants a gradient": {"k": normal(2, 1, 5, 3).requires_grad_()},
    "v of another width": {"v": normal(2, 1, 5, 7)},
    "beta": {"beta": 0.3},
    "beta that is an array": {"beta": torch.ones(1, 1)},
    "causal": {"causal": True},
    "window": {"window": 3},
    "lengths": {"lengths": torch.tensor([3, 4])},
    "offset": {"offset": 0},
    "prior": {"prior": torch.ones(5)},
    "log_prior": {"log_prior": torch.ones(5)},
}


@on(3, case=REFUSED)
def test_what_one_process_may_not_pass_is_an_error_on_every_process(rank, size, case):
    wrong, kind, says = REFUSED[case]
    with pytest.raises(kind, match=f"^on rank 1: .*{says}"):
        sharded.attention(**fitting() | (wrong if rank == 1 else {}))


@on(2, case=OTHERS)
def test_arguments_that_disagree_are_an_error_on_every_process(rank, size, case):
    says = f"^{case.split()[0]} must be the same on every process; rank 0: .*; rank 1: "
    with pytest.raises(ValueError, match=says):
        sharded.attention(**fitting() | (OTHERS[case] if rank == 1 else {}))


@on(2, case=["prior", "log_prior"])
def test_whether_the_values_of_a_prior_will_do_all_its_pieces_tell(rank, size, case):
    some, nothing = torch.ones(5), torch.full((5,), 0.0 if case == "prior" else -inf)
    with pytest.raises(ValueError, match="somewhere in every row"):
        sharded.attention(**fitting(), **{case: nothing})
    with pytest.raises(ValueError, match=f"{case} must be"):
        sharded.attention(**fitting(), **{case: some if rank == 0 else nan * some})
    sharded.attention(**fitting(), **{case: some if rank == 0 else nothing})


@on(2, case=["causal", "window"])
def test_a_padded_cache_asks_for_the_offset(rank, size, case):
    """Two queries on one process, none on the other, whose keys decide that the queries are fewer."""
    arguments = {"q": normal(2, 4, 2 - 2 * rank, 3), "k": normal(2, 2, 2, 3), "v": normal(2, 2, 2, 5)}
    arguments |= {"lengths": torch.tensor([3, 4]), case: True if case == "causal" else 3}
    with pytest.raises(ValueError, match=rf"{case} with lengths .*\(2\).*\(4\).*offset=lengths - 2 "):
        sharded.attention(**arguments)
    assert sharded.attention(**arguments, offset=torch.tensor([1, 2])).shape == (2, 4, 2 - 2 * rank, 5)


@on(2)
def test_a_process_elsewhere_in_the_program_is_an_error_too(rank, size):
    arguments = leaves(fitting())
    output = sharded.attention(**arguments)
    says = "call must be the same on every process; rank 0: forward; rank 1: backward"
    with pytest.raises(ValueError, match=says):
        sharded.attention(**arguments) if rank == 0 else output.sum().backward()


def test_without_a_process_group():
    with pytest.raises(ValueError, match="init_process_group"):
        sharded.attention(**fitting())


# ---- what is held


class Held(TorchDispatchMode):
    """The most bytes that were held at one time in tensors made since it was entered."""

    def __init__(self):
        super().__init__()
        self.most, self.live = 0, {}

    def __torch_dispatch__(self, f, types, args=(), kwargs=None):
        result = f(*args, **kwargs or {})
        for x in result if isinstance(result, (tuple, list)) else [result]:
            if torch.is_tensor(x) and (key := x.untyped_storage()._cdata) not in self.live:
                self.live[key] = x.untyped_storage().nbytes()
                self.most = max(self.most, sum(self.live.values()))
                weakref.finalize(x.untyped_storage(), self.live.pop, key)
        return result


@on(2, case=["plain", "causal"])
def test_memory_is_that_of_all_keys_and_no_table_of_pairs(rank, size, case):
    n, d = 2048, 64
    q, k, v = (torch.ones(n // size, d).requires_grad_() for _ in "qkv")
    with patch.object(sharded, "PAIRS", 1 << 15), Held() as held:
        output = sharded.attention(q, k, v, causal=case == "causal")
        forward = held.most
        output.sum().backward()
    own, everything = n // size * d * 4, 2 * n * d * 4  # bytes: of one list here, and of all keys and values
    assert 4 * own + everything < forward < 4 * own + 1.3 * everything
    assert 7 * own + 2.7 * everything < held.most < 7 * own + 3.3 * everything


# ---- processes that end, stop or stay away


def end_at(rank, size, who, step, how, timeout):
    """Attention forward and backward, in which one process ends before its so-manieth collective."""
    q, k, v = (normal(300, 8, seed=i).requires_grad_() for i in range(3))
    calls, start = [], time.monotonic()

    def counted(collective):
        def call(*args, **options):
            calls.append(collective)
            if rank == who and len(calls) == step:
                os.kill(os.getpid(), how)
            return collective(*args, **options)

        return call

    collectives = {name: counted(getattr(dist, name)) for name in ("all_gather_object", "broadcast", "reduce")}
    with patch.multiple(dist, **collectives), pytest.raises(RuntimeError) as caught:
        sharded.attention(q, k, v, timeout=timeout).sum().backward()
    return str(caught.value), time.monotonic() - start


# On three processes there is a call to agree, three to gather k and three to gather v; backward the same.
@pytest.mark.parametrize(
    ("how", "step", "timeout"),
    [(signal.SIGKILL, step, 3.0) for step in (1, 4, 8, 12)] + [(signal.SIGSTOP, step, 0.5) for step in (1, 3, 10)],
)
def test_when_one_process_ends_or_stops_the_others_end_with_an_error(processes, how, step, timeout):
    started = processes(3)
    found = started.ask(end_at, {"who": 1, "step": step, "how": how, "timeout": timeout}, ranks=(0, 2))
    for rank in (0, 2):
        what, (says, seconds) = found[rank]
        assert what == "returned"
        assert says.startswith("sharded attention broke off: a process has ended, or did not answer in time")
        assert seconds < 45  # not the group's own half hour
    for rank in (0, 2):  # nor does anything keep them from ending
        started.pipes[rank].close()
        started.all[rank].join(20)
        assert started.all[rank].exitcode == 0


@on(2)
def test_the_time_limit_of_the_group_stays_its_own(rank, size):
    sharded.attention(**fitting(), timeout=0.5)
    x = torch.ones(1)
    if rank == 1:
        time.sleep(1.0)
    dist.all_reduce(x)
    assert x == 2


# ---- as a user starts it


@on(2)
def test_the_example_of_the_docstring(rank, size):
    text = sharded.attention.__doc__
    (code,) = re.findall(r"^ *import torch\n.*?dist\.destroy_process_group\(\)\n", text, re.DOTALL | re.MULTILINE)
    printed = io.StringIO()
    taken = patch.multiple(dist, init_process_group=str, destroy_process_group=str)  # the group that is there
    with taken, contextlib.redirect_stdout(printed):
        exec(textwrap.dedent(code), {})
    said = re.fullmatch(r"rank (\d): queries \(1, 4, 500, 32\), (\S+) from one process\n", printed.getvalue())
    assert int(said[1]) == rank
    assert 0 <= float(said[2]) < 1e-5
