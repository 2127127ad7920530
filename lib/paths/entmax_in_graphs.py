"""Sparsemax and entmax attention by the compiled kernels as one operator of a graph, for torch.compile.

What the arguments hold is looked at only when the graph runs. Imported only while compiling.
"""

import torch

from lib.arrays import namespace_of
from lib.attention_arguments import Request
from lib.kernels.entmax_on_arrays import compiled_kernels, in_numpy
from lib.paths.entmax_attention import WIDEST, alpha_of, beta_of, chance_of, seed_of, sight_of, widest_gap
from lib.score_maps import prior_of

TENSORS = ("beta", "where", "prior", "log_prior", "lengths", "offset")
ARGUMENTS = (
    "Tensor q, Tensor k, Tensor v, "
    + "".join(f"Tensor? {name}, " for name in (*TENSORS, "seed"))
    + "float alpha, float number, SymInt start, bool causal, SymInt? window, SymInt[] lead, float dropout"
)
COUNT = 3 + len(TENSORS) + 1  # of tensors, the first of the arguments


def output(request, q, k, v):
    """The output (heads, n_q, d_v) of q (heads, n_q, d), k and v (kv heads, ...)."""
    tensors = [x if isinstance(x := getattr(request, name), torch.Tensor) else None for name in TENSORS]
    beta, offset = (0 if isinstance(x, torch.Tensor) else x for x in (request.beta, request.offset))
    return attend_in_graph(
        q, k, v, *tensors, seed_of(request), float(alpha_of(request)), float(beta), offset, request.causal,
        request.window, list(request.lead), float(request.dropout),
    )  # fmt: skip


def options_of(q, k, v, *rest):
    """What the kernels take besides q, k and v."""
    *tensors, seed, alpha, beta, offset, causal, window, lead, dropout = rest
    numbers = {"beta": beta, "offset": offset}
    given = {name: numbers.get(name) if x is None else x for name, x in zip(TENSORS, tensors, strict=True)}
    request = Request(**dict.fromkeys(Request._fields))._replace(
        xp=namespace_of(q), q=q, k=k, v=v, causal=causal, window=window, lead=tuple(lead), dropout=dropout, **given
    )
    if request.log_prior is not None and not widest_gap(in_numpy(request.log_prior)) <= WIDEST:
        # Its exponential would not be a float64; that over the keys that a query sees is.
        request = request._replace(prior=prior_of(request.xp, request.log_prior, request.mask()), log_prior=None)
    return alpha, beta_of(request), sight_of(request), chance_of(request, seed)


@torch.library.custom_op("lib::entmax_attention", mutates_args=(), schema=f"({ARGUMENTS}) -> Tensor")
def attend_in_graph(q, k, v, *rest):
    arrays = map(in_numpy, (q, k, v))
    return torch.from_numpy(compiled_kernels().attention_forward(*arrays, *options_of(q, k, v, *rest)))


@attend_in_graph.register_fake
def empty_output(q, k, v, *rest):
    return q.new_empty((*q.shape[:2], v.shape[2]))


@torch.library.custom_op(
    "lib::entmax_attention_backward",
    mutates_args=(),
    schema=f"(Tensor grad, {ARGUMENTS}) -> (Tensor, Tensor, Tensor)",
)
def pull_back_in_graph(grad, q, k, v, *rest):
    arrays, options = map(in_numpy, (q, k, v)), options_of(q, k, v, *rest)
    grads = compiled_kernels().attention_backward(*arrays, *options, in_numpy(grad))
    return tuple(map(torch.from_numpy, grads))


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
