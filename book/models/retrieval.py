"""Dispersion: a model that learned to find the largest of 16 items is shown up to 4096 of them.

    python -m book.models.sweep retrieval

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
from book.models.tasks import Task
from book.models.training import train

CLASSES, WIDTH = 10, 32
TRAINED = 16  # the most items in training
SIZES = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
LEADS = [0.1, 0.0]
STEPS, RATES = [700, 2800, 11200], [3e-3, 1e-2]
TRAINING = {"batch": 64, "cool_down": 200}
MEASURED, SAMPLES, AT_ONCE = 1_000_003, 128, 32  # how models are measured: the seed, none that training uses


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
        if self.lead:
            best = torch.randint(n, (size,), generator=generator)
            number = ((1 - self.lead) * number).scatter(1, best[:, None], 1.0)
        else:
            best = number.argmax(dim=-1)
        kind = torch.randint(CLASSES, (size, n), generator=generator)
        return torch.cat([number[..., None], one_hot(kind, CLASSES).float()], dim=-1), kind, best

    def batch(self, size, generator):
        return self.draw(size, int(torch.randint(2, TRAINED + 1, (), generator=generator)), generator)

    def loss(self, model, batch):
        items, kind, best = batch
        return cross_entropy(model(items), picked(kind, best))


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

    def forward(self, items: Tensor) -> Tensor:
        """From items (size, n, 1 + classes) to logits (size, classes)."""
        k, v = self.encoded(items)
        return self.answered(k, v)[0]

    def encoded(self, items):
        """Keys and values: (size, n, d) each."""
        x = gelu(items @ self.embed.T) @ self.mix.T  # (size, n, d)
        return x @ self.key.T, x @ self.value.T

    def answered(self, k, v, *, weights=None, beta_times=1.0):
        """Logits (size, classes), and the weights of the items (size, n)."""
        beta = self.beta(k.shape[-2]) * beta_times
        y, w = lib.attention(self.query, k, v, weights=weights or self.map, beta=beta, return_weights=True)
        return gelu(y[:, 0] @ self.read.T) @ self.decode.T, w[:, 0]  # (size, 1, d) -> (size, classes)


def put_in_afterwards(n: int) -> dict[str, dict]:
    """Rules for n items that a model trained with plain softmax is also measured with."""
    return {
        "entropy": {"weights": entropy_fitted},
        "log n, at test": {"beta_times": math.log(n) / math.log(TRAINED)},
    }


@torch.no_grad()
def measured(model: Retriever, task: Maximum, n: int, rules: dict[str, dict]) -> dict[str, Tensor]:
    """What the model makes of n items: means over SAMPLES of them.

    *ceiling*: the share of right answers if all weight went to the item with the largest score, which no map can
    be expected to pass. *rival*: exp(−β gap) of a rival of the largest item, the odds that it has against it. For
    each of the rules [the share of right answers, the weight of the largest item].
    """
    generator = torch.Generator().manual_seed(MEASURED + n)
    found = {name: [] for name in ("ceiling", "rival", *rules)}
    for _ in range(SAMPLES // AT_ONCE):
        items, kind, best = task.draw(AT_ONCE, n, generator)
        k, v = model.encoded(items)
        scores, answer = (model.query @ k.mT)[:, 0], picked(kind, best)
        gap = picked(scores, best)[:, None] - scores  # (size, n); that of the largest to itself is 0
        found["ceiling"].append((picked(kind, scores.argmax(dim=-1)) == answer).float())
        found["rival"].append(((-model.beta(n) * gap).exp().sum(dim=-1) - 1) / (n - 1))
        for name, changes in rules.items():
            logits, weights = model.answered(k, v, **changes)
            right = (logits.argmax(dim=-1) == answer).float()
            found[name].append(torch.stack([right, picked(weights, best)]))
    return {name: torch.cat(parts, dim=-1).mean(dim=-1) for name, parts in found.items()}


def runs(seeds: Iterable[int]) -> list[dict]:
    """What is to be run, as arguments of `run`: every rule trained briefly, and what more training changes."""
    settings = [(rule, lead, STEPS[0], RATES[0]) for lead in LEADS for rule in RULES]
    settings += [("softmax", lead, steps, RATES[0]) for lead in LEADS for steps in STEPS[1:]]
    settings += [(rule, LEADS[0], STEPS[1], RATES[0]) for rule in ("sparsemax", "entmax")]
    settings += [("softmax", LEADS[0], STEPS[0], RATES[1])]
    names = ("rule", "lead", "steps", "rate")
    return [dict(zip(names, of, strict=True)) | {"seed": seed} for of in settings for seed in seeds]


def run(rule: str, lead: float, steps: int, rate: float, seed: int, sizes=tuple(SIZES)) -> dict:
    """Train one model; from it, for each number of items, what `measured` says, and n*.

    n* = 1/mean exp(−β gap), taken at the largest number of items in training: softmax with the β of that size
    gives the largest item about half of the weight among so many.
    """
    task, model = Maximum(lead), Retriever(rule, seed)
    train(model, task, steps=steps, rate=rate, seed=seed, bar=False, **TRAINING)
    rows = [
        measured(model, task, n, {rule: {}} | (put_in_afterwards(n) if rule == "softmax" else {})) for n in sizes
    ]
    found = {"n_star": 1 / measured(model, task, TRAINED, {})["rival"].item()}
    found["ceiling"] = [row["ceiling"].item() for row in rows]
    for name in [name for name in rows[0] if name not in ("ceiling", "rival")]:
        found[name] = dict(zip(("right", "top"), torch.stack([row[name] for row in rows]).T.tolist(), strict=True))
    return found
