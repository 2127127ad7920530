"""What README, CONTRIBUTING and the Makefile say is so."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lib
from bench.count_code import lines_of_code

ROOT = Path(__file__).parents[2]
README, CONTRIBUTING, ARCHITECTURE, MAKEFILE = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "Makefile")
)
OF_ITS_OWN = """
import sys

import numpy as np
import torch

import lib
import why_softmax
import why_softmax.sharded
from why_softmax.figures import BetaWeights

assert lib.theirs
assert abs(why_softmax.entmax(np.ones((3, 4)), 1.3).sum() - 3) < 1e-9
q = torch.randn(2, 3, 4, requires_grad=True)
for weights in ("softmax", "sparsemax"):
    why_softmax.attention(q, q, q, weights=weights, causal=True).sum().backward()
assert BetaWeights(["a", "b"], [1, 1]).weights == [0.5, 0.5]
assert not [name for name in sys.modules if name.startswith("lib.")]
"""


def test_the_size_of_lib_is_what_is_said():
    (said,) = re.findall(r"about ([\d,]+) lines of code", ARCHITECTURE)
    counted = sum(lines_of_code(path) for path in (ROOT / "lib").glob("*.py"))
    assert abs(counted - int(said.replace(",", ""))) <= 75, f"it is {counted}"


def test_citation_changelog_and_first_page_say_the_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc|\.dev)\d+)?", lib.__version__)
    said = re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    newest = re.search(r"^## \[?(\d[^\s\]]*)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    page = (ROOT / "index.md").read_text("utf-8")
    cited = re.findall(r"Version ([\d.]+\d)", page[page.index("## How to cite") :])
    assert [*said, newest, *cited] == [lib.__version__] * 4


def test_every_target_of_make_is_described():
    targets = set(re.findall(r"^([\w-]+):", MAKEFILE, re.MULTILINE))
    assert targets <= set(re.findall(r"\bmake ([a-z][\w-]*)", README))
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert set(phony.split()) == targets


@pytest.mark.parametrize("target", ["lab", "edit"])
def test_without_make_the_same_commands_open_jupyterlab(target):
    (recipe,) = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    without = CONTRIBUTING.partition("## Without make")[2].partition("```\n\n")[0]
    written = [line.partition(" #")[0].rstrip() for line in without.splitlines()]
    for command in recipe.replace("$(BIN)", ".venv/bin").split("\n\t"):
        assert command.strip() in written


def test_a_project_with_a_lib_of_its_own_can_have_ours_under_another_name(tmp_path):
    (recipe,) = [block for block in re.findall(r"```bash\n(.*?)```", README, re.DOTALL) if "cp -r" in block]
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "__init__.py").write_text("theirs = True\n")
    (tmp_path / "script.py").write_text(OF_ITS_OWN)
    subprocess.run(recipe.replace("path/to/this/repository", str(ROOT)), shell=True, cwd=tmp_path, check=True)
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([sys.executable, "script.py"], cwd=tmp_path, env=alone, timeout=120, check=True)


def test_files_and_folders_that_are_named_are_there():
    folders, endings = "lib|tests|bench|chapters|reference|book.builder|tools", "toml|txt|md|yml|bib"
    text = README + CONTRIBUTING + ARCHITECTURE
    named = re.findall(rf"`((?:{folders})/[\w./-]*|[\w-]+\.(?:{endings}))`", text)
    made_up = ("masking.md", "book/masking/", "masking/verdicts.py", "README.txt", "sparsemax_of_two.py")
    made_up += ("odds.py", "odds.js", "odds.css")
    assert len(named) >= 9
    assert [name for name in named if not name.endswith(made_up) and not (ROOT / name).exists()] == []
