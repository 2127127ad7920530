"""The lse of every path is that of the readable one, its gradients too; the kernel's is taken where it can be."""

import functools
import math

import numpy as np
import pytest
from attending import case, same, tensors
from needs_torch import torch
from torch.utils.checkpoint import checkpoint

from lib import attention, attention_with_lse
from lib.fast import query_blocks, sdpa_plan

inf, nan = math.inf, math.nan


def alone(*inputs, **options):
    return (attention(*inputs, **options),)


def with_gradients(arrays, options, path, twice=False, call=attention_with_lse):
    """Output and lse, or the output alone, and gradients of all of it in q, k, v and every float option."""
    leaves = {**dict(zip("qkv", arrays, strict=True)), **options}
    leaves = {name: torch.tensor(x) if isinstance(x, np.ndarray) else x for name, x in leaves.items()}
    floats = [x for x in leaves.values() if isinstance(x, torch.Tensor) and x.dtype == torch.float64]
    for x in floats:
        x.requires_grad_()
    results = call(**leaves, path=path)
    total = sum(torch.where(x == -inf, 0.0, x).sin().sum() for x in results)
    grads = torch.autograd.grad(total, floats, create_graph=twice)
    if twice:
        grads = torch.autograd.grad(sum(x.square().sum() for x in grads), floats)
    return *(x.detach() for x in results), *grads


every_call = pytest.mark.parametrize("call", [alone, attention_with_lse])


@every_call
@pytest.mark.parametrize("seed", range(61))
def test_output_lse_and_gradients_are_those_of_the_readable_path(seed, call, monkeypatch):
    """On the fused path with a call for each length, and with one for all."""
    monkeypatch.setattr(query_blocks, "AT_ONCE", 2 * 2 * 6 * 7)
    arrays, options, _, _ = case(seed)
    expected = with_gradients(arrays, options, "readable", call=call)
    for path, few in (("fused", 0), ("fused", 1 << 19), ("auto", 1 << 19), ("blocks", 0)):
        monkeypatch.setattr(sdpa_plan, "FEW", few)
        same(with_gradients(arrays, options, path, call=call), expected, 1e-12)


@every_call
@pytest.mark.parametrize("seed", range(0, 61, 7))
def test_second_derivatives_are_those_of_the_readable_path(seed, call):
    arrays, options, _, _ = case(seed)
    same(*(with_gradients(arrays, options, path, True, call) for path in ("auto", "readable")), 1e-11)
    with pytest.raises(RuntimeError, match=r'^path="fused" has first-order gradients alone; .*path="readable"'):
        with_gradients(arrays, {}, "fused", True, call)


@pytest.mark.parametrize("seed", range(0, 61, 2))
def test_softmax_plus_one_is_the_same_on_every_path_with_its_gradients(seed, monkeypatch):
    """What is left of softmax beside an empty place, from the lse: also in the sink, and to the second order."""
    monkeypatch.setattr(query_blocks, "AT_ONCE", 2 * 2 * 6 * 7)
    arrays, options, _, _ = case(seed)
    options = {name: x for name, x in options.items() if name not in ("prior", "log_prior")}
    options["sink"] = np.array([[0.4]])
    call = functools.partial(alone, weights="softmax_plus_one")
    expected = with_gradients(arrays, options, "readable", call=call)
    for path in ("fused", "auto", "blocks"):
        same(with_gradients(arrays, options, path, call=call), expected, 1e-12)
    same(*(with_gradients(arrays, options, path, True, call) for path in ("auto", "readable")), 1e-10)


def test_softmax_plus_one_takes_torchs_kernel_and_half_precision_is_rounded_once(kernel):
    q, k, v = tensors((2, 3, 9, 4), (2, 3, 9, 4), (2, 3, 9, 4))
    attend = functools.partial(attention, weights="softmax_plus_one", sink=0.3, causal=True)
    attend(q, k, v)
    assert kernel
    halves = [x.to(torch.bfloat16) for x in (q, k, v)]
    exact = attend(*(x.double() for x in halves), path="readable")
    torch.testing.assert_close(attend(*halves), exact.to(torch.bfloat16), rtol=0, atol=0)


@pytest.mark.parametrize("path", ["fused", "auto", "blocks"])
@pytest.mark.parametrize("wanted", ["q", "k", "v", "qk", "qv", "kv", "qkv"])
@pytest.mark.parametrize(("call", "result"), [(attention_with_lse, 0), (attention_with_lse, 1), (alone, 0)])
def test_gradients_of_one_result_alone_in_some_arguments_alone(call, result, wanted, path):
    slopes = []
    for by in (path, "readable"):
        inputs = dict(zip("qkv", tensors((2, 6, 5, 4), (2, 3, 5, 4), (2, 3, 5, 4)), strict=True))
        leaves = [inputs[name].requires_grad_() for name in wanted]
        output = call(**inputs, causal=True, path=by)[result]
        loss = output.sin().sum() + sum(0 * x.square().sum() for x in leaves)  # an lse does not depend on v
        slopes.append([*torch.autograd.grad(loss, leaves, create_graph=path != "fused")])
        if path != "fused":
            total = sum((x * x).sum() for x in slopes[-1])
            slopes[-1] += torch.autograd.grad(total, leaves, materialize_grads=True)
    same(*slopes, 1e-12)


def test_where_nobody_asks_for_the_gradient_of_the_lse_it_costs_nothing(kernel):
    output, _ = attention_with_lse(*tensors((2, 6, 5, 4), (2, 3, 5, 4), (2, 3, 5, 4), wanted=True), path="fused")
    output.sum().backward()
    assert len(kernel) == 1


@pytest.mark.parametrize(
    "options", [{}, {"causal": True}, {"window": 3}, {"lengths": torch.tensor([5, 2])}], ids=str
)
def test_the_kernel_is_called_as_often_as_by_attention(options, kernel):
    inputs = tensors((2, 6, 7, 4), (2, 3, 7, 4), (2, 3, 7, 2))
    output, lse = attention_with_lse(*inputs, **options)
    ours = len(kernel)
    same(output, attention(*inputs, **options))
    assert len(kernel) == 2 * ours > 0
    assert not output.requires_grad
    assert not lse.requires_grad


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"where": torch.arange(7) > 2},
        {"log_prior": torch.arange(7.0)},
        {"log_prior": torch.arange(49.0).reshape(7, 7) - 20, "where": torch.arange(7)[:, None] > 0},
    ],
    ids=", ".join,
)
def test_without_gradients_in_inference_mode_and_when_checkpointed_it_is_the_same(options, kernel):
    inputs = tensors((2, 6, 7, 4), (2, 3, 7, 4), (2, 3, 7, 2), wanted=True)
    expected = attention_with_lse(*inputs, path="readable", **options)
    attend = functools.partial(attention_with_lse, path="fused", **options)
    with torch.no_grad():
        plain = attend(*inputs)
    with torch.inference_mode():
        inference = attend(*(x + 0 for x in inputs))
    again = checkpoint(attend, *inputs, use_reentrant=False)
    for found in (plain, inference, again):
        same([x.clone() for x in found], expected, 1e-12)
    assert not plain[0].requires_grad
    assert not plain[1].requires_grad
    same(*(torch.autograd.grad(sum(x.sin().sum() for x in found), inputs) for found in (again, expected)), 1e-12)
    assert kernel


@pytest.mark.parametrize("path", ["auto", "fused", "blocks", "readable"])
@pytest.mark.parametrize("wanted", [False, True])
def test_where_nobody_may_set_hooks_for_what_a_gradient_needs_it_is_the_same(wanted, path):
    inputs = tensors((2, 6, 7, 4), (2, 3, 7, 4), (2, 3, 7, 2), wanted=wanted)
    expected = attention_with_lse(*inputs, path="readable")
    with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        found = attention_with_lse(*inputs, path=path)
    same(found, expected, 1e-12)
    if wanted:
        same(*(torch.autograd.grad(sum(x.sin().sum() for x in pair), inputs) for pair in (found, expected)), 1e-12)


def test_where_the_kernel_keeps_no_lse_blocks_are_taken(kernel):
    """For a bias that wants a gradient torch takes another kernel; no node of its graph has the lse."""
    q, k, v, u = tensors((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 4), (5, 7), wanted=True)
    same(*(with_gradients((q, k, v), {"log_prior": u}, path) for path in ("fused", "readable")), 1e-12)
    assert kernel


@pytest.mark.parametrize("large", [1e30, nan])
def test_scores_too_large_for_the_kernel_are_computed_as_defined(large, kernel):
    q, k, v = tensors((3, 5, 4), (3, 7, 4), (3, 7, 4))
    q[0, 2] = large
    found, expected = (attention_with_lse(q, k, v, path=path) for path in ("fused", "readable"))
    torch.testing.assert_close(found, expected, equal_nan=True)
    assert not kernel


@pytest.mark.parametrize("path", ["fused", "blocks", "auto"])
@pytest.mark.parametrize("options", [{}, {"causal": True, "offset": 3}], ids=", ".join)
def test_an_item_of_which_every_real_key_has_a_prior_of_zero_has_an_lse_of_minus_infinity(path, options):
    more = {"prior": torch.tensor([0.0, 0, 1, 2]).double(), "lengths": torch.tensor([2, 4, 1])}
    inputs = tensors((3, 2, 5, 7), (3, 2, 4, 7), (3, 2, 4, 11))
    found, expected = (attention_with_lse(*inputs, path=p, **options, **more) for p in (path, "readable"))
    same(found, expected)
    assert (found[1][[0, 2]] == -inf).all()
