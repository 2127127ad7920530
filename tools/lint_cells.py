"""`make lint`, for what stands in the pages: ruff looks through the code cells, all pages in one run.

For ruff a page is a Python file with its cells where they stand in it, so that a message names the page and the
line. Between two cells stands a `pass`, so that the imports of one are not sorted among those of another.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from jupytext.magics import comment_magic
from jupytext.myst import myst_to_notebook

ROOT = Path(__file__).parent.parent
PAGES = ("index.md", "chapters/*.md", "appendix/*.md")
IN_CELLS = (
    "E402",  # a cell may import what it needs
    "B018",  # its last line is what it shows
    "B023",  # what it makes in a loop it calls in the same turn
    "B905",  # zip(a, b) is all that a reader needs
    "E731",  # a rule of one line may be a lambda
)
IN_TEXTS = "appendix/coming-from.md.py:F401"  # this page uses names in texts, which `pairs` evaluates


def as_python(page):
    """The cells of a page as one Python file, each line where it stands in the page."""
    lines = page.splitlines()
    python = [""] * len(lines)
    notebook = myst_to_notebook(page, add_source_map=True)
    for cell, start in zip(notebook.cells, notebook.metadata["source_map"], strict=True):
        if cell.cell_type != "code":
            continue
        source = cell.source.splitlines()
        python[start - 1] = "pass"  # where its fence opens
        while lines[start : start + len(source)] != source:  # below the cell's options
            start += 1
        python[start : start + len(source)] = comment_magic(source)
    return "\n".join(python) + "\n"


def lint(root):
    """What ruff says of the cells of all pages below a folder, and its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        for path in (path for pattern in PAGES for path in root.glob(pattern)):
            copy = Path(folder, f"{path.relative_to(root)}.py")
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(as_python(path.read_text(encoding="utf-8")), encoding="utf-8")
        command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise"]
        command += ["--config", ROOT / "pyproject.toml", "--config", f"src = [{json.dumps(str(root))}]"]
        command += ["--extend-ignore", ",".join(IN_CELLS), "--extend-per-file-ignores", IN_TEXTS]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    return done.stdout.replace(".md.py:", ".md:"), done.returncode


if __name__ == "__main__":
    said, code = lint(ROOT)
    print(said, end="")
    sys.exit(code)
