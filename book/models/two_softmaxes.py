"""One softmax too many: what it does to training, by Adam and by plain steps, with few classes and with many.

    python -m book.models.sweep two_softmaxes

A network with one hidden layer tells apart clouds of points. Its loss is the cross-entropy of softmax, or by
mistake that of softmax of softmax. Each is tried at several rates of learning, since a gradient that is smaller
everywhere can be made up for by a larger step.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

WIDTH, HIDDEN, BATCH = 20, 128, 128
TRAINING, TESTED = 8000, 5000  # points
AFTER = [100, 300, 1000, 2000]  # steps
RATES = {"Adam": [3e-4, 1e-3, 3e-3], "plain steps": [0.1, 0.3, 1.0, 3.0, 10.0, 30.0]}
OPTIMISERS = {"Adam": torch.optim.Adam, "plain steps": torch.optim.SGD}
# Classes, the spread of a cloud, and the share of training labels that are drawn anew, at random.
TASKS = [(10, 1.5, 0.0), (10, 1.0, 0.4), (300, 1.0, 0.0)]


def points(n: int, classes: int, spread: float, seed: int) -> tuple[Tensor, Tensor]:
    """So many points (n, WIDTH) of clouds whose centres are the same for all seeds, and their classes (n,)."""
    centres = torch.randn(classes, WIDTH, generator=torch.Generator().manual_seed(classes))
    generator = torch.Generator().manual_seed(seed)
    kind = torch.randint(classes, (n,), generator=generator)
    return centres[kind] + spread * torch.randn(n, WIDTH, generator=generator), kind


def runs(seeds: Iterable[int]) -> list[dict]:
    """What is to be run, as arguments of `run`."""
    return [
        {"classes": classes, "wrong": wrong, "optimiser": name, "rate": rate, "softmaxes": count, "seed": seed}
        for classes, _, wrong in TASKS
        for name, rates in RATES.items()
        for rate in rates
        for count in (1, 2)
        for seed in seeds
    ]


def run(
    classes: int, wrong: float, optimiser: str, rate: float, softmaxes: int, seed: int, steps=AFTER[-1]
) -> dict:
    """Train one network; from it, the share of new points that it names right, after each of AFTER."""
    spread = {(c, w): s for c, s, w in TASKS}[classes, wrong]
    x, kind = points(TRAINING, classes, spread, seed)
    new, truth = points(TESTED, classes, spread, 10_000 + seed)
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randint(classes, kind.shape, generator=generator)
    kind = torch.where(torch.rand(kind.shape, generator=generator) < wrong, drawn, kind)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, classes))
    if softmaxes == 2:
        model.append(nn.Softmax(dim=-1))
    steady, right = OPTIMISERS[optimiser](model.parameters(), lr=rate), []
    for step in range(1, steps + 1):
        chosen = torch.randint(len(x), (BATCH,), generator=generator)
        steady.zero_grad()
        cross_entropy(model(x[chosen]), kind[chosen]).backward()
        steady.step()
        if step in AFTER:
            with torch.no_grad():
                right.append((model(new).argmax(dim=-1) == truth).double().mean().item())
    return {"right": right}
