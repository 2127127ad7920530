"""The numbers in the text of the chapter *experiments*."""

import numpy as np

from book import encoder
from book.experiments import measured
from book.experiments.location import LEADS, WORDS, errors
from book.models.induction import MAPS
from book.models.sweep import EXPERIMENTS
from lib import softmax

ATTACK = 0.3  # how far keys are moved, as a part of their length


def middle(values):
    """The median of the seeds, and with several sizes that of each."""
    return np.median(values, axis=0)


def of_dispersion():
    first = {n: softmax(np.eye(1, n, 0)[0] * 5)[0] for n in (8, 1000)}
    stays, polynomial = (middle(measured.retrieved(rule, 0.1)) for rule in ("softmax", "entropy"))
    found = {f"right_{n}": stays[measured.at(n)] for n in (64, 256, 4096)}
    found |= {f"polynomial_{n}": polynomial[measured.at(n)] for n in (2048, 4096)}
    tops, answers = (measured.retrieved("softmax", 0.1, what) for what in ("top", "right"))
    ceiling, learned = (middle(measured.retrieved(rule, 0.0, "ceiling")) for rule in ("softmax", "log n, learned"))
    predicted = measured.predicted()
    return found | {
        "eight": first[8],
        "thousand": first[1000],
        "worth": np.exp(5),
        "entmax_4096": middle(measured.retrieved("entmax", 0.1))[-1],
        "entmax_least": measured.retrieved("entmax", 0.1)[:, -1].min(),
        "ceiling_1024": ceiling[measured.at(1024)],
        "ceiling_256": ceiling[measured.at(256)],
        "ceiling_learned": learned[measured.at(256)],
        "predicted": middle(predicted),
        "halves": middle(measured.falls(tops, 0.5) / predicted),
        "fails": middle(measured.falls(answers, 0.9) / predicted),
        "polynomial_ends": measured.polynomial_ends(),
    }


def of_noise():
    found = {}
    for beta in (4, 128):
        found[f"four_keys_{beta}"] = middle(measured.looked_up(4, beta, "keys", 2.0))
        found[f"four_values_{beta}"] = middle(measured.looked_up(4, beta, "values", 0.75))
        found[f"one_keys_{beta}"] = middle(measured.looked_up(1, beta, "keys", 1.0))
        found[f"one_values_{beta}"] = middle(measured.looked_up(1, beta, "values", 0.25))
    for noise in (0, 2):
        for start in (4, 16):
            found[f"settled_{noise}_{start}"] = middle(measured.settled(noise, start))
    for name, beta in {"5": 5, "10": 10, "20": 20, "near": 2.5, "half": 1.25}.items():
        found[f"held_{name}"] = middle(measured.held(beta))
    for beta in (4, 128):
        found[f"exact_one_{beta}"] = measured.with_nothing_to_learn(float(beta), 1, 1.0)
        found[f"exact_four_{beta}"] = measured.with_nothing_to_learn(float(beta), 4, 2.0)
    return found | {
        "own": middle(measured.with_own_beta(2.0, 4.0)),
        "exact_8": measured.with_nothing_to_learn(8.0, 1, 1.0),
        "reach": ATTACK,
        "attack_own": middle(measured.looked_up(1, 16.0, "own gradient", ATTACK, "sparsemax")),
        "attack_worst": middle(measured.looked_up(1, 16.0, "worst", ATTACK, "sparsemax")),
        "attack_soft": middle(measured.looked_up(1, 16.0, "worst", ATTACK)),
    }


def of_maps():
    alone, large = measured.last("softmax", "one layer"), measured.steps("sparsemax", "large queries")
    return {
        "runs": sum(len(measured.steps(name)) for name in MAPS),
        "reached": sum((measured.steps(name) <= 400).sum() for name in MAPS),
        "one_layer_least": alone.min(),
        "one_layer_most": alone.max(),
        "large_failed": np.isinf(large).sum(),
        "large_worst": measured.last("sparsemax", "large queries").min(),
        # As bounds in whole percents, so down and up.
        "small_right": np.floor(100 * measured.last("softmax", "small embeddings").min()) / 100,
        "small_looks": np.ceil(100 * measured.looks("softmax", "small embeddings").max()) / 100,
        "plain_looks": np.floor(100 * measured.looks("softmax", "plain").min()) / 100,
    }


def of_location():
    keys = {"the best possible": "best", "softmax": "softmax", "sparsemax": "sparsemax", "linear": "linear"}
    return {
        f"location_{key}_{n}_{lead:g}": errors(n, lead)[name]
        for n in WORDS
        for lead in LEADS
        for name, key in keys.items()
    }


def of_sweeps():
    files = [measured.found(name) for name in EXPERIMENTS]
    return {
        "trained": sum(len(file["runs"]) for file in files),
        "minutes": sum(file["seconds"] for file in files) / 60,
    }


def of_the_encoder():
    """Also how many sentences more another β has right, where rivals share words with the sentence."""
    own = encoder.right("own", "similar").sum()
    betas = [change for change in encoder.made()["cosine"] if change.startswith("beta ")]
    return encoder.numbers() | {
        "triples": len(encoder.right("own", "unrelated")),
        "better": max(encoder.right(change, "similar").sum() - own for change in betas),
    }


def numbers():
    return of_dispersion() | of_noise() | of_maps() | of_location() | of_sweeps() | of_the_encoder()
