"""A letter means one thing in the whole book: whatever stands in a formula stands in the table of symbols."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "index.md", *sorted(ROOT.glob("chapters/*.md")), *sorted(ROOT.glob("appendix/*.md"))]
MATHS = sorted((ROOT / "lib").glob("*.py"))  # the docstrings are pages too
NAMES = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon
    phi chi psi omega"""
GREEK = re.compile(rf"ell|(var)?({'|'.join(NAMES.split())})", re.IGNORECASE)
E = {"e"}  # the base of the exponential


def formulas(text):
    """What stands between dollar signs, outside code; in a docstring, in `math` roles and directives."""
    text = re.sub(r"^```.*?^```|`[^`$]*`", " ", text, flags=re.DOTALL | re.MULTILINE)
    yield from re.findall(r"\$\$(.+?)\$\$", text, re.DOTALL)
    yield from re.findall(r"(?<![\\$])\$([^$]+?)\$(?!\$)", re.sub(r"\$\$.+?\$\$", " ", text, flags=re.DOTALL))


def documented(text):
    yield from re.findall(r":math:`([^`]+)`", text)
    yield from re.findall(r"\.\. math::\n?((?:.*\S.*\n)+)", text)


def letters(formula):
    """The letters of a formula, Latin and Greek, without those that are words or part of a command."""
    formula = re.sub(r"\\(?:text|operatorname|mathrm|label|begin|end|mathbb)\*?\{[^}]*\}", " ", formula)
    commands = set(re.findall(r"\\([A-Za-z]+)", formula))
    plain = re.sub(r"\\[A-Za-z]+", " ", formula)
    return (set(re.findall(r"[A-Za-z]", plain)) | {f"\\{c}" for c in commands if GREEK.fullmatch(c)}) - E


ROWS = re.findall(r"^\| (\$.+?) \| .+? \|$", (ROOT / "index.md").read_text(encoding="utf-8"), re.MULTILINE)
KNOWN = set().union(*(letters(" ".join(formulas(row))) for row in ROWS))  # by the table of symbols


def test_each_letter_is_explained_in_one_row():
    main = [next(iter(formulas(row))) for row in ROWS]
    assert len(main) == len(set(main))


@pytest.mark.parametrize("path", [*PAGES, *MATHS], ids=lambda path: path.name)
def test_a_page_uses_no_letter_that_the_table_lacks(path):
    shown = formulas if path.suffix == ".md" else documented
    assert set().union(*map(letters, shown(path.read_text(encoding="utf-8")))) <= KNOWN


def test_a_letter_of_its_own_would_be_noticed():
    found = letters(r"\frac{\partial F}{\partial \gamma} = \operatorname{KL}(p\,\|\,r) e^{2x}")
    assert found == {"F", "\\gamma", "p", "r", "x"}
