"""The zip to take away: the notebooks, both packages, and that a reader with a plain Jupyter runs them."""

import importlib.metadata
import io
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import nbformat
import pytest

from book.builder import notebook_zip

ROOT = Path(__file__).parents[2]
WIDGET = "application/vnd.jupyter.widget-view+json"
AT = "why-softmax/notebooks/"


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.fixture(scope="module")
def archive(site):
    with zipfile.ZipFile(site / "notebooks" / "why-softmax.zip") as opened:
        yield opened


def test_the_zip_holds_every_notebook_and_what_they_need(site, archive):
    notebooks = {file.name: file.read_bytes() for file in (site / "notebooks").glob("*.ipynb")}
    assert {"index.ipynb", "kl.ipynb", "kl-exercises.ipynb"} <= set(notebooks)
    packages = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for folder in ("lib", "book")
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and not path.is_relative_to(ROOT / "book" / "builder")
    }
    assert {"lib/py.typed", "book/figures/js/math.js", "book/figures/css/figure.css", "book/book.css"} <= set(
        packages
    )
    packed = {name.removeprefix(AT): archive.read(name) for name in archive.namelist() if name.startswith(AT)}
    assert packed == notebooks | packages
    beside = {name for name in archive.namelist() if not name.startswith(AT)}
    assert beside == {f"why-softmax/{name}" for name in ("LICENSE", "README.txt", "requirements.txt")}
    pinned = archive.read("why-softmax/requirements.txt").decode().splitlines()
    tested = {line.partition("  #")[0] for line in (ROOT / "requirements.txt").read_text().splitlines()}
    assert set(pinned) <= tested, "what a reader installs is what was tested"
    readme = archive.read("why-softmax/README.txt").decode()
    assert all(name in readme for name in notebooks)
    assert "    python -m pip install -r requirements.txt\n    jupyter lab notebooks/index.ipynb\n" in readme
    (torch,) = (line for line in pinned if line.startswith("torch=="))
    assert f"install the CPU build of {torch} before it" in readme
    assert archive.namelist() == sorted(archive.namelist())
    assert len({entry.date_time for entry in archive.infolist()}) == 1


def test_the_files_are_dated_by_the_epoch_that_is_set_or_when_they_are_built(tmp_path, monkeypatch):
    (tmp_path / "kl.ipynb").touch()
    made = []
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    for now, epoch, date in (
        (1.8e9, None, (2027, 1, 15, 8, 0, 0)),
        (1.9e9, "1700000000", (2023, 11, 14, 22, 13, 20)),
        (2.0e9, "1700000000", (2023, 11, 14, 22, 13, 20)),
    ):
        monkeypatch.setattr(notebook_zip.time, "time", lambda now=now: now)
        if epoch is not None:
            monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
        notebook_zip.pack(ROOT, tmp_path, [("KL", ["kl.ipynb"])])
        made.append((tmp_path / "why-softmax.zip").read_bytes())
        with zipfile.ZipFile(io.BytesIO(made[-1])) as opened:
            assert {entry.date_time for entry in opened.infolist()} == {date}
    assert made[0] != made[1] == made[2]


def test_what_the_notebooks_import_is_pinned_as_it_was_tested(archive, tmp_path):
    pinned = notebook_zip.pins(ROOT)
    requirements, project = ((ROOT / name).read_text() for name in ("requirements.txt", "pyproject.toml"))
    found = set()
    for file in archive.namelist():
        if file.endswith(".ipynb"):
            cells = code_cells(nbformat.reads(archive.read(file).decode(), as_version=4))
            lines = "\n".join(cell.source for cell in cells)
            found |= set(re.findall(r"^\s*(?:import|from) (\w+)", lines, re.MULTILINE))
    assert {"lib", "book", "numpy", "torch"} <= found
    assert found <= set(pinned) | {"lib", "book"} | sys.stdlib_module_names
    for name, line in pinned.items():
        assert re.fullmatch(rf"{name}==[\d.]+", line)
        assert re.search(rf"^{re.escape(line)}(  #|$)", requirements, re.MULTILINE)
    (tmp_path / "pyproject.toml").write_text(project)
    (tmp_path / "requirements.txt").write_text(re.sub(r"(?m)^numba==", "numba>=", requirements))
    with pytest.raises(KeyError, match="numba"):
        notebook_zip.pins(tmp_path)


# ---- at a reader's ------------------------------------------------------------------------------------


def pip(python, *arguments):
    """Run pip for another Python's environment; what PYTHONPATH names is not installed there."""
    command = [sys.executable, "-m", "pip", "--python", python, "install", "--no-compile", *arguments]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def reader(archive, tmp_path_factory):
    """The unpacked zip, and the Python of an environment with nothing but what its chapters on KL need."""
    home = tmp_path_factory.mktemp("reader")
    archive.extractall(home)
    venv.create(home / "env", with_pip=False, symlinks=os.name != "nt")
    python = home / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    here = {d.name: d.version for d in importlib.metadata.distributions() if d.name != "why-softmax"}
    (home / "here.txt").write_text("".join(f"{name}=={version}\n" for name, version in here.items()))
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["book"]
    done = pip(python, "--constraint", home / "here.txt", "array-api-compat", *extra, "ipykernel", "nbclient")
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


@pytest.mark.nightly
def test_a_reader_with_plain_jupyter_runs_a_chapter_and_the_page_on_widgets_from_the_zip(reader):
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
    assert Path(where).resolve().is_relative_to(folder.resolve()), "lib is the one in the zip"
    ran = executed(folder, python, folder / "notebooks" / "widgets.ipynb")
    assert sum(WIDGET in output.get("data", ()) for cell in ran for output in cell.outputs) == 5
