"""Which map learns soonest, at which size of step: models learn to go on with a block of symbols that repeats.

    python -m book.models.sweep induction

Two layers of two heads can do it: one head looks at the token before, another finds what came after the symbol
that is being read (an induction head). Where a symbol may come twice in a block, one may have to know two symbols
to know the next. Each map is tried at several rates of learning, and trained until it is right or until it has
failed; some of this again with other first queries, other settings of the optimiser, and a larger model.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

import lib
from book.models.tasks import Batch, Task
from book.models.training import train
from book.models.transformer import Config, Transformer

MAPS = ["softmax", "entmax", "sparsemax", "sigmoid_weights", "relu_norm"]
RATES = [0.002, 0.003, 0.005, 0.01, 0.02, 0.03]
BETAS = [0.125, 0.25, 0.5, 1, 2]
LEVELS = [0.9, 0.95, 0.98]  # shares of right answers; a model that has come to the last is done
WINDOW = 20  # batches over which accuracy is taken: 16 sequences with some 20 tokens that count each
MEASURED, SEQUENCES = 1_000_003, 200


@dataclass(frozen=True)
class Setting:
    """What a model is and how it is trained, the rate apart."""

    steps: int = 1200  # at most
    stop: bool = True  # once it has come to the last level
    symbols: int = 16
    room: int = 32  # tokens
    repeats: bool = False  # whether a symbol may come twice in a block
    layers: int = 2
    heads: int = 2
    width: int = 32
    embed: float = 1.0  # the size at which embeddings and positions start
    queries: float = 1.0  # that of queries and keys, over the half of what would bring scores to size 1
    beta: float = 1.0  # over 1/√e, for heads of width e
    warm_up: int = 20
    clip: float = 1.0
    memory: float = 0.99  # AdamW's β₂


TWO, SOME = ["softmax", "entmax"], [0.003, 0.01, 0.02, 0.03]
# For each case its maps, its rates, and its setting.
CASES = {
    "plain": (MAPS, RATES, Setting()),
    "repeats": (MAPS, [0.003, 0.01, 0.02], Setting(steps=1000, stop=False, repeats=True)),
    "small queries": (TWO, SOME, Setting(queries=0.5)),
    "large queries": (["softmax", "sparsemax"], [0.003, 0.01], Setting(queries=2.0)),
    **{f"beta {beta}": (MAPS[:4], SOME, Setting(beta=beta)) for beta in BETAS if beta != 1},  # it cancels in ReLU
    # The same first scores and weights as usual, but each step of training moves them less.
    "beta 0.125, made up for": (MAPS[:3], SOME[2:], Setting(beta=0.125, queries=8**0.5)),
    "gradients": (["sparsemax, open", "sparsemax, shut"], RATES[3:], Setting()),
    "long warm-up": (TWO, SOME, Setting(warm_up=200)),
    "no clipping": (TWO, SOME, Setting(clip=math.inf)),
    "long memory": (TWO, SOME, Setting(memory=0.999)),
    "larger": (TWO, [0.001, 0.003, 0.005, 0.01, 0.02], Setting(symbols=32, room=64, heads=4, width=64)),
    "repeats, beta 0.125": (TWO, [0.02], Setting(steps=1000, stop=False, repeats=True, beta=0.125)),
    "larger, beta 0.125": (TWO, [0.02], Setting(symbols=32, room=64, heads=4, width=64, beta=0.125)),
    "one layer": (["softmax"], [0.01], Setting(layers=1, steps=6000, stop=False)),
    "one wide layer": (["softmax"], [0.003], Setting(layers=1, heads=8, width=128, steps=3000, stop=False)),
    "small embeddings": (["softmax"], [0.01], Setting(embed=0.1, steps=800, stop=False)),
}


def opened(name: str) -> Callable[..., Tensor]:
    """A sparse map with the same weights, and the gradient of softmax beside its own: no score is without one."""

    def weights(scores, beta, where=None, axis=-1):
        soft = lib.softmax(scores, beta, where=where, axis=axis)
        return getattr(lib, name)(scores, beta, where=where, axis=axis) + soft - soft.detach()

    return weights


def shut(name: str) -> Callable[..., Tensor]:
    """Softmax, without a gradient at the scores to which a sparse map would give no weight."""

    def weights(scores, beta, where=None, axis=-1):
        out = getattr(lib, name)(scores.detach(), beta.detach(), where=where, axis=axis) == 0
        return lib.softmax(torch.where(out, scores.detach(), scores), beta, where=where, axis=axis)

    return weights


def named(weights: str) -> str | Callable[..., Tensor]:
    """The map that a run names: one of `lib.attention`, or one of the two above."""
    name, _, how = weights.partition(", ")
    return {"": name, "open": opened(name), "shut": shut(name)}[how]


@dataclass(frozen=True)
class Blocks(Task):
    """A random block of symbols again and again, of 3 to 3/8 of the room; what comes the second time counts.

    Each batch that is trained on is new, so what the model makes of it is a test: `right` collects the shares.
    """

    repeats: bool = False  # whether a symbol may come twice in a block
    symbols: int = 16
    room: int = 32
    right: list[float] = field(default_factory=list, repr=False, compare=False)

    def batch(self, size, generator):
        low, high = 3, 3 * self.room // 8
        period = torch.randint(low, high + 1, (size, 1), generator=generator)
        if self.repeats:
            block = torch.randint(self.symbols, (size, high), generator=generator)
        else:
            block = torch.rand(size, self.symbols, generator=generator).argsort(dim=-1)[:, :high]
        place = torch.arange(self.room + 1)
        tokens = block.gather(1, place.remainder(period))
        return Batch(tokens[:, :-1], tokens[:, 1:], place[:-1] >= period)

    def loss(self, model, batch):
        logits, targets = model(batch.tokens)[batch.counts], batch.targets[batch.counts]
        self.right.append((logits.argmax(dim=-1) == targets).double().mean().item())
        return cross_entropy(logits, targets)

    def is_learned(self):
        """Whether the last window of batches has come to the last level."""
        return len(self.right) >= WINDOW and np.mean(self.right[-WINDOW:]) >= LEVELS[-1]


@torch.no_grad()
def looks(model: Transformer) -> float:
    """The most that any head looks at what came after the symbol that is being read, as a mean weight.

    In blocks whose symbols all differ, at the places that count.
    """
    task = Blocks(symbols=model.config.symbols, room=model.config.room)
    batch = task.batch(SEQUENCES, torch.Generator().manual_seed(MEASURED))
    _, layers = model(batch.tokens, look=True)
    # (size, t, t - 1): is key j the symbol of query i?
    same = batch.tokens[:, :, None] == batch.tokens[:, None, :-1]
    shares = []
    for found in layers:
        after = (found.weights[..., 1:] * same[:, None]).sum(dim=-1)  # (size, H, t), without the token itself
        shares += after.transpose(1, 2)[batch.counts].mean(dim=0).tolist()
    return max(shares)


def first(shares: np.ndarray, level: float) -> int | None:
    """After how many steps the share of right answers, over a window, has come to this level; None: never."""
    reached = np.flatnonzero(shares >= level)
    return int(reached[0]) + WINDOW if len(reached) else None


def runs(seeds: Iterable[int]) -> list[dict]:
    """What is to be run, as arguments of `run`."""
    return [
        {"case": case, "weights": weights, "rate": rate, "seed": seed}
        for case, (maps, rates, _) in CASES.items()
        for weights in maps
        for rate in rates
        for seed in seeds
    ]


def run(case: str, weights: str, rate: float, seed: int, steps: int | None = None) -> dict:
    """Train one model; from it, the steps to each level, the accuracy in the end, and what its heads look at."""
    how = CASES[case][2]
    sizes = {"width": how.width, "heads": how.heads, "layers": how.layers}
    alpha = 1.5 if weights == "entmax" else None
    own = {"weights": named(weights), "alpha": alpha, "beta": how.beta * (how.width / how.heads) ** -0.5}
    model = Transformer(Config(how.symbols, how.room, **sizes, **own), seed)
    task = Blocks(how.repeats, how.symbols, how.room)
    with torch.no_grad():
        for embedding in (model.embed, model.position):
            embedding *= how.embed / 0.3  # `Transformer` draws them at 0.3
        for block in model.layers:
            block.query *= how.queries
            block.key *= how.queries
    optimiser = {"rate": rate, "warm_up": how.warm_up, "clip": how.clip, "memory": how.memory}
    most, after = steps or how.steps, task.is_learned if how.stop else None
    train(model, task, steps=most, seed=seed, batch=16, bar=False, after=after, **optimiser)
    shares = np.convolve(task.right, np.ones(WINDOW) / WINDOW, "valid")
    return {"steps": [first(shares, level) for level in LEVELS], "last": shares[-1], "looks": looks(model)}
