"""Which arrays the compiled kernels of entmax can take, and how they are laid out for them: in rows, in NumPy."""

import functools

import numpy as np

from lib.arrays import active_transform, is_number, is_torch

SMALLEST = 1 << 16  # entries; for fewer, loading the kernels costs more than they save


def why_not_rows(given, alpha, shape):
    """Why the kernels cannot weigh the rows of these checked arguments, or had better not; None if they can."""
    if not (is_number(alpha) and 1.05 <= alpha <= 2):
        return "alpha is an array, so may want a gradient; or so close to 1 that rounding counts; or above 2"
    if np.prod(shape) < SMALLEST:
        return "too little to do"
    return why_no_kernels(given.scores, given, constants=(given.beta, given.prior))


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
    return "without Numba" if compiled_kernels() is None else None


def why_no_memory(x, arrays):
    """Why the memory of `x`, and of the `arrays` that go with it, cannot be read as NumPy arrays here; or None."""
    if is_torch(x):
        import torch

        tensors = [x for x in arrays if isinstance(x, torch.Tensor)]
        if x.device.type != "cpu" or any(type(x) not in (torch.Tensor, torch.nn.Parameter) for x in tensors):
            return "not in the main memory of this machine, or a tensor of some special kind"
        return active_transform(tensors)
    return None if type(x) is np.ndarray else "not in the main memory of this machine, as far as one knows"


@functools.cache
def compiled_kernels():
    """The folder `cpu` of compiled kernels, or None where Numba is not installed."""
    try:
        from lib.kernels import cpu
    except ImportError:
        return None
    return cpu


def in_rows(given, shape):
    """Scores (rows, n), β (rows,), mask and prior (k, n) or None, of arguments that broadcast to `shape`.

    Row r has the mask and the prior r mod k. All but the scores, which may want a gradient, are in NumPy.
    """
    xp, scores, beta, prior, where, axis, _ = given
    lead, n = shape[:axis] + shape[axis:][1:], shape[axis]
    scores = rows_of(xp, scores, axis, lead, n)
    beta = in_numpy(rows_of(xp, beta, axis, lead, 1)[:, 0])
    where, prior = (
        None if x is None else in_numpy(rows_of(xp, x, axis, lead, n, repeat=False)) for x in (where, prior)
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
    return xp.reshape(x, (-1, size))


def in_library_of(x, result):
    """A NumPy array as a tensor if `x` is one, on the same memory."""
    if is_torch(x):
        import torch

        return torch.from_numpy(result)
    return result


def in_numpy(x):
    """The same memory as a NumPy array, without derivatives."""
    return x.detach().numpy() if is_torch(x) else x
