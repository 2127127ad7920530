"""The numbers in the text of the chapter *scale*."""

import numpy as np

from book.figures.random_queries import WIDTHS, random_rows
from book.scale.checks import MANY, gradient_of_the_sure, median_pull, sink
from book.scale.dropout import noise
from book.scale.remedies import least_loss_alike
from book.scale.sensitivity import (
    largest_factor,
    loss_gradients,
    loss_ratio,
    share_of_loudest,
    times_for_two,
    times_undivided,
)
from book.scale.training import even_loss, first_gradients, least_loss, losses_left, stuck, train, unsure


def median_top(d, scale):
    """The median of the largest weights."""
    return np.median(random_rows(d, scale).weights.max(axis=1))


def pulls():
    """Of the largest possible pulls, with 16 keys."""
    times = {d: median_pull(d, "undivided") / median_pull(d, "divided") for d in WIDTHS}
    rows = {scale: random_rows(64, scale) for scale in ("divided", "undivided")}
    return {
        "pull": median_pull(64, "undivided"),
        "pull_divided": median_pull(64, "divided"),
        "times": times[64],
        "times_half": times_undivided(64, variance=1 / 2),
        "times_half_wide": times_undivided(512, variance=1 / 2),
        "peak": max(times, key=times.get),
        "top": 100 * median_top(64, "undivided"),
        "top_scaled": 100 * median_top(64, "divided"),
        "top_narrow": 100 * median_top(4, "undivided"),
        "top_narrow_scaled": 100 * median_top(4, "divided"),
        "top_wide_scaled": 100 * median_top(512, "divided"),
        "factor64": np.median(largest_factor(rows["undivided"].weights)),
        "factor_scaled64": np.median(largest_factor(rows["divided"].weights)),
    }


def slopes():
    """Of the largest weight in its own score, βπ(1 − π), from its medians as the text shows them."""
    top, divided = (round(median_top(64, scale), 2) for scale in ("undivided", "divided"))
    sharp, flat = top * (1 - top), divided * (1 - divided) / 64**0.5
    return {
        "slope_top": top,
        "slope_rest": 1 - top,
        "slope": sharp,
        "slope_top_divided": divided,
        "slope_rest_divided": 1 - divided,
        "slope_divided": flat,
        "slope_times": sharp / flat,
    }


def times_of_each():
    """Of each problem, how many times as much loss is left without the division: the least and the most."""
    plain, adam = (losses_left(1.0, adam=adam) / losses_left(1 / 8, adam=adam) for adam in (False, True))
    return {
        "loss_times_low": plain.min(),
        "loss_times_high": plain.max(),
        "adam_times_low": adam.min(),
        "adam_times_high": adam.max(),
    }


def two_keys():
    """Of two keys, with the median lead that the best of 16 has over the second."""
    scores = np.sort(random_rows(64).scores, axis=1)
    lead = np.median(scores[:, -1] - scores[:, -2])
    times = {d: times_for_two(d, lead) for d in WIDTHS}
    below = next(d for d in WIDTHS if d > 16 and times[d] < 1)
    return {
        "lead": lead,
        "two_peak": max(times, key=times.get),
        "two_before": WIDTHS[WIDTHS.index(below) - 1],
        "two_after": below,
    }


def losses():
    """Of the gradients of a loss."""
    found = {}
    for n, runs in ((7, MANY), (16, MANY), (64, 2000)):
        for width in (1, 16, 64):
            found[f"loss_{n}_{width}"] = loss_ratio(64, n, width, runs=runs)
            found[f"mean_{n}_{width}"] = loss_ratio(64, n, width, np.mean, runs=runs)
    at_64, at_512 = loss_gradients(64, runs=MANY), loss_gradients(512)
    for scale in ("divided", "undivided"):
        found[f"one_{scale}"] = np.median(at_64[scale, 1])
        found[f"one_mean_{scale}"] = at_64[scale, 1].mean()
        found[f"wide_{scale}"] = np.median(at_64[scale, 64])
        found[f"loudest_wide_{scale}"] = 100 * share_of_loudest(at_512[scale, 1])
    return found


def training():
    """Of the experiments."""
    sharp, usual = first_gradients(1.0), first_gradients(1 / 8)
    begin, others = stuck(1.0, trained=False), unsure(1.0, trained=False)
    return {
        "usual_start": train(1 / 8, 1.0, steps=0)[0].item(),
        "sharp_start": train(1.0, 1.0, steps=0)[0].item(),
        "usual_loss": least_loss(1 / 8),
        "sharp_loss": least_loss(1.0),
        "loss_times": least_loss(1.0) / least_loss(1 / 8),
        "adam_times": least_loss(1.0, adam=True) / least_loss(1 / 8, adam=True),
        "half_sharp": least_loss(1 / 2),
        "half_usual": least_loss(1 / 16),
        "third_sharp": least_loss(1 / 3),
        "third_usual": least_loss(1 / 24),
        "adam_sharp": least_loss(1.0, adam=True),
        "adam_usual": least_loss(1 / 8, adam=True),
        "second_alike": least_loss_alike(1.0, 16, 16),
        "second_sharp": least_loss(1.0, 16, 16),
        "second_usual": least_loss(1 / 8, 16, 16),
        "even_loss": even_loss(),
        "second_even": even_loss(16, 16),
        "here_usual": np.median(usual),
        "here_sharp": np.median(sharp),
        "there_usual": np.median(first_gradients(1 / 8, 16, 16)),
        "there_sharp": np.median(first_gradients(1.0, 16, 16)),
        "stuck_gradient": np.median(sharp[begin]),
        "other_gradient": np.median(sharp[others]),
        "unequal": 1 / gradient_of_the_sure(),
        "there_unequal": 1 / gradient_of_the_sure(n=16, width=16),
        "there_stuck": 100 * stuck(1.0, trained=False, n=16, width=16).mean(),
        "stuck_first": 100 * begin.mean(),
        "usual_stuck_first": 100 * stuck(1 / 8, trained=False).mean(),
        "stuck": 100 * stuck(1.0).mean(),
        "usual_stuck": 100 * stuck(1 / 8).mean(),
        "adam_stuck": 100 * stuck(1.0, adam=True).mean(),
        "adam_usual_stuck": 100 * stuck(1 / 8, adam=True).mean(),
        "third_stuck_first": 100 * stuck(1 / 3, trained=False).mean(),
    }


def numbers():
    return {
        **pulls(),
        **slopes(),
        **times_of_each(),
        **two_keys(),
        **losses(),
        **training(),
        "agree": 64**0.5 / 10,
        "agree_wide": 512**0.5 / 10,
        "even": noise(np.full(4, 0.25), sink),
    }
