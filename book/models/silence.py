"""A head that has nothing to say: with softmax, with a mark to rest on, with a sink, and with a gate.

    python -m book.models.sweep silence

At most places one head is to hand over nothing; at a call the value of the one earlier word that is called, unless
this word is missing. Values of words and calls have length 1 and point forward as often as backward: the mean of
many is small, so a head with nowhere to rest may come near silence. A filler has none. The mark is one token more.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

import lib
from book.models.tasks import Task
from book.models.training import train

WORD, CALL, FILLER, MARK = range(4)  # kinds of tokens
CALLS, AXES, D = 0.2, 8, 16  # the share of calls, and the widths of values and of keys
RATES, RATE, STEPS = [0.003, 0.01, 0.03], 0.01, 1000
RESTLESS = [(head, "none") for head in ("softmax", "sink", "gate")]
HEADS = [("plus one", "none"), *RESTLESS, *((head, "first") for head, _ in RESTLESS)]  # what it has, and its mark
# Other marks: one whose value is held at length 1, one that is not at the front, and an ordinary word instead.
OTHERS = [("softmax", mark) for mark in ("full", "anywhere", "word")] + [("plus one", "first")]
TRAINING = {"batch": 32, "cool_down": 100, "decay": 0.0}
MEASURED, SAMPLES = 1_000_003, 1000  # how models are measured: the seed, none that training uses


class Batch(NamedTuple):
    """Kinds, names (size, n), values, targets (size, n, AXES); for each call the place of its word, else −1."""

    kinds: Tensor
    names: Tensor
    values: Tensor
    targets: Tensor
    found: Tensor


@dataclass(frozen=True)
class Calls(Task):
    """So many words, calls and fillers; a share `missing` of the calls has no word. A mark is one token more."""

    mark: str
    length: int
    missing: float = 0.0
    fillers: float = 0.0

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        n = self.length + (self.mark != "none")
        u, missing, axis, sign, places = torch.rand(5, size, n, generator=generator)
        kinds = torch.where(u < CALLS, CALL, torch.where(u < CALLS + self.fillers, FILLER, WORD))
        if self.mark in ("first", "full", "anywhere"):
            kinds[torch.arange(size), places.argmax(dim=-1) if self.mark == "anywhere" else 0] = MARK
        kinds[(kinds == CALL) & ((kinds == WORD).cumsum(dim=-1) == 0)] = WORD  # nothing is there yet to be called
        earlier = (kinds == WORD)[:, None] & torch.ones(n, n).tril(-1).bool()  # (size, n, n)
        chosen = (torch.rand(size, n, n, generator=generator) * earlier).argmax(dim=-1)
        answered = (kinds == CALL) & (missing >= self.missing)
        names = torch.rand(size, 2 * self.length + 1, generator=generator).argsort(dim=-1)[:, :n]  # all different
        names = torch.where(answered, names.gather(1, chosen), names)
        values = one_hot((AXES * axis).long(), AXES) * torch.where(sign < 0.5, -1, 1)[..., None]
        values = values * (kinds < FILLER)[..., None].float()
        targets = values.gather(1, chosen[..., None].expand_as(values)) * answered[..., None]
        return Batch(kinds, names, values, targets, torch.where(answered, chosen, -1))

    def loss(self, model, batch):
        return (model(batch)[0] - batch.targets).square().sum(dim=-1).mean()


class Head(nn.Module):
    """One head whose queries, keys and values are learned for each token."""

    def __init__(self, head: str, task: Calls, seed: int):
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.head, names = head, 2 * task.length + 1
        self.query, self.key = (nn.Parameter(torch.randn(4, names, D, generator=generator)) for _ in range(2))
        self.value = nn.Parameter(AXES**-0.5 * torch.randn(AXES, AXES, generator=generator))
        self.own = nn.Parameter(AXES**-0.5 * torch.randn(4, AXES, generator=generator))  # of a kind
        self.sink = nn.Parameter(torch.zeros(()), requires_grad=head == "sink")
        self.gate = nn.Parameter(torch.zeros(4, names), requires_grad=head == "gate")
        self.held = task.mark == "full"
        if self.held:
            self.own.data[MARK] /= self.own.data[MARK].norm()

    def forward(self, batch):
        """Outputs (size, n, AXES), weights (size, n, n), scores (size, n, n) and gates (size, n)."""
        names = torch.where(batch.kinds < FILLER, batch.names, 0)  # fillers and marks have no names
        q, k = self.query[batch.kinds, names], self.key[batch.kinds, names]  # (size, n, d)
        own = torch.cat([self.own[:MARK], self.own[MARK:].detach()]) if self.held else self.own
        v = batch.values @ self.value.T + own[batch.kinds]
        empty = {"weights": "softmax_plus_one", "sink": self.sink} if self.head in ("plus one", "sink") else {}
        y, weights = lib.attention(q, k, v, causal=True, return_weights=True, **empty)
        gates = self.gate[batch.kinds, names].sigmoid() if self.head == "gate" else torch.ones(names.shape)
        return gates[..., None] * y, weights, D**-0.5 * q @ k.mT, gates


def runs(seeds: Iterable[int]) -> list[dict]:
    """What is to be run, as arguments of `run`."""
    plain = {"length": 16, "missing": 0.0, "fillers": 0.0, "rate": RATE, "steps": STEPS}
    settings = [(HEADS, {"rate": rate}) for rate in RATES] + [(OTHERS, {})]
    settings += [
        (heads, {"rate": rate, "steps": 2 * STEPS}) for heads, rate in ((HEADS, RATES[0]), (RESTLESS[:1], RATE))
    ]
    settings += [(HEADS, {"missing": 0.5}), (HEADS, {"length": 32}), (RESTLESS, {"fillers": 0.25})]
    made = [{"head": head, "mark": mark} | plain | new for heads, new in settings for head, mark in heads]
    return [setting | {"seed": seed} for setting in made for seed in seeds]


def run(head, mark, length, missing, fillers, rate, steps, seed) -> dict:
    """Train one head; from it, its errors and what its weights rest on, as `measured` names them."""
    task = Calls(mark, length, missing, fillers)
    train(model := Head(head, task, seed), task, steps=steps, rate=rate, seed=seed, bar=False, **TRAINING)
    return measured(model, task)


@torch.no_grad()
def measured(model: Head, task: Calls) -> dict:
    """Means over places of new sequences; an error is the square of the distance to the target.

    "late": silent, in the second half; "resting": silent, where a filler or the mark can be seen.
    """
    batch = task.batch(SAMPLES, torch.Generator().manual_seed(MEASURED))
    y, weights, scores, gates = model(batch)
    n, kinds, called = batch.kinds.shape[1], batch.kinds, batch.found >= 0
    silent, rests = (kinds == WORD) | (kinds == FILLER), kinds >= FILLER
    scores = scores.masked_fill(~torch.ones(n, n).tril().bool(), torch.nan)
    x = {
        "error": (y - batch.targets).square().sum(dim=-1),
        "mark": (weights * rests[:, None]).sum(dim=-1),  # or on fillers
        "empty": (1 - weights.sum(dim=-1)).clamp(min=0),
        "top": weights.amax(dim=-1),
        "gate": gates,
        "lead": scores.nan_to_num(-torch.inf).amax(dim=-1) - scores.nanmedian(dim=-1).values,
    }
    places = {
        "silent": silent,
        "late": silent & (torch.arange(n) >= n - task.length // 2),
        "resting": silent & (rests.cumsum(dim=-1) > 0),
        "called": called,
        "absent": (kinds == CALL) & ~called,  # calls whose word is missing
    }
    means = {f"{of}_{at}": x[of][where].mean() for of in x for at, where in places.items() if where.any()}
    right = weights.gather(-1, batch.found.clamp(min=0)[..., None])[..., 0][called].mean()
    loud = (torch.cat([model.value.T, -model.value.T]) + model.own[WORD]).norm(dim=-1).mean()  # of words' values
    single = {"right": right, "loud": loud, "quiet": model.own[MARK].norm() / loud, "sink": model.sink}
    return {name: value.item() for name, value in (means | single).items()}
