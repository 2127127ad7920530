"""Each check stands in its chapter and is run by it once, and fails where it should.

What the chapters claim is measured while the book is built: where a check does not hold, there is no book.
"""

import ast
import importlib
import math
import re
from pathlib import Path
from types import FunctionType

import nbformat
import numpy as np
import pytest
import torch
from chapter_code import cells, checks_of, run, sources

from book import claims, claims_show, numbers
from book.claims import Bound, ClaimFailed, claim, fails, measures, run_checks, says
from book.source import body

ROOT = Path(__file__).parents[2]
CHAPTERS = [page for page in sources() if checks_of(page)]
OF = {name: page for page in CHAPTERS for name in checks_of(page)}
CELL = re.compile(r"^```\{code-cell\}.*?^```\n", re.DOTALL | re.MULTILINE)
TICK = re.compile(r"\{tick\}`([^`]+)`")


@pytest.fixture
def registry():
    """The registry, empty, and as it was afterwards."""
    before = dict(claims.CLAIMS)
    claims.CLAIMS.clear()
    yield claims.CLAIMS
    claims.CLAIMS.clear()
    claims.CLAIMS.update(before)


def small(measure, what="size of two", against="with four", counter=4, **bound):
    """A claim that two is small, but for what is given."""
    measure = measures(what, **(bound or {"at_most": 3}))(fails(against, x=counter)(measure))
    return claim("small")(says("Two is small.")(measure))


def two(x=2):
    return x


def sections(page):
    """The parts of a page under its headings, from the second level on; what stands before them is the first."""
    text = page.read_text(encoding="utf-8")
    code = [found.span() for found in CELL.finditer(text)]
    heads = [found.start() for found in re.finditer(r"^(?:\([\w-]+\)=\n)?#{2,3} ", text, re.MULTILINE)]
    heads = [head for head in heads if not any(first < head < last for first, last in code)]
    return [text[a:b] for a, b in zip([0, *heads], [*heads, len(text)], strict=True)]


# The chapters


def test_every_check_of_a_chapter_is_run_by_one_of_its_cells_once(site):
    for page in CHAPTERS:
        module = importlib.import_module(f"book.{page.stem}.checks")
        written = re.findall(r'^@claim\(\s*"([\w-]+)"', Path(module.__file__).read_text("utf-8"), re.MULTILINE)
        assert sorted(checks_of(page)) == sorted(written)
        assert len(set(written)) == len(written), page.stem
        shown = nbformat.read(site / "notebooks" / f"{page.stem}.ipynb", 4)
        outputs = [output for cell in shown.cells for output in cell.get("outputs", [])]
        lines = [output.get("data", {}).get("text/plain", "") for output in outputs]
        held = [line.partition(": ")[2] for line in lines if re.match(r"✓ \d+ checks? holds?: ", line)]
        assert ", ".join(held).split(", ") == checks_of(page)


def test_a_check_has_a_counter_case_and_says_what_it_measures():
    for name, page in OF.items():
        check = claims.find(name)
        assert check.counter, name
        assert claims.chapter_of(name) == page.stem
        assert check.measures.strip(".") == check.measures != "", name


def test_a_section_ends_with_its_checks_and_ticks_name_no_others():
    for page, section in ((each, section) for each in CHAPTERS for section in sections(each)):
        title = f"{page.stem}: {section[:60]}"
        calls = re.findall(r"^run_checks\((.*?)\)$", section, re.DOTALL | re.MULTILINE)
        run = re.findall(r'"([\w-]+)"', "".join(calls))
        assert set(TICK.findall(CELL.sub("", section))) <= set(run), title
        if run:
            assert CELL.findall(section)[-1].count("run_checks(") == section.count("run_checks(") == 1, title
            assert section.removesuffix("\n").endswith(("```", "```\n")), title


def alike(one, other):
    """Whether two names mean the same: equal arrays and numbers, functions with the same code."""
    if isinstance(one, FunctionType):
        return body(one) == body(other)
    if isinstance(one, (np.ndarray, torch.Tensor, float, int)):
        return np.array_equal(np.asarray(one), np.asarray(other), equal_nan=True)
    return True


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_what_a_chapter_and_its_checks_both_define_is_the_same(page, monkeypatch):
    """The matrices of a chapter, say, which the reader sees in a cell and the checks need in their module."""
    ours = vars(importlib.import_module(f"book.{page.stem}.checks"))
    nodes = (node for cell in cells(page) for node in ast.walk(ast.parse(cell)))
    told = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    monkeypatch.setattr(claims, "run_checks", lambda *_: None)  # what takes long
    monkeypatch.setattr(numbers, "keep", lambda _: None)
    forms = {"claim", "says", "measures", "fails"}  # of checks, words that a cell may use for something else
    if shared := told & set(ours) - forms:
        names = run(page)
        assert [name for name in shared if not alike(names[name], ours[name])] == []


def test_a_wrong_formula_in_lib_makes_a_check_fail(monkeypatch):
    checks = importlib.import_module("book.kl.checks")
    true = checks.softmax
    monkeypatch.setattr(
        checks, "softmax", lambda scores, beta=1.0, **options: true(scores, beta * math.log(2), **options)
    )
    with pytest.raises(ClaimFailed, match="kl-solver"):
        run_checks("kl-solver")


# The machinery


def test_a_check_is_kept_where_it_is_written_and_measured_where_it_is_run(registry):
    done = small(two)
    assert registry == {"small": done}
    assert math.isnan(done.value), "nothing is measured yet"
    shown = run_checks("small")
    assert (done.value, done.counter_value) == (2, 4)
    assert done(x=7) == 7
    assert repr(shown) == "✓ 1 check holds: small"


def test_a_check_that_is_not_there_raises_and_lists_those_that_are():
    with pytest.raises(LookupError, match="no check 'kl-nothing'; there are kl-gibbs, kl-solver"):
        run_checks("kl-nothing")


def test_a_false_claim_raises_and_says_what_was_measured(registry):
    with pytest.raises(ClaimFailed, match=r"small.*measured 5") as caught:
        small(lambda x=5: x).run()
    assert (caught.value.id, caught.value.says, caught.value.value) == ("small", "Two is small.", 5)
    assert caught.value.bound.high == 3
    with pytest.raises(ClaimFailed, match="its counter-case"):
        small(two, counter=3).run()


@pytest.mark.parametrize(
    "bound", [{"at_most": 3}, {"at_least": 1}, {"at_least": 1, "at_most": 3}, {"equal_to": 2, "within": 1}]
)
def test_nan_never_passes(registry, bound):
    with pytest.raises(ClaimFailed, match="does not hold"):
        small(lambda x=math.nan: x, counter=math.nan, **bound).run()
    with pytest.raises(ClaimFailed, match="its counter-case"):
        small(two, counter=math.nan, **bound).run()


def test_a_bound_includes_its_ends():
    for bound, inside, outside in (
        ((3, None, None, None), 3, 3.1),
        ((None, 3, None, None), 3, 2.9),
        ((3, 1, None, None), 1, 0.9),
        ((None, None, 3, 0.5), 3.5, 3.51),
    ):
        assert inside in Bound.of(*bound)
        assert outside not in Bound.of(*bound)


@pytest.mark.parametrize(
    "bound", [{"at_most": None}, {"at_most": 3, "equal_to": 2, "within": 1}, {"at_most": 3, "within": 1}]
)
def test_a_claim_takes_a_bound_no_two_kinds_and_a_counter_case(bound):
    with pytest.raises(TypeError):
        small(two, **bound)
    with pytest.raises(TypeError, match="counter"):
        claim("small")(says("Two is small.")(measures("x", at_most=3)(lambda x=2: x)))


def test_a_line_counts_the_checks_and_opens_to_what_was_measured_and_how(registry):
    small(two, "size of 2", "with <b>")
    large = measures("size", at_least=1)(fails("with none", x=0)(two))
    claim("large")(says("Two is large.")(large))
    line, *entries = re.split("</summary><ul|<li", run_checks("small", "large")._repr_html_())
    assert line.endswith("✓ 2 checks hold")
    first, second = entries[1:]
    assert "Two is small." in first
    assert "Size of 2: <b>2</b>; at most 3, 1 to spare." in first
    assert "The counter-case, with &lt;b&gt;: <b>4</b>, which fails, as it should." in first
    assert re.sub("<.*?>", "", first).endswith("The code of this checkdef two(x=2):\n    return x")
    assert 'id="claim-large"' in second


def test_the_margin_is_a_factor_where_that_says_more():
    for value, bound, words in (
        (3.1e-9, (1e-7, None, None, None), "32 times to spare"),
        (0.0, (1e-7, None, None, None), "exact"),
        (1.0, (1, None, None, None), "none to spare"),
        (-0.25, (0, None, None, None), "0.25 to spare"),
        (12.0, (None, 3, None, None), "4 times to spare"),
        (2.1, (None, None, 2, 0.5), "0.4 to spare"),
        (1e-12, (1, None, None, None), "over 1000 times to spare"),
        (2.9, (3, 1, None, None), "0.1 to spare"),
    ):
        assert claims_show.spare(value, Bound.of(*bound)) == words


def test_a_chapter_runs_in_its_own_folder_and_leaves_no_trace(tmp_path, monkeypatch):
    head = "---\nkernelspec:\n  name: python3\n  display_name: Python 3\n---\n\n"
    cell = "```{code-cell} python\nfrom pathlib import Path\nassert Path('here.md').exists()\n```\n"
    page = tmp_path / "pages" / "here.md"
    page.parent.mkdir()
    page.write_text(head + cell)
    monkeypatch.chdir(tmp_path)
    assert run("pages/here.md")["Path"] is Path
    page.write_text(head + "```{code-cell} python\n1 / 0\n```\n")
    with pytest.raises(ZeroDivisionError):
        run(page)
    assert Path.cwd() == tmp_path


def test_source_is_shown_as_it_stands():
    assert body(two) == "def two(x=2):\n    return x\n"
    assert '"""' not in body(body, docstring=False)
    assert body(registry.__wrapped__, decorators=False).startswith("def registry()")
