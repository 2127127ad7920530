"""Dropout in entmax attention by the compiled kernels: what is dropped, how often, and its gradient."""

import numpy as np
import pytest
from attending import random
from needs_torch import torch

from lib import attention
from lib.fast import kernels, threads
from lib.fast.cpu import dropout

EVERY_MAP = [("sparsemax", {}), ("entmax", {}), ("entmax", {"alpha": 1.3})]
every_map = pytest.mark.parametrize(("name", "more"), EVERY_MAP, ids=str)


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def what_stays(shape, p, generator):
    """Which weights stay, (..., n_q, n_k), where all keys are alike: values that name their key say so."""
    *lead, n_q, n_k = shape
    q, k, v = torch.zeros(*lead, n_q, 2), torch.zeros(*lead, n_k, 2), torch.eye(n_k).expand(*lead, n_k, n_k)
    output = attention(q, k, v, weights="entmax", dropout=p, generator=generator, path="fused")
    stays = output != 0
    torch.testing.assert_close(output[stays], torch.full_like(output[stays], 1 / n_k / (1 - p)))
    return stays.numpy()


def test_the_numbers_are_those_of_splitmix64():
    """The first five for the seed 1234567, as they are printed wherever the generator is described."""
    got = [int(dropout.number(np.uint64(1234567), k)) for k in range(5)]
    assert got == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_as_many_are_dropped_as_asked_in_every_head_query_and_key(p):
    dropped = ~what_stays((2, 3, 100, 150), p, seeded(1))
    for axes in ((0, 1, 2, 3), (2, 3), (0, 1, 3), (0, 1, 2)):
        count = np.prod([dropped.shape[axis] for axis in axes])
        off = (dropped.mean(axes) - p) / np.sqrt(p * (1 - p) / count)
        assert np.abs(off).max() < 4.5
        assert off.size == 1 or 0.4 < np.square(off).mean() < 2  # nor are they dropped too evenly


def test_what_is_dropped_in_one_place_says_nothing_of_another():
    """Between heads, queries and keys, near ones and far ones, the correlation is as small as chance makes it."""
    stays = what_stays((2, 3, 100, 150), 0.5, seeded(2)) - 0.5
    for axis in range(4):
        for step in {1, 2, 50} if axis > 1 else {1}:
            pairs = 4 * stays * np.roll(stays, step, axis)
            assert abs(pairs.mean()) < 4.5 / np.sqrt(pairs.size)
    both = 4 * stays * np.roll(stays, (1, 1), (2, 3))
    assert abs(both.mean()) < 4.5 / np.sqrt(both.size)


def test_another_seed_drops_others_and_the_same_one_the_same():
    def drawn(generator):
        return what_stays((1, 2, 40, 50), 0.5, generator)

    first, same, other = (drawn(seeded(s)) for s in (3, 3, 4))
    np.testing.assert_array_equal(first, same)
    assert 0.4 < (first == other).mean() < 0.6
    generator = seeded(3)
    np.testing.assert_array_equal(drawn(generator), first)
    assert 0.4 < (drawn(generator) == first).mean() < 0.6  # it moves on
    torch.manual_seed(3)  # without a generator that of the library is drawn from
    assert (drawn(None) == first).all()
    assert (drawn(None) != first).any()


def test_numpy_arrays_take_a_generator_of_numpy():
    arrays = random((2, 40, 3), (2, 50, 3), (2, 50, 4))
    generators = map(np.random.default_rng, (1, 1, 2)), (None, None)
    options = {"weights": "sparsemax", "dropout": 0.5, "path": "fused"}
    first, same, *others = (attention(*arrays, generator=x, **options) for some in generators for x in some)
    np.testing.assert_array_equal(first, same)
    assert len({x.tobytes() for x in (first, *others)}) == 4


@every_map
def test_output_and_gradient_are_those_of_the_definition_with_these_weights_dropped(name, more, monkeypatch):
    """The weights that stay are known from values that name their key; two threads share the one head of keys."""
    monkeypatch.setattr(threads, "count", lambda: 2)
    p, options = 0.3, {"weights": name, "causal": True, "beta": 1.5} | more
    q, k, v = (torch.tensor(x) for x in random((1, 3, 90, 4), (1, 1, 300, 4), (1, 1, 300, 5)))
    named = torch.eye(300, dtype=v.dtype)[None, None]
    left = attention(q, k, named, path="fused", dropout=p, generator=seeded(6), **options)
    _, whole = attention(q, k, v, return_weights=True, **options)
    stays = (left != 0) | (whole == 0)
    assert 0.6 < stays[whole > 0].double().mean() < 0.8

    leaves = [[x.clone().requires_grad_() for x in (q, k, v)] for _ in range(2)]
    by_kernel = attention(*leaves[0], path="fused", dropout=p, generator=seeded(6), **options)
    _, weights = attention(*leaves[1], return_weights=True, **options)
    by_definition = (weights * stays / (1 - p)) @ leaves[1][2]
    direction = torch.tensor(random(tuple(by_kernel.shape))[0])
    gradients = [
        torch.autograd.grad(x, y, direction) for x, y in zip((by_kernel, by_definition), leaves, strict=True)
    ]
    for got, wanted in zip((by_kernel, *gradients[0]), (by_definition, *gradients[1]), strict=True):
        torch.testing.assert_close(got, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("p", [1e-300, 1e-9])
def test_next_to_no_dropout_changes_next_to_nothing(p):
    arrays = random((2, 40, 3), (2, 50, 3), (2, 50, 4))
    few, none = (attention(*arrays, weights="entmax", path="fused", dropout=x) for x in (p, 0.0))
    np.testing.assert_allclose(few, none, rtol=1e-8)


def test_almost_everything_may_be_dropped():
    q, k, v = (torch.tensor(x, requires_grad=True) for x in random((2, 40, 3), (2, 50, 3), (2, 50, 4)))
    output = attention(q, k, v, weights="entmax", path="fused", dropout=1 - 2.0**-53)
    output.sum().backward()
    assert (output == 0).all()
    assert not any(x.grad.any() for x in (q, k, v))


def test_a_value_that_is_dropped_is_not_looked_at():
    stays = what_stays((1, 1, 40, 50), 0.5, seeded(8))[0, 0]
    q, k, v = torch.zeros(1, 1, 40, 2), torch.zeros(1, 1, 50, 2), torch.zeros(1, 1, 50, 3)
    v[0, 0, 7] = torch.nan
    v.requires_grad_()
    output = attention(q, k, v, weights="entmax", path="fused", dropout=0.5, generator=seeded(8))
    np.testing.assert_array_equal(output[0, 0].isnan().all(-1).numpy(), stays[:, 7])
    output.nansum().backward()
    assert torch.isfinite(v.grad).all()


@pytest.mark.parametrize("path", ["auto", "fused"])
def test_a_second_derivative_is_refused_when_it_is_asked_for_and_not_before(path, monkeypatch):
    monkeypatch.setattr(kernels, "SMALLEST", 0)
    monkeypatch.setattr(kernels, "FEWEST", 0)
    leaves = [torch.tensor(x, requires_grad=True) for x in random((2, 3, 2), (2, 4, 2), (2, 4, 2), seed=1)]
    output = attention(*leaves, weights="entmax", dropout=0.1, path=path).sum()
    torch.autograd.grad(output, leaves, retain_graph=True)
    with pytest.raises(RuntimeError, match=r'has first-order gradients alone; for more take path="readable"$'):
        torch.autograd.grad(output, leaves, create_graph=True)
    anew = attention(*leaves, weights="entmax", dropout=0.1, path="readable").sum()
    assert all(x.requires_grad for x in torch.autograd.grad(anew, leaves, create_graph=True))
