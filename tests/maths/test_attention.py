"""Attention is what its definition says, on every library and path."""

import math

import numpy as np
import pytest
from attending import (
    SOME_WAYS,
    Lane,
    case,
    close,
    every_lane,
    every_lane_and_dtype,
    every_lane_and_entmax,
    every_way,
    loops,
    random,
    who_sees_whom,
)
from backends import EPS
from calls import named
from hypothesis import given
from hypothesis import strategies as st
from optional_torch import torch

from lib import attention, causal_mask, linear_attention, padding_mask, softmax, window_mask

inf, nan = math.inf, math.nan

# ---- the definition


@every_lane
def test_attention_is_its_definition_written_in_loops(lane):
    """All cases by each body; a third where another library goes through one of them, or "auto" chooses one."""
    library, path = lane.xp.library, lane.path
    some = library == "strict" or (library != "numpy" and path == "auto")
    for seed in range(0, 61, 3 if some else 1):
        arrays, options, output, _ = case(seed)
        with named(seed):
            close(lane, lane(*arrays, **options), output)


@every_lane_and_dtype
def test_attention_in_every_dtype_is_its_definition_to_rounding(lane):
    """On the rounded inputs; half precision is computed in float32, so it is rounded once, by half an eps."""
    q, k, v, u = map(lane.xp.rounded, random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11), (7,)))
    options = {"beta": 0.7, "causal": True, "lengths": np.array([5, 3]), "offset": 2, "log_prior": u}
    sees = np.stack([who_sees_whom(5, 7, causal=True, length=n) for n in (5, 3)])
    bias = np.broadcast_to(u, (3, 5, 7))
    expected = [loops(q[b], k[b], v[b], 0.7, np.broadcast_to(sees[b], (3, 5, 7)), bias)[0] for b in (0, 1)]
    output = lane.raw(q, k, v, **options)
    assert output.dtype == lane.xp.dtype
    single = 50 * EPS["float32"]
    rtol, atol = (lane.xp.tol, lane.xp.tol) if lane.xp.eps < single else (0.5 * lane.xp.eps, single)
    np.testing.assert_allclose(lane.xp.to_numpy(output), np.stack(expected), rtol=rtol, atol=atol)


# ---- symmetries


@every_lane
def test_a_constant_added_to_the_scores_of_a_query_changes_nothing_in_attention(lane):
    """An extra feature that is 1 in every key and anything in the queries."""
    q, k, v, c = random((5, 3), (7, 3), (7, 2), (5, 1))
    shifted = lane(np.concatenate([q, 100 * c], 1), np.concatenate([k, np.ones((7, 1))], 1), v, beta=0.7)
    close(lane, shifted, lane(q, k, v, beta=0.7), scale=300)  # scores of up to 300 carry that many roundings


@given(
    st.integers(1, 5),
    st.integers(0, 5),
    st.integers(0, 7),
    st.integers(1, 3),
    st.integers(0, 3),
    st.integers(0, 2**32),
)
def test_for_any_shape_attention_of_numpy_and_by_the_fused_path_agree(batch, n_q, n_k, d, d_v, seed):
    q, k, v, u = random((batch, n_q, d), (batch, n_k, d), (batch, n_k, d_v), (n_k,), seed=seed)
    rng = np.random.default_rng(seed)
    options = {"lengths": rng.integers(0, n_k + 1, batch), "offset": rng.integers(-2, 8, batch), "log_prior": u}
    options |= {"window": int(rng.integers(1, 5))} if seed % 2 else {"causal": True}
    fused = Lane("torch-cpu", "fused")(q, k, v, **options)
    assert fused.shape == (batch, n_q, d_v)
    np.testing.assert_allclose(attention(q, k, v, **options), fused, rtol=1e-13, atol=1e-13)


# ---- masks


@every_lane_and_entmax
def test_attention_to_a_padded_cache_has_offset_lengths_minus_n_q(lane):
    q, k, v = random((3, 2, 11, 2), (3, 2, 11, 2), (3, 2, 11, 5))
    lengths, n_q = np.array([7, 3, 11]), 3
    last = np.stack([q[b, :, n - n_q : n] for b, n in enumerate(lengths)])
    step = lane(last, k, v, causal=True, lengths=lengths, offset=lengths - n_q)
    for b, n in enumerate(lengths):
        close(lane, step[b], lane(q[b, :, :n], k[b, :, :n], v[b, :, :n], causal=True)[:, -n_q:])


@every_lane_and_entmax
def test_in_attention_lengths_beyond_the_keys_are_all_or_none_of_them(lane):
    q, k, v = random((3, 5, 2), (3, 7, 2), (3, 7, 11))
    close(lane, lane(q, k, v, lengths=np.array([-2, 9, 7])), lane(q, k, v, lengths=np.array([0, 7, 7])))


@every_lane
def test_attention_cuts_a_long_window_into_blocks_without_a_seam(lane):
    """Longer than one block of the fused path, with a window of more and of less than a block."""
    q, k, v = random((557, 2), (601, 2), (601, 3))
    for window in (5, 307):
        for offset in (44, 7):
            mask = window_mask(557, 601, window=window, offset=offset)
            close(lane, lane(q, k, v, window=window, offset=offset), lane(q, k, v, where=mask))
    close(lane, lane(q, k, v, causal=True), lane(q, k, v, where=causal_mask(557, 601)))


@every_lane_and_entmax
def test_attention_gives_zeros_to_a_query_with_nothing_to_attend_to(lane):
    q, k, v = random((3, 2, 5, 2), (3, 2, 7, 2), (3, 2, 7, 11))
    assert (lane(q, k, v, where=np.zeros((1, 1), dtype=bool)) == 0).all()
    assert (lane(q, k, v, lengths=np.zeros(3, dtype=int)) == 0).all()
    assert (lane(q, k, v, causal=True, offset=-5) == 0).all()
    for beta in (0.0, -1.0, 0.7):
        output = lane(q, k, v, beta=beta, causal=True, offset=-2, lengths=np.array([7, 0, 3]))
        assert (output[:, :, :2] == 0).all()
        assert (output[1] == 0).all()
        assert (output[[0, 2], :, 2:] != 0).all()


@every_lane_and_entmax
def test_padding_alone_may_come_to_attention_as_a_mask_of_any_rank(lane):
    """(batch, 1, n_k) against three axes, (n_k,) or nothing but a row against any."""
    q, k, v = random((2, 5, 2), (2, 7, 2), (2, 7, 11))
    expected, mask = lane(q, k, v, lengths=np.array([3, 3])), padding_mask(np.array([3, 3]), 7)
    for where in (mask, mask[0], mask[0, 0]):
        close(lane, lane(q, k, v, where=where), expected)


@every_lane_and_entmax
def test_attention_with_lengths_needs_no_offset_where_there_is_but_one_answer(lane):
    q, k, v = random((2, 7, 4), (2, 7, 4), (2, 7, 5))
    for n_q, n_k, options in ((7, 7, {"causal": True}), (2, 7, {}), (7, 2, {"window": 2})):
        arrays = q[:, :n_q], k[:, :n_k], v[:, :n_k]
        expected = lane(*arrays, offset=n_k - n_q, lengths=np.array([7, 3]), **options)
        close(lane, lane(*arrays, lengths=np.array([7, 3]), **options), expected)


# ---- heads


@every_lane_and_entmax
def test_in_attention_grouped_heads_are_repeated_heads(lane):
    for heads, of_k, of_v in ((6, 2, 2), (6, 3, 3), (6, 1, 1), (6, 2, 3), (6, 6, 2), (5, 1, 5)):
        q, k, v, u = random((2, heads, 5, 2), (2, of_k, 7, 2), (2, of_v, 7, 3), (heads, 1, 7))
        repeated = q, np.repeat(k, heads // of_k, axis=1), np.repeat(v, heads // of_v, axis=1)
        where = np.random.default_rng(1).random((heads, 5, 7)) < 0.6
        for options in ({}, {"causal": True}, {"where": where}, {"log_prior": u}, {"lengths": np.array([3, 6])}):
            with named(heads, of_k, of_v, options):
                close(lane, lane(q, k, v, **options), lane(*repeated, **options))


@every_lane_and_entmax
def test_to_attention_more_than_four_axes_are_more_batch(lane):
    q, k, v = random((2, 3, 4, 5, 2), (2, 3, 2, 7, 2), (2, 3, 2, 7, 11))
    lengths = np.array([7, 3])
    whole = lane(q, k, v, causal=True, lengths=lengths, offset=2)
    for b, t in np.ndindex(2, 3):
        close(
            lane,
            whole[b, t],
            lane(q[b, t, None], k[b, t, None], v[b, t, None], causal=True, lengths=lengths[[b]], offset=2)[0],
        )


@every_lane_and_entmax
def test_in_attention_leading_axes_broadcast_together(lane):
    q, k, v, where = random((2, 3, 5, 2), (7, 2), (3, 7, 11), (2, 1, 1, 7))
    output = lane(q, k, v, where=where > 0)
    for b, h in np.ndindex(2, 3):
        close(lane, output[b, h], lane(q[b, h], k, v[h], where=where[b, 0] > 0))
    assert lane(q[:, :1], k, v).shape == (2, 3, 5, 11)  # one head of q for three of v
    betas = np.array([0.0, 0.3, 2.0]).reshape(3, 1, 1)  # β adds an axis
    for output, beta in zip(lane(q[0, 0], k, v[0], beta=betas), (0.0, 0.3, 2.0), strict=True):
        close(lane, output, lane(q[0, 0], k, v[0], beta=beta))


# ---- β and the prior


@every_lane
def test_in_attention_beta_is_one_over_root_d_unless_it_is_given(lane):
    q, k, v = random((5, 3), (7, 3), (7, 2))
    close(lane, lane(q, k, v), lane(q, k, v, beta=1 / math.sqrt(3)))
    close(lane, lane(q, k, v), lane(q / math.sqrt(3), k, v, beta=1.0))
    close(lane, lane(q, k, v, beta=-0.7), lane(-q, k, v, beta=0.7))
    close(lane, lane(q[:, :1], k[:, :1], v), lane(q[:, :1], k[:, :1], v, beta=1.0))
    for shape in ((), (1,)):
        close(lane, lane(q, k, v, beta=np.full(shape, 0.7)), lane(q, k, v, beta=0.7))


@every_way
def test_attention_at_beta_zero_and_infinity_is_the_prior_and_the_ties_of_the_best(lane):
    q, k = np.array([[1.0], [-1.0]]), np.array([[2.0], [-1.0], [2.0], [-1.0]])
    u = np.array([3.0, 1.0, 1.0, 0.0])
    limits = {
        0.0: [[0.6, 0.2, 0.2, 0]] * 2,
        inf: [[0.75, 0, 0.25, 0], [0, 1, 0, 0]],
        -inf: [[0, 1, 0, 0], [0.75, 0, 0.25, 0]],
    }
    for prior in ({"prior": u}, {"log_prior": np.array([math.log(3), 0.0, 0.0, -inf])}):
        for beta, weights in limits.items():
            for given_beta in (beta, np.array([[beta]])):
                close(lane, lane(q, k, np.eye(4), beta=given_beta, **prior), weights)


@every_lane
def test_in_attention_a_log_prior_below_the_logarithm_of_any_float_still_counts(lane):
    q, k, v = random((5, 3), (7, 3), (7, 2))
    u = random((5, 7), seed=1)[0]
    close(lane, lane(q, k, v, log_prior=u - 2000), lane(q, k, v, log_prior=u), scale=2000)  # roundings of 2000
    tilted = np.array([0.0, -1000.0])
    far = lane(np.array([[1.0]]), np.array([[0.0], [1000.5]]), np.eye(2), beta=1.0, log_prior=tilted)
    close(lane, far, [[1 / (1 + math.exp(0.5)), 1 / (1 + math.exp(-0.5))]], scale=1000)


@pytest.mark.parametrize("name", ["prior", "log_prior"])
@every_lane
def test_a_prior_of_attention_in_float64_keeps_its_range_and_digits_whatever_q_has(lane, name):
    namespace = lane.xp.namespace
    q, k, v = (lane.xp.asarray(x, dtype=namespace.float32) for x in random((5, 3), (7, 3), (7, 2)))
    near = np.arange(1.0, 8)
    far = near * 1e-60 if name == "prior" else near - 1e6
    priors = [{name: lane.xp.asarray(x, dtype=namespace.float64)} for x in (far, near)]
    got, expected = (lane.xp.to_numpy(attention(q, k, v, path=lane.path, **prior)) for prior in priors)
    np.testing.assert_allclose(got, expected, atol=1e-6)


@pytest.mark.parametrize("lane", [Lane("torch-cpu", "readable"), Lane("torch-cpu", "auto")], ids=repr)
def test_an_infinite_score_gives_no_gradient_to_its_query_and_key_in_attention(lane):
    """The slope of the score would be the key, and 0 · ∞ is NaN."""
    q, k, v = np.array([[1.0, 2.0]]), np.array([[inf, 0.0], [1.0, 2.0], [0.5, 0.2]]), random((3, 2))[0]
    output, found = lane.gradients(q, k, v, beta=1.0)  # all the weight is on the infinite score
    close(lane, output, v[:1])
    assert not found["q"].any()
    assert not found["k"].any()
    _, found = lane.gradients(q, k, v, beta=-1.0)  # none is
    _, others = lane.gradients(q, k[1:], v[1:], beta=-1.0)
    close(lane, found["q"], others["q"])
    close(lane, found["k"], [[0, 0], *others["k"]])


# ---- other maps, dropout, sizes of nothing


def test_any_callable_turns_scores_into_weights_of_attention(xp):
    q, k, v = random((2, 5, 3), (2, 7, 3), (2, 7, 11))
    arrays, calls = [xp.asarray(x) for x in (q, k, v)], []

    def share(scores, beta, where=None, axis=-1):
        calls.append((scores, beta, where, axis))
        return scores**2 / 100

    output, weights = attention(*arrays, weights=share, beta=0.5, causal=True, return_weights=True)
    scores, beta, where, axis = calls[0]
    assert (beta, axis) == (0.5, -1)
    np.testing.assert_array_equal(xp.to_numpy(where), causal_mask(5, 7))
    seen, squares = causal_mask(5, 7).any(0)[:, None], xp.to_numpy(scores) ** 2 / 100
    np.testing.assert_allclose(xp.to_numpy(scores), q @ np.where(seen, k, 0).swapaxes(-1, -2), rtol=1e-14)
    np.testing.assert_allclose(xp.to_numpy(output), squares @ v, rtol=1e-13)
    np.testing.assert_allclose(xp.to_numpy(weights), squares)
    attention(*arrays, weights=share)
    assert calls[1][2] is None
    lengths = xp.asarray([3, 7])
    named_by = attention(*arrays, weights=lambda *a, **o: softmax(*a, **o), lengths=lengths)
    plain = attention(*arrays, lengths=lengths)
    np.testing.assert_allclose(xp.to_numpy(named_by), xp.to_numpy(plain), rtol=1e-13)


def dropout_source(lane, seed=3):
    if not lane.xp.is_torch:
        return np.random.default_rng(seed)
    return torch.Generator(device=lane.xp.device).manual_seed(seed)


@pytest.mark.parametrize("lane", [*(Lane(*way) for way in SOME_WAYS), Lane("torch-cpu", "fused")], ids=repr)
def test_dropout_of_attention_zeroes_weights_and_scales_the_rest(lane):
    q, k = random((2, 53, 3), (2, 61, 3))
    args = q, k, np.broadcast_to(np.eye(61), (2, 61, 61))  # the output is the weights that were used
    weights = lane(*args, causal=True)

    def drop(seed=3):
        """By the kernel, which draws from torch's own generator, or by one that is given."""
        own = lane.path == "fused" and torch.manual_seed(seed)
        return lane(*args, dropout=0.3, causal=True, generator=None if own else dropout_source(lane, seed))

    used = drop()
    kept = used != 0
    np.testing.assert_allclose(used[kept], weights[kept] / 0.7, rtol=1e-13)
    frequency = kept[weights > 0].mean()
    assert abs(frequency - 0.7) < 4 * math.sqrt(0.21 / (weights > 0).sum())  # four standard deviations
    np.testing.assert_array_equal(drop(), used)
    assert (drop(seed=4) != used).any()
    assert (lane(*args, dropout=0.3) != lane(*args, dropout=0.3)).any()  # without a generator: fresh
    if lane.path != "fused":
        options = {"dropout": 0.3, "causal": True, "return_weights": True}
        pair = lane.raw(*args, generator=dropout_source(lane), **options)
        for got, want in zip(pair, (used, weights), strict=True):  # those before dropout
            np.testing.assert_allclose(lane.xp.to_numpy(got), want, rtol=1e-13)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dropout_draws_from_the_generator_in_the_dtype_of_the_weights(dtype):
    lane = Lane("torch-cpu", "readable", dtype)
    q, k = random((2, 53, 3), (2, 61, 3))
    output = lane(q, k, np.broadcast_to(np.eye(61), (2, 61, 61)), generator=dropout_source(lane), dropout=0.3)
    drawn = torch.rand((2, 53, 61), generator=dropout_source(lane), dtype=lane.xp.dtype)
    np.testing.assert_array_equal(output == 0, drawn.numpy() < 0.3)


@every_lane_and_entmax
def test_in_attention_no_keys_give_zeros_and_no_queries_nothing(lane):
    q, k, v = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11))
    none = lane(q, k[:, :, :0], v[:, :, :0], causal=True, log_prior=np.zeros(0), lengths=np.array([0, 0]))
    np.testing.assert_array_equal(none, np.zeros((2, 3, 5, 11)))
    assert lane(q[:, :, :0], k, v, causal=True).shape == (2, 3, 0, 11)
    for n_q, n_k, *shape in ((5, 0, 5, 1), (5, 0, 5, 0), (5, 0, 1, 1), (0, 7, 0, 7), (0, 7, 1, 7), (0, 0, 0, 0)):
        for options in (
            {"where": np.ones(shape, bool)},
            {"prior": np.ones(shape)},
            {"log_prior": np.zeros(shape)},
        ):
            assert not lane(q[0, 0, :n_q], k[0, 0, :n_k], v[0, 0, :n_k], **options).any()
    assert lane(q[:0], k[:0], v[:0], lengths=np.zeros(0, dtype=int)).shape == (0, 3, 5, 11)
    assert lane(q, k, v[..., :0]).shape == (2, 3, 5, 0)
    close(lane, lane(q[..., :0], k[..., :0], v), np.repeat(v.mean(-2, keepdims=True), 5, axis=2))  # scores of 0


@pytest.mark.parametrize("weights", ["softmax", "entmax", "sparsemax"])
def test_a_log_prior_may_be_the_same_for_all_keys(xp, weights):
    """Of an axis of one key, it shifts all logarithms of a row alike, and so changes nothing."""
    arrays = [xp.asarray(x) for x in np.random.default_rng(0).normal(size=(3, 5, 5))]
    for options in ({}, {"causal": True}, {"where": xp.asarray(np.eye(5) < 1)}):
        want = xp.to_numpy(attention(*arrays, weights=weights, **options))
        for shape in ((5, 1), (1, 1), (1,)):
            log_prior = xp.asarray(np.full(shape, 0.5))
            got = xp.to_numpy(attention(*arrays, weights=weights, log_prior=log_prior, **options))
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


def test_no_heads_of_queries_share_no_keys():
    q, k = np.zeros((1, 0, 3, 4)), np.zeros((1, 2, 3, 4))
    for call in (attention, linear_attention):
        with pytest.raises(ValueError, match="leading axes do not broadcast together"):
            call(q, k, k)
