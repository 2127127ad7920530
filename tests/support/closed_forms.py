"""Sparsemax and entmax 1.5 by sorting: no iteration, and nothing shared with `lib`."""

import math

import numpy as np
from in_node import number

import lib


def null_of(row):
    prior = np.ones(len(row["scores"])) if row["prior"] is None else number(row["prior"])
    return prior / prior.sum()


def by_sorting(row, beta):
    """The closed forms of Martins and Astudillo (2016) and Peters et al. (2019): no iteration."""
    if row["alpha"] == 1 or beta == 0 or math.isinf(beta):
        return lib.softmax(number(row["scores"]), beta, prior=null_of(row))
    u = null_of(row)
    s = number(row["scores"])
    x = beta * (s - s[u > 0].max()) * (row["alpha"] - 1) + (0 if row["prior"] is None else u ** (row["alpha"] - 1))
    z = np.sort(x[u > 0])[::-1]
    k = np.arange(1, len(z) + 1)
    mean = np.cumsum(z) / k
    if row["alpha"] == 2:
        taus = mean - 1 / k
    else:
        spread = np.cumsum(z**2) / k - mean**2
        taus = mean - np.sqrt(np.maximum(0, 1 / k - spread))
    tau = taus[np.sum(taus <= z) - 1]
    return np.where(u > 0, np.maximum(0, x - tau), 0) ** (1 / (row["alpha"] - 1))
