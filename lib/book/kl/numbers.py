"""The numbers in the text of the chapter *kl*."""

import numpy as np

from lib import beta_for_kl, kl_divergence, objective, softmax
from lib.book.example import SCORES
from lib.book.kl.checks import n, s, u
from lib.book.solver import maximise


def numbers():
    half = beta_for_kl(np.array(SCORES), np.log(7) / 2)
    mean, best = np.mean(SCORES), max(SCORES)
    earned = softmax(np.array(SCORES), half) @ np.array(SCORES)
    gained = (earned - mean) / (best - mean)
    pi = softmax(s, beta=1.0)  # (n,)
    cat = np.eye(n)[1]  # (n,)
    step, sharp = (
        0.99 * cat + 0.01 * u,
        softmax(s, 2.0),
    )  # one per cent of the way from cat to the null; softmax at β = 2
    back = maximise(lambda p: p @ s - kl_divergence(u, p), n)  # the best weights of exercise 1
    more = softmax(s, beta_for_kl(s, kl_divergence(pi, u) + 1)) @ s  # the score for one nat more
    return {
        "log_n": np.log(n),
        "mean": u @ s,
        "best": s.max(),
        "score": pi @ s,
        "KL": kl_divergence(pi, u),
        "KL_back": kl_divergence(u, pi),
        "J_cat": objective(cat, s, 1.0),
        "J_step": objective(step, s, 1.0),
        "cat": sharp[1],
        "KL_cat": kl_divergence(cat, sharp),
        "half": half,
        "J2_cat": objective(cat, s, 2.0),
        "J2_best": objective(sharp, s, 2.0),
        "lost_cat": objective(sharp, s, 2.0) - objective(cat, s, 2.0),
        "earned": earned,
        "gained": gained,
        "more": more,
        "certain": -np.log(0.1),
        "because": pi[5],
        "because_back": back[5],
        "drawn": pi[1],
        "even": u[1],
        "times": pi[1] / u[1],
        "speaks": np.log(pi[1] / u[1]),
    }
