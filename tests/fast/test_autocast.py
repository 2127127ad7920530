"""Under `torch.autocast` attention gives the dtype that torch's does, at the accuracy that `lib` has outside."""

import functools
import itertools

import numpy as np
import pytest
from calls import CALLS, named
from maps import NAMES, TAKE_A_PRIOR
from needs_torch import torch
from torch.utils.checkpoint import checkpoint

import lib

HALVES = [torch.bfloat16, torch.float16]
PATHS = ["readable", "blocks", "fused", "auto"]
MAPS = {name: {} for name in NAMES} | {"entmax": {"alpha": 1.3}}
either_half = pytest.mark.parametrize("half", HALVES, ids=str)


def autocast(half, enabled=True):
    return torch.autocast("cpu", half, enabled=enabled)


def qkv(*shapes, spread=1.0, dtype=torch.float32, seed=0):
    generator = torch.Generator().manual_seed(seed)
    shapes = shapes or [(2, 3, 40, 16)] * 3
    return [(spread * torch.randn(shape, generator=generator)).to(dtype).requires_grad_() for shape in shapes]


def wide(x):
    return x.detach().double().requires_grad_(x.requires_grad)


def roundings(x, half):
    """How far a tensor in float32 may be from exact for its rounding to `half`, and a few of its own, at most."""
    x = x.detach().abs()
    return torch.finfo(half).eps / 2 * x + 2e-5 * max(1.0, float(x.max()))


def is_rounded(found, exact, half):
    assert found.dtype == half
    assert bool(((found.double() - exact).detach().abs() <= roundings(exact, half)).all())


def are_close(found, exact, tolerance=3e-5):
    for x, y in zip(found, exact, strict=True):
        assert x.dtype == torch.float32
        assert float((x - y).detach().abs().max()) <= tolerance * max(1.0, float(y.detach().abs().max()))


def is_rounded_once(half, call, exact, inputs, inside=True):
    """Under autocast `call` gives what `exact` gives in float64, rounded; its gradients are not rounded at all.

    They are computed inside of the block or after it.
    """
    inputs64 = [wide(x) for x in inputs]
    expected = exact(*inputs64)
    slope = torch.randn(expected.shape, generator=torch.Generator().manual_seed(1)).to(half)
    with autocast(half):
        found = call(*inputs)
        with autocast(half, inside):
            found.backward(slope)
    is_rounded(found, expected, half)
    are_close([x.grad for x in inputs], torch.autograd.grad(expected, inputs64, slope.double()))


def attention(path="readable", **options):
    return functools.partial(lib.attention, path=path, **options)


CASES = [(path, name) for path in PATHS for name in MAPS if path != "fused" or name in TAKE_A_PRIOR]
inside_or_after = pytest.mark.parametrize("inside", [False, True], ids=["backward after it", "backward inside it"])


@either_half
@pytest.mark.parametrize(("path", "weights"), CASES)
@inside_or_after
def test_attention_is_rounded_once_and_its_gradients_not_at_all(path, weights, half, inside):
    options = {"weights": weights, "causal": True, **MAPS[weights]}
    is_rounded_once(half, attention(path, **options), attention(**options), qkv(spread=3.0), inside)


@either_half
@pytest.mark.parametrize("path", PATHS)
def test_learned_betas_and_biases_get_exact_gradients_inside_the_block(half, path):
    """A bias that wants a gradient, torch's fast kernels do not take; what it computes instead is rounded."""
    inputs = qkv(*[(2, 3, 40, 16)] * 3, (3, 40, 40), (3, 1, 1))
    found, exact = (
        lambda q, k, v, bias, beta, path=path: lib.attention(q, k, v, log_prior=bias, beta=beta, path=path)
        for path in (path, "readable")
    )
    is_rounded_once(half, found, exact, inputs)


@either_half
@pytest.mark.parametrize("path", PATHS)
def test_dtypes_are_those_of_torchs_attention(half, path):
    """Where torch refuses it, float64 among others, the result is float64, as it is outside."""
    dtypes = [torch.float64, torch.float32, *HALVES]
    for each in [*itertools.product(dtypes, dtypes, dtypes[1:3]), [torch.float64] * 3]:
        q, k, v = (x.detach().to(dtype) for x, dtype in zip(qkv(*[(1, 2, 7, 8)] * 3), each, strict=True))
        exact = lib.attention(q.double(), k.double(), v.double(), path="readable")
        with autocast(half):
            found = lib.attention(q, k, v, path=path)
            if torch.float64 not in each:
                assert torch.nn.functional.scaled_dot_product_attention(q, k, v).dtype == half
        if torch.float64 in each:
            assert found.dtype == torch.float64
            torch.testing.assert_close(found, exact, rtol=1e-12, atol=1e-12)
        else:
            is_rounded(found, exact, half)


@either_half
def test_returning_the_weights_changes_no_output(half):
    q, k, v = qkv(spread=4.0)
    with autocast(half):
        output, weights = lib.attention(q, k, v, return_weights=True)
        torch.testing.assert_close(output, lib.attention(q, k, v, path="readable"))
    exact, exact_weights = lib.attention(*map(wide, (q, k, v)), return_weights=True)
    is_rounded(output, exact, half)
    is_rounded(weights, exact_weights, half)


@either_half
@pytest.mark.parametrize("path", ["readable", "auto", "fused"])
def test_dropout_drops_as_many_as_it_says(half, path):
    """Drawn in bfloat16, 0.4 % of the numbers are 0 and thus below any p; in float16 the next number is 2⁻¹¹."""
    q, k = qkv((1, 4, 500, 8), (1, 4, 500, 8))
    v = torch.eye(500).expand(1, 4, 500, 500)
    with autocast(half), torch.no_grad():
        torch.manual_seed(0)
        kept, weights, fewer = (lib.attention(q, k, v, dropout=p, path=path) for p in (1e-9, 0.001, 0.0101))
    assert (kept != 0).all()
    for found, p in (weights, 0.001), (fewer, 0.0101):
        assert abs(float((found == 0).double().mean()) - p) < 5 * (p / found.numel()) ** 0.5


@either_half
@pytest.mark.parametrize("path", ["readable", "auto", "fused"])
def test_dropout_has_exact_gradients_inside_the_block(half, path):
    torch.manual_seed(2)
    keep = torch.rand(2, 3, 40, 40) >= 0.5

    def exact(q, k, v):
        return torch.where(keep, 2 * lib.softmax(q @ k.mT, 0.25), 0.0) @ v

    torch.manual_seed(2)
    is_rounded_once(half, attention(path, dropout=0.5), exact, qkv())


@either_half
@pytest.mark.parametrize("path", ["readable", "blocks", "auto"])
@pytest.mark.parametrize("weights", ["softmax", "entmax"])
def test_second_derivatives_inside_the_block(half, path, weights):
    """A penalty on the gradient: of float32 accuracy too."""
    inputs = qkv()
    found = []
    for x, on in (inputs, True), ([wide(x) for x in inputs], False):
        with autocast(half, on):
            output = lib.attention(*x, weights=weights, path=path if on else "readable")
            slope = torch.ones_like(output)
            penalty = sum(g.square().sum() for g in torch.autograd.grad(output, x[:2], slope, create_graph=True))
            found.append(torch.autograd.grad(penalty, x))
    are_close(*found, tolerance=1e-4)


@either_half
@pytest.mark.parametrize("weights", ["softmax", "entmax"])
@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")  # by torch.func itself
def test_vmap_and_jvp_inside_the_block(half, weights):
    q, k, v = (x.detach() for x in qkv())
    f = attention(weights=weights, beta=0.3)
    exact, tangent = torch.func.jvp(f, tuple(wide(x) for x in (q, k, v)), tuple(map(wide, (k, v, q))))
    with autocast(half):
        is_rounded(torch.func.vmap(f)(q, k, v), exact, half)
        found, found_tangent = torch.func.jvp(f, (q, k, v), (k, v, q))
        of_one = torch.func.vmap(torch.func.grad(lambda *x: f(*x).float().sum()))(q, k, v)
    is_rounded(found, exact, half)
    is_rounded(found_tangent, tangent, half)
    x = wide(q).requires_grad_()
    are_close([of_one], torch.autograd.grad(f(x, wide(k), wide(v)).sum(), x))


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("path", PATHS)
@inside_or_after
def test_checkpoints_compute_again_what_they_computed(reentrant, path, inside):
    def call(*x):
        return checkpoint(attention(path), *x, use_reentrant=reentrant)

    is_rounded_once(torch.bfloat16, call, attention(), qkv(), inside)


@pytest.mark.parametrize("path", ["readable", "fused", "auto"])
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # by torch.compile itself
def test_compiled_attention_is_rounded_once(path):
    torch.compiler.reset()

    @torch.compile(fullgraph=True, backend="aot_eager")
    def compiled(q, k, v):
        return lib.attention(q, k, v, path=path)

    is_rounded_once(torch.bfloat16, compiled, attention(), qkv())
    assert compiled(*qkv()).dtype == torch.float32


@either_half
def test_attention_with_lse_and_its_merger(half):
    q, k, v = qkv(spread=3.0)
    halves = [(k[..., :15, :], v[..., :15, :]), (k[..., 15:, :], v[..., 15:, :])]
    x64 = [wide(x) for x in (q, k, v)]
    exact, exact_lse = lib.attention_with_lse(*x64)
    slope = torch.randn(exact.shape).to(half)
    with autocast(half):
        output, lse = lib.attention_with_lse(q, k, v)
        is_rounded(output, exact, half)
        are_close([lse], [exact_lse])
        grads = torch.autograd.grad(output, (q, k, v), slope)
        are_close(grads, torch.autograd.grad(exact, x64, slope.double(), retain_graph=True))
        with autocast(half, False):
            parts = [lib.attention_with_lse(q, *some) for some in halves]
        output, lse = lib.merge_attention(*zip(*parts, strict=True))
        are_close([output, lse], [exact, exact_lse])
        with autocast(half, False):  # the gradient of the merger itself, on leaves
            outputs, lses = ([x.detach().requires_grad_() for x in xs] for xs in zip(*parts, strict=True))
        merged, _ = lib.merge_attention(outputs, lses)
        grads = torch.autograd.grad(merged, [*outputs, *lses], slope.float())
    both = [wide(x) for x in (*outputs, *lses)]
    exact, _ = lib.merge_attention(both[:2], both[2:])
    are_close(grads, torch.autograd.grad(exact, both, slope.double()))


@either_half
@pytest.mark.parametrize("causal", [False, True])
def test_linear_attention(half, causal):
    f = functools.partial(lib.linear_attention, causal=causal)
    is_rounded_once(half, f, f, qkv(*[(2, 3, 150, 16)] * 3))


@either_half
def test_maps_and_measures_keep_the_dtype_of_their_arrays(half):
    """Values and gradients are those of outside, to the bit."""
    for (name, call), dtype in itertools.product(CALLS.items(), (torch.float32, half)):
        if call.takes("q") or name == "merge_attention":  # attention takes the dtype of autocast
            continue
        leaves = {key: torch.tensor(x, dtype=dtype).requires_grad_() for key, x in call.floats.items()}
        with named(name, dtype):
            (outside,) = call(torch.tensor, **leaves)
            seen = outside.detach().isfinite()
            with autocast(half):
                (inside,) = call(torch.tensor, **leaves)
                assert inside.dtype == outside.dtype == dtype
                slopes = torch.autograd.grad(inside[seen].sum(), leaves.values())
            assert torch.equal(inside, outside)
            expected = torch.autograd.grad(outside[seen].sum(), leaves.values())
            assert all(torch.equal(x, y) for x, y in zip(slopes, expected, strict=True))


def test_a_function_of_ones_own_gets_scores_in_float32():
    q, k, v = qkv()
    seen = []

    def own(scores, beta, where, axis):
        seen.append((scores.dtype, torch.is_autocast_enabled("cpu")))
        return lib.softmax(scores, beta, where=where, axis=axis)

    with autocast(torch.bfloat16):
        found = lib.attention(q, k, v, weights=own)
    assert seen == [(torch.float32, False)]
    is_rounded(found, lib.attention(*map(wide, (q, k, v))), torch.bfloat16)


def test_numpy_arrays_and_other_devices_do_not_know_of_it():
    x, t = np.ones((3, 4), np.float32), torch.ones(3, 4)
    for f in (lib.attention, lib.linear_attention):
        with autocast(torch.bfloat16):
            assert f(x, x, x).dtype == np.float32
        with torch.autocast("xpu", torch.bfloat16):
            assert f(t, t, t).dtype == torch.float32


def test_it_is_on_again_afterwards_also_after_an_error():
    q, k, v = qkv()
    with autocast(torch.float16):
        lib.attention(q, k, v)
        assert torch.is_autocast_enabled("cpu")
        with pytest.raises(ValueError, match="n_k = 40"):
            lib.attention(q, k, v[..., :3, :])
        assert torch.is_autocast_enabled("cpu")
        assert torch.get_autocast_dtype("cpu") == torch.float16
        assert (q @ k.mT).dtype == torch.float16
