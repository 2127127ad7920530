"""The array libraries, dtypes and devices that tests of the maths run on, behind one face."""

import array_api_compat
import array_api_strict
import numpy as np
from optional_torch import ALONE, torch

EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
LACKING = {"numpy": ["bfloat16"], "strict": ["float16", "bfloat16"]}  # dtypes that a library does not have


def torch_devices():
    """CUDA takes part where there is a device; test_suite.py says so where there is none."""
    if ALONE:
        return []
    return ["torch-cpu", "torch-cuda"] if torch.cuda.is_available() else ["torch-cpu"]


class Backend:
    """A namespace of the array API whose `asarray` gives one float dtype on one device.

    `eps` is the spacing of that dtype at 1. `tol` is what a result of size 1 may be off after a few
    dozen roundings: 50 eps where the dtype computes, 1 eps where half precision is stored after a
    computation in float32.
    """

    def __init__(self, library, dtype="float64"):
        self.library, self.dtype_name = library, dtype
        self.is_torch = library.startswith("torch")
        self.device = "cuda" if library == "torch-cuda" else "cpu"
        self.namespace = array_api_strict
        if library == "numpy":
            self.namespace = array_api_compat.array_namespace(np.empty(0))
        if self.is_torch:
            self.namespace = torch if ALONE else array_api_compat.array_namespace(torch.empty(0))
        self.dtype = getattr(self.namespace, dtype)
        self.eps = EPS[dtype]
        self.tol = 50 * self.eps if dtype in ("float64", "float32") else self.eps

    def __getattr__(self, name):
        return getattr(self.namespace, name)

    def __repr__(self):
        return f"{self.library}-{self.dtype_name}"

    def asarray(self, x, dtype=None):
        x = np.asarray(x)
        if dtype is None and x.dtype.kind == "f":
            dtype = self.dtype
        if not self.is_torch:
            with np.errstate(over="ignore"):  # what is too large for the dtype becomes infinite
                return self.namespace.asarray(x, dtype=dtype, copy=True)
        return torch.tensor(x, dtype=dtype, device=self.device)

    def to_numpy(self, x):
        """As float64 (or bool), whatever it was."""
        if self.is_torch:
            x = x.detach().cpu()
            x = (x if x.dtype == torch.bool else x.double()).numpy()
        x = np.asarray(x)
        return x if x.dtype.kind == "b" else x.astype(np.float64)

    def rounded(self, x):
        """What is left of `x` when it is stored in this dtype, in float64."""
        return self.to_numpy(self.asarray(x))


def backends(libraries, dtypes):
    return [Backend(k, d) for k in libraries for d in dtypes if d not in LACKING.get(k, ())]


LIBRARIES = ["numpy", *torch_devices(), "strict"]
