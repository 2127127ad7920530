"""The numbers in the text of the chapter *kl*."""

import numpy as np

from book.example import SCORES, TOKENS
from book.kl.checks import n, s, u
from book.solver import maximise
from lib import beta_for_kl, kl_divergence, objective, softmax


def numbers():
    three = np.array([SCORES[TOKENS.index(word)] for word in ("cat", "milk", "it")])  # those of the triangle
    half = beta_for_kl(three, np.log(3) / 2)
    mean, best = three.mean(), three.max()
    earned = softmax(three, half) @ three
    pi = softmax(s, beta=1.0)  # (n,)
    cat = np.eye(n)[1]  # (n,)
    step = 0.99 * cat + 0.01 * u  # one per cent of the way from cat to the null
    sharp = softmax(s, 2.0)
    wrong_way = lambda p: p @ s - kl_divergence(u, p)  # noqa: E731
    back = maximise(wrong_way, n)
    points, even = np.array([1.0, 0.0]), np.full(2, 1 / 2)  # two words, of exercises 1 and 3
    more = softmax(s, beta_for_kl(s, kl_divergence(pi, u) + 1)) @ s  # the score for one nat more
    lifted = {  # what a hundredth of a nat more earns, from the budget that softmax at β spends
        f"slope_{beta:.0f}": softmax(s, beta_for_kl(s, kl_divergence(at, u) + 0.01)) @ s - at @ s
        for beta, at in ((1.0, pi), (4.0, softmax(s, 4.0)))
    }
    return {
        "three_log_n": np.log(3),
        "three_mean": mean,
        "three_best": best,
        "three_halfway": kl_divergence(np.array([4, 1, 1]) / 6, np.full(3, 1 / 3)),
        "three_budget": np.log(3) / 2,
        "three_half": half,
        "three_earned": earned,
        "three_gained": (earned - mean) / (best - mean),
        "score": pi @ s,
        "KL": kl_divergence(pi, u),
        "KL_back": kl_divergence(u, pi),
        "J_cat": objective(cat, s, 1.0),
        "J_step": objective(step, s, 1.0),
        "cat": sharp[1],
        "KL_cat": kl_divergence(cat, sharp),
        "J2_cat": objective(cat, s, 2.0),
        "J2_best": objective(sharp, s, 2.0),
        "lost_cat": objective(sharp, s, 2.0) - objective(cat, s, 2.0),
        "more": more,
        "certain": -np.log(0.1),
        "because": pi[5],
        "because_back": back[5],
        "fine": kl_divergence(even, softmax(points, 2.0)) / 2,
        "as_points": np.log(3) / 2,  # a factor of 3 in the null, at β = 2
        "pair": softmax(points)[0],
        "pair_back": np.sqrt(1 / 2),
        "drawn": pi[1],
        "times": pi[1] / u[1],
        "speaks": np.log(pi[1] / u[1]),
        **lifted,
    }
