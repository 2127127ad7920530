"""The numbers in the text of the chapter *roads*."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from lib import softmax
from lib.book.example import TOKENS
from lib.book.noisy_choice import chances_to_win
from lib.book.other_divergences import chi_squared, renyi
from lib.book.roads.checks import a, b, pi, s, u
from lib.book.roads.derivations import first_given_mean, product_of_margins
from lib.book.solver import maximise


def numbers():
    bell = norm(scale=np.pi / 6**0.5)  # the standard deviation of Gumbel noise of size 1
    normal = chances_to_win(s, bell)  # (n,)
    last, cat = TOKENS.index("because"), TOKENS.index("cat")
    grid = np.add.outer(a, b)  # (3, 5)
    even = np.full(15, 1 / 15)

    def from_product(divergence):
        """The best weight under a divergence that is furthest from its margins' product, and this product."""
        best = maximise(lambda p: p @ grid.ravel() - divergence(p, even), 15).reshape(3, 5)
        product = product_of_margins(best)
        furthest = np.unravel_index(abs(best - product).argmax(), best.shape)
        return *map(int, furthest), best[furthest], product[furthest]

    *pair, chi, chi_product = from_product(chi_squared)
    *same_pair, order_2, order_2_product = from_product(renyi)
    c = pi @ s  # the mean score of pi, the softmax of s at β = 1
    half = brentq(lambda beta: softmax(s, beta)[cat] - 0.5, 0.1, 20)
    assert pair == same_pair == [2, 0]  # the third kind at the first place
    return {
        "chi": chi,
        "chi_product": chi_product,
        "renyi": order_2,
        "renyi_product": order_2_product,
        "normal_last": normal[last],
        "gumbel_last": pi[last],
        "normal_cat": normal[cat],
        "gumbel_cat": pi[cat],
        "half": half,
        "size": 1 / half,
        "mean": u @ s,
        "spread": bell.std(),
        "ten": first_given_mean(s, u, 10, c)[cat],
        "turn": brentq(lambda gap: chances_to_win([gap, 0.0], bell)[1] - softmax(np.array([gap, 0.0]))[1], 1, 6),
    }
