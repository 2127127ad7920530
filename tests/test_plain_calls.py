"""Only calls in which nothing can be wrong are taken for plain."""

import numpy as np
import pytest
import torch

from lib.kernels.plain_calls import highest_plain_peak, is_plain

ROW, TENSOR = np.ones(3), torch.ones(3)


class Special(torch.Tensor):
    pass


def test_ordinary_floats_and_a_moderate_beta_are_plain():
    for scores in (ROW, ROW.astype(np.float32), TENSOR, TENSOR.double(), torch.nn.Parameter(TENSOR)):
        assert is_plain(scores, 2.0, -1)
        assert is_plain(scores, 1, -1)


@pytest.mark.parametrize("scores", [ROW, TENSOR], ids=["numpy", "torch"])
@pytest.mark.parametrize(
    ("beta", "axis"), [(0.0, -1), (-1.0, -1), (1e31, -1), (np.ones(1), -1), ("1", -1), (1.0, 0)]
)
def test_another_beta_or_axis_is_not(scores, beta, axis):
    assert not is_plain(scores, beta, axis)


@pytest.mark.parametrize(
    "scores",
    [
        ROW.tolist(),
        np.ma.array(ROW),
        np.array(1.0),
        np.ones(3, int),
        np.ones(3, np.float16),
        torch.tensor(1.0),
        torch.ones(3, dtype=torch.int64),
        torch.ones(3, dtype=torch.bfloat16),
        torch.ones(3, device="meta"),
        TENSOR.as_subclass(Special),
    ],
    ids=lambda x: f"{type(x).__name__}-{getattr(x, 'dtype', '')}",
)
def test_other_scores_are_not(scores):
    assert not is_plain(scores, 1.0, -1)


def test_under_a_transform_nothing_is():
    seen = []
    torch.func.vmap(lambda row: (seen.append(is_plain(row, 1.0, -1)), row)[1])(torch.ones(2, 3))
    assert seen == [False]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_from_the_highest_plain_peak_no_gap_overflows(dtype):
    with np.errstate(all="raise"):
        assert np.isfinite(-np.finfo(dtype).max - dtype(highest_plain_peak(dtype)))
