"""One call of torch's `scaled_dot_product_attention`: refused for too large scores, and differentiable twice."""

import contextlib
import functools
import math
from typing import NamedTuple

import torch
from torch._subclasses import FakeTensor
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.attention import SDPBackend
from torch.nn.functional import scaled_dot_product_attention

from .._arrays import known_true, quiet, recording
from .._autocast import autocast_is_around

ONLY_FIRST = 'path="fused" has first-order gradients alone; for more take path="readable"'
LARGEST_ROUNDING = 1.0  # of β times a score; where it may be more, or the score infinite, the kernel is not called


class NoKernelError(Exception):
    """Without a kernel torch would compute products, whose gradients autocast rounds."""


class ScoresTooLargeError(NoKernelError):
    """Beside such scores the kernel loses a prior, and mistakes a row of nothing but NaN or −inf for another."""


class NoLseError(NoKernelError):
    """The kernel that torch chose keeps no lse."""


class Kernel(NamedTuple):
    """How the kernel is called for one request, and what its results look like.

    With `lse` they have one more column, log Σ e^score of each query: so whatever is done to put outputs together
    puts both together. The kernel's gradient cannot be differentiated. Where that is asked for, `only_first`
    refuses; else the gradient is computed anew in another way. With dropout that would drop others, so there the
    gradient refuses to be differentiated.
    """

    scale: float
    dropout: float = 0.0
    only_first: bool = False
    lse: bool = False
    checked: int | None = None  # only so many features are looked at for too large scores; None for all

    def __call__(self, q, k, v, mask=None, is_causal=False):
        """q (batch, H, n_q, d), k and v (batch, h, n_k, d) -> (batch, H, n_q, d), or d + 1 with `lse`."""
        looked_at = (q, k) if self.checked is None else (q[..., : self.checked], k[..., : self.checked])
        if too_large(*looked_at, self.scale):
            raise ScoresTooLargeError
        options = {"dropout_p": self.dropout, "is_causal": is_causal, "scale": self.scale}
        options["enable_gqa"] = bool(k.shape[1] != q.shape[1])
        inputs = (q, k, v) if mask is None else (q, k, v, mask)
        if not self.lse and (not wants_gradient(inputs) or recording()):
            return scaled_dot_product_attention(*inputs, **options)
        run = functools.partial(scaled_dot_product_attention, **options)
        if self.lse:
            return with_lse(run, self.only_first, inputs)
        if autocast_is_around() and torch._fused_sdp_choice(*inputs, **options) == SDPBackend.MATH.value:
            raise NoKernelError
        return Exit.apply(*recorded(run, self.only_first, inputs))

    def nothing(self, like):
        """What queries get that see nothing: zeros of this shape, and the lse −inf."""
        zeros = torch.zeros_like(like)
        if self.lse:
            zeros[..., -1] = -math.inf
        return zeros

    def where_seen(self, seeing, found):
        """What was found, but nothing for queries that see nothing; `seeing` is (batch, h or 1, n_q or 1, 1)."""
        return torch.where(seeing, found, self.nothing(found[:1, :1, :1]) if self.lse else 0.0)

    def raised(self, found, by):
        """What was found with scores that were lowered by as much, (batch, h or 1, n_q or 1, 1)."""
        return torch.cat([found[..., :-1], found[..., -1:] + by], -1) if self.lse else found


def recorded(run, only_first, inputs):
    """The kernel's output, with a gradient that can be differentiated itself, or says why not; for `Exit`."""
    arriving = {}
    return run(*Entrance.apply(run, only_first, arriving, *inputs)), arriving


def with_lse(run, only_first, inputs):
    """Output and lse side by side. The kernel keeps its lse for the gradient: so one has to be wanted."""
    wanted = wants_gradient(inputs)
    # Hooks (of checkpointing, say) are for what a gradient needs, and this is read at once. A hook that packed the
    # very tensors it is given would close a circle through the node that keeps them, and nothing would free them.
    own = saved_tensors_hooks(_packed, _unpacked)
    hooks = own if torch._C._autograd._saved_tensors_hooks_is_enabled() else contextlib.nullcontext()
    with torch.inference_mode(False), torch.enable_grad(), hooks:
        if wanted:
            output, arriving = recorded(run, only_first, inputs)
        else:
            q, *others = (x.clone() if x.is_inference() else x.detach() for x in inputs)
            output = run(q.requires_grad_(), *others)
        lse = getattr(output.grad_fn, "_saved_logsumexp", None)
    if lse is None:
        raise NoLseError
    if not wanted:
        return torch.cat([output.detach(), lse[..., None]], -1)
    lse = Lse.apply(lse, run, only_first, *inputs)
    return torch.cat([Exit.apply(output, arriving), lse[..., None]], -1)


def _packed(x):
    return x.detach(), x._version


def _unpacked(pair):
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


def wants_gradient(arguments):
    """Does autograd record what is computed from these tensors, numbers and None?"""
    return torch.is_grad_enabled() and any([isinstance(x, torch.Tensor) and x.requires_grad for x in arguments])


def too_large(q, k, scale):
    """True if values can be read and their lengths do not exclude a score that is infinite or rounded too much."""
    if not readable(q):
        return False
    limit = LARGEST_ROUNDING / torch.finfo(q.dtype).eps / scale
    # A score is at most the length of its query times that of its key. All queries taken as one vector are at
    # least as long as each of them, and so are all keys.
    if length(q) * length(k) < limit:
        return False
    longest = [torch.linalg.vector_norm(x.detach(), dim=-1).amax().item() for x in (q, k)]
    return not longest[0] * longest[1] < limit


def length(x):
    """The Euclidean length of a tensor, all of it taken as one vector."""
    if x.requires_grad:
        x = x.detach()
    if not x.is_contiguous():
        return torch.linalg.vector_norm(x).item()
    x = x.view(-1)
    return math.sqrt(torch.dot(x, x).item())  # in half of the time


def readable(x):
    """May values be read, of a tensor too? For a GPU the program would wait; a graph and a fake have none yet."""
    if not isinstance(x, torch.Tensor):
        return True
    return x.is_cpu and not recording() and not isinstance(x, FakeTensor)


class Entrance(torch.autograd.Function):
    """Passes the inputs on to the kernel, and back from it its gradient, which cannot itself be differentiated.

    If the gradient is going to be (`create_graph=True`), that of the same attention computed without the
    kernel takes its place, made from the gradient that arrived at the kernel's output.
    """

    @staticmethod
    def forward(ctx, run, only_first, arriving, *inputs):
        ctx.run, ctx.only_first, ctx.arriving = run, only_first, arriving
        ctx.save_for_backward(*inputs)
        outputs = tuple(x.view_as(x) for x in inputs)
        # The fast kernels have no gradient for a mask: one that wants none must not seem to want it.
        ctx.mark_non_differentiable(*(outputs[i] for i, x in enumerate(inputs) if not x.requires_grad))
        return outputs

    @staticmethod
    @quiet
    def backward(ctx, *grads):
        if not torch.is_grad_enabled():
            return None, None, None, *grads
        if ctx.only_first:
            raise RuntimeError(ONLY_FIRST)
        if ctx.run.keywords["dropout_p"]:
            return None, None, None, *Last.apply(*grads)
        # q, k and v may be one tensor: to each its own gradient.
        inputs = [x.view_as(x) for x in ctx.saved_tensors]
        grad = ctx.arriving.pop("grad")  # left there, the gradient and this node would keep each other alive
        # Autocast, which may still be on when this is differentiated, leaves float64 alone.
        wide = [x.double() if autocast_is_around() and x.is_floating_point() else x for x in inputs]
        output = as_written(*wide, **ctx.run.keywords)
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
    def forward(ctx, lse, run, only_first, *inputs):
        q, k, _, *mask = inputs
        ctx.run, ctx.only_first = run, only_first
        ctx.save_for_backward(q, k, *mask)
        return lse.view_as(lse)

    @staticmethod
    @quiet
    def backward(ctx, grad):
        twice = torch.is_grad_enabled()  # create_graph=True
        if twice and ctx.only_first:
            raise RuntimeError(ONLY_FIRST)
        q, k, *mask = ctx.saved_tensors
        if not twice and known_true(~grad.any()):
            return (None,) * (6 + len(mask))
        grad = ctx.run.keywords["scale"] * grad[..., None]  # (batch, H, n_q, 1)
        with torch.enable_grad():
            values = k.view_as(k) if k.requires_grad else k.detach().requires_grad_()
            inputs = (q if twice else q.detach(), k if twice else k.detach(), values, *mask)
            means = as_written(*inputs, **ctx.run.keywords) if twice else ctx.run(*inputs)
        (slope,) = torch.autograd.grad(means, values, grad * q, create_graph=twice)
        return None, None, None, grad * means, slope, *[None] * (1 + len(mask))
