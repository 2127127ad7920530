"""What tests share: the array libraries, the golden values, the built book, a browser."""

import importlib.util
import json
import os
import pickle
from pathlib import Path

# Between small steps torch's threads are to sleep, not to spin, which on a busy machine takes five times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when torch is loaded

import hypothesis
import mpmath
import pytest
from backends import EPS, LIBRARIES, backends, torch_devices
from optional_torch import ALONE
from small_book import jupyter_book

hypothesis.settings.register_profile("lib", deadline=None, derandomize=True, max_examples=40)
hypothesis.settings.load_profile("lib")
mpmath.mp.dps = 120  # enough for 50 digits to be right

# The files that take longest are handed out first, each to one process: so no process has one left at the end. The
# first builds the book, which takes a minute; the second needs no book; all by their times (--durations=0).
LONG_FIRST = (
    "pages every_move figures_looks build site every_control figures_page checks_nan memory lab entmax_attention "
    "notebooks every_figure"
).split()


def pytest_configure(config):
    if ALONE:
        from numpy_alone import Alone

        config.pluginmanager.register(Alone(int(os.environ["NUMPY_ALONE"])))


def pytest_collection_modifyitems(items):
    place = {f"test_{name}": k for k, name in enumerate(LONG_FIRST)}
    items.sort(key=lambda item: place.get(item.path.stem, len(place)))


@pytest.fixture(params=backends(LIBRARIES, ["float64"]), ids=repr)
def xp(request):
    """Every array library, in float64."""
    return request.param


@pytest.fixture(params=backends(LIBRARIES, EPS), ids=repr)
def xp_any(request):
    """Every array library in every float dtype it has."""
    return request.param


@pytest.fixture(params=backends(torch_devices(), ["float64", "float32", "bfloat16"]), ids=repr)
def xp_grad(request):
    """The library with gradients, in its float dtypes; float16 is computed in the same way as bfloat16."""
    return request.param


@pytest.fixture(scope="session")
def golden():
    """The stored golden values: {table: {row: {argument or result: value}}}, results as 50 digits."""
    return json.loads((Path(__file__).parent / "maths" / "golden" / "golden.json").read_text())


class Remembered:
    """A module whose functions compute each result once: every array library asks for the same."""

    def __init__(self, module):
        self.module, self.results = module, {}

    def __getattr__(self, name):
        def ask(*args, **options):
            key = name, pickle.dumps((args, options))
            if key not in self.results:
                self.results[key] = getattr(self.module, name)(*args, **options)
            return self.results[key]

        return ask


@pytest.fixture(scope="session")
def reference():
    """The definitions in mpmath that made the golden values."""
    path = Path(__file__).parent / "maths" / "golden" / "generate.py"
    spec = importlib.util.spec_from_file_location("golden_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Remembered(module)


@pytest.fixture(scope="session")
def site(testrun_uid):
    """The folder of the book, built once by the README's command in the project's own folder: its cache stays."""
    from filelock import FileLock

    root = Path(__file__).parents[1]
    (root / "_build").mkdir(exist_ok=True)
    built_for = root / "_build" / "built_for_tests"
    with FileLock(built_for.with_suffix(".lock")):  # of several processes with tests the first one builds
        if not built_for.exists() or built_for.read_text() != testrun_uid:
            status, said = jupyter_book(root, timeout=600)
            assert status == 0, said[-4000:]
            built_for.write_text(testrun_uid)
    return root / "_build" / "html"


@pytest.fixture(scope="session")
def browser():
    """A Chromium for all tests of this process."""
    from tools.browser import launched  # imported here, as it takes a while to load and most files test no page

    with launched() as found:
        yield found


@pytest.fixture(scope="module")
def draw():
    """Draws figures as the build of the book does."""
    from drawing import Draw

    with Draw() as drawer:
        yield drawer


@pytest.fixture(scope="module")
def pages(tmp_path_factory, browser):
    """Pages of figures in that browser, in tabs that stay open for the tests of one file."""
    from figure_page import Pages

    found = Pages(tmp_path_factory.mktemp("pages"), browser)
    yield found
    found.close()


@pytest.fixture
def visit(pages):
    """Opens pages of figures; a test fails at its end if one of them has reported an error."""
    yield pages
    pages.quiet()
