"""The numbers in the text of the chapter *output*."""

import numpy as np
import torch

from book.output import trained
from book.output.calibrating import best_temperature, fit, world
from book.output.checks import softmax_over_making
from book.output.cutting import top_p
from book.output.losses import by_softmax, first_broken, softmax_twice, with_gradient
from book.output.steps import OPEN, SURE
from lib import log_softmax, softmax

TRAINED = {
    "few": (trained.FEW, "Adam"),
    "wrong": (trained.WRONG, "Adam"),
    "many": (trained.MANY, "Adam"),
    "plain": (trained.MANY, "plain steps"),
}


def numbers():
    right = [50.0] + 9 * [0.0]
    least = with_gradient(softmax_twice, right, 0)[0]
    broken, infinite = (
        lambda value, gradient: not np.isfinite(gradient).all(),
        lambda value, gradient: not np.isfinite(value),
    )
    zeros = (softmax(torch.tensor(SURE).half()) == 0).sum()
    learn, held, fresh = world(4, 200, 2000, 20_000)  # seed, sizes
    W_found = fit(learn)  # (features, kinds)
    T = best_temperature(held.features @ W_found, held.kind)
    logits = fresh.features @ W_found  # (things, kinds)
    said, chance = softmax(logits, 1 / T), fresh.chances
    return {
        "gradient16": first_broken(by_softmax, torch.float16, broken),
        "gradient32": first_broken(by_softmax, torch.float32, broken),
        "value16": first_broken(by_softmax, torch.float16, infinite),
        "value32": first_broken(by_softmax, torch.float32, infinite),
        "capped": np.exp(-least),
        "others": 1 / (np.e + 9),
        "certain": (np.e - 1) / (np.e + 9),
        "least": least,
        "nothing": np.log(10),
        "sure": softmax(SURE).max(),
        "slips": 1000 * (1 - softmax(SURE).max()),
        "zeros": zeros,
        "n": len(SURE),
        "softmax_making": 100 * softmax_over_making(),
        "pull": 1e9 * abs(with_gradient(softmax_twice, [20.0] + 9 * [0.0])[1][1]),
        "off": np.abs(said - chance)[np.arange(len(said)), said.argmax(axis=1)].mean(),
        "nats": np.log(1 / 0.9),
        "bar": np.log(10),
        "bar_warm": 2 * np.log(10),
        "shifted": -log_softmax(np.array([1002.0, 1001.0, 1000.0]))[1],
        "first": top_p(softmax(OPEN, 1 / 2), 0.9).sum(),
        "last": top_p(softmax(OPEN), 0.9).sum(),
        "two": np.log1p(1 / np.e),
        "plain_two_small": np.median(trained.right(trained.MANY, "plain steps", 2, 0.1)),
    } | {
        f"{name}_{said}": np.median(trained.at_best(task, optimiser, count))
        for name, (task, optimiser) in TRAINED.items()
        for said, count in (("one", 1), ("two", 2))
    }
