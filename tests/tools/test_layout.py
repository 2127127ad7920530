"""Who may import whom in `lib`, and what `import lib` must not load."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lib

ROOT = Path(__file__).parents[2] / "lib"

# From the ground up: a module imports only from lines below its own. Folders count as one module.
LEVELS = [
    {"_autocast"},
    {"_arrays"},
    {"_checks", "_slopes", "_sorting"},
    {"_entmax_autograd"},
    {"divergences", "gradients", "masks"},
    {"_shapes"},
    {"_request"},
    {"fast"},
    {"softmax"},
    {"alternatives", "entmax"},
    {"_maps", "metrics", "objectives"},
    {"attention", "linear"},
    {"merge"},
    {"sharded"},
    {"models"},
    {"figures"},
    {"book"},
]
LEVEL = {name: k for k, names in enumerate(LEVELS) for name in names}
MATHS = set().union(*LEVELS[:-4])  # below those that use the public names of lib
NOT_LOADED = {  # by `import lib`
    "lib._autocast.in_torch",
    "lib._entmax_autograd",
    "lib.fast.sdpa",
    "lib.sharded",
}
IMPORTS_TORCH = {"kernel_call.py"} | {f"{name.split('.')[-1]}.py" for name in NOT_LOADED}
KERNEL_FOLDERS = {"cpu", "gpu"}  # in lib/fast: what is there answers the same questions, under the same names
FILES = sorted(p for p in ROOT.rglob("*.py") if "__pycache__" not in p.parts)


def module_of(path):
    """The name in LEVELS that a file belongs to: its folder in `lib`, or itself."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path):
    """(absolute module name, is it inside a function) for every import in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {id(n) for f in ast.walk(tree) if isinstance(f, (ast.FunctionDef, ast.Lambda)) for n in ast.walk(f)}
    package = ["lib", *path.relative_to(ROOT).parent.parts]
    for node in ast.walk(tree):
        lazy = id(node) in inside
        if isinstance(node, ast.Import):
            yield from ((alias.name, lazy) for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            name = ".".join(part for part in (base, node.module) if part)
            deeper = name == "lib" or (name.startswith("lib.") and (ROOT / Path(*name.split(".")[1:])).is_dir())
            yield from ((f"{name}.{alias.name}" if deeper else name, lazy) for alias in node.names)


def inner(path):
    """(the module of lib that is imported, lazily or not); a public name of lib counts as "lib" itself."""
    for name, lazy in imports(path):
        parts = name.split(".")
        if parts[0] == "lib":
            yield (parts[1] if len(parts) > 1 and parts[1] in LEVEL else "lib"), lazy


each_file = pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))


@each_file
def test_imports_point_down(path):
    me = module_of(path)
    if me == "__init__":
        assert {name for name, _ in inner(path)} <= MATHS - {"fast"}
        return
    assert me in LEVEL, f"say in LEVELS where lib/{me} belongs"
    for name, _ in inner(path):
        if name == "lib":  # the public names: only for those above all the maths
            assert me not in MATHS, f"{me} imports from the top of lib"
        elif name != me:
            assert LEVEL[name] < LEVEL[me], f"{me} imports {name}, which is not below it"


@each_file
def test_nothing_heavy_is_imported_but_by_kernels_or_where_it_is_used(path):
    found, me = list(imports(path)), module_of(path)
    tops = {name.split(".")[0] for name, _ in found}
    assert not tops & {"bench", "entmax"}, "a benchmark or one of its peers"
    if KERNEL_FOLDERS & set(path.parts):
        return
    assert "numba" not in tops, "only kernels may import it"
    if me in {"book", "figures", "models"}:
        return
    at_once = {name for name, lazy in found if not lazy}
    assert "matplotlib" not in tops
    assert "torch" not in {name.split(".")[0] for name in at_once} or path.name in IMPORTS_TORCH
    assert not at_once & NOT_LOADED
    assert not [name for name in at_once if name.startswith(tuple(f"lib.fast.{each}" for each in KERNEL_FOLDERS))]


def beyond_public(path):
    """What a file imports, or reads off `lib`, that is neither a public name of lib nor in its own folder."""
    public = {f"lib.{name}" for name in lib.__all__} | {"lib"}
    own = f"lib.{module_of(path)}"
    imported = {name for name, _ in imports(path) if name.split(".")[0] == "lib"}
    read = {
        f"lib.{node.attr}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "lib"
    }
    return {name for name in imported | read if name not in public and not name.startswith(f"{own}.")}


def test_models_take_public_names_of_lib_alone_and_figures_of_models_what_needs_no_torch():
    for path in FILES:
        if module_of(path) == "models":
            assert not beyond_public(path), path
        if module_of(path) == "figures":
            taken = {name for name, lazy in imports(path) if name.startswith("book.models") and not lazy}
            assert taken <= {"book.models.shipped"}, path


def test_the_reader_of_imports_sees_relative_aliased_and_lazy_ones():
    modules = {
        "_arrays": False,
        "_checks": False,
        "divergences": False,
        "softmax": False,
    }
    assert dict(inner(ROOT / "objectives.py")) == modules
    assert ("lib.fast.cpu", True) in imports(ROOT / "fast" / "kernels.py")


WORK = """
import numpy as np
x = np.array([[1.0, 2.0, -np.inf]])
lib.softmax(x, prior=np.ones(3)), lib.log_softmax(x), lib.log_partition(x, 0.01), lib.beta_for_kl(x, 0.1)
lib.entmax(x, prior=np.ones(3)), lib.sparsemax(x), lib.relu_norm(x)
lib.sigmoid_weights(x), lib.softmax_plus_one(x), lib.softmax_jacobian(x), lib.entmax_vjp(lib.entmax(x), x)
lib.objective(lib.softmax(x), x, 1.0), lib.effective_count(lib.softmax(x)), lib.attention_distance(lib.softmax(x))
"""


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("", "torch numba matplotlib"),
        (WORK, "torch matplotlib"),
        ("from book.models.shipped import load; load()", "torch"),
    ],
    ids=["import lib", "work with NumPy", "the model that ships"],
)
def test_torch_and_what_else_is_heavy_is_not_loaded_before_it_is_used(code, heavy):
    told = f"\nimport sys; print([name for name in {heavy.split()} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", f"import lib\n{code}{told}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_speed_has_one_door_and_knows_no_more_of_the_maths_than_derivatives():
    """Of what lies in `fast` the root takes `fast.take` and one number, for the blocks of `sharded`."""
    below = set("_arrays _autocast _checks _request _shapes _slopes _sorting fast gradients masks".split())
    for path in FILES:
        me = module_of(path)
        if me == "fast":
            known = {"fast"} if KERNEL_FOLDERS & set(path.parts) else below
            assert {name for name, _ in inner(path)} <= known, path
        elif me in MATHS:
            taken = {name for name, _ in imports(path) if name.startswith("lib.fast")}
            assert taken <= ({"lib.fast", "lib.fast.query_blocks"} if me == "sharded" else {"lib.fast"}), path
            tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            used = {x.attr for x in tree if isinstance(x, ast.Attribute) and ast.unparse(x.value) == "fast"}
            assert used <= {"take"}, path
