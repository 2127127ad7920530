"""What torch.compile is not to look into: a search, as one operator of its graph.

A search ends when all rows are done, which no graph could know. Outside of a graph it is called as it stands: to
start an operator takes longer than a small map. Imported only while compiling.
"""

import torch

from lib._arrays import SEARCHES, is_number, namespace_of
from lib.gradients import pull_back, rates, slope_in_alpha

# ---- searches


def found(name, arguments, axis, like):
    """The result of a search, with the shape of `like`; its arguments are tensors and numbers."""
    arrays = [None if is_number(x) else x for x in arguments]
    numbers = [float(x) if is_number(x) else 0.0 for x in arguments]
    return run_search(name, arrays, numbers, axis, [like.shape[k] for k in range(like.ndim)])


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


# ---- derivatives of what a search found


def weights_with_slopes(weights, x, order, axis):
    """Entmax weights, with the derivatives in `x` and `order`, α − 1, that the equation gives them."""
    return (
        with_slopes(weights, x, None, order, axis)
        if is_number(order)
        else with_slopes(weights, x, order, 0.0, axis)
    )


@torch.library.custom_op(
    "lib::entmax_with_slopes",
    mutates_args=(),
    schema="(Tensor weights, Tensor x, Tensor? order, float number, int axis) -> Tensor",
)
def with_slopes(weights, x, order, number, axis):
    return weights.clone(memory_format=torch.contiguous_format)


@with_slopes.register_fake
def empty_weights(weights, x, order, number, axis):
    return weights.new_empty(weights.shape)


def keep_weights(ctx, inputs, output):
    _, _, order, ctx.number, ctx.axis = inputs
    ctx.learned = order is not None
    ctx.save_for_backward(*((output, order) if ctx.learned else (output,)))


def slopes_of_weights(ctx, grad):
    weights, *order = ctx.saved_tensors
    xp, alpha = namespace_of(weights), 1 + (order[0] if ctx.learned else ctx.number)
    grad_x, grad_order = pull_back(xp, rates(xp, weights, alpha), grad, ctx.axis), None
    if ctx.learned:
        products = grad * slope_in_alpha(xp, weights, alpha, ctx.axis)
        grad_order = xp.sum(products, axis=ctx.axis, keepdims=True)
    return None, grad_x, grad_order, None, None


with_slopes.register_autograd(slopes_of_weights, setup_context=keep_weights)


@with_slopes.register_vmap
def slopes_of_many(info, dims, weights, x, order, number, axis):
    count = max(y.ndim - (dim is not None) for y, dim in zip((weights, x), dims[:2], strict=True))
    weights, x, order = (
        y if dim is None else in_front(y, dim, count) for y, dim in zip((weights, x, order), dims[:3], strict=True)
    )
    shape = info.batch_size, *weights.shape[-count:]
    return with_slopes(weights.expand(shape), x.expand(shape), order, number, axis), 0
