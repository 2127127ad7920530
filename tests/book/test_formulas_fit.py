"""Displayed formulas are no wider than a phone: nothing of them is cut at its edge."""

import re
from pathlib import Path

import pytest

from book.builder.typeset import Typesetter

ROOT = Path(__file__).parents[2]
PIXELS = 7.8  # of an ex, in the book's text
ROOM = {"plain": 328, "with a number": 284, "in a docstring": 296}  # CSS pixels at 360
SHOWN = re.compile(r"^\$\$(.*?)\$\$([^\n]*)", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"^( *)\.\. math::(.*(?:\n\1 +.*)*)", re.MULTILINE)


def formulas():
    """The place of each displayed formula, its TeX, and what it stands beside."""
    for page in sorted(ROOT.glob("chapters/*.md")):
        for tex, rest in SHOWN.findall(page.read_text("utf-8")):
            yield page.stem, tex.strip(), "with a number" if rest.strip() else "plain"
    for module in sorted(ROOT.glob("lib/*.py")):
        for _, tex in DIRECTIVE.findall(module.read_text("utf-8")):
            yield module.stem, tex.strip(), "in a docstring"


@pytest.fixture(scope="module")
def width():
    typesetter = Typesetter()

    def measured(tex):
        split = r"\\" in tex and r"\begin" not in tex
        shown = typesetter(rf"\begin{{split}}{tex}\end{{split}}" if split else tex, True)
        return PIXELS * float(re.search(r'width="([\d.]+)ex"', shown)[1])

    yield measured
    typesetter.close()


def test_every_displayed_formula_fits_a_phone(width):
    found = list(formulas())
    assert len(found) > 60
    assert [(where, tex) for where, tex, beside in found if not width(tex) <= ROOM[beside]] == []


def test_a_wide_formula_is_noticed(width):
    assert width(r"a = b + c") < ROOM["with a number"] < ROOM["plain"] < width("+".join(12 * ["abc"]))
