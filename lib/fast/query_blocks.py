"""Attention a few queries at a time, by any map: as the formula is written, but never with all the weights."""

import functools
import math

from lib._arrays import active_transform, compiling, is_torch, quiet

MANY = 1 << 22  # weights; where there are more, they are not all held at once
AT_ONCE = 1 << 19  # about how many weights are then held


def why_not(request):
    """Why the queries cannot be taken a few at a time, or need not unless path="blocks" asks for it; or None."""
    if request.return_weights:
        return "with return_weights=True"
    if callable(request.weights):
        return "with a callable, which may mix the queries"
    if request.dropout:
        return "with dropout: a block computed again would drop others"
    if request.path != "blocks" and math.prod(request.lead) * request.q.shape[-2] * request.k.shape[-2] <= MANY:
        return "for so few weights"
    if request.path != "blocks" and compiling():
        return "while compiling: a graph of all the blocks would be long"
    return active_transform(request.differentiable().values()) if is_torch(request.q) else None


def result(request, compute):
    """The arrays (..., n_q, ·) that `compute(request)` gives, computed a block after the other."""
    if compiling():
        return in_one_graph(request, compute)
    if is_torch(request.q):
        import torch

        leaves = {name: x for name, x in request.differentiable().items() if is_torch(x) and x.requires_grad}
        if leaves and torch.is_grad_enabled():
            return _differentiable().apply(request, compute, tuple(leaves), *leaves.values())
    return without_gradient(request, compute)


def without_gradient(request, compute):
    """What is computed, with each block written to its place as soon as it is there.

    Blocks that were all kept until the end would leave the memory full of holes between them.
    """
    arrays = ()
    for start, stop in bounds(request):
        found = compute(request.queries(start, stop))
        arrays = arrays or [_all_queries(request, x) for x in found]
        for whole, part in zip(arrays, found, strict=True):
            whole[..., start:stop, :] = part
    return tuple(arrays or compute(request))


def _all_queries(request, part):
    """Room for the results of all queries, for those of some."""
    shape = (*part.shape[:-2], request.q.shape[-2], part.shape[-1])
    return request.xp.zeros(shape, dtype=part.dtype, device=part.device)


def in_one_graph(request, compute):
    """What is computed, as torch.compile can follow it, which computes a block again for its gradient."""
    from torch.utils.checkpoint import checkpoint

    parts = [request.queries(start, stop) for start, stop in bounds(request)]
    options = {"use_reentrant": False, "preserve_rng_state": False}
    blocks = [checkpoint(lambda part=part: compute(part), **options) for part in parts]
    joined = (request.xp.concat(some, axis=-2) for some in zip(*blocks, strict=True))
    return tuple(joined) if blocks else without_gradient(request, compute)


def bounds(request):
    """Where blocks begin and end: each has as many queries as have about `AT_ONCE` weights together."""
    n_q = request.q.shape[-2]
    step = max(1, AT_ONCE // max(1, math.prod(request.lead) * request.k.shape[-2]))
    return [(start, min(start + step, n_q)) for start in range(0, n_q, step)]


@functools.cache
def _differentiable():
    import torch

    class InBlocks(torch.autograd.Function):
        """Keeps only the arguments, and computes each block again for its gradient."""

        @staticmethod
        def forward(ctx, request, compute, names, *leaves):
            ctx.save_for_backward(*leaves)
            ctx.request, ctx.compute, ctx.names = request._replace(**dict.fromkeys(names)), compute, names
            return without_gradient(request, compute)

        @staticmethod
        @quiet
        def backward(ctx, *grads):
            leaves = dict(zip(ctx.names, ctx.saved_tensors, strict=True))
            if torch.is_grad_enabled():  # create_graph=True
                found = ctx.compute(ctx.request._replace(**leaves))
                return None, None, None, *torch.autograd.grad(found, ctx.saved_tensors, grads, create_graph=True)
            leaves = {name: x.detach().requires_grad_() for name, x in leaves.items()}
            request = ctx.request._replace(**leaves)
            with torch.enable_grad():
                for start, stop in bounds(request):
                    found = ctx.compute(request.queries(start, stop))  # a name for the weights would keep them
                    torch.autograd.backward(found, [grad[..., start:stop, :] for grad in grads])
            return None, None, None, *(x.grad for x in leaves.values())

    return InBlocks
