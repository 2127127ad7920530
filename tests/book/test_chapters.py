"""The chapters keep to their shape, take their maths from `lib` and their numbers from cells.

Here their source is read: what they claim is checked in test_claims.py, how a page is built in test_pages.py.
"""

import ast
import importlib
import re
import tomllib
from pathlib import Path

import jupytext
import pytest
from chapter_code import cells

import lib
from lib import figures
from lib.book.exercises import EXERCISES
from lib.book.source import body

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted((ROOT / "chapters").glob("*.md"))
PARTS = [  # in this order; between the last two may stand "Further", which is optional to read
    "Where it breaks",
    "Strengths and limits",
    "Common misunderstandings",
    "Exercises",
    "Summary",
    "Next, and sources",
]
WIDTH = 78  # characters of code that fit the column of text, where the code is not folded

# Decimals in running text that no cell computes, each with the reason why it may stand there.
REVIEWED = {
    "attention": {
        "1.5": "a score of the running example",
        "2.0": "a score of the running example",
    },
    "exponential": {
        "0.4": "a gap chosen as an example",
        "0.5": "a gap chosen as an example",
        "0.9": "the sum of the two",
        "1.5": "a score of the running example",
        "2.0": "a score of the running example",
    },
    "kl": {
        "0.1": "a null given in exercise 4",
        "0.8": "a score of the running example",
        "1.5": "a score of the running example",
        "2.0": "a score of the running example",
        "2.5": "a budget given in exercise 4",
    },
    "tell": {
        "0.5": "a divergence given in exercise 3",
        "0.8": "a divergence given in exercise 3",
        "11.6": "a section of a book",
        "11.8": "a section of a book",
        "11.9": "a section of a book",
    },
    "divergences": {
        "0.06": "the answer of exercise 2",
        "0.09": "a weight given in exercise 2",
        "0.14": "a weight given in exercise 2",
        "0.2": "β times a gap, chosen as an example",
        "0.21": "a weight given in exercise 2",
        "0.4": "the β of the example",
        "0.5": "a gap chosen as an example",
        "0.6": "a gap chosen as an example, and a score",
        "1.1": "a score of the example",
        "1.25": "a price chosen as an example",
        "1.5": "a ratio in the solution of exercise 2",
        "1.6": "a price chosen as an example",
        "11.1": "a section of a book",
        "11.6": "a section of a book",
    },
    "temperature": {
        "0.1": "a temperature, a value of β, and the null of exercise 4",
        "0.3": "the null of exercise 4",
        "0.6": "the null of exercise 4",
        "0.9": "a temperature",
        "0.01": "a lead chosen as an example; what a null gives",
        "0.94": "what a null gives",
    },
    "scale": {
        "0.1": "scores of the collapsed row",
        "0.0003": "quoted from the source",
    },
    "gradients": {},
    "masking": {},
    "numerics": {
        "0.2": "a score of the running example",
        "1.5": "a value of β",
        "2.0": "a score of the running example",
        "1000.8": "a score of the running example, moved up by 1000",
        "1001.1": "a score of the running example, moved up by 1000",
    },
    "output": {
        "0.1": "a setting of min-p",
        "0.9": "a setting of top-p; a weight given as an example",
    },
    "outside": {},
    "patterns": {
        "0.9": "a weight given as an example",
    },
    "experiments": {
        "0.69": "the answer of exercise 2",
        "0.9": "how the task is made",
        "1.25": "a β that was held",
        "2.5": "a β that was held",
    },
    "speed": {"0.84": "a ratio that another machine gave, from the notes on the benchmark"},
    "alternatives": {
        "0.8": "a lead, of one score of the running example over another",
        "1.1": "a score of the running example",
        "1.4": "a lead",
        "1.5": "a score of the running example",
        "1.7": "a lead",
        "1.9": "a score chosen as an example",
        "2.0": "a score of the running example",
        "2.1": "a lead",
        "2.6": "a lead",
    },
}

# Maths that a chapter does by hand, and why it may.
BY_HAND = {
    ("attention", "grown / grown.sum()"): "the steps of softmax one by one, equal to lib on the same scores",
    ("kl", "pi * np.log(pi / u)"): "the divergence as its formula stands, beside that of lib",
    ("temperature", "grown / grown.sum()"): "the formula by hand, beside lib's, which gives the same",
    (
        "divergences",
        "tied * np.log(tied / np.outer(kinds, places))",
    ): "mutual information by its formula, beside lib's",
    ("divergences", "kernel / kernel.sum()"): "a Gaussian smoother as it is defined, beside lib.softmax",
    (
        "masking",
        "grown / grown.sum()",
    ): "softmax under a null with zeros in three lines; equal to lib's in the same cell",
    ("masking", "torch.softmax"): "torch's own: the chapter shows what it does with a row of −∞",
    ("scale", "grown / grown.sum()"): "softmax in three lines; equal to lib's in the same cell",
    (
        "numerics",
        "grown / grown.sum()",
    ): "softmax with and without the shift, whose failures are shown beside lib's",
    (
        "numerics",
        "weights * torch.log(weights + 1e-12)",
    ): "the entropy of a source, which fails where lib's does not",
    ("numerics", "torch.softmax"): "torch's own, whose rounding is what is measured, beside lib's",
    ("output", "torch.softmax"): "torch's own, of which a published fault makes two; beside torch's loss",
    ("outside", "grown / (1 + grown.sum())"): "softmax-plus-one by hand, beside lib's, and its published fault",
    ("numerics", "grown @ v / grown.sum()"): "the output of one part of the keys, merged by hand and by lib",
}

# Public functions that no chapter treats yet, with their subject: until then only the reference leads to them.
AWAITED = {}

every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)


def prose(text):
    """The running text of a page: no front matter, code, formulas, roles, tables of contents or comments."""
    text = re.sub(r"\{set\}`([^`]*?) <[^`]*`", r"\1", text)
    for pattern in (
        r"\A---\n.*?\n---\n",
        r"^```.*?^```$",
        r"\$\$.*?\$\$",
        r"(?<![\\$])\$[^$]+\$",
        r"\{[\w:-]+\}`[^`]*`",
        r"`[^`]*`",
        r"\]\([^)]*\)",
    ):
        text = re.sub(pattern, " ", text, flags=re.DOTALL | re.MULTILINE)
    return text


def decimals(text):
    return set(re.findall(r"(?<![\d.])\d+\.\d+(?![\d.]*\.\d)", prose(text)))


def homemade(source):
    """Expressions of a cell that do what `lib` is for: softmax, a divergence, an entropy, or someone else's."""
    tree = ast.parse(source)
    grown = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and "exp(" in ast.unparse(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in lib.__all__:
            yield f"def {node.name}"
        if isinstance(node, (ast.Name, ast.arg)):
            name, stored = (
                (node.id, isinstance(node.ctx, ast.Store)) if isinstance(node, ast.Name) else (node.arg, False)
            )
            if stored and name in lib.__all__:
                yield f"{name} = …"
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] != "lib":
            yield from (f"from {node.module} import {a.name}" for a in node.names if a.name in FOREIGN)
        if isinstance(node, ast.Attribute) and node.attr in FOREIGN:
            yield ast.unparse(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            above, below = ast.unparse(node.left), ast.unparse(node.right)
            names = {n.id for n in ast.walk(node.left) if isinstance(n, ast.Name)}
            if "sum(" in below and ("exp(" in above or names & grown):
                yield ast.unparse(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.MatMult)):
            sides = {ast.unparse(node.left), ast.unparse(node.right)}
            if any(f"log({p}" in q for p in sides for q in sides):  # p log(p/q), p log p
                yield ast.unparse(node)


FOREIGN = {"softmax", "log_softmax", "logsumexp", "rel_entr", "kl_div", "entropy"}


@every_chapter
def test_a_chapter_imports_lib(path):
    imported = {
        node.module
        for cell in cells(path)
        for node in ast.walk(ast.parse(cell))
        if isinstance(node, ast.ImportFrom)
    }
    assert "lib" in imported


@every_chapter
def test_a_chapter_leaves_the_maths_to_lib(path):
    done = {found for cell in cells(path) for found in homemade(cell)}
    assert done == {what for chapter, what in BY_HAND if chapter == path.stem}


@every_chapter
def test_the_folder_of_a_chapter_in_the_book_package_serves_that_chapter_alone(path):
    files = [*(ROOT / "chapters").glob("*.md"), *(ROOT / "lib").rglob("*.py")]
    users = {file for file in files if re.search(rf"lib\.book\.{path.stem}\b", file.read_text(encoding="utf-8"))}
    assert {user for user in users if user.parent.name != path.stem} <= {path}


def linked(path):
    """The functions of lib that a page's text leads to."""
    return set(re.findall(r"\{py:func\}`~?lib\.(\w+)`", path.read_text(encoding="utf-8")))


@every_chapter
def test_what_a_chapter_takes_from_lib_it_links(path):
    nodes = [node for cell in cells(path) for node in ast.walk(ast.parse(cell))]
    taken = {a.name for n in nodes if isinstance(n, ast.ImportFrom) and n.module == "lib" for a in n.names}
    files = {file.stem for file in Path(lib.__file__).parent.glob("*.py")} - set(lib.__all__)  # shown as a whole
    assert taken - files <= linked(path)


def test_every_public_function_is_linked_from_a_page_that_treats_it_or_awaits_one():
    found = set().union(*map(linked, CHAPTERS))
    assert found | set(AWAITED) == set(lib.__all__)
    assert not found & set(AWAITED)


@pytest.mark.parametrize(
    "code",
    [
        "def softmax(x): return x",
        "p = np.exp(s) / np.exp(s).sum()",
        "e = np.exp(s - s.max())\np = e / e.sum(axis=-1)",
        "d = (p * np.log(p / q)).sum()",
        "H = -(p @ np.log(p))",
        "from scipy.special import rel_entr",
        "p = torch.softmax(s, -1)",
        "entropy = 3",
    ],
)
def test_maths_of_its_own_would_be_noticed(code):
    assert list(homemade(code))


@pytest.mark.parametrize(
    "code", ["p = softmax(s) @ v", "rate = np.exp(beta) / 3", "slope = (p * spread) @ np.log(u)"]
)
def test_other_maths_is_not_taken_for_it(code):
    assert not list(homemade(code))


def opening(path):
    """What stands before the first section."""
    text = path.read_text(encoding="utf-8")
    return text[: text.index("\n## ")]


@every_chapter
def test_a_chapter_opens_with_a_prediction_and_a_figure_that_moves(path):
    shown = re.findall(r"^(\w+)\($", opening(path), flags=re.MULTILINE)
    assert "Predict" in shown
    assert set(shown) & (set(figures.__all__) - {"Predict"})


@every_chapter
def test_a_chapter_has_its_parts_in_order(path):
    text = path.read_text(encoding="utf-8")
    heads = [head for head in re.findall(r"^## (.+)$", text, flags=re.MULTILINE) if head != "Further"]
    assert [head for head in heads if head in PARTS] == PARTS
    assert heads[-len(PARTS) :] == PARTS
    assert all(f"**{part}**" in opening(path) for part in ("You will", "You need"))
    last = text[text.index("## Next, and sources") :]
    assert "{cite:" in last
    assert "{doc}`../appendix/claims`" in last


@every_chapter
def test_further_stands_between_the_summary_and_the_sources(path):
    heads = re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if "Further" in heads:
        assert heads[-3:] == ["Summary", "Further", "Next, and sources"]


@every_chapter
def test_each_section_of_further_says_what_it_is_for(path):
    _, _, further = path.read_text(encoding="utf-8").partition("\n## Further\n")
    for section in further.partition("\n## ")[0].split("\n### ")[1:]:
        said = section.partition("\n")[2].strip().partition("\n\n")[0]
        assert re.fullmatch(r"\*[^*].+[^*]\*", said), f"a line in italics under: {section.splitlines()[0]}"
        assert "minute" in said


@every_chapter
def test_a_chapter_asks_for_a_prediction_before_its_first_section(path):
    assert "**Commit to" in opening(path)
    asked = [n for cell in cells(path) for n in ast.walk(ast.parse(cell)) if isinstance(n, ast.Call)]
    (question, *_) = [n for n in asked if ast.unparse(n.func) == "Predict"]
    typed = {k.arg: isinstance(k.value, ast.Constant) for k in question.keywords}
    assert not any(isinstance(a, ast.Constant) for a in question.args[2:3])
    assert not typed.get("answer")  # what is right is computed, never typed
    assert not typed["why"]


@every_chapter
def test_a_summary_is_three_sentences_at_most(path):
    text = path.read_text(encoding="utf-8")
    said = text.partition("\n## Summary\n")[2].partition("\n## ")[0]
    assert 2 <= len(re.findall(r"[.?!](?=\s)", said)) <= 3


@every_chapter
def test_exercises_are_three_to_five_each_with_check_and_folded_solution(path):
    exercises = path.read_text(encoding="utf-8").partition("\n## Exercises\n")[2]  # one may stand in Further
    asked = re.findall(r'check\("([\w-]+)"', exercises)
    assert 3 <= len(asked) <= 5
    assert asked == [f"{path.stem}-{k}" for k in range(1, len(asked) + 1)]
    assert set(asked) == {id for id in EXERCISES if id.startswith(f"{path.stem}-")}
    assert exercises.count(":::{dropdown} Solution") == len(asked)
    assert len(re.findall(r"^\*\*\d\. ", exercises, flags=re.MULTILINE)) == len(asked)


@every_chapter
def test_decimals_in_prose_come_from_cells_or_are_reviewed(path):
    found = decimals(path.read_text(encoding="utf-8"))
    assert found == set(REVIEWED[path.stem]), "a number in the text: keep() it in a cell, or review it above"


def test_a_typed_decimal_would_be_noticed():
    front, code = "---\nkernel: 3.11\n---\n", "```{code-cell}\n2.5\n```\n"
    page = front + "$x = 0.5$ {glue:text}`a:.2f` `1.5`\n" + code + "Section 3.2.1 says 0.37.\n\n$$ 9.5 $$"
    assert decimals(page) == {"0.37"}


@every_chapter
def test_code_that_is_shown_fits_the_column(path):
    for cell in jupytext.read(path).cells:
        folded = {"hide-input", "remove-input", "remove-cell"} & set(cell.metadata.get("tags", []))
        if cell.cell_type == "code" and not folded:
            assert [line for line in cell.source.splitlines() if len(line) > WIDTH] == []


@every_chapter
def test_functions_that_are_shown_fit_the_column(path):
    trees = [ast.parse(cell) for cell in cells(path)]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    origin = {a.name: n.module for n in nodes if isinstance(n, ast.ImportFrom) for a in n.names}
    shown = [ast.unparse(n.args[0]) for n in nodes if isinstance(n, ast.Call) and ast.unparse(n.func) == "source"]
    for name in shown:
        listing = body(getattr(importlib.import_module(origin[name]), name))
        assert [line for line in listing.splitlines() if len(line) > WIDTH] == []


@every_chapter
def test_code_that_is_read_has_no_harness_in_it(path):
    for cell in jupytext.read(path).cells:
        folded = {"hide-input", "remove-input", "remove-cell"} & set(cell.metadata.get("tags", []))
        if cell.cell_type == "code" and not folded:
            assert not re.search(r"\brun_checks\(|\bkeep\(", cell.source)


@pytest.mark.parametrize(
    "path", [*CHAPTERS, ROOT / "index.md", *ROOT.glob("appendix/*.md")], ids=lambda path: path.stem
)
def test_no_line_of_code_is_longer_than_those_of_lib(path):
    longest = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["line-length"]
    source = [cell.source for cell in jupytext.read(path).cells if cell.cell_type == "code"]
    assert [line for line in "\n".join(source).splitlines() if len(line) > longest] == []


@every_chapter
def test_what_a_chapter_imports_its_cells_use(path):
    nodes = [node for cell in cells(path) for node in ast.walk(ast.parse(cell))]
    imported = {(a.asname or a.name).split(".")[0] for n in nodes if isinstance(n, IMPORTS) for a in n.names}
    assert imported <= {node.id for node in nodes if isinstance(node, ast.Name)}


IMPORTS = (ast.Import, ast.ImportFrom)
