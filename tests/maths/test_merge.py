"""The lse is what its definition says, and attention over parts of the keys merges into attention over all."""

import itertools
import json
import math
from pathlib import Path

import array_api_strict
import numpy as np
import pytest
from attending import Lane, case, random, same, tensors
from exactness import distance
from hypothesis import given
from hypothesis import strategies as st
from optional_torch import torch

from lib import attention, attention_with_lse, log_partition, merge_attention
from lib._request import PATHS

gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck
jacfwd, jacrev, vmap = torch.func.jacfwd, torch.func.jacrev, torch.func.vmap

inf, nan = math.inf, math.nan
GOLDEN = json.loads((Path(__file__).parent / "golden" / "attention.json").read_text())
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # torch's own, for jacfwd


# ---- the definition


def test_the_golden_values_come_from_their_generator():
    path = Path(__file__).parent / "golden" / "attention.py"
    module = {"__file__": str(path), "__name__": "golden_attention"}
    exec(compile(path.read_text(), path, "exec"), module)
    assert module["table"]() == GOLDEN


def test_output_and_lse_are_within_a_few_roundings_of_50_digits(xp):
    """8 n eps for the weights, times the largest value; for the lse, of the largest |β s| or |log u| or 1."""
    for name, row in GOLDEN.items():
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
@pytest.mark.parametrize("seed", range(0, 61, 3))
def test_with_all_that_attention_takes_it_is_the_sum_before_normalising(lane, seed):
    """Any weight is u e^(βs) over it: read back from the weights that the loops give."""
    (q, k, v), options, output, weights = case(seed)
    given = {name: lane.given(x) for name, x in options.items()}
    got, lse = map(lane.xp.to_numpy, attention_with_lse(*map(lane.given, (q, k, v)), path=lane.path, **given))
    np.testing.assert_allclose(got, output, rtol=1e-12, atol=1e-12)
    scores = q @ np.repeat(k, q.shape[1] // k.shape[1], axis=1).swapaxes(-1, -2)
    u = np.log(options["prior"]) if "prior" in options else options.get("log_prior", 0.0)
    seen = np.where(weights > 0, weights, 1.0)
    expected = np.where(weights > 0, options["beta"] * scores + u - np.log(seen), -inf).max(-1)
    np.testing.assert_allclose(lse, expected, rtol=1e-11, atol=1e-11)


def test_it_is_beta_times_the_log_partition_and_the_logarithm_of_the_priors_sum(xp):
    q, k, v, u = map(xp.asarray, random((2, 5, 3), (2, 7, 3), (2, 7, 11), (5, 7)))
    scores, prior = q @ xp.matrix_transpose(k), xp.exp(u)
    for beta in (0.7, -1.3, 1e-12, 30.0):
        lse = attention_with_lse(q, k, v, beta=beta, prior=prior)[1]
        expected = beta * log_partition(scores, beta, prior=prior) + xp.log(xp.sum(prior, axis=-1))
        np.testing.assert_allclose(xp.to_numpy(lse), xp.to_numpy(expected), rtol=1e-13, atol=1e-13)
    plain = attention_with_lse(q, k, v, beta=0.0)[1]
    np.testing.assert_allclose(xp.to_numpy(plain), np.full((2, 5), math.log(7)), rtol=1e-15)


def test_a_prior_and_its_logarithm_are_not_normalised(xp):
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
def test_attention_over_disjoint_keys_merges_into_attention_over_all(sizes, seed):
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


def test_order_and_grouping_do_not_matter(xp):
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


def test_gradients_through_the_parts_are_those_of_the_whole():
    """In q, k, v, β and the prior; with a query that sees nothing, and one that sees nothing of a part."""
    q, k, v, u = tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11), (7,), wanted=True)
    beta = torch.tensor([0.3, -0.5, 2.0], dtype=torch.float64).reshape(3, 1, 1).requires_grad_()
    where = torch.ones(5, 7, dtype=torch.bool)
    where[0], where[1, :3], where[2, 3:] = False, False, False
    leaves = (q, k, v, u, beta)
    parts = [
        attention_with_lse(q, k[..., s, :], v[..., s, :], beta=beta, where=where[:, s], log_prior=u[s])
        for s in (slice(3), slice(3, 7))
    ]
    ways = (
        merge_attention(*zip(*parts, strict=True)),
        attention_with_lse(q, k, v, beta=beta, where=where, log_prior=u),
    )
    grads = []
    for output, lse in ways:
        total = (output * torch.linspace(0.3, 1.7, 11, dtype=torch.float64)).sum() + lse[..., 1:].square().sum()
        grads.append(torch.autograd.grad(total, leaves))
    for name, merged, whole in zip("qkvub", *grads, strict=True):
        assert torch.isfinite(merged).all(), name
        same(merged, whole, tol=1e-12)
    assert (grads[0][0][:, :, 0] == 0).all()
    same(ways[0][0], attention(q, k, v, beta=beta, where=where, log_prior=u))


def test_the_slope_of_the_lse_in_the_scores_is_beta_times_the_weights():
    """With keys that are unit vectors, a query's entries are its scores."""
    (q,), k = tensors((5, 7), wanted=True), torch.eye(7, dtype=torch.float64)
    u = torch.arange(1.0, 8, dtype=torch.float64)
    for beta in (0.7, -1.3):
        weights, lse = attention_with_lse(q, k, k, beta=beta, prior=u, causal=True)
        (slope,) = torch.autograd.grad(lse.sum(), q)
        same(slope, beta * weights)


def test_first_and_second_derivatives_against_finite_differences():
    q, k, v, u = tensors((2, 2, 1), (2, 3, 1), (2, 3, 2), (3,), wanted=True)
    where = torch.tensor([[True, False, True], [False] * 3])
    beta = torch.tensor([[[0.4]], [[-0.9]]], dtype=torch.float64, requires_grad=True)

    def f(q, k, v, beta, u):
        output, lse = attention_with_lse(q, k, v, beta=beta, where=where, log_prior=u)
        return output, lse[:, 0]

    assert gradcheck(f, (q, k, v, beta, u))
    assert gradgradcheck(f, (q, k, v, beta, u), fast_mode=True)
    outputs, lses = tensors((5, 2), (5, 2), seed=1, wanted=True), tensors((5,), (5,), seed=2, wanted=True)
    assert gradcheck(lambda *x: merge_attention(x[:2], x[2:]), (*outputs, *lses))
    assert gradgradcheck(lambda *x: merge_attention(x[:2], x[2:]), (*outputs, *lses))


def test_transforms_agree_with_plain_calls():
    q, k, v = tensors((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 2))

    def f(q, k, v):
        halves = [attention_with_lse(q, k[..., s, :], v[..., s, :]) for s in (slice(3), slice(3, 7))]
        return merge_attention(*zip(*halves, strict=True))

    same(vmap(f)(q, k, v), f(q, k, v))
    jacobian = torch.autograd.functional.jacobian(lambda q: f(q, k, v), q)
    for make in (jacrev, jacfwd):
        same(make(lambda q: f(q, k, v))(q), jacobian)


# ---- awkward inputs


@pytest.mark.parametrize("beta", [0.7, 0.0, -1.0])
def test_nothing_to_attend_to_has_lse_minus_infinity_and_gradient_zero(beta):
    q, k, v = tensors((2, 5, 3), (2, 7, 3), (2, 7, 2), wanted=True)
    for options in (
        {"lengths": torch.tensor([0, 7])},
        {"causal": True, "offset": -9},
        {"where": torch.zeros(7, dtype=torch.bool)},
    ):
        output, lse = attention_with_lse(q, k, v, beta=beta, **options)
        merged = merge_attention([output, output], [lse, lse])
        for found, total in ((output, lse), merged):
            assert (total[0] == -inf).all()
            assert (found[0] == 0).all()
            scalar = found.sum() + torch.where(total == -inf, 0.0, total).sum()
            grads = torch.autograd.grad(scalar, (q, k, v), retain_graph=True)
            assert all((x[0] == 0).all() and x.isfinite().all() for x in grads)


def test_no_keys_and_no_queries(xp):
    q, k, v = map(xp.asarray, random((2, 5, 3), (2, 7, 3), (2, 7, 2)))
    output, lse = attention_with_lse(q, k[:, :0, :], v[:, :0, :])
    np.testing.assert_array_equal(xp.to_numpy(lse), np.full((2, 5), -inf))
    np.testing.assert_array_equal(xp.to_numpy(output), np.zeros((2, 5, 2)))
    output, lse = attention_with_lse(q[:, :0, :], k, v)
    assert output.shape == (2, 0, 2)
    assert lse.shape == (2, 0)
    assert merge_attention([output], [lse])[0].shape == (2, 0, 2)


def test_infinite_and_huge_scores(xp):
    q, v = xp.asarray([[1.0]]), xp.asarray(np.eye(3))
    for keys, beta, weights, value in (
        ([inf, 2.0, inf], 0.5, [0.5, 0, 0.5], inf),
        ([inf, 2.0, 3.0], -1.0, [0, 1 / (1 + math.exp(-1)), 1 / (1 + math.e)], -2 + math.log1p(math.exp(-1))),
        ([inf, inf, inf], -1.0, [1 / 3] * 3, -inf),
        ([inf, 2.0, -inf], 0.0, [0.5, 0.5, 0], math.log(2)),
        ([-inf, -inf, -inf], 0.5, [0, 0, 0], -inf),
        ([1e30, 1e30, -1e30], 0.5, [0.5, 0.5, 0], 0.5e30),
        ([1.5e308, -1.5e308, -1.5e308], 1e-300, [1, 0, 0], 1.5e8),  # the gap between them is no float
        ([-1e9, -1e9, -1e9], 1.0, [1 / 3] * 3, -1e9 + math.log(3)),
        ([1e6, 1e6 + 1, 1e6], 1.0, None, 1e6 + 1 + math.log1p(2 / math.e)),
    ):
        output, lse = attention_with_lse(q, xp.asarray(np.array(keys)[:, None]), v, beta=beta)
        np.testing.assert_allclose(xp.to_numpy(lse), [value], rtol=1e-15)
        if weights is not None:
            np.testing.assert_allclose(xp.to_numpy(output), [weights], rtol=1e-14)
    output, lse = attention_with_lse(q, xp.asarray([[nan], [1.0], [2.0]]), v)
    assert np.isnan(xp.to_numpy(lse)).all()
    finite = xp.asarray([[1.0, 2.0]]), xp.asarray([3.0])
    infinite = xp.asarray([[5.0, 7.0]]), xp.asarray([inf])
    nothing = xp.asarray([[nan, inf]]), xp.asarray([-inf])  # not even this is seen
    output, lse = merge_attention(*zip(finite, infinite, nothing, strict=True))
    assert xp.to_numpy(output).tolist() == [[5, 7]]
    assert xp.to_numpy(lse).tolist() == [inf]
    output, lse = merge_attention(*zip(finite, nothing, strict=True))
    assert (xp.to_numpy(output).tolist(), xp.to_numpy(lse).tolist()) == ([[1, 2]], [3])


def test_of_sets_with_infinite_lse_each_call_gives_the_same_to_each(xp):
    """So here the grouping does matter: how much of its +inf a set has from which keys is not known any more."""
    sets = [(xp.asarray([row]), xp.asarray([inf])) for row in np.eye(3)]
    at_once = merge_attention(*zip(*sets, strict=True))
    in_turns = merge_attention(*zip(merge_attention(*zip(*sets[:2], strict=True)), sets[2], strict=True))
    np.testing.assert_allclose(xp.to_numpy(at_once[0]), np.full((1, 3), 1 / 3), rtol=1e-15)
    np.testing.assert_array_equal(xp.to_numpy(in_turns[0]), [[0.25, 0.25, 0.5]])
    assert xp.to_numpy(in_turns[1]) == xp.to_numpy(at_once[1]) == inf


def test_half_precision_keeps_its_lse_in_single(xp_any):
    """Rounded to bfloat16 an lse of 10 would be off by 3 %, and the shares with it."""
    q, k, v = (xp_any.asarray(8 * x) for x in random((2, 5, 3), (2, 7, 3), (2, 7, 2)))
    whole = attention_with_lse(q, k, v)
    parts = [attention_with_lse(q, k[:, s, :], v[:, s, :]) for s in (slice(3), slice(3, 7))]
    merged = merge_attention(*zip(*parts, strict=True))
    half = xp_any.eps > 1e-4
    for output, lse in (whole, merged):
        assert output.dtype == xp_any.dtype
        assert lse.dtype == (xp_any.namespace.float32 if half else xp_any.dtype)
    np.testing.assert_allclose(
        xp_any.to_numpy(merged[1]), xp_any.to_numpy(whole[1]), rtol=50 * max(2.0**-52, min(xp_any.eps, 2.0**-23))
    )
    np.testing.assert_allclose(
        xp_any.to_numpy(merged[0]), xp_any.to_numpy(whole[0]), rtol=2 * xp_any.tol, atol=16 * xp_any.tol
    )


def test_an_lse_of_another_dtype_is_computed_with_in_the_wider_one(xp):
    outputs = [xp.asarray(x) for x in random((5, 2), (5, 2))]
    lses = [xp.asarray(x, dtype=xp.float32) for x in random((5,), (5,), seed=1)]
    narrow, wide = (
        merge_attention(outputs, [xp.astype(x, dtype) for x in lses]) for dtype in (xp.float32, xp.float64)
    )
    for got, expected in zip(narrow, wide, strict=True):
        assert got.dtype == xp.float64
        np.testing.assert_array_equal(xp.to_numpy(got), xp.to_numpy(expected))


def test_what_is_masked_has_no_effect_not_even_nan(xp):
    q, k, v = random((2, 5, 3), (2, 7, 3), (2, 7, 2))
    lengths = xp.asarray(np.array([3, 6]))
    clean = attention_with_lse(*map(xp.asarray, (q, k, v)), lengths=lengths)
    k[0, 3:], v[0, 4:], k[1, 6] = nan, inf, -inf
    for got, expected in zip(attention_with_lse(*map(xp.asarray, (q, k, v)), lengths=lengths), clean, strict=True):
        np.testing.assert_array_equal(xp.to_numpy(got), xp.to_numpy(expected))


def test_arguments_that_do_not_fit_are_refused(xp):
    q, k, v = map(xp.asarray, random((2, 5, 3), (2, 7, 3), (2, 7, 2)))
    for beta in (inf, -inf, xp.asarray([[[inf]], [[1.0]]])):
        with pytest.raises(ValueError, match=r"^beta must be finite.* got ±inf$"):
            attention_with_lse(q, k, v, beta=beta)
    if not xp.is_torch:
        with pytest.raises(
            ValueError, match=r'path="fused" cannot be taken for NumPy arrays.*take path="readable"'
        ):
            attention_with_lse(q, k, v, path="fused")
    with pytest.raises(ValueError, match=r"path must be one of .*got 'fast'"):
        attention_with_lse(q, k, v, path="fast")
    output, lse = attention_with_lse(q, k, v)
    values, kinds = ValueError, TypeError
    other = array_api_strict.asarray(1.0) if xp.is_torch else torch.tensor(1.0)
    for outputs, lses, error, message in (
        ([], [], values, "outputs must hold one array for each set of keys; got none"),
        ([output], [], values, "lses must hold one array"),
        ([output, output], [lse], values, r"as many lses.*outputs\[1\] has shape \(2, 5, 2\); lses\[0\] .*5\)$"),
        ([output], [lse[:1, :]], values, r"lses\[0\] has shape \(1, 5\)"),
        ([output, output[..., :1]], [lse, lse], values, r"outputs\[1\] has shape \(2, 5, 1\)"),
        ([lse[0, :]], [lse[0, 0]], values, r"outputs\[0\] has shape \(5,\); lses\[0\] has shape \(\)"),
        ([output, [1.0]], [lse, lse], kinds, r"outputs\[1\] must be a NumPy array or a torch tensor; got list"),
        ([output], 1.0, kinds, "lses must be a sequence of arrays, one for each set of keys; got float"),
        ([output] * 2, [xp.astype(lse, xp.complex128), lse], kinds, r"^lses\[0\] must be real numbers; got .*128"),
        ([output], [other], kinds, r"two kinds: outputs\[0\] is .*, lses\[0\] is "),
    ):
        with pytest.raises(error, match=message):
            merge_attention(outputs, lses)


def test_no_argument_is_ever_changed():
    q, k, v = random((2, 5, 3), (2, 7, 3), (2, 7, 2))
    k[:, 6] = nan
    for x in (q, k, v):
        x.flags.writeable = False
    output, lse = attention_with_lse(q, k, v, lengths=np.array([6, 0]))
    output.flags.writeable = lse.flags.writeable = False
    merge_attention((output, output), (lse, lse))
    merge_attention(
        np.broadcast_to(output, (3, 2, 5, 2)), np.broadcast_to(lse, (3, 2, 5))
    )  # a stack is a sequence


def test_numpy_warns_of_nothing():
    """An infinite output of a part with no share, say."""
    output, lse = merge_attention([np.array([[inf]]), np.array([[2.0]])], [np.array([-800.0]), np.array([9.0])])
    assert np.isnan(output).all()
    assert lse == 9
