"""The derivatives of softmax attention by torch's kernel: its gradient, and that of the lse that it keeps.

The order of events, for an input x, the kernel's output y and the gradient g that arrives at y:

1. Forward: `Entrance` passes x on, torch's kernel makes y of it, `Exit` passes y on. `Lse` passes on the lse.
2. First derivative: `Exit` passes g on, the kernel's own gradient follows, and `Entrance` hands that to x. `Lse`
   calls the kernel once more: the slope of the lse is the mean of the keys.
3. First derivative with create_graph=True: `Exit` also leaves g for `Entrance`, which puts in place of the
   kernel's gradient that of `as_written`, made from g; `Lse` uses `as_written` for the kernel. Torch can
   differentiate both. With path="fused" both raise instead, and with dropout `Entrance` takes the way of 2, by
   `Last`.
4. Second derivative: autograd goes back through the operations of `as_written`, and g; `Last` raises.

Torch tells some things under private names alone. Here these are `_fused_sdp_choice` (which kernel it would take),
`_saved_logsumexp` (the lse that a kernel keeps for its gradient), `_saved_tensors_hooks_is_enabled`, and
`_version` (how often a tensor was written to). The others are in `lib._torch_modes`, and those of processes in
`lib.sharded`.
"""

import contextlib
import math

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.attention import SDPBackend

from .._torch_modes import autocast_is_around, isolated, known_true, wants_gradient

ONLY_FIRST = 'path="fused" has first-order gradients alone; for more take path="readable"'


def chooses_products(inputs, options):
    """Would torch take none of its kernels for these inputs?"""
    return torch._fused_sdp_choice(*inputs, **options) == SDPBackend.MATH.value


def with_gradient(kernel, only_first, inputs):
    """The kernel's output, as a tuple of one. Its gradient cannot be differentiated by the kernel.

    Where that is asked for, `only_first` refuses; else the gradient is computed anew in another way. With dropout
    that would drop others, so there the gradient refuses to be differentiated.
    """
    output, arriving = through_entrance(kernel, only_first, inputs)
    return (Exit.apply(output, arriving),)


def through_entrance(kernel, only_first, inputs):
    """The kernel's output, and where the gradient that arrives at it has to be put: both are for `Exit`."""
    arriving = {}
    return kernel(*Entrance.apply(kernel, only_first, arriving, *inputs)), arriving


def with_lse(kernel, only_first, inputs):
    """Output and lse, (batch, H, n_q, 1); None if the kernel that torch chose keeps no lse.

    It keeps the lse for the gradient: so one has to be wanted.
    """
    wanted = wants_gradient(inputs)
    # Hooks (of checkpointing, say) are for what a gradient needs, and this is read at once. A hook that packed the
    # very tensors it is given would close a circle through the node that keeps them, and nothing would free them.
    own = saved_tensors_hooks(_pack, _unpack)
    hooks = own if torch._C._autograd._saved_tensors_hooks_is_enabled() else contextlib.nullcontext()
    with torch.inference_mode(False), torch.enable_grad(), hooks:
        if wanted:
            output, arriving = through_entrance(kernel, only_first, inputs)
        else:
            q, *others = (x.clone() if x.is_inference() else x.detach() for x in inputs)
            output = kernel(q.requires_grad_(), *others)
        lse = getattr(output.grad_fn, "_saved_logsumexp", None)
    if lse is None:
        return None
    if not wanted:
        return output.detach(), lse[..., None]
    # A copy, for it may be changed in place, and the gradient of the lse remains.
    return Exit.apply(output, arriving).clone(), Lse.apply(lse, kernel, only_first, *inputs)[..., None]


def _pack(x):
    return x.detach(), x._version


def _unpack(pair):
    """The tensor, if nobody has changed it; where there are hooks torch does not look."""
    x, version = pair
    if x._version != version:
        raise RuntimeError("an input of attention_with_lse has been modified by an inplace operation since")
    return x


def as_written(q, k, v, mask=None, *, dropout_p, is_causal, scale, enable_gqa):
    """What the kernel computes, by operations that can be differentiated any number of times, without dropout.

    Torch has such a form, but it is asked for by a switch that is turned for all threads.
    """
    if enable_gqa:
        k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], dim=1) for x in (k, v))
    scores = scale * (q @ k.mT)  # (batch, H, n_q, n_k)
    if is_causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    return scores.softmax(-1) @ v


class Entrance(torch.autograd.Function):
    """Passes the inputs on to the kernel, and back from it its gradient, which cannot itself be differentiated.

    If the gradient is going to be (`create_graph=True`), that of the same attention computed without the
    kernel takes its place, made from the gradient that arrived at the kernel's output.
    """

    @staticmethod
    def forward(ctx, kernel, only_first, arriving, *inputs):
        ctx.kernel, ctx.only_first, ctx.arriving = kernel, only_first, arriving
        ctx.save_for_backward(*inputs)
        outputs = tuple(x.view_as(x) for x in inputs)
        # The fast kernels have no gradient for a mask: one that wants none must not seem to want it.
        ctx.mark_non_differentiable(*(outputs[i] for i, x in enumerate(inputs) if not x.requires_grad))
        return outputs

    @staticmethod
    @isolated()
    def backward(ctx, *grads):
        if not torch.is_grad_enabled():
            return None, None, None, *grads
        if ctx.only_first:
            raise RuntimeError(ONLY_FIRST)
        if ctx.kernel.keywords["dropout_p"]:
            return None, None, None, *Last.apply(*grads)
        # q, k and v may be one tensor: to each its own gradient.
        inputs = [x.view_as(x) for x in ctx.saved_tensors]
        grad = ctx.arriving.pop("grad")  # left there, the gradient and this node would keep each other alive
        # Autocast, which may still be on when this is differentiated, leaves float64 alone.
        wide = [x.double() if autocast_is_around() and x.is_floating_point() else x for x in inputs]
        output = as_written(*wide, **ctx.kernel.keywords)
        wanted = [x for x in inputs if x.requires_grad]
        anew = iter(torch.autograd.grad(output, wanted, grad.to(output.dtype), create_graph=True))
        return None, None, None, *(next(anew) if x.requires_grad else None for x in inputs)


class Exit(torch.autograd.Function):
    """Passes the kernel's output on, and keeps for `Entrance` the gradient that arrives at it after all hooks."""

    @staticmethod
    def forward(ctx, output, arriving):
        ctx.arriving = arriving
        return output.view_as(output)

    @staticmethod
    def backward(ctx, grad):
        if torch.is_grad_enabled():
            ctx.arriving["grad"] = grad
        return grad, None


class Last(torch.autograd.Function):
    """Passes gradients on, and refuses to be differentiated itself."""

    @staticmethod
    def forward(ctx, *grads):
        return tuple(None if grad is None else grad.view_as(grad) for grad in grads)

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError(
            "a second derivative does not know which weights the kernel's dropout dropped; "
            'for one with dropout take path="readable"'
        )


class Lse(torch.autograd.Function):
    """Passes an lse on, (batch, H, n_q), and gives it a gradient: its slope in the scores is the weights.

    So in a query it is the mean of the keys, and in the keys what a mean of values, were they the keys, passes on.
    """

    @staticmethod
    def forward(ctx, lse, kernel, only_first, *inputs):
        q, k, _, *mask = inputs
        ctx.kernel, ctx.only_first = kernel, only_first
        ctx.save_for_backward(q, k, *mask)
        return lse.clone()

    @staticmethod
    @isolated()
    def backward(ctx, grad):
        twice = torch.is_grad_enabled()  # create_graph=True
        if twice and ctx.only_first:
            raise RuntimeError(ONLY_FIRST)
        q, k, *mask = ctx.saved_tensors
        if not twice and known_true(~grad.any()):
            return (None,) * (6 + len(mask))
        grad = ctx.kernel.keywords["scale"] * grad[..., None]  # (batch, H, n_q, 1)
        with torch.enable_grad():
            values = k.view_as(k) if k.requires_grad else k.detach().requires_grad_()
            inputs = (q if twice else q.detach(), k if twice else k.detach(), values, *mask)
            means = as_written(*inputs, **ctx.kernel.keywords) if twice else ctx.kernel(*inputs)
        (slope,) = torch.autograd.grad(means, values, grad * q, create_graph=twice)
        return None, None, None, grad * means, slope, *[None] * (1 + len(mask))
