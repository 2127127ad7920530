"""Which calls are so plain that nothing need be checked: notebooks, tests and small models are full of them."""

import sys

import numpy as np


def is_plain(scores, beta, axis):
    """Are these ordinary floats in main memory, rows along the last axis, and β a moderate number above 0?

    Then the checks of `lib.map_arguments`, which take longer than the work on a few numbers, would find nothing.
    """
    if not (type(beta) in (float, int) and 1e-30 < beta < 1e30 and type(axis) is int and axis == -1):
        return False
    if type(scores) is np.ndarray:
        return scores.dtype.char in "fd" and scores.ndim > 0
    torch = sys.modules.get("torch")
    if torch is None or type(scores) not in (torch.Tensor, torch.nn.Parameter):
        return False
    if torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active():
        return False
    return scores.is_cpu and scores.dtype in (torch.float32, torch.float64) and scores.ndim > 0


def highest_plain_peak(dtype):
    """How high the best score of a row may be if no gap to another is to overflow.

    A gap that exceeds the largest float by less than half its spacing is rounded to that float, not to infinity.
    """
    limits = np.finfo(dtype)
    return float(limits.max) * float(limits.eps) / 4
