"""The state of a figure in the address of its page: how each trait stands in it is said in Python, once."""

import math
import re

import pytest
from gallery import GALLERY, compromise, curved, outside, race, sampling, side, tell, weights

from lib.figures.base import Figure
from lib.figures.bundle import HERE, mounting

inf = math.inf

# Figures as they are made, and where a reader may take them from there.
MOVED = {
    "weights": (
        weights(2.0),
        [
            {"beta": inf},
            {"beta": -0.037, "scores": [1.2, 2, -1.1, 0.2, 1.5, 1e-7, 3e8]},
            {"prior": [1, 1, 2.5, 1, 1, 9, 0], "where": [True, False, True, True, True, False, True]},
        ],
    ),
    "appendix": (  # to what no prior and no mask are
        curved(-inf, prior=[1, 2, 3, 4, 5, 6, 7], where=[True] * 6 + [False]),
        [{"beta": 0.0, "prior": None, "where": None}],
    ),
    "compromise": (
        compromise(),
        [
            {"beta": inf, "scores": [-1.5, 0.1 + 0.2, 1e-3]},
            {"mode": "budget", "epsilon": inf, "divergence": "tsallis"},
            {"mode": "budget", "epsilon": 0.05, "divergence": "euclidean", "prior": [0.2, 0.3, 0.5]},
        ],
    ),
    "tell": (
        tell(),
        [
            {"m": 1000, "hold": "false alarms", "beta": 0.125},
            {"hold": "misses", "sample": 3, "seed": 2, "scores": [-3.1, 0.2, 0.3, 5.9, 6.9, 0.0, 0.1]},
        ],
    ),
    "race": (
        race(),
        [
            {"races": 0, "beta": 0.125},
            {"races": 100_000, "noise": "normal", "seed": 7, "scores": [1.2, 2, -1.1, 0.2, 1.5, 1e-7, 3]},
        ],
    ),
    "side": (
        side(),
        [
            {"beta": inf, "alpha": 1.0, "ticks": "hidden"},
            {"beta": 0.037, "alpha": 1.83, "scores": [1.2, 2, -1.1, 0.2, 1.5, 1e-7, 3]},
        ],
    ),
    "sampling": (
        sampling(),
        [
            {"step": 1, "temperature": 0.37, "cut": "top-p", "top_p": 0.66, "earlier": "cut"},
            {"cut": "min-p", "min_p": 0.013, "draws": 31, "seed": 7},
        ],
    ),
    "outside": (
        outside(),
        [
            {"shift": -3.7, "beta": inf},
            {"copies": 31, "bias": "stays", "shift": 0.5, "scores": [1.2, 2, -1.1, 0.2, 1.5, 1e-7, 3]},
        ],
    ),
    "seventy": (
        GALLERY["seventy"]["plain"],
        [
            {"layer": 5, "head": 6, "sentence": "small", "query": "13", "beta": inf},
            {"score_map": "entmax", "beta": 0.125, "query": "0"},
        ],
    ),
    "mixture": (
        GALLERY["mixture"]["plain"],
        [{"beta": inf}, {"beta": 0.2, "scores": [0.4, 4, 2.2, 0.4, 3, -1.2, 1.6]}],
    ),
    "real": (GALLERY["real"]["plain"], [{"last": "warm", "beta": inf}, {"last": "sweet", "beta": 0.25}]),
    "learn": (
        GALLERY["learn"]["plain"],
        [
            {"first": "relu_norm", "second": "entmax"},
            {"beta": 0.0315, "rule": "log-n", "layers": 1, "symbols": "repeat", "seed": 17},
        ],
    ),
}
CASES = {f"{name}-{i}": (made, moved) for name, (made, all_) in MOVED.items() for i, moved in enumerate(all_)}
LOOK = """() => {
  const plain = el => el.outerHTML.replace(/\\bws[a-z0-9]{5,7}\\b/g, 'id').replace(/ value="[^"]*"/g, '');
  return [...document.querySelectorAll('svg[role=img], .ws-say, .ws-value')].map(plain);
}"""


def copied(page):
    """The page's address once its figure's state is in it."""
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_function("document.querySelector('.ws-status').textContent.match(/link/i)")
    return page.url


def moved_to(figure, values):
    """Its HTML once these values are set; it still knows what it was made as."""
    before = {name: getattr(figure, name) for name in values}
    try:
        for name, value in values.items():
            setattr(figure, name, value)
        return figure._repr_html_()
    finally:
        for name, value in before.items():
            setattr(figure, name, value)


@pytest.mark.parametrize("case", CASES)
def test_an_address_brings_back_every_trait(visit, case):
    figure, values = CASES[case]
    there = visit(moved_to(figure, values)).page
    shown, address = there.evaluate(LOOK), copied(there)
    hash_ = "#" + address.partition("#")[2]
    assert set(re.findall(r"[?&](\w+)=", hash_)) == set(values), "what differs, and nothing else"
    here = visit(figure, link=hash_).page
    assert here.evaluate(LOOK) == shown
    assert copied(here).partition("#")[2] == hash_[1:]
    plain = visit(figure).page
    assert plain.evaluate(LOOK) != shown


def test_those_are_all_traits_that_stand_in_an_address():
    for figures in (
        ("weights", "appendix"),
        ("compromise",),
        ("tell",),
        ("race",),
        ("outside",),
        ("real",),
        ("seventy",),
        ("mixture",),
    ):
        made = MOVED[figures[0]][0]
        tried = {name for figure in figures for values in MOVED[figure][1] for name in values}
        assert tried == set(made.changes) - {"tokens"}


def test_followed_within_the_page_an_address_does_the_same(visit):
    figure, values = CASES["weights-2"]
    there = visit(moved_to(figure, values)).page
    shown, address = there.evaluate(LOOK), copied(there)
    page = visit(figure).page
    page.evaluate("hash => { location.hash = hash }", address.partition("#")[2])
    page.wait_for_function("document.querySelectorAll('.ws-out').length")
    assert page.evaluate(LOOK) == shown


# Those of each figure are in the tests of that figure.
DAMAGED = ["", "beta", "beta=", "=", "&&", "nothing=1", "start=1", "__proto__=1", "constructor=1", "%"]
DAMAGED += [
    "tokens=a,b",
    "name=x",
    "caption=x",
    "beta=NaN",
    "beta=1e999",
    "scores=",
    "prior=",
    "prior=-1,1,1,1,1,1,1",
]
DAMAGED += ["where=", "where=11111111", "beta=0x", "toString=1"]


FOLLOW = """hash => new Promise(done => {
  addEventListener('hashchange', () => setTimeout(done), { once: true });
  location.hash = hash;
})"""


def test_a_damaged_address_changes_nothing(visit):
    figure = weights(2.0)
    page = visit(figure).page
    shown = page.evaluate(LOOK)
    for part in DAMAGED:
        page.evaluate(FOLLOW, f"beta-weights?{part}")
        assert page.evaluate(LOOK) == shown, part
    assert visit(figure, link="#beta-weights?" + "&".join(DAMAGED)).page.evaluate(LOOK) == shown
    zero = visit(figure, link="#beta-weights?beta=0").page.evaluate(LOOK)
    assert visit(figure, link="#beta-weights?beta=hot&scores=1,2&beta=0").page.evaluate(LOOK) == zero != shown


def test_no_figure_is_named_where_all_are_mounted_and_joined():
    views = {figure.view for figure in Figure.__subclasses__()}
    traits = {name for figure in Figure.__subclasses__() for name in figure.changes}
    assert {"beta", "epsilon"} <= traits
    files = [(HERE / "js" / f"{name}.js", "//") for name in mounting()]
    for file, comment in (*files, (HERE / "bundle.py", "#")):
        code = "\n".join(line.partition(comment)[0] for line in file.read_text("utf-8").splitlines())
        assert set(re.findall(r"(?<!\\)\b\w+", code)) & (views | traits) == set(), file.name
