"""What the chapter *repairs* says of caps, norms, log n and the clip is what `lib` and plain arithmetic give."""

import numpy as np
import pytest

from book.repairs import measured
from lib import softmax


def test_a_cap_takes_most_of_the_gradient_above_it():
    half, at, twice = measured.cap_slope(np.array([25.0, 50.0, 100.0]))
    assert (half, at, twice) == pytest.approx((0.786, 0.420, 0.071), abs=5e-4)
    step = 1e-5
    slopes = (measured.capped(np.array([25, 50, 100]) + step) - measured.capped([25, 50, 100])) / step
    assert slopes == pytest.approx([half, at, twice], rel=1e-4)


def test_two_scores_above_the_cap_come_near_each_other():
    assert measured.cap_left(60, 70) == pytest.approx(2.585, abs=5e-4)
    assert np.exp(measured.cap_left(60, 70)) == pytest.approx(13.26, abs=5e-3)  # instead of e^10 = 22,026
    assert measured.cap_left(0, 10) == pytest.approx(9.869, abs=5e-4)


def test_a_cap_is_nearly_nothing_for_small_scores():
    share = measured.cap_faithful()
    assert share == pytest.approx(0.1743, abs=5e-5)
    assert share * np.array([50, 30]) == pytest.approx([8.71, 5.23], abs=5e-3)
    for times, expected in ((0.999, True), (1.001, False)):
        s = times * share * 50
        assert (measured.capped(s) >= 0.99 * s) == expected


def test_a_cap_breaks_shift_but_neither_order_nor_independence():
    odds = measured.cap_odds()
    assert odds == pytest.approx([19317, 2579, 131.4, 13.26], rel=1e-3)
    free = measured.cap_odds(cap=1e9)
    np.testing.assert_allclose(free, np.exp(10), rtol=1e-9)
    scores = np.random.default_rng(5).normal(size=11) * 60
    assert (measured.capped(scores).argsort() == scores.argsort()).all()
    few, many = (softmax(measured.capped(scores[:n])) for n in (3, 11))
    assert few[0] / few[1] == pytest.approx(many[0] / many[1], rel=1e-9)


@pytest.mark.parametrize(("digits", "dtype"), [(24, np.float32), (11, np.float16)])
def test_far_above_the_cap_all_are_ties(digits, dtype):
    x = measured.cap_ties(digits)
    assert [np.tanh(times * x).astype(dtype) == 1 for times in (1.001, 0.999)] == [True, False]
    assert 50 * measured.cap_ties(24) == pytest.approx(451, abs=0.5)
    assert 50 * measured.cap_ties(8) == pytest.approx(173, abs=0.5)


def test_normalised_scores_reach_their_bound_and_no_further():
    assert measured.norm_bound() == pytest.approx(11.31, abs=5e-3)
    np.testing.assert_allclose(measured.norm_reached(gain=1.5), 1.5 * 128**0.5 * np.array([1, 0, -1]), atol=1e-12)
    q, k = np.random.default_rng(2).normal(size=(2, 101, 128)) * 1e3
    assert np.abs(measured.norm_scores(q, k)).max() < measured.norm_bound()
    assert measured.norm_ratio() == pytest.approx(6.71e9, rel=1e-3)
    assert measured.norm_ratio(64) == pytest.approx(8.89e6, rel=1e-3)
    toward, _, against = softmax(measured.norm_reached())
    assert toward / against == pytest.approx(measured.norm_ratio())


def test_with_norms_the_best_of_82_thousand_keys_has_half():
    n = measured.norm_room()
    assert n == pytest.approx(81_939, abs=1)
    toward, across, _ = measured.norm_reached()
    weights = softmax(np.array([toward, *np.full(round(n) - 1, across)]))
    assert weights[0] == pytest.approx(0.5, abs=1e-4)
    assert measured.norm_room(gain=2**0.5, key_gain=2**0.5) == pytest.approx((n - 1) ** 2, rel=1e-4)


def test_a_gain_is_a_beta_and_the_length_of_a_query_no_longer_one():
    as_beta, longer, plain = measured.norm_as_beta()
    assert as_beta < 1e-12
    assert longer < 1e-12
    assert plain > 0.5


def test_log_n_holds_a_leader_only_if_its_lead_is_large_enough():
    found = measured.led_rows()
    assert found["plain"][[0, 3, 6, 13]] == pytest.approx([0.908, 0.539, 0.127, 0.001], abs=5e-4)
    assert found[0.5][[0, -1]] == pytest.approx([0.211, 0.003], abs=5e-4)
    assert found[1.0][[0, -1]] == pytest.approx([0.516, 0.500], abs=5e-4)
    assert found[2.0][[0, -1]] == pytest.approx([0.945, 1.000], abs=5e-4)
    assert (np.diff(found[0.5]) < 0).all()
    assert (np.diff(found[2.0]) > 0).all()
    row = np.zeros(512)
    row[0] = 5
    assert softmax(row)[0] == pytest.approx(found["plain"][5])
    assert softmax(row, 0.4 * np.log(512))[0] == pytest.approx(found[2.0][5])


def test_the_factor_by_chunks_is_nearly_the_logarithm():
    assert measured.chunked_growth([1, 8191, 8192, 131_072, 10_000_000]) == pytest.approx(
        [1, 1, 1.069, 1.283, 1.711], abs=5e-4
    )
    found = measured.growth_apart()
    assert found["most"] == (pytest.approx(0.0693, abs=5e-5), 8192)
    assert found["least"] == (pytest.approx(-0.0436, abs=5e-5), 9_994_239)
    assert found["last"][0] == pytest.approx(-0.0436, abs=5e-5)
    n = np.random.default_rng(3).integers(8192, 10_000_000, 4001)
    apart = measured.chunked_growth(n) / (np.log(n) / np.log(8192)) - 1
    assert found["least"][0] <= apart.min()
    assert apart.max() <= found["most"][0]


def test_a_clip_lowers_beta_for_the_whole_head():
    before, after = measured.clip_scores()
    assert before.max() == pytest.approx(200)
    np.testing.assert_allclose(after, before / 2, atol=1e-10)  # each row, also far below the bound
    np.testing.assert_allclose(softmax(after), softmax(before, 0.5), atol=1e-10)
    assert measured.clip_elsewhere() == pytest.approx((0.968, 0.353), abs=5e-4)


def test_a_head_below_the_bound_is_left_alone():
    before, after = measured.clip_scores(top=80.0)
    np.testing.assert_array_equal(after, before)
    assert len({*measured.clip_elsewhere(top=100.0)}) == 1
