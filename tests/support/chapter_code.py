"""Run a chapter's code without building the book, and collect what it checks."""

import ast
import os
import re
import sys
import types
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import jupytext
from IPython.core.inputtransformer2 import TransformerManager

from lib.book import claims

ROOT = Path(__file__).parents[2]
BUILT = [f"{entry}.html" for entry in re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text())]


def sources():
    """The files that pages with code are made of."""
    return [
        *sorted((ROOT / "chapters").glob("*.md")),
        *sorted((ROOT / "appendix").glob("*.md")),
        ROOT / "index.md",
    ]


@dataclass(frozen=True)
class Run:
    """What one chapter checked when it was executed, and what its names then meant."""

    chapter: str
    claims: dict = field(default_factory=dict)  # id -> Claim, in the order in which they were run
    names: dict = field(default_factory=dict)


def cells(path):
    """The code cells of a MyST notebook, in order, as plain Python; empty for a page that is no notebook."""
    notebook = jupytext.read(path)
    if "kernelspec" not in notebook.metadata:
        return []
    plain = TransformerManager().transform_cell
    return [plain(cell.source) for cell in notebook.cells if cell.cell_type == "code"]


def checks_of(path):
    """The names of the checks that a page runs, in order."""
    calls = [node for cell in cells(path) for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.Call)]
    return [arg.value for call in calls if ast.unparse(call.func) == "run_checks" for arg in call.args]


@contextmanager
def _at_home(path, ran):
    """In the chapter's folder, as Jupyter runs it, with what it checks noted in `ran`; all put back afterwards."""
    folder, run_checks = Path.cwd(), claims.run_checks

    def noted(*ids):
        shown = run_checks(*ids)
        ran.update({claim.id: claim for claim in shown.claims})
        return shown

    os.chdir(Path(path).parent)
    claims.run_checks = noted
    try:
        yield
    finally:
        os.chdir(folder)
        claims.run_checks = run_checks


def run(path):
    """Execute a chapter's cells in order in one fresh module, as its kernel would; returns a `Run`.

    What cells display goes to the standard output. An error ends the run, with the number of its cell.
    """
    path, ran = Path(path).resolve(), {}
    module = types.ModuleType("__chapter__")
    sys.modules["__chapter__"] = module
    with _at_home(path, ran):
        for number, source in enumerate(cells(path), start=1):
            code = compile(source, f"{path.name}[{number}]", "exec")
            exec(code, module.__dict__)
    return Run(path.stem, ran, vars(module))
