"""What every figure refuses, in Python and in a link, and what it says.

In what figures differ stands in the table above each question. What is special to one figure, above all that its
weights are those of `lib`, stands in that figure's own file; its controls are in `test_every_control.py`.
"""

from itertools import zip_longest
from math import inf, nan

import pytest
import torch
from figure_page import FOLLOW, LOOK, STRANGE, assert_refused, set_to, written
from gallery import GALLERY, MAKE, SAID

from book.figures.base import Figure
from book.figures.traits import Beta, Flags, FromOn, Name, Numbers, OneOf, SomeOf, Table, Within, Words

SECOND = {"curves": "weights"}  # a second entry of one figure


def test_every_figure_is_asked():
    """But for the questions, which draw nothing and say nothing at rest."""
    asking = {"predict", "answer"}
    assert {make().view for make in MAKE.values()} == {one.view for one in Figure.__subclasses__()} - asking
    assert set(MAKE) == set(GALLERY) - asking
    assert set(MAKE) - set(SECOND) == set(SAID) == set(BOUNDS) | UNBOUNDED


# --- Python --------------------------------------------------------------------------------------

# From where to where a number may go.
BOUNDS = {
    "tell": {"beta": (0.1, 10), "m": (1, 1000)},
    "race": {"beta": (0.1, 10), "races": (0, 100_000), "seed": (0, 2**31 - 1)},
    "raise": {"by": (-3, 3)},
    "lake": {"beta": (0.25, 4), "alpha": (1, 2), "level": (-1.2, 2.5)},
    "lamps": {"shift": (-4.5, 4.5)},
    "one-price": {"price": (1, 2)},
    "twice": {"score": (0, 10)},
    "repairs": {"sink": (-4, 8), "gate": (-6, 6), "cap": (0.5, 10), "gain": (0.5, 10), "typical": (2, 30)},
    "two": {"lead": (0, 1), "gap": (0, 0.5), "alpha": (1, 2), "beta": (0.1, 2)},
    "width": {"d": (1, 64), "query": (1, 999)},
    "uphill": {"lead": (1, 10), "steps": (0, 12_000)},
    "dispersion": {"crowd": (8, 10**6), "lead": (0, 12)},
    "mask": {"window": (1, 7), "real": (0, 7), "queries": (1, 7), "offset": (-2, 6)},
    "cost": {"n": (64, 1_048_576), "d": (16, 256)},
    "sheet": {"n": (1024, 131_072), "d": (64, 64)},
    "formats": {"shift": (-22, 12)},
    "stream": {},
    "sampling": {"temperature": (0.1, 10), "top_p": (0.01, 1), "min_p": (0.01, 1), "draws": (0, 10_000)},
    "heads": {"place": (0, 64)},
    "pairs": {"layer": (1, 6), "head": (1, 12), "pair": (1, 24)},
    "yours": {"layer": (1, 6), "head": (1, 12), "beta": (0, 100)},
    "learn": {"rate": (0.001, 0.1), "beta": (0.01, 10), "layers": (1, 2)},
    "flat": {"place": (0, 3.1), "beta": (0, 10)},
}
UNBOUNDED = {"weights", "compromise", "jacobian", "mixture", "outside", "real", "two-rules", "which"}


@pytest.mark.parametrize("kind", BOUNDS)
def test_numbers_go_as_far_as_the_book_says(kind):
    traits = MAKE[kind]().traits(sync=True)
    assert {name: (traits[name].low, traits[name].high) for name in BOUNDS[kind]} == BOUNDS[kind]


def refused_by(trait):
    """What no trait of this kind takes: [(value, words of the error)]."""
    if isinstance(trait, Within):
        says = f"from {trait.low} to {trait.high}"
        beyond = [(value, says) for value in (trait.low - 1, trait.high + 1, nan)]
        return [*beyond, ("much", "'much'"), (True, "True"), *[(trait.low + 0.5, "whole number")] * trait.whole]
    if isinstance(trait, FromOn):
        return [(trait.low - 0.01, "at least"), (nan, "nan"), ("much", "'much'"), (None, "None")]
    if isinstance(trait, OneOf):
        return [("no word", f"'no word' is none of {', '.join(map(repr, trait.words))}"), ([], "is none of")]
    if isinstance(trait, SomeOf):
        word = trait.words[0]
        says = ", ".join(map(repr, trait.words))
        none = [([], says)] if trait.least else []
        return [*none, (["no word"], says), ([word, word], says), (word, f"{word!r} is not a list")]
    numbers = [([1.0], "1 "), ([inf], "inf"), (["a"], "'a'"), (3.0, "list"), (torch.tensor(3.0), "list")]
    refused = {
        Beta: [(nan, "NaN"), ("hot", "'hot'"), (None, "None"), (True, "True")],
        Numbers: numbers,
        Flags: [([1.0], "True"), ([True], "1 "), ("0", "not a list")],
        Table: [("table", "not a table"), ([1.0, 2.0], "not a list of numbers"), ([[inf]], "inf cannot be drawn")],
        Words: [([], "one word or more"), ("abc", "list of words"), (["a"], "")],
        Name: [("two words", "letters"), ("", "letters")],
    }
    return next((pairs for known, pairs in refused.items() if isinstance(trait, known)), [])


# What a figure refuses besides.
ROW = {"scores": [([1.0, 2.0], "7 tokens and 2 scores")], "tokens": [(["a"], "1 tokens and 7 scores")]}
REFUSED = {
    "weights": {
        **ROW,
        "scores": [(None, "None")],
        "prior": [
            ([-1.0] + [1.0] * 6, "non-negative"),
            ([0.0] * 7, "above 0"),
            ([1.0], "7 tokens and 1 entries of prior"),
        ],
        "where": [([True], "7 tokens and 1 entries of where")],
    },
    "curves": {
        "crowd": [(-1, "from 0"), (100_001, "to 100000"), (7.5, "whole")],
    },
    "compromise": {
        "beta": [(-1, "at least 0")],
        "prior": [([1, 0, 1], "positive"), ([1, 1], "three corners"), ([1e308] * 3, "positive")],
        "point": [([1, -1, 1], "non-negative"), ([0, 0, 0], "above 0"), ([1, 1], "three corners")],
        "pin": [([1, -1, 1], "non-negative"), ([0, 0, 0], "above 0"), ([1, 1], "three corners")],
        "scores": [([1.0, 2.0], "three corners"), ([1.0, 2.0, inf], "inf")],
        "tokens": [(["a", "b"], "three corners")],
    },
    "tell": {
        "scores": [
            ([0.0, 0.25, 0, 0, 0, 0, 0], "multiples of 0.1"),
            ([1.0] * 7, "not all equal"),
            ([0.0] * 6 + [10.1], "at most 10 apart"),
        ],
        **{"tokens": ROW["tokens"], "sample": [(-1, "from 0")]},
    },
    "race": ROW,
    "raise": {**ROW, "token": [(7, "none of 0 to 6"), (-1, "from 0")]},
    "jacobian": ROW,
    "mixture": ROW,
    "outside": {**ROW, "asked": [(["join", "join"], "some of"), (3.0, "not a list of words")]},
    "repairs": {
        "scores": [*ROW["scores"], ([101.0] + [0.0] * 6, "101 is too far from 0")],
        "tokens": [*ROW["tokens"], (["a"], "tokens")],
        "repair": [("plus one", "none of")],
    },
    "lake": {**ROW, "scores": [([2.6] + [0.0] * 6, "no place on the axis"), ([-1.1] * 7, "no place on the axis")]},
    "lamps": {
        "token": [(7, "none of 0 to 6"), (4, "the other word")],
        "against": [(-1, "0 to 1000"), (1, "the other word")],
        "scores": [([1, 2], "7 tokens"), ([4.1] + [0] * 6, "no place on the axis from -1.5 to 3")],
        "shift": [(2.1, "no place on the axis"), (-1, "no place on the axis")],
        "was": [([1.0], "7 tokens and 1 entries of was"), ([-1.6] + [0] * 6, "no place on the axis")],
        "out": [
            (["squares-5"], "is not a list of some of"),
            (["squares-3", "squares-3"], "some of"),
            (3.0, "not a list of words"),
        ],
    },
    "twice": {
        "scores": [([1.0, 2.0], "10 tokens and 2 scores"), ([11.0] + [0.0] * 9, "no place on the axis")],
        "right": [(10, "none of 0 to 9"), (-1, "0 to 1000")],
    },
    "two": {"words": [(["a"], "two of them")]},
    "width": {"tokens": [(["a"], "from 2 to 9 words"), (["a"] * 10, "from 2 to 9 words")]},
    "mask": {
        "flips": [([True], "do not fit the 49 cells"), ([1, 0, 0, 0], "True")],
        "scores": [([[1.0, 2.0]], "7 rows of 7 numbers")],
        "tokens": [(["a"], "from 2 to 7")],
    },
    "cost": {"n": [(1000, "1000 is no power of two")], "d": [(48, "48 is no power of two")]},
    "stream": {
        "step": [(8, "more than the 7 keys")],
        "cut": [(7, "none of 7 keys"), (-1, "from 0")],
        "values": [([1.0], "7 tokens and 1 entries of values")],
        "scores": [([1.0] * 8, "7 tokens and 8 scores")],
    },
    "sampling": {
        "step": [(3, "none of 0 to 2")],
        "logits": [([[1.0, 2.0]] * 3, "94 logits"), ([[nan] * 94] * 3, "cannot be drawn")],
        "before": [(["one"], "3 steps, and 1 texts")],
        "tokens": [(["a", "b"], "2 logits"), (["a"], "at least two")],
    },
    "flat": {
        "shares": [([1.0] * 4, "4 shares, and there are five"), ([1.0, 2.0, 3.0, 4.0, 0.0], "positive")],
    },
    "heads": {
        "sequence": [("Mary", "symbols"), (65 * "a", "64")],
        "place": [(47, "46")],
        "silent": [([True], "8")],
    },
    "yours": {
        "query": [(11, "11 tokens"), (64, "none of"), ("that", "none of")],
        "text": [(None, "None"), (251 * "a", "at most 250")],
    },
    "learn": {"first": [("sparsemax", "the other map as well")], "second": [("softmax", "the other map as well")]},
}


@pytest.mark.parametrize("kind", MAKE)
def test_a_bad_value_is_named_and_nothing_is_lost(kind):
    make = MAKE[kind]
    widget = make()
    traits = widget.traits(sync=True)
    cases = [(name, *pair) for name in (*widget.changes, *widget.beside) for pair in refused_by(traits[name])]
    cases += [("name", *pair) for pair in refused_by(traits["name"])]
    for name, value, says in [
        *cases,
        *((name, *one) for name, all_ in REFUSED.get(kind, {}).items() for one in all_),
    ]:
        assert_refused(widget, name, value, says)
        before = widget.get_state()
        with pytest.raises(ValueError, match=r"^\w+: "), widget.hold_trait_notifications():
            setattr(widget, name, value)
        assert widget.get_state() == before
        with pytest.raises(ValueError, match=r"^\w+: "):
            make(**{name: value})


@pytest.mark.parametrize("kind", SAID)
def test_the_sentence(draw, kind):
    for state, says in SAID[kind]:
        assert draw.sentence(SAYING.get(kind, MAKE[kind])(**state)) == says, state


def moved_lamps(**state):
    """It says what has moved since it was made."""
    return set_to(MAKE["lamps"](), state)


SAYING = {"lamps": moved_lamps}

# --- links that are damaged ------------------------------------------------------------------------------------


# What cannot be read as a value of each kind; a figure takes none of it from a link.
JUNK = {
    "number": ["x", "nan", "1e999", "<b>", "", "0x"],
    "count": ["x", "1.5", "-1", "inf", ""],
    "word": ["<b>", ""],
    "some": ["<b>", "", "x,y"],
    "typed": [300 * "a"],
    "letters": ["a%20b", 65 * "a"],
    "numbers": ["", "1,2", "1,1,1,1,1,1,x", "1,1,1,1,1,1,inf"],
    "shares": ["", "1,1", "0,0,0,0,0,0,0", "-1,1,1,1,1,1,1"],
    "flags": ["", "1", 70 * "0"],
}
MALFORMED = ["", "%", "%E0%A4%A", "beta", "beta=", "=", "&&", STRANGE]


def damaged(figure, kind):
    """What nothing is taken of: in one link what cannot be read; each value that Python refuses alone."""
    spoilt = [[f"{name}={junk}" for junk in JUNK[what["kind"]]] for name, what in figure.address.items()]
    yield from ("&".join(filter(None, one)) for one in zip_longest(*spoilt))
    beyond = {name: [low - 1, high + 1] for name, (low, high) in BOUNDS.get(kind, {}).items()}
    refused = [(name, pair[0]) for name, pairs in REFUSED.get(kind, {}).items() for pair in pairs]
    for name, value in [*refused, *((name, value) for name, pair in beyond.items() for value in pair)]:
        if name in figure.address and value is not None and value != [1, 0, 0, 0]:
            yield f"{name}={written(value)}"


@pytest.mark.parametrize("kind", [kind for kind in MAKE if kind not in SECOND])
def test_a_damaged_link_changes_nothing(visit, look, kind):
    figure = MAKE[kind]()
    rest, all_ = look(figure), [*damaged(figure, kind)]
    links = [f"{figure.name}?{part}" for part in [*MALFORMED, *all_]]
    assert visit(figure).page.evaluate(FOLLOW, list(dict.fromkeys(links))) == []
    assert visit(figure, link=f"#{figure.name}?{'&'.join(all_)}").page.evaluate(LOOK) == rest
