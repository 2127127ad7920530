"""Softmax attention over a sequence that lies in pieces on several processes: each gathers all keys and values."""

import contextlib
from datetime import timedelta
from functools import partial

import torch
import torch.distributed as dist
from torch.utils.checkpoint import checkpoint

from ._arrays import is_number, kind
from ._request import check_padded_cache, checked
from ._torch_modes import not_compiled
from .attention import attention as attention_on_one

PAIRS = 1 << 24  # of a query and a key: about so many are worked on at a time, so that a mask stays small


@not_compiled
def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    beta: float | torch.Tensor | None = None,
    causal: bool = False,
    window: int | None = None,
    lengths: torch.Tensor | None = None,
    offset: int | torch.Tensor | None = None,
    prior: torch.Tensor | None = None,
    log_prior: torch.Tensor | None = None,
    weights: str = "softmax",
    dropout: float = 0.0,
    group: "dist.ProcessGroup | None" = None,
    timeout: float | None = None,
) -> torch.Tensor:
    r"""Softmax attention over a sequence that is too long for one process, on ``torch.distributed``.

    Each process holds a piece of the queries, of the keys and of the values, in the order of the ranks, and
    gets the outputs for its own queries. It gathers the keys and values of all, and then computes attention as
    on one process, for its own queries, at their place in the whole sequence.

    Parameters
    ----------
    q, k, v : tensor, shapes (..., n_q, d), (..., n_k, d), (..., n_k, d_v)
        The piece of this process. n_q and n_k may differ between the processes, and be 0; all the rest is
        the same on all of them. Heads may be grouped as in `attention`.
    beta, causal, window, lengths, offset
        As for `attention`, and about the whole sequence: `lengths` counts the keys of all processes, and
        `offset` is the position of the first query of all. An array `beta` has a row for each query of this
        process, or one for all.
    prior, log_prior : tensor, shape (n_k,) or broadcastable to (..., 1, n_k), optional
        The null hypothesis for the keys of this process, or its logarithm; not both. It is gathered with the keys,
        so it is the same for all queries. For a mask over keys alone pass a prior of 0 and 1.
    weights, dropout
        "softmax" and 0.0, or an error.
    group : torch.distributed.ProcessGroup, optional
        The processes that share the sequence; by default all.
    timeout : float, optional
        How many seconds to wait for the others each time; by default as long as the group allows. It must be more
        than the processes may be apart when they call, and when each has the gradients by way of its own queries.
        The group's own time limit is set to it while a process waits, and set back after that.

    Returns
    -------
    output : tensor, shape (..., n_q, d_v)
        What `attention` gives for the queries of this process among the keys of all, to rounding.

    Raises
    ------
    TypeError, ValueError
        As `attention`, and if the processes' arguments do not agree: on every process, with the argument that is
        to blame, and where it is one process alone that passed it, with its rank.
    RuntimeError
        If a process has ended or does not answer in time. The group is then of no more use.

    Notes
    -----
    For n keys each process holds all keys and values from the forward to the backward pass, that is
    n (d + d_v) numbers for each item of the batch and each of their heads, in float32 at least; and three times as
    many while it goes backward. Of the weights and of masks it never holds more than for 2²⁴ pairs of a query and
    a key: the outputs are computed for some queries at a time, by the kernels that `attention` takes, and
    backward they are computed again. Each process sends its own keys and values to all others, in their own dtype;
    backward the gradients go back, in float32 at least.

    Every process must take part in the backward pass too. The gradients are those of the sum of all
    processes' losses: whole for q, k, v and the prior. Of an array `beta` each process gets what its own
    queries contribute; their sum over the processes is the whole, as with any parameter of which each process
    has a copy. The gradients of k, v and the prior cannot be differentiated again, and there is no ``torch.func``.
    All this is tested with gloo, on CPUs; with nccl it has not been run.

    References
    ----------
    Gathered keys and values: Llama Team (2024), section 3.3.2, https://arxiv.org/abs/2407.21783.
    Sent round a ring, which needs less memory: Liu, Zaharia and Abbeel (2023), https://arxiv.org/abs/2310.01889.

    Examples
    --------
    In ``pieces.py``, to be started by ``torchrun --nproc-per-node 2 pieces.py``::

        import torch
        import torch.distributed as dist

        import lib
        from lib import sharded

        dist.init_process_group("gloo")  # on GPUs "nccl", after torch.cuda.set_device
        rank, size = dist.get_rank(), dist.get_world_size()

        # Here the whole sequence is at hand, to compare; in real work each process makes or loads its piece.
        torch.manual_seed(0)
        whole = [torch.randn(1, 4, 1000, 32) for _ in "qkv"]
        q, k, v = (x.tensor_split(size, dim=-2)[rank].requires_grad_() for x in whole)

        output = sharded.attention(q, k, v, causal=True)
        output.square().sum().backward()  # fills q.grad, k.grad and v.grad of this piece

        expected = lib.attention(*whole, causal=True).tensor_split(size, dim=-2)[rank]
        print(f"rank {rank}: queries {tuple(q.shape)}, {(output - expected).abs().max():.0e} from one process")
        dist.destroy_process_group()
    """
    group = dist.group.WORLD if group is None else group
    rank, limit, facts, error = dist.get_rank(group), None, {}, None
    if rank < 0:
        raise ValueError("group must be a process group that this process belongs to")
    try:
        if timeout is not None and not (is_number(timeout) and 0.001 <= timeout <= 1e8):
            raise ValueError(f"timeout must be None or a number of seconds, 0.001 to 1e8; got {timeout!r}")
        limit = timeout
        if weights != "softmax" or dropout != 0:
            raise ValueError(f'weights must be "softmax" and dropout 0.0; got {weights!r} and {dropout!r}')
        options = {"beta": beta, "causal": causal, "window": window, "lengths": lengths}
        options["offset"] = 0 if offset is None else offset  # the default is for all queries and keys to tell
        request, priors = in_this_piece(q, k, v, {"prior": prior, "log_prior": log_prior}, **options)
        group._get_backend(request.q.device)  # an error if the group has none for that
        facts = {name: told(getattr(request, name)) for name in ("q", "k", "v", *options)}
        facts |= {name: told(priors.get(name)) for name in ("prior", "log_prior")}
        facts |= {"offset": told(offset), "call": "forward", "n_q": q.shape[-2], "n_k": k.shape[-2]}
    except Exception as found:  # the others are to hear of it, whatever it is
        error = found
    n_q, n_k = agree(group, limit, facts, error)
    check_padded_cache(causal, window, lengths, offset, sum(n_q), sum(n_k))

    # Now with all keys: (..., sum(n_k), d), (..., sum(n_k), d_v), and any prior (..., 1, sum(n_k))
    k, v, *rest = Gathered.apply(group, limit, facts, n_k, request.working, request.k, request.v, *priors.values())
    priors = {name: x.mT for name, x in zip(priors, rest, strict=True)}
    lengths, first = (x.flatten() if torch.is_tensor(x) else x for x in (request.lengths, request.offset))
    first = first + sum(n_q[:rank]) + (sum(n_k) - sum(n_q) if offset is None else 0)
    outputs, step = [], max(1, PAIRS // max(1, sum(n_k)))
    for start in range(0, max(1, n_q[rank]), step):
        few = request.queries(start, start + step)
        run = partial(attention_on_one, beta=few.beta, causal=causal, window=window, lengths=lengths, **priors)
        # Not to keep masks until the backward pass, all but the arguments is computed again there.
        outputs.append(checkpoint(run, few.q, k, v, offset=first + start, use_reentrant=False))
    output = torch.cat(outputs, -2)  # (..., n_q, d_v), by autocast rounded already
    return output.to(request.dtype) if output.dtype == request.working else output


# ---- the arguments, on this process and on all


def in_this_piece(q, k, v, priors, **options):
    """The arguments as a `Request`, and any prior by its name: a column for the keys, (..., n_k, 1)."""
    # Whether the values of a prior will do, all keys together decide.
    ones = {name: torch.ones_like(x) if torch.is_tensor(x) else x for name, x in priors.items()}
    request = checked(q, k, v, **options, **ones)
    if not torch.is_tensor(q):
        raise TypeError(f"q, k and v must be torch tensors, which torch.distributed sends; got {kind(q)}")
    columns = {name: torch.atleast_2d(x.to(request.working)) for name, x in priors.items() if x is not None}
    for name, x in columns.items():
        if x.shape[-2] != 1:
            raise ValueError(f"{name} must be (n_k,) or (..., 1, n_k); got shape {tuple(x.shape)}")
        columns[name] = x.expand(*x.shape[:-1], k.shape[-2]).mT
    return request, columns


def told(x):
    """An argument that must be the same on every process, but for how many queries or keys it is for."""
    if not torch.is_tensor(x) or not x.is_floating_point():
        return x.flatten().tolist() if torch.is_tensor(x) else x
    wants = x.requires_grad and torch.is_grad_enabled()
    return f"{(*x.shape[:-2], 'n', x.shape[-1])} {x.dtype} on {x.device.type}, requires_grad={wants}"


def agree(group, timeout, facts, error=None):
    """The sizes n_q and n_k on all processes; an error on all of them if one failed, or two disagree."""
    said = [None] * dist.get_world_size(group)
    failed = TypeError if isinstance(error, TypeError) else ValueError
    mine = facts if error is None else failed(f"on rank {dist.get_rank(group)}: {error}")
    with waiting(group, timeout):
        dist.all_gather_object(said, mine, group)
    for one in said:
        if isinstance(one, Exception):
            raise one from error
    for name in facts:
        values = [one[name] for one in said]
        if name not in ("n_q", "n_k") and values.count(values[0]) < len(values):
            ranks = "; ".join(f"rank {rank}: {value!s:.200}" for rank, value in enumerate(values))
            raise ValueError(f"{name} must be the same on every process; {ranks}")
    return [[one[name] for one in said] for name in ("n_q", "n_k")]


@contextlib.contextmanager
def waiting(group, timeout):
    """Wait for the others so many seconds, or as long as the group allows; if in vain, say so."""
    limits = {backend: backend.options._timeout for backend in map(group._get_backend, group._device_types)}
    try:
        for backend in limits if timeout else ():
            backend._set_default_timeout(timedelta(seconds=timeout))
        yield
    except RuntimeError as error:
        says = f"sharded attention broke off: a process has ended, or did not answer in time (timeout={timeout})"
        raise RuntimeError(f"{says}. The process group is of no more use. {error}") from error
    finally:
        for backend, limit in limits.items():
            backend._set_default_timeout(limit)


class Gathered(torch.autograd.Function):
    """The pieces of all processes in one, along axis −2; backward, the sum of all gradients of the own piece."""

    @staticmethod
    def forward(ctx, group, timeout, facts, sizes, dtype, *arrays):
        ctx.group, ctx.timeout, ctx.facts, ctx.sizes = group, timeout, facts | {"call": "backward"}, sizes
        wholes = []
        with waiting(group, timeout):
            for x in arrays:
                pieces = [x.new_empty(*x.shape[:-2], n, x.shape[-1]) for n in sizes]
                pieces[dist.get_rank(group)] = x.contiguous()
                for rank, piece in enumerate(pieces):
                    dist.broadcast(piece, group=group, group_src=rank)
                wholes.append(torch.cat(pieces, -2).to(dtype))
        return tuple(wholes)

    @staticmethod
    def backward(ctx, *grads):
        if torch.is_grad_enabled():  # create_graph=True
            raise RuntimeError("lib.sharded.attention has first-order gradients alone in k, v and the prior")
        agree(ctx.group, ctx.timeout, ctx.facts)
        sums = []
        with waiting(ctx.group, ctx.timeout):
            for grad in grads:
                pieces = [x.clone(memory_format=torch.contiguous_format) for x in grad.split(ctx.sizes, -2)]
                for rank, piece in enumerate(pieces):
                    dist.reduce(piece, group=ctx.group, group_dst=rank)
                sums.append(pieces[dist.get_rank(ctx.group)])
        return None, None, None, None, None, *sums
