"""A book of one page in a folder of its own, with the project's own configuration, and its build."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PAGE = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A page

"""


CHECKS = """
import numpy as np
from lib import softmax
from book.claims import claim, fails, measures, says


@claim("page-odds")
@says("A gap of one point is a factor e in odds")
@measures("the odds", equal_to=2.718281828, within=1e-6)
@fails("with β doubled", beta=2.0)
def odds(beta=1.0):
    weights = softmax(np.array([1.0, 0.0]), beta)
    return weights[0] / weights[1]
"""


CLAIM = """
The odds are e. {tick}`page-odds`

```{code-cell} ipython3
from book.claims import run_checks
run_checks("page-odds")
```
"""


NUMBERS = """
def numbers():
    return {"half": 0.5, "none": 0.0}
"""


def new_book(folder):
    """A copy of what a build needs, to which a first page is to be added."""
    for part in ("lib", "book"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    kernels(folder).write_text("raise ImportError")  # compiling those of each copy would take minutes
    for file in ("_config.yml", "requirements.txt", "references.bib", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, folder)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: index\n")
    own = folder / "book" / "page"
    own.mkdir()
    for name, text in (("__init__", ""), ("checks", CHECKS), ("numbers", NUMBERS)):
        (own / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def kernels(book):
    return book / "lib" / "fast" / "cpu" / "__init__.py"


def build(book, text=None, **environment):
    """Write the page, build, and return the exit status and what was printed."""
    if text is not None:
        (book / "index.md").write_text(PAGE + text, encoding="utf-8")
    return jupyter_book(book, timeout=120, PYTHONPATH=str(book), SOURCE_DATE_EPOCH="1700000000", **environment)


def jupyter_book(folder, timeout, **environment):
    """Build the book in this folder by the README's command: the exit status and what was printed."""
    done = subprocess.run(
        [Path(sys.executable).with_name("jupyter-book"), "build", ".", "-n", "-W", "--keep-going"],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    return done.returncode, done.stdout + done.stderr
