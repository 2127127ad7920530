"""Which arrays the compiled kernels can take, in which form, and whether the kernels are there.

Numba's kernels, for the CPU, take NumPy arrays in main memory. Triton's take tensors on a GPU.
"""

from typing import Any, NamedTuple

import numpy as np

from .._arrays import active_transform, is_torch, stop_gradient, watched

SMALLEST = 1 << 16  # entries; for fewer, loading the kernels for the CPU costs more than they save
FEWEST = 16  # queries of the same keys; for fewer, attention lays out more keys than it then looks at
GPU = ("cuda",)  # the types of devices that Triton's kernels are for; tests of its interpreter add "cpu"


class Sight(NamedTuple):
    """Which keys the queries of each head see. Masks and priors are (m, n_q or 1, n_k or 1), or None."""

    offset: Any  # (heads,): the position of query 0; no query sees a later key
    window: int | None  # how many keys it sees at most, up to its own position
    length: Any  # (heads,): how many keys are real
    where: Any
    where_of: Any  # (heads,): which of the masks is that of the head
    prior: Any  # on a GPU its logarithm
    prior_of: Any


def highest_ordinary(limits):
    """How high the best score of a row may be if no gap to another is to overflow, by the limits of its dtype.

    A gap that exceeds the largest float by less than half its spacing is rounded to that float, not to infinity.
    """
    return float(limits.max) * float(limits.eps) / 4


def why_no_kernels(x, arrays, constants):
    """Why no compiled kernel can work on `x` and what goes with it, or None.

    `arrays` are all the inputs; for those in `constants` the kernels have no gradient.
    """
    if why := why_no_memory(x, arrays):
        return why
    if is_torch(x):
        import torch

        if torch.is_grad_enabled() and any(is_torch(x) and x.requires_grad for x in constants):
            return "with a gradient wanted in beta or the prior"
    if kernels_for(x) is None:
        return "without Triton" if on_gpu(x) else "without Numba"
    return None


def on_gpu(x):
    """Is `x` a tensor on a device that Triton's kernels are for?"""
    return is_torch(x) and x.device.type in GPU


def why_no_memory(x, arrays):
    """Why `x`, and the `arrays` that go with it, cannot be handed to the kernels for its device; or None."""
    if not is_torch(x):
        if type(x) is not np.ndarray:
            return "not in the main memory of this machine, as far as one knows"
        return f"in {x.dtype}: the kernels compute in float64 at most" if x.dtype.itemsize > 8 else None
    import torch

    if watched():
        return "while torch's operations are recorded or watched: it would not see the kernel"
    tensors = [x for x in arrays if isinstance(x, torch.Tensor)]
    if not (x.is_cpu or on_gpu(x)) or any(type(x) not in (torch.Tensor, torch.nn.Parameter) for x in tensors):
        return "not in the main memory of this machine, or a tensor of some special kind"
    if on_gpu(x) and x.dtype not in (torch.float32, torch.bfloat16, torch.float16):
        return f"in {x.dtype}: on a GPU the kernels compute in float32"
    return active_transform(tensors)


def kernels_for(x):
    """The kernels for the device of `x`: the folder `gpu`, or `cpu`; None where Triton, or Numba, is missing.

    Python remembers the import; torch.compile would not follow a cache of our own.
    """
    try:
        if on_gpu(x):
            from . import gpu as found
        else:
            from . import cpu as found
    except (ImportError, OSError):  # OSError: the library of LLVM is not there, or for another machine
        return None
    return found


def call_kernel(name, x, *arguments):
    """What a kernel for the device of `x` makes of the arguments; to those for the CPU tensors are arrays."""
    kernel = getattr(kernels_for(x), name)
    return each(in_library_of, x, kernel(*each(stop_gradient if on_gpu(x) else in_numpy, arguments)))


def each(function, *arguments):
    """`function` of the last of the arguments, or of each part where it is a tuple."""
    *others, x = arguments
    if not isinstance(x, tuple):
        return function(*others, x)
    parts = [each(function, *others, part) for part in x]
    return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)


def in_library_of(x, result):
    """A result of the kernels as a tensor if `x` is one, on the same memory."""
    if is_torch(x) and not is_torch(result):
        import torch

        return torch.from_numpy(result)
    return result


def in_numpy(x):
    """The same memory as a NumPy array, without derivatives."""
    return x.detach().resolve_neg().numpy() if is_torch(x) else x
