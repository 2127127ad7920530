"""What the chapters claim is true when their cells run, and each check fails where it should.

The chapters are executed here in this process, so that a change in `lib` that makes a claim false
fails the suite before any page is built.
"""

import ast
import importlib
import math
import re
from functools import cache
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest
import torch
from chapter_code import cells, checks_of, run, sources

from lib.book import claims, claims_show
from lib.book.claims import Bound, ClaimFailed, claim, find, run_checks
from lib.book.source import body

ROOT = Path(__file__).parents[2]
CHAPTERS = [page for page in sources() if checks_of(page)]
OF = {name: page for page in CHAPTERS for name in checks_of(page)}
NAMES = list(OF)
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


def small(**options):
    """A claim that two is small, but for what `options` say."""
    wanted = {"measures": "size of two", "at_most": 3, "counter": {"x": 4}, "counter_says": "with four", **options}
    return claim("small", "Two is small.", **wanted)


def two(x=2):
    return x


@cache
def executed(page):
    return run(page)


def sections(page):
    """The parts of a page under its headings, from the second level on; what stands before them is the first."""
    text = page.read_text(encoding="utf-8")
    code = [found.span() for found in CELL.finditer(text)]
    heads = [found.start() for found in re.finditer(r"^(?:\([\w-]+\)=\n)?#{2,3} ", text, re.MULTILINE)]
    heads = [head for head in heads if not any(first < head < last for first, last in code)]
    return [text[a:b] for a, b in zip([0, *heads], [*heads, len(text)], strict=True)]


# The chapters


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_every_check_of_a_chapter_is_run_by_one_of_its_cells_once(page):
    module = importlib.import_module(f"lib.book.{page.stem}.checks")
    written = re.findall(r'^@claim\(\s*"([\w-]+)"', Path(module.__file__).read_text("utf-8"), re.MULTILINE)
    assert sorted(checks_of(page)) == sorted(written)
    assert len(set(written)) == len(written)
    assert list(executed(page).claims) == checks_of(page)


@pytest.mark.parametrize("name", NAMES)
def test_the_claim_holds(name):
    done = executed(OF[name]).claims[name]
    assert done.bound.low <= done.value <= done.bound.high


@pytest.mark.parametrize("name", NAMES)
def test_its_counter_case_does_not(name):
    done = executed(OF[name]).claims[name]
    assert done.counter
    assert done.counter_value < done.bound.low or done.counter_value > done.bound.high


@pytest.mark.parametrize("name", NAMES)
def test_a_claim_names_its_chapter_and_what_it_measures(name):
    done = find(name)
    assert claims.chapter_of(name) == OF[name].stem
    assert done.measures
    assert not done.measures.endswith(".")


@pytest.mark.parametrize("page", sources(), ids=lambda page: page.stem)
def test_a_section_ends_with_its_checks_and_each_of_them_has_a_tick_in_it(page):
    for section in sections(page):
        prose = CELL.sub("", section)
        calls = re.findall(r"^run_checks\((.*?)\)$", section, re.DOTALL | re.MULTILINE)
        run = re.findall(r'"([\w-]+)"', "".join(calls))
        assert sorted(set(TICK.findall(prose))) == sorted(run)
        if run:
            assert CELL.findall(section)[-1].count("run_checks(") == 1
            assert section.endswith("```\n") or section.endswith("```\n\n")
            assert section.count("run_checks(") == 1


def alike(one, other):
    """Whether two names mean the same: equal arrays and numbers, functions with the same code."""
    if isinstance(one, FunctionType):
        return body(one) == body(other)
    if isinstance(one, (np.ndarray, torch.Tensor, float, int)):
        return np.array_equal(np.asarray(one), np.asarray(other), equal_nan=True)
    return True


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_what_a_chapter_and_its_checks_both_define_is_the_same(page):
    """The matrices of a chapter, say, which the reader sees in a cell and the checks need in their module."""
    ours = vars(importlib.import_module(f"lib.book.{page.stem}.checks"))
    told = set()
    for node in (node for cell in cells(page) for node in ast.walk(ast.parse(cell))):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            told.add(node.id)
    shared = {name for name in told & set(ours) if name not in OTHERWISE.get(page.stem, ())}
    for name in shared:
        assert alike(executed(page).names[name], ours[name]), name


# Names that mean something else where the chapter ends than in its checks, or are used up there.
OTHERWISE = {}


def test_to_import_checks_measures_nothing():
    for name in NAMES:
        assert callable(find(name).measure)
    assert math.isnan(small()(two).value)


def test_a_chapter_may_be_named_by_a_relative_path(tmp_path, monkeypatch):
    (tmp_path / "pages").mkdir()
    head = "---\nkernelspec:\n  name: python3\n  display_name: Python 3\n---\n"
    code = "```{code-cell}\nfrom pathlib import Path\nassert Path.cwd().name == 'pages'\n```\n"
    (tmp_path / "pages" / "short.md").write_text(head + code)
    monkeypatch.chdir(tmp_path)
    assert run("pages/short.md").chapter == "short"


def test_a_wrong_formula_in_lib_makes_a_check_fail(monkeypatch):
    checks = importlib.import_module("lib.book.kl.checks")
    true = checks.softmax
    monkeypatch.setattr(
        checks, "softmax", lambda scores, beta=1.0, **options: true(scores, beta * math.log(2), **options)
    )
    with pytest.raises(ClaimFailed, match="kl-solver"):
        run_checks("kl-solver")


# The machinery


def test_a_check_is_kept_where_it_is_written_and_measured_where_it_is_run(registry):
    done = small()(two)
    assert registry == {"small": done}
    shown = run_checks("small")
    assert (done.value, done.counter_value) == (2, 4)
    assert done(x=7) == 7
    assert repr(shown) == "✓ 1 check holds: small"


def test_a_check_that_is_not_there_raises_and_lists_those_that_are():
    with pytest.raises(LookupError, match="no check 'kl-nothing'; there are kl-gibbs, kl-solver"):
        run_checks("kl-nothing")


def test_a_false_claim_raises_and_says_what_was_measured(registry):
    with pytest.raises(ClaimFailed, match=r"small.*measured 5") as caught:
        small()(lambda x=5: x).run()
    assert (caught.value.id, caught.value.says, caught.value.value) == ("small", "Two is small.", 5)
    assert caught.value.bound.high == 3


def test_a_counter_case_that_passes_raises(registry):
    with pytest.raises(ClaimFailed, match="its counter-case"):
        small(counter={"x": 3})(two).run()


@pytest.mark.parametrize(
    "bound", [{"at_most": 3}, {"at_least": 1}, {"at_least": 1, "at_most": 3}, {"equal_to": 2, "within": 1}]
)
def test_nan_never_passes(registry, bound):
    wanted = {"measures": "size of two", "counter": {"x": math.nan}, "counter_says": "with nothing", **bound}
    with pytest.raises(ClaimFailed, match="does not hold"):
        claim("small", "Two is small.", **wanted)(lambda x=math.nan: x).run()
    with pytest.raises(ClaimFailed, match="its counter-case"):
        claim("small", "Two is small.", **wanted)(two).run()


def test_a_bound_includes_its_ends():
    assert 3 in Bound.of(3, None, None, None)
    assert 3 in Bound.of(None, 3, None, None)
    assert 1 in Bound.of(3, 1, None, None)
    assert 3.1 not in Bound.of(3, 1, None, None)
    assert 0.9 not in Bound.of(3, 1, None, None)
    assert 3.5 in Bound.of(None, None, 3, 0.5)
    assert 3.51 not in Bound.of(None, None, 3, 0.5)


@pytest.mark.parametrize("bound", [{}, {"equal_to": 2}, {"equal_to": 2, "within": 1}, {"within": 1}])
def test_a_claim_takes_a_bound_and_no_two_kinds(bound):
    options = {"at_most": 3, **bound} if bound else {"at_most": None}
    with pytest.raises(TypeError):
        small(**options)


def test_a_claim_without_a_counter_case_cannot_be_written():
    with pytest.raises(TypeError, match="counter"):
        claim("small", "Two is small.", measures="size of two", at_most=3)


def test_what_is_shown_is_text_and_not_markup(registry):
    small(counter_says="<script>", measures="<i>")(two)
    html = run_checks("small")._repr_html_()
    assert not re.search(r"<(script|i)>", html)
    assert 'id="claim-small"' in html


def test_a_line_counts_the_checks_and_opens_to_what_was_measured_and_how(registry):
    small(measures="size of 2")(two)
    claim("large", "Two is large.", measures="size", at_least=1, counter={"x": 0}, counter_says="with none")(two)
    line, *entries = re.split("</summary><ul|<li", run_checks("small", "large")._repr_html_())
    assert line.endswith("✓ 2 checks hold")
    first, second = entries[1:]
    assert "Two is small." in first
    assert "Size of 2: <b>2</b>; at most 3, 1 to spare." in first
    assert "The counter-case, with four: <b>4</b>, which fails." in first
    assert re.sub("<.*?>", "", first).endswith("The code of this checkdef two(x=2):\n    return x")
    assert 'id="claim-large"' in second


@pytest.mark.parametrize(
    ("value", "bound", "words"),
    [
        (3.1e-9, (1e-7, None, None, None), "32 times to spare"),
        (0.0, (1e-7, None, None, None), "exact"),
        (0.0, (0, None, None, None), "exact"),
        (1.0, (1, None, None, None), "none to spare"),
        (-0.25, (0, None, None, None), "0.25 to spare"),
        (0.9, (1, None, None, None), "0.1 to spare"),
        (12.0, (None, 3, None, None), "4 times to spare"),
        (2.1, (None, None, 2, 0.5), "0.4 to spare"),
        (1.9, (None, None, 2, 0.5), "0.4 to spare"),
        (1e-12, (1, None, None, None), "over 1000 times to spare"),
        (2.9, (3, 1, None, None), "0.1 to spare"),
    ],
)
def test_the_margin_is_a_factor_where_that_says_more(value, bound, words):
    assert claims_show.spare(value, Bound.of(*bound)) == words


def test_a_chapter_runs_in_its_own_folder_and_leaves_no_trace(tmp_path):
    head = "---\nkernelspec:\n  name: python3\n  display_name: Python 3\n---\n\n"
    page = tmp_path / "here.md"
    page.write_text(
        head + "```{code-cell} python\nfrom pathlib import Path\nassert Path('here.md').exists()\n```\n"
    )
    assert run(page).chapter == "here"
    page.write_text(head + "```{code-cell} python\n1 / 0\n```\n")
    with pytest.raises(ZeroDivisionError):
        run(page)
    assert not Path("here.md").exists()
    assert claims.run_checks is run_checks


def test_source_is_shown_as_it_stands():
    assert body(two) == "def two(x=2):\n    return x\n"
    assert '"""' not in body(body, docstring=False)
    assert body(executed.__wrapped__, decorators=False).startswith("def executed(page)")
