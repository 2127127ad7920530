"""*The compromise* in a page, for its browser tests: states to show, and what is read off the picture."""

import re

import numpy as np
from closed_forms import by_sorting
from figure_page import more

from book.figures import Compromise

SIDE, TALL = 1000, 866  # of the triangle, in its own units
TOKENS, SCORES = ["cat", "milk", "it"], [2.0, 1.5, 0.8]
ALPHAS = {"kl": 1.0, "tsallis": 1.5, "euclidean": 2.0}


def figure(**options):
    return Compromise(TOKENS, SCORES, **options)


def best(page):
    """The weights where the dot is, to the tenth of the triangle's thousand units that it is drawn to."""
    x, y = map(float, re.findall(r"[\d.]+", page.locator(".ws-best").first.get_attribute("d"))[:2])
    a, c = 1 - y / TALL, x / SIDE - (1 - y / TALL) / 2
    return [a, 1 - a - c, c]


def assert_best(page, scores=SCORES, beta=1.0, prior=None, divergence="kl"):
    row = {"scores": scores, "alpha": ALPHAS[divergence], "prior": prior}
    np.testing.assert_allclose(best(page), by_sorting(row, beta), atol=2e-4)


def null_of(page):
    texts = page.locator(".ws-share").first.get_attribute("aria-valuetext")
    return [float(share) for share in re.findall(r"([\d.]+)%", texts)]


def ring(page):
    box = page.locator(".ws-point").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def spot(page, p):
    """Where weights p are on the screen."""
    box = page.locator(".ws-simplex").bounding_box()
    return box["x"] + box["width"] * (p[2] + p[0] / 2), box["y"] + box["height"] * (1 - p[0])


def drag(page, p):
    page.mouse.move(*ring(page))
    page.mouse.down()
    x, y = spot(page, p)
    page.mouse.move(x - 30, y - 9)
    page.mouse.move(x, y)
    page.mouse.up()


def choose(page, name):
    """Set the radio button that has this name; all of them stand behind “More”."""
    more(page)
    page.get_by_role("radio", name=name).check()


def points_of(page, kind):
    return points_of_path(page.locator(f".ws-{kind}").first.get_attribute("d"))


def points_of_path(d):
    return np.array(re.findall(r"-?[\d.]+", d), dtype=float).reshape(-1, 2)


def weights_of(points):
    a = 1 - points[:, 1] / TALL
    c = points[:, 0] / SIDE - a / 2
    return np.stack([a, 1 - a - c, c], axis=-1)
