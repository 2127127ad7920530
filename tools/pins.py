"""What `make test-lowest`, `test-newest` and `test-numpy` install, each into its own environment: a line each.

    python -m tools.pins lowest     the lowest versions of what the maths needs that pyproject.toml allows
    python -m tools.pins newest     what requirements.txt names, each in its newest version
    python -m tools.pins numpy      NumPy, what it needs to be an array library, and neither torch nor Numba

What only tests need is in the first and the last as requirements.txt pins it. This runs before anything is
installed. The newest Pythons are younger than the lowest versions: these have no wheels for them, and pip would
start to compile.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
MATHS = ["numpy", "array-api-compat"]
TESTS = ["scipy", "pytest", "pytest-xdist", "hypothesis", "mpmath", "array-api-strict"]
BELOW = {"jupyter-book": "<2"}  # Jupyter Book 2 is another program
LOWEST_UP_TO = (3, 13)  # the newest Python for which every lowest version has a wheel


def name_of(requirement):
    return re.match(r"[\w.-]+", requirement)[0].lower()


def pinned(text):
    """{name: requirement} of requirements.txt, without comments and without the project itself."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return {name_of(line): line for line in lines if line and not line.startswith("-")}


def lowest(project, pins):
    """Each lower bound as the version itself, of the package, of torch and of Numba."""
    extras = project["optional-dependencies"]
    bounds = [*project["dependencies"], *extras["torch"], *extras["fast"]]
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+", bound) for bound in bounds), bounds
    return [bound.replace(">=", "==") for bound in bounds] + [pins[name] for name in TESTS]


def newest(project, pins):
    """Every requirement without its version; a condition, as for another system, stays."""
    return [re.sub(r"==[\w.]+", BELOW.get(name, ""), line) for name, line in pins.items()]


def numpy(project, pins):
    return [pins[name] for name in MATHS + TESTS]


ENVIRONMENTS = {"lowest": lowest, "newest": newest, "numpy": numpy}


def requirements(environment):
    """The lines for one of the environments; the last installs the project itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = pinned((ROOT / "requirements.txt").read_text(encoding="utf-8"))
    return [*ENVIRONMENTS[environment](project, pins), "-e ."]


def refusal(environment, python):
    """Why the environment cannot be had with this Python, a pair of numbers; None if it can."""
    if environment != "lowest" or python <= LOWEST_UP_TO:
        return None
    last, this = (f"{major}.{minor}" for major, minor in (LOWEST_UP_TO, python))
    return (
        f"The lowest versions have wheels for Python 3.11 to {last}; this is {this}. "
        "Try: make test-lowest PYTHON=python3.11"
    )


if __name__ == "__main__":
    if refused := refusal(sys.argv[1], sys.version_info[:2]):
        sys.exit(refused)
    print(*requirements(sys.argv[1]), sep="\n")
