"""A look-up by cosines: one query, 16 keys, and values that carry a class. What sharpness does is tried on it.

Queries and keys are brought to length 1 before they meet, so that a score is from −1 to 1 and the weights of the
model cannot undo β.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize, one_hot

import lib
from book.models.tasks import Task

CLASSES, D, KEYS = 10, 16, 16
MEASURED, SAMPLES = 1_000_003, 2000  # how models are measured: the seed, none that training uses


class Batch(NamedTuple):
    """Queries (size, d), keys (size, n, d), values (size, n, classes) and the classes asked for (size,)."""

    query: Tensor
    keys: Tensor
    values: Tensor
    answer: Tensor


@dataclass(frozen=True)
class Lookup(Task):
    """The first `agree` of the keys are near the query and carry the answer; the others point anywhere.

    All noise is normal: `blur` and then `keys` are added to the keys, as shares of their length; `values` to the
    values, which are 1 at their class and 0 elsewhere. The blur belongs to the task, the rest comes from outside.
    """

    agree: int
    keys: float = 0.0
    values: float = 0.0
    blur: float = 0.5

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        def noise(*shape):
            return torch.randn(*shape, generator=generator)

        query = normalize(noise(size, D), dim=-1)
        keys = normalize(noise(size, KEYS, D), dim=-1)
        near = query[:, None] + self.blur * D**-0.5 * noise(size, self.agree, D)
        keys[:, : self.agree] = normalize(near, dim=-1)
        kind = torch.randint(CLASSES, (size, KEYS), generator=generator)
        kind[:, : self.agree] = kind[:, :1]
        keys = keys + self.keys * D**-0.5 * noise(size, KEYS, D)
        values = one_hot(kind, CLASSES) + self.values * noise(size, KEYS, CLASSES)
        return Batch(query, keys, values, kind[:, 0])

    def loss(self, model, batch):
        return cross_entropy(model(*batch[:3]), batch.answer)

    def accuracy(self, model, batch):
        return (model(*batch[:3]).argmax(dim=-1) == batch.answer).double().mean().item()


class Finder(nn.Module):
    """Attention by one head over cosines, with matrices for queries, keys, values and the answer."""

    def __init__(self, weights: str, beta: float, seed: int, learn_beta: bool = False, width: int = 32):
        super().__init__()
        generator = torch.Generator().manual_seed(seed)

        def draw(rows, columns):
            return nn.Parameter(columns**-0.5 * torch.randn(rows, columns, generator=generator))

        self.weights = weights
        self.query, self.key = draw(D, D), draw(D, D)
        self.value, self.decode = draw(width, CLASSES), draw(CLASSES, width)
        self.log_beta = nn.Parameter(torch.tensor(beta).log(), requires_grad=learn_beta)

    def forward(self, query, keys, values, *, weights=None, beta=None):
        """Logits (size, classes); with `weights` and `beta` as if the model had been made with these."""
        q = normalize(query @ self.query.T, dim=-1)[:, None]  # (size, 1, d)
        k = normalize(keys @ self.key.T, dim=-1)  # (size, n, d)
        beta = self.log_beta.exp() if beta is None else beta
        y = lib.attention(q, k, values @ self.value.T, beta=beta, weights=weights or self.weights)
        return y[:, 0] @ self.decode.T  # (size, 1, width) -> (size, classes)


def exact(weights: str, beta: float) -> Finder:
    """A model with nothing to learn: its matrices are 1, so cosines are those of the inputs and values pass."""
    model = Finder(weights, beta, seed=0, width=CLASSES)
    with torch.no_grad():
        for matrix in (model.query, model.key, model.value, model.decode):
            matrix.copy_(torch.eye(len(matrix)))
    return model


@torch.no_grad()
def accuracy(model: Finder, task: Lookup, **changes) -> float:
    """The share of right answers, on batches new to the model; `changes` as `Finder.forward` takes them."""
    batch = task.batch(SAMPLES, torch.Generator().manual_seed(MEASURED))
    return task.accuracy(lambda *inputs: model(*inputs, **changes), batch)


def attacked(model: Finder, batch: Batch, reach: float, steps: int = 10, **surrogate) -> Tensor:
    """Keys moved against the model, each by at most `reach`, by projected gradient ascent on its loss.

    The gradient is that of the model, or with `surrogate` (as `Finder.forward` takes it) of a softer one with the
    same matrices: a key that a map gives no weight gets no gradient from it either, which only looks like safety.
    """
    moved = torch.zeros_like(batch.keys)
    for _ in range(steps):
        moved.requires_grad_(True)
        logits = model(batch.query, batch.keys + moved, batch.values, **surrogate)
        (uphill,) = torch.autograd.grad(cross_entropy(logits, batch.answer, reduction="sum"), moved)
        with torch.no_grad():
            moved = moved + 2.5 * reach / steps * normalize(uphill, dim=-1)
            moved = moved * (reach / moved.norm(dim=-1, keepdim=True).clamp(min=reach))
    return batch.keys + moved
