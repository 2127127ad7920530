"""A product of tensors whose gradient is not rounded if autocast is on when it is computed, as torch's own is."""

import torch

from ._torch_modes import autocast_is_around, without_autocast


def product(a, b):
    """a @ b for two axes and more; with a gradient of its own where this is computed apart from autocast."""
    if not autocast_is_around():
        return a @ b
    # torch.compile cannot follow a derivative forward
    return (Product if torch.compiler.is_compiling() else ProductForTransforms).apply(a, b)


class Product(torch.autograd.Function):
    """a @ b for two axes and more, differentiable any number of times."""

    @staticmethod
    def forward(a, b):
        return a @ b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        if torch.compiler.is_compiling():  # then what autocast will be backward is not seen here
            with torch.autocast(grad.device.type, enabled=False):
                return gradients_of_product(torch.matmul, a, b, grad)
        return without_autocast(gradients_of_product, grad, 0, (product, a, b, grad), {})


class ProductForTransforms(Product):
    """The same under `torch.func.vmap` and `jvp` too."""

    generate_vmap_rule = True

    @staticmethod
    def jvp(ctx, of_a, of_b):
        a, b = ctx.saved_tensors
        pairs = (of_a, b), (a, of_b)
        return sum(product(x, y) for x, y in pairs if x is not None and y is not None)


def gradients_of_product(multiply, a, b, grad):
    return multiply(grad, b.mT).sum_to_size(a.shape), multiply(a.mT, grad).sum_to_size(b.shape)
