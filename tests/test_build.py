"""The build tells the truth: what is wrong in a chapter fails it by name; no result outlives an edit to `lib`.

Each test builds a book of one page in a temporary folder, with the project's own configuration.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A page

"""
CLAIM = """
```{code-cell} ipython3
import numpy as np
from lib import softmax
from lib.book.claims import claim


@claim("odds", "A gap of one point is a factor e in odds", equal_to=2.718281828, within=1e-6,
       counter={"beta": 2.0}, counter_says="with β doubled")
def odds(beta=1.0):
    weights = softmax(np.array([1.0, 0.0]), beta)
    return weights[0] / weights[1]
```
"""


@pytest.fixture
def book(tmp_path):
    """A copy of what a build needs, with an empty first page."""
    for folder in ("lib", "_ext"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("_config.yml", "requirements.txt", "references.bib"):
        shutil.copy(ROOT / file, tmp_path)
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: index\n")
    return tmp_path


def build(book, text=None):
    """Write the page, build, and return the exit status and what was printed."""
    if text is not None:
        (book / "index.md").write_text(PAGE + text, encoding="utf-8")
    done = subprocess.run(
        [Path(sys.executable).with_name("jupyter-book"), "build", ".", "-n", "-W", "--keep-going"],
        cwd=book,
        env={**os.environ, "PYTHONPATH": str(book), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


def test_an_edit_to_lib_executes_the_chapters_again(book):
    status, said = build(book, CLAIM)
    assert status == 0, said
    status, said = build(book)
    assert status == 0, said
    assert "Executing notebook" not in said, "an unchanged book is not executed again"

    maths = book / "lib" / "__init__.py"
    maths.write_text(maths.read_text() + "\n\ndef softmax(scores, beta=1.0):\n    return scores * 0 + 0.5\n")
    status, said = build(book)
    assert status != 0, "the old result was served although lib had changed"
    assert "index.md" in said
    assert "odds" in said


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("```{code-cell} ipython3\nbroken = 1 / 0\n```\n", ["broken = 1 / 0", "ZeroDivisionError"]),
        (CLAIM.replace("equal_to=2.718281828", "equal_to=3"), ["odds", "2.718"]),
    ],
    ids=["failing-cell", "false-claim"],
)
def test_a_cell_that_fails_stops_the_build_and_is_shown(book, text, names):
    status, said = build(book, text)
    assert status != 0, said
    assert "index.md" in said
    for name in names:
        assert name in said


def test_every_broken_reference_fails_the_build_by_name_and_line(book):
    wrong = {
        "See {ref}`no-label`.": "no-label",
        "See [this](no-page.md).": "no-page",
        "The share is $\\frac{a$.": "does not typeset",
        "As {cite:p}`nobody1900` says.": "nobody1900",
    }
    status, said = build(book, "\n\n".join(wrong))
    assert status != 0, said
    for name in wrong.values():
        assert re.search(rf"index\.md:\d+: .*{name}", said), name
