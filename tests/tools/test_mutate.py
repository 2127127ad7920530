"""What `make mutate` does, on a module of two functions in a folder of its own."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tools.break_by_hand import BREAKAGES, ROOT, noticed_by, once

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


def test_what_is_not_noticed_is_reported_and_what_reads_the_same_is_not_tried_again(project):
    code, said, tried = mutate(project)
    assert (code, tried) == (1, 5), said
    assert "4 of 5 killed, 80.0 %" in said
    assert "survived: lib/toy.py `_kept`\n  - `return x + 0`\n  + `return x - 0`\n" in said

    give_reasons(project, UNSEEN)  # that one alone is tried again, and has its reason now
    path = project / "lib" / "toy.py"
    path.write_text(MODULE.replace('"""Twice x."""', '"""Two times x."""  # said otherwise'))
    code, said, tried = mutate(project)
    assert (code, tried) == (0, 1), said

    give_reasons(project, UNSEEN + "- `twice`: `return 7`\n  No such change.\n")
    path.write_text(MODULE.replace("factor * x", "x * factor"))
    code, said, tried = mutate(project)
    assert (code, tried) == (0, 1 + 3), said
    assert "has a reason, but there is no such survivor: lib/toy.py `twice`: `return 7`" in said

    give_reasons(project, UNSEEN)
    (project / "tests" / "test_toy.py").write_text(TESTS.replace("twice(3) == 6", "twice(1) > 0"))
    code, said, tried = mutate(project)
    assert (code, tried) == (1, 5), said


def test_which_tests_are_judges_is_said_by_a_marker_and_not_by_their_names(project):
    """The second test would fail in a copy of the process."""
    text = TESTS.replace("test_twice", "test_twice_with_its_result_loaded_from_memory")
    marked = """

@pytest.mark.not_forked
def test_in_one_process():
    assert twice(3) == 6
    assert os.getpid() == FIRST
"""
    head = "import os\n\nimport pytest\n\n"
    (project / "tests" / "test_toy.py").write_text(f"{head}{text}{marked}\n\nFIRST = os.getpid()\n")
    code, said, tried = mutate(project)
    assert (code, tried) == (1, 5), said
    assert "4 of 5 killed, 80.0 %" in said


def test_tests_that_fail_without_a_change_are_no_judges(project):
    (project / "tests" / "test_toy.py").write_text(TESTS.replace("== 6", "== 7"))
    code, said, tried = mutate(project)
    assert code != 0
    assert tried == 0
    assert "nothing was changed, but" in said
    assert not (project / "_build").exists()


def test_broken_off_it_says_what_is_left_and_blames_no_test(project):
    """Each time it runs the second test leaves a mark; the third time, at a change, it waits for Ctrl-C."""
    wait = """
    marks = Path("marks")
    marks.write_text(marks.read_text() + "x" if marks.exists() else "x")
    if len(marks.read_text()) == 3:
        Path("waits").touch()
        time.sleep(60)
"""
    text = TESTS.replace("    assert sorted", f"    twice(1){wait}    assert sorted")
    (project / "tests" / "test_toy.py").write_text(f"import time\nfrom pathlib import Path\n\n{text}")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(COMMAND, cwd=project, env=ENVIRONMENT, start_new_session=True, **pipes) as run:
        deadline = time.monotonic() + 60
        while not (project / "waits").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGINT)
        said = "".join(run.communicate(timeout=60))
    assert run.returncode == 130, said
    assert "not tried" in said
    assert not re.search("cannot be collected|Traceback", said)


def test_what_is_broken_by_hand_stands_there_once_and_in_each_file_of_kernels_three_times_at_least():
    for file, ways in BREAKAGES.items():
        text = (ROOT / file).read_text(encoding="utf-8")
        assert len({once(text, *way) for way in ways} - {text}) == len(ways)
        assert all((ROOT / name).is_file() for name in noticed_by(file) if name.endswith(".py"))
    for path in (ROOT / "lib" / "fast").glob("[cg]pu/[a-z]*.py"):
        if path.name not in ("compile.py", "runs.py"):  # which compute nothing
            assert len(BREAKAGES[path.relative_to(ROOT).as_posix()]) >= 3
