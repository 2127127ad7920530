"""The lse of every path is that of the readable one, its gradients too; the kernel's is taken where it can be."""

import functools
import math

import numpy as np
import pytest
from attending import case, random
from needs_torch import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint

from lib import attention, attention_with_lse
from lib.fast import kernel_call, query_blocks, sdpa

inf, nan = math.inf, math.nan


def tensors(*shapes, seed=0, wanted=False):
    return [torch.tensor(x, requires_grad=wanted) for x in random(*shapes, seed=seed)]


def same(actual, expected, tol=1e-12):
    torch.testing.assert_close(actual, expected, rtol=tol, atol=tol)


@pytest.fixture
def calls(monkeypatch):
    """How often torch's kernel was called during a test, as a list."""
    seen = []

    def spy(*args, **options):
        seen.append(args)
        return scaled_dot_product_attention(*args, **options)

    monkeypatch.setattr(kernel_call, "scaled_dot_product_attention", spy)
    return seen


def with_gradients(arrays, options, path, twice=False):
    """Output, lse, and the gradients of a combination of both in q, k, v and every float option."""
    leaves = {**dict(zip("qkv", arrays, strict=True)), **options}
    leaves = {name: torch.tensor(x) if isinstance(x, np.ndarray) else x for name, x in leaves.items()}
    floats = [x for x in leaves.values() if isinstance(x, torch.Tensor) and x.dtype == torch.float64]
    for x in floats:
        x.requires_grad_()
    output, lse = attention_with_lse(**leaves, path=path)
    seen = torch.where(lse == -inf, 0.0, lse)
    grads = torch.autograd.grad(output.sin().sum() + seen.cos().sum(), floats, create_graph=twice)
    if twice:
        grads = torch.autograd.grad(sum(x.square().sum() for x in grads), floats)
    return output.detach(), lse.detach(), *grads


@pytest.mark.parametrize("path", ["fused", "blocks", "auto"])
@pytest.mark.parametrize("few", [0, 1 << 19])
@pytest.mark.parametrize("seed", range(61))
def test_output_lse_and_gradients_are_those_of_the_readable_path(path, few, seed, monkeypatch):
    monkeypatch.setattr(sdpa, "FEW", few)
    monkeypatch.setattr(query_blocks, "AT_ONCE", 2 * 2 * 6 * 7)
    arrays, options, _, _ = case(seed)
    for got, expected in zip(*(with_gradients(arrays, options, p) for p in (path, "readable")), strict=True):
        same(got, expected)


@pytest.mark.parametrize("seed", range(0, 61, 7))
def test_second_derivatives_are_those_of_the_readable_path(seed):
    arrays, options, _, _ = case(seed)
    got, expected = (with_gradients(arrays, options, path, twice=True) for path in ("auto", "readable"))
    for a, b in zip(got, expected, strict=True):
        same(a, b, tol=1e-11)
    with pytest.raises(RuntimeError, match=r'path="fused" has first-order gradients alone; .*path="readable"'):
        with_gradients(arrays, {}, "fused", twice=True)


def test_a_gradient_of_the_lse_alone_or_of_some_arguments_alone(calls):
    for wanted in ("q", "k", "qk", "qkv"):
        inputs = dict(zip("qkv", tensors((2, 6, 5, 4), (2, 3, 5, 4), (2, 3, 5, 4)), strict=True))
        leaves = [inputs[name].requires_grad_() for name in wanted]
        slopes = []
        for path in ("fused", "readable"):
            lse = attention_with_lse(**inputs, causal=True, path=path)[1]
            slopes.append(torch.autograd.grad(lse.square().sum(), leaves, allow_unused=True))
        for got, expected in zip(*slopes, strict=True):
            same(got if got is not None else torch.zeros(2, 3, 5, 4), expected if expected is not None else got)
    calls.clear()
    output, _ = attention_with_lse(**inputs, path="fused")
    output.sum().backward()
    assert len(calls) == 1  # where nobody asks for the gradient of the lse, it costs nothing


@pytest.mark.parametrize(
    "options", [{}, {"causal": True}, {"window": 3}, {"lengths": torch.tensor([5, 2])}], ids=str
)
def test_the_kernel_is_called_as_often_as_by_attention(options, calls):
    inputs = tensors((2, 6, 7, 4), (2, 3, 7, 4), (2, 3, 7, 2))
    output, lse = attention_with_lse(*inputs, **options)
    ours = len(calls)
    same(output, attention(*inputs, **options))
    assert len(calls) == 2 * ours > 0
    assert not output.requires_grad
    assert not lse.requires_grad


@pytest.mark.parametrize(
    "options", [{}, {"where": torch.arange(7) > 2}, {"log_prior": torch.arange(7.0)}], ids=str
)
def test_without_gradients_in_inference_mode_and_when_checkpointed_it_is_the_same(options, calls):
    inputs = tensors((2, 6, 7, 4), (2, 3, 7, 4), (2, 3, 7, 2), wanted=True)
    expected = attention_with_lse(*inputs, path="readable", **options)
    attend = functools.partial(attention_with_lse, path="fused", **options)
    with torch.no_grad():
        plain = attend(*inputs)
    with torch.inference_mode():
        inference = attend(*(x + 0 for x in inputs))
    again = checkpoint(attend, *inputs, use_reentrant=False)
    for found in (plain, inference, again):
        for got, right in zip(found, expected, strict=True):
            same(got.clone(), right)
    assert not plain[0].requires_grad
    assert not plain[1].requires_grad
    slopes = (torch.autograd.grad(sum(x.sin().sum() for x in found), inputs) for found in (again, expected))
    for got, right in zip(*slopes, strict=True):
        same(got, right)
    assert calls


def test_where_the_kernel_keeps_no_lse_blocks_are_taken(calls, monkeypatch):
    """For a bias that wants a gradient torch takes another kernel; no node of its graph has the lse."""
    q, k, v, u = tensors((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 4), (5, 7), wanted=True)
    found = [with_gradients((q, k, v), {"log_prior": u}, path) for path in ("fused", "readable")]
    for got, expected in zip(*found, strict=True):
        same(got, expected)
    assert calls


@pytest.mark.parametrize("large", [1e30, nan])
def test_scores_too_large_for_the_kernel_are_computed_as_defined(large, calls):
    q, k, v = tensors((3, 5, 4), (3, 7, 4), (3, 7, 4))
    q[0, 2] = large
    for got, expected in zip(*(attention_with_lse(q, k, v, path=p) for p in ("fused", "readable")), strict=True):
        torch.testing.assert_close(got, expected, equal_nan=True)
    assert not calls


def test_what_the_kernel_has_no_lse_for_is_refused_by_name():
    q, k, v = (x.float() for x in tensors((3, 5, 4), (3, 7, 4), (3, 7, 4)))
    wide = {"log_prior": torch.zeros(7, dtype=torch.float64)}
    with pytest.raises(ValueError, match=r'path="fused" cannot be taken with a beta or prior of a wider dtype'):
        attention_with_lse(q, k, v, path="fused", **wide)
    output, lse = attention_with_lse(q, k, v, **wide)
    assert (output.dtype, lse.dtype) == (torch.float32, torch.float64)
    with pytest.raises(ValueError, match=r'path="fused" cannot be taken on device meta'):
        attention_with_lse(*(x.to("meta") for x in (q, k, v)), path="fused")
    with pytest.raises(ValueError, match=r'path="blocks" cannot be taken under a transform of torch\.func'):
        torch.func.vmap(lambda q: attention_with_lse(q, k[0], v[0], path="blocks"))(q)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_single_by_the_kernel_too(dtype, calls):
    q, k, v = (x.to(dtype) for x in tensors((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 2)))
    output, lse = attention_with_lse(q, k, v, path="fused")
    expected, right = attention_with_lse(*(x.double() for x in (q, k, v)), path="readable")
    assert (output.dtype, lse.dtype, calls[0][0].dtype) == (dtype, torch.float32, torch.float32)
    torch.testing.assert_close(lse.double(), right, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(output.double(), expected, rtol=torch.finfo(dtype).eps, atol=1e-6)
