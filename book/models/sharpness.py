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
STEPS, RATES = [400, 6000], [5e-3, 1.5e-3]
TRAINING = {"batch": 64, "cool_down": 120}
SOFT, SHARP = BETAS[0], BETAS[-1]


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
    """What is to be run, as arguments of `run`: all kinds briefly, the softest and the sharpest also for long."""
    settings = [(*kind, agree, STEPS[0], RATES[0]) for agree in AGREE for kind in KINDS]
    for steps, rate in ((STEPS[1], RATES[0]), (STEPS[1], RATES[1])):
        settings += [("softmax", beta, agree, steps, rate) for agree in AGREE for beta in (SOFT, SHARP)]
    names = ("weights", "beta", "agree", "steps", "rate")
    return [dict(zip(names, of, strict=True)) | {"seed": seed} for of in settings for seed in seeds]


def in_noise(model: Finder, agree: int, **changes) -> dict[str, list[float]]:
    """The shares of right answers with each size of noise, with β or the map as `Finder.forward` takes them."""
    return {
        "keys": [accuracy(model, Lookup(agree, keys=noise), **changes) for noise in KEYS],
        "values": [accuracy(model, Lookup(agree, values=noise), **changes) for noise in VALUES],
    }


def run(weights: str, beta: float, agree: int, steps: int, rate: float, seed: int) -> dict:
    """Train one model without noise; from it, the shares of right answers, also with the sharpest β put in."""
    model, task = Finder(weights, beta, seed), Lookup(agree)
    train(model, task, steps=steps, rate=rate, seed=seed, bar=False, **TRAINING)
    found = {"clean": accuracy(model, task)} | in_noise(model, agree)
    found |= {f"sharpened {name}": shares for name, shares in in_noise(model, agree, beta=SHARP).items()}
    if steps > STEPS[0]:
        return found
    attacks = [under_attack(model, task, reach) for reach in REACH]
    return found | {kind: [attack[kind] for attack in attacks] for kind in ("own gradient", "worst")}
