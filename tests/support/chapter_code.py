"""The code of the pages: their cells, the checks that they run, and how to run them without building the book."""

import ast
import os
import re
import sys
import types
from contextlib import contextmanager
from pathlib import Path

import jupytext
from IPython.core.inputtransformer2 import TransformerManager

ROOT = Path(__file__).parents[2]
BUILT = [f"{entry}.html" for entry in re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text())]


def sources():
    """The files that pages with code are made of."""
    return [
        *sorted((ROOT / "chapters").glob("*.md")),
        *sorted((ROOT / "appendix").glob("*.md")),
        ROOT / "index.md",
    ]


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
def _at_home(path):
    """In the chapter's folder, as Jupyter runs it."""
    folder = Path.cwd()
    os.chdir(path.parent)
    try:
        yield
    finally:
        os.chdir(folder)


def run(path):
    """Execute a chapter's cells in order in one fresh module, as its kernel would; returns what its names mean.

    What cells display goes to the standard output. An error ends the run, with the number of its cell.
    """
    path, module = Path(path).resolve(), types.ModuleType("__chapter__")
    sys.modules["__chapter__"] = module
    with _at_home(path):
        for number, source in enumerate(cells(path), start=1):
            code = compile(source, f"{path.name}[{number}]", "exec")
            exec(code, module.__dict__)
    return vars(module)
