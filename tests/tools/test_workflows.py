"""What the workflows run is what anybody runs: the Makefile's targets, and `.ci/run`."""

import re
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
    assert [*sorted({*matrix["python"], *(each["python"] for each in both)})] == ["3.11", "3.12", "3.13"]
    assert not [step for step in job["steps"] if "cache" in str(step)], "from nothing"


def test_binder_builds_the_book_as_make_does():
    script = ROOT / "binder" / "postBuild"
    assert script.stat().st_mode & 0o111
    (book,) = re.findall(r"^book:.*\n\t\$\(BIN\)/(.*)$", MAKEFILE, re.MULTILINE)
    assert book in script.read_text("utf-8").splitlines()


def test_no_host_of_packages_is_named():
    files = [*GITHUB.rglob("*.yml"), *(ROOT / "binder").iterdir(), ROOT / "Makefile", Path(pins.__file__)]
    for path in [*files, Path(torch_first.__file__)]:
        assert "//" not in path.read_text("utf-8"), path


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
