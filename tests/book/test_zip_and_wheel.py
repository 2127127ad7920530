"""The zip to take away: the notebooks, the wheel of `lib`, and that a reader with a plain Jupyter runs them."""

import ast
import importlib.metadata
import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import nbformat
import pytest

import lib
from book_builder import zip_and_wheel

ROOT = Path(__file__).parents[2]
WIDGET = "application/vnd.jupyter.widget-view+json"


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.fixture(scope="module")
def archive(site):
    with zipfile.ZipFile(site / "notebooks" / "why-softmax.zip") as opened:
        yield opened


@pytest.fixture(scope="module")
def wheel(archive):
    """The wheel in the zip, opened."""
    (name,) = (name for name in archive.namelist() if name.endswith(".whl"))
    with zipfile.ZipFile(io.BytesIO(archive.read(name))) as opened:
        yield opened


def test_the_zip_holds_every_notebook_and_what_they_need(site, archive):
    notebooks = {file.name for file in (site / "notebooks").glob("*.ipynb")}
    assert {"index.ipynb", "kl.ipynb", "kl-exercises.ipynb"} <= notebooks
    wheel = f"why_softmax-{lib.__version__}-py3-none-any.whl"
    beside = {f"why-softmax/{name}" for name in ("README.txt", "requirements.txt", wheel)}
    assert set(archive.namelist()) == beside | {f"why-softmax/notebooks/{name}" for name in notebooks}
    for name in notebooks:
        assert archive.read(f"why-softmax/notebooks/{name}") == (site / "notebooks" / name).read_bytes()
    first, *pinned = archive.read("why-softmax/requirements.txt").decode().splitlines()
    assert first == f"./{wheel}[book,dask,fast,figures,models,peers,torch]"
    tested = {line.partition("  #")[0] for line in (ROOT / "requirements.txt").read_text().splitlines()}
    assert set(pinned) <= tested, "what a reader installs is what was tested"
    readme = archive.read("why-softmax/README.txt").decode()
    assert all(name in readme for name in notebooks)
    assert "    python -m pip install -r requirements.txt\n    jupyter lab notebooks/index.ipynb\n" in readme
    (torch,) = (line for line in pinned if line.startswith("torch=="))
    assert f"install the CPU build of {torch} before it" in readme


@pytest.fixture
def packed(tmp_path, monkeypatch):
    """A function that packs one notebook anew, with a small file for a wheel, and gives the bytes of the zip."""
    (tmp_path / "kl.ipynb").touch()
    (tmp_path / "lib.whl").touch()
    monkeypatch.setattr(zip_and_wheel, "wheel", lambda root, build: tmp_path / "lib.whl")

    def pack():
        zip_and_wheel.pack(ROOT, tmp_path / "build", tmp_path, [("KL", ["kl.ipynb"])])
        return (tmp_path / "why-softmax.zip").read_bytes()

    return pack


def test_the_files_are_dated_by_the_epoch_that_is_set_or_when_they_are_built(packed, monkeypatch):
    made = []
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    for now, epoch, date in (
        (1.8e9, None, (2027, 1, 15, 8, 0, 0)),
        (1.9e9, "1700000000", (2023, 11, 14, 22, 13, 20)),
        (2.0e9, "1700000000", (2023, 11, 14, 22, 13, 20)),
    ):
        monkeypatch.setattr(zip_and_wheel.time, "time", lambda now=now: now)
        if epoch is not None:
            monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
        made.append(packed())
        with zipfile.ZipFile(io.BytesIO(made[-1])) as opened:
            assert {entry.date_time for entry in opened.infolist()} == {date}
    assert made[0] != made[1] == made[2]


def test_all_that_the_wheel_asks_for_is_pinned_as_it_was_tested_or_named(tmp_path):
    pinned, extras = zip_and_wheel.pins(ROOT)
    requirements, project = ((ROOT / name).read_text() for name in ("requirements.txt", "pyproject.toml"))
    assert set(extras) == set(tomllib.loads(project)["project"]["optional-dependencies"])
    assert {"numba", "numpy", "torch", "jupyterlab"} <= set(pinned)
    for name, line in pinned.items():
        assert re.fullmatch(rf"{name}==[\d.]+", line)
        assert re.search(rf"^{re.escape(line)}(  #|$)", requirements, re.MULTILINE)
    (tmp_path / "pyproject.toml").write_text(project)
    (tmp_path / "requirements.txt").write_text(re.sub(r"(?m)^numba==", "numba>=", requirements))
    with pytest.raises(KeyError, match="numba"):
        zip_and_wheel.pins(tmp_path)


def test_the_wheel_is_lib_as_it_stands_whole_and_the_zip_has_one_date_and_is_sorted(archive, wheel):
    assert [len({entry.date_time for entry in opened.infolist()}) for opened in (archive, wheel)] == [1, 1]
    assert archive.namelist() == sorted(archive.namelist())
    files = {p.relative_to(ROOT).as_posix(): p.read_bytes() for p in (ROOT / "lib").rglob("*") if p.is_file()}
    files = {name: data for name, data in files.items() if "__pycache__" not in name}
    assert {"lib/figures/js/math.js", "lib/figures/css/figure.css", "lib/book/book.css"} <= set(files)
    packed = {name: wheel.read(name) for name in wheel.namelist() if ".dist-info/" not in name}
    assert packed == files


def imports(code):
    """The names of the packages that a piece of code imports."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]


def test_what_the_notebooks_import_is_what_the_wheel_asks_for(archive, wheel):
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    asked = message_from_bytes(wheel.read(name)).get_all("Requires-Dist")
    assert all(">=" in need and "==" not in need.partition(";")[0] for need in asked), "ranges, not pins"
    given = {re.match(r"[\w-]+", need)[0] for need in asked}
    found = set()
    for file in archive.namelist():
        if file.endswith(".ipynb"):
            notebook = nbformat.reads(archive.read(file).decode(), as_version=4)
            found |= {name for cell in code_cells(notebook) for name in imports(cell.source)}
    assert {"lib", "numpy", "torch"} <= found
    assert found <= given | {"lib"} | sys.stdlib_module_names


# ---- at a reader's ------------------------------------------------------------------------------------


def pip(python, *arguments):
    """Run pip for another Python's environment; what PYTHONPATH names is not installed there."""
    command = [sys.executable, "-m", "pip", "--python", python, "install", "--no-compile", *arguments]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def reader(archive, tmp_path_factory):
    """The unpacked zip, and the Python of an environment with nothing but its wheel and a bare Jupyter."""
    home = tmp_path_factory.mktemp("reader")
    archive.extractall(home)
    venv.create(home / "env", with_pip=False, symlinks=os.name != "nt")
    python = home / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    (wheel,) = (home / "why-softmax").glob("*.whl")
    done = pip(python, "--no-deps", "--no-index", wheel)
    assert done.returncode == 0, done.stderr  # whatever the network
    here = {d.name: d.version for d in importlib.metadata.distributions() if d.name != "why-softmax"}
    (home / "here.txt").write_text("".join(f"{name}=={version}\n" for name, version in here.items()))
    done = pip(python, "--constraint", home / "here.txt", f"{wheel}[book]", "ipykernel", "nbclient")
    if done.returncode:
        message = f"what the notebooks need could not be installed: {done.stderr[-2000:]}"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
    return home / "why-softmax", python


def executed(folder, python, path):
    """The cells of a notebook of the zip after this Python, which has settings of its own, has run it."""
    own = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "JUPYTER", "VIRTUAL"))}
    env |= {name: str(folder / name.lower()) for name in own}
    command = [python.with_name("jupyter-execute"), "--inplace", path.name]
    done = subprocess.run(command, cwd=path.parent, env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-4000:]
    ran = code_cells(nbformat.read(path, as_version=4))
    assert not any(output.output_type == "error" for cell in ran for output in cell.outputs)
    return ran


def test_a_reader_with_plain_jupyter_runs_a_chapter_from_the_zip(reader):
    """This chapter needs no torch, which is the one large thing that is not installed here."""
    folder, python = reader
    path = folder / "notebooks" / "kl.ipynb"
    notebook = nbformat.read(path, as_version=4)
    told = nbformat.v4.new_code_cell(
        "import importlib.util, lib\n"
        "print(lib.__file__, *filter(importlib.util.find_spec, ['torch', 'myst_nb', 'jupytext', 'sphinx']))"
    )
    notebook.cells.append(told)
    nbformat.write(notebook, path)
    ran = executed(folder, python, path)
    assert [cell.execution_count for cell in ran] == list(range(1, len(ran) + 1))
    assert any(WIDGET in output.get("data", ()) for output in ran[0].outputs), "the figure is a widget now"
    assert any("Open [kl-1]" in str(cell.outputs) for cell in ran), "an exercise answers"
    (where,) = ran[-1].outputs[0].text.split()  # nothing of the book's own tools is there
    assert Path(where).resolve().is_relative_to(python.parents[1].resolve()), "lib is the wheel's"


def test_a_reader_with_plain_jupyter_runs_the_page_on_widgets(reader):
    folder, python = reader
    ran = executed(folder, python, folder / "notebooks" / "widgets.ipynb")
    assert sum(WIDGET in output.get("data", ()) for cell in ran for output in cell.outputs) == 5


def test_the_wheel_has_the_version_that_lib_says_and_is_not_taken_where_copying_it_was_broken_off(
    tmp_path, monkeypatch
):
    """Also a version that this checkout never had."""
    root = tmp_path / "root"
    shutil.copytree(ROOT / "lib", root / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    for name in zip_and_wheel.PACKAGE:
        shutil.copy(ROOT / name, root)
    top = root / "lib" / "__init__.py"
    top.write_text(top.read_text().replace(f'"{lib.__version__}"', '"8.7.6"'))
    (root / "lib" / "fast" / "gpu" / "runs.json").write_text("[]")
    chapter = root / "lib" / "book" / "of_another_chapter"
    chapter.mkdir()
    (chapter / "__init__.py").write_text("")
    (chapter / "measured.json").write_text("{}")
    copy = shutil.copy

    def broken_off(source, target):
        if str(source).endswith(".whl"):
            into = Path(target) / Path(source).name if Path(target).is_dir() else Path(target)
            into.write_bytes(b"half")
            raise KeyboardInterrupt
        return copy(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copy", broken_off)
        with pytest.raises(KeyboardInterrupt):
            zip_and_wheel.wheel(root, tmp_path)
    wheel = zip_and_wheel.wheel(root, tmp_path)
    assert wheel.name == "why_softmax-8.7.6-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as opened:
        assert '__version__ = "8.7.6"' in opened.read("lib/__init__.py").decode()
        assert "\nVersion: 8.7.6\n" in opened.read("why_softmax-8.7.6.dist-info/METADATA").decode()
        assert "lib/py.typed" in opened.namelist(), "so that type checkers read its annotations"
        assert "lib/fast/gpu/runs.json" in opened.namelist(), "a record of runs on a GPU travels with it"
        assert "lib/book/of_another_chapter/measured.json" in opened.namelist(), "so do the data of any chapter"
