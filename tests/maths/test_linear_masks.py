"""`where` of linear attention: one row for the keys, with the leading axes of the widest of q, k and v."""

import numpy as np
import pytest
from attending import random

from lib import linear_attention

SMALL = [(5, 4), (7, 4), (7, 6)]


@pytest.mark.parametrize("widest", [0, 1, 2], ids=["q", "k", "v"])
def test_whichever_is_widest_a_row_of_keys_is_for_all_queries(widest):
    arrays = random(*[(2, 3, *shape) if at == widest else shape for at, shape in enumerate(SMALL)])
    where = np.random.default_rng(0).random((3, 7)) < 0.6
    got = linear_attention(*arrays, where=where)
    for head in range(3):
        of_head = [x[:, head] if x.ndim == 4 else x for x in arrays]
        np.testing.assert_allclose(got[:, head], linear_attention(*of_head, where=where[head]), rtol=1e-12)
    np.testing.assert_array_equal(linear_attention(*arrays, where=where[None, :, None]), got)


def test_one_entry_is_for_every_key():
    arrays = random(*SMALL)
    np.testing.assert_allclose(linear_attention(*arrays, where=np.array([True])), linear_attention(*arrays))
    np.testing.assert_array_equal(linear_attention(*arrays, where=np.array([False])), np.zeros((5, 6)))


def test_a_row_of_another_length_is_refused_with_both_shapes():
    expected = r"where must have shape .* n_k = 7, .*: k has shape \(7, 4\); where has shape \(2,\)"
    with pytest.raises(ValueError, match=expected):
        linear_attention(*random(*SMALL), where=np.array([True, False]))


@pytest.mark.parametrize(("at", "name"), [(0, "q"), (1, "k"), (2, "v")])
def test_arrays_of_one_axis_are_refused_before_the_mask_is_looked_at(at, name):
    arrays = random(*SMALL)
    arrays[at] = arrays[at][0]
    with pytest.raises(ValueError, match=rf"{name} must have shape .*; got \(\d,\)"):
        linear_attention(*arrays, where=np.ones(7, bool))


@pytest.mark.parametrize(("at", "name"), [(0, "q"), (1, "k"), (2, "v")])
def test_a_list_is_named_beside_a_mask_too(at, name):
    arrays = random(*SMALL)
    arrays[at] = arrays[at].tolist()
    with pytest.raises(TypeError, match=f"^{name} must be a NumPy array or a torch tensor; got list"):
        linear_attention(*arrays, where=np.ones(7, bool))
