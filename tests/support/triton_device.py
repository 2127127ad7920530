"""Where the tests of Triton's kernels run: on the GPU or, where there is none, in Triton's interpreter.

The interpreter works on tensors in main memory. It has to be chosen before the kernels are imported, so tests
import this first. It is never used where there is a GPU: there the tests are of what is really compiled.
"""

import contextlib
import importlib.util
import os
import platform
import sys

import numpy as np
import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
HAS_TRITON = importlib.util.find_spec("triton") is not None
HAS_WHEELS = sys.platform == "linux" and platform.machine() == "x86_64"

if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"
if not HAS_TRITON and not (os.environ.get("CI") == "true" and HAS_WHEELS):
    pytest.skip("Triton is not installed: it has wheels for Linux alone", allow_module_level=True)


@contextlib.contextmanager
def kernels_take_part():
    """Tensors on `DEVICE` go to Triton's kernels, also where that is the CPU, and where no run is recorded."""
    from lib.fast import kernels
    from lib.fast.gpu import runs

    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):  # the interpreter computes in NumPy
        patch.setattr(kernels, "GPU", ("cuda", DEVICE))
        patch.setattr(runs, "here", lambda device: "here")
        patch.setattr(runs, "recorded", {"here"})
        yield


def on_device(x, dtype=torch.float32):
    """A NumPy array or nested list as a tensor for the kernels: floats in `dtype`, all else as it is."""
    x = torch.as_tensor(np.asarray(x), device=DEVICE)
    return x.to(dtype) if x.is_floating_point() else x


def in_float64(x):
    """A tensor or None in main memory, floats as float64: for the readable bodies."""
    if not isinstance(x, torch.Tensor):
        return x
    x = x.detach().cpu()
    return x.double() if x.is_floating_point() else x
