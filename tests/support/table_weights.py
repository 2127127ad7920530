"""*β and the weights* and figures that show the weights of one row, for `figure_table.py`."""

import math

import torch
from compromise_page import choose, drag
from figure_entry import Entry, key, keys, lift, pick, picks, pressing
from figure_page import pull
from gallery import compromise, curved, mixture, race, raised, slopes, tell, weights

from book.example import SCORES

inf, nan = math.inf, math.nan
UNEVEN = {"prior": [1, 2, 3, 4, 5, 6, 7], "where": [True] * 6 + [False]}
BETA = "inverse temperature β"
BAD_ROW = {
    "beta": [(nan, "NaN"), ("hot", "'hot'")],
    "scores": [([1.0, 2.0], "7 tokens and 2 scores"), ([inf] * 7, "cannot be drawn")],
    "tokens": [(["a"], "1 tokens and 7 scores")],
}
LIFTED = [0.2, 2.0, 1.2, *SCORES[3:]]
MOVED = [1.2, 2, -1.1, 0.2, 1.5, 1e-7, 3]


def weights_are_changed(page):
    pull(page, 0, 28.5)
    rows = page.locator(".ws-table tbody tr")
    rows.nth(3).get_by_role("checkbox").uncheck()
    rows.nth(0).get_by_role("spinbutton").nth(1).fill("3.5")


WEIGHTS = Entry(
    weights,
    asked={"beta": 2.0, **UNEVEN},
    bad={
        "beta": [(nan, "NaN"), ("hot", "'hot'"), (None, "None"), (True, "True")],
        "scores": [
            ([1.0, 2.0], "7 tokens and 2 scores"),
            ([inf] * 7, "inf"),
            (["a"] * 7, "'a'"),
            (None, "None"),
            (3.0, "list of numbers"),
            (torch.tensor(3.0), "list of numbers"),
        ],
        "prior": [
            ([-1.0] + [1.0] * 6, "non-negative"),
            ([0.0] * 7, "above 0"),
            ([nan] * 7, "nan"),
            ([1.0], "7 tokens and 1 entries of prior"),
        ],
        "where": [([1.0] * 7, "True"), ([True], "7 tokens and 1 entries of where")],
        "tokens": [(["a"], "1 tokens and 7 scores"), ("abcdefg", "list of words"), ([], "one word or more")],
        "name": [("two words", "letters"), ("", "letters")],
    },
    damaged="beta=hot scores=1,2 scores=1,2,3,4,5,6,x prior=0,0,0,0,0,0,0 where=1 tokens=a %E0%A4%A beta beta= = "
    "nothing=1 start=1 __proto__=1 constructor=1 % tokens=a,b name=x caption=x beta=NaN beta=1e999 scores= prior= "
    "prior=-1,1,1,1,1,1,1 where= where=11111111 beta=0x toString=1 &&",
    start={"prior": [1, 1, 1, 1, 1, 1, 2]},
    moves=[weights_are_changed, key("inverse temperature", "End")],
    link="beta-weights?beta=inf&scores=1.2,2,1.1,0.2,1.5,-0.6,0.8&prior=3.5,1,1,1,1,1,2&where=1110111",
    moved={
        "beta": inf,
        "scores": [1.2, *SCORES[1:]],
        "prior": [3.5, 1, 1, 1, 1, 1, 2],
        "where": [i != 3 for i in range(7)],
    },
    others=[
        {"beta": inf},
        {"beta": -0.037, "scores": [*MOVED[:6], 3e8]},
        {"prior": [1, 1, 2.5, 1, 1, 9, 0], "where": [True, False, True, True, True, False, True]},
    ],
    walk=[keys("inverse temperature", "Home", "End", *["PageDown"] * 3)],
    grip=4,
)


CURVES = Entry(
    curved,
    bad={
        "presets": [
            ([("hot", nan)], "NaN"),
            ([("hot", "1")], "'1' is not a number"),
            ([("hot",)], "('T = 1', 1.0)"),
            ([(1.0, "T = 1")], "('T = 1', 1.0)"),
            ([("", 1.0)], "('T = 1', 1.0)"),
            (["T = 1"], "a (label, beta)"),
            (3.0, "a list of pairs"),
        ]
    },
    start={"beta": -inf, **UNEVEN},
    others=[{"beta": 0.0, "prior": None, "where": None}],  # to what no prior and no mask are
)


def budget_is_typed(page):
    choose(page, "entmax")
    choose(page, "budget")
    page.get_by_role("textbox", name="ε").fill("0.2")
    drag(page, [0.2, 0.3, 0.5])


def led(mode, slider):
    def lead(page):
        choose(page, mode)
        page.get_by_role("slider", name=slider).focus()

    return lead


COMPROMISE = Entry(
    compromise,
    asked={"beta": 2.0, "prior": [1, 2, 3], "mode": "budget", "epsilon": 0.25, "divergence": "tsallis"},
    bad={
        "beta": [(-1, "at least 0"), (nan, "NaN")],
        "epsilon": [(-0.1, "at least 0"), (nan, "nan"), ("much", "'much'"), (None, "None")],
        "mode": [("both", "'both' is none of 'price', 'budget'")],
        "divergence": [("js", "'js' is none of 'kl', 'tsallis', 'euclidean'"), (["kl"], "is none of")],
        "prior": [([1, 0, 1], "positive"), ([1, 1], "three corners"), ([1e308] * 3, "positive")],
        "scores": [([1.0, 2.0], "three corners"), ([1.0, 2.0, inf], "inf")],
        "tokens": [(["a", "b"], "three corners")],
        "name": [("two words", "letters"), ("", "letters")],
    },
    damaged="beta=-1 beta=-inf prior=0,1,1 prior=1,1 epsilon=-1 epsilon=much mode=both divergence=js",
    moves=[budget_is_typed],
    link="compromise?prior=0.2,0.3,0.5&mode=budget&divergence=tsallis&epsilon=0.2",
    moved={"prior": [0.2, 0.3, 0.5], "mode": "budget", "divergence": "tsallis", "epsilon": 0.2},
    others=[
        {"beta": inf, "scores": [-1.5, 0.1 + 0.2, 1e-3]},
        {"mode": "budget", "epsilon": inf, "divergence": "tsallis"},
        {"mode": "budget", "epsilon": 0.05, "divergence": "euclidean", "prior": [0.2, 0.3, 0.5]},
    ],
    walk=[
        [lambda page, name=name: choose(page, name) for name in ("softmax", "entmax", "sparsemax")],
        [led("price", "inverse temperature"), led("budget", "budget")],
        [lambda page, one=one: page.keyboard.press(one) for one in ("Home", *["PageUp"] * 3)]
        + [
            lambda page, one=one: page.keyboard.press(one) for one in (*["ArrowRight"] * 2, *["PageUp"] * 2, "End")
        ],
    ],
    below="say tools",
    opened=True,
    sliders={"inverse temperature": "ArrowRight: β = 1.25; PageUp: β = 10; Home: β = 0; End: β = infinity"},
    slid={"beta": inf},
)
GUESSED = [pressing("Draw"), pressing("from π")]
ENDS = [key("words", "End"), key("β", "Home"), key("β", "End"), key("words", "Home"), key("β", "Home")]
TELL = Entry(
    tell,
    asked={"tokens": ["a", "b"], "scores": [0.0, 0.3], "m": 5},
    bad={
        "beta": [(0.05, "from 0.1 to 10"), (inf, "from 0.1 to 10"), (nan, "from 0.1 to 10"), ("hot", "'hot'")],
        "m": [(0, "whole number from 1 to 1000"), (1001, "from 1 to 1000"), (2.5, "whole number"), (True, "True")],
        "hold": [("both", "'both' is none of 'neither', 'misses', 'false alarms'")],
        "sample": [(-1, "from 0")],
        "seed": [(0.5, "whole number")],
        "scores": [
            ([0.0, 0.25], "multiples of 0.1"),
            ([1.0, 1.0], "not all equal"),
            ([0.0, 10.1], "at most 10 apart"),
            ([1.0], "2 tokens and 1 scores"),
        ],
        "tokens": [(["a"], "1 tokens and 2 scores")],
        "name": [("two words", "letters")],
    },
    damaged="m=0 m=1001 m=2.5 beta=inf beta=20 hold=all sample=-1 scores=1,2,3 scores=1,1,1,1,1,1,1.05",
    moves=[key("words", "ArrowLeft"), pick("false alarms"), pressing("Draw")],
    link="can-you-tell?m=16&hold=false%20alarms&sample=1",
    moved={"m": 16, "hold": "false alarms", "sample": 1},
    others=[
        {"m": 1000, "hold": "false alarms", "beta": 0.125},
        {"hold": "misses", "sample": 3, "seed": 2, "scores": [-3.1, 0.2, 0.3, 5.9, 6.9, 0.0, 0.1]},
    ],
    walk=[ENDS, picks("misses", "false alarms", "neither"), GUESSED],
    below="game plot rise slider tests say tools",
    opened=True,
    sliders={
        "words": "ArrowRight: m = 25 words; ArrowUp: m = 32 words; PageUp: m = 100 words; PageDown: m = 10 words; "
        "Home: m = 1 word; ArrowRight: m = 2 words; ArrowUp: m = 3 words; End: m = 1000 words; 50%: m = 32 words",
        "β": "ArrowRight: β = 1.25; PageUp: β = 10; ArrowLeft: β = 8; Home: β = 0.1",
    },
    slid={"m": 32, "beta": 0.1},
    typed=[("m", "137"), ("β", "0,75")],
    is_typed={"m": 137, "beta": 0.75},
    junk=[("m", "1001"), ("m", "2.5"), ("β", "inf"), ("β", "0")],
)
HUMPS = Entry(
    lambda **state: tell(exponents=False, **state), walk=[ENDS, GUESSED], below="game plot slider say tools"
)
RACE = Entry(
    race,
    asked={"tokens": ["a", "b"], "scores": [0.0, 0.3], "races": 5},
    bad={
        "beta": [(0.05, "from 0.1 to 10"), (inf, "from 0.1 to 10"), ("hot", "'hot'")],
        "noise": [("gumbel", "'gumbel' is none of 'Gumbel', 'normal', 'uniform', 'none'")],
        "races": [(-1, "whole number from 0 to 100000"), (100_001, "from 0 to 100000"), (2.5, "whole number")],
        "seed": [(0.5, "whole number")],
        "scores": [([0.0, inf], "cannot be drawn"), ([1.0], "2 tokens and 1 scores")],
        "tokens": [(["a"], "1 tokens and 2 scores")],
        "name": [("two words", "letters")],
    },
    damaged="races=100001 races=-1 races=1.5 beta=20 noise=loud seed=-1 scores=1",
    start={"races": 20, "noise": "uniform"},
    moves=[pressing("+10 races", exact=True), pick("normal"), key("", "End")],
    link="race?beta=10&noise=normal&races=30",
    moved={"races": 30, "noise": "normal", "beta": 10.0},
    others=[
        {"noise": "none", "races": 1010},
        {"races": 0, "beta": 0.125},
        {"races": 100_000, "noise": "normal", "seed": 7, "scores": MOVED},
    ],
    walk=[[*keys("", "Home", "End"), pressing("Clear")], picks("Gumbel", "normal", "uniform", "none")],
    below="lanes tokens shares runs kinds say tools",
    opened=True,
    sliders={"": "PageUp: β = 10; ArrowLeft: β = 8; Home: β = 0.1; ArrowUp: β = 0.125"},
    slid={"beta": 0.125},
    typed=[("races", "12345"), ("β", "0,75"), ("seed", "9")],
    is_typed={"races": 12345, "beta": 0.75, "seed": 9},
    junk=[("races", "100001"), ("races", "2.5"), ("races", "-1"), ("β", "inf"), ("seed", "x")],
)
RAISE = Entry(
    raised,
    bad={
        **BAD_ROW,
        "token": [(7, "none of 0 to 6"), (-1, "from 0"), (0.5, "whole number")],
        "by": [(3.5, "from -3 to 3"), ("up", "'up'")],
    },
    damaged="token=7 token=-1 token=1.5 token=x by=4 by=inf beta=nan beta=<b> scores=1",
    moves=[lift(2), key(BETA, "ArrowRight")],
    link="raise-one?token=2&by=0.1&beta=1.25",
    moved={"token": 2, "by": 0.1, "beta": 1.25},
    walk=[
        keys("score of because", "PageDown", "End", "End", "PageUp"),
        keys(BETA, "Home", "ArrowRight", "PageUp", "PageUp", "PageUp", "End"),
    ],
    grip=4,
)
JACOBIAN = Entry(
    slopes,
    bad=BAD_ROW,
    damaged="beta=nan beta=x scores=1,2 scores=1,2,3,4,5,6,inf tokens=a slopes=1",
    moves=[lift(2), key(BETA, "End")],
    link="jacobian?beta=inf&scores=0.2,2,1.2,0.2,1.5,-0.6,0.8",
    moved={"beta": inf, "scores": LIFTED},
    walk=[keys(BETA, "Home", *["ArrowRight"] * 30, "End")],
    grip=4,
)
TWO_LINES = "A caption of two lines, as in the chapter: some words on what is drawn, and on what can be moved."
MIXTURE = Entry(
    mixture,
    bad=BAD_ROW,
    damaged="beta=hot beta=nan scores=1,2 tokens=a",
    moves=[lift(2), key("inverse temperature", "End")],
    link="mixture?beta=inf&scores=0.2,2,1.2,0.2,1.5,-0.6,0.8",
    moved={"beta": inf, "scores": LIFTED},
    others=[
        {"beta": inf},
        {"beta": 0.2, "scores": [0.4, 4, 2.2, 0.4, 3, -1.2, 1.6]},
    ],
    walk=[keys("inverse temperature", "Home", "End", *["PageDown"] * 3)],
    fits=[
        {"beta": beta, "scores": scores, "caption": TWO_LINES}
        for beta in (1.0, 0.0, inf, -2.5)
        for scores in (SCORES, [2.0] * 7, [2.0, 2.0, 2.0, 0.0, 1.0, 0.0, 0.0])
    ],
    alike=True,
    grip=4,
)
ENTRIES = {
    "weights": WEIGHTS,
    "curves": CURVES,
    "compromise": COMPROMISE,
    "tell": TELL,
    "humps": HUMPS,
    "race": RACE,
    "raise": RAISE,
    "jacobian": JACOBIAN,
    "mixture": MIXTURE,
}
