"""The suite itself: which devices take part, what the tests of the maths do without, which files go first."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import backends
import pytest
import torch

from tools import break_kernels, break_sharded

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
SPEC = importlib.util.spec_from_file_location("tests_conftest", TESTS / "conftest.py")
conftest = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(conftest)


def test_cuda_takes_part():
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device: nothing that runs on torch-cpu was tried on torch-cuda")
    assert {"torch-cpu", "torch-cuda"} <= {xp.library for xp in backends.backends(backends.LIBRARIES, ["float64"])}


def test_cuda_takes_part_only_where_it_is(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert backends.torch_devices() == ["torch-cpu", "torch-cuda"]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert backends.torch_devices() == ["torch-cpu"]


def test_every_file_that_goes_first_is_there():
    for name in conftest.LONG_FIRST:
        assert len([*TESTS.rglob(f"test_{name}.py")]) == 1, name


def test_no_two_files_of_tests_have_the_same_name():
    names = [path.name for path in TESTS.rglob("test_*.py")]
    assert len(names) > 100
    assert len(names) == len(set(names))


def test_what_imports_triton_is_not_loaded_for_its_examples():
    """Elsewhere than on Linux there is no Triton."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    (ignored,) = re.findall(r"--ignore-glob=(\S+)", settings["addopts"])
    files = [path for path in (ROOT / "lib").rglob("*.py") if "\nimport triton\n" in path.read_text("utf-8")]
    assert len(files) > 2
    assert all(fnmatch(path, ignored) for path in files)


def test_every_folder_of_tests_is_known():
    known = {"maths", "fast", "models", "figures", "book", "tools", "support"}
    assert {path.name for path in TESTS.iterdir() if path.is_dir()} - {"__pycache__"} == known
    assert not [*TESTS.glob("test_*.py")]


WITHOUT_THE_BOOK = """
import sys
for name in ("sphinx.application", "jupytext", "myst_nb", "jupyter_book", "nbformat", "playwright", "matplotlib"):
    sys.modules[name] = None  # importing it fails
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--collect-only", "tests/maths", "tests/fast"]))
"""


def test_the_maths_needs_no_tool_of_the_book():
    """Every file of its tests can be loaded where neither Sphinx nor jupytext nor a browser is installed."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_BOOK],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) tests collected", done.stdout)[1]) > 3000


def test_what_is_broken_in_the_kernels_by_hand_stands_there_once():
    for file, breakages in break_kernels.BREAKAGES.items():
        text = (ROOT / break_kernels.KERNELS / file).read_text()
        assert len(breakages) >= 3
        for before, after in breakages:
            assert break_kernels.once(text, before, after) != text


def test_what_is_broken_in_sharded_by_hand_stands_there_once():
    text = (ROOT / break_sharded.FILE).read_text(encoding="utf-8")
    for before, after in break_sharded.BREAKAGES:
        assert break_kernels.once(text, before, after) != text


def test_the_long_files_are_handed_out_first():
    class Item:
        def __init__(self, stem):
            self.path = Path(f"tests/any/{stem}.py")

    first, second = (f"test_{name}" for name in conftest.LONG_FIRST[:2])
    items = [Item(stem) for stem in ("test_masks", second, "test_arrays", first)]
    conftest.pytest_collection_modifyitems(items)
    assert [item.path.stem for item in items] == [first, second, "test_masks", "test_arrays"]
