"""The maps on rows: sparsemax and entmax against the package entmax, softmax against SciPy and torch."""

import functools

import entmax
import numpy as np
import scipy.special
import torch

import lib
from bench.measure import Case, Pair, timed_call

SHAPES = ((4096, 1024), (256, 16384))
SPREADS = {"sparse": 2.0, "dense": 0.1}  # a few entries of a row have weight, or hundreds
TARGETS = {(2.0, "sparse"): 1 / 5, (1.5, "sparse"): 1 / 5, (2.0, "dense"): 1 / 4, (1.5, "dense"): 1 / 15}
OF_SOFTMAX = {2.0: 1.6, 1.5: 1.8}  # targets against torch.softmax, which reads and writes the same bytes
BETA = 0.7


def cases():
    for kind in SPREADS:
        for shape in SHAPES:
            at = f"{kind}, {shape[0]} × {shape[1]}"
            for library in ("NumPy", "torch"):
                for alpha in (2.0, 1.5):
                    setup = functools.partial(forward, alpha, library, shape, kind)
                    yield Case(
                        f"{title(alpha)}, {library}, {at}", "entmax, its best mode", TARGETS[alpha, kind], setup
                    )
            setup = functools.partial(forward, 1.3, "torch", shape, kind)
            yield Case(f"{title(1.3)}, torch, {at}", "entmax, bisection in 25", 1 / 15, setup)
            if kind == "sparse":
                for alpha, target in OF_SOFTMAX.items():
                    setup = functools.partial(forward, alpha, "torch", shape, kind, softmax=True)
                    yield Case(f"{title(alpha)} beside softmax, torch, {at}", "torch.softmax", target, setup)
        for alpha in (2.0, 1.5, 1.3):
            setup = functools.partial(backward, alpha, SHAPES[0], kind)
            yield Case(f"{title(alpha)} backward, torch, {kind}, 4096 × 1024", "entmax", 1 / 5, setup)
    for masked in (False, True):
        name = "softmax with where" if masked else "softmax"
        yield Case(f"{name}, NumPy, 4096 × 1024", "SciPy", 0.85, functools.partial(softmax_numpy, masked))
        yield Case(f"{name}, torch, 4096 × 1024", "torch.softmax", 1.3, functools.partial(softmax_torch, masked))


def title(alpha):
    return "sparsemax" if alpha == 2 else f"entmax {alpha:g}"


def scores(shape, kind):
    return (SPREADS[kind] * np.random.default_rng(0).normal(size=shape)).astype(np.float32)


def same(ours, peer):
    """Assert that both are equal, up to the peers' rounding."""
    np.testing.assert_allclose(np.asarray(ours), np.asarray(peer), rtol=0, atol=1e-5)


def copying(*tensors):
    """A call that copies these tensors."""
    copies = [torch.empty_like(x) for x in tensors]

    def call():
        for copy, x in zip(copies, tensors, strict=True):
            copy.copy_(x)

    return call


def forward(alpha, library, shape, kind, softmax=False):
    """Against the package, or against torch.softmax on the same scores."""
    x = scores(shape, kind)
    tensor = torch.from_numpy(x)
    given = x if library == "NumPy" else tensor
    mode = best_mode(alpha, tensor)
    pair = Pair(lambda: lib.entmax(given, alpha=alpha), lambda: mode(tensor), same, copy=copying(tensor))
    if softmax:
        pair = pair._replace(peer=lambda: torch.softmax(tensor, -1), reference=pair.peer)
    return pair


def best_mode(alpha, x):
    """Of the package's ways to the same weights, the one that is quickest on this input."""
    if alpha == 1.3:
        return lambda x: entmax.entmax_bisect(x, alpha, -1, n_iter=25)
    function = entmax.sparsemax if alpha == 2 else entmax.entmax15
    modes = [functools.partial(function, dim=-1, k=k) for k in (64, None)]
    return min(modes, key=lambda mode: min(timed_call(mode, x)[1] for _ in range(2)))


def backward(alpha, shape, kind):
    x = torch.from_numpy(scores(shape, kind)).requires_grad_()
    grad = torch.from_numpy(np.random.default_rng(1).normal(size=shape).astype(np.float32))
    outputs = lib.entmax(x, alpha=alpha), best_mode(alpha, x.detach())(x)
    ours, peer = (functools.partial(torch.autograd.grad, y, x, grad, retain_graph=True) for y in outputs)
    return Pair(lambda: ours()[0], lambda: peer()[0], same, copy=copying(outputs[0].detach(), grad))


def softmax_numpy(masked):
    x = scores(SHAPES[0], "sparse")
    copy = copying(torch.from_numpy(x))
    if not masked:
        return Pair(lambda: lib.softmax(x), lambda: scipy.special.softmax(x, -1), same, copy=copy)
    keep = np.random.default_rng(2).uniform(size=x.shape) < 0.8
    return Pair(
        lambda: lib.softmax(x, BETA, where=keep),
        lambda: scipy.special.softmax(np.where(keep, np.float32(BETA) * x, np.float32(-np.inf)), -1),
        same,
        copy=copy,
    )


def softmax_torch(masked):
    x = torch.from_numpy(scores(SHAPES[0], "sparse"))
    if not masked:
        return Pair(lambda: lib.softmax(x, BETA), lambda: torch.softmax(BETA * x, -1), same, copy=copying(x))
    keep = torch.from_numpy(np.random.default_rng(2).uniform(size=x.shape) < 0.8)
    return Pair(
        lambda: lib.softmax(x, BETA, where=keep),
        lambda: torch.softmax((BETA * x).masked_fill(~keep, -torch.inf), -1),
        same,
        copy=copying(x),
    )
