"""The reference documents every public function once, and each leads to its source and its tests."""

import ast
import inspect
import re
from operator import attrgetter
from pathlib import Path

import pytest

import lib
from book.builder import lib_reference

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "reference").glob("*.md"))


def listed(page):
    return " ".join(re.findall(r"```\{lib-functions\} (.*)", page.read_text(encoding="utf-8"))).split()


def test_every_public_function_is_documented_once():
    assert sorted(name for page in PAGES for name in listed(page)) == sorted(lib_reference.FUNCTIONS)


@pytest.fixture(scope="module")
def sources():
    return {page: context["body"] for page, context, _ in lib_reference.source_pages(None)}


@pytest.mark.parametrize("name", lib_reference.FUNCTIONS)
def test_every_public_function_says_what_it_is_for_and_leads_to_its_source_and_its_tests(name, sources):
    doc = inspect.getdoc(attrgetter(name)(lib))
    assert all(f"\n{part}\n{'-' * len(part)}\n" in doc for part in ("Parameters", "Returns", "Examples"))
    page = lib_reference.page_of(lib_reference.file_of(name))
    assert f'<span id="{lib_reference.anchor_of(name)}">' in sources[page]
    assert len(lib_reference.tests()[name]) >= 3
    for path, test in lib_reference.tests()[name]:
        assert f'<span id="{test}">' in sources[lib_reference.page_of(path)]


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("assert lib.softmax(scores) == 1", True),
        ("for f in (entmax, softmax):\n        f(scores)", True),
        ("x = [f(scores) for f in (softmax, entmax)]", True),
        ("given(scores)", True),
        ("for f in (softmax, entmax):\n        g(scores)", False),
        ("assert weights(softmax) == 1", False),
        ("assert torch.softmax(scores) == 1", False),
    ],
)
def test_a_test_of_a_function_is_one_that_calls_it(body, called):
    code = f'@pytest.mark.parametrize("given", [softmax, entmax])\ndef test_it(given):\n    {body}\n'
    (test,) = ast.parse(code).body
    assert ("softmax" in lib_reference.called_by(test)) == called


def test_names_of_lib_become_links_and_others_code():
    lines = ["Like `softmax`, of `scores`; :math:`a_+` of :math:`a`, ``b`` and `a link`_."]
    lib_reference.link_names(None, None, None, None, None, lines)
    assert lines == ["Like :py:func:`~lib.softmax`, of ``scores``; :math:`a_+` of :math:`a`, ``b`` and `a link`_."]
