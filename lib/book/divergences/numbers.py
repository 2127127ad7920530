"""The numbers in the text of the chapter *divergences*."""

import numpy as np

from lib.book.divergences.checks import a, b, pi, s, u
from lib.book.divergences.derivations import first_given_mean, product_of_margins
from lib.book.example import TOKENS
from lib.book.other_divergences import chi_squared, renyi
from lib.book.solver import maximise


def numbers():
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
    assert pair == same_pair == [2, 0]  # the third kind at the first place
    return {
        "chi": chi,
        "chi_product": chi_product,
        "renyi": order_2,
        "renyi_product": order_2_product,
        "mean": u @ s,
        "ten": first_given_mean(s, u, 10, c)[TOKENS.index("cat")],
    }
