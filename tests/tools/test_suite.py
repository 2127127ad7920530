"""The suite itself: which devices take part, what the tests of the maths do without, which files go first."""

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace

import backends
import numpy_alone
import pytest
import torch

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


def test_no_two_files_of_tests_have_the_same_name_and_those_that_go_first_are_there():
    names = [path.stem for path in TESTS.rglob("test_*.py")]
    assert len(names) == len(set(names))
    assert {f"test_{name}" for name in conftest.LONG_FIRST} <= set(names)


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


def in_python(code, **environment):
    """What a program does in a process of its own, in the project's folder."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=240,
    )


WITHOUT_THE_BOOK = """
import sys
for name in ("sphinx.application", "jupytext", "myst_nb", "jupyter_book", "nbformat", "playwright", "matplotlib"):
    sys.modules[name] = None  # importing it fails
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--collect-only", "tests/maths", "tests/fast"]))
"""


def test_the_maths_needs_no_tool_of_the_book():
    """Every file of its tests can be loaded where neither Sphinx nor jupytext nor a browser is installed."""
    done = in_python(WITHOUT_THE_BOOK)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) tests collected", done.stdout)[1]) > 3000


ALONE = """
import sys
from importlib.machinery import PathFinder
find = PathFinder.find_spec
absent = lambda cls, name, *where: None if name in ("torch", "numba") else find(name, *where)
PathFinder.find_spec = classmethod(absent)  # pytest makes a method of what is not bound
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "tests/maths/test_masks.py"]))
"""


def test_where_numpy_is_alone_enough_tests_must_pass(monkeypatch):
    """What needs torch skips. How many pass is counted: else the run would pass too if all were skipped."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # it is a run of its own, whoever runs this test
    done = in_python(ALONE, NUMPY_ALONE="3000")
    assert done.returncode == 1, done.stdout[-3000:] + done.stderr[-2000:]
    assert " skipped" in done.stdout
    assert "3000 were to: too many skip" in done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 15


def test_numpy_is_not_alone_where_there_is_torch():
    numpy_alone.Alone(1, found=lambda name: None)
    with pytest.raises(pytest.UsageError, match=r"not alone: there is torch$"):
        numpy_alone.Alone(1, found=lambda name: name == "torch")


def test_what_is_left_out_where_numpy_is_alone_is_what_imports_torch_or_numba():
    """Without a folder's other files: all of them need what the folder's first file imports."""
    left_out = {ROOT / name for name in numpy_alone.IMPORT_TORCH_OR_NUMBA}
    heavy = re.compile(r"^(?:import|from) (?:torch|numba)\b", re.MULTILINE)
    importing = {path for path in (ROOT / "lib").rglob("*.py") if heavy.search(path.read_text("utf-8"))}
    of_maths = {path for path in importing if path.relative_to(ROOT).parts[1] not in ("book", "figures", "models")}
    assert len(of_maths) >= 8
    assert {each for path in of_maths for each in left_out if path.is_relative_to(each)} == left_out
    assert all(any(path.is_relative_to(each) for each in left_out) for path in of_maths)


def test_the_long_files_are_handed_out_first():
    stems = [f"test_{name}" for name in ("masks", conftest.LONG_FIRST[1], "arrays", conftest.LONG_FIRST[0])]
    items = [SimpleNamespace(path=Path(f"tests/any/{stem}.py")) for stem in stems]
    conftest.pytest_collection_modifyitems(items)
    assert [item.path.stem for item in items] == [stems[3], stems[1], stems[0], stems[2]]
