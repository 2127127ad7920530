"""How much of the weight one token can have: the β that it needs, and the most that a given β allows."""

import numpy as np


def winning_beta(n, lead, rest):
    """The β at which one score, `lead` points above n − 1 others that tie, leaves them a weight of `rest`.

    Their odds against it are (n − 1) e^(−β lead), and are to be rest/(1 − rest). Negative if `rest` is more than
    1 − 1/n: the leader would have less than an even share.

    >>> print(f"{winning_beta(2, lead=1.0, rest=0.5):.0f}, {winning_beta(101, lead=1.0, rest=0.5):.3f}")
    0, 4.605
    """
    return np.log((n - 1) * (1 - rest) / rest) / lead


def largest_share(n, spread):
    """The most that one of n tokens can have if no score is more than `spread` below it, in nats (β times points).

    It has that if all the others are `spread` below.

    >>> print(f"{largest_share(2, 0.0):.2f}, {largest_share(1000, 2.6):.4f}")
    0.50, 0.0133
    """
    return 1 / (1 + (n - 1) * np.exp(-spread))
