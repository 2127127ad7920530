"""The version stands in one place, `lib.__version__`, and whoever else says it says the same."""

import re
import shutil
import zipfile
from pathlib import Path

import lib
from book_builder import takeaway

ROOT = Path(__file__).parents[2]


def test_citation_changelog_and_first_page_say_the_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc|\.dev)\d+)?", lib.__version__)
    said = re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    newest = re.search(r"^## \[?(\d[^\s\]]*)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    page = (ROOT / "index.md").read_text("utf-8")
    cited = re.findall(r"Version ([\d.]+\d)", page[page.index("## How to cite") :])
    assert [*said, newest, *cited] == [lib.__version__] * 4


def test_the_wheel_has_the_version_that_lib_says(tmp_path):
    """Also a version that this checkout never had."""
    root = tmp_path / "root"
    shutil.copytree(ROOT / "lib", root / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    for name in takeaway.PACKAGE:
        shutil.copy(ROOT / name, root)
    top = root / "lib" / "__init__.py"
    text = top.read_text()
    assert text.count(f'"{lib.__version__}"') == 1
    top.write_text(text.replace(f'"{lib.__version__}"', '"8.7.6"'))
    (root / "lib" / "fast" / "gpu" / "runs.json").write_text("[]")
    wheel = takeaway.build_wheel(root, tmp_path / "made")
    assert wheel.name == "why_softmax-8.7.6-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as opened:
        assert '__version__ = "8.7.6"' in opened.read("lib/__init__.py").decode()
        assert "\nVersion: 8.7.6\n" in opened.read("why_softmax-8.7.6.dist-info/METADATA").decode()
        assert "lib/py.typed" in opened.namelist(), "so that type checkers read its annotations"
        assert "lib/fast/gpu/runs.json" in opened.namelist(), "a record of runs on a GPU travels with it"
