"""How formulas are typeset while the book is built, without Sphinx."""

import re

import pytest

from book.builder.typeset import Typesetter


@pytest.fixture(scope="module")
def typeset():
    typesetter = Typesetter()
    yield typesetter
    typesetter.close()


def test_a_formula_becomes_a_picture_and_its_mathml(typeset):
    html = typeset(r"\pi_i = \frac{1}{n}", False)
    assert html.count("<svg") == 1
    assert all(part in html for part in ('aria-hidden="true"', "<mfrac>", "vertical-align"))


def test_a_glyph_has_one_outline_however_many_formulas_use_it(typeset):
    used = [re.findall(r'href="#(TEX-[^"]+)"', typeset(tex, False)) for tex in (r"\beta", r"\beta + \beta")]
    assert used[0] == ["TEX-I-1D6FD"]
    assert used[1].count("TEX-I-1D6FD") == 2
    assert typeset.glyphs["TEX-I-1D6FD"].startswith("M")
    assert "<defs>" not in typeset(r"\beta", False)


@pytest.mark.parametrize("tex", [r"\frac{a", r"\nosuchmacro x", r"\begin{aligned} a"])
def test_a_formula_that_tex_refuses_is_an_error(typeset, tex):
    with pytest.raises(ValueError, match=r"\w"):
        typeset(tex, True)
    assert "<svg" in typeset("x", True), "the next formula still works"
