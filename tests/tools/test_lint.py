"""What `make lint` refuses: in cells of pages, in JavaScript, in calls of `lib`, and lines that are too long."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import lint_cells, lint_lines

ROOT = Path(__file__).parents[2]


def run(*command, cwd):
    command = [sys.executable, "-m", *command] if command[0] == "mypy" else command
    done = subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", timeout=240, check=False)
    assert not done.stderr
    return done


def test_make_lint_takes_all_its_steps():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^lint: .*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    for step in (
        "ruff check .",
        "ruff format --check .",
        "python -m tools.lint_cells",
        "oxlint",
        "mypy",
        "lint_lines",
    ):
        assert step in recipe


# --- the cells of the pages -----------------------------------------------------------------------

PAGE = """\
---
kernelspec: {name: python3, display_name: Python 3}
---

# A page, whose own lines are as long as they are %s

```{code-cell} python
:tags: [hide-input]

import math

%%matplotlib inline
```

```{code-cell} python
import json

math.pi, json.dumps([])
[a + b for a, b in zip("ab", "cd")]
%s
```
"""


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("math.e", None),  # a cell may end with what it shows
        ("nowhere()", "F821 Undefined name `nowhere`"),
        (f"print({'1, ' * 36}1)", "E501 Line too long (116 > 115)"),
    ],
)
def test_what_is_wrong_in_a_cell_is_told_with_its_page_and_line(tmp_path, last, message):
    text = PAGE % ("long " * 40, last)
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "one.md").write_text(text, encoding="utf-8")
    said, code = lint_cells.lint(tmp_path)
    line = text.split("\n").index(last) + 1
    found = re.findall(r"^chapters/one\.md:(\d+):\d+: (.*)$", said, re.MULTILINE)
    assert found == ([(str(line), message)] if message else [])
    assert code == bool(message)


# --- JavaScript -----------------------------------------------------------------------------------


SCRIPTS = {  # {file: its line, and the rule that it breaks}
    "book/figures/js/two.js": ("export const two = (x) => x;", None),
    "book/figures/js/three.js": ('import { two } from "./two.js"; two(document);', None),
    "book/figures/js/loose.js": ("export const one = (a) => a == 1;", "eslint(eqeqeq)"),
    "book/figures/js/unused.js": ("const one = 1;", "eslint(no-unused-vars)"),
    "book/figures/js/gone.js": ('import { gone } from "./two.js"; gone();', "import(named)"),
    "book/figures/js/transformer_one.js": ("export const one = () => document;", "eslint(no-undef)"),
    "book/builder/one.mjs": ("export const one = () => document;", "eslint(no-undef)"),
    "book/builder/two.mjs": ("export const one = () => process.argv;", None),
    "book/builder/static/search_page.js": ("search(isMarked, PIECES);", None),
    "book/builder/static/one.js": ("search();", "eslint(no-undef)"),
}


def test_oxlint_knows_what_each_script_may_use(tmp_path):
    shutil.copy(ROOT / ".oxlintrc.json", tmp_path)
    for name, (code, _) in SCRIPTS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{code}\n", encoding="utf-8")
    done = run(Path(sys.executable).parent / "oxlint", "--deny-warnings", "--format", "unix", cwd=tmp_path)
    found = dict(re.findall(r"^(\S+?):1:.*\[Error/(.*)\]$", done.stdout, re.MULTILINE))
    assert found == {name: rule for name, (_, rule) in SCRIPTS.items() if rule}
    assert done.returncode == 1


# --- how lib is called ----------------------------------------------------------------------------

RIGHT = """\
import numpy as np
import numpy.typing as npt

import lib

x = np.ones((3, 5))
mask = lib.causal_mask(3, 5)


def weights_of(scores: npt.NDArray[np.float64], keep: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    return lib.softmax(scores, np.float32(2), where=keep, prior=np.ones(5, np.float32))


lib.attention(x, x, x, weights=lib.entmax, offset=2, window=3, where=mask).mean()
output, weights = lib.attention(x, x, x, beta=x[:, :1], weights="entmax", alpha=2, return_weights=True)
output, lse = lib.attention_with_lse(x, x, x)
lib.merge_attention([output, output], (lse, lse))
lib.entmax(x, x[0, 0], alpha=np.array(1.5), where=x > 0, axis=0).sum()
print(round(lib.entropy(lib.softmax(x[0], 2)), 3), lib.linear_attention(x, x, x, feature_map=np.exp).shape)
"""
WRONG = """\
import numpy as np
import lib
x = np.ones((3, 5))
lib.softmax(x, betta=2.0)
lib.softmax(x, "2")
lib.softmax([1.0, 2.0])
lib.attention(x, x, x, is_causal=True)
lib.attention(x, x, x, weights=3)
lib.entmax(x, alpha="sparse")
lib.kl_divergence(x, 1.0)
"""


def test_mypy_refuses_wrong_calls_of_lib_and_no_right_ones(tmp_path):
    (tmp_path / "right.py").write_text(RIGHT, encoding="utf-8")
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    settings = f"[mypy]\nmypy_path = {ROOT}\nfollow_imports = silent\ncache_dir = {os.devnull}\n"
    settings += "[mypy-array_api_compat.*,numba.*,torch.*]\nfollow_imports = skip\n"  # take far longer to read
    (tmp_path / "mypy.ini").write_text(settings, encoding="utf-8")
    said = run("mypy", "right.py", "wrong.py", cwd=tmp_path).stdout
    told = re.findall(r"^(\w+\.py):(\d+): error", said, re.MULTILINE)
    assert told == [("wrong.py", str(4 + k)) for k in range(len(WRONG.splitlines()) - 3)], said


# --- lines ----------------------------------------------------------------------------------------


def test_no_line_of_code_is_too_long_in_any_file_that_git_would_take(tmp_path):
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    (tmp_path / "built").mkdir()
    files = {".gitignore": "built/\n", "built/one.css": "x" * 116, "one.css": f"{'β' * 115}\n{'x' * 116}\n"}
    files |= {"one.md": "x" * 200, "one.json": "x" * 200}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = lint_lines.too_long(tmp_path, lint_lines.known_to_git(tmp_path))
    assert list(found) == ["one.css:2: 116 characters, more than 115"]
