"""The book's Sphinx hooks, without Sphinx."""

import re
import shutil
from types import SimpleNamespace

import pytest
from fresh import choose_cache, fingerprint
from typeset import Typesetter


@pytest.fixture(scope="module")
def typeset():
    typesetter = Typesetter()
    yield typesetter
    typesetter.close()


def test_a_formula_becomes_a_picture_and_its_mathml(typeset):
    html = typeset(r"\pi_i = \frac{1}{n}", False)
    assert html.count("<svg") == 1
    assert 'aria-hidden="true"' in html
    assert "<mfrac>" in html
    assert "vertical-align" in html


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


def test_the_fingerprint_follows_lib_and_the_requirements(tmp_path):
    (tmp_path / "lib" / "figures").mkdir(parents=True)
    files = [
        tmp_path / "lib" / "simplex.py",
        tmp_path / "lib" / "figures" / "math.js",
        tmp_path / "requirements.txt",
    ]
    seen = set()
    for file in files:
        file.write_text("1")
        seen.add(fingerprint(tmp_path))
        file.write_text("2")
        seen.add(fingerprint(tmp_path))
    files[0].rename(tmp_path / "lib" / "other.py")
    seen.add(fingerprint(tmp_path))
    assert len(seen) == 7
    (tmp_path / "lib" / "__pycache__").mkdir()
    (tmp_path / "lib" / "__pycache__" / "x.pyc").write_bytes(b"")
    assert fingerprint(tmp_path) in seen
    shutil.rmtree(tmp_path / "lib" / "__pycache__")
    assert fingerprint(tmp_path) in seen


def test_an_edit_to_a_hook_makes_every_page_again(tmp_path):
    (tmp_path / "_ext").mkdir()
    marks = set()
    for text in ("1", "2"):
        (tmp_path / "_ext" / "hook.py").write_text(text)
        config = SimpleNamespace()
        choose_cache(SimpleNamespace(srcdir=tmp_path, outdir=tmp_path / "_build" / "html"), config)
        marks.add(config.book_hooks)
    assert len(marks) == 2
