"""Figures that set one map beside another, and what width and a crowd do to the weights, for `figure_table.py`."""

import math

from figure_entry import Entry, key, keys, lift, pick, picks, pressing
from gallery import outside, rules, side, two
from table_weights import BAD_ROW, BETA, LIFTED, MOVED

from book.figures import Dispersion, Width

inf, nan = math.inf, math.nan
KINDS = ["'softmax', 'ReLU over its sum', 'sigmoid', 'softmax-plus-one'", "'shift', 'copies', 'beta'"]
RATIOS = "The same scores under three rules; beside each, how many times the weight of milk that of cat is. "


def moved_rules(scores=None, **state):
    """It says what has moved since it was made."""
    figure = rules(**state)
    if scores is not None:
        figure.scores = scores
    return figure


ENTRIES = {
    "side": Entry(
        side,
        bad={
            **BAD_ROW,
            "alpha": [(0.9, "from 1 to 2"), ("much", "'much'"), (nan, "from 1 to 2")],
            "ticks": [("none", "'none' is none of 'shown', 'hidden'")],
        },
        damaged="beta=nan alpha=0.9 alpha=2.1 alpha=inf alpha=<b> ticks=all scores=1,2 scores=1,2,3,4,5,6,inf",
        moves=[lift(2), key(BETA, "ArrowRight"), key("α of entmax", "ArrowRight")],
        link="side-by-side?beta=1.25&alpha=1.51&scores=0.2,2,1.2,0.2,1.5,-0.6,0.8",
        moved={"beta": 1.25, "alpha": 1.51, "scores": LIFTED},
        others=[
            {"beta": inf, "alpha": 1.0, "ticks": "hidden"},
            {"beta": 0.037, "alpha": 1.83, "scores": MOVED},
        ],
        walk=[keys("α of entmax", "Home", "End"), keys(BETA, "Home", *["ArrowRight"] * 30, "End")],
        opened=True,
        apart=".ws-of-map span",
        sliders={
            BETA: "ArrowRight: β = 1.25; PageUp: β = 10; End: β = infinity; Home: β = 0",
            "α of entmax": "Home: α = 1; ArrowRight: α = 1.01; 100%: α = 2; ArrowLeft: α = 1.99",
        },
        slid={"beta": 0.0, "alpha": 1.99},
        grip=4,
    ),
    "outside": Entry(
        outside,
        bad={
            **BAD_ROW,
            "shift": [(4.5, "from -4 to 4"), ("far", "'far'"), (nan, "from -4 to 4")],
            "copies": [(0, "from 1 to 100"), (2.5, "whole")],
            "bias": [("none", "'follows', 'stays'")],
            "only": [([], KINDS[0]), (["relu"], "['relu'] is not a list")],
            "sliders": [(["beta", "beta"], KINDS[1]), ("beta", "'beta' is not a list")],
        },
        damaged="beta=nan shift=4.1 shift=-inf shift=<b> copies=0 copies=101 copies=1.5 bias=no scores=1,2",
        moves=[
            lift(2),
            key("shift of all scores", "ArrowLeft"),
            key("copies of each token", "ArrowRight"),
            key(BETA, "ArrowRight"),
            lambda page: page.get_by_role("checkbox", name="keep the bias").check(),
        ],
        link="outside?beta=1.25&shift=-0.1&copies=2&bias=stays&scores=0.2,2,1.2,0.2,1.5,-0.6,0.8",
        moved={"shift": -0.1, "copies": 2, "bias": "stays", "beta": 1.25, "scores": LIFTED},
        others=[
            {"shift": -3.7, "beta": inf},
            {"copies": 31, "bias": "stays", "shift": 0.5, "scores": MOVED},
        ],
        walk=[
            [key("copies of each token", "End")],
            keys("shift of all scores", "Home", "ArrowRight", "End"),
            keys(BETA, "Home", *["ArrowRight"] * 12, "End"),
        ],
        opened=True,
        apart=".ws-of-map span",
        sliders={
            "shift of all scores": "Home: −4 points; ArrowRight: −3.9 points; 100%: +4 points",
            "copies of each token": "ArrowRight: each token 2 times; PageUp: each token 10 times; "
            "ArrowRight: each token 13 times; 50%: each token 10 times; End: each token 100 times",
            BETA: "PageUp: β = 10; End: β = infinity; Home: β = 0; ArrowRight: β = 0.01",
        },
        slid={"shift": 4.0, "copies": 100, "beta": 0.01},
        grip=4,
    ),
    "rules": Entry(
        moved_rules,
        bad={
            "token": [(7, "none of 0 to 6")],
            "against": [(-1, "0 to 1000")],
            "scores": [([1, 2], "7 tokens")],
        },
        damaged="scores=1,2 scores=1,2,3,4,5,6,inf token=0 tokens=a",
        moves=[pressing("+ 1 point")],
        link="four-rules?scores=1.2,3,2.1,1.2,2.5,0.4,1.8",
        moved={"scores": [1.2, 3.0, 2.1, 1.2, 2.5, 0.4, 1.8]},
        fits=[{"caption": 2 * RATIOS}],
        grip=4,
    ),
    "two": Entry(
        two,
        bad={
            "words": [(["a"], "two of them")],
            "lead": [(1.6, "0 to 1.5")],
            "gap": [(-0.1, "0 to 1")],
            "alpha": [(3, "1 to 2")],
            "beta": [(0, "0.1 to 2")],
        },
        damaged="lead=2 gap=-1 alpha=2.5",
        start={"lead": 0.3},
        moves=[
            key("points more in the first sentence", "ArrowRight"),
            key("α of the measure", "Home"),
            key("points more for the first word", "End"),
        ],
        link="two-sentences?lead=0.35&gap=1&alpha=1",
        moved={"lead": 0.35, "gap": 1.0, "alpha": 1.0},
    ),
    "width": Entry(
        Width,
        asked={"d": 16},
        bad={
            "d": [(5, "none of 4, 6, 8"), (1024, "from 4 to 512"), (64.5, "whole number"), ("wide", "'wide'")],
            "scale": [("both", "'both' is none of 'divided', 'undivided'")],
        },
        damaged="d=5 d=3 d=1024 d=64.5 d=-4 d=x scale=none rows=1",
        start={"d": 16},
        moves=[key("width d", "End"), pick("not divided")],
        link="width?d=512&scale=undivided",
        moved={"d": 512, "scale": "undivided"},
        walked=[{"d": 4}, {"d": 4, "plain": True}],
        walk=[picks("not divided", "divided by √d"), keys("width d", "Home", *["ArrowRight"] * 15)],
        below="choice svg slider say tools",
        sliders={
            "width d": "ArrowRight: d = 96; ArrowUp: d = 128; ArrowLeft: d = 96; Home: d = 4; ArrowRight: d = 6; "
            "End: d = 512; 0%: d = 4; 50%: d = 48",
        },
        slid={"d": 48},
    ),
    "dispersion": Entry(
        Dispersion,
        asked={"crowd": 16},
        bad={
            "crowd": [(7, "from 8 to"), (10**6 + 1, "from 8 to"), (9.5, "whole number")],
            "rule": [("log", "'log' is none of 'fixed', 'grows'")],
            "trend": [("none", "'none' is none of 'stays', 'shrinks'")],
            "lead": [(-0.1, "from 0 to 12"), (nan, "nan")],
        },
        damaged="crowd=7 crowd=1000001 crowd=9.5 crowd=x rule=none trend=grows lead=-1 lead=13",
        start={"crowd": 100},
        moves=[
            key("number of tokens n", "End"),
            *picks("β grows with log n", "lead shrinks as 1/n"),
            key("lead among 8 tokens", "End"),
        ],
        link="dispersion?crowd=1000000&rule=grows&trend=shrinks&lead=12",
        moved={"crowd": 1_000_000, "rule": "grows", "trend": "shrinks", "lead": 12.0},
        walked=[{"lead": 1.2}],
        walk=[
            picks("β = 1", "β grows with log n"),
            picks("lead stays", "lead shrinks as 1/n"),
            keys("number of tokens n", "Home", "PageUp", "PageUp", "End"),
        ],
        below="choice svg slider say tools",
        apart=".ws-ticks span, .ws-level, .ws-head span, .ws-melting span",
        sliders={
            "number of tokens n": "ArrowRight: 10 tokens; ArrowUp: 13 tokens; PageUp: 100 tokens; "
            "ArrowLeft: 80 tokens; End: 1 000 000 tokens; Home: 8 tokens; 58.86%: 8000 tokens",
            "lead among 8 tokens": "End: lead 12 points; ArrowLeft: lead 11.9 points",
        },
        slid={"crowd": 8000, "lead": 11.9},
    ),
}
