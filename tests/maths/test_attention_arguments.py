"""What does not fit is refused, by name and with the shapes; what is given is never changed."""

import math

import numpy as np
import pytest
from attending import Lane, every_lane, every_lane_and_dtype, random
from optional_torch import torch

from lib import attention, padding_mask, relu_norm

inf, nan = math.inf, math.nan
LANES = [Lane("numpy", "auto"), Lane("torch-cpu", "readable"), Lane("torch-cpu", "auto")]
either = pytest.mark.parametrize("lane", LANES, ids=repr)
Q, K, V = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11))


@either
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"beta": nan}, ValueError, "beta must not be NaN"),
        ({"beta": np.array([[nan]])}, ValueError, "beta must not be NaN"),
        ({"beta": np.ones(7)}, ValueError, r"axis -1 of beta should be 1, but is 7: .*beta \(\.\.\., n_q, 1\)"),
        ({"beta": np.ones(2)}, ValueError, r"axis -1 of beta should be 1, but is 2: "),
        ({"where": np.ones(7)}, TypeError, "where must be boolean, True = takes part; got dtype .*float64"),
        ({"where": np.ones((4, 7), dtype=bool)}, ValueError, "axis -2 of where should be n_q = 5, but is 4: q "),
        ({"where": np.ones((2, 2, 5, 7), dtype=bool)}, ValueError, "leading axes do not .*where .* .2, 2, 5, 7"),
        ({"where": [True] * 7}, TypeError, "where must be a NumPy array or a torch tensor; got list"),
        ({"window": 0}, ValueError, "window must be at least 1.*got 0"),
        ({"window": 2.0}, TypeError, r"window must be an integer, at least 1; got 2\.0"),
        ({"lengths": 3}, TypeError, "lengths must be a NumPy array or a torch tensor; got int"),
        ({"lengths": np.array(3)}, ValueError, r"lengths must have shape \(batch,\).*shape \(\), .*\(2, 3\)"),
        ({"lengths": np.array([3, 4, 5])}, ValueError, r"lengths must have shape \(batch,\).*\(3,\)"),
        ({"lengths": np.array([[3], [4]])}, ValueError, r"lengths must have shape \(batch,\).*\(2, 1\)"),
        ({"lengths": np.array([3.0, 4.0])}, TypeError, "lengths must hold integers; got dtype .*float64"),
        ({"offset": np.array([1, 2, 3])}, ValueError, r"offset must have shape \(batch,\).*\(3,\)"),
        ({"offset": np.array([1.0, 2.0])}, TypeError, "offset must hold integers; got dtype .*float64"),
        ({"offset": 1.5}, TypeError, "offset must be a NumPy array or a torch tensor; got float"),
        ({"prior": np.ones(7), "log_prior": np.zeros(7)}, ValueError, "^prior and log_prior .* not both$"),
        ({"prior": np.ones(6)}, ValueError, "axis -1 of prior should be n_k = 7, but is 6: .*prior "),
        ({"prior": -np.ones(7)}, ValueError, r"prior must be finite and not negative; got -1\.0"),
        ({"prior": np.full(7, nan)}, ValueError, "prior must be finite and not negative; got nan"),
        ({"prior": np.zeros(7)}, ValueError, "prior must be positive somewhere in every row"),
        ({"prior": np.arange(5.0)[:, None]}, ValueError, "prior must be positive somewhere in every"),
        ({"log_prior": np.full(7, nan)}, ValueError, r"^log_prior must be less .* \(a prior of 0\)$"),
        ({"log_prior": np.full(7, inf)}, ValueError, "log_prior must be less than inf and not NaN"),
        ({"log_prior": np.full(7, -inf)}, ValueError, "^log_prior must be above .*; got -inf everywhere in one$"),
        ({"weights": "softmix"}, ValueError, "weights must be callable or one of 'softmax'.*got 'softmix'"),
        ({"weights": 3}, TypeError, "weights must be a name or a callable f.scores, beta=..., where=.*got 3"),
        ({"weights": lambda *a, **k: 0, "prior": np.ones(7)}, ValueError, "prior does not go with .*'softmax'"),
        ({"weights": lambda *a, **k: 0, "log_prior": np.ones(7)}, ValueError, "prior does not .*'sparsemax', 'en"),
        ({"weights": "relu_norm", "prior": np.ones(7)}, ValueError, "prior does not .* with .*'relu_norm'"),
        ({"weights": "sigmoid_weights", "log_prior": np.ones(7)}, ValueError, "prior does not .* with .*'sigmoid"),
        ({"weights": "softmax_plus_one", "prior": np.ones(7)}, ValueError, "weights=.softmax_plus"),
        ({"weights": relu_norm, "prior": np.ones(7)}, ValueError, "prior does not go with weights='relu_norm'"),
        ({"alpha": 1.5}, ValueError, "alpha does not go with weights='softmax'; maps that take it: 'entmax'"),
        ({"alpha": 1.5, "weights": "sparsemax"}, ValueError, "alpha does not go with weights='sparsemax'"),
        ({"dropout": 1.0}, ValueError, r"dropout must lie in \[0, 1\); got 1\.0"),
        ({"dropout": -0.1}, ValueError, r"dropout must lie in \[0, 1\); got -0\.1"),
        ({"dropout": nan}, ValueError, r"dropout must lie in \[0, 1\); got nan"),
        ({"dropout": "a"}, TypeError, r"^dropout must be a number in \[0, 1\); got str$"),
        ({"generator": 3, "dropout": 0.5}, TypeError, "generator must be a .*Generator .* got int"),
        ({"path": "fast"}, ValueError, "path must be one of 'auto', 'fused', 'blocks', 'readable'; got 'fast'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_name(lane, options, error, message):
    with pytest.raises(error, match=message):
        lane.raw(Q, K, V, **options) if "path" not in options else attention(Q, K, V, **options)


@either
@pytest.mark.parametrize(
    ("q", "k", "v", "message"),
    [
        (Q[..., :1], K, V, r"axis -1 of k should be d = 1, but is 2: q \(\.\.\., n_q, d\) has shape \(2, 3,"),
        (Q, K[:, :, 1:], V, r"axis -2 of v should be n_k = 6, but is 7: .*v \(\.\.\., n_k, d_v\) has shape"),
        (Q, K, V[:, :, :1], "axis -2 of v should be n_k = 7, but is 1: "),  # of one value no 7 are made
        (Q, K[..., :1], V, "axis -1 of k should be d = 2, but is 1: "),
        (Q, K[:, :2], V, r"leading axes do not broadcast.*k \(\.\.\., n_k, d\) has shape \(2, 2, 7, 2\)"),
        (Q[:, :2], K, V, "leading axes do not broadcast"),
        (Q[0], K[0, :2], V[0], "leading axes do not broadcast"),
        (np.repeat(Q[0], 2, 0), K[0], V[0], "leading axes do not broadcast"),  # three axes have no heads to share
        (Q[0, 0, 0], K, V, r"q must have shape \(\.\.\., n_q, d\); got \(2,\)"),
        (Q, K, V[0, 0, 0], r"v must have shape \(\.\.\., n_k, d_v\); got \(11,\)"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit_are_printed_with_their_letters(lane, q, k, v, message):
    with pytest.raises(ValueError, match=message):
        lane.raw(q, k, v)


def test_arrays_of_two_kinds_or_devices_are_refused():
    t, generator = torch.zeros(5, 2), torch.Generator()
    there = torch.ones(5, 5, dtype=torch.bool, device="meta")
    for q, k, options, message in (
        (t, np.zeros((5, 2)), {}, "two kinds: q is a torch tensor, k is a NumPy array"),
        (t, t, {"lengths": np.array([2])}, "two kinds: q is a torch tensor, lengths is a NumPy array"),
        (t, t, {"where": there}, "two devices: q is on cpu, where is on meta"),
        (
            t,
            t,
            {"generator": np.random.default_rng(0)},
            r"generator must be a torch\.Generator where q is a torch",
        ),
        (Q, K, {"generator": generator}, r"generator must be a numpy\.random\.Generator where q is a NumPy array"),
    ):
        dropout = 0.5 if "generator" in options else 0.0
        with pytest.raises(TypeError, match=message):
            attention(q, k, V if k is K else t, dropout=dropout, **options)


@either
def test_a_log_prior_is_refused_where_a_whole_row_of_it_is_minus_infinity(lane):
    row, column = np.zeros((2, 3, 5, 7))
    row[1, 2, :] = column[..., 3] = -inf
    for k, log_prior in ((7, row), (1, np.array([-inf]))):
        with pytest.raises(ValueError, match=r"^log_prior must be above −inf"):
            lane.raw(Q, K[..., :k, :], V[..., :k, :], log_prior=log_prior)
    assert np.isfinite(lane.xp.to_numpy(lane.raw(Q, K, V, log_prior=column))).all()
    nothing = lane.raw(Q, K[..., :0, :], V[..., :0, :], log_prior=np.zeros((3, 5, 0)))
    assert not lane.xp.to_numpy(nothing).any()


@every_lane
@pytest.mark.parametrize("name", ["prior", "log_prior"])
def test_a_prior_in_float64_keeps_its_range_and_digits_whatever_q_has(lane, name):
    q, k, v = (lane.xp.asarray(x, dtype=lane.xp.namespace.float32) for x in (Q, K, V))
    near = np.arange(1.0, 8)
    far = near * 1e-60 if name == "prior" else near - 1e6
    got, expected = (
        attention(q, k, v, path=lane.path, **{name: lane.xp.asarray(x, dtype=lane.xp.namespace.float64)})
        for x in (far, near)
    )
    np.testing.assert_allclose(lane.xp.to_numpy(got), lane.xp.to_numpy(expected), atol=1e-6)


@every_lane
def test_integers_and_booleans_are_promoted_to_the_default_float(lane):
    q, k, v = (np.arange(n).reshape(-1, 2) % 3 for n in (6, 10, 10))
    output = lane.raw(q, k, v > 1, beta=0.5)
    assert output.dtype == lane.xp.namespace.asarray(0.0).dtype
    expected = attention(q.astype(float), k.astype(float), (v > 1).astype(float), beta=0.5)
    np.testing.assert_allclose(lane.xp.to_numpy(output), expected, rtol=1e-6)
    whole = lane.raw(q.astype(float), k, v, prior=np.arange(1, 6), log_prior=None)
    assert whole.dtype == lane.xp.dtype


@every_lane_and_dtype
def test_the_result_has_the_wider_dtype_of_q_k_and_v_whatever_the_rest_has(lane):
    q, k, v = map(lane.given, (Q, K, V))
    wide = lane.xp.namespace.float64
    options = {"beta": lane.xp.asarray(np.array([[0.7]]), dtype=wide)}
    options["log_prior"] = lane.xp.asarray(np.linspace(0, 1, 7), dtype=wide)
    assert attention(q, k, v, path=lane.path, **options).dtype == lane.xp.dtype
    assert attention(q, k, lane.xp.asarray(V, dtype=wide), path=lane.path).dtype == wide
    if lane.path == "readable":
        output, weights = attention(q, k, v, return_weights=True, path=lane.path, **options)
        assert output.dtype == weights.dtype == lane.xp.dtype


@every_lane
def test_no_argument_is_ever_changed(lane):
    lengths, offset, where = np.array([4, 7]), np.array([2, 1]), np.random.default_rng(0).random((5, 7)) < 0.7
    spoilt = K.copy()
    spoilt[:, :, -1] = nan
    given = dict(q=Q, k=spoilt, v=V, where=where & (np.arange(7) < 6), lengths=lengths, offset=offset)
    given |= dict(beta=np.full((3, 1, 1), 0.5), log_prior=np.linspace(0, 1, 7))
    arrays = {name: lane.given(x) for name, x in given.items()}
    attention(**arrays, causal=True, path=lane.path)
    for name, x in given.items():
        np.testing.assert_array_equal(
            lane.xp.to_numpy(arrays[name]), x.astype(lane.xp.to_numpy(arrays[name]).dtype)
        )


def test_read_only_reversed_and_broadcast_numpy_arrays_are_as_good_as_any():
    arrays = [Q[:, :, ::-1], np.asfortranarray(K), np.broadcast_to(V[:, :1], V.shape), np.array([7, 3])]
    for x in arrays:
        x.flags.writeable = False
    q, k, v, lengths = arrays
    plain = attention(*map(np.ascontiguousarray, (q, k, v)), lengths=lengths.copy(), causal=True, offset=0)
    same = attention(q, k, v, lengths=lengths, causal=True, offset=0)
    np.testing.assert_allclose(same, plain, rtol=0, atol=1e-14)  # NumPy may add up strided rows in another order


@pytest.mark.parametrize("path", ["readable", "fused", "auto"])
def test_strides_of_any_kind_are_as_good_as_none(path):
    q, k, v = (torch.tensor(x) for x in (Q, K, V))
    strange = q.mT.contiguous().mT, k.transpose(1, 2).contiguous().transpose(1, 2), v[:, :1].expand(v.shape)
    for options in (
        {"causal": True},
        {"where": torch.ones(7, dtype=torch.bool)},
        {"lengths": torch.tensor([7, 3])},
    ):
        plain = attention(*(x.contiguous() for x in strange), path=path, **options)
        torch.testing.assert_close(attention(*strange, path=path, **options), plain)


def test_padding_alone_may_come_as_a_mask_of_any_rank(xp):
    """(batch, 1, n_k) against three axes, (n_k,) or nothing but a row against any."""
    q, k, v = (xp.asarray(x[:, 0]) for x in (Q, K, V))
    lengths = xp.asarray([3, 3])
    expected = xp.to_numpy(attention(q, k, v, lengths=lengths))
    for where in (padding_mask(lengths, 7), padding_mask(lengths, 7)[0, ...], padding_mask(lengths, 7)[0, 0, :]):
        np.testing.assert_allclose(xp.to_numpy(attention(q, k, v, where=where)), expected, rtol=1e-13, atol=1e-13)


@either
def test_at_width_one_beta_is_one(lane):
    np.testing.assert_array_equal(lane(Q[..., :1], K[..., :1], V), lane(Q[..., :1], K[..., :1], V, beta=1.0))


@either
@pytest.mark.parametrize("shape", [(), (1,)])
def test_a_beta_without_two_axes_is_one_for_all(lane, shape):
    q, k, v = (lane.xp.asarray(x) for x in (Q, K, V))
    beta = lane.xp.asarray(np.full(shape, 0.7))
    expected = attention(q, k, v, beta=0.7, path=lane.path)
    assert np.allclose(attention(q, k, v, beta=beta, path=lane.path), expected, rtol=1e-12, atol=0)
