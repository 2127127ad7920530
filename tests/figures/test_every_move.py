"""What a reader does to a figure, move by move, and the state that each move leads to.

It is asked in a notebook, where the kernel hears of every move; in the end the figure shows what one shows that
was made in that state. That a picture has the weights of `lib` is asked in the file of each figure.
"""

import json
from math import inf

import pytest
from figure_page import (
    FOLLOW,
    LOOK,
    STRANGE,
    copied,
    do,
    drag,
    in_a_notebook,
    more,
    opened,
    press,
    pull,
    set_to,
    written,
)
from gallery import MAKE

from book.example import SCORES
from book.figures.real_head import OWN_BETA
from book.output.steps import BEFORE

BETA = "inverse temperature"
PRICE = "price of a claim"
STAYS = "stays"


def cell(i, column, text):
    """A number is typed in the table."""

    def fill(page):
        box = page.locator(".ws-table tbody tr").nth(i).get_by_role("spinbutton").nth(column)
        box.fill(text)
        box.press("Tab")

    return fill


def click(parts, i=0):
    return lambda page: page.locator(parts).nth(i).click()


def row_of(hold):
    return lambda page: page.locator(".ws-held").get_by_text(hold, exact=True).click()


def at(parts, x, y):
    """A click at a share of a part's width and height."""

    def press(page):
        box = page.locator(parts).first.bounding_box()
        page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])

    return press


def tap(*keys):
    """Keys are pressed on what has the focus."""
    return lambda page: [page.keyboard.press(key) for key in keys]


def led(role, name, trait, **values):
    """A control is led by keys, or filled with texts: the trait then is this."""
    return [((role, name, key), {trait: value} if value != STAYS else STAYS) for key, value in values.items()]


def row(i, *scores):
    """The scores of the book's row with this one in turn."""
    return [[score if k == i else one for k, one in enumerate(SCORES)] for score in scores]


def keyed(name, trait, keys, values):
    return [(("slider", name, key), {trait: value}) for key, value in zip(keys.split(), values, strict=True)]


def flips(*cells):
    return {"flips": [i in cells for i in range(49)]}


def spent_by(divergence, beta=1.0):
    """What this β costs, which is then the budget."""
    return MAKE["compromise"](divergence=divergence, beta=beta).answer.spent


AT_BUDGET = MAKE["compromise"](divergence="euclidean", mode="budget", epsilon=0.2)


KEYS = "ArrowUp ArrowDown PageUp PageDown Home End"
LOW = ("checkbox", "prefer low scores")
LIFT = (("slider", "score of drank", "ArrowUp"), {"scores": row(2, 1.2)[0]})
SWAPPED = [0.2, 1.5, 1.1, 0.2, 2.0, -0.6, 0.8]
# For each figure its states to begin with, and what a reader does from there, one move after another, with the
# traits that each changes, or with words of what is said against it.
STEPS = {
    "weights": [
        {"prior": [1, 1, 1, 1, 1, 1, 2]},
        (lambda page: pull(page, 0, 20.3), {"scores": row(0, 1.2)[0]}),
        (cell(0, 1, "3.5"), {"prior": [3.5, 1, 1, 1, 1, 1, 2]}),
        (("slider", BETA, "End"), {"beta": inf}),
    ],
    "weights, row by row": [
        {},
        *keyed("score of cat", "scores", KEYS, row(1, 2.1, 2.0, 3.0, 2.0, -1.5, 4.5)),
        (cell(1, 0, "-0.75"), {"scores": row(1, -0.75)[0]}),
        (cell(4, 1, "2.5"), {"prior": [1, 1, 1, 1, 2.5, 1, 1]}),
        (("checkbox", "drank (token 3) takes part"), {"where": [i != 2 for i in range(7)]}),
        *[(cell(1, 0, ""), STAYS), (cell(1, 1, "-1"), STAYS)],
    ],
    "weights, low": [{}, (LOW, {"beta": -1.0}), *keyed(BETA, "beta", "End Home PageUp", [-inf, 0.0, -0.01])],
    "weights, β": [
        {},
        *led("textbox", "β", "beta", **{"inf": inf, "-2": -2.0, "∞": inf, "-inf": -inf, "0": 0.0}),
        *led("textbox", "β", "beta", **{"−∞": -inf, "−0,5": -0.5, "1234": 1234.0, "x": STAYS}),
    ],
    "compromise, choices": [
        {},
        (("radio", "entmax"), {"divergence": "tsallis", "epsilon": spent_by("tsallis")}),
        (("radio", "budget"), {"mode": "budget"}),
        (("radio", "sparsemax"), {"divergence": "euclidean", "epsilon": spent_by("euclidean")}),
        (("textbox", "ε", "0.2"), {"epsilon": 0.2}),
        (("radio", "price"), {"mode": "price", "beta": AT_BUDGET.answer.beta}),
        (("slider", PRICE, "End"), {"beta": inf}),
        (("radio", "budget"), {"mode": "budget", "epsilon": spent_by("euclidean", inf)}),
        (("textbox", "ε", "0.2"), {"epsilon": 0.2}),
    ],
    "compromise": [
        {"point": [0.1, 0.2, 0.7]},
        (lambda page: drag(page, [0.5, 0.36, 0.14]), {"point": [0.5, 0.36, 0.14]}),
        (("slider", "your weights", "ArrowUp"), {"point": [0.51, 0.355, 0.135]}),
        (("slider", "your weights", "ArrowRight"), {"point": [0.51, 0.345, 0.145]}),
        (("slider", "your weights", "PageDown"), {"point": [0.41, 0.395, 0.195], "pin": [0.51, 0.345, 0.145]}),
        (("button", "show the top"), {"top": "shown"}),
        (("slider", "your weights", "Home"), {"point": None}),
        (("button", "hide the top"), {"top": "hidden"}),
        (("slider", PRICE, "ArrowRight"), {"beta": 1.25, "pin": None}),
        (("slider", "your weights", "ArrowLeft"), {"point": [0.335, 0.34, 0.325], "pin": None}),
        (("slider", "your weights", "PageDown"), {"point": [0.235, 0.39, 0.375], "pin": [0.335, 0.34, 0.325]}),
    ],
    "compromise, typed": [
        {"beta": 2.0},
        (("textbox", "β", "-1"), "β is 0 or more"),
        (cell(2, 0, "2.25"), {"scores": [2, 1.5, 2.25]}),
        (cell(0, 1, "20"), {"prior": [0.2, 0.4, 0.4]}),
        (cell(0, 1, "0"), STAYS),
    ],
    "compromise, budget": [
        {"mode": "budget", "epsilon": 0.3},
        *keyed("budget", "epsilon", "ArrowRight End", [0.31, 2.0]),
        (("textbox", "ε", "0.25"), {"epsilon": 0.25}),
    ],
    "tell": [
        {},
        *[(row_of(hold), {"hold": hold}) for hold in ("misses", "false alarms", "neither")],
        (("radio", "neither", "ArrowUp"), {"hold": "false alarms"}),
        (("button", "Draw"), {"sample": 1}),
        *led("textbox", "m", "m", **{"137": 137, "1001": STAYS, "2.5": STAYS}),
        *led("textbox", "β", "beta", **{"0,75": 0.75, "inf": STAYS, "0": STAYS}),
    ],
    "race": [
        {"races": 0},
        *[((("button", f"+{n} race")), {"races": int("1" * len(str(n)))}) for n in (1, 10, 100, 1000)],
        (("button", "Clear"), {"races": 0}),
        (("radio", "normal"), {"noise": "normal"}),
        (("slider", "", "End"), {"beta": 10.0}),
        *led("textbox", "races", "races", **{"12345": 12345, "100001": STAYS, "2.5": STAYS, "-1": STAYS}),
        *led("textbox", "β", "beta", **{"0,75": 0.75, "inf": STAYS}),
        *led("textbox", "seed", "seed", **{"9": 9, "x": STAYS}),
    ],
    "race, the most": [{"races": 99_500}, (("button", "+1000 races"), {"races": 100_000})],
    "jacobian": [{}, LIFT, (("slider", BETA, "End"), {"beta": inf})],
    "mixture": [{}, LIFT, (("slider", BETA, "End"), {"beta": inf})],
    "outside": [
        {},
        (("button", "3 points up"), {"test": "shift", "asked": ["shift"]}),
        (("button", "one word joins"), {"test": "join", "asked": ["shift", "join"]}),
        (("button", "one word joins"), {"test": "none"}),
        (("button", "scores × 10"), {"test": "times", "asked": ["shift", "times", "join"]}),
    ],
    "repairs": [
        {},
        (("button", "2 points"), {"situation": "shift"}),
        (("slider", "empty place", "End"), {"sink": 8}),
        (("radio", "gate"), {"repair": "gate"}),
        (("slider", "gate", "ArrowRight"), {"gate": 0.5}),
        (("button", "2 points"), {"situation": "none"}),
        (("button", "joins"), {"situation": "join"}),
        (("radio", "cap"), {"repair": "cap"}),
        (("slider", "bound", "Home"), {"cap": 0.5}),
        (("radio", "QK-norm"), {"repair": "norm"}),
        (("slider", "gain", "ArrowLeft"), {"gain": 2.9}),
        (("button", "the query"), {"situation": "times"}),
        (("radio", "log n"), {"repair": "length"}),
        (("slider", "usual length", "ArrowRight"), {"typical": 8}),
        (("button", "the text"), {"situation": "long"}),
    ],
    "one-price": [
        {"price": 1.25},
        (("button", "newcomer"), {"newcomer": "joins"}),
        (("slider", "price", "End"), {"price": 2}),
        (("button", "newcomer"), {"newcomer": "waits"}),
        (("slider", "price", "ArrowLeft"), {"price": 1.99}),
        (lambda page: page.locator(".ws-newcomer").press("Space"), {"newcomer": "joins"}),
    ],
    "flat": [
        {"place": 0.5},
        (("slider", "share at score 4", "PageUp"), {"shares": [0.8, 3.2, 7.2, 16, 25]}),
        (("slider", "share at score 4", "ArrowUp"), {"shares": [0.790123, 3.16049, 7.11111, 16, 25]}),
        (("slider", "the row of words", "ArrowRight"), {"place": 0.6}),
        (("slider", "the row of words", "End"), {"place": 3.1}),
        (("button", "A straight curve"), {"shares": [5, 10, 15, 20, 25]}),
    ],
    "flat, found": [
        {"beta": 0.5},
        (("slider", "β, the slope", "PageUp"), {"beta": 1.5}),
        (("slider", "β, the slope", "ArrowUp"), {"beta": 1.6}),
        (("slider", "β, the slope", "End"), {"beta": 10.0}),
    ],
    "twice": [
        {"score": 5},
        *keyed("score of 7", "score", KEYS, [5.1, 5.0, 6.0, 5.0, 0.0, 10.0]),
        (("checkbox", "softmax again"), {"again": "left out"}),
    ],
    "two": [
        {"lead": 0.3, "dial": True},
        *keyed("points for the first sentence", "lead", "ArrowRight End PageDown", [0.4, 1, 0]),
        (("slider", "α of the measure", "Home"), {"alpha": 1.0}),
    ],
    "width": [
        {"d": 16},
        (("slider", "width d", "End"), {"d": 64}),
        (("slider", "width d", "Home"), {"d": 1}),
        (("radio", "divided by √d"), {"scale": "divided"}),
        (("button", "Another query"), {"query": 2}),
    ],
    "width, the last query": [{"query": 999}, (("button", "Another query"), {"query": 1})],
    "uphill": [
        {"lead": 4},
        (("button", "One step"), {"steps": 1}),
        (("button", "One step"), {"steps": 2}),
        (("button", "Run"), {"steps": 33}),  # at once, for who wants no motion
        (("button", "Again"), {"steps": 0}),
        (("button", "Fast forward"), {"steps": 33}),
        (("slider", "lead of the wrong word", "ArrowRight"), {"lead": 3.5, "steps": 0}),
    ],
    "dispersion": [
        {"crowd": 100},
        (("slider", "number of tokens n", "End"), {"crowd": 1_000_000}),
        (("radio", "β grows with log n"), {"rule": "grows"}),
        (("radio", "lead shrinks as 1/n"), {"trend": "shrinks"}),
        (("slider", "lead among 8 tokens", "End"), {"lead": 12.0}),
    ],
    "cost": [
        {},
        (("slider", "words n", "ArrowRight"), {"n": 2048}),
        (("slider", "width d", "Home"), {"d": 16}),
        (("radio", "one new word asks"), {"asks": "one"}),
    ],
    "sheet": [
        {},
        (("slider", "length of the text", "ArrowRight"), {"n": 32_768}),
        (("button", "twice the text"), {"n": 65_536}),
        (("slider", "length of the text", "End"), {"n": 131_072}),
        (("button", "never store the tables"), {"way": "blocks"}),
        (("button", "never store the tables"), {"way": "stored"}),
    ],
    "formats": [
        {},
        (("slider", "shift of all scores", "End"), {"shift": 12.0}),
        (("button", "subtract the largest score"), {"way": "shifted"}),
        (("radio", "bfloat16"), {"format": "bfloat16"}),
        (("button", "subtract the largest score"), {"way": "plain"}),
    ],
    "raise": [
        {},
        *keyed("score of milk", "by", "ArrowUp PageDown PageUp PageUp PageUp", [1.1, 0.1, 1.1, 2.1, 3.0]),
        *keyed("score of milk", "by", "Home End", [-3.0, 3.0]),
        (("slider", "score of because", "ArrowUp"), {"token": 5, "by": 0.1}),  # which puts the other back
        (("slider", BETA, "ArrowRight"), {"beta": 1.25}),
    ],
    "lake": [
        {},
        *keyed("level", "level", "PageDown ArrowUp", [0.7, 0.8]),
        (("slider", "α, the rule", "End"), {"alpha": 2.0}),
        (("slider", "score of drank", "ArrowUp"), {"scores": row(2, 1.2)[0]}),
        (("slider", "α, the rule", "Home"), {"alpha": 1.0, "water": "found"}),
        (("slider", BETA, "ArrowRight"), {"beta": 1.25}),
    ],
    "lamps": [
        {},
        (("slider", "scores of everybody", "ArrowUp"), {"shift": 0.1, "out": ["squares-3"]}),
        (("slider", "scores of everybody", "PageUp"), {"shift": 1.0}),
        (("button", "swap"), {"scores": SWAPPED, "was": [1.2, 3.0, 2.1, 1.2, 2.5, 0.4, 1.8]}),
    ],
    "lamps, one by one": [
        {"out": ["squares-3"]},
        (("slider", "score of drank", "ArrowUp"), {"scores": row(2, 1.2)[0], "out": ["squares-3", "sparsemax-4"]}),
        (
            ("slider", "score of drank", "PageUp"),
            {"scores": row(2, 2.2)[0], "out": ["squares-3", "sparsemax-1", "sparsemax-4"]},
        ),
        (("slider", "score of drank", "ArrowDown"), {"scores": row(2, 2.1)[0], "was": row(2, 2.2)[0]}),
    ],
    "mask": [
        {"offset": 5},
        (("radio", "window"), {"pattern": "window"}),
        (("checkbox", "padding"), {"real": 5}),
        (("radio", "all keys"), {"pattern": "all"}),
        (("checkbox", "padding"), {"real": 7}),
    ],
    "mask, cells": [
        {},
        (("slider", "position of the first query", "Home"), {"offset": -2}),
        (("radio", "score −1e9"), {"way": "fill"}),
        (click(".ws-spot", 19), flips(19)),
        (click(".ws-spot", 28), flips(19, 28)),
        (click(".ws-spot", 19), flips(28)),
        (("radio", "window"), {"pattern": "window", **flips()}),  # which takes back what was pressed
        (("spinbutton", "queries", "2"), {"queries": 2, "offset": 5}),
        (("spinbutton", "window", "4"), {"window": 4}),
        (("spinbutton", "real tokens", "0"), {"real": 0}),
        (("spinbutton", "queries", "8"), "queries: that is not a number it can take"),
    ],
    "mask, behind More": [
        {"below": "nothing"},
        (("slider", "position of the first query", "Home"), {"offset": -2}),
    ],
    "stream": [
        {"step": 4},
        *[(("button", "Read on"), {"step": step}) for step in (5, 6, 7, 7)],
        (("slider", "split after", "ArrowRight"), {"cut": 1, "step": 0}),
        (("checkbox", ""), {"direction": "right"}),
    ],
    "sampling": [
        {"draws": 0},
        *[(("button", "draw 100"), {"draws": n}) for n in (100, 200)],
        (("button", "clear"), {"draws": 0}),
        *[(("radio", "top-k"), {"cut": "top-k"}), (("slider", "how many", "ArrowRight"), {"top_k": 6})],
        *[(("radio", "top-p"), {"cut": "top-p"}), (("slider", "share of", "ArrowLeft"), {"top_p": 0.89})],
        *[(("radio", "min-p"), {"cut": "min-p"}), (("slider", "part of", "ArrowRight"), {"min_p": 0.11})],
        (("slider", "temperature T", "End"), {"temperature": 10.0}),
        (("radio", "cut first"), {"earlier": "cut"}),
        (("radio", BEFORE[1]), {"step": 1}),
        *led("textbox", "draws", "draws", **{"5000": 5000, "10001": STAYS}),
        (("textbox", "seed", "7"), {"seed": 7}),
    ],
    "real": [
        {},
        (("radio", "sweet"), {"last": "sweet"}),
        (("radio", "thirsty"), {"last": "thirsty"}),
        (tap("ArrowDown"), {"last": "hungry"}),
        *keyed(BETA, "beta", "End Home", [inf, 0.0]),
    ],
    "real, own β": [
        {"last": "fresh", "beta": 0.16},
        *keyed(BETA, "beta", "ArrowRight ArrowRight ArrowLeft ArrowLeft", [OWN_BETA, 0.2, OWN_BETA, 0.16]),
    ],
    "two-rules": [
        {},
        (("button", "thirsty"), {"last": "fresh"}),
        (tap("ArrowDown", "ArrowRight", "ArrowUp"), {"last": "hungry"}),
        (tap("ArrowUp", "ArrowUp", "ArrowLeft"), {"last": "warm", "seen": "word"}),  # past the first one
        (("radio", "sweet"), {"last": "sweet"}),  # behind More
        (("radio", "rule B"), {"rule": "B", "seen": "both"}),
        (("radio", "rule A"), {"rule": "A"}),
        (("button", "guess B"), {"guess": "B"}),
        (tap("Space"), {"ten": "yes", "seen": "ten"}),  # the keys go on there
        (("radio", "rule B"), {"rule": "B", "seen": "all"}),
        (("checkbox", "everybody gets ten points more"), {"ten": "no"}),
    ],
    "heads": [
        {},
        (("radio", "layer 1, head 3, a previous-token head"), {"head": "1.3"}),
        (tap("ArrowRight"), {"head": "1.4"}),
        (click(".ws-symbol", 9), {"place": 9}),
        *keyed("the symbol that looks", "place", "ArrowRight ArrowUp PageDown", [10, 9, 19]),
        *keyed("the symbol that looks", "place", "End ArrowRight Home", [46, 46, 0]),
        (at(".ws-grid svg", 0.02, 40.5 / 47), {"place": 40}),
        (("slider", "times", "End"), {"times": inf}),
        (lambda page: page.get_by_role("combobox").select_option("2.1"), {"only": "2.1"}),
        (("radio", "layer 2, head 1, an induction head"), {"head": "2.1"}),
        (("radio", "sparsemax"), {"mapping": "sparsemax"}),
        (("radio", "layer 1, head 3, a previous-token head"), {"head": "1.3"}),
        (("checkbox", "layer 1, head 3 is on"), {"silent": [i == 2 for i in range(8)]}),
    ],
    "pairs": [
        {},
        (click("[role=option]", 5), {"pair": 6}),
        *[
            (tap("ArrowUp"), {"pair": 2}),
            (tap("ArrowLeft", "ArrowLeft"), {"pair": 1}),
            (tap("ArrowRight"), {"pair": 2}),
        ],
        (("button", "Run the 24 pairs"), {"filled": "yes"}),
        (click("[role=gridcell]", 12 * 4 + 5), {"layer": 5, "head": 6}),
        *[(tap("ArrowUp"), {"layer": 4}), (tap("ArrowRight"), {"head": 7})],
        *[(tap("ArrowDown"), {"layer": 5}), (tap("ArrowLeft"), {"head": 6})],
    ],
    "which": [
        {},
        (("button", "sparsemax"), {"tried": ["sparsemax"]}),
        (("button", "half its β", "Enter"), {"tried": ["half", "sparsemax"]}),
        (("button", "sparsemax", "Space"), {"tried": ["half"]}),
    ],
    "yours": [
        {},
        (click("[role=gridcell]", 12 * 4 + 5), {"layer": 5, "head": 6}),
        *[(tap("ArrowUp"), {"layer": 4}), (tap("ArrowRight"), {"head": 7})],
        *[(tap("ArrowDown"), {"layer": 5}), (tap("ArrowLeft"), {"head": 6})],
        (("button", "next head"), {"head": 7}),
        (click("[role=gridcell]", 0), {"layer": 1, "head": 1}),
        (tap("ArrowLeft", "ArrowUp"), {}),  # at the edge
        (("button", "previous head"), {"layer": 6, "head": 12}),
    ],
    "yours, words": [
        {"layer": 5, "head": 6},
        (click(".ws-asked", 5), {"query": "5"}),
        (tap("ArrowRight"), {"query": "6"}),
        (("radio", "entmax"), {"score_map": "entmax"}),
        *keyed(BETA, "beta", "ArrowRight End PageUp ArrowDown Home", [0.2, 100, 100, 80, 0]),
        (("textbox", "β", "0.5"), {"beta": 0.5}),
        (("textbox", "β", "-1"), "at least 0"),
        (("textbox", "β", "inf"), "at most 100"),
    ],
    "learn": [
        {},
        (lambda page: page.get_by_label("the first map").focus(), {}),
        (tap("s"), {"first": "sparsemax", "second": "softmax"}),  # the next name with that letter; they swap
        (("slider", "", "PageUp"), {"beta": 1.0}),
        (("radio", "stays as it is", "ArrowRight"), {"rule": "learned"}),
        (("radio", "two layers", "ArrowLeft"), {"layers": 1}),
        (("checkbox", "symbols may repeat in a block", "Space"), {"symbols": "repeat"}),
        *led("textbox", "step size", "rate", **{"0": STAYS, "0.2": STAYS, "0.02": 0.02}),
        *led("textbox", "seed", "seed", **{"-1": STAYS, "1.5": STAYS, "x": STAYS, "7": 7}),
    ],
}
each_case = pytest.mark.parametrize(
    ("kind", "start", "steps"),
    [(case.partition(",")[0], start, steps) for case, (start, *steps) in STEPS.items()],
    ids=STEPS,
)


# States that an address holds as well, besides those that a reader moves to.
MOVED_LITTLE = [0.0, 1.75, 1.1, -0.05, 1.25, -0.85, 0.55]
MOVED = [1.2, 2, -1.1, 0.2, 1.5, 1e-7, 3]
OTHERS = {
    "flat": [
        {"shares": [2.8, 3, 3.2, 24, 25], "place": 0.25},
        {"shares": [1e-3, 2, 0.5, 24, 1e6], "place": 3.1, "beta": 2.4},
        {"beta": 0.0},
    ],
    "weights": [
        {"beta": inf},
        {"beta": -0.037, "scores": [*MOVED[:6], 3e8]},
        {"prior": [1, 1, 2.5, 1, 1, 9, 0], "where": [True, False, True, True, True, False, True]},
    ],
    "curves": [{"beta": 0.0, "prior": None, "where": None, "crowd": 1000}],  # to what no prior and no mask are
    "compromise": [
        {"beta": inf, "scores": [-1.5, 0.1 + 0.2, 1e-3]},
        {"mode": "budget", "epsilon": inf, "divergence": "tsallis"},
        {"mode": "budget", "epsilon": 0.05, "divergence": "euclidean", "prior": [0.2, 0.3, 0.5]},
        {"point": [0.524, 0.318, 0.158], "pin": [0, 1, 0], "top": "shown"},
    ],
    "tell": [
        {"m": 1000, "hold": "false alarms", "beta": 0.125},
        {"hold": "misses", "sample": 3, "seed": 2, "scores": [-3.1, 0.2, 0.3, 5.9, 6.9, 0.0, 0.1]},
    ],
    "race": [
        {"noise": "none", "races": 1010},
        {"races": 0, "beta": 0.125},
        {"races": 100_000, "noise": "normal", "seed": 7, "scores": MOVED},
    ],
    "mixture": [{"beta": inf}, {"beta": 0.2, "scores": [0.4, 4, 2.2, 0.4, 3, -1.2, 1.6]}],
    "outside": [{"test": "shift"}, {"test": "rise", "asked": ["fall", "rise"]}],
    "repairs": [
        {"repair": "none", "situation": "times"},
        {"sink": -1.5, "gate": 3.25, "cap": 7, "gain": 1.25, "typical": 20},
        {"repair": "length", "situation": "long"},
    ],
    "lake": [
        {"level": 0.55},
        {"beta": 2.5, "alpha": 1.75, "water": "found", "scores": [*MOVED[:2], -0.5, *MOVED[3:6], 2.5]},
    ],
    "lamps": [
        {"scores": [0.25, 2, 1.1, 0.2, 1.5, -0.6, 0.8], "shift": -0.25, "was": MOVED_LITTLE, "out": ["softmax-4"]},
        {"out": ["squares-1", "softmax-2", "sparsemax-4"], "shift": 0.9},
    ],
    "mask": [{"pattern": "window", "window": 2, "real": 5, "queries": 3}],
    "sampling": [
        {"step": 1, "temperature": 0.37, "cut": "top-p", "top_p": 0.66, "earlier": "cut"},
        {"cut": "min-p", "min_p": 0.013, "draws": 31, "seed": 7},
        {"cut": "top-k", "top_k": 8},
    ],
    "real": [{"last": "sweet", "beta": 0.25}],
    "two-rules": [
        {"rule": "B", "ten": "yes"},
        {"last": "fresh", "rule": "B", "guess": "A", "seen": "both"},
        {"last": "warm", "guess": "B", "seen": "all"},
    ],
    "heads": [
        {
            **{"sequence": "abab.abab", "place": 9, "head": "1.3", "times": inf, "mapping": "entmax"},
            **{"only": "2.2", "silent": [i == 7 for i in range(8)]},
        }
    ],
    "pairs": [
        {"layer": 5, "head": 6, "filled": "yes"},
        {"pair": 24, "score_map": "relu_norm", "beta": "half"},
    ],
    "which": [{"tried": ["sigmoid_weights", "none"]}, {"tried": ["double"]}],
    "yours": [
        {"layer": 5, "head": 6, "sentence": "small", "query": "13", "beta": 100},
        {"layer": 2, "head": 9, "sentence": "big", "query": "13", "beta": 0},
        {"query": "0", "beta": 0.125, "score_map": "entmax"},
        {"text": "a cat & a dog = 2 + 1 animals, 100% sure?", "query": "20"},
        {"score_map": "relu_norm", "scope": "all"},
        {"text": "Zoë ##ing [MASK]", "score_map": "none"},
    ],
    "learn": [
        {"first": "relu_norm", "second": "entmax"},
        {"rate": 0.003, "beta": 0.0315, "rule": "log-n", "layers": 1, "symbols": "repeat", "seed": 17},
    ],
}


STARTS = {"curves": {"beta": -inf, "prior": [1, 2, 3, 4, 5, 6, 7], "where": [True] * 6 + [False]}}


def last_of(steps):
    """The traits at the end, as far as the steps change them."""
    return {name: value for _, leads in steps if not isinstance(leads, str) for name, value in leads.items()}


def link_to(figure, values):
    none = {"prior": "none", "where": "all"}  # no prior, and no mask
    texts = {name: none[name] if value is None else written(value) for name, value in values.items()}
    parts = [f"{name}={texts[name]}" for name in figure.address if name in values]
    return f"{figure.name}?{'&'.join(parts)}"


def test_those_are_all_traits_that_stand_in_an_address():
    for kind in set(MAKE) - {"curves"}:
        states = [
            *OTHERS.get(kind, []),
            *(last_of(steps) for case, (_, *steps) in STEPS.items() if case.partition(",")[0] == kind),
        ]
        states += OTHERS["curves"] * (kind == "weights")
        assert {name for state in states for name in state} == set(MAKE[kind]().address), kind


@each_case
def test_each_move_leads_to_its_state_and_the_kernel_leads_back(visit, look, kind, start, steps):
    figure, rest = MAKE[kind](**start), look(MAKE[kind](**start))
    page = visit("<p>A cell.</p>", script=False).page
    in_a_notebook(page, figure, "(found) => { window.kernel = found; }", kept=True)
    more(page)
    for k, (move, leads) in enumerate(steps):
        do(page, move)
        if isinstance(leads, str):
            assert leads in page.locator(".ws-status").text_content(), k
        else:
            set_to(figure, leads)
            told = figure._json(name for name in figure.beside if name == "shown")  # Python makes it anew
            page.evaluate("told => Object.entries(told).forEach(one => kernel.hear(...one))", told)
        wanted = figure._json(figure.changes)
        found = page.evaluate("names => names.map(name => kernel.state[name])", [*wanted])
        for (name, value), mine in zip(wanted.items(), found, strict=True):
            close = isinstance(value, float) or (isinstance(value, list) and value[:1] not in ([True], [False]))
            assert mine == (pytest.approx(value) if close else value), (k, move, name)
    shown = page.evaluate(LOOK)
    assert page.evaluate("kernel.model.saved"), "it is sent to the kernel"
    page.evaluate("all => all.forEach(one => kernel.hear(...one))", [*figure.start.items()])
    assert page.evaluate(LOOK) == rest
    assert shown == look(figure)


@pytest.mark.parametrize("kind", {case.partition(",")[0]: None for case in STEPS})
def test_moves_make_a_link_and_reset_takes_them_back(visit, look, kind):
    start, *steps = STEPS[kind]
    figure = MAKE[kind](**start)
    rest, page = look(figure), opened(visit(figure))
    for move, _ in steps:
        do(page, move)
    moved = {name: value for name, value in last_of(steps).items() if getattr(figure, name) != value}
    link = link_to(figure, moved)
    there = look(set_to(figure, moved))
    assert copied(page) == link
    assert page.evaluate(LOOK) == there
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate(LOOK) == rest
    page.evaluate(FOLLOW, ["elsewhere", link])
    assert page.evaluate(LOOK) == there, "followed within the page"
    assert visit(MAKE[kind](**start), link=f"#{link}&{STRANGE}").page.evaluate(LOOK) == there, "the rest counts"


def test_a_link_is_short_and_legible():
    values = {"beta": inf, "scores": [1.2, *SCORES[1:]], "prior": [3.5, 1, 1, 1, 1, 1, 2]}
    link = "beta-weights?beta=inf&scores=1.2,2,1.1,0.2,1.5,-0.6,0.8&prior=3.5,1,1,1,1,1,2&where=1110111"
    assert link_to(MAKE["weights"](), {**values, "where": [i != 3 for i in range(7)]}) == link
    values = {"m": 16, "hold": "false alarms", "sample": 1}
    assert link_to(MAKE["tell"](), values) == "can-you-tell?m=16&hold=false%20alarms&sample=1"


@pytest.mark.parametrize(
    ("kind", "values"), [(kind, one) for kind, all_ in OTHERS.items() for one in all_], ids=str
)
def test_an_address_brings_back_every_trait(visit, look, kind, values):
    make = lambda: MAKE[kind](**STARTS.get(kind, {}))  # noqa: E731
    figure, heard = make(), []
    rest = look(figure)
    figure.observe(lambda change: heard.append((change["name"], change["new"])), list(values))
    there = look(set_to(figure, values))
    assert heard == list(values.items())
    json.dumps(figure.get_state(), allow_nan=False)
    page = visit(make(), link=f"#{link_to(figure, values)}").page
    assert page.evaluate(LOOK) == there != rest
    assert copied(page) == link_to(figure, values), "what differs, and nothing else"
    press(page, "Reset")
    assert page.evaluate(LOOK) == rest
