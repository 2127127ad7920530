"""The weights that solve the equation of entmax, with the derivatives that the equation gives them."""

import torch

from ._arrays import is_number, namespace_of
from ._slopes import pull_back, rates, slope_in_alpha


class Solution(torch.autograd.Function):
    """Returns the weights that it is given, with the derivatives that the equation's solution has."""

    @staticmethod
    def forward(weights, x, order, axis):
        return weights.clone()

    @staticmethod
    def setup_context(ctx, inputs, weights):
        _, _, order, ctx.axis = inputs
        ctx.order = order if is_number(order) else None
        saved = (weights,) if is_number(order) else (weights, order)
        ctx.save_for_backward(*saved)
        ctx.save_for_forward(*saved)

    @staticmethod
    def backward(ctx, grad):
        xp, weights, alpha = parts(ctx)
        grad_x = pull_back(xp, rates(xp, weights, alpha), grad, ctx.axis)
        if ctx.order is not None:
            return None, grad_x, None, None
        products = grad * slope_in_alpha(xp, weights, alpha, ctx.axis)
        return None, grad_x, xp.sum(products, axis=ctx.axis, keepdims=True), None


class SolutionForTransforms(Solution):
    """The same under `torch.func.vmap` and `jvp` too."""

    generate_vmap_rule = True

    @staticmethod
    def jvp(ctx, _, x, order, __):
        xp, weights, alpha = parts(ctx)
        tangent = 0.0 if x is None else pull_back(xp, rates(xp, weights, alpha), x, ctx.axis)
        if order is not None:
            tangent = tangent + order * slope_in_alpha(xp, weights, alpha, ctx.axis)
        return tangent


def parts(ctx):
    weights, *order = ctx.saved_tensors
    return namespace_of(weights), weights, 1 + (order[0] if order else ctx.order)
