"""What came of the experiments, a file for each as `python -m book.models.sweep` wrote it; needs NumPy alone."""

import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent


def results(name: str) -> dict:
    """What stands in the file of an experiment: how it was made, and under "runs" a dict for each run.

    >>> found = results("learned_beta")
    >>> found["command"]
    'python -m book.models.sweep learned_beta --seeds 8'
    """
    found = json.loads(FOLDER.joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return found | {"runs": [run for group in found["runs"] for run in each_seed(**group)]}


def each_seed(setting: dict, seeds: dict) -> list[dict]:
    """The runs of one line of a file, in which each result is a list over the seeds."""
    columns = zip(*seeds.values(), strict=True)
    return [setting | {"seed": seed} | dict(zip(seeds, of, strict=True)) for seed, of in enumerate(columns)]


def select(found: dict, **settings) -> list[dict]:
    """The runs with these settings, in the order of their seeds."""
    rows = [run for run in found["runs"] if all(run[key] == value for key, value in settings.items())]
    return sorted(rows, key=lambda run: run["seed"])


def interval(values) -> tuple[float, float, float]:
    """Least, median and greatest of the seeds' values.

    The median of all seeds there could be lies between the least and the greatest of eight with a probability of
    1 − 2/2⁸ = 99 %, whatever their distribution: it is outside only if all eight fell on the same side of it.

    >>> interval([3, 1, 2])
    (1.0, 2.0, 3.0)
    """
    return float(np.min(values)), float(np.median(values)), float(np.max(values))


def differ(first, second) -> int:
    """1 or −1 if the first is larger, or smaller, for every seed of eight or more; else 0: the same.

    If both were equally likely to be the larger one, eight of eight would agree once in 128 times (the sign test).

    >>> differ(range(1, 9), range(8)), differ([1, 2, 3], [0, 0, 0])
    (1, 0)
    """
    signs = np.sign(np.subtract(first, second))
    return int(signs[0]) if len(signs) >= 8 and (signs == signs[0]).all() else 0
