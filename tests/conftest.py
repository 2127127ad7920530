"""What tests share: array libraries and dtypes behind one face, the golden values, the built book."""

import importlib.util
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

# Between small steps torch's threads are to sleep, not to spin, which on a busy machine takes five times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when torch is loaded

import array_api_compat
import array_api_strict
import hypothesis
import mpmath
import numpy as np
import pytest
import torch
from filelock import FileLock

hypothesis.settings.register_profile("lib", deadline=None, derandomize=True, max_examples=40)
hypothesis.settings.load_profile("lib")
mpmath.mp.dps = 120  # enough for 50 digits to be right

# The files that take longest, in the order in which they are handed out, each to one process: so no process has a
# long file left at the end. The first file builds the book, which takes a minute; the second does not need the
# book. Otherwise the order is that of their times in `make test` (pytest's --durations=0).
LONG_FIRST = """
    pages build figures_looks lab widgets can_you_tell autograd compromise curves takeaway entmax_attention
    predict notebooks alternatives awkward figures_drawn figures_address race mask_figure width claims memory
    figures_page figures_state kernels promises bench
""".split()

# What `make test-lib` leaves out: files that need a browser, JupyterLab or the book, or do not test the maths.
BEYOND_THE_MATHS = """
    bench build can_you_tell card chapters checks_nan claims claims_filters claims_page coming_from compromise
    compromise_words contributing cost curves dispersion draw_figures encoder_heads encoder_maps exercises
    experiments experiments_measured ext figures figures_address figures_drawn figures_fit figures_looks
    figures_numbers figures_page figures_state figures_words firefox folds four_rules frame fresh glossary heads
    jacobian_figure lab lay_out letters mask_figure math_js math_js_maps minutes mixture models models_copying
    models_tasks models_training moved mutate notebooks number_formats on_gpu outside_figure pages patterns plots
    plots_fit predict race raise_one readme real_head real_head_data reference sampling search sections
    set_figures seventy_two seventy_two_moved side_by_side site speed streaming sweep takeaway tell tell_js
    tell_listed terms ticks transformer_js two_maps_learn two_maps_trainer two_maps_training two_sentences
    unbroken widgets width
""".split()

EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}


def pytest_addoption(parser):
    parser.addoption("--maths", action="store_true", help="the maths alone: no browser, no JupyterLab, no book")
    parser.addoption("--gpu-kernels", action="store_true", help="as if a run of them on this GPU were recorded")


def pytest_configure(config):
    if config.getoption("gpu_kernels"):
        from lib.fast.gpu import runs

        runs.take_part()


def pytest_ignore_collect(collection_path, config):
    """With --maths leave out the files that are not of the maths."""
    beyond = collection_path.stem.removeprefix("test_") in BEYOND_THE_MATHS
    return True if config.getoption("maths") and beyond else None  # None: pytest decides


def pytest_collection_modifyitems(items):
    place = {f"test_{name}": k for k, name in enumerate(LONG_FIRST)}
    items.sort(key=lambda item: place.get(item.path.stem, len(place)))


def torch_devices():
    """CUDA takes part where there is a device; test_suite.py says so where there is none."""
    return ["torch-cpu", "torch-cuda"] if torch.cuda.is_available() else ["torch-cpu"]


class Backend:
    """A namespace of the array API whose `asarray` gives one float dtype on one device.

    `eps` is the spacing of that dtype at 1. `tol` is what a result of size 1 may be off after a few
    dozen roundings: 50 eps where the dtype computes, 1 eps where half precision is stored after a
    computation in float32.
    """

    def __init__(self, library, dtype="float64"):
        self.library, self.dtype_name = library, dtype
        self.is_torch = library.startswith("torch")
        self.device = "cuda" if library == "torch-cuda" else "cpu"
        self.namespace = array_api_strict
        if library == "numpy":
            self.namespace = array_api_compat.array_namespace(np.empty(0))
        if self.is_torch:
            self.namespace = array_api_compat.array_namespace(torch.empty(0))
        self.dtype = getattr(self.namespace, dtype)
        self.eps = EPS[dtype]
        self.tol = 50 * self.eps if dtype in ("float64", "float32") else self.eps

    def __getattr__(self, name):
        return getattr(self.namespace, name)

    def __repr__(self):
        return f"{self.library}-{self.dtype_name}"

    def asarray(self, x, dtype=None):
        x = np.asarray(x)
        if dtype is None and x.dtype.kind == "f":
            dtype = self.dtype
        if not self.is_torch:
            with np.errstate(over="ignore"):  # what is too large for the dtype becomes infinite
                return self.namespace.asarray(x, dtype=dtype, copy=True)
        return torch.tensor(x, dtype=dtype, device=self.device)

    def to_numpy(self, x):
        """As float64 (or bool), whatever it was."""
        if self.is_torch:
            x = x.detach().cpu()
            x = (x if x.dtype == torch.bool else x.double()).numpy()
        x = np.asarray(x)
        return x if x.dtype.kind == "b" else x.astype(np.float64)

    def rounded(self, x):
        """What is left of `x` when it is stored in this dtype, in float64."""
        return self.to_numpy(self.asarray(x))


def _backends(libraries, dtypes):
    missing = {"numpy": ["bfloat16"], "strict": ["float16", "bfloat16"]}  # dtypes that a library does not have
    return [Backend(k, d) for k in libraries for d in dtypes if d not in missing.get(k, ())]


LIBRARIES = ["numpy", *torch_devices(), "strict"]


@pytest.fixture(params=_backends(LIBRARIES, ["float64"]), ids=repr)
def xp(request):
    """Every array library, in float64."""
    return request.param


@pytest.fixture(params=_backends(LIBRARIES, EPS), ids=repr)
def xp_any(request):
    """Every array library in every float dtype it has."""
    return request.param


@pytest.fixture(params=_backends(torch_devices(), EPS), ids=repr)
def xp_grad(request):
    """The library with gradients, in every float dtype."""
    return request.param


@pytest.fixture(scope="session")
def golden():
    """The stored golden values: {table: {row: {argument or result: value}}}, results as 50 digits."""
    return json.loads((Path(__file__).parent / "golden" / "golden.json").read_text())


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
    path = Path(__file__).parent / "golden" / "generate.py"
    spec = importlib.util.spec_from_file_location("golden_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Remembered(module)


@pytest.fixture(scope="session")
def site(testrun_uid):
    """The folder of the book, built once by the README's command in the project's own folder: its cache stays."""
    root = Path(__file__).parents[1]
    (root / "_build").mkdir(exist_ok=True)
    built_for = root / "_build" / "built_for_tests"
    with FileLock(built_for.with_suffix(".lock")):  # of several processes with tests the first one builds
        if not built_for.exists() or built_for.read_text() != testrun_uid:
            build(root)
            built_for.write_text(testrun_uid)
    return root / "_build" / "html"


def build(root):
    done = subprocess.run(
        [Path(sys.executable).with_name("jupyter-book"), "build", ".", "-n", "-W", "--keep-going"],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


@pytest.fixture(scope="session")
def browser():
    """A Chromium for all tests of this process."""
    from browser import launched  # imported here, as it takes a while to load and most files test no page

    with launched() as found:
        yield found


@pytest.fixture(scope="module")
def draw():
    """Draws figures as the build of the book does."""
    from draw_figures import Drawer

    with Drawer() as drawer:
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
