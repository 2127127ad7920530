"""What torch.compile is not to look into: a search, as one operator of its graph.

A search ends when all rows are done, which no graph could know. Outside of a graph it is called as it stands: to
start an operator takes longer than a small map. Imported only while compiling.
"""

import torch

from lib._arrays import SEARCHES, is_number, namespace_of


def found(search, arguments, axis, like):
    """The result of a search, with the shape of `like`; its arguments are tensors and numbers."""
    arrays = [None if is_number(x) else x for x in arguments]
    numbers = [float(x) if is_number(x) else 0.0 for x in arguments]
    return run_search(search.__name__, arrays, numbers, axis, [like.shape[k] for k in range(like.ndim)])


@torch.library.custom_op(
    "lib::search",
    mutates_args=(),
    schema="(str name, Tensor?[] arrays, float[] numbers, int axis, SymInt[] shape) -> Tensor",
)
def run_search(name, arrays, numbers, axis, shape):
    arguments = [number if x is None else x for x, number in zip(arrays, numbers, strict=True)]
    return SEARCHES[name](namespace_of(arrays[0]), *arguments, axis).expand(shape).contiguous()


@run_search.register_fake
def empty_search(name, arrays, numbers, axis, shape):
    return arrays[0].new_empty(shape)


@run_search.register_vmap
def search_of_many(info, dims, name, arrays, numbers, axis, shape):
    """The axis is counted from the end, so that one more in front changes nothing."""
    arrays = [x if dim is None else in_front(x, dim, len(shape)) for x, dim in zip(arrays, dims[1], strict=True)]
    return run_search(name, arrays, numbers, axis, [info.batch_size, *shape]), 0


def in_front(x, dim, count):
    """`x` with the axis `dim` moved in front of `count` others."""
    x = x.movedim(dim, 0)
    return x.reshape(x.shape[0], *[1] * (count + 1 - x.ndim), *x.shape[1:])
