"""Attention by every map of the table: the map of each query's own scores, on whatever it may see."""

import functools
import itertools
import math

import maps
import numpy as np
import pytest
from attending import MAPS, Lane, close, every_map, every_way, random, who_sees_whom
from backends import LIBRARIES
from calls import named

import lib
from lib import attention, softmax
from lib.fast import query_blocks

inf = math.inf
TAKE_A_PRIOR = [label for label, (name, _) in MAPS.items() if name in maps.TAKE_A_PRIOR]
OPTIONS = {"causal": True, "offset": np.array([3, -2]), "lengths": np.array([5, 7])}  # the second starts blind
SEES = np.stack([who_sees_whom(5, 7, causal=True, offset=o, length=n) for o, n in ((3, 5), (-2, 7))])


def one_row_at_a_time(name, q, k, v, beta, prior=None):
    """Each query by itself, with the keys that it does not see deleted."""
    name, options = MAPS[name]
    output, weights = np.zeros((2, 3, 5, v.shape[-1])), np.zeros((2, 3, 5, 7))
    for b, h, i in np.ndindex(2, 3, 5):
        seen = SEES[b, i] if prior is None else SEES[b, i] & (prior[h, i] > 0)
        row = {key: float(np.ravel(x)[h if np.size(x) > 1 else 0]) for key, x in options.items()}
        row |= {} if prior is None else {"prior": prior[h, i, seen]}
        if seen.any():
            weights[b, h, i, seen] = getattr(lib, name)(k[b, h, seen] @ q[b, h, i], beta=beta, **row)
        output[b, h, i] = weights[b, h, i] @ v[b, h]
    return output, weights


def test_the_maps_of_attention_are_these_six():
    without_a_prior = ["relu_norm", "sigmoid_weights", "softmax_plus_one"]
    assert maps.TAKE_A_PRIOR == ["softmax", "sparsemax", "entmax"]
    assert [getattr(lib, name) for name in without_a_prior] == maps.DENSE
    assert [getattr(lib, name) for name in maps.NAMES] == maps.FUNCTIONS


@every_way
@every_map
def test_attention_gives_each_query_the_map_of_its_own_scores(lane, name):
    q, k, v = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11))
    for beta in (None, 0.7, -2.0, 0.0, inf):
        expected = one_row_at_a_time(name, q, k, v, 2**-0.5 if beta is None else beta)
        options = {"weights": MAPS[name][0], "beta": beta} | MAPS[name][1] | OPTIONS
        with named(beta):
            for got, want in zip(lane.raw(q, k, v, return_weights=True, **options), expected, strict=True):
                close(lane, lane.xp.to_numpy(got), want, scale=4)
            close(lane, lane(q, k, v, **options), expected[0], scale=4)


@every_way
@pytest.mark.parametrize("name", TAKE_A_PRIOR)
def test_attention_by_a_map_with_a_prior_normalises_either_form_of_it_over_what_is_seen(lane, name):
    q, k, v, u = random((2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 11), (3, 5, 7))
    prior = np.exp(u) * (np.abs(u) < 1.5)  # some zeros, some rows of nothing that is seen
    prior[..., 0] += prior.sum(-1) == 0
    expected, _ = one_row_at_a_time(name, q, k, v, 0.7, prior)
    options = {"weights": MAPS[name][0], "beta": 0.7} | MAPS[name][1] | OPTIONS
    close(lane, lane(q, k, v, prior=1e5 * prior, **options), expected, scale=4)
    log_prior = np.where(prior > 0, u, -inf)
    for low, scale in ((0, 4), (2000, 4000)):  # the second is below every exponential
        close(lane, lane(q, k, v, log_prior=log_prior - low, **options), expected, scale)


@pytest.mark.parametrize("lane", [Lane("numpy", "auto"), Lane("torch-cpu", "auto")], ids=repr)
@pytest.mark.parametrize("path", ["readable", "auto", "blocks"])
def test_attention_by_entmax_takes_an_array_alpha_with_axes_of_its_own_on_every_path(monkeypatch, lane, path):
    """Also where the weights are so many that they come in blocks."""
    monkeypatch.setattr(query_blocks, "MANY", 1)
    monkeypatch.setattr(query_blocks, "AT_ONCE", 5 * 22)
    q, k, v = random((21, 4), (22, 4), (22, 3))
    alphas = np.linspace(1, 2.5, 42).reshape(2, 21, 1)
    output = Lane(lane.xp.library, path)(q, k, v, weights="entmax", alpha=alphas)
    for h, i in np.ndindex(2, 21):
        expected = attention(q[i : i + 1], k, v, weights="entmax", alpha=alphas[h, i, 0], path="readable")
        np.testing.assert_allclose(output[h, i], expected[0], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", TAKE_A_PRIOR)
def test_to_attention_a_log_prior_however_low_is_no_mask(name):
    """Nothing to speak of is added to the score, which is high enough by itself."""
    q, k, v = np.array([[1.0]] * 3), np.array([[0.0], [9000.0], [0.0]]), np.eye(3)
    shape = {key: x if np.ndim(x) == 0 else x[:, 0] for key, x in MAPS[name][1].items()}
    for library, dtype in itertools.product(LIBRARIES[:-1], ("float64", "float32")):
        lane = Lane(library, "auto", dtype)
        for low in (-150.0, -2000.0):
            log_prior = np.array([[0.0, low, -inf]] * 3)
            output = lane(q, k, v, beta=1.0, weights=MAPS[name][0], log_prior=log_prior, **shape)
            np.testing.assert_allclose(output, [[0, 1, 0]] * 3, atol=1e-30, err_msg=f"{lane} {low}")


@every_way
def test_attention_by_a_function_of_the_table_is_that_by_its_name(lane):
    """With a prior too; and of any function, which gets β by its name, as of a map whose α is fixed."""
    q, k, v, u = random((2, 5, 3), (2, 7, 3), (2, 7, 11), (7,))
    for name, options in MAPS.values():
        options = options | ({"log_prior": u} if name in maps.TAKE_A_PRIOR else {})
        if all(np.size(options.get(name)) == 1 for name in ("alpha", "sink")):
            by_name, by_itself = (lane(q, k, v, weights=w, **options) for w in (name, getattr(lib, name)))
            np.testing.assert_array_equal(by_name, by_itself)
    fixed = functools.partial(lib.entmax, alpha=1.7)
    for beta in (None, 0.4):
        got, want = (
            lane(q, k, v, beta=beta, causal=True, **options)
            for options in ({"weights": fixed}, {"weights": "entmax", "alpha": 1.7})
        )
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
    third = lambda scores, where=None, beta=2.0, *, axis: softmax(scores, beta, where=where, axis=axis)  # noqa: E731
    np.testing.assert_allclose(lane(q, k, v, beta=0.4, weights=third), lane(q, k, v, beta=0.4), rtol=1e-12)
