"""Temperature learns the noise: a model that may choose its β is trained with noise on its keys.

    python -m book.models.sweep learned_beta

Four of 16 keys carry the answer, and nothing but the noise blurs them. β starts low or high, and training
goes on until it stands still: with little noise that takes longer. Beside these models, others with the largest
noise whose β was held.
"""

from collections.abc import Iterable

from book.models.lookup import Finder, Lookup, accuracy
from book.models.training import train

NOISE = [0.0, 0.5, 1.0, 1.5, 2.0]
STARTS = [4.0, 16.0]
HELD, HELD_AT = [1.0, 2.0, 4.0, 8.0, 16.0], 2.0
TIMES = [0.25, 0.5, 1.0, 2.0, 4.0]  # β of a trained model, put in afterwards
LONG, LONGER, RATE = 3000, 12_000, 0.01  # steps; the longer with noise below 1
OTHER_RATES = [(0.005, 2 * LONG), (0.03, LONG)]  # at the largest noise, to see whether the rate decides
PARTS = 30  # of the way there: β is kept after each
TRAINING = {"batch": 64, "cool_down": 200}


def lookup(noise):
    return Lookup(agree=4, keys=noise, blur=0.0)


def runs(seeds: Iterable[int]) -> list[dict]:
    """What is to be run, as arguments of `run`."""
    settings = [(noise, beta, True, RATE, LONGER if noise < 1 else LONG) for noise in NOISE for beta in STARTS]
    settings += [(HELD_AT, beta, True, rate, steps) for rate, steps in OTHER_RATES for beta in STARTS]
    settings += [(HELD_AT, beta, False, RATE, LONG) for beta in HELD]
    names = ("noise", "beta", "learn", "rate", "steps")
    return [dict(zip(names, of, strict=True)) | {"seed": seed} for of in settings for seed in seeds]


def run(noise: float, beta: float, learn: bool, rate: float, steps: int, seed: int) -> dict:
    """Train one model; from it, β on its way and where it settled, and the shares right with other β."""
    model, task, way = Finder("softmax", beta, seed, learn_beta=learn), lookup(noise), []
    follow = {"after": lambda: way.append(model.log_beta.exp().item())} if learn else {}
    train(model, task, steps=steps, rate=rate, seed=seed, bar=False, **follow, **TRAINING)
    settled = model.log_beta.exp().item()
    found = {"settled": settled}
    if learn:
        found["way"] = way[:: max(1, steps // PARTS)]
    return found | {"times": [accuracy(model, task, beta=times * settled) for times in TIMES]}
