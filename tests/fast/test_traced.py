"""A program that torch records gives for other values, and other sizes, what a call does; or it is refused."""

import math
import warnings

import pytest
from attending import random
from maps import FUNCTIONS, NAMES, TAKE_A_PRIOR
from needs_torch import torch
from torch.fx.experimental.proxy_tensor import make_fx

import lib
from lib import attention, entmax, sparsemax
from lib.fast import kernels

inf = math.inf
EXAMPLE, OTHER, LARGER = (torch.tensor(x) for x in random((5, 7), (5, 7), (11, 13)))
OTHER[1, :3] = 3.0  # ties
LOOPS = [  # which run to an end that depends on the values
    lambda s: entmax(s, alpha=1.3),
    lambda s: entmax(s, alpha=2.5, axis=0),
    lambda s: entmax(s, alpha=1 + s[:, :1].sigmoid(), where=s > -1),
    lambda s: lib.beta_for_kl(s, 0.1),
]
MAPS = [
    *FUNCTIONS,
    *(lambda s, f=f: f(s, 0.7, where=s > -1, axis=0) for f in FUNCTIONS),
    *(lambda s, f=f: f(s, s[:, :1].sigmoid()) for f in FUNCTIONS),
    lambda s: entmax(s, prior=s.exp()) + sparsemax(s, prior=s.exp()) + lib.softmax(s, prior=s.exp()),
    lambda s: lib.log_softmax(s, where=s > -1).exp() + lib.log_partition(s)[:, None],
]
MASKS = [
    lambda s: lib.causal_mask(*s.shape, like=s) * s + lib.window_mask(*s.shape, window=2, like=s),
    lambda s: lib.padding_mask((s[:, 0] > 0).long() + 2, s.shape[1])[:, 0] * s,
    lambda s: lib.attention_distance(s.softmax(-1)) + lib.entropy(s.softmax(-1)),
    lambda s: lib.entmax_vjp(s.softmax(-1), s) + lib.softmax_jacobian(s.softmax(-1)).sum(-1),
]
ATTENTION = [
    *(lambda s, n=n: attention(s, s, s, weights=n) for n in NAMES),
    *(lambda s, n=n: attention(s[:2], s, s, weights=n, causal=True) for n in NAMES),
    *(lambda s, n=n: attention(s, s, s, weights=n, log_prior=s[:, 0]) for n in TAKE_A_PRIOR),
    lambda s: attention(s[None, None].expand(3, 4, -1, -1), s[None].expand(3, 2, -1, -1), s[None], causal=True),
    lambda s: attention(s[None], s[None], s[None], lengths=(s[:1, 0] > 0).long() + 2, path="fused"),
    lambda s: attention(s, s, s, window=2, path="fused"),
    lambda s: lib.attention_with_lse(s, s, s, causal=True)[1],
    lambda s: lib.merge_attention([s, 2 * s], [s[:, 0], s[:, 1]])[0],
    lambda s: lib.linear_attention(s, s, s, causal=True),
]
NUMBERS = [  # that come from a size
    lambda s: lib.softmax(s, s.shape[1] ** -0.5) + lib.log_softmax(s, s.shape[1] ** -0.5),
    lambda s: lib.log_partition(s, s.shape[1] ** -0.5) + lib.beta_for_kl(s, 1 / s.shape[1]),
    lambda s: entmax(s, alpha=1 + 1 / s.shape[1]) + lib.sigmoid_weights(s, bias=-(s.shape[1] ** 0.5)),
    lambda s: lib.softmax_vjp(s.softmax(-1), s, s.shape[1] ** -0.5),
    lambda s: attention(s, s, s, beta=2 * s.shape[1] ** -0.5),
]
CALLS = {"loops": LOOPS, "maps": MAPS, "masks": MASKS, "attention": ATTENTION, "numbers": NUMBERS}


def exported(f, example):
    class Module(torch.nn.Module):
        def forward(self, s):
            return f(s)

    any_size = {"s": {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}}
    return torch.export.export(Module(), (example,), dynamic_shapes=any_size, strict=False).module()


TRACERS = {  # {name: how it records, and whether its programs are for other sizes, too}
    "make_fx": (lambda f, x: make_fx(f)(x), False),
    "symbolic": (lambda f, x: make_fx(f, tracing_mode="symbolic")(x), True),
    "trace": (lambda f, x: torch.jit.trace(f, (x,), check_trace=False), True),
    "export": (exported, True),
}


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("tracer", TRACERS)
def test_a_traced_program_holds_no_value_of_its_example(tracer, kind):
    record, any_size = TRACERS[tracer]
    tol = 1e-6 if (tracer, kind) == ("trace", "numbers") else 1e-10  # there what a size gives is in float32

    def f(s):
        return tuple(call(s) for call in CALLS[kind])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own, of sizes that it may take for constants
        program = record(f, EXAMPLE)
        for x in (OTHER, LARGER) if any_size else (OTHER,):
            for got, want in zip(program(x), f(x), strict=True):
                torch.testing.assert_close(got, want, rtol=tol, atol=tol, equal_nan=True)


@pytest.mark.parametrize("smallest", [inf, 0])  # few entries are sorted, many go to kernels
def test_nor_does_the_program_of_a_gradient(smallest, monkeypatch):
    monkeypatch.setattr(kernels, "SMALLEST", smallest)

    def f(s):
        x = s.detach().requires_grad_()
        return torch.autograd.grad(sparsemax(x).square().sum(), x)[0]

    torch.testing.assert_close(make_fx(f)(EXAMPLE)(OTHER), f(OTHER), rtol=1e-10, atol=1e-10)


def test_a_search_that_has_not_arrived_when_its_program_ends_gives_nan():
    scores = torch.tensor([[-0.1, 15.12, 0.49]] * 2, dtype=torch.float64)
    prior = torch.tensor([1e2, 1e-19, 1e-3], dtype=torch.float64)
    budgets = torch.tensor([1e-8, 1e-2], dtype=torch.float64)  # for the first it takes 43 steps
    program = make_fx(lambda e: lib.beta_for_kl(scores, e, prior=prior))(budgets)
    assert program(budgets).isnan().tolist() == [True, False]
    torch.testing.assert_close(program(budgets)[1], lib.beta_for_kl(scores, budgets, prior=prior)[1])


def test_a_mode_that_follows_operations_sees_those_of_every_map():
    """A kernel that is called through NumPy would be hidden to it."""

    class Names(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    for shape in ((3, 5), (257, 263)):
        seen = []
        with Names():
            sparsemax(torch.ones(shape))
        assert any("sum" in name or "sort" in name for name in seen), shape
