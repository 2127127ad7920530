"""Which arrays the compiled kernels of entmax can take, and how they are laid out for them.

Numba's kernels, for the CPU, take NumPy arrays in main memory. Triton's take tensors on a GPU.
"""

import math

import numpy as np

from lib.arrays import active_transform, cast, compiling, is_number, is_torch, working_dtype

SMALLEST = 1 << 16  # entries; for fewer, loading the kernels for the CPU costs more than they save
GPU = ("cuda",)  # the types of devices that Triton's kernels are for; tests of its interpreter add "cpu"


def why_not_rows(given, alpha, shape):
    """Why the kernels cannot weigh the rows of these checked arguments, or had better not; None if they can."""
    if not (is_number(alpha) and 1.05 <= alpha <= 2):
        return "alpha is an array, so may want a gradient; or so close to 1 that rounding counts; or above 2"
    if math.prod(shape) < SMALLEST and not on_gpu(given.scores):  # there the readable body takes hundreds of calls
        return "too little to do"
    reason = why_no_kernels(given.scores, given, constants=(given.beta, given.prior))
    if reason is None and on_gpu(given.scores):
        return kernels_for(given.scores).why_unrecorded(given.scores.device)
    return reason


def why_no_kernels(x, arrays, constants):
    """Why no compiled kernel can work on `x` and what goes with it, or None.

    `arrays` are all the inputs; for those in `constants` the kernels have no gradient.
    """
    gpu = on_gpu(x)
    if why := why_no_gpu(x, arrays) if gpu else why_no_memory(x, arrays):
        return why
    if is_torch(x):
        import torch

        if torch.is_grad_enabled() and any(is_torch(x) and x.requires_grad for x in constants):
            return "with a gradient wanted in beta or the prior"
    if kernels_for(x) is None:
        return "without Triton" if gpu else "without Numba"
    return None


def on_gpu(x):
    """Is `x` a tensor on a device that Triton's kernels are for?"""
    return is_torch(x) and x.device.type in GPU


def why_no_gpu(x, arrays):
    """Why Triton's kernels cannot take `x` and the tensors that go with it, or None."""
    import torch

    tensors = [x for x in arrays if isinstance(x, torch.Tensor)]
    if any(type(x) not in (torch.Tensor, torch.nn.Parameter) for x in tensors):
        return "with a tensor of some special kind"
    if x.dtype not in (torch.float32, torch.bfloat16, torch.float16):
        return f"in {x.dtype}: on a GPU the kernels compute in float32"
    return active_transform(tensors)


def why_no_memory(x, arrays):
    """Why the memory of `x`, and of the `arrays` that go with it, cannot be read as NumPy arrays here; or None."""
    if is_torch(x):
        import torch

        tensors = [x for x in arrays if isinstance(x, torch.Tensor)]
        if x.device.type != "cpu" or any(type(x) not in (torch.Tensor, torch.nn.Parameter) for x in tensors):
            return "not in the main memory of this machine, or a tensor of some special kind"
        return active_transform(tensors)
    return None if type(x) is np.ndarray else "not in the main memory of this machine, as far as one knows"


def kernels_for(x):
    """The kernels for the device of `x`: the folder `gpu`, or `cpu`; None where Triton, or Numba, is missing."""
    return gpu_kernels() if on_gpu(x) else compiled_kernels()


def compiled_kernels():
    """The folder `cpu` of compiled kernels, or None where Numba is not installed.

    Python remembers the import; torch.compile would not follow a cache of our own.
    """
    try:
        from lib.kernels import cpu
    except ImportError:
        return None
    return cpu


def gpu_kernels():
    """The folder `gpu` of compiled kernels, or None where Triton is not installed."""
    try:
        from lib.kernels import gpu
    except ImportError:
        return None
    return gpu


def in_rows(given, shape):
    """Scores (rows, n), β (rows,), mask and prior (k, n) or None, of arguments that broadcast to `shape`.

    Row r has the mask and the prior r mod k. All but the scores, which may want a gradient, are as kernels take
    them. For the CPU half precision becomes float32; a GPU reads it as it is.
    """
    xp, scores, beta, prior, where, axis, _ = given
    lead, n = shape[:axis] + shape[axis:][1:], shape[axis]
    if not on_gpu(scores):
        scores = cast(xp, scores, working_dtype(xp, scores.dtype))
    scores = rows_of(xp, scores, axis, lead, n)
    beta = for_kernels(rows_of(xp, beta, axis, lead, 1)[:, 0])
    where, prior = (
        None if x is None else for_kernels(rows_of(xp, x, axis, lead, n, repeat=False)) for x in (where, prior)
    )
    return scores, beta, where, prior


def out_of_rows(xp, rows, axis, shape):
    """(rows, n) back to `shape`, in which n stands at `axis`."""
    lead, n = shape[:axis] + shape[axis:][1:], shape[axis]
    return xp.moveaxis(xp.reshape(rows, (*lead, n)), -1, axis)


def rows_of(xp, x, axis, lead, size, repeat=True):
    """(..., n or 1) -> (rows, size), with `axis` last.

    Without `repeat` leading axes of size 1 are dropped, which leaves k rows: row r is then row r mod k.
    """
    x = xp.reshape(x, (1,) * (len(lead) + 1 - x.ndim) + tuple(x.shape))
    x = xp.moveaxis(x, axis, -1)
    while not repeat and x.ndim > 1 and x.shape[0] == 1:
        x, lead = x[0, ...], lead[1:]
    if tuple(x.shape) != (*lead, size):  # only if need be: NumPy's result is read-only, and would be copied later
        x = xp.broadcast_to(x, (*lead, size))
    return xp.reshape(x, (math.prod(lead), size))


def for_kernels(x):
    """The same memory without derivatives, as the kernels take it: a tensor on a GPU, or else a NumPy array.

    For an operator in a graph it stays a tensor.
    """
    return x.detach() if on_gpu(x) or compiling() else in_numpy(x)


def in_library_of(x, result):
    """A result of the kernels as a tensor if `x` is one, on the same memory."""
    if is_torch(x) and not is_torch(result):
        import torch

        return torch.from_numpy(result)
    return result


def in_numpy(x):
    """The same memory as a NumPy array, without derivatives."""
    return x.detach().numpy() if is_torch(x) else x
