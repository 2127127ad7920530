"""The numbers in the text of the chapter *experiments*."""

import numpy as np

from lib import softmax
from lib.book import encoder
from lib.book.experiments import measured
from lib.book.experiments.checks import GROWS, lost_with_nothing_to_learn
from lib.models.induction import MAPS

ATTACK = 0.3  # how far keys are moved, as a part of their length


def middle(values):
    """The median of the seeds, and with several sizes that of each."""
    return np.median(values, axis=0)


def of_dispersion():
    first = {n: softmax(np.eye(1, n, 0)[0] * 5)[0] for n in (8, 1000)}
    stays, shrinks = (middle(measured.retrieved("softmax", lead)) for lead in (0.1, 0.0))
    ceiling = middle(measured.retrieved("softmax", 0.0, "ceiling"))
    grows = [middle(measured.retrieved(rule, 0.1))[-1] for rule in (*GROWS, "sparsemax")]
    polynomial = middle(measured.retrieved("entropy", 0.1))
    found = {f"right_{n}": stays[measured.at(n)] for n in (64, 256, 512, 1024, 4096)}
    found |= {f"polynomial_{n}": polynomial[measured.at(n)] for n in (1024, 2048, 4096)}
    tops, predicted = measured.retrieved("softmax", 0.1, "top"), measured.predicted()
    weight, answers = (
        measured.falls(rows, level) for rows, level in ((tops, 0.5), (measured.retrieved("softmax", 0.1), 0.9))
    )
    return found | {
        "eight": first[8],
        "thousand": first[1000],
        "worth": np.exp(5),
        "tie": np.exp(5) + 1,
        "grows_4096": min(grows),
        "entmax_4096": middle(measured.retrieved("entmax", 0.1))[-1],
        "ceiling_64": ceiling[measured.at(64)],
        "ceiling_1024": ceiling[measured.at(1024)],
        "shrinks_1024": shrinks[measured.at(1024)],
        "shrinks_grows_1024": middle(measured.retrieved("log n, learned", 0.0))[measured.at(1024)],
        "ceiling_grows_1024": middle(measured.retrieved("log n, learned", 0.0, "ceiling"))[measured.at(1024)],
        "predicted": middle(predicted),
        "halves": middle(weight / predicted),
        "fails": middle(answers / predicted),
        "top_256": middle(tops)[measured.at(256)],
    }


def of_noise():
    found = {}
    for beta in (4, 128):
        found[f"four_clean_{beta}"] = middle(measured.looked_up(4, beta))
        found[f"four_keys_{beta}"] = middle(measured.looked_up(4, beta, "keys", 2.0))
        found[f"four_values_{beta}"] = middle(measured.looked_up(4, beta, "values", 0.75))
        found[f"one_keys_{beta}"] = middle(measured.looked_up(1, beta, "keys", 1.0))
        found[f"one_values_{beta}"] = middle(measured.looked_up(1, beta, "values", 0.25))
    for noise in (0.0, 1.0, 1.5, 2.0):
        for start in (4.0, 16.0):
            found[f"settled_{noise:g}_{start:g}".replace(".", "_")] = middle(measured.settled(noise, start))
    for beta in (1.25, 5.0, 10.0, 20.0):
        found[f"held_{beta:g}".replace(".", "_")] = middle(measured.held(beta))
    return found | {
        "own": middle(measured.with_own_beta(2.0, 4.0)),
        "indifferent": min(measured.with_own_beta(0.0, 4.0, times).min() for times in (0.25, 4.0)),
        "exact_8": measured.with_nothing_to_learn(8.0, 1, 1.0),
        "exact_lost": lost_with_nothing_to_learn(),
        "reach": ATTACK,
        "attack_own": middle(measured.looked_up(1, 16.0, "own gradient", ATTACK, "sparsemax")),
        "attack_worst": middle(measured.looked_up(1, 16.0, "worst", ATTACK, "sparsemax")),
        "attack_soft": middle(measured.looked_up(1, 16.0, "worst", ATTACK)),
    }


def of_maps():
    found = {f"steps_{name}": middle(measured.steps(name)) for name in MAPS}
    alone, others = measured.last("softmax", "one layer"), [name for name in MAPS if name != "softmax"]
    large = measured.steps("sparsemax", "large queries")
    return found | {
        "runs": sum(len(measured.steps(name)) for name in MAPS),
        "reached": sum((measured.steps(name) <= 400).sum() for name in MAPS),
        "laggard": min(measured.last(name, "plain").min() for name in MAPS),
        "twice_softmax": middle(measured.last("softmax", "repeats")),
        "twice_least": min(middle(measured.last(name, "repeats")) for name in others),
        "twice_most": max(middle(measured.last(name, "repeats")) for name in others),
        "one_layer_least": alone.min(),
        "one_layer_most": alone.max(),
        "large_failed": np.isinf(large).sum(),
        "large_worst": measured.last("sparsemax", "large queries").min(),
        "small_right": measured.last("softmax", "small embeddings").min(),
        "small_looks": measured.looks("softmax", "small embeddings").max(),
        "plain_looks": measured.looks("softmax", "plain").min(),
    }


def of_sweeps():
    files = [measured.found(name) for name in ("retrieval", "sharpness", "learned_beta", "induction")]
    return {
        "trained": sum(len(file["runs"]) for file in files),
        "minutes": sum(file["seconds"] for file in files) / 60,
    }


def numbers():
    found = of_dispersion() | of_noise() | of_maps() | of_sweeps() | encoder.numbers()
    return found | {"triples": len(encoder.right("own", "unrelated"))}
