"""The numbers in the text of the chapter *patterns*."""

from math import comb

import numpy as np

from book import encoder, encoder_story
from book.figures import encoder_heads
from book.models.copying import SYMBOLS, head_scores
from book.patterns import copier, sinks
from book.patterns.checks import STORY, at_rest_among_the_farthest
from book.patterns.copier import FOUND
from lib import effective_count


def of_the_copier():
    previous, induction = copier.heads("previous"), copier.heads("induction")
    scores = head_scores(copier.model(), copier.TEXTS // 2)
    others = [[(i, j) not in heads for i, j in np.ndindex(2, 4)] for heads in (previous, induction)]
    rest = [np.ravel(scores[role])[mask] for role, mask in zip(("previous", "induction"), others, strict=True)]
    whole = copier.read()
    texts = copier.blocks()[0]
    weight, rollout = copier.last_layer(texts).mean(axis=0), copier.rollout(texts).mean(axis=0)  # (t,) each
    silent = copier.lost_if_silent(FOUND - 1, 0).mean()
    return {
        "right": copier.accuracy(),
        "right_without_previous": copier.accuracy(previous[:1]),
        "right_without_one": min(copier.accuracy((head,)) for head in induction),
        "right_without_four": copier.accuracy(induction),
        "right_eighth": copier.accuracy((), 1 / 8),
        "right_without_other": copier.accuracy((copier.helper(),)),
        "once_without_other": copier.accuracy((copier.helper(),), twice=False),
        "two_back": copier.looks_back(copier.helper(), 2),
        "twice": copier.accuracy(twice=True),
        "twice_without_other": copier.accuracy((copier.helper(),), twice=True),
        "previous": max(np.ravel(scores["previous"])),
        # As bounds in whole percents, so down and up.
        "induction": np.floor(100 * min(np.ravel(scores["induction"])[i * 4 + j] for i, j in induction)) / 100,
        "other": np.ceil(100 * max(map(max, rest))) / 100,
        "unknown_right": whole.right[~whole.known].double().mean(),
        "unknown_surprise": whole.surprise[~whole.known].mean(),
        "blind": np.log(len(SYMBOLS) - 1),
        "unknown_sharpest": copier.largest_weights()[copier.BLOCK // 2 + 1 : copier.BLOCK + 1].mean(),
        "known_sharpest": copier.largest_weights()[copier.BLOCK + 1 :].mean(),
        "before_weight": weight[FOUND - 1],
        "before_silent": silent,
        "before_factor": np.exp(silent),
        "swapped": copier.follows(),
        "rollout_before": rollout[FOUND - 1],
        "rollout_beside": rollout[-2],
        "beside_exchanged": np.ceil(1000 * copier.lost_if_exchanged(twice=False)) / 1000,  # as a bound
        "rollout_beside_twice": copier.rollout_of_the_last_but_one(twice=True),
        "follows_the_exchange": copier.follows_the_exchange(twice=True),
    }


def of_the_encoder():
    weights = encoder_heads.weights("thirsty")
    roles, count = encoder_heads.roles(weights), effective_count(weights).mean(axis=-1)  # (6, 12) each
    noun = {}
    for name in ("thirsty", "sweet", "ball", "big", "small"):
        kept = encoder_heads.sentence(name)
        row = encoder_heads.weights(name)[STORY[0] - 1, STORY[1] - 1, kept["tokens"].index("it")]
        noun |= {f"{name}_{word}": row[kept["tokens"].index(word)] for word in kept["nouns"]}
    return {
        "heads": roles.size,
        "by_hand": effective_count(np.array([0.5, 0.25, 0.25])),
        "resting": (roles == "start").sum(),
        "rest_count": count[2, 7],
        "previous_count": count[0, 2],
        "farthest_resting": at_rest_among_the_farthest(),
        "sentences": len(encoder.cosines("softmax_plus_one")),
        "rest_length": sinks.length(True).mean(),
        "rest_ratio": sinks.even_over_silent(True),
        "rest_silent": sinks.turned(True, "zero"),
        "other_silent": sinks.turned(False, "zero"),
        "plus_one": encoder.cosine("softmax_plus_one"),
        **noun,
    }


def of_the_pairs():
    ours, others = encoder_story.of_head(*encoder_story.HEAD), encoder_story.best_other()
    best, turned = encoder_story.of_head(*others), encoder_story.turned()
    medians = {name: float(np.median(degrees)) for name, degrees in turned.items()}
    sparse = [medians[f"{name} 1"] for name in ("entmax", "sparsemax", "relu_norm")]
    pairs = len(encoder_story.pairs())
    begun = encoder_story.right(encoder_story.weights())[0, :, STORY[0] - 1, STORY[1] - 1]  # the first pair
    return {
        "pairs_both": ours["both"],
        "pairs_one": ours["one"],
        "pairs_changed": ours["both"] + ours["none"],
        "pairs_written": pairs - 1,
        "pairs_written_both": ours["both"] - begun.all(),
        "on_nouns": ours["on_nouns"],
        "best_both": best["both"],
        "best_on_nouns": best["on_nouns"],
        "best_coin": best_of_coins(pairs, encoder_heads.made()["layers"] * encoder_heads.made()["heads"]),
        "turned_least": min(sparse),
        "turned_most": max(sparse),
        "turned_sigmoid": medians["sigmoid_weights 1"],
        "turned_none": medians["none 1"],
    }


def best_of_coins(pairs, coins):
    """How many pairs the best of so many coins gets right both times: the median."""
    chance = np.cumsum([comb(pairs, k) * 3.0 ** (pairs - k) for k in range(pairs + 1)]) / 4.0**pairs
    return int(np.flatnonzero(chance**coins >= 0.5)[0])


def numbers():
    return of_the_copier() | of_the_encoder() | of_the_pairs()
