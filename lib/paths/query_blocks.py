"""Attention a few queries at a time, by any map: as the formula is written, but never with all the weights."""

import functools
import math

from lib.arrays import active_transform, is_torch

MANY = 1 << 22  # weights; where there are more, they are not held at once
BLOCK = 1 << 19  # but about so many at a time
DIFFERENTIABLE = ("q", "k", "v", "beta", "prior", "log_prior", "alpha")


def refusal(call, weights, *, strict):
    """Why the queries of this call cannot be taken by themselves or, unless `strict`, need not be; or None."""
    if callable(weights):
        return "with a callable, which may mix the queries"
    if call.dropout:
        return "with dropout: a block computed again would drop others"
    if not strict and math.prod(call.lead) * call.q.shape[-2] * call.k.shape[-2] <= MANY:
        return "for so few weights"
    return active_transform(getattr(call, name) for name in DIFFERENTIABLE) if is_torch(call.q) else None


def attend(call, readable):
    """The output of `attention`, a block after the other, where `readable` gives that of a call at once."""
    if is_torch(call.q):
        import torch

        leaves = {name: getattr(call, name) for name in DIFFERENTIABLE}
        leaves = {name: x for name, x in leaves.items() if is_torch(x) and x.requires_grad}
        if leaves and torch.is_grad_enabled():
            return _differentiable().apply(call, readable, tuple(leaves), *leaves.values())
    return outputs(call, readable)


def outputs(call, readable):
    """Each block's output goes to its place at once. Kept apart, each would hold a hole in the memory open."""
    shape = (*call.lead, call.q.shape[-2], call.v.shape[-1])
    out = call.xp.zeros(shape, dtype=call.dtype, device=call.q.device)
    for start, stop in blocks(call):
        out[..., start:stop, :] = readable(call.queries(start, stop))
    return out


def blocks(call):
    n_q = call.q.shape[-2]
    step = max(1, BLOCK // max(1, math.prod(call.lead) * call.k.shape[-2]))
    return [(start, min(start + step, n_q)) for start in range(0, n_q, step)]


@functools.cache
def _differentiable():
    import torch

    class InBlocks(torch.autograd.Function):
        """Keeps the arguments alone, and computes each block again for its gradient."""

        @staticmethod
        def forward(ctx, call, readable, names, *leaves):
            ctx.save_for_backward(*leaves)
            ctx.call, ctx.readable, ctx.names = call._replace(**dict.fromkeys(names)), readable, names
            return outputs(call, readable)

        @staticmethod
        def backward(ctx, grad):
            leaves = dict(zip(ctx.names, ctx.saved_tensors, strict=True))
            if torch.is_grad_enabled():  # create_graph=True
                output = ctx.readable(ctx.call._replace(**leaves))
                return None, None, None, *torch.autograd.grad(output, ctx.saved_tensors, grad, create_graph=True)
            leaves = {name: x.detach().requires_grad_() for name, x in leaves.items()}
            call = ctx.call._replace(**leaves)
            with torch.enable_grad():
                for start, stop in blocks(call):
                    output = ctx.readable(call.queries(start, stop))
                    torch.autograd.backward(output, grad[..., start:stop, :])
            return None, None, None, *(x.grad for x in leaves.values())

    return InBlocks
