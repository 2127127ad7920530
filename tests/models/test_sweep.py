"""Sweeps: the same results on every engine, one file a run; what is done is never lost, nor done again."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from book.models import sweep as sweeps
from book.models.results import differ, interval, results, select

SUPPORT = Path(__file__).parents[1] / "support"
FOUND = [
    {"settings": {"factor": factor, "seed": seed}, "found": {"product": factor * seed, "third": 0.3333}}
    for factor in (3, 5)
    for seed in range(3)
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a sweep of `runs_for_sweeps` keeps its runs; their traces are left in the folder above."""
    monkeypatch.setenv("RUNS_FOLDER", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", f"{SUPPORT}{os.pathsep}{SUPPORT.parents[1]}")
    sys.modules.pop("runs_for_sweeps", None)  # it reads RUNS_FOLDER when it is imported
    yield tmp_path / "runs"
    stop_workers()


def stop_workers():
    """Those of joblib, which would wait for more work, with the environment of an earlier test."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True, kill_workers=True)


def sweep(folder, **options):
    done = sweeps.sweep("runs_for_sweeps", folder, seeds=3, bar=False, **options)
    return [{key: run[key] for key in ("settings", "found")} for run in done]


def traces(folder):
    return sorted((folder.parent / "traces").read_text().split("\n")[:-1])


ALL = sorted(f"{run['settings']['factor']} {run['settings']['seed']}" for run in FOUND)


@pytest.mark.parametrize("options", [{}, {"jobs": 2}, {"jobs": 2, "dask": "local"}], ids=["one", "two", "dask"])
def test_every_engine_gives_the_same(folder, options):
    assert sweep(folder, **options) == FOUND
    assert traces(folder) == ALL
    assert len(list(folder.iterdir())) == len(FOUND)


def test_what_is_done_is_not_done_again(folder):
    sweep(folder)
    gone, stale, *_ = sorted(folder.iterdir())
    gone.unlink()
    stale.write_text(json.dumps(json.loads(stale.read_text()) | {"code": "of another day"}))
    assert sweep(folder) == FOUND
    assert traces(folder) == sorted([*ALL, "3 0", "3 1"])


def test_a_run_that_fails_keeps_the_others(folder, monkeypatch):
    import runs_for_sweeps

    real = runs_for_sweeps.run

    def failing(factor, seed):
        if len(list(folder.iterdir())) == 4:
            raise ZeroDivisionError
        return real(factor, seed)

    monkeypatch.setattr(runs_for_sweeps, "run", failing)
    with pytest.raises(ZeroDivisionError):
        sweep(folder)
    monkeypatch.undo()
    monkeypatch.setenv("RUNS_FOLDER", str(folder.parent))
    assert len(list(folder.iterdir())) == 4
    assert sweep(folder) == FOUND
    assert traces(folder) == ALL


AT_NIGHT = pytest.param({"jobs": 2, "dask": "local"}, marks=pytest.mark.nightly, id="dask")


@pytest.mark.parametrize("options", [pytest.param({"jobs": 2}, id="joblib"), AT_NIGHT])
def test_a_killed_worker_loses_only_what_it_was_running(folder, options):
    (folder.parent / "deadly").write_text("1")
    assert sweep(folder, **options) == FOUND
    assert (folder.parent / "deaths").read_text() == "x"
    assert len(traces(folder)) <= len(ALL) + 2  # what both workers were running


def test_workers_that_always_die_are_given_up(folder):
    (folder.parent / "deadly").write_text("99")
    with pytest.raises(RuntimeError, match=r"workers die; [2-6] runs are left") as raised:
        sweep(folder, jobs=2)
    assert len(list(folder.glob("*.json"))) == 6 - int(str(raised.value).split()[2])


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_loses_only_what_is_being_run(folder, jobs):
    (folder.parent / "slow").write_text("0.6")
    # Who runs the tests in the background ignores Ctrl-C, and so do children.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "import sys; from pathlib import Path; from book.models.sweep import sweep; "
    code += f"sweep('runs_for_sweeps', Path(sys.argv[1]), seeds=3, jobs={jobs})"
    # In a group of its own, all of which a terminal would send Ctrl-C.
    command = [sys.executable, "-c", code, folder]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not list(folder.glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT, said.decode()
    done = len(list(folder.glob("*.json")))
    assert 1 <= done < len(FOUND)
    (folder.parent / "slow").unlink()
    before = len(traces(folder))
    assert sweep(folder) == FOUND
    assert len(traces(folder)) - before == len(FOUND) - done


def test_the_command_writes_what_results_reads(folder, monkeypatch, capsys):
    monkeypatch.setattr(sweeps, "FOLDER", folder.parent)
    monkeypatch.setattr(sweeps, "EXPERIMENTS", ["here"])
    monkeypatch.setattr(sweeps, "sweep", lambda *_, **__: [run | {"seconds": 1, "code": "abc"} for run in FOUND])
    sweeps.main(["here", "--seeds", "3"])
    monkeypatch.setattr(sys.modules["book.models.results"], "FOLDER", folder.parent)
    found = results("here")
    assert found["command"] == "python -m book.models.sweep here --seeds 3"
    assert found["seconds"] == 6
    assert set(found["versions"]) == {"python", "torch", "numpy", "joblib"}
    assert [run["product"] for run in select(found, factor=5)] == [0, 5, 10]


def test_the_command_says_how_to_go_on(monkeypatch, tmp_path):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(sweeps, "FOLDER", tmp_path)
    monkeypatch.setattr(sweeps, "sweep", interrupted)
    with pytest.raises(SystemExit, match="goes on from there"):
        sweeps.main(["induction", "--folder", str(tmp_path)])
    assert not list(tmp_path.iterdir())


def test_a_mark_follows_the_code_but_not_its_comments():
    first = sweeps.without_docstrings('"""A."""\ndef f():\n    "B"\n    return 1  # c\n')
    assert first == sweeps.without_docstrings('def f():\n    "D."\n    return 1\n')
    assert first != sweeps.without_docstrings("def f():\n    return 2\n")


def test_numbers_are_kept_to_four_digits():
    import numpy as np
    import torch

    found = {"a": [np.float64(1 / 3), torch.tensor(2e-9 / 3)], "b": {"c": None, "d": 123456}, "e": float("inf")}
    assert sweeps.rounded(found) == {"a": [0.3333, 6.667e-10], "b": {"c": None, "d": 123456}, "e": float("inf")}


def test_what_seeds_cannot_tell_apart_is_the_same():
    first = list(range(8))
    assert differ([x + 1 for x in first], first) == 1
    assert differ(first, [x + 1 for x in first]) == -1
    assert differ([*(x + 1 for x in first[:7]), 6], first) == 0  # one of eight says otherwise
    assert differ([x + 1 for x in first[:7]], first[:7]) == 0  # seven are too few
    assert differ([*(x + 1 for x in first[:7]), 7], first) == 0  # and so is one that is even
    assert interval([9, 1, 2, 4]) == (1, 3, 9)


def test_there_is_never_half_of_a_file(folder, monkeypatch):
    def dies(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", dies)
    with pytest.raises(KeyboardInterrupt):
        sweep(folder)
    assert not list(folder.glob("*.json"))
    monkeypatch.undo()
    monkeypatch.setenv("RUNS_FOLDER", str(folder.parent))
    assert sweep(folder) == FOUND
