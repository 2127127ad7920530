"""The lse is what its definition says, and attention over parts of the keys merges into attention over all."""

import itertools
import math

import numpy as np
import pytest
from attending import PATHS, WAYS_AND_DTYPES, Lane, case, random, same, tensors
from calls import named
from exactness import distance
from hypothesis import given
from hypothesis import strategies as st
from optional_torch import torch

from lib import attention, attention_with_lse, merge_attention

inf, nan = math.inf, math.nan


# ---- the definition


def test_attention_with_lse_is_within_a_few_roundings_of_50_digits(xp, golden):
    """8 n eps for the weights, times the largest value; for the lse, of the largest |β s| or |log u| or 1."""
    for name, row in golden["attention"].items():
        q, k, v, prior, where = (xp.asarray(np.asarray(row[x])) for x in ("q", "k", "v", "prior", "where"))
        output, lse = attention_with_lse(q, k, v, beta=row["beta"], where=where, prior=prior)
        n, largest = len(row["k"]), np.abs(row["v"]).max()
        energy = max(abs(row["beta"]) * np.abs(np.dot(row["q"], np.transpose(row["k"]))).max(), 14)
        assert distance(xp.to_numpy(output), row["output"]) <= 8 * n * xp.eps * n * largest, name
        assert distance(xp.to_numpy(lse), row["lse"]) <= 8 * n * xp.eps * energy, name
        same_path = {"beta": row["beta"], "where": where, "prior": prior, "path": "readable"}
        readable, plain = attention_with_lse(q, k, v, **same_path)[0], attention(q, k, v, **same_path)
        np.testing.assert_array_equal(xp.to_numpy(readable), xp.to_numpy(plain))


LANES = [Lane("numpy", "auto"), Lane("numpy", "blocks"), *(Lane("torch-cpu", p) for p in PATHS)]


@pytest.mark.parametrize("lane", LANES, ids=repr)
def test_attention_with_lse_gives_the_sum_before_normalising(lane):
    """Any weight is u e^(βs) over it: read back from the weights that the loops give."""
    for seed in range(0, 61, 3):
        with named(seed):
            gives_the_sum_before_normalising(lane, seed)


def gives_the_sum_before_normalising(lane, seed):
    (q, k, v), options, output, weights = case(seed)
    given = {name: lane.given(x) for name, x in options.items()}
    got, lse = map(lane.xp.to_numpy, attention_with_lse(*map(lane.given, (q, k, v)), path=lane.path, **given))
    np.testing.assert_allclose(got, output, rtol=1e-12, atol=1e-12)
    scores = q @ np.repeat(k, q.shape[1] // k.shape[1], axis=1).swapaxes(-1, -2)
    u = np.log(options["prior"]) if "prior" in options else options.get("log_prior", 0.0)
    seen = np.where(weights > 0, weights, 1.0)
    expected = np.where(weights > 0, options["beta"] * scores + u - np.log(seen), -inf).max(-1)
    np.testing.assert_allclose(lse, expected, rtol=1e-11, atol=1e-11)


def test_attention_with_lse_does_not_normalise_its_prior(xp):
    q, k, v, u = map(xp.asarray, random((2, 5, 3), (2, 7, 3), (2, 7, 11), (7,)))
    lse = xp.to_numpy(attention_with_lse(q, k, v, log_prior=u)[1])
    for options, shift in (
        ({"prior": xp.exp(u)}, 0.0),
        ({"prior": 1000 * xp.exp(u)}, math.log(1000)),
        ({"log_prior": u - 2000}, -2000.0),
    ):
        shifted = xp.to_numpy(attention_with_lse(q, k, v, **options)[1])
        np.testing.assert_allclose(shifted, lse + shift, rtol=1e-14, atol=1e-13)


# ---- merging


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.integers(0, 10**6))
def test_merge_attention_over_disjoint_keys_is_attention_over_all(sizes, seed):
    """For any parts, empty ones among them, and queries that see nothing of some parts, or of any."""
    n, rng = sum(sizes), np.random.default_rng(seed)
    q, k, v, u = random((2, 5, 3), (2, n, 3), (2, n, 2), (5, n), seed=seed)
    where = rng.random((2, 5, n)) < 0.5
    beta = [0.7, -1.3, 0.0, rng.normal(size=(2, 1, 1)), 50.0][seed % 5]
    cuts = np.cumsum([0, *sizes])
    spans = [slice(*ends) for ends in itertools.pairwise(cuts)]
    parts = [
        attention_with_lse(q, k[:, s], v[:, s], beta=beta, where=where[..., s], log_prior=u[..., s]) for s in spans
    ]
    whole = attention_with_lse(q, k, v, beta=beta, where=where, log_prior=u)
    for merged, expected in zip(merge_attention(*zip(*parts, strict=True)), whole, strict=True):
        np.testing.assert_allclose(merged, expected, rtol=1e-12, atol=1e-12)


def test_to_merge_attention_order_and_grouping_do_not_matter(xp):
    q, k, v = map(xp.asarray, random((2, 5, 3), (2, 11, 3), (2, 11, 2)))
    a, b, c = (attention_with_lse(q, k[:, s, :], v[:, s, :]) for s in (slice(2), slice(2, 5), slice(5, None)))

    def merged(*parts):
        return merge_attention([o for o, _ in parts], [x for _, x in parts])

    whole = attention_with_lse(q, k, v)
    for tree in (merged(a, b, c), merged(c, a, b), merged(merged(a, b), c), merged(a, merged(c, b))):
        for got, expected in zip(tree, whole, strict=True):
            np.testing.assert_allclose(xp.to_numpy(got), xp.to_numpy(expected), rtol=1e-13, atol=1e-13)
    for got, expected in zip(merged(a), a, strict=True):
        np.testing.assert_array_equal(xp.to_numpy(got), xp.to_numpy(expected))


def test_gradients_through_the_parts_of_merge_attention_are_those_of_the_whole():
    """With a query that sees nothing, and one that sees nothing of a part."""
    leaves = q, k, v, u, beta = tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11), (7,), (3, 1, 1), wanted=True)
    where = torch.ones(5, 7, dtype=torch.bool)
    where[0], where[1, :3], where[2, 3:] = False, False, False

    def part(s):
        return attention_with_lse(q, k[..., s, :], v[..., s, :], beta=beta, where=where[:, s], log_prior=u[s])

    grads = []
    for output, lse in (merge_attention(*zip(part(slice(3)), part(slice(3, 7)), strict=True)), part(slice(7))):
        same(output, attention(q, k, v, beta=beta, where=where, log_prior=u))
        total = output.sin().sum() + lse[..., 1:].square().sum()
        grads.append(torch.autograd.grad(total, leaves))
    same(*grads, tol=1e-12)
    assert all(torch.isfinite(x).all() for x in grads[0])
    assert (grads[0][0][:, :, 0] == 0).all()


def test_the_slope_of_the_lse_in_the_scores_is_beta_times_the_weights():
    """With keys that are unit vectors, a query's entries are its scores."""
    (q,), k = tensors((5, 7), wanted=True), torch.eye(7, dtype=torch.float64)
    u = torch.arange(1.0, 8, dtype=torch.float64)
    for beta in (0.7, -1.3):
        weights, lse = attention_with_lse(q, k, k, beta=beta, prior=u, causal=True)
        (slope,) = torch.autograd.grad(lse.sum(), q)
        same(slope, beta * weights)


# ---- awkward inputs


@pytest.mark.parametrize("beta", [0.7, 0.0, -1.0])
def test_nothing_to_attend_to_has_lse_minus_infinity_and_gradient_zero_merged_too(beta):
    q, k, v = tensors((2, 5, 3), (2, 7, 3), (2, 7, 2), wanted=True)
    nowhere = {"where": torch.zeros(7, dtype=torch.bool)}
    for options in ({"lengths": torch.tensor([0, 7])}, {"causal": True, "offset": -9}, nowhere):
        output, lse = attention_with_lse(q, k, v, beta=beta, **options)
        for found, total in ((output, lse), merge_attention([output, output], [lse, lse])):
            assert (total[0] == -inf).all()
            assert (found[0] == 0).all()
            scalar = found.sum() + torch.where(total == -inf, 0.0, total).sum()
            grads = torch.autograd.grad(scalar, (q, k, v), retain_graph=True)
            assert all((x[0] == 0).all() and x.isfinite().all() for x in grads)


def test_attention_with_lse_of_no_keys_and_no_queries(xp):
    q, k, v = map(xp.asarray, random((2, 5, 3), (2, 7, 3), (2, 7, 2)))
    output, lse = attention_with_lse(q, k[:, :0, :], v[:, :0, :])
    np.testing.assert_array_equal(xp.to_numpy(lse), np.full((2, 5), -inf))
    np.testing.assert_array_equal(xp.to_numpy(output), np.zeros((2, 5, 2)))
    output, lse = attention_with_lse(q[:, :0, :], k, v)
    assert output.shape == (2, 0, 2)
    assert lse.shape == (2, 0)
    assert merge_attention([output], [lse])[0].shape == (2, 0, 2)


@pytest.mark.parametrize("lane", [*LANES, *(Lane(*way) for way in WAYS_AND_DTYPES)], ids=repr)
def test_attention_with_and_without_lse_of_infinite_and_huge_scores_is_as_exact_arithmetic_has_it(lane):
    third, prior = [1 / 3] * 3, np.array([1.0, 1.0, 3.0])
    sigmoid = 1 / (1 + math.exp(-1)), 1 / (1 + math.e)
    for keys, options, weights, value in (
        ([inf, 2.0, inf], {"beta": 0.5}, [0.5, 0, 0.5], inf),
        ([1.0, inf, inf], {"beta": 0.5, "prior": prior}, [0, 0.25, 0.75], inf),
        ([inf, 2.0, 3.0], {"beta": -1.0}, [0, *sigmoid], -2 - math.log(sigmoid[0])),
        ([inf, inf, inf], {"beta": -1.0}, third, -inf),
        ([inf, 2.0, -inf], {"beta": 0.0}, [0.5, 0.5, 0], math.log(2)),
        ([-inf, -2.0, -inf], {"beta": 0.5}, [0, 1, 0], -1.0),
        ([-inf, -inf, -inf], {"beta": 0.5}, [0, 0, 0], -inf),
        ([1e30, 1e30, -1e30], {"beta": 0.5}, [0.5, 0.5, 0], 0.5e30),
        ([1e30, 1e30, -1e30], {"beta": 1e-25}, [0.5, 0.5, 0], 1e5 + math.log(2)),
        ([1e30, -1e30, -1e30], {"beta": -1e6}, [0, 0.5, 0.5], 1e36),
        ([1.5e308, -1.5e308, -1.5e308], {"beta": 1e-300}, [1, 0, 0], 1.5e8),  # the gap between them is no float
        ([-1e9, -1e9, -1e9], {"beta": 1.0}, third, -1e9 + math.log(3)),
        ([1e6, 1e6 + 1, 1e6], {"beta": 1.0}, None, 1e6 + 1 + math.log1p(2 / math.e)),
        ([nan, 1.0, 2.0], {}, [nan] * 3, nan),
    ):
        given = np.array([[1.0]]), np.array(keys)[:, None], np.eye(3)
        if np.allclose(lane.xp.rounded(given[1]), given[1], rtol=1e-6, equal_nan=True):
            made = {name: lane.given(x) for name, x in options.items()}
            output, lse = attention_with_lse(*map(lane.given, given), path=lane.path, **made)
            with named(keys, options):
                rtol = 1e-15 if lane.xp.dtype_name == "float64" else 1e-6
                np.testing.assert_allclose(lane.xp.to_numpy(lse), [value], rtol=rtol)
                for got in [] if weights is None else (lane.xp.to_numpy(output), lane(*given, **options)):
                    np.testing.assert_allclose(got, [weights], rtol=max(lane.xp.eps, 1e-15), atol=1e-30)


def test_merge_attention_of_infinite_lses(xp):
    finite = xp.asarray([[1.0, 2.0]]), xp.asarray([3.0])
    infinite = xp.asarray([[5.0, 7.0]]), xp.asarray([inf])
    nothing = xp.asarray([[nan, inf]]), xp.asarray([-inf])  # not even this is seen
    for sets, wanted in (((finite, infinite, nothing), ([[5, 7]], [inf])), ((finite, nothing), ([[1, 2]], [3]))):
        output, lse = merge_attention(*zip(*sets, strict=True))
        assert (xp.to_numpy(output).tolist(), xp.to_numpy(lse).tolist()) == wanted


def test_merge_attention_gives_the_same_to_each_set_with_infinite_lse(xp):
    """So here the grouping does matter: how much of its +inf a set has from which keys is not known any more."""
    sets = [(xp.asarray([row]), xp.asarray([inf])) for row in np.eye(3)]
    at_once = merge_attention(*zip(*sets, strict=True))
    in_turns = merge_attention(*zip(merge_attention(*zip(*sets[:2], strict=True)), sets[2], strict=True))
    np.testing.assert_allclose(xp.to_numpy(at_once[0]), np.full((1, 3), 1 / 3), rtol=1e-15)
    np.testing.assert_array_equal(xp.to_numpy(in_turns[0]), [[0.25, 0.25, 0.5]])
    assert xp.to_numpy(in_turns[1]) == xp.to_numpy(at_once[1]) == inf


def test_attention_with_lse_in_half_precision_keeps_its_lse_in_single(xp_any):
    """Rounded to bfloat16 an lse of 10 would be off by 3 %, and the shares with it."""
    q, k, v = (xp_any.asarray(8 * x) for x in random((2, 5, 3), (2, 7, 3), (2, 7, 2)))
    parts = [attention_with_lse(q, k[:, s, :], v[:, s, :]) for s in (slice(3), slice(3, 7))]
    whole, merged = attention_with_lse(q, k, v), merge_attention(*zip(*parts, strict=True))
    for output, lse in (whole, merged):
        assert output.dtype == xp_any.dtype
        assert lse.dtype == (xp_any.namespace.float32 if xp_any.eps > 1e-4 else xp_any.dtype)
    (output, lse), (all_at_once, of_all) = (map(xp_any.to_numpy, x) for x in (merged, whole))
    np.testing.assert_allclose(lse, of_all, rtol=50 * max(2.0**-52, min(xp_any.eps, 2.0**-23)))
    np.testing.assert_allclose(output, all_at_once, rtol=2 * xp_any.tol, atol=16 * xp_any.tol)


def test_numpy_does_not_warn_in_merge_attention():
    """An infinite output of a part with no share, say."""
    output, lse = merge_attention([np.array([[inf]]), np.array([[2.0]])], [np.array([-800.0]), np.array([9.0])])
    assert np.isnan(output).all()
    assert lse == 9
