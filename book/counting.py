"""What a computation takes on any machine, counted and not timed: multiplications, and memory."""

import tracemalloc

import numpy as np


def counted(run):
    """How many multiplications the matrix products in `run()` take, as torch counts them; NaN if its result is."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter, torch.no_grad():
        result = run()
    return counter.get_total_flops() / 2 if result.isfinite().all() else np.nan  # it counts an addition with each


def held(run):
    """The most bytes that NumPy's arrays in `run()` take at once, with its result; NaN if that has one in it."""
    run()  # so that all is imported
    tracemalloc.start()
    try:
        result = run()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return float(most) if np.isfinite(result).all() else np.nan
