"""Attention is what its definition says, on every library and path, and has the symmetries it should have."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from attending import WAYS, Lane, case, close, every_lane, every_lane_and_dtype, loops, random, who_sees_whom
from backends import EPS
from hypothesis import given
from hypothesis import strategies as st
from optional_torch import torch

from lib import attention, causal_mask, log_partition, padding_mask, softmax, window_mask

inf, nan = math.inf, math.nan


# ---- the definition


# All of them by each body; a third where another library goes through one of them, or "auto" chooses one.
ALL, SOME = range(61), range(0, 61, 3)
CASES = [
    (Lane(library, path), seed)
    for library, path in WAYS
    for seed in (SOME if library == "strict" or (library != "numpy" and path == "auto") else ALL)
]


@pytest.mark.parametrize(("lane", "seed"), CASES, ids=repr)
def test_it_is_its_definition_written_in_loops(lane, seed):
    arrays, options, output, _ = case(seed)
    close(lane, lane(*arrays, **options), output)


@every_lane_and_dtype
def test_in_every_dtype_it_is_its_definition_to_rounding(lane):
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


@pytest.mark.parametrize(
    "lane", [Lane("numpy", "auto"), Lane("strict", "auto"), Lane("torch-cpu", "readable")], ids=repr
)
@pytest.mark.parametrize("seed", range(0, 61, 5))
def test_the_weights_are_those_of_the_definition_and_sum_to_one_or_nothing(lane, seed):
    arrays, options, output, weights = case(seed)
    got_output, got_weights = map(lane.xp.to_numpy, lane.raw(*arrays, return_weights=True, **options))
    close(lane, got_output, output)
    close(lane, got_weights, weights)
    sums = got_weights.sum(-1)
    close(lane, sums, (weights > 0).any(-1))


# ---- symmetries


@every_lane
def test_it_is_linear_in_the_values(lane):
    q, k, v, w = random((2, 5, 3), (2, 7, 3), (2, 7, 11), (2, 7, 11))
    options = {"causal": True, "lengths": np.array([7, 4]), "offset": 2}
    mixed = lane(q, k, 2.5 * v - 3 * w, **options)
    close(lane, mixed, 2.5 * lane(q, k, v, **options) - 3 * lane(q, k, w, **options), scale=5)


@every_lane
def test_equal_values_come_out_as_they_are(lane):
    q, k, row = random((5, 3), (7, 3), (1, 2))
    close(lane, lane(q, k, np.repeat(row, 7, axis=0), causal=True), np.repeat(row, 5, axis=0))


@every_lane
def test_the_order_of_the_keys_does_not_matter(lane):
    q, k, v, u = random((2, 5, 3), (2, 7, 3), (2, 7, 2), (7,))
    where, order = np.random.default_rng(1).random((2, 5, 7)) < 0.6, np.random.default_rng(2).permutation(7)
    shuffled = lane(q, k[:, order], v[:, order], where=where[..., order], log_prior=u[order])
    close(lane, shuffled, lane(q, k, v, where=where, log_prior=u))


@every_lane
def test_the_order_of_the_queries_is_the_order_of_the_outputs(lane):
    q, k, v = random((5, 3), (7, 3), (7, 2))
    order = np.random.default_rng(2).permutation(5)
    close(lane, lane(q[order], k, v), lane(q, k, v)[order])


@every_lane
def test_masking_keys_equals_deleting_them(lane):
    q, k, v, u = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11), (7,))
    keep = np.array([True, False, True, True, False, False, True])
    deleted = lane(q, k[:, :, keep], v[:, :, keep], log_prior=u[keep])
    close(lane, lane(q, k, v, where=keep, log_prior=u), deleted)
    close(lane, lane(q, k, v, prior=np.exp(u) * keep), deleted)
    close(lane, lane(q, k, v, log_prior=np.where(keep, u, -inf)), deleted)


@every_lane
def test_a_constant_added_to_a_query_rows_scores_changes_nothing(lane):
    """An extra feature that is 1 in every key and anything in the queries."""
    q, k, v, c = random((5, 3), (7, 3), (7, 2), (5, 1))
    shifted = lane(np.concatenate([q, 100 * c], 1), np.concatenate([k, np.ones((7, 1))], 1), v, beta=0.7)
    close(lane, shifted, lane(q, k, v, beta=0.7), scale=300)  # scores of up to 300 carry that many roundings


@every_lane
def test_attention_over_two_sets_of_keys_mixes_what_each_alone_would_give(lane):
    """By the weights that softmax gives to the sets' values, which are log-partitions of their scores."""
    q, k, v = random((5, 3), (11, 3), (11, 2))
    scores = q @ k.T
    values = [log_partition(scores[:, part], 0.7) for part in (slice(4), slice(4, None))]
    shares = softmax(np.stack(values, -1), 0.7, prior=np.array([4.0, 7.0]))
    halves = [lane(q, k[part], v[part], beta=0.7) for part in (slice(4), slice(4, None))]
    close(lane, lane(q, k, v, beta=0.7), sum(shares[:, [i]] * half for i, half in enumerate(halves)))


@every_lane
def test_a_batch_item_alone_is_what_it_is_in_its_batch(lane):
    q, k, v, u = random((3, 2, 5, 2), (3, 2, 7, 2), (3, 2, 7, 11), (3, 1, 1, 7))
    lengths, starts = np.array([7, 0, 4]), np.array([2, 3, -1])
    whole = lane(q, k, v, causal=True, lengths=lengths, offset=starts, log_prior=u)
    for b in range(3):
        alone = lane(
            q[b], k[b], v[b], where=np.arange(7) < lengths[b], causal=True, offset=int(starts[b]), log_prior=u[b]
        )
        close(lane, whole[b], alone)


@given(
    st.integers(1, 5),
    st.integers(0, 5),
    st.integers(0, 7),
    st.integers(1, 3),
    st.integers(0, 3),
    st.integers(0, 2**32),
)
def test_for_any_shape_numpy_and_the_fused_path_agree(batch, n_q, n_k, d, d_v, seed):
    q, k, v, u = random((batch, n_q, d), (batch, n_k, d), (batch, n_k, d_v), (n_k,), seed=seed)
    rng = np.random.default_rng(seed)
    options = {"lengths": rng.integers(0, n_k + 1, batch), "offset": rng.integers(-2, 8, batch), "log_prior": u}
    options |= {"window": int(rng.integers(1, 5))} if seed % 2 else {"causal": True}
    fused = Lane("torch-cpu", "fused")(q, k, v, **options)
    assert fused.shape == (batch, n_q, d_v)
    np.testing.assert_allclose(attention(q, k, v, **options), fused, rtol=1e-13, atol=1e-13)


# ---- masks


@every_lane
def test_decoding_step_by_step_is_the_whole_causal_pass(lane):
    """One query at a time, or a few, against the keys so far: the default offset needs no telling."""
    q, k, v = random((2, 3, 11, 2), (2, 3, 11, 2), (2, 3, 11, 5))
    for options in ({"causal": True}, {"window": 3}):
        whole = lane(q, k, v, **options)
        for start, stop in itertools.pairwise([0, 1, 2, 5, 6, 11]):
            step = lane(q[:, :, start:stop], k[:, :, :stop], v[:, :, :stop], **options)
            close(lane, step, whole[:, :, start:stop])


@every_lane
def test_a_padded_cache_is_decoded_with_offset_lengths_minus_n_q(lane):
    q, k, v = random((3, 2, 11, 2), (3, 2, 11, 2), (3, 2, 11, 5))
    lengths, n_q = np.array([7, 3, 11]), 3
    last = np.stack([q[b, :, n - n_q : n] for b, n in enumerate(lengths)])
    step = lane(last, k, v, causal=True, lengths=lengths, offset=lengths - n_q)
    for b, n in enumerate(lengths):
        close(lane, step[b], lane(q[b, :, :n], k[b, :, :n], v[b, :, :n], causal=True)[:, -n_q:])


@every_lane
@pytest.mark.parametrize("heads", [(), (2,), (5, 2)])
def test_lengths_window_and_causal_are_the_masks_of_their_names(lane, heads):
    """Padded query rows included: they are queries like all others."""
    batch, n_q, n_k = 3, 7, 11
    q, k, v = random((batch, *heads, n_q, 2), (batch, *heads, n_k, 2), (batch, *heads, n_k, 5))
    lengths, starts = np.array([4, 11, 0]), np.array([0, 4, 2])
    wide = (batch,) + (1,) * len(heads)
    padding = padding_mask(lengths.reshape(wide), n_k)
    causal = causal_mask(n_q, n_k, offset=starts.reshape(wide))
    window = window_mask(n_q, n_k, offset=starts.reshape(wide), window=3)
    for options, mask in (
        ({"lengths": lengths}, padding),
        ({"causal": True, "offset": starts}, causal),
        ({"window": 3, "offset": starts}, window),
        ({"window": 3, "causal": True, "offset": starts}, window),
        ({"lengths": lengths, "causal": True, "offset": n_k - n_q}, padding & causal_mask(n_q, n_k)),
        ({"lengths": lengths, "window": 3, "offset": starts}, padding & window),
    ):
        close(lane, lane(q, k, v, **options), lane(q, k, v, where=mask))


@every_lane
def test_lengths_beyond_the_keys_are_all_or_none_of_them(lane):
    q, k, v = random((3, 5, 2), (3, 7, 2), (3, 7, 11))
    close(lane, lane(q, k, v, lengths=np.array([-2, 9, 7])), lane(q, k, v, lengths=np.array([0, 7, 7])))


@every_lane
def test_a_long_window_is_cut_into_blocks_without_a_seam(lane):
    """Longer than one block of the fused path, with a window of more and of less than a block."""
    q, k, v = random((557, 2), (601, 2), (601, 3))
    for window in (5, 307):
        for offset in (44, 7):
            mask = window_mask(557, 601, window=window, offset=offset)
            close(lane, lane(q, k, v, window=window, offset=offset), lane(q, k, v, where=mask))
    close(lane, lane(q, k, v, causal=True), lane(q, k, v, where=causal_mask(557, 601)))


@every_lane
def test_a_query_with_nothing_to_attend_to_gets_zeros(lane):
    q, k, v = random((3, 2, 5, 2), (3, 2, 7, 2), (3, 2, 7, 11))
    assert (lane(q, k, v, where=np.zeros((1, 1), dtype=bool)) == 0).all()
    assert (lane(q, k, v, lengths=np.zeros(3, dtype=int)) == 0).all()
    assert (lane(q, k, v, causal=True, offset=-5) == 0).all()
    for beta in (0.0, -1.0, 0.7):
        output = lane(q, k, v, beta=beta, causal=True, offset=-2, lengths=np.array([7, 0, 3]))
        assert (output[:, :, :2] == 0).all()
        assert (output[1] == 0).all()
        assert (output[[0, 2], :, 2:] != 0).all()


# ---- heads


@every_lane
@pytest.mark.parametrize(
    ("heads", "of_k", "of_v"), [(6, 2, 2), (6, 3, 3), (6, 1, 1), (6, 2, 3), (6, 6, 2), (5, 1, 5)]
)
def test_grouped_heads_are_repeated_heads(lane, heads, of_k, of_v):
    q, k, v, u = random((2, heads, 5, 2), (2, of_k, 7, 2), (2, of_v, 7, 3), (heads, 1, 7))
    repeated = q, np.repeat(k, heads // of_k, axis=1), np.repeat(v, heads // of_v, axis=1)
    where = np.random.default_rng(1).random((heads, 5, 7)) < 0.6
    for options in ({}, {"causal": True}, {"where": where}, {"log_prior": u}, {"lengths": np.array([3, 6])}):
        close(lane, lane(q, k, v, **options), lane(*repeated, **options))


@every_lane
def test_more_than_four_axes_are_more_batch(lane):
    q, k, v = random((2, 3, 4, 5, 2), (2, 3, 2, 7, 2), (2, 3, 2, 7, 11))
    lengths = np.array([7, 3])
    whole = lane(q, k, v, causal=True, lengths=lengths, offset=2)
    for b, t in np.ndindex(2, 3):
        close(
            lane,
            whole[b, t],
            lane(q[b, t, None], k[b, t, None], v[b, t, None], causal=True, lengths=lengths[[b]], offset=2)[0],
        )


@every_lane
def test_leading_axes_broadcast_together(lane):
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
def test_beta_is_one_over_root_d_unless_it_is_given(lane):
    q, k, v = random((5, 3), (7, 3), (7, 2))
    close(lane, lane(q, k, v), lane(q, k, v, beta=1 / math.sqrt(3)))
    close(lane, lane(q, k, v), lane(q / math.sqrt(3), k, v, beta=1.0))
    close(lane, lane(q, k, v, beta=-0.7), lane(-q, k, v, beta=0.7))


@pytest.mark.parametrize(
    "lane", [Lane("numpy", "auto"), Lane("strict", "auto"), Lane("torch-cpu", "auto")], ids=repr
)
@pytest.mark.parametrize("as_array", [False, True])
def test_at_beta_zero_and_infinity_it_is_the_prior_and_the_ties_of_the_best(lane, as_array):
    q, k = np.array([[1.0], [-1.0]]), np.array([[2.0], [-1.0], [2.0], [-1.0]])
    u = np.array([3.0, 1.0, 1.0, 0.0])

    for prior in ({"prior": u}, {"log_prior": np.array([math.log(3), 0.0, 0.0, -inf])}):

        def weights(beta, prior=prior):
            return lane(q, k, np.eye(4), beta=np.array([[beta]]) if as_array else beta, **prior)

        close(lane, weights(0.0), [[0.6, 0.2, 0.2, 0]] * 2)
        close(lane, weights(inf), [[0.75, 0, 0.25, 0], [0, 1, 0, 0]])
        close(lane, weights(-inf), [[0, 1, 0, 0], [0.75, 0, 0.25, 0]])


@every_lane
def test_a_prior_is_the_exponential_of_a_log_prior_and_need_not_be_normalised(lane):
    q, k, v, u = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11), (3, 5, 7))
    for log in (u, u[0], u[0, 0], u[:, :1], u[:, :, :1]):
        close(lane, lane(q, k, v, log_prior=log, causal=True), lane(q, k, v, prior=np.exp(log), causal=True))
        close(lane, lane(q, k, v, log_prior=log), lane(q, k, v, log_prior=log - 5), scale=5)


@every_lane
def test_a_log_prior_is_added_to_beta_times_the_scores(lane):
    """ALiBi: a slope for each head, times how far back the key lies."""
    q, k, v = random((2, 3, 5, 2), (2, 3, 5, 2), (2, 3, 5, 11))
    slopes, distance = np.array([0.5, 0.25, 0.125]), np.arange(5)[:, None] - np.arange(5)
    biased = 0.7 * q @ k.swapaxes(-1, -2) - slopes[:, None, None] * distance
    expected = softmax(np.where(distance >= 0, biased, -inf)) @ v
    close(lane, lane(q, k, v, beta=0.7, causal=True, log_prior=-slopes[:, None, None] * distance), expected)
    per_key = slopes[:, None, None] * np.arange(5.0)  # in a row, only differences between keys count
    close(lane, lane(q, k, v, beta=0.7, causal=True, log_prior=per_key), expected)


@every_lane
def test_a_log_prior_far_below_the_logarithm_of_any_float_still_counts(lane):
    q, k, v = random((5, 3), (7, 3), (7, 2))
    u = random((5, 7), seed=1)[0]
    close(lane, lane(q, k, v, log_prior=u - 2000), lane(q, k, v, log_prior=u), scale=2000)  # roundings of 2000
    tilted = np.array([0.0, -1000.0])
    far = lane(np.array([[1.0]]), np.array([[0.0], [1000.5]]), np.eye(2), beta=1.0, log_prior=tilted)
    close(lane, far, [[1 / (1 + math.exp(0.5)), 1 / (1 + math.exp(-0.5))]], scale=1000)


@pytest.mark.parametrize("lane", [Lane("torch-cpu", "readable"), Lane("torch-cpu", "auto")], ids=repr)
@pytest.mark.parametrize("beta", [1.0, -1.0])
def test_an_infinite_score_gives_no_gradient_to_its_query_and_key(lane, beta):
    """The slope of the score would be the key, and 0 · ∞ is NaN."""
    q, k, v = np.array([[1.0, 2.0]]), np.array([[inf, 0.0], [1.0, 2.0], [0.5, 0.2]]), random((3, 2))[0]
    output, found = lane.gradients(q, k, v, beta=beta)
    if beta > 0:  # all the weight is on the infinite score
        close(lane, output, v[:1])
        assert (found["q"] == 0).all()
        assert (found["k"] == 0).all()
    else:  # none is
        _, others = lane.gradients(q, k[1:], v[1:], beta=beta)
        close(lane, found["q"], others["q"])
        close(lane, found["k"], [[0, 0], *others["k"]])


# ---- other maps, dropout, sizes of nothing


def test_any_callable_turns_scores_into_weights(xp):
    q, k, v = random((2, 5, 3), (2, 7, 3), (2, 7, 11))
    calls = []

    def share(scores, beta, where=None, axis=-1):
        calls.append((scores, beta, where, axis))
        return scores**2 / 100

    output, weights = attention(
        *map(xp.asarray, (q, k, v)), weights=share, beta=0.5, causal=True, return_weights=True
    )
    scores, beta, where, axis = calls[0]
    assert (beta, axis) == (0.5, -1)
    np.testing.assert_array_equal(xp.to_numpy(where), causal_mask(5, 7))
    seen = causal_mask(5, 7).any(0)[:, None]
    np.testing.assert_allclose(xp.to_numpy(scores), q @ np.where(seen, k, 0).swapaxes(-1, -2), rtol=1e-14)
    np.testing.assert_allclose(xp.to_numpy(output), xp.to_numpy(scores) ** 2 / 100 @ v, rtol=1e-13)
    np.testing.assert_allclose(xp.to_numpy(weights), xp.to_numpy(scores) ** 2 / 100)
    attention(*map(xp.asarray, (q, k, v)), weights=share)
    assert calls[1][2] is None
    named = attention(
        *map(xp.asarray, (q, k, v)), weights=lambda *a, **o: softmax(*a, **o), lengths=xp.asarray([3, 7])
    )
    plain = attention(*map(xp.asarray, (q, k, v)), lengths=xp.asarray([3, 7]))
    np.testing.assert_allclose(xp.to_numpy(named), xp.to_numpy(plain), rtol=1e-13)


def dropout_source(lane, seed=3):
    if not lane.xp.is_torch:
        return np.random.default_rng(seed)
    return torch.Generator(device=lane.xp.device).manual_seed(seed)


READABLE = [Lane("numpy", "auto"), Lane("strict", "auto"), Lane("torch-cpu", "auto")]


@pytest.mark.parametrize("lane", READABLE, ids=repr)
def test_dropout_zeroes_weights_after_normalising_and_scales_the_rest(lane):
    q, k = random((2, 53, 3), (2, 61, 3))
    options = {"dropout": 0.3, "causal": True, "return_weights": True}
    args = q, k, np.broadcast_to(np.eye(61), (2, 61, 61))  # the output is the weights that were used
    used, weights = map(lane.xp.to_numpy, lane.raw(*args, generator=dropout_source(lane), **options))
    np.testing.assert_array_equal(weights, lane.xp.to_numpy(lane.raw(*args, causal=True, return_weights=True)[1]))
    kept = used != 0
    np.testing.assert_allclose(used[kept], weights[kept] / 0.7, rtol=1e-13)
    frequency = kept[weights > 0].mean()
    assert abs(frequency - 0.7) < 4 * math.sqrt(0.21 / (weights > 0).sum())  # four standard deviations
    same = lane(*args, generator=dropout_source(lane), dropout=0.3, causal=True)
    np.testing.assert_array_equal(same, used)
    other = lane(*args, generator=dropout_source(lane, seed=4), dropout=0.3, causal=True)
    assert (other != used).any()
    assert (lane(*args, dropout=0.3) != lane(*args, dropout=0.3)).any()  # without a generator: fresh


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_dropped_is_drawn_from_the_generator_in_the_dtype_of_the_weights(dtype):
    lane = Lane("torch-cpu", "readable", dtype)
    q, k = random((2, 53, 3), (2, 61, 3))
    output = lane(q, k, np.broadcast_to(np.eye(61), (2, 61, 61)), generator=dropout_source(lane), dropout=0.3)
    drawn = torch.rand((2, 53, 61), generator=dropout_source(lane), dtype=lane.xp.dtype)
    np.testing.assert_array_equal(output == 0, drawn.numpy() < 0.3)


@every_lane
def test_no_keys_give_zeros_and_no_queries_nothing(lane):
    q, k, v = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11))
    none = lane(q, k[:, :, :0], v[:, :, :0], causal=True, log_prior=np.zeros(0), lengths=np.array([0, 0]))
    np.testing.assert_array_equal(none, np.zeros((2, 3, 5, 11)))
    assert lane(q[:, :, :0], k, v, causal=True).shape == (2, 3, 0, 11)
    assert lane(q[:0], k[:0], v[:0], lengths=np.zeros(0, dtype=int)).shape == (0, 3, 5, 11)
    assert lane(q, k, v[..., :0]).shape == (2, 3, 5, 0)
    close(lane, lane(q[..., :0], k[..., :0], v), np.repeat(v.mean(-2, keepdims=True), 5, axis=2))  # scores of 0


@pytest.mark.not_forked
def test_numpy_arrays_load_no_torch():
    code = (
        "import sys, numpy, lib; lib.attention(*numpy.ones((3, 5, 2)), causal=True); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
