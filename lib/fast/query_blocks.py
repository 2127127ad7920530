"""Attention a block at a time, by any map: as the formula is written, but never with all the weights.

A block is some items, one head or some, or where one head has too many weights, some of its queries.
"""

import functools
import itertools
import math

import numpy as np

from .._arrays import cast
from .._request import group_size
from .._torch_modes import active_transform, is_many, is_torch, isolated, savable, wants_gradient

MANY = 1 << 22  # weights; where there are more, they are not all held at once
AT_ONCE = 1 << 19  # about how many weights are then held


def reason_against(request):
    """Why it cannot be computed in blocks, or need not unless path="blocks" asks for it; or None."""
    if request.return_weights:
        return "with return_weights=True"
    if callable(request.weights):
        return "with a callable, which may mix the queries"
    if request.dropout:
        return "with dropout: a block computed again would drop others"
    if request.path != "blocks" and math.prod(request.leading) * request.q.shape[-2] * request.k.shape[-2] <= MANY:
        return "for so few weights"
    return active_transform(request) if is_torch(request.q) else None


def result(request, compute):
    """The arrays (..., n_q, ·) that `compute(request)` gives, computed a block after the other."""
    xp, working = request.xp, request.working
    q, k, v = (cast(xp, x, working) for x in (request.q, request.k, request.v))  # once, not in each block
    request = request._replace(q=q, k=k, v=v)
    if is_torch(q) and wants_gradient(request):
        names = [name for name, x in request._asdict().items() if is_torch(x) and x.requires_grad]
        return _differentiable().apply(request, compute, names, *(getattr(request, name) for name in names))
    return without_gradient(request, compute)


def without_gradient(request, compute):
    """What is computed, with each block written to its place as soon as it is there.

    Blocks that all stayed until the end would leave the memory full of holes between them.
    """
    arrays = ()
    for leading, queries in blocks(request):
        results = compute(request.part(leading, queries))
        arrays = arrays or [room_for_all(request, x) for x in results]
        for whole, part in zip(arrays, results, strict=True):
            whole[(*leading, queries, slice(None))] = part
    return tuple(arrays or compute(request))


def room_for_all(request, part):
    """Room for the results of all blocks, for those of one, and of their kind, also a class of somebody's own."""
    shape = (*request.leading, request.q.shape[-2], part.shape[-1])
    if is_torch(part):
        return part.new_empty(shape)
    if isinstance(part, np.ndarray):
        return np.empty_like(part, shape=shape)
    return request.xp.empty(shape, dtype=part.dtype, device=part.device)


def blocks(request):
    """For each block a slice of every leading axis, and one of the queries; about `AT_ONCE` weights in each.

    Leading axes are cut first: keys and values, which a block goes through for itself, are then cut with them.
    """
    left, ranges = AT_ONCE // max(1, request.k.shape[-2]), []  # how many rows of weights a block may have
    together = math.lcm(*(group_size(request.q, x) for x in (request.k, request.v)))  # heads that share keys
    sizes = [*request.leading, request.q.shape[-2]]
    for axis, size in enumerate(sizes):
        step = max(1, left // max(1, math.prod(sizes[axis + 1 :])))
        if axis == len(sizes) - 2:
            step = max(together, step - step % together)
        ranges.append([slice(start, min(start + step, size)) for start in range(0, size, step)])
        left //= min(step, max(1, size))
    return [(leading, queries) for *leading, queries in itertools.product(*ranges)]


@functools.cache
def _differentiable():
    import torch

    class InBlocks(torch.autograd.Function):
        """Keeps only the arguments, and computes each block again for its gradient.

        1. Forward, without a graph: block after block. 2. Backward: each block once more, with a graph of its own;
        its gradients are added into `sums`, of which `room.part` gives views. 3. Asked for a second derivative, or
        for many gradients at once: everything again as one graph, which autograd goes back through.
        """

        @staticmethod
        def forward(ctx, request, compute, names, *leaves):
            constants = {name: x for name, x in zip(request._fields, request, strict=True) if name not in names}
            constants = {name: x for name, x in constants.items() if isinstance(x, torch.Tensor)}
            ctx.save_for_backward(*leaves, *map(savable, constants.values()))
            ctx.names, ctx.all_names, ctx.compute = names, (*names, *constants), compute
            ctx.request = request._replace(**dict.fromkeys(ctx.all_names))
            return without_gradient(request, compute)

        @staticmethod
        @isolated()
        def backward(ctx, *grads):
            twice = torch.is_grad_enabled()  # create_graph=True
            with torch.enable_grad():  # q, k and v may be one tensor: to each its own gradient
                saved = {name: x.view_as(x) for name, x in zip(ctx.all_names, ctx.saved_tensors, strict=True)}
            request = ctx.request._replace(**saved)
            if twice or any(map(is_many, grads)):
                return None, None, None, *gradients(request, ctx.compute, ctx.names, grads, create_graph=twice)
            sums = {name: torch.zeros_like(saved[name]) for name in ctx.names}
            room = request._replace(**sums)
            for leading, queries in blocks(request):
                part = request.part(leading, queries)
                leaves = {name: getattr(part, name).detach().requires_grad_() for name in ctx.names}
                part = part._replace(**leaves)
                arriving = [grad[(*leading, queries, slice(None))] for grad in grads]
                results = gradients(part, ctx.compute, ctx.names, arriving)
                for name, grad in zip(leaves, results, strict=True):
                    if grad is not None:
                        getattr(room.part(leading, queries), name).add_(grad)
            return None, None, None, *sums.values()

    def gradients(request, compute, names, grads, create_graph=False):
        """The gradients in the arguments `names`, None where the results do not depend on one."""
        leaves = [getattr(request, name) for name in names]
        with torch.enable_grad():
            results = compute(request)  # a name for the weights would keep them
            pairs = [pair for pair in zip(results, grads, strict=True) if pair[0].requires_grad]
        if not pairs:
            return [None] * len(leaves)
        outputs, grads = zip(*pairs, strict=True)
        return torch.autograd.grad(outputs, leaves, grads, create_graph=create_graph, allow_unused=True)

    return InBlocks
