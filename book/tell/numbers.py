"""The numbers in the text of the chapter *tell*."""

import numpy as np
from scipy.stats import norm

from book.example import SCORES, TOKENS
from book.figures import tell
from book.tell.checks import error, pi, s, u
from lib import kl_divergence, softmax


def numbers():
    def fewest(beta=1.0):
        """The fewest words with which both errors can be at most 5%."""
        return next(m for m in range(1, 2000) if error(m, "misses", beta) <= 0.05)

    log_ratio = np.log(pi / u)  # (n,)
    ten_tokens = tell.best_test(SCORES, 1.0, 10, hold="neither")
    spread = np.sqrt(pi @ (log_ratio - pi @ log_ratio) ** 2)  # of one log-ratio, drawn from π
    naive = int(np.ceil(np.log(20) / kl_divergence(pi, u)))
    return {
        **{token: pi[TOKENS.index(token)] for token in ("cat", "milk", "because")},
        "the": 2 * pi[0],
        "even_chance": u[0],
        "cat_ratio": pi[1] / u[1],
        "pair_alarm": 2 / 7,  # a test on one word that says π for cat and milk
        "pair_miss": 1 - pi[1] - pi[4],
        "three_alarm": 3 / 7,  # and for drank, too
        "three_miss": 1 - pi[1] - pi[2] - pi[4],
        "forward": kl_divergence(pi, u),
        "forward_factor": np.exp(kl_divergence(pi, u)),
        **{f"factor_{m}": error(m, "misses") / error(m + 1, "misses") for m in (100, 1000)},
        "high_100": float(f"{error(100, 'misses') * np.exp(100 * kl_divergence(pi, u)):.1e}"),  # 1700: two digits
        "backward_factor": np.exp(kl_divergence(u, pi)),
        "chernoff_factor": np.exp(tell.limit(s, 1.0, "neither")),
        "ten_alarm": np.exp(ten_tokens.log_false_alarm),
        "ten_miss": np.exp(ten_tokens.log_miss),
        "ten_held": error(10, "misses"),
        "one_less": error(18, "misses"),
        "enough": error(19, "misses"),
        "fewest": fewest(),
        "fewest_half": fewest(0.5),
        "fewest_quarter": fewest(0.25),
        "half_nats": kl_divergence(softmax(s, 0.5), u),
        "silent": np.ceil(2 / kl_divergence(softmax(s, 0.5), u)),
        "naive": naive,
        "naive_alarm": error(naive, "misses"),
        "quantile": -norm.ppf(0.05),
        "spread": spread,
        "shift": -norm.ppf(0.05) * spread,
        "shift_100": -norm.ppf(0.05) * spread / 10,
        "lack_100": kl_divergence(pi, u) - tell.exponent(s, 1.0, 100, hold="misses"),
        "chernoff": tell.limit(s, 1.0, "neither"),
        "vacuous": 2 / kl_divergence(pi, u),
    }
