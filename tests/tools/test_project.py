"""What the project's own files say is so: versions, names, pins, and the types that `lib` promises."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import lib
from tools import pins, torch_first

ROOT = Path(__file__).parents[2]


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_citation_changelog_and_the_page_about_the_book_say_the_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc|\.dev)\d+)?", lib.__version__)
    said = re.findall(r"^version: (.*)$", text_of("CITATION.cff"), re.MULTILINE)
    newest = re.search(r"^## \[?(\d[^\s\]]*)", text_of("CHANGELOG.md"), re.MULTILINE)[1]
    page = text_of("appendix/about.md")
    cited = re.findall(r"Version ([\d.]+\d)", page[page.index("## How to cite") :])
    assert [*said, newest, *cited] == [lib.__version__] * 4


def test_what_is_named_is_there():
    """Files and folders, and the targets of make."""
    text = text_of("README.md") + text_of("CONTRIBUTING.md") + text_of("ARCHITECTURE.md")
    folders, endings = "lib|book|tests|bench|chapters|reference|tools", "toml|txt|md|yml|bib"
    named = re.findall(rf"`((?:{folders})/[\w./-]*|[\w-]+\.(?:{endings}))`", text)
    named += re.findall(r"(?<!\w)((?:lib|tests|bench|tools)/[\w/]+\.py)", text)
    made_up = "masking.md", "book/masking/", "README.txt", "sparsemax_of_two.py"
    assert len(named) >= 30
    assert [name for name in named if not name.endswith(made_up) and not (ROOT / name).exists()] == []
    told = re.findall(r"`([A-Z_]{3,})`[^`]*? in `(\w+\.py|tests/[\w/]+\.py)`", text)
    assert len(told) >= 1
    for name, file in told:
        (path,) = ROOT.glob(file) if "/" in file else (ROOT / "tests").rglob(file)
        assert f"{name} = " in path.read_text("utf-8"), (name, file)
    targets = set(re.findall(r"^([\w-]+):", text_of("Makefile"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z][\w-]*)", text)) == targets - {"clean"} | {"clean"}


def test_no_host_of_packages_is_named():
    files = [*(ROOT / ".github").rglob("*.yml"), *(ROOT / "binder").iterdir(), ROOT / "Makefile"]
    for path in [*files, ROOT / "requirements.txt", Path(pins.__file__), Path(torch_first.__file__)]:
        assert "//" not in path.read_text("utf-8"), path


def test_the_lowest_versions_are_the_bounds_of_the_package_and_the_newest_have_no_pins():
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    bounds = dict(line.split("==") for line in pins.requirements("lowest")[:-1])
    extras = project["optional-dependencies"]
    declared = [*project["dependencies"], *extras["torch"], *extras["fast"]]
    assert declared == [f"{name}>={bounds[name]}" for name in ("array-api-compat", "numpy", "torch", "numba")]
    newest = pins.requirements("newest")
    assert len(newest) == len(pins.pinned(text_of("requirements.txt"))) + 1
    assert not [line for line in newest if re.search(r"==\d", line)]
    assert "jupyter-book<2" in newest


def test_torch_comes_first_in_the_build_that_is_named():
    _, command = torch_first.commands("cpu", "numpy==2.0\ntorch==2.6  # why\nentmax\ntorchvision==1\n")
    assert command[1:5] == ["-m", "uv", "pip", "install"]
    assert command[-3:] == ["--torch-backend", "cpu", "torch==2.6"]
    assert torch_first.commands("cpu", "numpy==2.0\n-e .\n") == []


WITHOUT_THE_BOOK = """
import sys
for name in ("sphinx.application", "jupytext", "myst_nb", "jupyter_book", "nbformat", "playwright", "matplotlib"):
    sys.modules[name] = None  # importing it fails
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--collect-only", "tests/maths", "tests/fast"]))
"""


def test_the_maths_and_its_tests_need_no_tool_of_the_book():
    done = subprocess.run([sys.executable, "-c", WITHOUT_THE_BOOK], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]


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
    command = [sys.executable, "-m", "mypy", "right.py", "wrong.py"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    told = re.findall(r"^(\w+\.py):(\d+): error", said, re.MULTILINE)
    assert told == [("wrong.py", str(4 + k)) for k in range(len(WRONG.splitlines()) - 3)], said
