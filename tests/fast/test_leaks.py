"""Nothing that a call was given or has made stays in memory, however its gradient is asked for, if at all."""

import ctypes
import functools
import gc
import weakref
from pathlib import Path

import pytest
from calls import calls
from maps import NAMES
from needs_torch import torch
from torch.autograd import grad
from torch.utils.checkpoint import checkpoint

import lib
from lib import attention, attention_with_lse, entmax, linear_attention, merge_attention
from lib.fast import kernels

STATM = Path("/proc/self/statm")
pytestmark = pytest.mark.skipif(not STATM.exists(), reason="memory is read from Linux's /proc")
PAGE, MB = 4096, 2**20
# Three rows, queries or keys, 120 KB in all: little to do, but 6 MB and more if one array of each call is kept.
ROWS, CALLS, LIMIT = (3, 5003), 50, 2 * MB


def one_backward(f, *inputs):
    f(*inputs).sum().backward()


def backward_with_the_graph_retained(f, *inputs):
    f(*inputs).sum().backward(retain_graph=True)


def gradient_with_a_graph_of_its_own(f, *inputs):
    grad(f(*inputs).sum(), inputs, create_graph=True, allow_unused=True)


def checkpointed(f, *inputs):
    checkpoint(f, *inputs, use_reentrant=False).sum().backward()


def no_backward(f, *inputs):
    f(*inputs)


WITHOUT = {"no_grad": torch.no_grad, "inference_mode": torch.inference_mode}
MODES = [*WITHOUT, no_backward, one_backward, backward_with_the_graph_retained]
MODES += [gradient_with_a_graph_of_its_own, checkpointed]


# What the program no longer uses goes back to the system; in another library than glibc there is no such function.
give_back = getattr(ctypes.CDLL(None), "malloc_trim", int)


@pytest.fixture(scope="module", autouse=True)
def all_is_looked_at_again():
    """By the collector, to which it would take too long while these tests run."""
    yield
    gc.unfreeze()


def kept_by(f, inputs, mode):
    """How much more memory is in use, in bytes, after so many calls of `f` with inputs of their own."""

    def calls(count):
        for _ in range(count):
            if mode in WITHOUT:
                with WITHOUT[mode]():
                    f(*(x.clone() for x in inputs))
            else:
                mode(f, *(x.clone().requires_grad_() for x in inputs))
        gc.collect()
        give_back(0)
        return int(STATM.read_text().split()[1]) * PAGE

    now = calls(4)
    gc.freeze()
    for _ in range(3):  # what is kept of each call is there each time; what is set up once is not
        before, now = now, calls(CALLS)
        if now - before < LIMIT:
            break
    return now - before


X = torch.rand(ROWS, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
P = X.softmax(-1)
OF_ROWS = {name: call.function for name, call in calls().items() if not call.takes("grad")}
OF_ROWS |= {
    "sparsemax by a kernel": lib.sparsemax,
    "entmax by a kernel, a gradient of alpha": lambda s: entmax(s, alpha=1.3 + 0.1 * s[:, :1].sigmoid()),
    "entmax at 1.3": lambda s: entmax(s, alpha=2.5),  # by Newton's method
    "kl_divergence": lambda s: lib.kl_divergence(s, P),
    "objective": lambda s: lib.objective(P, s, 0.7),
    "beta_for_kl": lambda s: lib.beta_for_kl(s[:, :37], 0.1),
    "softmax_jacobian": lambda s: lib.softmax_jacobian(s[:, :37]),
    **{f.__name__: lambda s, f=f: f(P, s) for f in (lib.softmax_vjp, lib.sparsemax_vjp, lib.entmax_vjp)},
    "attention_distance": lib.attention_distance,
    "merge_attention": lambda s: merge_attention([s, 2 * s], [s[:, 0], s[:, 1]])[0],
}
MASKS = {
    "causal_mask": lambda: lib.causal_mask(*ROWS, like=X),
    "window_mask": lambda: lib.window_mask(*ROWS, window=5, like=X),
    "padding_mask": lambda: lib.padding_mask(torch.tensor([3, 5, 7]), 5003),
}


def by(path, name):
    return functools.partial(attention, path=path, weights=name, causal=True)


def lse(path):
    return lambda *inputs: torch.cat([x.reshape(-1) for x in attention_with_lse(*inputs, path=path)])


PATHS = ("auto", "fused", "blocks", "readable")
FUSED = ("softmax", "sparsemax", "entmax")  # by a kernel, which refuses a gradient's own graph
ATTENTION = {f"{name}, {p}": by(p, name) for name in NAMES for p in PATHS if p != "fused" or name in FUSED}
ATTENTION |= {f"lse, {p}": lse(p) for p in PATHS} | {"linear": linear_attention}


named = functools.partial(pytest.mark.parametrize, ids=lambda x: getattr(x, "__name__", x))


@named("mode", MODES)
@named("name", OF_ROWS)
def test_no_function_of_rows_keeps_anything(name, mode, monkeypatch):
    if "kernel" in name:
        monkeypatch.setattr(kernels, "SMALLEST", 0)
    assert kept_by(OF_ROWS[name], [P], mode) < LIMIT


@named("name", MASKS)
def test_no_mask_is_kept(name):
    assert kept_by(MASKS[name], [], "no_grad") < LIMIT


@named("mode", MODES)
@named("name", ATTENTION)
def test_no_path_of_attention_keeps_anything(name, mode, monkeypatch):
    if name.endswith("fused") and mode is gradient_with_a_graph_of_its_own:
        pytest.skip("the kernel has no second derivative")
    monkeypatch.setattr(kernels, "SMALLEST", 0)
    monkeypatch.setattr(kernels, "FEWEST", 0)
    inputs = [X.reshape(1, 1, 5003, 3) if name == "linear" else X[None, None]] * 3
    assert kept_by(ATTENTION[name], inputs, mode) < LIMIT


def test_a_gradient_that_has_passed_and_an_argument_of_a_second_derivative_are_not_kept():
    q, k, v = (x.requires_grad_() for x in torch.rand(3, 2, 3, 5, 2))
    output = attention(q, k, v)
    arriving = torch.ones_like(output)
    grad(output, q, arriving)
    left = weakref.ref(arriving)
    del arriving
    assert left() is None, "while the output is still there"
    for path in ("readable", "auto"):
        q, k, v = (x.clone().requires_grad_() for x in torch.rand(3, 2, 3, 5, 2))
        (slope,) = grad(attention(q, k, v, path=path).square().sum(), q, create_graph=True)
        slope.square().sum().backward()
        left = weakref.ref(k)
        del q, k, v, slope
        gc.collect()
        assert left() is None
