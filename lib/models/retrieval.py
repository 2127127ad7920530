"""Dispersion: a model that learned to find the largest of 16 items is shown up to 4096 of them.

    python -m lib.models.sweep retrieval

An item is a number and a class; the answer is the class of the item with the largest number. One query attends to
all items (after Veličković et al., arXiv:2410.01104). Two tasks: in one the largest leads by at least 0.1 however
many items there are; in the other the numbers are uniform, so that the lead shrinks as 1/n.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu, one_hot

import lib
from lib.models.tasks import Task
from lib.models.training import train

CLASSES, WIDTH = 10, 32
TRAINED = 16  # the most items in training
SIZES = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
LEADS = [0.1, 0.0]
TRAINING = {"steps": 1000, "batch": 64, "rate": 3e-3, "cool_down": 300}
MEASURED, SAMPLES, AT_ONCE = 1_000_003, 256, 64  # how models are measured: the seed, none that training uses


def entropy_fitted(scores, beta, where=None, axis=-1):
    """Softmax with β raised by a polynomial of the weights' entropy, as fitted by Veličković et al. (2024)."""
    h = lib.entropy(lib.softmax(scores, beta, where=where, axis=axis), axis=axis).unsqueeze(axis)
    times = (((-0.037 * h + 0.481) * h - 2.3) * h + 4.917) * h - 1.791
    return lib.softmax(scores, beta * torch.where(h > 0.5, times.clamp(min=1), 1.0), where=where, axis=axis)


# Rules that a model is trained with: the map, whether β is times log n, whether a factor of β is learned.
RULES = {
    "softmax": ("softmax", False, False),
    "log n, learned": ("softmax", True, True),
    "log n, fixed": ("softmax", True, False),
    "sparsemax": ("sparsemax", False, False),
    "entmax": ("entmax", False, False),
}


@dataclass(frozen=True)
class Maximum(Task):
    """Items with numbers from 0 to 1; with a lead the largest is 1, and no other is above 1 − lead."""

    lead: float

    def draw(self, size: int, n: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Items (size, n, 1 + classes), their classes (size, n), and which is the largest (size,)."""
        number = torch.rand(size, n, generator=generator)
        best = number.argmax(dim=-1)
        if self.lead:
            number = ((1 - self.lead) * number).scatter(1, best[:, None], 1.0)
        kind = torch.randint(CLASSES, (size, n), generator=generator)
        return torch.cat([number[..., None], one_hot(kind, CLASSES).float()], dim=-1), kind, best

    def batch(self, size, generator):
        return self.draw(size, int(torch.randint(2, TRAINED + 1, (), generator=generator)), generator)

    def loss(self, model, batch):
        items, kind, best = batch
        return cross_entropy(model(items)[0], picked(kind, best))


def picked(x: Tensor, index: Tensor) -> Tensor:
    """The entry of each row that its index names: (size, n), (size,) -> (size,)."""
    return x.gather(-1, index[:, None])[:, 0]


class Retriever(nn.Module):
    """Each item is embedded, one learned query attends to all, and what it reads is decoded."""

    def __init__(self, rule: str, seed: int):
        super().__init__()
        self.map, self.log_n, learned = RULES[rule]
        generator = torch.Generator().manual_seed(seed)

        def draw(rows, columns):
            return nn.Parameter(columns**-0.5 * torch.randn(rows, columns, generator=generator))

        self.embed, self.mix = draw(WIDTH, 1 + CLASSES), draw(WIDTH, WIDTH)
        self.query, self.key, self.value = draw(1, WIDTH), draw(WIDTH, WIDTH), draw(WIDTH, WIDTH)
        self.read, self.decode = draw(WIDTH, WIDTH), draw(CLASSES, WIDTH)
        self.log_beta = nn.Parameter(torch.tensor(-0.5 * math.log(WIDTH)), requires_grad=learned)

    def beta(self, n: int) -> Tensor:
        return self.log_beta.exp() * (math.log(n) if self.log_n else 1.0)

    def forward(self, items: Tensor, *, weights=None, beta_times=1.0) -> tuple[Tensor, Tensor, Tensor]:
        """Logits (size, classes), and the weights and scores of the items, (size, n) each."""
        x = gelu(items @ self.embed.T) @ self.mix.T  # (size, n, d)
        k, v = x @ self.key.T, x @ self.value.T  # (size, n, d) each
        beta = self.beta(items.shape[-2]) * beta_times
        y, w = lib.attention(self.query, k, v, weights=weights or self.map, beta=beta, return_weights=True)
        logits = gelu(y[:, 0] @ self.read.T) @ self.decode.T  # (size, 1, d) -> (size, classes)
        return logits, w[:, 0], (self.query @ k.mT)[:, 0]


@torch.no_grad()
def measured(model: Retriever, task: Maximum, n: int, **changes) -> dict[str, float]:
    """What the model makes of n items.

    *right*: the share of right answers. *ceiling*: the share if all weight went to the item with the largest
    score, which no map can be expected to pass. *top*: the mean weight of the largest item. *rival*: the mean of
    exp(−β gap) over its rivals, the odds that one of them has against it.
    """
    generator = torch.Generator().manual_seed(MEASURED + n)
    found = []
    for _ in range(SAMPLES // AT_ONCE):
        items, kind, best = task.draw(AT_ONCE, n, generator)
        logits, weights, scores = model(items, **changes)
        answer, gap = picked(kind, best), picked(scores, best)[:, None] - scores  # the largest's own gap is 0
        odds = ((-model.beta(n) * gap).exp().sum(dim=-1) - 1) / (n - 1)
        right = logits.argmax(dim=-1) == answer
        ceiling = picked(kind, scores.argmax(dim=-1)) == answer
        found.append(torch.stack([right.float(), ceiling.float(), picked(weights, best), odds]).mean(dim=1))
    means = torch.stack(found).mean(dim=0).tolist()
    return dict(zip(("right", "ceiling", "top", "rival"), means, strict=True))


def runs(seeds: Iterable[int]) -> list[dict]:
    """What is to be run, as arguments of `run`."""
    return [{"rule": rule, "lead": lead, "seed": seed} for lead in LEADS for seed in seeds for rule in RULES]


def run(rule: str, lead: float, seed: int, steps: int | None = None, sizes=tuple(SIZES)) -> dict:
    """Train one model; from it, for each number of items, what `measured` says, and n*.

    n* = 1/mean exp(−β gap), taken at the largest size of training: with so many rivals softmax leaves the largest
    item half of the weight. A model trained with plain softmax is measured with two more rules, put in afterwards.
    """
    task, model = Maximum(lead), Retriever(rule, seed)
    training = TRAINING | ({"steps": steps} if steps else {})
    losses = train(model, task, seed=seed, bar=False, **training)
    variants = {rule: lambda n: {}}
    if rule == "softmax":
        variants["entropy"] = lambda n: {"weights": entropy_fitted}
        variants["log n, at test"] = lambda n: {"beta_times": math.log(n) / math.log(TRAINED)}
    found = {"loss": losses[-1], "n_star": 1 / measured(model, task, TRAINED)["rival"]}
    for name, changes in variants.items():
        rows = [measured(model, task, n, **changes(n)) for n in sizes]
        found[name] = {key: [row[key] for row in rows] for key in ("right", "ceiling", "top")}
    return found
