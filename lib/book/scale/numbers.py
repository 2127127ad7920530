"""The numbers in the text of the chapter *scale*."""

import numpy as np

from lib.book.scale.checks import sink, typical
from lib.book.scale.dropout import noise
from lib.book.scale.sensitivity import largest_factor, sensitivity, share_of_loudest, times_undivided
from lib.book.scale.training import even_loss, first_gradients, least_loss, stuck
from lib.figures.random_queries import WIDTHS, random_rows


def numbers():
    times = {d: typical(d, "undivided") / typical(d, "divided") for d in WIDTHS}
    raw64, scaled64, raw512, scaled512 = (
        random_rows(d, scale) for d in (64, 512) for scale in ("undivided", "divided")
    )
    below = next(d for d in WIDTHS if times[d] < 1)
    begin, first = stuck(1.0, trained=False), first_gradients(1.0)
    collapsed = np.array([10.0, 0.1, 0.1, 0.1])
    return {
        "agree": 64**0.5 / 10,
        "agree_wide": 512**0.5 / 10,
        "times": times[64],
        "part": 1 / times[512],
        "times_half": times_undivided(64, variance=1 / 2),
        "times_half_wide": times_undivided(512, variance=1 / 2),
        "peak": max(times, key=times.get),
        "before": WIDTHS[WIDTHS.index(below) - 1],
        "after": below,
        "top": 100 * np.median(raw64.weights.max(axis=1)),
        "top_scaled": 100 * np.median(scaled64.weights.max(axis=1)),
        "factor64": np.median(largest_factor(raw64.weights)),
        "factor_scaled64": np.median(largest_factor(scaled64.weights)),
        "mean_times": raw512.gradient.mean() / scaled512.gradient.mean(),
        "loudest": 100 * share_of_loudest(raw512.gradient),
        "usual": 100 * share_of_loudest(scaled512.gradient),
        "loudest64": 100 * share_of_loudest(raw64.gradient),
        "usual64": 100 * share_of_loudest(scaled64.gradient),
        "usual_loss": least_loss(1 / 8),
        "flat_loss": least_loss(1 / 32),
        "sharp_loss": least_loss(1.0),
        "even_loss": even_loss(),
        "half_sharp": least_loss(1 / 2),
        "half_usual": least_loss(1 / 16),
        "here": np.median(first) / np.median(first_gradients(1 / 8)),
        "stuck_gradient": np.median(first[begin]),
        "other_gradient": np.median(first[~begin]),
        "stuck_first": 100 * begin.mean(),
        "stuck": 100 * stuck(1.0).mean(),
        "usual_first": 100 * stuck(1 / 8, trained=False).mean(),
        "usual_stuck": 100 * stuck(1 / 8).mean(),
        "factor": 1e4 * sensitivity(collapsed),
        "factor_soft": sensitivity(collapsed, 0.1),
        "even": noise(np.full(4, 0.25), sink),
    }
