"""Who may import whom in `lib`, what `import lib` must not load, and that a copy of the folder works by itself."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lib

ROOT = Path(__file__).parents[2]
# From the ground up: a module imports only from lines below its own. The folder `fast` counts as one module.
LEVELS = [
    {"_torch_modes"},
    {"_product_autograd"},
    {"_arrays"},
    {"_checks", "_slopes", "_sorting"},
    {"_entmax_autograd"},
    {"divergences", "gradients", "masks"},
    {"_request"},
    {"fast"},
    {"softmax"},
    {"alternatives", "entmax"},
    {"metrics", "objectives"},
    {"attention", "linear"},
    {"merge"},
    {"sharded"},
    {"__init__"},
]
LEVEL = {name: k for k, names in enumerate(LEVELS) for name in names}
LIGHT = {"numpy", "array_api_compat"}  # what lib imports from outside, besides Python's own;
HEAVY = {  # and what is imported only inside a function, or by modules that are themselves imported so
    "torch": {"_entmax_autograd", "_product_autograd", "sharded"},
    "numba": set(),
}
HEAVY["torch"] |= {f"fast.sdpa_{part}" for part in ("plan", "run", "derivative")}
HEAVY["numba"] |= {"fast.cpu"}


def name_of(path):
    """Of a module within lib."""
    return ".".join(path.relative_to(ROOT / "lib").with_suffix("").parts)


LIB = {name_of(path): ast.parse(path.read_text("utf-8")) for path in sorted((ROOT / "lib").rglob("*.py"))}


def imports(name):
    """(what is imported, is that relative, inside a function) for a module of lib.

    What is relative is named within lib. Of a module and of a name in it the module counts.
    """
    inside = {
        id(node)
        for f in ast.walk(LIB[name])
        if isinstance(f, ast.FunctionDef | ast.Lambda)
        for node in ast.walk(f)
    }
    for node in ast.walk(LIB[name]):
        lazy = id(node) in inside
        if isinstance(node, ast.Import):
            yield from ((alias.name, False, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module, False, lazy
        elif isinstance(node, ast.ImportFrom):
            base = [*name.split(".")[: -node.level], *filter(None, [node.module])]
            for alias in node.names:
                whole = ".".join([*base, alias.name])
                known = whole in LIB or f"{whole}.__init__" in LIB
                yield (whole if known else ".".join(base)), True, lazy


def is_heavy(name, library):
    return any(name == heavy or name.startswith(f"{heavy}.") for heavy in HEAVY[library])


def complaints():
    """What is wrong with the imports of lib."""
    for name in LIB:
        me = name.split(".")[0]
        for what, relative, lazy in imports(name):
            top = what.split(".")[0]
            if relative and top != me and not LEVEL.get(top, 99) < LEVEL.get(me, -1):
                yield f"lib/{name} imports lib/{top or '__init__'}, which is not on a line of LEVELS below it"
            for library in HEAVY:
                heavy = is_heavy(what, library) if relative else top == library
                if heavy and not lazy and not is_heavy(name, library):
                    yield f"lib/{name} imports {what} at once: what needs {library} is imported where it is used"
            if not relative and top not in LIGHT | {*HEAVY, *sys.stdlib_module_names}:
                yield f"lib/{name} imports {what}: inside lib imports are relative, and lib needs nothing else"
            if me == "fast" and relative and LEVEL.get(top, 99) > LEVEL["fast"]:
                yield f"lib/{name} knows {what}: of the maths, `fast` is handed what it is to compute"
            if me not in ("fast", "__init__") and relative and what.startswith("fast."):
                yield f"lib/{name} imports lib/{what}: what is there for speed is asked of lib/fast alone"


def test_imports_of_lib_are_relative_and_point_down_and_load_little():
    assert not [*complaints()], "\n".join(complaints())


def test_the_reader_of_imports_sees_relative_absolute_and_lazy_ones():
    found = {*imports("fast.kernels"), *imports("__init__"), *imports("objectives"), *imports("fast.__init__")}
    outside, inside = {("numpy", False, False), ("torch", False, True)}, {("softmax", True, False)}
    assert outside | inside | {("fast.query_blocks", True, False), ("fast.sdpa_run", True, True)} <= found
    assert ("fast.sdpa_run", True, False) not in found


WORK = """
import numpy as np
x = np.array([[1.0, 2.0, -np.inf]])
lib.softmax(x, prior=np.ones(3)), lib.log_softmax(x), lib.log_partition(x, 0.01), lib.beta_for_kl(x, 0.1)
lib.entmax(x, prior=np.ones(3)), lib.sparsemax(x), lib.relu_norm(x)
lib.sigmoid_weights(x), lib.softmax_plus_one(x), lib.softmax_jacobian(x), lib.entmax_vjp(lib.entmax(x), x)
lib.objective(lib.softmax(x), x, 1.0), lib.effective_count(lib.softmax(x)), lib.attention_distance(lib.softmax(x))
lib.attention(x, x, x, causal=True)
"""


def printed(program, folder=ROOT):
    """What a new Python prints that starts in a folder, and knows of no other place for `lib` or `book`."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("", "torch numba matplotlib book"),
        (WORK, "torch matplotlib book"),
        ("from book.models.shipped import load; load()", "torch"),
    ],
    ids=["import lib", "work with NumPy", "the model that ships"],
)
def test_torch_and_what_else_is_heavy_is_not_loaded_before_it_is_used(code, heavy):
    told = f"\nimport sys; print([name for name in {heavy.split()} if name in sys.modules])"
    assert printed(f"import lib\n{code}{told}") == "[]"


def test_a_copy_of_the_folder_works_under_another_name(tmp_path):
    """Its attention too, with what is imported only then; and it is the copy that answers."""
    shutil.copytree(ROOT / "lib", tmp_path / "my_maps", ignore=shutil.ignore_patterns("__pycache__"))
    program = """
import sys
sys.path = [path for path in sys.path if not path.startswith(REPOSITORY) or "site-packages" in path]
import numpy as np, torch, my_maps
x = np.arange(12.0).reshape(3, 4)
for make in (np.asarray, torch.tensor):
    assert np.allclose(my_maps.softmax(make(x)).sum(-1), 1)
    output = my_maps.attention(make(x), make(x), make(x), weights="entmax", causal=True)
    assert np.allclose(output[0], x[0])
assert not [name for name in sys.modules if name.split(".")[0] in ("lib", "book")]
print(my_maps.__file__)
"""
    found = printed(program.replace("REPOSITORY", repr(str(ROOT))), tmp_path)
    assert Path(found).parent == tmp_path / "my_maps"
    assert Path(lib.__file__).parent == ROOT / "lib"


# ---- the book, which uses lib


def read_off_lib(path):
    """What a file of the book imports from `lib`, or reads off it, that is not a public name."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and node.module.split(".")[0] == "lib":
            names = [alias.name for alias in node.names]
            yield from names if node.module == "lib" else [node.module]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "lib":
            yield node.attr


def test_models_take_public_names_of_lib_alone():
    public = {*lib.__all__, "__version__"}
    beyond = {path.name: {*read_off_lib(path)} - public for path in (ROOT / "book" / "models").glob("*.py")}
    assert not any(beyond.values()), beyond
