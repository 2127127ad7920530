"""Divergences that the chapters compare with KL."""

import numpy as np


def total_variation(p, q):
    """The largest difference in probability that p and q give to one event: Σ|p − q|/2."""
    return 0.5 * np.abs(p - q).sum()


def chi_squared(p, q):
    """Pearson's divergence Σ(p − q)²/q; with q uniform, n times the squared distance."""
    return ((p - q) ** 2 / q).sum()


def renyi(p, q):
    """Rényi's divergence of order 2, log Σ p²/q; it adds up over independent parts, as KL does."""
    return np.log((p**2 / q).sum())
