"""The masks are what their definitions say, for any size, offset and library."""

import numpy as np
import pytest
from attending import who_sees_whom
from hypothesis import given
from hypothesis import strategies as st

from lib import causal_mask, padding_mask, window_mask

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


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64])
def test_integers_of_any_kind_are_sizes_lengths_and_offsets(kind):
    """Small ones, of which a sum would overflow, and unsigned ones, which have no number below 0."""
    for make in (causal_mask, lambda *sizes, **options: window_mask(*sizes, window=kind(3), **options)):
        np.testing.assert_array_equal(make(kind(101), kind(53)), make(101, 53))
        for offset in (kind(97), np.array([97, 3], kind)):
            np.testing.assert_array_equal(make(kind(53), offset=offset), make(53, offset=np.asarray(offset, int)))
    assert padding_mask(np.array([2], kind), kind(3)).tolist() == [[[True, True, False]]]
    assert padding_mask(np.array([2**63, 2**64 - 1], np.uint64), 3).all(), "more than there are keys"
