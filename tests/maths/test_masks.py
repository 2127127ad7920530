"""The masks are what their definitions say, for any size, offset and library."""

import numpy as np
from attending import who_sees_whom
from hypothesis import given
from hypothesis import strategies as st

from lib import causal_mask, padding_mask, window_mask
from lib._request import checked
from lib.attention import visible

sizes, offsets = st.integers(0, 7), st.one_of(st.none(), st.integers(-9, 9))


@given(sizes, sizes, offsets)
def test_a_causal_mask_lets_a_query_see_the_keys_up_to_its_own_position(n_q, n_k, offset):
    expected = who_sees_whom(n_q, n_k, causal=True, offset=offset)
    np.testing.assert_array_equal(causal_mask(n_q, n_k, offset=offset), expected)


@given(sizes, sizes, offsets, st.integers(1, 9))
def test_a_window_mask_lets_a_query_see_the_last_keys_up_to_its_own(n_q, n_k, offset, window):
    expected = who_sees_whom(n_q, n_k, window=window, offset=offset)
    np.testing.assert_array_equal(window_mask(n_q, n_k, window=window, offset=offset), expected)


@given(sizes, st.lists(st.integers(-2, 9), max_size=5))
def test_a_padding_mask_lets_everyone_see_the_real_keys(n_k, lengths):
    mask = padding_mask(np.array(lengths, dtype=int), n_k)
    assert mask.shape == (len(lengths), 1, n_k)
    for row, length in zip(mask, lengths, strict=True):
        np.testing.assert_array_equal(row, who_sees_whom(1, n_k, length=length))


def test_an_offset_for_each_item_gives_each_item_its_own_mask(xp):
    starts = [3, -1, 0, 9, 2]
    for make in (causal_mask, lambda *sizes, **options: window_mask(*sizes, window=2, **options)):
        masks = xp.to_numpy(make(2, 7, offset=xp.asarray(starts)))
        assert masks.shape == (5, 2, 7)
        for mask, start in zip(masks, starts, strict=True):
            np.testing.assert_array_equal(mask, make(2, 7, offset=start))
        per_head = make(2, 7, offset=xp.asarray(starts)[:, None])
        assert tuple(per_head.shape) == (5, 1, 2, 7)
        assert tuple(make(2, 7, offset=xp.asarray(3)).shape) == (2, 7)


def test_masks_live_where_they_are_asked_to(xp):
    like = xp.asarray([1.0])
    masks = [
        causal_mask(2, 3, like=like),
        window_mask(2, 3, window=1, like=like),
        causal_mask(2, 3, offset=xp.asarray([1]), like=like),
        padding_mask(xp.asarray([1, 2]), 3),
    ]
    for mask in masks:
        assert type(mask) is type(like)
        assert mask.device == like.device
        assert mask.dtype == xp.bool
    assert type(causal_mask(2)) is np.ndarray


def test_any_integer_dtype_will_do_for_lengths_and_offsets():
    for dtype in (np.uint8, np.int32, np.uint64):
        assert padding_mask(np.array([2], dtype=dtype), 3).tolist() == [[[True, True, False]]]
        assert causal_mask(1, 3, offset=np.array([1], dtype=dtype)).tolist() == [[[True, True, False]]]
    assert causal_mask(np.int64(1), np.int32(3), offset=np.int16(1)).tolist() == [[True, True, False]]


def test_what_nobody_sees_is_blanked_and_nothing_else(xp):
    keep = np.array([[True, False, False, True], [False, False, False, False], [True, False, True, False]])
    q, k, v = (np.random.default_rng(0).normal(size=shape) for shape in ((3, 2), (4, 2), (4, 5)))
    *got, _ = visible(checked(*map(xp.asarray, (q, k, v)), where=xp.asarray(keep)))
    blank = [q * [[1], [0], [1]], k * [[1], [0], [1], [1]], v * [[1], [0], [1], [1]]]
    for actual, expected in zip(got, blank, strict=True):
        np.testing.assert_array_equal(xp.to_numpy(actual), expected)
