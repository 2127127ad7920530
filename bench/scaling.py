"""Time and memory of attention as n grows, and the powers of n that fit them best."""

import functools
import os
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch

import lib
from bench.measure import median_ms, peak_memory
from bench.report import Bar

HEADS, WIDTH = 4, 64
SIZES = (256, 512, 1024, 2048, 4096, 8192, 16384)
QUICK_SIZES = (1024, 2048, 4096)
FITTED_FROM = 2048  # for smaller n the fixed cost of a call counts too
LINEAR = 1.1  # largest power of n that counts as O(n) memory, as well as it can be measured
MOST_STORED = 4e9  # bytes of scores, in a point that is measured


class Curve(NamedTuple):
    attend: Callable  # (q, k, v) -> output
    arrays: int = 0  # how many arrays (H, n, n) are held at once


class Point(NamedTuple):
    name: str
    curve: str
    n: int
    setup: Callable  # () -> the call that is measured


def stored(q, k, v):
    return torch.softmax(q @ k.mT * WIDTH**-0.5, -1) @ v


CURVES = {
    "softmax": Curve(lib.attention),
    "softmax, scores stored": Curve(stored, arrays=2),
    "entmax 1.5": Curve(functools.partial(lib.attention, weights="entmax", alpha=1.5)),
    "sparsemax": Curve(functools.partial(lib.attention, weights="sparsemax")),
    "softmax, window of 256": Curve(functools.partial(lib.attention, window=256)),
    "linear attention, causal": Curve(functools.partial(lib.linear_attention, causal=True)),
}


def points():
    for curve, (attend, arrays) in CURVES.items():
        for n in SIZES:
            if arrays * 4 * HEADS * n**2 <= MOST_STORED:
                yield Point(f"scaling, {curve}, n = {n}", curve, n, functools.partial(setup, attend, n))


def setup(attend, n):
    q, k, v = torch.randn(3, 1, HEADS, n, WIDTH, generator=torch.Generator().manual_seed(0)).unbind(0)
    return functools.partial(attend, q, k, v)


def run(points, results, quick):
    """Measure the points that are not in the results; after each, fit its curve anew and save."""
    points = left(points, results)
    bar = Bar(len(points))
    for point in points:
        bar.show(point.name)
        found = sorted([*so_far(results, point), measure(point, quick)], key=lambda p: p["n"])
        powers = {key: power([p["n"] for p in found], [p[key] for p in found]) for key in ("ms", "mb")}
        limits = {"ms": None, "mb": None if CURVES[point.curve].arrays else LINEAR}
        results.scaling[point.curve] = {
            "heads": HEADS,
            "width": WIDTH,
            "fitted_from": FITTED_FROM,
            "powers": powers,
            "limits": limits,
            "points": found,
        }
        results.save()
    bar.close()


def left(points, results):
    """The points that are not in the results."""
    return [point for point in points if point.n not in [p["n"] for p in so_far(results, point)]]


def so_far(results, point):
    return results.scaling.get(point.curve, {"points": []})["points"]


def measure(point, quick):
    ms = median_ms(point.setup(), rounds=3 if quick else 7, seconds=0.5 if quick else 3.0)
    memory = {} if quick else peak_memory(point.name)
    return {"n": point.n, "ms": ms, "mb": memory.get("mb"), "load": os.getloadavg()[0]}


def power(n, y, smallest=FITTED_FROM):
    """The p of y ≈ c nᵖ by least squares of log y on log n, over n ≥ `smallest`; None for fewer than 2 points.

    A y of None, or of 0, which is too little to be measured, is left out.
    """
    kept = [(a, b) for a, b in zip(n, y, strict=True) if a >= smallest and b]
    if len(kept) < 2:
        return None
    return np.polyfit(*np.log(kept).T, 1)[0]
