"""The chapters keep to their shape, take their maths from `lib` and their numbers from cells.

Here their source is read: what they claim is checked in test_claims.py, how a page is built in test_pages.py.
"""

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import jupytext
import pytest
from chapter_code import cells

import lib
from book import figures
from book.exercises import EXERCISES
from book.source import body

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted((ROOT / "chapters").glob("*.md"))
PARTS = [  # in this order; between the last two may stand "Further", which is optional to read
    "Where it breaks",
    "Strengths and limits",
    "Common misunderstandings",
    "Exercises",
    "Summary",
    "Sources",
]
WIDTH = 78  # characters of code that fit the column of text, where the code is not folded

# Decimals in running text that no cell computes, and why they may stand there.
REVIEWED = {
    "attention": "1.5 2.0 0.1 0.3 0.6",  # scores of the running example; weights given in exercise 2
    "exponential": "0.4 0.5 0.9 1.5 2.0",  # gaps chosen as an example, and their sum; scores
    "kl": "0.1 2.5 0.8 1.5 2.0",  # given in exercise 4; scores of the running example
    "tell": "0.1 0.2 0.7 0.5 0.8 11.6 11.8 11.9",  # given in exercises 1 and 2; sections of a book
    # Weights given in exercises 1 and 2, the answer of the second and a ratio in its solution; β, a score, gaps
    # and prices chosen as an example; sections of a book.
    "divergences": "0.1 0.09 0.14 0.21 0.06 1.5 0.2 0.4 0.5 0.6 1.6 11.1 11.6",
    # Temperatures, a value of β, weights of exercise 3, nulls of exercise 4; a lead chosen as an example, and what
    # a null gives.
    "temperature": "0.1 0.9 0.2 0.5 0.3 0.6 0.01 0.94",
    "gradients": "0.1 0.2 0.7 1.4 1.6",  # weights given in exercise 3, and its answer
    "scale": "0.1 0.0003",  # scores of the collapsed row; quoted from the source
    # Scores of the example, also moved up by 1000; a value of β; a sum given in exercise 2.
    "numerics": "0.2 2.0 1000.8 1001.1 1.5 1.25",
    "output": "0.1 0.9",  # settings of min-p and top-p; a weight given as an example
    "patterns": "0.9",  # a weight given as an example
    "outside": "0.00005",  # the feature of an entry of −10
    "experiments": "0.69 0.9 0.003 0.005 0.01 0.02 0.03",  # the answer of exercise 2; how the task is made; rates
    # Scores in the figure; the answer of exercise 1; a model's name; what the authors of other texts measured.
    "repairs": "0.2 2.6 2.8 3.2 46.7 4.8 0.3 1.4 1.8 3.3",
    "speed": "0.84",  # a ratio that another machine gave, from the notes on the benchmark
    "alternatives": "0.8 1.1 1.4 1.5 1.7 1.9 2.0 2.1 2.6",  # leads; scores, also of the running example
}

# Maths that a chapter does by hand, and why it may.
SOFTMAX = "grown / grown.sum()"
BY_HAND = {
    "attention": [SOFTMAX],  # the steps of softmax one by one, equal to lib on the same scores
    "kl": ["pi * np.log(pi / u)"],  # the divergence as its formula stands, beside that of lib
    "temperature": [SOFTMAX],  # the formula by hand, beside lib's, which gives the same
    "divergences": [
        "tied * np.log(tied / np.outer(kinds, places))",  # mutual information by its formula
        "kernel / kernel.sum()",  # a Gaussian smoother as it is defined, beside lib.softmax
    ],
    "masking": [
        SOFTMAX,  # under a null with zeros in three lines; equal to lib's in the same cell
        "torch.softmax",  # the chapter shows what torch does with a row of −∞
    ],
    "numerics": [
        SOFTMAX,  # with and without the shift, whose failures are shown beside lib's
        "weights * torch.log(weights + 1e-12)",  # the entropy of a source, which fails where lib's does not
        "torch.softmax",  # whose rounding is what is measured, beside lib's
        "grown @ v / grown.sum()",  # the output of one part of the keys, merged by hand and by lib
    ],
    "output": ["torch.softmax"],  # of which a published fault makes two; beside torch's loss
    "outside": ["grown / (1 + grown.sum())"],  # softmax-plus-one by hand, beside lib's, and its published fault
}

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
        if isinstance(node, ast.FunctionDef) and node.name in lib.__all__:
            yield f"def {node.name}"
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in lib.__all__:
            yield f"{node.id} = …"
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


@cache
def nodes(path):
    """Every node of a chapter's code."""
    return [node for cell in cells(path) for node in ast.walk(ast.parse(cell))]


@every_chapter
def test_a_chapter_leaves_the_maths_to_lib(path):
    assert "lib" in {node.module for node in nodes(path) if isinstance(node, ast.ImportFrom)}
    done = {found for cell in cells(path) for found in homemade(cell)}
    assert done == set(BY_HAND.get(path.stem, []))


def test_the_folder_of_a_chapter_serves_that_chapter_alone():
    files = {path: path.read_text("utf-8") for path in [*CHAPTERS, *(ROOT / "book").rglob("*.py")]}
    for chapter in CHAPTERS:
        users = {path for path, text in files.items() if re.search(rf"\bbook\.{chapter.stem}\b", text)}
        assert {path for path in users if path.parent.name != chapter.stem} <= {chapter}


def linked(path):
    """The functions of lib that a page's text leads to."""
    return set(re.findall(r"\{py:func\}`~?lib\.(\w+)`", path.read_text(encoding="utf-8")))


@every_chapter
def test_what_a_chapter_takes_from_lib_it_links(path):
    taken = {a.name for n in nodes(path) if isinstance(n, ast.ImportFrom) and n.module == "lib" for a in n.names}
    files = {file.stem for file in Path(lib.__file__).parent.glob("*.py")} - set(lib.__all__)  # shown as a whole
    assert taken - files <= linked(path)


def test_every_public_function_is_linked_from_a_page_that_treats_it():
    assert set().union(*map(linked, CHAPTERS)) == set(lib.__all__)


def folded(cell):
    return {"hide-input", "remove-input", "remove-cell"} & set(cell.metadata.get("tags", []))


@every_chapter
def test_a_chapter_has_its_parts_in_order(path):
    text = path.read_text(encoding="utf-8")
    heads = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    if "Further" in heads:
        assert heads[-3:] == ["Summary", "Further", "Sources"]
        heads.remove("Further")
    assert heads[-len(PARTS) :] == PARTS
    assert not set(heads[: -len(PARTS)]) & set(PARTS)
    last = text[text.index("## Sources") :]
    assert "{cite:" in last
    assert "{doc}`../appendix/claims`" in last
    for section in text.partition("\n## Further\n")[2].partition("\n## ")[0].split("\n### ")[1:]:
        assert re.match(r".*\n\n\*[^*].*minute.*\*\n\n", section), "a section of Further says what it is for"
    summary = text.partition("\n## Summary\n")[2].partition("\n## ")[0]
    assert 2 <= len(re.findall(r"[.?!](?=\s)", summary)) <= 3, "it is three sentences at most"


@every_chapter
def test_a_chapter_opens_with_a_prediction_and_a_figure_that_moves(path):
    """What is right is computed, never typed."""
    text = path.read_text(encoding="utf-8")
    opening = text[: text.index("\n## ")]
    shown = set(re.findall(r"^(\w+)\($", opening, flags=re.MULTILINE))
    assert "Predict" in shown
    assert shown & (set(figures.__all__) - {"Predict"})
    assert all(f"**{part}" in opening for part in ("You will**", "You need**"))
    first, second = re.split(r"^```\n", opening, flags=re.MULTILINE)[:2]
    said = re.sub(r"\{[\w:]+\}| ?<[^>`]*>|`", "", first.partition("```{code-cell}")[0].partition("\n# ")[2])
    before = [words.split() for words in said.split("\n\n")[2:]]
    assert sum(map(len, before)) <= 50, "at most 50 words before the figure"
    assert "Predict(" in first
    assert not second.partition("```{code-cell}")[0].strip(), "the figure follows at once"
    question = next(n for n in nodes(path) if isinstance(n, ast.Call) and ast.unparse(n.func) == "Predict")
    typed = {k.arg: isinstance(k.value, ast.Constant) for k in question.keywords}
    assert not any(isinstance(a, ast.Constant) for a in question.args[2:3])
    assert not typed.get("answer")
    why = next(k.value for k in question.keywords if k.arg == "why")
    assert not typed["why"] or not re.search(r"\d", why.value)


@every_chapter
def test_the_main_line_has_few_ticks_and_ends_with_a_door(path):
    text = path.read_text(encoding="utf-8")
    assert text.partition("\n## Further\n")[0].count("{tick}") <= 6
    assert re.search(r"\n```\{door\} (?:chapters|appendix)/\w+\n[^\n]{20,160}[.?]\n```\n$", text)


@every_chapter
def test_exercises_are_three_to_five_each_with_a_place_for_it_and_a_folded_solution(path):
    """One that asks for a function says where it is answered."""
    exercises = path.read_text(encoding="utf-8").partition("\n## Exercises\n")[2]  # one may stand in Further
    asked = re.findall(r'^(?:answer|check)\("([\w-]+)"', exercises, flags=re.MULTILINE)
    assert 3 <= len(asked) <= 5
    assert asked == [f"{path.stem}-{k}" for k in range(1, len(asked) + 1)]
    assert set(asked) == {id for id in EXERCISES if id.startswith(f"{path.stem}-")}
    assert exercises.count(":::{dropdown} Solution") == len(asked)
    questions = re.split(r"^\*\*\d\. ", exercises, flags=re.MULTILINE)[1:]
    assert len(questions) == len(asked)
    for text in questions:
        assert ("n the notebook" in text) == ("\ncheck(" in text)


@every_chapter
def test_decimals_in_prose_come_from_cells_or_are_reviewed(path):
    found = decimals(path.read_text(encoding="utf-8"))
    reviewed = set(REVIEWED.get(path.stem, "").split())
    assert found == reviewed, "a number in the text: keep() it in a cell, or review it above"


@every_chapter
def test_code_that_is_shown_fits_the_column_and_has_no_harness_in_it(path):
    shown = [cell.source for cell in jupytext.read(path).cells if cell.cell_type == "code" and not folded(cell)]
    assert not re.search(r"\brun_checks\(|\bkeep\(", "\n".join(shown))
    origin = {a.name: n.module for n in nodes(path) if isinstance(n, ast.ImportFrom) for a in n.names}
    calls = [n for n in nodes(path) if isinstance(n, ast.Call) and ast.unparse(n.func) == "source"]
    names = [ast.unparse(call.args[0]) for call in calls]
    shown += [body(getattr(importlib.import_module(origin[name]), name)) for name in names]
    assert [line for text in shown for line in text.splitlines() if len(line) > WIDTH] == []
