"""Figures of masks, costs, number formats, streams and samples, and of models, for `figure_table.py`."""

import math

from figure_entry import Entry, key, keys, pick, picks, pressing, stay, tick
from gallery import GALLERY, formats, mask, sampling, stream

from book.figures import Cost, Heads, RealHead, SeventyTwo, TwoMapsLearn
from book.output.steps import BEFORE

inf, nan = math.inf, math.nan


def states(kind):
    """Those of the gallery, with the captions that figures have of themselves."""
    return [{name: getattr(figure, name) for name in figure.changes} for figure in GALLERY[kind].values()]


MASK = Entry(
    mask,
    asked={"tokens": ["a", "b"], "scores": [[0, 1], [1, 0]], "real": 1},
    bad={
        "pattern": [("diagonal", "'diagonal' is none of 'causal', 'window', 'all'")],
        "way": [("-1e9", "none of 'zeros'")],
        "window": [(0, "from 1 to 7"), (3, "more than the 2 tokens")],
        "real": [(-1, "from 0 to 7"), (3, "more than the 2 tokens")],
        "queries": [(0, "from 1 to 7"), (1.5, "whole number")],
        "offset": [(-3, "from -2 to 6"), (2, "behind the last position, 1"), ("end", "'end'")],
        "flips": [([True], "do not fit the 4 cells"), ([1, 0, 0, 0], "True"), ("0000", "not a list")],
        "scores": [
            ([[1.0, 2.0]], "2 rows of 2 numbers"),
            ([[1.0, 2.0], [inf, 0.0]], "inf cannot be drawn"),
            ("table", "not a table"),
            ([1.0, 2.0], "not a list of numbers"),
        ],
        "tokens": [(["a"], "from 2 to 7")],
    },
    damaged="offset=-3 offset=7 offset=0.5 offset=inf window=0 window=8 real=-1 real=8 queries=0 queries=8 "
    "flips=1 flips=all pattern=none way=-1e9 scores=1 tokens=a % flips=" + "0" * 50,
    start={"queries": 5},
    moves=[
        key("position of the first query", "Home"),
        lambda page: page.locator(".ws-spot").nth(24).click(),
        pick("s = −1e9"),
    ],
    link=f"mask?offset=-2&flips={24 * '0'}1{24 * '0'}&way=fill",
    moved={"offset": -2, "flips": [i == 24 for i in range(49)], "way": "fill"},
    others=[{"pattern": "window", "window": 2, "real": 5, "queries": 3}],
    walked=[{"queries": 6}],
    walk=[
        picks("causal", "window", "all keys"),
        picks("u = 0", "s = −∞", "s = −1e9"),
        keys("position of the first query", "Home", "ArrowRight", "End"),
    ],
    below="rules line slider say tools",
    sliders={
        "position of the first query": "Home: position -2; ArrowRight: position -1; End: position 6; "
        "ArrowDown: position 5; 25%: position 0; 75%: position 4",
    },
    slid={"offset": 4},
)
COST = Entry(
    Cost,
    asked={"d": 128},
    bad={
        "n": [(1000, "1000 is no power of two"), (32, "from 64 to 1048576")],
        "d": [(48, "48 is no power of two"), ("wide", "'wide'")],
        "asks": [("two", "none of 'all', 'one'")],
    },
    damaged="n=1000 n=32 n=2097152 n=x d=65 d=512 asks=two scores=1,2",
    moves=[key("tokens n", "ArrowRight"), key("width d", "Home"), pick("one new token asks")],
    link="cost?n=2048&d=16&asks=one",
    moved={"n": 2048, "d": 16, "asks": "one"},
    walk=[
        [lambda page, asks=asks: page.locator(f"input[value={asks}]").check() for asks in ("all", "one")],
        keys("width d", "Home", "End"),
        keys("tokens n", "Home", *["ArrowRight"] * 14),
    ],
    below="choice costs slider say tools",
    sliders={
        "tokens n": "ArrowRight: n = 2048; Home: n = 64; ArrowUp: n = 128; 50%: n = 8192",
        "width d": "End: d = 256; 50%: d = 64; ArrowLeft: d = 32",
    },
    slid={"n": 8192, "d": 32},
)
FORMATS = Entry(
    formats,
    asked={"size": 3},
    bad={
        "size": [(0.5, "from 1 to 10000"), ("large", "'large'")],
        "way": [("both", "'both' is none of 'plain', 'shifted'")],
        "side": [(True, "none of 'above', 'below'")],
    },
    damaged="size=0.5 size=1e5 size=x size=inf way=none side=left scores=1,2",
    moves=[key("best score", "PageUp"), pick("the largest subtracted"), tick("make all scores negative")],
    link="number-formats?size=10&way=shifted&side=below",
    moved={"size": 10.0, "way": "shifted", "side": "below"},
    walk=[
        picks("as they are", "the largest subtracted"),
        [tick("make all scores negative", on) for on in (False, True)],
        keys("best score", "Home", *["ArrowRight"] * 40),
    ],
    below="strip choice slider say tools",
    sliders={
        "best score": "ArrowRight: best score 2.5; PageUp: best score 10; ArrowUp: best score 12.5; "
        "End: best score 10000; Home: best score 1; 50%: best score 100; 75%: best score 1000",
    },
    slid={"size": 1000.0},
)
STREAM = Entry(
    stream,
    asked={"step": 2},
    bad={
        "step": [(8, "more than the 7 keys"), (1.5, "whole number")],
        "cut": [(7, "none of 7 keys"), (-1, "from 0")],
        "direction": [("up", "'up' is none of 'left', 'right'")],
        "values": [([1.0], "7 tokens and 1 entries of values")],
        "scores": [([1.0] * 8, "7 tokens and 8 scores")],
    },
    damaged="step=-1 step=1.5 step=x cut=-2 cut=0.5 direction=up scores=1,2 step=8 step=99 cut=7 cut=99&step=2",
    moves=[key("split after", "End"), key("keys read", "End"), lambda page: page.get_by_role("checkbox").check()],
    link="streaming?step=7&cut=6&direction=right",
    moved={"step": 7, "cut": 6, "direction": "right"},
    walk=[
        [stay, *keys("split after", *["ArrowRight"] * 6)],
        [stay, *keys("keys read", *["ArrowRight"] * 8)],
    ],
    below="svg valued slider table say tools",
    sliders={
        "split after": "ArrowRight: split after key 1; 66.67%: split after key 4; ArrowLeft: split after key 3",
        "keys read": "ArrowRight: each part has read up to 1 of 4 keys; End: both parts merged; "
        "40%: each part has read up to 2 of 4 keys",
    },
    slid={"cut": 3, "step": 2},
)
SAMPLING = Entry(
    sampling,
    bad={
        "step": [(3, "none of 0 to 2")],
        "temperature": [(0, "from 0.1 to 10"), (inf, "from 0.1 to 10")],
        "cut": [("top", "none of 'nothing'")],
        "top_k": [(2.5, "whole number")],
        "top_p": [(1.5, "from 0.01 to 1")],
        "min_p": [("much", "'much'")],
        "earlier": [("softmax", "none of")],
        "draws": [(10_001, "from 0 to 10000")],
        "seed": [(-1, "from 0")],
        "logits": [([[1.0, 2.0]] * 3, "94 logits"), ([[nan] * 94] * 3, "cannot be drawn")],
        "before": [(["one"], "3 steps, and 1 texts")],
        "tokens": [(["a", "b"], "2 logits"), (["a"], "at least two")],
    },
    damaged="step=3 step=-1 step=x temperature=0 temperature=inf temperature=11 cut=<b> cut=all top_k=0 top_k=1.5 "
    "top_p=0 top_p=1.1 min_p=nan min_p=2 earlier=last draws=-1 draws=10001 seed=x logits=1 before=x",
    moves=[pick("min-p"), key("temperature T", "ArrowRight"), pick(BEFORE[1])],
    link="sampling?step=1&temperature=1.25&cut=min-p",
    moved={"step": 1, "temperature": 1.25, "cut": "min-p"},
    others=[
        {"step": 1, "temperature": 0.37, "cut": "top-p", "top_p": 0.66, "earlier": "cut"},
        {"cut": "min-p", "min_p": 0.013, "draws": 31, "seed": 7},
        {"cut": "top-k", "top_k": 8},
    ],
    walk=[
        [*picks("top-k", "top-p", "min-p", "nothing"), pressing("Clear")],
        keys("temperature T", "Home", "End", "PageDown"),
    ],
    sliders={"temperature T": "ArrowRight: T = 1.25; End: T = 10; 0%: T = 0.1; 50%: T = 1"},
    typed=[("draws", "5000"), ("seed", "7")],
    is_typed={"draws": 5000, "seed": 7},
    junk=[("draws", "10001")],
)
REAL = Entry(
    RealHead,
    bad={"last": [("cold", "none of")], "beta": [(nan, "NaN"), ("hot", "'hot'")]},
    damaged="last=cold beta=hot last=cold&beta=hot",
    moves=[pick("warm"), key("inverse temperature", "End")],
    link="real-head?last=warm&beta=inf",
    moved={"last": "warm", "beta": inf},
    others=[{"last": "sweet", "beta": 0.25}],
    fits=states("real"),
    alike=True,
    says=(44, 88),
)
HEADS = Entry(
    Heads,
    bad={
        "sequence": [("Mary", "symbols"), (65 * "a", "64")],
        "place": [(47, "46")],
        "head": [("3.1", "none of")],
        "times": [(0.06, "1/16"), (nan, "nan")],
        "mapping": [("sigmoid", "none of")],
        "silent": [([True], "8")],
    },
    damaged="place=47 times=0.01 head=3.1 silent=all place=50 sequence=a%20b sequence=" + 65 * "a",
    moves=[key("the symbol that looks", "PageUp"), pick("sparsemax")],
    link="heads?place=29&mapping=sparsemax",
    moved={"place": 29, "mapping": "sparsemax"},
    others=[
        {
            "sequence": "abab.abab",
            "place": 9,
            "head": "1.3",
            "times": inf,
            "mapping": "entmax",
            "only": "2.2",
            "silent": [i == 7 for i in range(8)],
        }
    ],
    fits=states("heads"),
    says=(44, 110),
)
SEVENTY = Entry(
    SeventyTwo,
    bad={
        "layer": [(7, "from 1 to 6")],
        "head": [(0, "from 1 to 12")],
        "sentence": [("cold", "none of")],
        "query": [(11, "11 tokens"), ("that", "none of")],
        "beta": [(-0.1, "at least 0"), (nan, "nan")],
        "score_map": [("relu", "none of")],
    },
    damaged="layer=7 head=0 query=11 query=-1 sentence=cold beta=-1 score_map=relu",
    moves=[pressing("next head"), pick("entmax 1.5"), key("inverse temperature", "ArrowRight")],
    link="seventy-two?head=4&beta=0.2&score_map=entmax",
    moved={"head": 4, "beta": 0.2, "score_map": "entmax"},
    others=[
        {"layer": 5, "head": 6, "sentence": "small", "query": "13", "beta": inf},
        {"layer": 2, "head": 9, "sentence": "big", "query": "13", "beta": inf},
        {"score_map": "entmax", "beta": 0.125, "query": "0"},
    ],
    fits=states("seventy"),
    alike=True,
)
LEARN = Entry(
    TwoMapsLearn,
    bad={
        "first": [
            ("sigmoid", "none of 'softmax', 'entmax', 'sparsemax', 'sigmoid_weights', 'relu_norm'"),
            ("sparsemax", "the other map as well"),
        ],
        "second": [("softmax", "the other map as well")],
        "beta": [(0.001, "from 0.01 to 10"), (inf, "from 0.01 to 10")],
        "rule": [("log n", "none of 'fixed', 'learned', 'log-n'")],
        "layers": [(3, "whole number from 1 to 2")],
        "symbols": [("same", "none of 'differ', 'repeat'")],
        "seed": [(-1, "whole number from 0")],
    },
    damaged="first=sparsemax first=sigmoid beta=0 beta=11 beta=inf layers=3 layers=0 symbols=all seed=-1 seed=1.5 "
    "record=1 rule=log%20n",
    others=[
        {"first": "relu_norm", "second": "entmax"},
        {"beta": 0.0315, "rule": "log-n", "layers": 1, "symbols": "repeat", "seed": 17},
    ],
    fits=[*states("learn"), {"first": "relu_norm", "second": "sigmoid_weights"}],
    alike=True,
)
ENTRIES = {
    "mask": MASK,
    "cost": COST,
    "formats": FORMATS,
    "stream": STREAM,
    "sampling": SAMPLING,
    "real": REAL,
    "heads": HEADS,
    "seventy": SEVENTY,
    "learn": LEARN,
}
