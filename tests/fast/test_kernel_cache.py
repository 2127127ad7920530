"""Where Numba keeps the compiled kernels: no edit is answered by old code, and who has to wait is told why."""

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from optional_torch import ALONE

pytestmark = pytest.mark.skipif(ALONE, reason="needs Numba, and NumPy is alone here")
ROOT = Path(__file__).parents[2]
OUTER = """
from lib.fast.cpu.compile import compiled
from lib.fast.cpu.inner import inner


@compiled
def outer(x):
    return inner(x) + 1
"""
INNER = """
from lib.fast.cpu.compile import compiled


@compiled
def inner(x):
    return {} * x
"""
PLACES = {  # {where the kernels are kept: what is set for it; {} is a folder of the test}
    "package": {},
    "chosen": {"NUMBA_CACHE_DIR": "{}/chosen"},
    "user": {
        "NUMBA_CACHE_LOCATOR_CLASSES": "UserWideCacheLocator",
        "XDG_CACHE_HOME": "{}/user",
        "HOME": "{}/user",
    },
}
NOWHERE = {"NUMBA_CACHE_LOCATOR_CLASSES": "IPythonCacheLocator"}  # which is for what is typed at a prompt alone


@pytest.fixture
def ask(tmp_path):
    """Writes two kernels, of which the outer calls the inner in another file; runs them in a process of its own.

    `factor` is what the inner one multiplies by. What is returned is the result for 1 and 2.0, and what was said.
    """
    folder = tmp_path / "lib" / "fast" / "cpu"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent, folder.parents[1]):
        (package / "__init__.py").touch()
    shutil.copy(ROOT / "lib" / "fast" / "cpu" / "compile.py", folder)
    (folder / "outer.py").write_text(OUTER)

    def run(factor, settings=None, program="print(outer(1), outer(2.0))"):
        (folder / "inner.py").write_text(INNER.format(factor))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
        environment |= {k: v.format(tmp_path) for k, v in (settings or {}).items()} | {"PYTHONPATH": str(tmp_path)}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"  # which would not notice an edit within the same second
        command = [sys.executable, "-W", "error", "-c", f"from lib.fast.cpu.outer import outer\n{program}"]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.split(), done.stderr.splitlines()

    return run


@pytest.fixture
def told():
    """For what only a newer Numba can be told: by which rule it chooses the folder."""
    if not hasattr(importlib.import_module("numba.core.config"), "CACHE_LOCATOR_CLASSES"):
        pytest.skip("this Numba does not read NUMBA_CACHE_LOCATOR_CLASSES")


def kept(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".nbi", ".nbc"))


@pytest.mark.nightly
@pytest.mark.parametrize("place", PLACES)
def test_an_edit_of_what_a_kernel_calls_is_noticed_wherever_the_kernels_are_kept(place, ask, tmp_path, request):
    settings = PLACES[place]
    if "NUMBA_CACHE_LOCATOR_CLASSES" in settings:
        request.getfixturevalue("told")
    results, (line,) = ask(10, settings)  # one line, though several were compiled
    assert results == ["11", "21.0"]
    before = kept(tmp_path)
    assert len(before) == 6, "an index, and the code for integers and floats, of each"
    folder = before[0].parent
    assert folder.is_relative_to(tmp_path / ("lib" if place == "package" else place))
    assert line.startswith("lib: compiling kernels for entmax, about half a minute")
    assert str(folder) in line
    assert "NUMBA_CACHE_DIR" in line
    assert ask(10, settings) == (["11", "21.0"], []), "nothing is compiled, so nothing is said"
    assert ask(20, settings)[0] == ["21", "41.0"]
    assert kept(tmp_path) == before, "the new in place of the old"


@pytest.mark.nightly
def test_where_no_folder_can_be_written_to_all_works_and_what_helps_is_said(ask, tmp_path, told):
    for factor in (10, 20):
        results, (line,) = ask(factor, NOWHERE)
        assert results == [str(factor + 1), f"{2.0 * factor + 1}"]
        assert "not kept; for that set NUMBA_CACHE_DIR" in line
    assert kept(tmp_path) == []


@pytest.mark.nightly
@pytest.mark.parametrize("left", [0, 0.5], ids=["empty", "cut off"])
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_what_a_crash_has_left_half_written_is_compiled_anew_and_kept(suffix, left, ask, tmp_path):
    ask(10)
    before = kept(tmp_path)
    for path in before:
        if path.suffix == suffix:
            path.write_bytes(path.read_bytes()[: int(left * path.stat().st_size)])
    results, said = ask(10)
    assert (results, len(said)) == (["11", "21.0"], 1)
    assert ask(10) == (["11", "21.0"], []), "nothing is compiled a third time"
    assert kept(tmp_path) == before


@pytest.mark.nightly
def test_on_a_full_disk_all_works_and_kernels_are_kept_as_soon_as_there_is_room(ask, tmp_path):
    """As where no file may be longer than a few bytes."""
    pytest.importorskip("resource")  # of Unix
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))\nprint(outer(1), outer(2.0))"
    for _ in range(2):
        results, said = ask(10, program=full)
        assert (results, len(said)) == (["11", "21.0"], 1)
    assert len(ask(10)[1]) == 1
    assert ask(10) == (["11", "21.0"], [])
    assert len(kept(tmp_path)) == 6
