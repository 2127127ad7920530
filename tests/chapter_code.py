"""Run a chapter's code without building the book, and collect what it claims."""

import os
import sys
import types
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import jupytext
from IPython.core.inputtransformer2 import TransformerManager

from lib.book import claims


@dataclass(frozen=True)
class Run:
    """What one chapter claimed when it was executed."""

    chapter: str
    claims: dict = field(default_factory=dict)  # id -> Claim


def cells(path):
    """The code cells of a MyST notebook, in order, as plain Python; empty for a page that is no notebook."""
    notebook = jupytext.read(path)
    if "kernelspec" not in notebook.metadata:
        return []
    plain = TransformerManager().transform_cell
    return [plain(cell.source) for cell in notebook.cells if cell.cell_type == "code"]


@contextmanager
def _at_home(path):
    """In the chapter's folder, as Jupyter runs it, with an empty registry; all put back afterwards."""
    folder, before = Path.cwd(), dict(claims.CLAIMS)
    claims.CLAIMS.clear()
    os.chdir(Path(path).parent)
    try:
        yield
    finally:
        os.chdir(folder)
        claims.CLAIMS.clear()
        claims.CLAIMS.update(before)


def run(path):
    """Execute a chapter's cells in order in one fresh module, as its kernel would; returns a `Run`.

    What cells display goes to the standard output. An error ends the run, with the number of its cell.
    """
    path = Path(path).resolve()
    module = types.ModuleType("__chapter__")
    sys.modules["__chapter__"] = module
    with _at_home(path):
        for number, source in enumerate(cells(path), start=1):
            code = compile(source, f"{path.name}[{number}]", "exec")
            exec(code, module.__dict__)
        return Run(path.stem, dict(claims.CLAIMS))
