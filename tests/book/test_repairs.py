"""What the chapter *repairs* says of caps, norms, log n and the clip is what `lib` and plain arithmetic give."""

import numpy as np
import pytest

from book.repairs import maps, measured


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


def test_a_head_below_the_bound_is_left_alone_and_one_above_gets_the_root():
    before, after = measured.clip_elsewhere(top=100.0)
    assert before == after
    assert measured.clip_elsewhere() == pytest.approx((0.968, 0.353), abs=5e-4)
    assert measured.clipped(3.0, 5.0, 80.0) == (3.0, 5.0)
    assert measured.clipped(3.0, 5.0, 400.0) == pytest.approx((1.5, 2.5))


def test_the_leader_under_the_steps():
    least, most = maps.leader_under_steps()
    assert (least, most) == pytest.approx((0.3311, 0.6513), abs=5e-5)
    for n in (8192, 100_000, 3_000_000):
        assert least <= maps.of_the_leader("steps", n) <= most + 1e-9
    assert maps.leader_under_steps(8192)[1] == pytest.approx(maps.of_the_leader("steps", 8192))
