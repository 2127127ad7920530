"""Softmax attention over a sequence that lies in pieces on several processes: keys and values go round a ring."""

import contextlib
import datetime
import hashlib
import json
import math
import time
from typing import Any, NamedTuple

import torch
import torch.distributed as dist

from ._arrays import cast, eager, is_number, is_torch, kind, known_true, or_one, quiet
from ._maps import name_or_function
from ._request import check_padded_cache, checked
from ._shapes import with_two_axes
from .attention import dot_products, visible
from .fast.query_blocks import AT_ONCE
from .merge import log_mass, merge_attention
from .softmax import log_softmax, softmax

inf = math.inf
MESSAGE = 4096  # bytes in which a process says what it was called with
PART = 1024  # keys of each process that go round together, at most


@eager
@quiet(rounded=1)
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
    timeout: float = 10.0,
) -> torch.Tensor:
    r"""Softmax attention over a sequence that is too long for one process, on ``torch.distributed``.

    Each process holds a piece of the queries, of the keys and of the values, in the order of the ranks, and
    gets the outputs for its own queries. The queries stay where they are. The keys and values go round a
    ring, by gloo between CPUs, by nccl between GPUs; and what a query finds in each piece is merged as by
    `merge_attention`, exactly.

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
        The null hypothesis for the keys of this process, or its logarithm; not both. What differs between
        the queries too, as any `where` may, could not go round with the keys. For a mask over keys alone
        pass a prior of 0 and 1.
    weights, dropout
        "softmax" and 0.0, or an error. Any other map of `attention` has in each row a threshold, a sum or a
        count that all its scores decide together. Softmax alone leaves of each piece a sum that merges: where
        two pieces are put together the weights within each keep their proportions. A threshold does not merge:
        a key that has weight in its own piece may have none in the whole.
    group : torch.distributed.ProcessGroup, optional
        The processes that share the sequence; by default all. Its own time limit is neither used nor changed.
    timeout : float, default 10.0
        How many seconds to wait for a neighbour in each step. It must be more than the processes may be apart
        when they call, and more than attention to 1024 keys takes; with nccl, the first time, more than it takes
        to connect.

    Returns
    -------
    output : tensor, shape (..., n_q, d_v)
        What `attention` gives for the queries of this process among the keys of all, to rounding.

    Raises
    ------
    TypeError, ValueError
        As `attention`, and if the processes' arguments do not agree: on every process, with the rank and the
        argument that is to blame.
    RuntimeError
        If a neighbour has ended or does not answer in time. The group is then of no more use.

    Notes
    -----
    Of n keys on p processes, a process holds its own ⌈n/p⌉: this falls as 1/p. Those of the others go round
    1024 of each process at a time, so that no more than twice as many pass through it, backward with three times
    their gradients; and it never holds more than a few of the weights. Forward it sends, for batch · heads of the
    keys,

    .. math:: & (p - 1) \lceil n/p \rceil\, (d + d_v) \cdot \mathrm{itemsize} \\
              & \quad \cdot \mathrm{batch} \cdot \mathrm{heads}

    bytes, and where there is a prior (p − 1) ⌈n/p⌉ of its numbers. Backward k and v go round once more, and
    their gradients follow them, in float32 at least, until each is home: in place of the itemsize it is
    itemsize + max(itemsize, 4). A check before each way takes (p − 1) · 4096 bytes. While some keys are worked
    on, the next are on their way. Keys that no query here may see are passed on and not computed: so the last
    process has most to do where attention is causal. No fused kernel is taken: all is computed as the formula is
    written, a few queries at a time.

    Every process must take part in the backward pass too. The gradients are those of the sum of all
    processes' losses: whole for q, k, v and the prior. Of an array `beta` each process gets what its own
    queries contribute; their sum over the processes is the whole, as with any parameter of which each process
    has a copy. First-order gradients only, and no ``torch.func``. Values of `lengths` and `offset` are read, on
    a GPU too. All this is tested with gloo, on CPUs; with nccl it has not been run. There `timeout` needs a torch
    whose nccl heeds the time limit of a wait; with an older one set ``TORCH_NCCL_BLOCKING_WAIT=1``.

    References
    ----------
    Liu, Zaharia and Abbeel (2023), https://arxiv.org/abs/2310.01889.

    Examples
    --------
    In ``ring.py``, to be started by ``torchrun --nproc-per-node 2 ring.py``::

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
    usable = is_number(timeout) and 0 < timeout < inf
    ring, facts, error = Ring.of(group, float(timeout) if usable else 10.0), {}, None
    try:
        if not usable:
            raise ValueError(f"timeout must be a number of seconds above 0; got {timeout!r}")
        request = in_this_piece(q, k, v, beta, causal, window, lengths, offset, prior, log_prior, weights, dropout)
        if q.device.type not in ring.devices:
            raise ValueError(f"q must be on a device the group sends from ({ring.devices}); it is on {q.device}")
        facts = facts_of(request, {"lengths": lengths, "offset": offset, "log_prior": log_prior})
        facts["timeout"] = str(ring.timeout)
    except Exception as found:  # the others are to hear of it, whatever it is
        error = found
    n_q, n_k = ring.agree(facts, error)
    check_padded_cache(causal, window, lengths, offset, sum(n_q), sum(n_k))
    first = sum(n_q[: ring.rank]) + (sum(n_k) - sum(n_q) if offset is None else request.offset)
    request = request._replace(offset=first)
    beta = None if is_number(request.beta) else request.beta
    column = None if request.log_prior is None else request.log_prior.mT  # keys along axis −2, as those of k and v
    arrays = request.q, request.k, request.v, beta, column
    return Sharded.apply(ring, facts, n_k, request._replace(k=None, v=None, log_prior=None), *arrays)


# ---- the arguments, on this process and on all


def in_this_piece(q, k, v, beta, causal, window, lengths, offset, prior, log_prior, weights, dropout):
    """The arguments as a `Request`, with any prior as a log-prior (..., 1, n_k). Not yet in place: the offset."""
    # In a piece all priors may be 0, in the whole they may not: so here 1 stands in for 0.
    stand_ins = [
        torch.where(x == nothing, 1, x) if is_torch(x) else x for x, nothing in ((prior, 0), (log_prior, -inf))
    ]
    weights = name_or_function(weights)
    request = checked(
        q, k, v, beta=beta, causal=causal, window=window, lengths=lengths, offset=0 if offset is None else offset,
        prior=stand_ins[0], log_prior=stand_ins[1], weights=weights, dropout=dropout,
    )  # fmt: skip
    if not is_torch(request.q):
        raise TypeError(f"q, k and v must be torch tensors, which torch.distributed sends; got {kind(q)}")
    if request.weights != "softmax":
        raise ValueError(f'weights must be "softmax": pieces under other maps do not merge; got {weights!r}')
    if dropout:
        raise ValueError(f"dropout must be 0.0: the backward pass could not drop the same again; got {dropout}")
    working = request.working
    if is_number(request.beta) and torch.finfo(working).max < abs(request.beta) < inf:
        working = torch.float64  # in float32 such a β would be infinite
    if prior is not None:
        u = cast(request.xp, prior, working)
        log_prior = torch.where(u == 0, -inf, torch.log(or_one(torch, u)))
    if log_prior is not None:
        log_prior = with_two_axes(torch, cast(request.xp, log_prior, working))
        if log_prior.shape[-2] != 1:
            raise ValueError(
                f"prior and log_prior must be (n_k,) or (..., 1, n_k), the same for all queries; "
                f"got shape {tuple(log_prior.shape)}"
            )
        log_prior = log_prior.expand(*log_prior.shape[:-1], k.shape[-2])
    return request._replace(prior=None, log_prior=log_prior, working=working)


def facts_of(request, given):
    """What all processes must agree on, by the names of the arguments, in words; n_q and n_k may differ."""

    def told(x, letter):
        if not is_torch(x):
            return str(x)
        shape = ", ".join([*map(str, x.shape[:-2]), letter, str(x.shape[-1])])
        wants = ", wants a gradient" if x.requires_grad and torch.is_grad_enabled() else ""
        return f"({shape}) {x.dtype} on {x.device.type}{wants}"

    names = "prior" if given["log_prior"] is None else "log_prior"
    column = None if request.log_prior is None else request.log_prior.mT
    facts = {"q": told(request.q, "n_q"), "k": told(request.k, "n_k"), "v": told(request.v, "n_k")}
    facts |= {"beta": told(request.beta, "n_q or 1"), "prior": "None", "log_prior": "None"}
    facts |= {names: told(column, "n_k"), "causal": str(request.causal), "window": str(request.window)}
    for name in ("lengths", "offset"):
        facts[name] = str(None if given[name] is None else listed(getattr(request, name)))
    for name, text in facts.items():
        if len(text) > 200:
            facts[name] = f"{text[:150]}… ({hashlib.sha256(text.encode()).hexdigest()[:12]})"
    return facts | {"call": "forward", "n_q": request.q.shape[-2], "n_k": request.k.shape[-2]}


def listed(x):
    """One whole number or an array of them as a list."""
    return x.flatten().tolist() if is_torch(x) else [x]


class Ring(NamedTuple):
    """The processes of a group in a ring: each sends to the next and receives from the one before."""

    group: Any
    rank: int
    size: int
    devices: list  # from which the group can send
    timeout: float  # in seconds, for each step

    @staticmethod
    def of(group, timeout):
        if not (dist.is_available() and dist.is_initialized()):
            raise RuntimeError("torch.distributed has no process group: call torch.distributed.init_process_group")
        group = dist.group.WORLD if group is None else group
        rank = dist.get_rank(group)
        if rank < 0:
            raise ValueError("group must be a process group that this process belongs to")
        backends = [backend.split(":") for backend in str(dist.get_backend_config(group)).split(",")]
        # gloo names GPUs too, but has no send for them
        devices = [device for device, name in backends if device == "cpu" or name != "gloo"]
        return Ring(group, rank, dist.get_world_size(group), devices, timeout)

    def pass_on(self, tensors, n, tag=0):
        """Start to send tensors to the next process, and to receive tensors with n rows from the one before.

        What it returns is for `arrived`.
        """
        coming = [x.new_empty((*x.shape[:-2], n, x.shape[-1])) for x in tensors]
        ways = ((dist.isend, self.rank + 1, tensors), (dist.irecv, self.rank - 1, coming))
        ops = [
            dist.P2POp(op, x, dist.get_global_rank(self.group, peer % self.size), self.group, tag + i)
            for op, peer, xs in ways
            for i, x in enumerate(xs)
            if x.numel() > 0  # of nothing there is nothing to send
        ]
        with self.watched():
            return dist.batch_isend_irecv(ops) if ops else [], coming

    def arrived(self, works, coming):
        """The tensors that came, as soon as all is sent and received."""
        until = time.monotonic() + self.timeout
        with self.watched():
            for work in works:
                left = max(until - time.monotonic(), 0.001)  # 0 would mean for ever
                work.wait(datetime.timedelta(seconds=left))
        return coming

    @contextlib.contextmanager
    def watched(self):
        """Whatever goes wrong between processes becomes one error."""
        try:
            yield
        except RuntimeError as error:
            neighbours = sorted({(self.rank + step) % self.size for step in (-1, 1)})
            raise RuntimeError(
                f"sharded attention broke off on rank {self.rank} of {self.size}: rank "
                f"{' or '.join(map(str, neighbours))} has ended, or did not answer within {self.timeout:g} s "
                f"(timeout). The process group is of no more use. It says: {error}"
            ) from error

    def round(self, tensors, sizes):
        """Yield the rank and the tensors of each process, first of this one; meanwhile the next ones come."""
        for step in range(self.size):
            more = step + 1 < self.size
            coming = self.pass_on(tensors, sizes[self.rank - step - 1]) if more else None
            yield (self.rank - step) % self.size, tensors
            tensors = self.arrived(*coming) if more else None

    def parts(self, arrays, n_k):
        """Yield whose keys, which of them, how many each process has, and their arrays.

        They go round as often as it takes, so that what passes through a process is never more than `PART` keys.
        """
        rounds = max(1, -(-max(n_k) // PART))
        for i in range(rounds):
            keys = [slice(n * i // rounds, n * (i + 1) // rounds) for n in n_k]
            own = [x[..., keys[self.rank], :].contiguous() for x in arrays if x is not None]
            sizes = [rows.stop - rows.start for rows in keys]
            for source, part in self.round(own, sizes):
                yield source, keys[source], sizes, part

    def agree(self, facts, error=None):
        """The sizes n_q and n_k of all processes; an error on all of them if one failed, or two disagree."""
        told = facts if error is None else {"error": type(error).__name__, "says": str(error)[:600]}
        data = json.dumps(told, ensure_ascii=False).encode().ljust(MESSAGE, b"\0")
        message = torch.tensor([[*data]], dtype=torch.uint8, device="cpu" if "cpu" in self.devices else "cuda")
        all_told = [{}] * self.size
        for rank, (heard,) in self.round([message], [1] * self.size):
            all_told[rank] = json.loads(bytes(heard[0].tolist()).rstrip(b"\0"))
        for rank, told in enumerate(all_told):
            if "error" in told:
                kind_of_error = TypeError if told["error"] == "TypeError" else ValueError
                raise kind_of_error(f"on rank {rank}: {told['says']}") from error
        for name in facts:
            ranks = {}
            for rank, told in enumerate(all_told):
                ranks.setdefault(told.get(name), []).append(rank)
            if len(ranks) > 1 and name not in ("n_q", "n_k"):
                said = "; ".join(f"rank {', '.join(map(str, who))}: {what}" for what, who in ranks.items())
                raise ValueError(f"{name} must be the same on every process; {said}")
        return [[told[name] for told in all_told] for name in ("n_q", "n_k")]


# ---- forward and backward

PIECE = ("k", "v", "log_prior")  # what goes round
ARRAYS = ("q", "k", "v", "beta", "log_prior")  # what can want a gradient


class Sharded(torch.autograd.Function):
    """Attention to every piece. Backward each is computed again, and its gradients follow it until it is home."""

    @staticmethod
    def forward(ctx, ring, facts, n_k, request, q, k, v, beta, column):
        request = request._replace(q=q.to(request.working), beta=request.beta if beta is None else beta)
        shape = (*request.lead, q.shape[-2])
        output = request.q.new_zeros((*shape, v.shape[-1]))
        peak, mass = request.q.new_full(shape, -inf), request.q.new_full(shape, -inf)
        positive = False  # the rows in which the prior is somewhere above 0
        for source, keys, _, part in ring.parts((k, v, column), n_k):
            for log_prior in part[2:]:
                positive = (log_prior != -inf).any(-2) | positive
            for rows, _, few in blocks(request, part, sum(n_k[:source]) + keys.start):
                q_seen, k_seen, v_seen, seen = visible(few)
                weights, *new = weigh(few, dot_products(few.xp, q_seen, k_seen), seen)
                old = peak[..., rows], mass[..., rows]
                top = torch.maximum(old[0], new[0])
                outputs = output[..., rows, :], (weights @ v_seen).expand_as(output[..., rows, :])
                logs = [log_weight(few.beta, *each, top) for each in (old, new)]
                output[..., rows, :], mass[..., rows] = merge_attention(outputs, logs)
                peak[..., rows] = top
        if column is not None and sum(n_k) > 0 and known_true((~positive).any()):
            raise ValueError("a prior must be positive, a log_prior above −inf, somewhere in every row")
        ctx.ring, ctx.facts, ctx.n_k = ring, facts, n_k
        ctx.request = request._replace(q=None, beta=request.beta if beta is None else None)
        ctx.save_for_backward(q, k, v, beta, column, output, peak, mass)
        return output.to(request.dtype)

    @staticmethod
    @quiet
    def backward(ctx, grad):
        if torch.is_grad_enabled():  # create_graph=True
            raise RuntimeError("lib.sharded.attention has first-order gradients alone")
        *arrays, output, peak, mass = ctx.saved_tensors
        q, k, v, beta, column = arrays
        ring, working = ctx.ring, ctx.request.working
        request = ctx.request._replace(q=q.to(working), beta=ctx.request.beta if beta is None else beta)
        grad, wanted = grad.to(working), dict(zip(ARRAYS, ctx.needs_input_grad[4:], strict=True))
        ring.agree(ctx.facts | {"call": "backward"})
        named = dict(zip(ARRAYS, arrays, strict=True))
        found = {name: torch.zeros_like(x, dtype=working) for name, x in named.items() if wanted[name]}
        home, coming = {}, None
        for source, keys, sizes, part in ring.parts((k, v, column), ctx.n_k):
            own = source == ring.rank
            there = {  # the gradients of this part
                name: found[name][..., keys, :] if own else torch.zeros_like(x, dtype=working)
                for name, x in zip(PIECE, part, strict=False)  # perhaps without a log-prior
                if wanted[name]
            }
            for rows, columns, few in blocks(request, part, sum(ctx.n_k[:source]) + keys.start):
                whole = output[..., rows, :], peak[..., rows], mass[..., rows]
                for name, more in gradients(few, found, grad[..., rows, :], *whole).items():
                    if name in PIECE:
                        there[name][..., columns, :] += more.mT if name == "log_prior" else more
                    else:
                        (found[name] if found[name].shape[-2] == 1 else found[name][..., rows, :]).add_(more)
            if coming is not None:  # what the processes before this one found: here for the part before, come home
                add_to(home if own else there, ring.arrived(*coming))
                coming = None
            if own:
                home = there
            else:
                coming = ring.pass_on([*there.values()], sizes[source - 1], tag=len(PIECE))
        if coming is not None:
            add_to(home, ring.arrived(*coming))
        given = [found[name].to(x.dtype) if wanted[name] else None for name, x in named.items()]
        return None, None, None, None, *given


def add_to(gradients, more):
    for x, y in zip(gradients.values(), more, strict=True):
        x += y


def blocks(request, piece, first):
    """The request for one piece of the keys, cut up: rows, keys, and the request for these queries and keys.

    `first` is the position of the piece's first key among all keys. Keys that none of the rows may see are left
    out, and rows that may see none of the keys.
    """
    k, v, *column = (x.to(request.working) for x in piece)
    n_q, n_k, window = request.q.shape[-2], k.shape[-2], request.window
    offsets = listed(request.offset) or [0]
    earliest, latest = min(offsets) - first, max(offsets) - first
    end = n_k if request.lengths is None else min(n_k, max(listed(request.lengths), default=0) - first)
    room = AT_ONCE // max(1, math.prod(request.lead))
    step = room // max(1, n_k)
    if window is not None:
        step = max(step, (math.isqrt(window**2 + 4 * room) - window) // 2)  # step queries see step + window keys
    step = max(step, 1)
    for start in range(0, n_q, step):
        stop = min(start + step, n_q)
        low = 0 if window is None else max(0, earliest + start - window + 1)
        high = end if window is None and not request.causal else min(end, latest + stop)
        if low >= high:
            continue
        keys, few = slice(low, high), request.queries(start, stop)
        lengths = None if few.lengths is None else few.lengths - first - low
        log_prior = column[0][..., keys, :].mT if column else None
        few = few._replace(k=k[..., keys, :], v=v[..., keys, :], log_prior=log_prior, lengths=lengths)
        yield slice(start, stop), keys, few._replace(offset=few.offset - first - low, dtype=request.working)


def weigh(request, scores, seen):
    """The weights of these keys, (..., n_q, n_k), then their peak and their mass, (..., n_q).

    The peak is the highest score, for β < 0 of the scores with their sign changed; the mass is
    log Σ u e^(abs(β) · (score − peak)), −inf where there is nothing. Together, abs(β) · peak + mass, they are the
    lse of `attention_with_lse`. In one number it would lose the digits that a large offset takes up, and where
    β or a score is infinite it would not tell how many keys share the weight.
    """
    weights = softmax(scores, request.beta, where=seen)
    most = weights.amax(-1)  # that of the highest score, e^0 / Σ e^(abs(β) · (score − peak))
    mass = torch.where(most == 0, -inf, -torch.log(or_one(torch, most)))
    if request.log_prior is not None:
        logs = log_softmax(scores, request.beta, where=seen) + request.log_prior
        weights, mass = softmax(logs, where=seen), mass + log_mass(logs)
    if not is_number(request.beta) or request.beta < 0:
        scores = torch.where(scores == -inf, -inf, sign(as_column(request.beta, scores)) * scores)
    peak = (scores if seen is None else torch.where(seen, scores, -inf)).amax(-1)
    shape = (*request.lead, scores.shape[-2])
    return weights, peak.expand(shape), mass.expand(shape)


def as_column(beta, like):
    """β as an array (..., n_q or 1, 1)."""
    return like.new_full((1, 1), beta) if is_number(beta) else beta


def sign(beta):
    return torch.where(beta < 0, -1.0, 1.0)


def log_weight(beta, peak, mass, highest):
    """The logarithm of what some keys weigh, where e^(abs(β) · highest) weighs 1; their peak is not above that."""
    rate = as_column(beta, peak).abs()[..., 0]
    gap = peak / 2 - highest / 2  # the whole gap might be no float
    lost = (gap < 0) & (rate != 0) & (torch.isinf(gap) | torch.isinf(rate))
    gap = torch.where(torch.isfinite(gap), gap, 0.0)  # −inf − (−inf), or what is lost
    rate = torch.where(torch.isinf(rate), 0.0, rate)
    return torch.where(lost, -inf, 2 * (rate * gap)) + mass


def gradients(few, wanted, grad, output, peak, mass):
    """By name, the gradients by way of these queries and keys, from the gradient of the output for all keys.

    With π the weights among all keys, that in the exponents β · score + log u is π (⟨grad, v⟩ − ⟨grad, output⟩).
    """
    leaves = {name: getattr(few, name).detach().requires_grad_(name in wanted) for name in "qkv"}
    with torch.enable_grad():
        q, k, v, seen = visible(few._replace(**leaves))
        scores = dot_products(few.xp, q, k)
    weights, *here = weigh(few, scores.detach(), seen)
    v_seen = v.detach()
    share = torch.where(mass == -inf, 0.0, torch.exp(log_weight(few.beta, *here, peak) - mass))
    pi = share[..., None] * weights
    slopes = pi * (grad @ v_seen.mT - (grad * output).sum(-1, keepdim=True))
    if seen is not None:  # in a row that is NaN, what it may not see gets no gradient
        pi, slopes = torch.where(seen, pi, 0.0), torch.where(seen, slopes, 0.0)
    found = {}
    if "beta" in wanted:  # the slopes for all keys sum to 0, so the peak may be taken off
        gap = scores.detach() - sign(few.beta) * peak[..., None]
        found["beta"] = (slopes * torch.where(torch.isfinite(gap), gap, 0.0)).sum_to_size(few.beta.shape)
    if "log_prior" in wanted:
        found["log_prior"] = slopes.sum_to_size(few.log_prior.shape)
    beta = as_column(few.beta, scores)
    beta = torch.where(torch.isinf(beta), 0.0, beta)
    ends = [
        (x, g.sum_to_size(x.shape)) for x, g in ((scores, beta * slopes), (v, pi.mT @ grad)) if x.requires_grad
    ]
    names = [name for name, x in leaves.items() if x.requires_grad]
    if ends:
        ends, given = zip(*ends, strict=True)
        found |= zip(names, torch.autograd.grad(ends, [leaves[name] for name in names], given), strict=True)
    return found
