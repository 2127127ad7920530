"""Sharpness and brittleness: is a model with a larger β hurt more by noise, or by an attack?

    python -m book.models.sweep sharpness

Either one key carries the answer, or four do; then there is something to average. Models are trained without noise
and measured with it: on the keys, on the values, and with keys that are moved on purpose.
"""

from collections.abc import Iterable

import torch

from book.models.lookup import MEASURED, Finder, Lookup, accuracy, attacked
from book.models.training import train

BETAS = [4.0, 8.0, 16.0, 128.0]
KINDS = [("softmax", beta) for beta in BETAS] + [("sparsemax", 16.0)]
AGREE = [1, 4]
KEYS, VALUES = [0.5, 1.0, 1.5, 2.0], [0.25, 0.5, 0.75, 1.0]  # standard deviations of the noise
REACH = [0.1, 0.2, 0.3]  # how far a key, of length 1, may be moved
ATTACKED = 400  # look-ups
SURROGATES = [("softmax", 4.0), ("softmax", 16.0)]
TRAINING = {"steps": 400, "batch": 64, "rate": 5e-3, "cool_down": 120}


def under_attack(model: Finder, task: Lookup, reach: float) -> dict[str, float]:
    """The share of right answers that an attack leaves: by the model's own gradient, and by the worst for each."""
    batch = task.batch(ATTACKED, torch.Generator().manual_seed(MEASURED))
    ways = [{}] + [{"weights": weights, "beta": beta} for weights, beta in SURROGATES]
    right = []
    for way in ways:
        keys = attacked(model, batch, reach, **way)
        with torch.no_grad():
            right.append(model(batch.query, keys, batch.values).argmax(dim=-1) == batch.answer)
    return {"own gradient": share(right[0]), "worst": share(torch.stack(right).all(dim=0))}


def share(right):
    return right.double().mean().item()


def runs(seeds: Iterable[int]) -> list[dict]:
    """What is to be run, as arguments of `run`."""
    return [
        {"weights": weights, "beta": beta, "agree": agree, "seed": seed}
        for agree in AGREE
        for seed in seeds
        for weights, beta in KINDS
    ]


def run(weights: str, beta: float, agree: int, seed: int, steps: int | None = None) -> dict:
    """Train one model without noise; from it, the shares of right answers."""
    model, task = Finder(weights, beta, seed), Lookup(agree)
    train(model, task, seed=seed, bar=False, **TRAINING | ({"steps": steps} if steps else {}))
    attacks = [under_attack(model, task, reach) for reach in REACH]
    return {
        "clean": accuracy(model, task),
        "keys": [accuracy(model, Lookup(agree, keys=noise)) for noise in KEYS],
        "values": [accuracy(model, Lookup(agree, values=noise)) for noise in VALUES],
        "own gradient": [found["own gradient"] for found in attacks],
        "worst": [found["worst"] for found in attacks],
    }
