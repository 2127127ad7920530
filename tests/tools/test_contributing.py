"""What CONTRIBUTING.md says is followed to the letter, in a copy of the project."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPIED = ("lib", "book.builder", "tools", "tests", "index.md", "chapters", "pyproject.toml", ".oxlintrc.json")


def test_a_new_figure_is_four_files_and_a_name_in_a_fifth(tmp_path):
    project = tmp_path / "copy"
    project.mkdir()
    for part in COPIED:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, project / part)
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text[text.index("## A new figure") :].partition("\n## ")[0]
    steps = re.findall(r"\*\*\d\. [^*]*\*\*, `([^`]+)`[^`].*?```\w+\n(.*?)```", section, re.DOTALL)
    written = dict(steps)
    assert [Path(path).name for path in written] == ["odds.py", "odds.js", "odds.css", "test_odds.py"]
    for path, code in written.items():
        assert not (project / path).exists()
        (project / path).write_text(code, "utf-8")
    exports = project / "book" / "figures" / "__init__.py"
    exports.write_text(
        exports.read_text("utf-8").replace("__all__ = [", 'from .odds import Odds\n\n__all__ = ["Odds", ')
    )
    python = [path for path in written if path.endswith(".py")]
    for linter in (["ruff", "check", *python], ["oxlint", "--deny-warnings", "book/figures"]):
        command = [Path(sys.executable).with_name(linter[0]), *linter[1:]]
        done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout
    tests = ["tests/figures/test_odds.py", "book/figures/odds.py"]
    tests += ["tests/figures/test_figures.py::test_every_view_has_a_figure_and_every_figure_a_view"]
    tests += ["tests/figures/test_figures.py::test_the_figures_use_no_colour_that_the_palette_does_not_define"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    alone = {**os.environ, "PYTHONPATH": str(project)}
    done = subprocess.run(command, cwd=project, env=alone, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "skipped" not in done.stdout
