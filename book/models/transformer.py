"""A decoder-only transformer whose attention is `lib.attention`: any map, any rule for β, any mask and prior.

Letters: t tokens, V symbols, width d, H heads of width e = d / H; "..." are the axes before, a batch say. There
are no biases, and the norm has no gain, which could be folded into the matrix after it.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn

import lib


@dataclass(frozen=True)
class Config:
    """What a `Transformer` is made of.

    `beta` is the inverse temperature at first, by default 1/√e for heads of width e. Two switches make a rule of
    it: with `learn_beta` each head learns its own; with `log_n`, where a query sees n keys, it is times log n.
    """

    symbols: int  # V
    room: int | None  # T, the longest sequence; None: no positions are learned, and any length will do
    width: int = 48  # d
    heads: int = 4  # H
    layers: int = 2
    mlp: int = 0  # hidden units of an MLP after each attention; 0: attention only
    causal: bool = True
    window: int | None = None
    weights: str | Callable[..., Tensor] = "softmax"  # the map from scores to weights; this and the two
    alpha: float | None = None  # that follow are as `lib.attention` takes them
    path: str = "auto"
    beta: float | None = None
    learn_beta: bool = False
    log_n: bool = False

    def __post_init__(self):
        for name in ("symbols", "room", "width", "heads", "layers"):
            size = getattr(self, name)
            if not (name == "room" and size is None) and size < 1:
                raise ValueError(f"{name} is to be 1 or more; got {size}")
        if self.mlp < 0:
            raise ValueError(f"mlp counts hidden units, 0 for no MLP; got {self.mlp}")
        if self.width % self.heads:
            raise ValueError(f"a width of {self.width} cannot be shared evenly among {self.heads} heads")
        if self.beta is not None and not 0 < self.beta < math.inf:
            raise ValueError(f"beta is to be positive and finite, or None for 1/√e; got {self.beta}")
        if self.window is not None and not self.causal:
            raise ValueError("a window ends at the query's own position, so it goes with causal=True alone")


class Heads(NamedTuple):
    """What the heads of one layer did: (..., H, t, t) scores and weights, (..., H, t, e) the rest, but for β."""

    q: Tensor
    k: Tensor
    v: Tensor
    beta: Tensor  # (H, 1, 1), or with log n (..., H, t, 1)
    scores: Tensor  # ⟨q, k⟩ for every query and key, before β and the mask
    weights: Tensor
    outputs: Tensor


def rms_norm(x: Tensor) -> Tensor:
    """Each row brought to a root mean square of 1."""
    return x * (x.square().mean(dim=-1, keepdim=True) + 1e-6).rsqrt()


def log_n(mask: Tensor | None, k: Tensor) -> Tensor:
    """log n for the n keys that each query sees, (..., t, 1), from a mask (..., t, t) and keys (..., t, e).

    A query that sees one key is taken to see two, so that its β is not 0, which times infinity is not a number.
    """
    n = k.new_tensor(k.shape[-2]) if mask is None else mask.sum(dim=-1, keepdim=True).to(k.dtype)
    return n.clamp(min=2).log()


class Block(nn.Module):
    """Attention by H heads, then an MLP if there is one."""

    def __init__(self, config, draw):
        super().__init__()
        d, hidden = config.width, config.mlp
        self.config = config
        # Queries and keys start at half size: then every key has some weight at first, without which sparse maps
        # do not learn from it.
        self.query, self.key = draw(d, d, size=0.5 * d**-0.5), draw(d, d, size=0.5 * d**-0.5)
        self.value, self.out = draw(d, d, size=d**-0.5), draw(d, d, size=d**-0.5)
        if hidden:
            self.up, self.down = draw(hidden, d, size=d**-0.5), draw(d, hidden, size=hidden**-0.5)
        beta = (d // config.heads) ** -0.5 if config.beta is None else config.beta
        # Its logarithm is what is learned, so that β stays positive and moves in shares of itself.
        self.log_beta = nn.Parameter(torch.full((config.heads,), math.log(beta)), requires_grad=config.learn_beta)

    def forward(self, x, masks, beta_times, edit, look):
        """The new x, (..., t, d), and with `look` the `Heads`, else None."""
        normed = rms_norm(x)  # (..., t, d)
        matrices = (self.query, self.key, self.value)  # (d, d) each
        q, k, v = (self.split(normed @ matrix.T) for matrix in matrices)  # (..., H, t, e)
        v = edit(v)
        beta = (self.log_beta.exp() * beta_times)[:, None, None]  # (H, 1, 1)
        if self.config.log_n:
            beta = beta * log_n(masks["where"], k)  # (H, 1, 1) * (..., t, 1) -> (..., H, t, 1)
        options = {"weights": self.config.weights, "alpha": self.config.alpha, "path": self.config.path, **masks}
        y = lib.attention(q, k, v, beta=beta, return_weights=look, **options)  # (..., H, t, e)
        heads = None
        if look:
            y, weights = y
            heads = Heads(q, k, v, beta, q @ k.mT, weights, y)
        x = x + y.transpose(-3, -2).flatten(-2) @ self.out.T  # (..., t, H, e) -> (..., t, d) @ (d, d)
        if self.config.mlp:
            x = x + nn.functional.gelu(rms_norm(x) @ self.up.T) @ self.down.T  # (..., t, hidden) -> (..., t, d)
        return x, heads

    def split(self, x):
        """(..., t, d) -> (..., t, H, e) -> (..., H, t, e)"""
        return x.unflatten(-1, (self.config.heads, -1)).transpose(-3, -2)


class Transformer(nn.Module):
    """Embeds tokens, lets blocks of attention add to them, and reads off logits for the token after each."""

    def __init__(self, config: Config, seed: int = 0):
        super().__init__()
        self.config = config
        generator = torch.Generator().manual_seed(seed)

        def draw(rows, columns, size):
            return nn.Parameter(size * torch.randn(rows, columns, generator=generator))

        self.embed = draw(config.symbols, config.width, size=0.3)
        self.position = draw(config.room, config.width, size=0.3) if config.room else None
        self.layers = nn.ModuleList(Block(config, draw) for _ in range(config.layers))
        self.unembed = draw(config.symbols, config.width, size=config.width**-0.5)

    def forward(
        self,
        tokens: Tensor,
        *,
        where: Tensor | None = None,
        prior: Tensor | None = None,
        log_prior: Tensor | None = None,
        beta_times: float | Tensor = 1.0,
        off: Iterable[tuple[int, int]] = (),
        change: Callable[[int, Tensor], Tensor] | None = None,
        look: bool = False,
    ) -> Tensor | tuple[Tensor, list[Heads]]:
        """From tokens (..., t) to logits (..., t, V) of the token after each; with `look` also what the heads did.

        `where`, `prior` and `log_prior` are those of `lib.attention`, for every layer; all masks combine. The rest
        is for experiments. `beta_times` multiplies β: a number, 0 and inf included, or one for each head,
        (layers, H). `off` lists heads whose values become zeros, as (layer, head), from 0. `change(layer, v)`
        returns what a layer is to take for its values v, (..., H, t, e).
        """
        masks = {"where": self.mask(tokens, where), "prior": prior, "log_prior": log_prior}
        beta_times, on = self.for_each_head(beta_times), self.switches(off)  # (layers, H) each

        def edit(layer, v):  # (..., H, t, e) -> (..., H, t, e)
            return (change(layer, v) if change else v) * on[layer][:, None, None]

        x = self.embed[tokens]  # (..., t, d)
        if self.position is not None:
            x = x + self.position[: tokens.shape[-1]]
        found = []
        for i, block in enumerate(self.layers):
            x, heads = block(x, masks, beta_times[i], partial(edit, i), look)  # (..., t, d)
            found.append(heads)
        logits = rms_norm(x) @ self.unembed.T  # (..., t, d) @ (d, V) -> (..., t, V)
        return (logits, found) if look else logits

    def extra_repr(self):
        return repr(self.config)

    def mask(self, tokens, where):
        """Who sees whom, as the config and `where` say together; refuses tokens that are none."""
        V, room, t = self.config.symbols, self.config.room, tokens.shape[-1] if tokens.ndim else 0
        if tokens.dtype not in (torch.int64, torch.int32) or t < 1:
            raise ValueError(
                f"tokens are to be integers (..., t), t at least 1; got {tokens.dtype} {tuple(tokens.shape)}"
            )
        if room is not None and t > room:
            raise ValueError(f"the model has learned {room} positions; got a sequence of {t} tokens")
        if tokens.numel() and not 0 <= tokens.min() <= tokens.max() < V:
            raise ValueError(f"tokens are to be from 0 to {V - 1}; got {tokens.min()} to {tokens.max()}")
        if not self.config.causal:
            return where
        if self.config.window is None:
            mask = lib.causal_mask(t, like=tokens)
        else:
            mask = lib.window_mask(t, window=self.config.window, like=tokens)
        return mask if where is None else mask & where

    def for_each_head(self, beta_times):
        """A number for each head, (layers, H)."""
        times = torch.as_tensor(beta_times, dtype=self.embed.dtype, device=self.embed.device)
        shape = (self.config.layers, self.config.heads)
        if times.ndim and times.shape != shape:
            raise ValueError(
                f"beta_times is to be a number or one for each head, {shape}; got {tuple(times.shape)}"
            )
        if not (times >= 0).all():
            raise ValueError(f"beta_times is to be 0 or more; got {beta_times}")
        return times.expand(shape)

    def switches(self, off):
        """1 for each head that is on, 0 for those that are off: (layers, H)."""
        on = torch.ones(self.config.layers, self.config.heads, dtype=self.embed.dtype, device=self.embed.device)
        for layer, head in off:
            if not (0 <= layer < self.config.layers and 0 <= head < self.config.heads):
                raise ValueError(
                    f"off lists heads as (layer, head), from 0; there are {self.config.layers} layers of "
                    f"{self.config.heads} heads; got {(layer, head)}"
                )
            on[layer, head] = 0
        return on
