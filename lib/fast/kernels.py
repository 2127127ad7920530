"""Which arrays the kernels that Numba compiles can take, in which form, and whether they are there at all."""

import numpy as np

from .._torch_modes import active_transform, imported_torch, is_torch, wants_gradient, watched

SMALLEST = 1 << 16  # entries; for fewer, loading the kernels costs more than they save
FEWEST = 16  # queries of the same keys; for fewer, attention lays out more keys than it then looks at


def reason_against_kernels(x, arrays, constants):
    """Why no compiled kernel can work on `x` and what goes with it, or None.

    `arrays` are all the inputs; for those in `constants` the kernels have no gradient.
    """
    if why := reason_against_memory(x, arrays):
        return why
    if is_torch(x) and wants_gradient(constants):
        return "with a gradient wanted in beta or the prior"
    return "without Numba" if numba_kernels() is None else None


def reason_against_memory(x, arrays):
    """Why `x`, and the `arrays` that go with it, cannot be handed to a kernel for the CPU; or None."""
    if not is_torch(x):
        if type(x) is not np.ndarray:
            return "for such arrays: whether they are in main memory is not known"
        return f"in {x.dtype}: the kernels compute in float64 at most" if x.dtype.itemsize > 8 else None
    import torch

    if watched():
        return "while torch's operations are traced or watched: it would not see the kernel"
    tensors = [x for x in arrays if isinstance(x, torch.Tensor)]
    if not x.is_cpu:
        return f"on {x.device}: the kernels are for the CPU"
    if any(type(x) not in (torch.Tensor, torch.nn.Parameter) for x in tensors):
        return "with a tensor of some special kind"
    return active_transform(tensors)


def numba_kernels():
    """The folder `cpu`; None where Numba is missing.

    Python remembers the import; torch.compile would not follow a cache of our own.
    """
    try:
        from . import cpu
    except (ImportError, OSError):  # OSError: the library of LLVM is not there, or for another machine
        return None
    return cpu


def call_kernel(name, x, *arguments):
    """What a kernel makes of the arguments, tensors as arrays; as tensors if `x` is one."""
    return each(in_library_of, x, getattr(numba_kernels(), name)(*each(in_numpy, arguments)))


def each(function, *arguments):
    """`function` of the last of the arguments, or of each part where it is a tuple."""
    *others, x = arguments
    if not isinstance(x, tuple):
        return function(*others, x)
    parts = [each(function, *others, part) for part in x]
    return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)


def in_library_of(x, result):
    """A result of the kernels as a tensor if `x` is one, on the same memory."""
    return imported_torch().from_numpy(result) if is_torch(x) else result


def in_numpy(x):
    """The same memory as a NumPy array, without derivatives."""
    return x.detach().resolve_neg().numpy() if is_torch(x) else x
