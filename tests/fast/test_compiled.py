"""torch.compile(fullgraph=True) gives every map and attention by it the values and gradients of a plain call."""

import functools
import math
import os
import shutil
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path

import numpy as np
import pytest
from attending import random
from calls import CALLS
from maps import FUNCTIONS, NAMES
from needs_torch import torch
from torch._dynamo.testing import CompileCounter

import lib
from lib import attention, entmax, sparsemax

inf = math.inf
# torch's own, of torch.jit when it is first used, and in inductor
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

LENGTHS, OFFSETS = torch.tensor([6, 4]), torch.tensor([1, 3])
WHERE = torch.tensor([[True] * 6, [True, False, True, True, False, True], [False] * 6])


# inductor writes C++ against Python's headers; many a system has neither. On CI a missing one is a failure.
needs_a_compiler = pytest.mark.skipif(
    not (shutil.which("g++") and Path(sysconfig.get_path("include"), "Python.h").exists())
    and os.environ.get("CI") != "true"
    and sys.platform != "darwin",
    reason="inductor needs g++ and Python's headers",
)


def leaf(*shape, seed=0, positive=False):
    (x,) = random(shape, seed=seed)
    x = torch.tensor(x)
    return (x.abs() + 0.2 if positive else x).requires_grad_()


def compiled(f, backend="aot_eager", **options):
    torch.compiler.reset()
    return torch.compile(f, backend=backend, fullgraph=True, **options)


def results(call, inputs):
    """The outputs, a list, and the gradients in the inputs of all of them together."""
    torch.manual_seed(3)
    outputs = [x if x.is_floating_point() else x.double() for x in call(*inputs)]
    directions = [torch.tensor(random(tuple(x.shape), seed=k)[0]) for k, x in enumerate(outputs)]
    total = sum((torch.where(x.isfinite(), x, 0.0) * d).sum() for x, d in zip(outputs, directions, strict=True))
    return *outputs, *torch.autograd.grad(total, [x for x in inputs if x.requires_grad])


def same(calls, *inputs, tol=1e-10, **options):
    """All the calls in one graph give what they give one by one."""

    def f(*inputs):
        return [call(*inputs) for call in calls]

    got, wanted = results(compiled(f, **options), inputs), results(f, inputs)
    for x, y in zip(got, wanted, strict=True):
        torch.testing.assert_close(x, y, rtol=tol, atol=tol)


# ---- every function

ALONG_AXIS_0 = [lambda s, f=f: f(s, 0.7, axis=0) for f in (*FUNCTIONS, lib.log_softmax, lib.log_partition)]
OTHERS = [
    *ALONG_AXIS_0,
    lambda s: entmax(s, alpha=1.0, beta=0.7) + entmax(s.detach(), alpha=1.3, beta=inf),
    lambda s: lib.softmax(s, prior=s[0].exp()),
    lambda s: lib.causal_mask(*s.shape, like=s) & lib.window_mask(*s.shape, window=2, like=s),
    lambda s: lib.padding_mask(LENGTHS, 6),
]


OF_ROWS = {name: call for name, call in CALLS.items() if "attention" not in name}
KINDS = {  # all of one kind go into one graph, which for most of them takes long to make
    "maps": [call for call in OF_ROWS.values() if call.takes("where") and "alpha" not in call.arguments][:8],
    "rows": [*OF_ROWS.values()],
    "attention": [call for name, call in CALLS.items() if name not in OF_ROWS],
}


nightly = functools.partial(pytest.param, marks=pytest.mark.nightly)


@pytest.mark.parametrize("kind", ["maps", nightly("rows"), nightly("attention")])
def test_every_function_is_compiled(kind):
    """With the gradients in all of their arrays."""
    chosen = KINDS[kind]
    leaves, parts = [], []
    for call in chosen:
        rest = {key: torch.tensor(x) if isinstance(x, np.ndarray) else x for key, x in call.rest.items()}
        parts.append((call.function, [*call.floats], rest))
        leaves += [torch.tensor(x, requires_grad=True) for x in call.floats.values()]

    def every(*leaves):
        left, outputs = iter(leaves), []
        for function, keys, rest in parts:
            results = function(**{key: next(left) for key in keys}, **rest)
            outputs += results if isinstance(results, tuple) else [results]
        return outputs

    for x, y in zip(results(compiled(every), leaves), results(every, leaves), strict=True):
        torch.testing.assert_close(x, y, rtol=1e-10, atol=1e-10)
    if kind == "rows":
        same(OTHERS, leaf(3, 6))


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_many_rows_are_compiled_too_though_no_kernel_of_ours_can_be(dtype):
    scores = leaf(300, 300).detach().to(dtype).requires_grad_()
    calls = [
        lambda s: entmax(s, alpha=1.3, beta=torch.full((300, 1), 0.7), where=torch.arange(300) > 5).double(),
        lambda s: sparsemax(s, 2.0, prior=torch.arange(1.0, 301.0)[:, None], axis=0).double(),
    ]
    same(calls, scores, tol={torch.float64: 1e-10, torch.float32: 1e-6, torch.bfloat16: 1e-2}[dtype])


@pytest.mark.nightly
def test_awkward_rows_are_compiled_with_their_due():
    rows = torch.tensor([[1.0, 2.0, -inf], [1.0, inf, inf], [-inf, -inf, -inf], [1e30, -1e30, 1e30]])
    many = rows.repeat(6000, 1)
    same([lambda s: entmax(s, alpha=1.3), lambda s: sparsemax(s, -1.0)], rows.clone().requires_grad_())
    same([lambda s: entmax(s, alpha=1.3), lambda s: sparsemax(s, -1.0)], many.requires_grad_(), tol=1e-6)


# ---- attention

OPTIONS = [
    {"causal": True},
    {"window": 3, "offset": OFFSETS, "lengths": LENGTHS},
    {"where": torch.arange(70).reshape(2, 1, 5, 7) % 3 > 0},
]
PRIORS = [{"prior": torch.arange(7.0)}, {"log_prior": -torch.arange(35.0).reshape(5, 7) / 9}]


def inputs(learned=True):
    beta = torch.linspace(0.3, 0.9, 4, dtype=torch.float64)[:, None, None].requires_grad_(learned)
    return leaf(2, 4, 5, 4), leaf(2, 2, 7, 4, seed=1), leaf(2, 2, 7, 3, seed=2), beta


def asked(name, path, learned=True, **options):
    return lambda q, k, v, b: attention(q, k, v, beta=b if learned else 0.7, weights=name, path=path, **options)


@pytest.mark.parametrize("name", ["softmax", "entmax", nightly("sparsemax")])
def test_attention_is_compiled_with_priors_and_masks(name):
    calls = [asked(name, "readable", **options) for options in PRIORS]
    path = "fused" if name == "softmax" else "auto"
    calls += [asked(name, path, name == "softmax", **options) for options in (*OPTIONS, *PRIORS)]
    same([*calls, lambda q, k, v, b: b.sum()], *inputs())


@pytest.mark.nightly
def test_attention_is_compiled_with_a_callable_and_the_weights_handed_out():
    calls = [
        lambda q, k, v, a: attention(
            q, k, v, weights=lambda s, beta, where, axis: entmax(s, alpha=1.3, beta=beta, where=where, axis=axis)
        ),
        lambda q, k, v, a: torch.cat(attention(q, k, v, weights="sparsemax", return_weights=True), -1),
        lambda q, k, v, a: a.sum(),
    ]
    same(calls, *inputs())


def test_a_log_prior_of_any_width_is_compiled():
    """The values are not known when the path is chosen; the exponential of these is no float64."""
    log_prior = -300.0 * torch.arange(7.0, dtype=torch.float64) - torch.arange(5.0)[:, None]
    options = {"log_prior": log_prior, "lengths": LENGTHS, "where": torch.arange(7) > 1}
    (q, k, v, b), f = inputs(), asked("entmax", "auto", learned=False, **options)
    got = compiled(f)(q, k, v, b)
    torch.testing.assert_close(got, asked("entmax", "readable", learned=False, **options)(q, k, v, b))


# ---- dropout


def test_compiled_dropout_is_that_of_a_plain_call_under_the_same_seed():
    same([asked("entmax", "readable", learned=False, dropout=0.3), lambda q, k, v, b: b.sum()], *inputs())


@pytest.mark.parametrize("path", ["readable", "auto"])
def test_compiled_dropout_is_drawn_anew_in_every_call(path):
    q, k, v = torch.zeros(1, 30, 4), torch.zeros(1, 40, 4), torch.eye(40)[None]
    f = compiled(lambda q, k, v: attention(q, k, v, weights="entmax", dropout=0.5, path=path))
    first, second = f(q, k, v) > 0, f(q, k, v) > 0
    assert 0.4 < first.double().mean() < 0.6
    assert 0.4 < (first == second).double().mean() < 0.6


# ---- other ways to compile


@pytest.mark.nightly
def test_vmap_within_a_compiled_graph_is_a_loop():
    scores, alphas = leaf(4, 3, 6), torch.tensor([1.2, 1.5, 2.0, 2.2], dtype=torch.float64)

    def f(s, a):
        each = torch.func.vmap(lambda row, order: entmax(row, alpha=order, where=WHERE))(s, a)
        return [each, torch.func.vmap(lambda a: entmax(s[0], alpha=a))(a), torch.func.vmap(sparsemax, 1)(s)]

    got = compiled(f)(scores.detach(), alphas)
    wanted = f(scores.detach(), alphas)
    torch.testing.assert_close(got, wanted)
    budgets = torch.tensor([0.1, 0.2], dtype=torch.float64)
    over_budgets = torch.func.vmap(lambda e: lib.beta_for_kl(scores[0].detach(), e))
    torch.testing.assert_close(compiled(over_budgets)(budgets), over_budgets(budgets))


@pytest.mark.nightly
def test_compiled_for_any_shape_gives_the_same_values_and_gradients():
    torch.compiler.reset()
    rows = torch.compile(lambda s: sparsemax(s, 0.7), backend="aot_eager", fullgraph=True, dynamic=True)
    attend = torch.compile(asked("entmax", "auto", False), backend="aot_eager", fullgraph=True, dynamic=True)
    for n in (300, 400):
        (slope,) = torch.autograd.grad(rows(x := leaf(n, 301)).square().sum(), x)
        torch.testing.assert_close(slope, torch.autograd.grad(sparsemax(x, 0.7).square().sum(), x)[0])
    for n in (5, 6):
        x = leaf(2, n, 4), leaf(2, n + 2, 4), leaf(2, n + 2, 3)
        found, wanted = (
            torch.autograd.grad(f(*x, None).square().sum(), x) for f in (attend, asked("entmax", "auto", False))
        )
        for a, b in zip(found, wanted, strict=True):
            torch.testing.assert_close(a, b)


@pytest.mark.nightly
@needs_a_compiler
def test_the_generated_code_of_inductor_gives_the_same():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # inductor's own
        calls = [asked("entmax", "auto", False, causal=True), asked("sparsemax", "readable")]
        same(calls, *inputs(), backend="inductor")
        rows = torch.tensor([[1.0, 2.0, -inf], [1.0, inf, inf], [1.0, 2.0, 3.0], [1e30, -1e30, 1e30]])
        where = torch.tensor([[True] * 3, [True] * 3, [False] * 3, [True] * 3])
        same([lambda s: lib.softmax(s, 0.7, where=where)], rows.requires_grad_(), tol=1e-6, backend="inductor")


def test_nothing_is_compiled_by_plain_calls():
    code = """
import sys, torch, lib
x = torch.randn(300, 300, requires_grad=True)
lib.sparsemax(x).sum().backward(), lib.attention(x, x, x, weights="entmax").sum().backward()
lib.beta_for_kl(x, 0.1), lib.entmax(x[:3], alpha=1.3)
print(*[name for name in sys.modules if name == "torch._dynamo"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


# ---- numbers that change from call to call


def graphs_of(f, calls):
    """How many graphs `torch.compile` makes of `f` for all the calls, in each of which it gives what `f` gives."""
    count = CompileCounter()
    torch.compiler.reset()
    quick = torch.compile(f, backend=count, fullgraph=True)
    for arguments in calls:
        torch.testing.assert_close(quick(*arguments), f(*arguments), rtol=1e-10, atol=1e-10)
    return count.frame_count


SIZES = [(batch, 2, n, 4) for batch, n in zip(range(2, 14), (6, 7, 5, 9) * 3, strict=True)]


OF_SIZES = [
    *(lambda x, name=name: attention(x, x, x, weights=name, causal=True) for name in NAMES),
    *(lambda x, f=f: f(x[:, 0, 0]) for f in FUNCTIONS),
    lambda x: attention(x, x, x, path="fused"),
    lambda x: attention(x[:, :, :3], x, x, window=2, lengths=torch.arange(x.shape[0]), offset=1, path="fused"),
    lambda x: lib.attention_with_lse(x, x, x)[1],
    lambda x: lib.merge_attention([x, 2 * x], [x[..., 0], x[..., 1]])[0],
    lambda x: lib.linear_attention(x, x, x, causal=True),
    lambda x: lib.log_softmax(x) + lib.log_partition(x)[..., None],
    lambda x: lib.attention_distance(x.softmax(-1)),
    lambda x: entmax(x, alpha=1.3, where=lib.causal_mask(x.shape[2], 4, like=x)),
]
OF_NUMBERS = [
    lambda s, x: entmax(s, alpha=1.1 + x),
    lambda s, x: entmax(s, x),
    lambda s, x: lib.softmax(s, x) + lib.log_softmax(s, x) + lib.sigmoid_weights(s, bias=x),
    lambda s, x: lib.entmax_vjp(s.softmax(-1), s, x, alpha=1 + x),
    lambda s, x: attention(s, s, s, beta=x),
    lambda s, x: attention(s, s, s, beta=x, path="fused"),
    lambda s, x: attention(s, s, s, weights="entmax", alpha=1.1 + x),
    lambda s, x: attention(s, s, s, window=int(10 * x) + 2),
    lambda s, x: attention(s, s[:5], s[:5], causal=True, offset=int(10 * x)),
    lambda s, x: lib.beta_for_kl(s, x / 9),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("f", "most"), [*((f, 2) for f in OF_SIZES), *((f, 3) for f in OF_NUMBERS)])
def test_a_few_graphs_are_enough_for_all_sizes_and_for_all_values_of_a_number(f, most):
    """More than eight for one line of a program and torch gives up."""
    scores = leaf(7, 6).detach()
    sizes, numbers = [(leaf(*shape).detach(),) for shape in SIZES], [(scores, 0.1 + k / 40) for k in range(12)]
    assert graphs_of(f, sizes if f in OF_SIZES else numbers) <= most
