"""What the workflows run is what anybody runs: the Makefile's targets, and `.ci/run`; and with which Pythons."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tools import pins, torch_first

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
GITHUB = ROOT / ".github"
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in GITHUB.glob("workflows/*")}
ACTIONS = {
    path.parent.name: yaml.safe_load(path.read_text("utf-8")) for path in GITHUB.glob("actions/*/action.yml")
}
JOBS = {f"{name} {job}": about for name, flow in WORKFLOWS.items() for job, about in flow["jobs"].items()}
STEPS = [step for about in JOBS.values() for step in about["steps"]]
STEPS += [step for action in ACTIONS.values() for step in action["runs"]["steps"]]
MAINTAINED = ("actions/", "./.github/actions/")  # those that GitHub makes, and our own
TESTED = ["3.11", "3.12", "3.13", "3.14"]
WRITES = {"pages": {"pages": "write", "id-token": "write"}}  # {workflow: what it may write}


def words_of(step):
    """The words of the one command that a step runs; none if it uses an action."""
    return re.split(" ONLY=| ALSO=", step.get("run", ""))[0].split()


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.get("run", step.get("uses")))
def test_every_step_is_a_target_of_make_or_an_action_of_github(step):
    assert ("run" in step) != ("uses" in step)
    if "uses" in step:
        assert step["uses"].startswith(MAINTAINED)
    elif step["run"] != ".ci/run":
        command, target, *rest = words_of(step)
        assert command == "make"
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target
        assert rest in ([], ["NIGHT=${{", "github.run_number", "}}"]), "one command alone"


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_read_the_repository_ends_soon_and_gives_way_to_the_next_run(name):
    flow = WORKFLOWS[name]
    assert flow["permissions"] == {"contents": "read"} | WRITES.get(name, {})
    assert flow["concurrency"]["cancel-in-progress"] == (name != "pages")  # a site is not left half written
    for job in flow["jobs"].values():
        assert "permissions" not in job
        assert 0 < job["timeout-minutes"] <= 120


def test_a_pull_request_runs_all_tests_but_those_on_several_processes():
    """In one job or another: the targets `test` and `test-lib`, by the folders that they are given."""
    runs = [
        step["run"] for job in WORKFLOWS["pull-request"]["jobs"].values() for step in job["steps"] if "run" in step
    ]
    (lib,) = re.findall(r"^MATHS := (.*)$", MAKEFILE, re.MULTILINE)
    assert {"make lint", "make test-lib ALSO=tests/fast", "make book"} <= set(runs)
    given = [*re.findall(r'ONLY="(.*?)"', " ".join(runs)), lib.partition(" --ignore")[0], "tests/fast"]
    given = {word for words in given for word in words.split()}
    folders = {f"tests/{path.name}" for path in (ROOT / "tests").iterdir() if [*path.glob("**/test_*.py")]}
    assert given == folders | {"lib"} | {f"lib/{name}" for name in re.findall(r"--ignore lib/(\w+)", lib)}


def test_every_night_all_is_run_from_nothing_on_two_systems_with_every_python():
    job = JOBS["nightly from-nothing"]
    assert job["steps"][-1]["run"] == ".ci/run"
    matrix = job["strategy"]["matrix"]
    both = matrix["include"]
    assert {*matrix["os"], *(each["os"] for each in both)} == {"ubuntu-latest", "macos-latest"}
    assert sorted([*matrix["python"], *(each["python"] for each in both)]) == TESTED
    assert {TESTED[0], TESTED[-1]} <= {*matrix["python"]}, "on Linux"
    assert not [step for step in job["steps"] if "cache" in str(step)], "from nothing"


def test_each_week_the_newest_versions_meet_the_newest_python_and_the_lowest_the_oldest():
    used = {job: about["steps"][1]["with"]["python-version"] for job, about in WORKFLOWS["weekly"]["jobs"].items()}
    assert used["newest"] == TESTED[-1]
    assert used["lowest"] == TESTED[0]


def test_the_pythons_that_are_tested_are_those_that_are_told():
    """No Python is newer than the package allows; what is older it refuses."""
    told = rf"Python {TESTED[0]} to {TESTED[-1]}"
    for name in ("README.md", "index.md", "Makefile"):
        text = (ROOT / name).read_text("utf-8")
        assert told in text, name
        assert not re.search(r"Python 3\.\d+, 3\.\d+ or", text), name
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"] == f">={TESTED[0]}"
    night = JOBS["nightly from-nothing"]["strategy"]["matrix"]
    *some, last = night["python"]
    (mac,) = night["include"]
    contributing = " ".join((ROOT / "CONTRIBUTING.md").read_text("utf-8").split())
    assert f"on Linux with Python {', '.join(some)} and {last} and on macOS with {mac['python']}" in contributing


def test_binder_builds_the_book_as_make_does():
    script = ROOT / "binder" / "postBuild"
    assert script.stat().st_mode & 0o111
    (book,) = re.findall(r"^book:.*\n\t\$\(BIN\)/(.*)$", MAKEFILE, re.MULTILINE)
    assert book in script.read_text("utf-8").splitlines()


def test_no_host_of_packages_is_named():
    files = [*GITHUB.rglob("*.yml"), *(ROOT / "binder").iterdir(), ROOT / "Makefile", Path(pins.__file__)]
    for path in [*files, Path(torch_first.__file__)]:
        assert "//" not in path.read_text("utf-8"), path


# ---- which Python makes an environment

# A Python that says it is FAKED: it runs the gate and tools.pins, and makes environments in which nothing happens.
# Like the real one, it leaves the Python of an environment that is there already.
FAKE = """\
#!{python}
import os, pathlib, runpy, shutil, sys

sys.version_info = (*map(int, os.environ["FAKED"].split(".")), 0)
if sys.argv[1] == "-c":
    exec(sys.argv[2])
elif sys.argv[2] == "venv":
    home = pathlib.Path(sys.argv[-1])
    if "--clear" in sys.argv:
        shutil.rmtree(home, ignore_errors=True)
    (home / "bin").mkdir(parents=True, exist_ok=True)
    if not (home / "bin" / "python").exists():
        answers = "#!/bin/sh\\nif [ $1 = -c ]; then echo " + os.environ["FAKED"] + "; else exit $FAILS; fi\\n"
        (home / "bin" / "python").write_text(answers)
        (home / "bin" / "python").chmod(0o755)
else:
    del sys.argv[:2]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


class Desk:
    """A folder with the Makefile and the files that its environments come from."""

    def __init__(self, home):
        self.home = home
        (home / "tools").mkdir()
        for name in ("Makefile", "requirements.txt", "pyproject.toml", "lab-settings.json", "tools/pins.py"):
            shutil.copy(ROOT / name, home / name)
        self.python = home / "fake"
        self.python.write_text(FAKE.format(python=sys.executable))
        self.python.chmod(0o755)

    def make(self, environment, version, given=True, fails=False):
        """What make prints to stderr, where `PYTHON` is of this version; it is given or what the shell finds."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "TORCH", "MFLAGS"))}
        env |= {"FAKED": version, "FAILS": str(int(fails)), "PYTHONDONTWRITEBYTECODE": "1"}
        command = ["make", "-C", self.home, f"VENV={environment}", f"{environment}/.ready"]
        if given:
            command += [f"PYTHON={self.python}"]
        else:
            (self.home / "python3").unlink(missing_ok=True)
            (self.home / "python3").symlink_to(self.python)
            env |= {"PATH": f"{self.home}:{env['PATH']}"}
            env.pop("PYTHON", None)
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
        self.failed = done.returncode != 0
        return done.stderr

    def made_by(self, environment):
        return subprocess.check_output([self.home / environment / "bin" / "python", "-c", ""], text=True).strip()


@pytest.fixture
def desk(tmp_path):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    return Desk(tmp_path)


ALL = [".venv", ".venv-lowest", ".venv-newest", ".venv-numpy"]


@pytest.mark.parametrize("environment", ALL)
def test_too_old_a_python_is_told_which_is_needed_and_makes_nothing(desk, environment):
    for version in ("2.7", "3.10"):
        first, last = desk.make(environment, version).splitlines()
        assert first == f"Python 3.11 to 3.14 is needed; this is {version}. Try the same with PYTHON=python3.14"
        assert last.startswith("make: ***")
        assert desk.failed
        assert not (desk.home / environment).exists()


@pytest.mark.parametrize("version", TESTED)
@pytest.mark.parametrize("environment", ALL)
def test_a_python_that_is_tested_is_let_in_without_a_word(desk, environment, version):
    if (environment, version) != (".venv-lowest", "3.14"):
        assert desk.make(environment, version) == ""
        assert not desk.failed
        assert desk.made_by(environment) == version


@pytest.mark.parametrize("environment", [".venv", ".venv-newest", ".venv-numpy"])
def test_a_newer_python_is_let_in_with_one_line(desk, environment):
    for version in ("3.15", "3.20"):
        said = desk.make(environment, version)
        assert said == (
            f"Python {version} is untried: the tests run with 3.11 to 3.14. "
            "If it fails, try the same with PYTHON=python3.14\n"
        )
        assert not desk.failed
        assert desk.made_by(environment) == version


@pytest.mark.parametrize("version", ["3.14", "3.15"])
def test_the_lowest_versions_are_not_compiled_for_a_python_that_has_no_wheels_of_them(desk, version):
    said = desk.make(".venv-lowest", version)
    told = f"The lowest versions have wheels for Python 3.11 to 3.13; this is {version}. "
    assert told + "Try: make test-lowest PYTHON=python3.11\n" in said
    assert desk.failed
    assert desk.make(".venv-lowest", "3.11") == "", "and so it goes on"
    assert desk.made_by(".venv-lowest") == "3.11"


@pytest.mark.parametrize("given", [True, False])
def test_after_an_installation_that_failed_another_python_begins_from_nothing(desk, given):
    desk.make(".venv", "3.15", fails=True)
    assert desk.failed
    (desk.home / ".venv" / "kept").touch()
    desk.make(".venv", "3.15", given, fails=True)
    assert (desk.home / ".venv" / "kept").exists(), "the same one goes on"
    assert desk.make(".venv", "3.14", given) == ""
    assert desk.made_by(".venv") == "3.14"
    assert not (desk.home / ".venv" / "kept").exists()


@pytest.mark.parametrize("environment", [".venv", ".venv-newest"])
def test_an_environment_is_made_anew_only_for_another_python_that_is_given(desk, environment):
    desk.make(environment, "3.12")
    (desk.home / environment / "kept").touch()
    desk.make(environment, "3.12")
    desk.make(environment, "3.14", given=False)
    os.utime(desk.home / "requirements.txt")
    ready = desk.home / environment / ".ready"
    os.utime(ready, (1, 1))  # the requirements have changed since
    desk.make(environment, "3.14", given=False)
    assert ready.stat().st_mtime > 1
    assert (desk.home / environment / "kept").exists()
    assert desk.made_by(environment) == "3.12"
    assert desk.make(environment, "3.14") == ""
    assert desk.made_by(environment) == "3.14"
    assert not (desk.home / environment / "kept").exists()


# ---- what the environments of their own install


def test_the_lowest_versions_are_the_bounds_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    bounds = dict(line.split("==") for line in pins.requirements("lowest")[:-1])
    extras = project["optional-dependencies"]
    declared = [*project["dependencies"], *extras["torch"], *extras["fast"]]
    assert declared == [f"{name}>={bounds[name]}" for name in ("array-api-compat", "numpy", "torch", "numba")]


def test_the_newest_are_all_that_is_pinned_without_the_pins():
    pinned = pins.pinned((ROOT / "requirements.txt").read_text("utf-8"))
    lines = pins.requirements("newest")
    assert len(lines) == len(pinned) + 1 > 30
    assert not [line for line in lines if re.search(r"==\d", line)]
    assert 'triton; sys_platform == "linux" and platform_machine == "x86_64"' in lines
    assert "jupyter-book<2" in lines


def test_torch_comes_first_in_the_build_that_is_named():
    _, command = torch_first.commands("cpu", "numpy==2.0\ntorch==2.6  # why\nentmax\ntorchvision==1\n")
    assert command[1:5] == ["-m", "uv", "pip", "install"]
    assert command[-3:] == ["--torch-backend", "cpu", "torch==2.6"]
    assert torch_first.commands("cpu", "numpy==2.0\n-e .\n") == []
