"""Tasks: each draws batches of sequences, and says which of their next tokens can be known and therefore count."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy


class Batch(NamedTuple):
    """Sequences to read, the token after each place, and the places whose next token counts: (batch, t) each."""

    tokens: Tensor
    targets: Tensor
    counts: Tensor


class Task(ABC):
    """What `train` needs of a task: batches, and the loss on one. A task of another kind defines both itself."""

    @abstractmethod
    def batch(self, size: int, generator: torch.Generator) -> Batch:
        """So many sequences, drawn with this generator."""

    def loss(self, model, batch: Batch) -> Tensor:
        """The mean of −log of the probability given to the token that comes, in nats, where that counts."""
        return cross_entropy(model(batch.tokens)[batch.counts], batch.targets[batch.counts])

    def accuracy(self, model, batch: Batch) -> float:
        """In which share of the places that count the model's first choice comes."""
        right = model(batch.tokens).argmax(dim=-1) == batch.targets  # (batch, t)
        return right[batch.counts].double().mean().item()


@dataclass(frozen=True)
class Repeated(Task):
    """A few random symbols, then a random block again and again: what has been read tells what comes next.

    Every sequence begins with the last of the symbols, which comes nowhere else. A block has from `periods[0]` to
    `periods[1]` symbols. In half of the blocks all are different; in the others a symbol may come twice, and then
    one symbol may not be enough to know the next. Nobody can know when the block's first symbol comes for the
    second time; what follows it can be known, and counts.
    """

    symbols: int = 28  # the last of them begins each sequence
    room: int = 65  # places to read: the begin symbol and 64 more
    prefix: int = 8  # the most symbols before the first block
    periods: tuple[int, int] = (2, 24)

    def __post_init__(self):
        low, high = self.periods
        if not 1 <= low <= high < self.symbols:
            raise ValueError(
                f"periods are the least and the most symbols in a block, from 1 to {self.symbols - 1}; "
                f"got {self.periods}"
            )
        if self.prefix < 0:
            raise ValueError(f"prefix is to be 0 or more; got {self.prefix}")
        if self.prefix + high + 2 > self.room:
            raise ValueError(
                f"a room of {self.room} is too small for {self.prefix} symbols, a block of {high} and more of it"
            )

    def batch(self, size, generator):
        tokens, start, period = self.draw(size, generator)
        place = torch.arange(self.room)  # the token after place i is token i + 1
        return Batch(tokens[:, :-1], tokens[:, 1:], place >= start[:, None] + period[:, None])

    def draw(self, size, generator):
        """Sequences (size, room + 1), where in each the first block starts, and its period: (size,) each."""
        letters, (low, high) = self.symbols - 1, self.periods

        def integers(least, most, *shape):
            return torch.randint(least, most + 1, shape, generator=generator)

        start, period = integers(1, self.prefix + 1, size), integers(low, high, size)
        different = torch.rand(size, letters, generator=generator).argsort(dim=-1)[:, :high]  # (size, high)
        block = torch.where(integers(0, 1, size, 1) == 1, integers(0, letters - 1, size, high), different)
        place = torch.arange(self.room + 1) - start[:, None]  # (size, room + 1), from the first block on
        tokens = block.gather(1, place.remainder(period[:, None]))
        tokens = torch.where(place < 0, integers(0, letters - 1, size, self.room + 1), tokens)
        tokens[:, 0] = letters
        return tokens, start, period
