"""What the chapters claim is true when their cells run, and each check fails where it should.

The chapters are executed here in this process, so that a change in `lib` that makes a claim false
fails the suite before any page is built.
"""

import math
import re
from functools import cache
from pathlib import Path

import pytest
from chapter_code import cells, run

import lib
from lib.book import claims, claims_show
from lib.book.claims import Bound, ClaimFailed, claim
from lib.book.source import body

ROOT = Path(__file__).parents[1]
PAGES = [*sorted((ROOT / "chapters").glob("*.md")), *sorted((ROOT / "back").glob("*.md")), ROOT / "index.md"]
CHAPTERS = [page for page in PAGES if cells(page)]
DECORATED = re.compile(r'^@claim\(\s*"([\w-]+)"', re.MULTILINE)
SAID = {page.stem: [name for cell in cells(page) for name in DECORATED.findall(cell)] for page in CHAPTERS}
OF = {name: page for page in CHAPTERS for name in SAID[page.stem]}


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


# The chapters


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_every_claim_a_chapter_makes_is_executed_under_its_own_name(page):
    assert list(executed(page).claims) == SAID[page.stem]


@pytest.mark.parametrize("name", OF)
def test_the_claim_holds(name):
    done = executed(OF[name]).claims[name]
    assert done.bound.low <= done.value <= done.bound.high


@pytest.mark.parametrize("name", OF)
def test_its_counter_case_does_not(name):
    done = executed(OF[name]).claims[name]
    assert done.counter
    assert done.counter_value < done.bound.low or done.counter_value > done.bound.high


def test_no_two_claims_share_a_name():
    names = [name for page in SAID.values() for name in page]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", OF)
def test_a_claim_names_its_chapter_and_what_it_measures(name):
    done = executed(OF[name]).claims[name]
    assert name.startswith(f"{OF[name].stem}-")
    assert done.measures
    assert not done.measures.endswith(".")


def test_a_chapter_may_be_named_by_a_relative_path(tmp_path, monkeypatch):
    (tmp_path / "pages").mkdir()
    head = "---\nkernelspec:\n  name: python3\n  display_name: Python 3\n---\n"
    code = "```{code-cell}\nfrom pathlib import Path\nassert Path.cwd().name == 'pages'\n```\n"
    (tmp_path / "pages" / "short.md").write_text(head + code)
    monkeypatch.chdir(tmp_path)
    assert run("pages/short.md").chapter == "short"


def test_a_wrong_formula_in_lib_makes_a_claim_fail(monkeypatch):
    monkeypatch.setattr(lib, "softmax", lambda scores, beta=1.0, **options: two_to_the(scores, beta, **options))
    with pytest.raises(ClaimFailed, match="kl-solver"):
        run(ROOT / "chapters" / "kl.md")


def two_to_the(scores, beta, true=lib.softmax, **options):
    return true(scores, beta * math.log(2), **options)


# The machinery


def test_a_true_claim_is_measured_shown_and_kept(registry, capsys):
    done = small()(two)
    assert (done.value, done.counter_value) == (2, 4)
    assert registry == {"small": done}
    assert done(x=7) == 7
    shown = capsys.readouterr().out
    assert "size of two: 2, at most 3" in shown
    assert "with four: 4, which fails" in shown


def test_a_false_claim_raises_and_says_what_was_measured(registry):
    with pytest.raises(ClaimFailed, match=r"small.*measured 5") as caught:
        small()(lambda x=5: x)
    assert (caught.value.id, caught.value.says, caught.value.value) == ("small", "Two is small.", 5)
    assert caught.value.bound.high == 3
    assert not registry


def test_a_counter_case_that_passes_raises(registry):
    with pytest.raises(ClaimFailed, match="its counter-case"):
        small(counter={"x": 3})(two)
    assert not registry


def test_a_claim_that_turns_false_is_forgotten(registry):
    small()(two)
    with pytest.raises(ClaimFailed):
        small()(lambda x=5: x)
    assert not registry


@pytest.mark.parametrize("bound", [{"at_most": 3}, {"at_least": 1}, {"equal_to": 2, "within": 1}])
def test_nan_never_passes(registry, bound):
    wanted = {"measures": "size of two", "counter": {"x": math.nan}, "counter_says": "with nothing", **bound}
    with pytest.raises(ClaimFailed, match="does not hold"):
        claim("small", "Two is small.", **wanted)(lambda x=math.nan: x)
    with pytest.raises(ClaimFailed, match="its counter-case"):
        claim("small", "Two is small.", **wanted)(two)


def test_a_bound_includes_its_ends():
    assert 3 in Bound.of(3, None, None, None)
    assert 3 in Bound.of(None, 3, None, None)
    assert 3.5 in Bound.of(None, None, 3, 0.5)
    assert 3.51 not in Bound.of(None, None, 3, 0.5)


@pytest.mark.parametrize("bound", [{}, {"at_least": 1}, {"equal_to": 2}, {"at_most": None, "within": 1}])
def test_a_claim_takes_exactly_one_bound(bound):
    options = {"at_most": 3, **bound} if bound else {"at_most": None}
    with pytest.raises(TypeError):
        small(**options)


def test_a_claim_without_a_counter_case_cannot_be_written():
    with pytest.raises(TypeError, match="counter"):
        claim("small", "Two is small.", measures="size of two", at_most=3)


def test_what_is_shown_is_text_and_not_markup(registry):
    done = small(counter_says="<script>", measures="<i>")(two)
    assert not re.search(r"<(script|i)>", done._repr_html_())
    assert 'id="claim-small"' in done._repr_html_()


def test_a_line_says_what_holds_and_by_what_margin_and_the_fold_how_it_is_tested(registry):
    line, fold = small()(two)._repr_html_().split("</summary>")
    assert "Two is small." in line
    assert "Size of two: <b>2</b>, 1 to spare." in line
    assert "The bound: at most 3. The counter-case, with four: <b>4</b>, which fails." in fold
    assert "small</code>" in fold


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
    ],
)
def test_the_margin_is_a_factor_where_that_says_more(value, bound, words):
    assert claims_show.spare(value, Bound.of(*bound)) == words


def test_a_chapter_runs_in_its_own_folder_and_leaves_no_trace(tmp_path, registry):
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
    assert not registry


def test_source_is_shown_as_it_stands():
    assert body(two) == "def two(x=2):\n    return x\n"
    assert '"""' not in body(body, docstring=False)
