"""What torch.compile is not to look into: searches and compiled kernels, each as one operator of its graph.

A search ends when all rows are done, which no graph could know; a kernel cannot be traced. Outside of a graph the
same is called as it stands: to start an operator takes longer than a small map. Imported only while compiling.
"""

import torch

from lib.arrays import SEARCHES, is_number, namespace_of
from lib.gradients import pull_back, rates, slope_in_alpha
from lib.kernels.entmax_on_arrays import for_kernels, in_library_of, kernels_for, on_gpu

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


# ---- the compiled kernels of entmax


@torch.library.custom_op(
    "lib::entmax_rows",
    mutates_args=(),
    schema="(Tensor scores, float alpha, Tensor beta, Tensor? where, Tensor? prior) -> (Tensor, Tensor)",
)
def entmax_rows(scores, alpha, beta, where, prior):
    options = [None if x is None else for_kernels(x) for x in (beta, where, prior)]
    found = kernels_for(scores).entmax_forward(for_kernels(scores), alpha, *options)
    return tuple(in_library_of(scores, x) for x in found)


@entmax_rows.register_fake
def empty_rows(scores, alpha, beta, where, prior):
    dtype = torch.float32 if on_gpu(scores) else torch.float64
    return scores.new_empty(scores.shape), scores.new_empty(scores.shape[0], dtype=dtype)


@torch.library.custom_op(
    "lib::entmax_rows_backward",
    mutates_args=(),
    schema="(Tensor weights, Tensor grad, float alpha, Tensor slopes) -> Tensor",
)
def entmax_rows_backward(weights, grad, alpha, slopes):
    arrays = for_kernels(weights), for_kernels(grad), alpha, for_kernels(slopes)
    return in_library_of(grad, kernels_for(weights).entmax_backward(*arrays))


@entmax_rows_backward.register_fake
def empty_gradient_of_rows(weights, grad, alpha, slopes):
    return weights.new_empty(weights.shape)


def keep_rows(ctx, inputs, output):
    ctx.alpha = inputs[1]
    ctx.save_for_backward(*output)


def gradient_of_rows(ctx, grad, _):
    weights, slopes = ctx.saved_tensors
    return entmax_rows_backward(weights, grad, ctx.alpha, slopes), None, None, None, None


def no_second_gradient_of_rows(ctx, *grads):
    raise RuntimeError("a compiled graph has first-order gradients alone; for more do not compile")


entmax_rows.register_autograd(gradient_of_rows, setup_context=keep_rows)
entmax_rows_backward.register_autograd(no_second_gradient_of_rows)
