"""What `make test-numpy` asks of a run beside that no test fails: that neither torch nor Numba is there, and that
enough tests pass. Those that need torch skip themselves; without a number, all of them could.

NUMPY_ALONE=700 asks for 700 tests.
"""

import importlib.util
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IMPORT_TORCH_OR_NUMBA = [  # files and folders of lib that cannot be imported, so have no examples that could run
    "lib/_entmax_autograd.py",
    "lib/_product_autograd.py",
    "lib/fast/cpu",
    "lib/fast/sdpa_derivative.py",
    "lib/fast/sdpa_plan.py",
    "lib/fast/sdpa_run.py",
    "lib/sharded.py",
]


class Alone:
    """A plugin of pytest. Of several processes only the one that hears of all results counts them."""

    def __init__(self, least, found=importlib.util.find_spec):
        self.least, self.passed = least, 0
        if there := [name for name in ("torch", "numba") if found(name)]:
            raise pytest.UsageError(f"NUMPY_ALONE is set, but NumPy is not alone: there is {' and '.join(there)}")

    def pytest_ignore_collect(self, collection_path):
        without = any(collection_path.is_relative_to(ROOT / name) for name in IMPORT_TORCH_OR_NUMBA)
        return True if without else None

    def pytest_runtest_logreport(self, report):
        self.passed += report.when == "call" and report.passed

    def pytest_sessionfinish(self, session):
        if "PYTEST_XDIST_WORKER" not in os.environ and self.passed < self.least and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if self.passed < self.least:
            terminalreporter.write_line(f"{self.passed} tests passed, and {self.least} were to: too many skip")
