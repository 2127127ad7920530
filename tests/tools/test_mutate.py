"""What `make mutate` does, on a module of two functions in a folder of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tools.break_kernels import BREAKAGES, KERNELS, ROOT, once

MODULE = '''"""A module."""


def twice(x, factor=2):
    """Twice x."""
    return _kept(factor * x)


def _kept(x):
    return x + 0
'''
TESTS = """from lib.toy import twice


def test_twice():
    assert twice(3) == 6


def test_something_else():
    assert sorted([2, 1]) == [1, 2]
"""
COMMAND = [sys.executable, "-m", "tools.mutate", "lib/toy.py"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}
UNSEEN = "- `_kept`: `return x - 0`\n  Zero has no sign here.\n"


@pytest.fixture
def project(tmp_path):
    """Where `lib/toy.py` and its tests lie."""
    for name, text in {"lib/__init__.py": "", "lib/toy.py": MODULE, "tests/test_toy.py": TESTS}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def mutate(project):
    """(exit code, what it printed) of a run, and how many changes it tried."""
    done = subprocess.run(COMMAND, cwd=project, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    tried = re.search(r"(\d+) tried in", done.stderr)
    return done.returncode, done.stdout + done.stderr, int(tried[1]) if tried else 0


def give_reasons(project, reasons):
    (project / "tools").mkdir(exist_ok=True)
    (project / "tools" / "survivors.md").write_text(f"## lib/toy.py\n\n{reasons}")


def test_what_is_not_noticed_is_reported_once_and_for_all(project):
    code, said, tried = mutate(project)
    assert (code, tried) == (1, 5), said
    assert "4 of 5 killed, 80.0 %" in said
    assert "survived: lib/toy.py `_kept`\n  - `return x + 0`\n  + `return x - 0`\n" in said
    found = json.loads((project / "_build" / "mutation" / "lib" / "toy.json").read_text())["functions"]
    assert found["twice"]["survived"] == []
    assert found["_kept"]["survived"] == [["return x + 0", "return x - 0"]]

    give_reasons(project, UNSEEN)  # that one alone is tried again, and has its reason now
    code, said, tried = mutate(project)
    assert (code, tried) == (0, 1), said

    give_reasons(project, UNSEEN + "- `twice`: `return 7`\n  No such change.\n")
    code, said, _ = mutate(project)
    assert code == 1, said
    assert "`return 7`" in said


def test_a_function_that_changed_is_tried_anew_and_one_that_reads_the_same_is_not(project):
    mutate(project)
    give_reasons(project, UNSEEN)
    path = project / "lib" / "toy.py"
    path.write_text(MODULE.replace('"""Twice x."""', '"""Two times x."""  # said otherwise'))
    assert mutate(project)[2] == 1
    path.write_text(MODULE.replace("factor * x", "x * factor"))
    assert mutate(project)[2] == 1 + 3


def test_what_was_killed_is_forgotten_when_the_tests_change(project):
    mutate(project)
    give_reasons(project, UNSEEN)
    assert mutate(project)[2] == 1
    (project / "tests" / "test_toy.py").write_text(TESTS.replace("twice(3) == 6", "twice(1) > 0"))
    code, said, tried = mutate(project)
    assert (code, tried) == (1, 5), said


def test_tests_that_fail_without_a_change_are_no_judges(project):
    (project / "tests" / "test_toy.py").write_text(TESTS.replace("== 6", "== 7"))
    code, said, tried = mutate(project)
    assert code != 0
    assert tried == 0
    assert "nothing was changed, but" in said
    assert not (project / "_build").exists()


SLOW_COPIES = "os.register_at_fork(after_in_parent=lambda: time.sleep(1))\n"
MOMENTS = {
    "in the first pass": (1, ""),
    "while a change is tried": (3, ""),
    "while one is begun": (3, SLOW_COPIES),
}


@pytest.mark.parametrize(("when", "before"), MOMENTS.values(), ids=MOMENTS)
def test_broken_off_it_says_what_is_left_and_blames_no_test(project, when, before):
    """Each time it runs the second test leaves a mark; the time that is asked for, it waits for Ctrl-C."""
    wait = f"""
    marks = Path("marks")
    marks.write_text(marks.read_text() + "x" if marks.exists() else "x")
    if len(marks.read_text()) == {when}:
        Path("waits").touch()
        time.sleep(60)
"""
    text = TESTS.replace("    assert sorted", f"    twice(1){wait}    assert sorted")
    (project / "tests" / "test_toy.py").write_text(
        f"import os\nimport time\nfrom pathlib import Path\n\n{before}{text}"
    )
    with subprocess.Popen(
        COMMAND,
        cwd=project,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as run:
        deadline = time.monotonic() + 60
        while not (project / "waits").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGINT)
        said = "".join(run.communicate(timeout=60))
    assert run.returncode == 130, said
    assert "not tried" in said
    assert "cannot be collected" not in said
    assert "Traceback" not in said


@pytest.mark.parametrize("path", sorted((ROOT / KERNELS).glob("[cg]pu/[a-z]*.py")), ids=lambda path: path.name)
def test_each_file_of_kernels_is_broken_in_three_ways_at_least(path):
    text, ways = path.read_text(), BREAKAGES.get(path.relative_to(ROOT / KERNELS).as_posix(), [])
    broken = {once(text, *way) for way in ways} - {text}
    assert len(broken) == len(ways)
    assert len(broken) >= 3 or path.name in ("compile.py", "runs.py")  # which compute nothing
