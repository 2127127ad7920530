"""The compiled kernels of sparsemax and entmax, for rows and for attention, each as one operator of a graph.

torch.compile cannot trace a kernel. What the arguments hold is looked at only when the graph runs. Imported only
while compiling.
"""

import math

import torch

from lib._arrays import namespace_of
from lib._checks import LOWEST_PRIOR
from lib._request import Request
from lib.fast.entmax_arguments import WIDEST, options_of, seed_of, widest_gap
from lib.fast.kernels import call_kernel, in_numpy, on_gpu

# ---- attention

TENSORS = ("beta", "where", "prior", "log_prior", "lengths", "offset")
ARGUMENTS = (
    "Tensor q, Tensor k, Tensor v, "
    + "".join(f"Tensor? {name}, " for name in (*TENSORS, "seed"))
    + "float alpha, float number, SymInt start, bool causal, SymInt? window, SymInt[] lead, float dropout"
)
COUNT = 3 + len(TENSORS) + 1  # of tensors, the first of the arguments


def attend_as_operator(request, q, k, v, alpha):
    """The output (heads, n_q, d_v) of q (heads, n_q, d), k and v (kv heads, ...)."""
    tensors = [x if isinstance(x := getattr(request, name), torch.Tensor) else None for name in TENSORS]
    beta, offset = (0 if isinstance(x, torch.Tensor) else x for x in (request.beta, request.offset))
    return attend_in_graph(
        q, k, v, *tensors, seed_of(request), alpha, float(beta), offset, request.causal,
        request.window, list(request.lead), float(request.dropout),
    )  # fmt: skip


def options_again(q, k, v, *rest):
    """What the kernels take besides q, k and v."""
    *tensors, seed, alpha, beta, offset, causal, window, lead, dropout = rest
    numbers = {"beta": beta, "offset": offset}
    given = {name: numbers.get(name) if x is None else x for name, x in zip(TENSORS, tensors, strict=True)}
    options = {"causal": causal, "window": window, "dropout": dropout, "lead": tuple(lead)}
    request = Request(q, k, v, xp=namespace_of(q), **options, **given)
    if request.log_prior is not None and not widest_gap(in_numpy(request.log_prior)) <= WIDEST:
        # Its exponential would not be a float64; that over the keys that a query sees is.
        seen = request.mask()
        log_prior = torch.where(seen | ~seen.any(-1, keepdim=True), request.log_prior.double(), -math.inf)
        request = request._replace(prior=log_prior.softmax(-1).clamp(min=LOWEST_PRIOR), log_prior=None)
    return alpha, *options_of(request, seed)


@torch.library.custom_op("lib::entmax_attention", mutates_args=(), schema=f"({ARGUMENTS}) -> Tensor")
def attend_in_graph(q, k, v, *rest):
    found, _ = call_kernel("attention_forward", q, q, k, v, *options_again(q, k, v, *rest))
    return found


@attend_in_graph.register_fake
def empty_output(q, k, v, *rest):
    return q.new_empty((*q.shape[:2], v.shape[2]))


@torch.library.custom_op(
    "lib::entmax_attention_backward",
    mutates_args=(),
    schema=f"(Tensor grad, {ARGUMENTS}) -> (Tensor, Tensor, Tensor)",
)
def pull_back_in_graph(grad, q, k, v, *rest):
    return call_kernel("attention_backward", q, q, k, v, *options_again(q, k, v, *rest), (), grad)


@pull_back_in_graph.register_fake
def empty_gradients(grad, q, k, v, *rest):
    return tuple(x.new_empty(x.shape) for x in (q, k, v))


def keep_arguments(ctx, inputs, output):
    ctx.save_for_backward(*inputs[:COUNT])
    ctx.numbers = inputs[COUNT:]


def gradients(ctx, grad):
    grads = pull_back_in_graph(grad, *ctx.saved_tensors, *ctx.numbers)
    return *grads, *[None] * (COUNT - 3 + len(ctx.numbers))


def no_second_gradient(ctx, *grads):
    raise RuntimeError('compiled, this has first-order gradients alone; for more take path="readable" uncompiled')


attend_in_graph.register_autograd(gradients, setup_context=keep_arguments)
pull_back_in_graph.register_autograd(no_second_gradient)


# ---- rows


@torch.library.custom_op(
    "lib::entmax_rows",
    mutates_args=(),
    schema="(Tensor scores, float alpha, Tensor beta, Tensor? where, Tensor? prior) -> (Tensor, Tensor)",
)
def weigh_rows_in_graph(scores, alpha, beta, where, prior):
    return call_kernel("entmax_forward", scores, scores, alpha, beta, where, prior)


@weigh_rows_in_graph.register_fake
def empty_rows(scores, alpha, beta, where, prior):
    dtype = torch.float32 if on_gpu(scores) else torch.float64
    return scores.new_empty(scores.shape), scores.new_empty(scores.shape[0], dtype=dtype)


@torch.library.custom_op(
    "lib::entmax_rows_backward",
    mutates_args=(),
    schema="(Tensor weights, Tensor grad, float alpha, Tensor slopes) -> Tensor",
)
def pull_back_rows_in_graph(weights, grad, alpha, slopes):
    return call_kernel("entmax_backward", weights, weights, grad, alpha, slopes)


@pull_back_rows_in_graph.register_fake
def empty_gradient_of_rows(weights, grad, alpha, slopes):
    return weights.new_empty(weights.shape)


def keep_rows(ctx, inputs, output):
    ctx.alpha = inputs[1]
    ctx.save_for_backward(*output)


def gradient_of_rows(ctx, grad, _):
    weights, slopes = ctx.saved_tensors
    return pull_back_rows_in_graph(weights, grad, ctx.alpha, slopes), None, None, None, None


def no_second_gradient_of_rows(ctx, *grads):
    raise RuntimeError("a compiled graph has first-order gradients alone; for more do not compile")


weigh_rows_in_graph.register_autograd(gradient_of_rows, setup_context=keep_rows)
pull_back_rows_in_graph.register_autograd(no_second_gradient_of_rows)
