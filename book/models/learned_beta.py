"""Temperature learns the noise: a model that may choose its β is trained with noise on its keys.

    python -m book.models.sweep learned_beta

Four of 16 keys carry the answer, and nothing but the noise blurs them. β starts low or high; where both end at the
same β, it is the noise that has decided. Beside these models, others with the largest noise whose β was held.
"""

from collections.abc import Iterable

from book.models.lookup import Finder, Lookup, accuracy
from book.models.training import train

NOISE = [0.0, 0.5, 1.0, 1.5, 2.0]
STARTS = [4.0, 16.0]
HELD, HELD_AT = [1.25, 2.5, 5.0, 10.0, 20.0], 2.0
TIMES = [0.25, 0.5, 1.0, 2.0, 4.0]  # β of a trained model, put in afterwards
TRAINING = {"steps": 600, "batch": 64, "rate": 1e-2, "cool_down": 200}


def lookup(noise):
    return Lookup(agree=4, keys=noise, blur=0.0)


def runs(seeds: Iterable[int]) -> list[dict]:
    """What is to be run, as arguments of `run`."""
    learned = [(noise, beta, True) for noise in NOISE for beta in STARTS]
    held = [(HELD_AT, beta, False) for beta in HELD]
    return [
        {"noise": noise, "beta": beta, "learn": learn, "seed": seed}
        for seed in seeds
        for noise, beta, learn in learned + held
    ]


def run(noise: float, beta: float, learn: bool, seed: int, steps: int | None = None) -> dict:
    """Train one model; from it, where β settled, and the shares of right answers with each noise and other β."""
    model, task = Finder("softmax", beta, seed, learn_beta=learn), lookup(noise)
    losses = train(model, task, seed=seed, bar=False, **TRAINING | ({"steps": steps} if steps else {}))
    settled = model.log_beta.exp().item()
    return {
        "loss": sum(losses[-50:]) / 50,
        "settled": settled,
        "with noise": [accuracy(model, lookup(other)) for other in NOISE],
        "times": [accuracy(model, task, beta=times * settled) for times in TIMES],
    }
