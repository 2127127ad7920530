"""Softmax attention by torch's kernel is what it is as defined, derivatives too, whatever it is given."""

import functools
import itertools
import math

import numpy as np
import pytest
from attending import (
    Lane,
    every_torch_lane,
    random,
    same,
    same_with_gradients,
    tensors,
    torch_lanes_and_entmax,
)
from calls import named
from needs_torch import torch
from torch.autograd import grad
from torch.func import vmap

from lib import attention

inf, nan = math.inf, math.nan
PATHS = ("readable", "fused", "auto")
READABLE, FUSED, AUTO = (Lane("torch-cpu", path) for path in PATHS)
# torch warns of its own use of torch.jit when forward derivatives are first asked for
pytestmark = pytest.mark.filterwarnings("ignore:.*(torch.jit|_UnionGenericAlias):DeprecationWarning")


# ---- against torch, and against the readable path


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_gradients_in_every_dtype_are_those_of_float64_to_rounding(dtype):
    """Half precision is computed in float32 and rounded once: to 1 eps of the largest entry."""
    for lane in (Lane("torch-cpu", path, dtype) for path in PATHS):
        arrays = [lane.xp.rounded(x) for x in random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11))]
        direction = lane.xp.rounded(random((2, 3, 5, 11), seed=7)[0])
        grads = []
        for each in (lane, READABLE):
            leaves = [each.given(x).requires_grad_() for x in arrays]
            lengths = each.given(np.array([7, 3]))
            output = attention(*leaves, path=each.path, causal=True, lengths=lengths, offset=2)
            grads.append([each.xp.to_numpy(g) for g in grad(output, leaves, each.given(direction))])
        for gradient, expected in zip(*grads, strict=True):
            np.testing.assert_allclose(gradient, expected, rtol=0, atol=lane.xp.tol * abs(expected).max())


def test_a_window_of_any_width_ends_at_its_key_wherever_the_queries_are():
    for n_q, n_k, window, offset in itertools.product((1, 2, 3), (1, 4), (1, 2, 3, 4, 5), (-2, 0, 1, 3, 4, 5, 8)):
        inputs = tensors((n_q, 2), (n_k, 2), (n_k, 3))
        some = {"window": window, "offset": offset}
        same(attention(*inputs, path="fused", **some), attention(*inputs, path="readable", **some))


@pytest.mark.parametrize("shared", ["q", "k", "v"])
@pytest.mark.parametrize("lead", [(2, 3), (1, 2, 3), (2, 1, 3)])
def test_an_array_for_all_items_serves_items_of_different_lengths(lead, shared):
    arrays = dict(zip("qkv", tensors((*lead, 5, 4), (*lead, 7, 4), (*lead, 7, 6)), strict=True))
    arrays[shared] = arrays[shared].reshape(2, 3, *arrays[shared].shape[-2:])[:1]
    options = {"lengths": torch.tensor([4, 7][: lead[0]]), "causal": True, "offset": 2}
    by_kernel = attention(**arrays, path="fused", **options)
    assert by_kernel.shape == (*lead, 5, 6)
    same(by_kernel, attention(**arrays, path="readable", **options))


# ---- nothing to attend to, and what must not be seen


@torch_lanes_and_entmax
def test_where_nobody_sees_anything_there_is_still_a_gradient_and_it_is_zero(lane):
    for n_q, n_k, options in (
        (5, 7, {"where": np.zeros((1, 7), dtype=bool)}),
        (5, 7, {"lengths": np.zeros(3, dtype=int)}),
        (5, 7, {"causal": True, "offset": -5}),
        (5, 7, {"window": 1, "offset": 7}),
        (5, 0, {"causal": True}),
        (0, 7, {"causal": True}),
    ):
        with named(options):
            output, gradients = lane.gradients(*random((3, 2, n_q, 2), (3, 2, n_k, 2), (3, 2, n_k, 11)), **options)
            assert output.shape == (3, 2, n_q, 11)
            assert gradients["k"].shape == (3, 2, n_k, 2)
            assert not any(x.any() for x in (output, *gradients.values()))


SHAPES = {"keys of each item": (3, 1, 1, 7), "queries and keys": (4, 7), "heads, queries and keys": (6, 4, 7)}
SHAPES |= {"all": (3, 6, 4, 7), "keys of each head": (1, 6, 1, 7)}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("hidden", [nan, inf, 1e200])
def test_grouped_heads_under_any_mask_are_as_defined_whatever_is_hidden(shape, hidden):
    for n_q, prior in itertools.product((1, 4), (None, (7,), (6, 1, 7), (4, 7))):
        of_mask, of_prior = ([n_q if n == 4 else n for n in x] if x else x for x in (shape, prior))
        where = torch.rand(of_mask, generator=torch.Generator().manual_seed(0)) < 0.6
        where[..., 0, :] &= torch.arange(7) > 9  # the first query sees nothing
        where[..., [2, 5]] = False  # nobody sees these keys
        q, k, v = tensors((3, 6, n_q, 4), (3, 2, 7, 4), (3, 2, 7, 3))
        k[..., 2, :] = v[..., 5, :] = hidden
        inputs = [x.requires_grad_() for x in (q, k, v)]
        options = {} if prior is None else {"log_prior": tensors(of_prior, seed=1)[0]}
        attend = functools.partial(attention, *inputs, where=where, **options)
        with named(n_q, prior):
            same_with_gradients(lambda path, attend=attend: attend(path=path), inputs)
            with torch.no_grad():
                same(attend(path="fused"), attend(path="readable"))


@every_torch_lane
def test_nan_spoils_the_queries_that_see_it_and_no_other(lane):
    """A row of nothing but NaN too, of which torch's kernel on the CPU makes zeros."""
    q, k, v = random((2, 3, 5, 2), (2, 3, 5, 2), (2, 3, 5, 11))
    for options, name, at, spoilt in (
        ({"causal": True}, "k", (0, 1, 3), (0, 1, slice(3, None))),
        ({"causal": True}, "q", (0, 1, 3), (0, 1, 3)),
        ({"window": 1}, "k", (1, 2, 3), (1, 2, 3)),
    ):
        arrays = {"q": q.copy(), "k": k.copy(), "v": v}
        expected = lane(*arrays.values(), **options)
        arrays[name][at], expected[spoilt] = nan, nan
        np.testing.assert_allclose(lane(*arrays.values(), **options), expected, rtol=1e-12)


# ---- infinite and huge scores


@every_torch_lane
def test_infinity_gives_no_gradient_back_and_minus_infinity_is_a_mask_for_gradients_too(lane):
    """Not 0 times an infinite key; a row of nothing else is empty, also if finite numbers overflowed to it."""
    q, k, v = random((2, 3, 5, 1), (2, 3, 7, 1), (2, 3, 7, 11))
    q, k = abs(q) + 0.1, abs(k)
    options = {"causal": True, "offset": np.array([0, 2])}
    for keys in ([0], [1, 4], list(range(7))):
        hidden = np.isin(np.arange(7), keys)
        output, expected = lane.gradients(q, k, v, where=~hidden, **options)
        for low, at in ((-inf, 1.0), (-1e300, 1e300)):
            again, gradients = lane.gradients(q * at, np.where(hidden[:, None], low, k / at), v, **options)
            np.testing.assert_allclose(again, output, rtol=1e-12)
            for name, factor in (("q", 1 / at), ("k", at), ("v", 1.0)):
                want = expected[name] * factor
                np.testing.assert_allclose(gradients[name], want, rtol=1e-11, atol=1e-14 * factor)
    k[:, :, 3] = inf
    output, gradients = lane.gradients(q, k, v)
    np.testing.assert_array_equal(output, np.repeat(v[:, :, 3:4], 5, axis=2))
    assert not gradients["q"].any()
    assert not gradients["k"].any()


@every_torch_lane
def test_a_prior_counts_among_equal_scores_however_large_they_are(lane):
    u = np.array([1.0, 3.0, 1.0])
    priors = {"prior": u}, {"log_prior": np.log(u)}, {"log_prior": np.log(u) * np.ones((1, 1, 3))}
    for prior, (huge, beta) in itertools.product(priors, ((1e30, 0.7), (1e12, 1e5), (-1e30, -1e-3))):
        output = lane(np.ones((1, 1)), np.array([[huge], [huge], [-huge]]), np.eye(3), beta=beta, **prior)
        np.testing.assert_allclose(output.reshape(1, 3), [[0.25, 0.75, 0]], rtol=1e-13)


@every_torch_lane
def test_an_offset_of_a_million_costs_no_more_than_its_rounding(lane):
    """Scores 1e6 + 0, 1, 2: exact in float64, and β = 3/2 with them."""
    q, k = np.array([[1e6, 1.0]]), np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    expected = np.exp([[-3.0, -1.5, 0.0]]) / np.exp([-3.0, -1.5, 0.0]).sum()
    np.testing.assert_allclose(lane(q, k, np.eye(3), beta=1.5), expected, rtol=1e-13)
    single = Lane(lane.xp.library, lane.path, "float32")
    off = np.log(single(q, k, np.eye(3), beta=1.5) / expected)
    shifted = lane.path == "readable"  # before β multiplies, so that nothing is lost
    assert abs(off).max() < (single.xp.tol if shifted else 2 * single.xp.eps * 1.5e6)


def test_a_log_prior_far_from_zero_costs_no_digits_of_the_scores():
    """Far off by another number in each row. In float32 eighths are exact even there."""
    arrays = [x.float() for x in tensors((2, 5, 3), (2, 7, 3), (2, 7, 2))]
    log_prior = torch.randint(-30, 30, (2, 5, 7), generator=torch.Generator().manual_seed(0)) / 8
    far = torch.tensor([[0.0, 2**20, 2**20, -(2**20), 7], [2**20, -(2**20), 1, -1, 2**20]])[..., None]
    want = attention(*(x.double() for x in arrays), log_prior=log_prior.double(), path="readable").float()
    for given in (log_prior, log_prior + far):
        for seen in (None, torch.tensor([False, True, True, True, True])[:, None]):  # the first query sees nothing
            output = attention(*arrays, log_prior=given, where=seen, path="fused")
            expected = want if seen is None else want * seen
            torch.testing.assert_close(output, expected, rtol=0, atol=1e-5)


# ---- dropout


def test_dropout_takes_the_kernel_unless_there_is_a_generator(kernel):
    q, k, v = tensors((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 4))
    torch.manual_seed(0)
    first = attention(q, k, v, dropout=0.4)
    assert len(kernel) == 1
    torch.manual_seed(0)
    same(attention(q, k, v, dropout=0.4), first, 0)
    kernel.clear()
    drawn = [
        attention(q, k, v, dropout=0.4, generator=torch.Generator().manual_seed(1), path=path)
        for path in ("auto", "readable")
    ]
    same(*drawn)
    assert not kernel


def test_a_second_derivative_with_dropout_is_refused_when_it_is_taken_and_not_before():
    q, k, v = tensors((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 4), wanted=True)
    slopes = []
    for create_graph in (False, True):
        torch.manual_seed(0)
        slopes += grad(attention(q, k, v, dropout=0.4).sum(), q, create_graph=create_graph)
    torch.testing.assert_close(*slopes)
    with pytest.raises(RuntimeError, match=r'dropout dropped; for one with dropout take path="readable"'):
        slopes[1].sum().backward()
    (slope,) = grad(attention(q, k, v, dropout=0.4, path="readable").sum(), q, create_graph=True)
    slope.sum().backward()


# ---- derivatives of every order, and transforms


def test_more_than_a_gradient_is_refused_by_the_fused_path_and_right_by_auto():
    q, k, v = tensors((2, 3, 5, 2), (2, 3, 5, 2), (2, 3, 5, 2), wanted=True)
    message = 'path="fused" has first-order gradients alone; for more take path="readable"'
    with pytest.raises(RuntimeError, match=f"^{message}$"):
        grad(attention(q, k, v, path="fused").sum(), q, create_graph=True)
    thirds = []
    for path in ("readable", "auto"):
        value = attention(q, k, v, causal=True, path=path)
        for _ in range(2):
            (value,) = grad(value.sin().sum(), q, create_graph=True)
        thirds.append(grad(value.sum(), (q, k, v)))
    same(*thirds, 1e-12)


@pytest.mark.parametrize("bad", [nan, inf])
def test_a_query_that_sees_nothing_gives_an_array_beta_no_gradient_even_if_it_is_nan(bad):
    hidings = {"causal": True, "offset": -1}, {"where": torch.arange(3)[:, None] > 0}
    for hiding, shape in itertools.product(hidings, [(), (3, 1), (1, 1)]):
        q, k, v = tensors((3, 2), (3, 2), (3, 2))
        q[0] = bad
        beta = torch.full(shape, 0.7, dtype=torch.float64, requires_grad=True)
        attend = functools.partial(attention, q.requires_grad_(), k, v, beta=beta, **hiding)
        same_with_gradients(lambda path, attend=attend: attend(path=path), [q, beta])


@pytest.mark.parametrize("path", ["readable", "auto"])
def test_under_vmap_masks_priors_and_betas_may_be_many(path):
    q, k, v = tensors((3, 2, 5, 2), (3, 2, 7, 2), (3, 2, 7, 3))
    where = torch.rand(3, 1, 7, generator=torch.Generator().manual_seed(0)) < 0.7
    f = functools.partial(attention, causal=True, path=path)
    same(vmap(f)(q, k, v), f(q, k, v))
    same(vmap(lambda *x: f(*x[:3], where=x[3]))(q, k, v, where), f(q, k, v, where=where[:, None]))
    several = {"beta": [0.0, 0.5, inf], "log_prior": random((3, 7))[0], "prior": random((3, 7))[0] ** 2}
    for name, x in several.items():
        x = torch.tensor(x)
        expected = torch.stack([f(q, k, v, **{name: one if one.ndim else one.item()}) for one in x])
        same(vmap(lambda one, name=name: f(q, k, v, **{name: one}))(x), expected)
