"""The numbers in the text of the chapter *experiments*."""

import numpy as np

from book import encoder
from book.experiments import measured
from book.experiments.location import LEADS, WORDS, errors
from book.models.induction import BETAS, MAPS, RATES
from book.models.retrieval import STEPS
from book.models.sweep import EXPERIMENTS
from lib import softmax

ATTACK = 0.3  # how far keys are moved, as a part of their length


def middle(values):
    """The median of the seeds, and with several sizes that of each."""
    return np.median(values, axis=0)


def of_dispersion():
    stays, polynomial = (middle(measured.retrieved(rule, 0.1)) for rule in ("softmax", "entropy"))
    found = {f"right_{n}": stays[measured.at(n)] for n in (256, 4096)}
    for steps in STEPS[1:]:
        longer, top = (middle(measured.retrieved("softmax", 0.1, what, steps)) for what in ("right", "top"))
        found[f"right_4096_after_{steps}"] = longer[-1]
        found[f"top_4096_after_{steps}"] = top[-1]
        found[f"predicted_{steps}"] = middle(measured.predicted(steps))
    tops = measured.retrieved("softmax", 0.1, "top", STEPS[1])
    found["halves_2800"] = middle(measured.falls(tops, 0.5) / measured.predicted(STEPS[1]))
    found["top_4096"] = middle(measured.retrieved("softmax", 0.1, "top"))[-1]
    found |= {f"polynomial_{n}": polynomial[measured.at(n)] for n in (2048, 4096)}
    tops, answers = (measured.retrieved("softmax", 0.1, what) for what in ("top", "right"))
    ceiling, learned = (middle(measured.retrieved(rule, 0.0, "ceiling")) for rule in ("softmax", "log n, learned"))
    predicted = measured.predicted()
    return found | {
        "eight": softmax(np.eye(1, 8)[0] * 5)[0],
        "entmax_4096": middle(measured.retrieved("entmax", 0.1))[-1],
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
        found[f"four_values_{beta}_long"] = middle(measured.looked_up(4, beta, "values", 0.75, long=True))
        found[f"four_keys_{beta}_long"] = middle(measured.looked_up(4, beta, "keys", 2.0, long=True))
        found[f"one_keys_{beta}_long"] = middle(measured.looked_up(1, beta, "keys", 1.0, long=True))
    for agree, noise, name in ((1, 1.0, "one"), (4, 2.0, "four")):
        for said, long in {"": False, "_long": True}.items():
            found[f"{name}_keys_sharpened{said}"] = middle(
                measured.looked_up(agree, 4.0, "sharpened keys", noise, long=long)
            )
    for said, noise in {"half": 0.5, "2": 2.0}.items():
        found |= {f"settled_{said}_{start}": middle(measured.settled(noise, start)) for start in (4, 16)}
    alone = np.concatenate([measured.settled(0.0, start) for start in (4.0, 16.0)])
    found |= {"settled_least": alone.min(), "settled_most": alone.max()}
    for name, rate in {"slow": 0.005, "fast": 0.03}.items():
        found[f"settled_{name}"] = middle([middle(measured.settled(2.0, start, rate)) for start in (4.0, 16.0)])
    for beta in (1, 2, 4, 8, 16):
        found[f"held_{beta}"] = middle(measured.held(float(beta)))
    return found | {
        "own": middle(measured.with_own_beta(2.0, 4.0)),
        "reach": ATTACK,
        "attack_own": middle(measured.looked_up(1, 16.0, "own gradient", ATTACK, "sparsemax")),
        "attack_worst": middle(measured.looked_up(1, 16.0, "worst", ATTACK, "sparsemax")),
        "attack_soft": middle(measured.looked_up(1, 16.0, "worst", ATTACK)),
    }


def of_maps():
    found = {}
    for name in MAPS:
        betas = BETAS if name in MAPS[:4] else (1,)
        found[f"soonest_{name}"] = middle(measured.steps_at_best(name, betas))
        found[f"best_rate_{name}"] = measured.best(name, betas)[0]
        found |= {f"arrived_{name}_{k}": measured.arrived(name, rate) for k, rate in enumerate(RATES)}
        found |= {f"steps_{name}_{k}": middle(measured.steps(name, rate)) for k, rate in enumerate(RATES)}
    for how in ("open", "shut"):
        found[f"arrived_{how}"] = measured.arrived(f"sparsemax, {how}", 0.02, "gradients")
    found["arrived_open_03"] = measured.arrived("sparsemax, open", 0.03, "gradients")
    found["sharper_softmax"] = middle(measured.steps("softmax", 0.003, measured.at_beta(2)))
    found["arrived_sharper"] = measured.arrived("softmax", 0.03, measured.at_beta(2))
    found["arrived_warm_up"] = measured.arrived("entmax", 0.03, "long warm-up")
    found["arrived_made_up_for"] = measured.arrived("entmax", 0.03, "beta 0.125, made up for")
    for name in MAPS[:2]:
        found[f"larger_{name}"] = middle(measured.steps(name, 0.02, "larger, beta 0.125"))
        found[f"twice_own_{name}"] = middle(measured.last(name, 0.02, "repeats, beta 0.125"))
    for name in ("softmax", "sparsemax"):
        found[f"large_queries_{name}"] = middle(measured.steps(name, 0.01, "large queries"))
    for name in ("softmax", "entmax"):
        for k, rate in enumerate((0.003, 0.01, 0.02)):
            found[f"twice_{name}_{k}"] = middle(measured.last(name, rate, "repeats"))
    two, wide = measured.last("softmax", 0.01, "one layer"), measured.last("softmax", 0.003, "one wide layer")
    return found | {
        "one_layer_least": two.min(),
        "one_layer_most": two.max(),
        "one_layer_wide": wide.min(),
        # As bounds in whole percents, so down and up.
        "small_right": np.floor(100 * measured.last("softmax", 0.01, "small embeddings").min()) / 100,
        "small_looks": np.ceil(100 * measured.looks("softmax", 0.01, "small embeddings").max()) / 100,
        "plain_looks": np.floor(100 * measured.looks("softmax", 0.01, "plain").min()) / 100,
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
