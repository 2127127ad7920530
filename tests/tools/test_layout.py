"""Who may import whom in `lib`, and what `import lib` must not load."""

import ast
import re
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
    {"_checks", "_operators", "_slopes"},
    {"_solution"},
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
HEAVY = {"torch", "numba", "triton", "matplotlib"}
NOT_LOADED = {  # by `import lib`
    "lib._autocast.in_torch",
    "lib._operators",
    "lib._solution",
    "lib.fast.entmax_in_graphs",
    "lib.fast.entmax_on_gpu",
    "lib.fast.sdpa",
    "lib.sharded",
}
IMPORTS_TORCH = {"kernel_call.py"} | {f"{name.split('.')[-1]}.py" for name in NOT_LOADED}
KERNEL_FOLDERS = {"cpu", "gpu"}  # in lib/fast: what is there answers the same questions, under the same names
PRIVATE = {  # names of torch for which it has no public ones
    "torch._C._are_functorch_transforms_active",
    "torch.utils._python_dispatch._get_current_dispatch_mode",
    "torch._fused_sdp_choice",
    "torch._subclasses",
}
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


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
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


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_the_maths_loads_nothing_heavy_until_it_is_used(path):
    me = module_of(path)
    if me in {"book", "figures", "models"} or KERNEL_FOLDERS & set(path.parts):
        return
    for name, lazy in imports(path):
        top = name.split(".")[0]
        assert top not in {"numba", "triton", "matplotlib"}, f"only kernels may import {top}"
        if path.name not in IMPORTS_TORCH:
            assert lazy or top != "torch"
    for folder in KERNEL_FOLDERS:
        assert not {name for name, lazy in imports(path) if name.startswith(f"lib.fast.{folder}") and not lazy}
    assert not {name for name, lazy in imports(path) if name in NOT_LOADED and not lazy}


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


def test_models_take_public_names_of_lib_alone(tmp_path, monkeypatch):
    for path in FILES:
        if module_of(path) == "models":
            assert not beyond_public(path), path
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    other = tmp_path / "models" / "other.py"
    other.parent.mkdir()
    other.write_text(
        "import lib\nfrom lib.masks import causal_mask\nfrom lib import softmax\nlib._arrays, lib.entmax"
    )
    assert beyond_public(other) == {"lib.masks", "lib._arrays"}


def test_figures_take_of_the_models_what_needs_no_torch():
    for path in FILES:
        if module_of(path) == "figures":
            taken = {name for name, lazy in imports(path) if name.startswith("lib.models") and not lazy}
            assert taken <= {"lib.models.shipped"}, path
    code = "import sys; from lib.models.shipped import load; load(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


def test_nothing_but_the_kernels_imports_numba_or_triton():
    for path in FILES:
        if module_of(path) != "fast":
            assert not {name.split(".")[0] for name, _ in imports(path)} & {"numba", "triton"}, path


def test_nothing_in_lib_imports_the_benchmarks_or_their_peers():
    for path in FILES:
        assert not {name.split(".")[0] for name, _ in imports(path)} & {"bench", "entmax"}, path


def test_the_rules_would_notice():
    """The reader of imports sees relative, aliased and lazy ones."""
    assert dict(inner(ROOT / "objectives.py")) == {
        "_arrays": False,
        "_checks": False,
        "_operators": True,
        "divergences": False,
        "softmax": False,
    }
    assert ("lib.fast.cpu", True) in imports(ROOT / "fast" / "kernels.py")
    assert dict(inner(ROOT / "figures" / "__init__.py")) == {"figures": False}


def test_import_lib_loads_no_torch_numba_or_matplotlib():
    code = f"import sys, lib; print(*[m for m in {sorted(HEAVY)} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_numpy_work_loads_no_torch():
    code = """
import sys, numpy as np, lib
x = np.array([[1.0, 2.0, -np.inf]])
lib.softmax(x, prior=np.ones(3)), lib.log_softmax(x), lib.log_partition(x, 0.01), lib.beta_for_kl(x, 0.1)
lib.entmax(x, prior=np.ones(3)), lib.sparsemax(x), lib.relu_norm(x)
lib.sigmoid_weights(x), lib.softmax_plus_one(x), lib.softmax_jacobian(x), lib.entmax_vjp(lib.entmax(x), x)
lib.objective(lib.softmax(x), x, 1.0), lib.effective_count(lib.softmax(x)), lib.attention_distance(lib.softmax(x))
print("torch" in sys.modules, "matplotlib" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_every_public_name_is_listed_and_documented():
    assert sorted(lib.__all__) == list(lib.__all__)
    for name in lib.__all__:
        doc = getattr(lib, name).__doc__
        assert all(part in doc for part in ("Parameters", "Returns", "Examples", ">>>")), name


def is_overload(node):
    """Is this only what a function, defined below it, promises for some types?"""
    return [ast.unparse(decorator) for decorator in node.decorator_list] == ["overload"]


def defined(paths):
    """For each name, an underscore in front aside, the files that define a function or class of it."""
    found = {}
    for path in paths:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not is_overload(node):
                found.setdefault(node.name.lstrip("_"), []).append(path)
    return found


def named_twice(found):
    """The names that mean two things. Each way in `fast` answers the same questions, under the same names.

    So do the two folders of kernels, each taken as a whole.
    """
    twins = [{"fast"}, KERNEL_FOLDERS]
    return {
        name
        for name, paths in found.items()
        if len(paths) > 1 and not any({p.parent.name for p in paths} <= folders for folders in twins)
    }


MATHS_FILES = [p for p in FILES if module_of(p) in MATHS]


def test_no_two_functions_of_one_name_mean_different_things(tmp_path):
    assert named_twice(defined(MATHS_FILES)) == set()
    other = tmp_path / "other.py"
    other.write_text("def _softmax(): pass")
    assert named_twice(defined([*MATHS_FILES, other])) == {"softmax"}


def test_within_fast_no_function_has_the_name_of_a_module():
    files = [p for p in MATHS_FILES if module_of(p) == "fast"]
    modules = {p.stem for p in files} | {p.parent.name for p in files}
    assert {"threads", "cpu"} <= modules
    assert not modules & set(defined(files))


def test_kernels_know_no_more_of_the_maths_than_derivatives():
    below = {"_arrays", "_autocast", "_checks", "_request", "_shapes", "_slopes", "fast", "gradients", "masks"}
    for path in FILES:
        if module_of(path) == "fast":
            known = {"fast"} if KERNEL_FOLDERS & set(path.parts) else below
            assert {name for name, _ in inner(path)} <= known, path


def test_speed_has_one_door():
    """Of what lies in `fast` the root takes `fast.take` and one number, for the blocks of `sharded`."""
    for path in FILES:
        me = module_of(path)
        if me in MATHS - {"fast"}:
            taken = {name for name, _ in imports(path) if name.startswith("lib.fast")}
            assert taken <= ({"lib.fast", "lib.fast.query_blocks"} if me == "sharded" else {"lib.fast"}), path
            tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            used = {x.attr for x in tree if isinstance(x, ast.Attribute) and ast.unparse(x.value) == "fast"}
            assert used <= {"take"}, path


def test_a_private_name_of_torch_is_used_only_where_there_is_no_public_one():
    found = set()
    for path in MATHS_FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Attribute, ast.ImportFrom)):
                dotted = ast.unparse(node) if isinstance(node, ast.Attribute) else node.module or ""
                dotted = dotted.replace("sys.modules['torch']", "torch")
                if re.match(r"(torch|forward_ad)\b", dotted) and re.search(r"\._[a-zA-Z]", dotted):
                    found.add(dotted)
    assert {x for x in found if not any(y != x and y.startswith(x + ".") for y in found)} <= PRIVATE
