"""Maps learn alike, and where they do not: five maps learn to go on with a block of symbols that repeats.

    python -m book.models.sweep induction

Two layers of two heads can do it: one head looks at the token before, another finds what came after the symbol
that is being read (an induction head). One layer cannot. Where a symbol may come twice in a block, one may have to
know two symbols to know the next.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from book.models.tasks import Batch, Task
from book.models.training import train
from book.models.transformer import Config, Transformer

SYMBOLS, ROOM, PERIODS = 16, 32, (3, 12)
MAPS = ["softmax", "entmax", "sparsemax", "sigmoid_weights", "relu_norm"]
WINDOW = 20  # batches over which accuracy is taken: 16 sequences with some 20 tokens that count each
MEASURED, SEQUENCES = 1_000_003, 200
# For each case its maps, and what differs from the plain one: two layers, all symbols of a block different,
# embeddings and positions of size 1, queries and keys of half the size that would bring scores to size 1.
CASES = {
    "plain": (MAPS, {"steps": 400}),
    "repeats": (MAPS, {"steps": 800, "repeats": True}),
    "large queries": (["softmax", "sparsemax"], {"steps": 400, "queries": 2.0}),
    "one layer": (["softmax"], {"steps": 400, "layers": 1}),
    "small embeddings": (["softmax"], {"steps": 800, "embed": 0.1}),
}


@dataclass(frozen=True)
class Blocks(Task):
    """A random block of 3 to 12 symbols again and again; what follows counts from the second time on.

    Each batch that is trained on is new, so what the model makes of it is a test: `right` collects the shares.
    """

    repeats: bool = False  # whether a symbol may come twice in a block
    right: list[float] = field(default_factory=list, repr=False, compare=False)

    def batch(self, size, generator):
        low, high = PERIODS
        period = torch.randint(low, high + 1, (size, 1), generator=generator)
        if self.repeats:
            block = torch.randint(SYMBOLS, (size, high), generator=generator)
        else:
            block = torch.rand(size, SYMBOLS, generator=generator).argsort(dim=-1)[:, :high]
        place = torch.arange(ROOM + 1)
        tokens = block.gather(1, place.remainder(period))
        return Batch(tokens[:, :-1], tokens[:, 1:], place[:-1] >= period)

    def loss(self, model, batch):
        logits, targets = model(batch.tokens)[batch.counts], batch.targets[batch.counts]
        self.right.append((logits.argmax(dim=-1) == targets).double().mean().item())
        return cross_entropy(logits, targets)


@torch.no_grad()
def heads(model: Transformer) -> dict[str, float]:
    """The most that any head looks at the token before, and at what came after the symbol that is being read.

    The mean weight there, over the places that count, in blocks whose symbols are all different.
    """
    batch = Blocks().batch(SEQUENCES, torch.Generator().manual_seed(MEASURED))
    _, layers = model(batch.tokens, look=True)
    # (size, t, t - 1): is key j the symbol of query i?
    same = batch.tokens[:, :, None] == batch.tokens[:, None, :-1]
    previous, induction = [], []
    for found in layers:
        after = (found.weights[..., 1:] * same[:, None]).sum(dim=-1)  # (size, H, t), without the token itself
        induction += after.transpose(1, 2)[batch.counts].mean(dim=0).tolist()
        previous += found.weights.diagonal(-1, -2, -1).mean(dim=(0, -1)).tolist()
    return {"previous": max(previous), "induction": max(induction)}


def first(shares: np.ndarray, level: float) -> int | None:
    """After how many steps the share of right answers, over a window, has come to this level; None: never."""
    reached = np.flatnonzero(shares >= level)
    return int(reached[0]) + WINDOW if len(reached) else None


def runs(seeds: Iterable[int]) -> list[dict]:
    """What is to be run, as arguments of `run`."""
    return [
        {"case": case, "weights": name, "seed": seed}
        for case, (maps, _) in CASES.items()
        for seed in seeds
        for name in maps
    ]


def run(case: str, weights: str, seed: int, steps: int | None = None) -> dict:
    """Train one model; from it, the steps to three levels, the accuracy as it rose, and what its heads look at."""
    how = {"layers": 2, "embed": 1.0, "queries": 1.0, "repeats": False} | CASES[case][1]
    alpha = 1.5 if weights == "entmax" else None
    config = Config(SYMBOLS, ROOM, width=32, heads=2, layers=how["layers"], weights=weights, alpha=alpha)
    model, task = Transformer(config, seed), Blocks(how["repeats"])
    with torch.no_grad():
        for embedding in (model.embed, model.position):
            embedding *= how["embed"] / 0.3  # `Transformer` draws them at 0.3
        for block in model.layers:
            block.query *= how["queries"]
            block.key *= how["queries"]
    train(model, task, steps=steps or how["steps"], seed=seed, batch=16, rate=0.01, bar=False)
    shares = np.convolve(task.right, np.ones(WINDOW) / WINDOW, "valid")
    to = {str(level): first(shares, level) for level in (0.9, 0.95, 0.98)}
    return {"steps to": to, "last": shares[-1], "right": shares[::WINDOW].tolist()} | heads(model)
