"""No result outlives what it came from, and what a broken-off build leaves does not stop the next one."""

import shutil
import sqlite3
from types import SimpleNamespace

import nbformat
import pytest
from jupyter_cache.base import CacheBundleIn

from book.builder import build_cache


def application(folder):
    """As much of Sphinx as the hooks look at."""
    build = folder / "_build"
    return SimpleNamespace(srcdir=folder, outdir=build / "html", doctreedir=build / ".doctrees", _warncount=0)


def test_the_fingerprint_follows_both_packages_and_the_requirements_and_the_hooks_have_their_own(tmp_path):
    names = "lib/gibbs.py", "book/figures/math.js", "requirements.txt", "book/builder/hook.py"
    files = [tmp_path / name for name in names]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("1")

    def marks():
        config = SimpleNamespace()
        build_cache.start(application(tmp_path), config)
        return config.book_fingerprint, config.book_hooks

    seen = [marks()]
    for file in files:
        file.write_text("2")
        seen.append(marks())
    (tmp_path / "lib" / "__pycache__").mkdir()
    (tmp_path / "lib" / "__pycache__" / "x.pyc").write_bytes(b"")
    assert marks() == seen[-1]
    files[0].rename(tmp_path / "lib" / "other.py")
    seen.append(marks())
    assert [len({mark[k] for mark in seen}) for k in (0, 1)] == [5, 3]  # requirements.txt is in both


def test_the_fingerprint_follows_whether_the_pretrained_encoder_is_there(tmp_path, monkeypatch):
    (tmp_path / "requirements.txt").touch()
    seen = []
    for there in (True, False):
        config = SimpleNamespace()
        monkeypatch.setattr(build_cache.encoder_files, "available", lambda there=there: there)
        build_cache.start(application(tmp_path), config)
        seen.append((config.book_fingerprint, config.book_hooks))
    assert [len(set(mark)) for mark in zip(*seen, strict=True)] == [2, 1]


# ---- the cache ----------------------------------------------------------------------------------------


KERNEL = {"name": "python3", "display_name": "Python 3"}


def notebook(code):
    cells = [
        nbformat.v4.new_markdown_cell("Text, which the cache leaves out."),
        nbformat.v4.new_code_cell(code, execution_count=1, outputs=[nbformat.v4.new_output("stream", text=code)]),
    ]
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL})


def store(cache, code):
    """Have jupyter-cache keep an executed notebook of one cell, as MyST-NB does; returns its folder."""
    about = CacheBundleIn(notebook(code), f"{code}.md", data={"execution_seconds": 1.0})
    record = cache.cache_notebook_bundle(about, check_validity=False, overwrite=True)
    return cache.path / "executed" / record.hashkey


def results(folder):
    """{code: what it printed}, for those of the two notebooks of which the cache has a record."""
    found = {}
    with build_cache.opened(folder) as cache:
        records = {record.hashkey for record in cache.list_cache_records()}
        for code in ("kept", "broken"):
            if cache.create_hashed_notebook(notebook(code))[1] in records:
                found[code] = cache.merge_match_into_notebook(notebook(code))[1].cells[1].outputs[0].text
    return found


@pytest.fixture
def cache(tmp_path):
    with build_cache.opened(tmp_path / "cache") as cache:
        yield cache


def cut(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def altered(folder, old, new):
    file = folder / "base.ipynb"
    file.write_text(file.read_text().replace(old, new))


BREAKAGES = {
    "folder removed": shutil.rmtree,
    "file cut short": lambda folder: cut(folder / "base.ipynb"),
    "no notebook": lambda folder: (folder / "base.ipynb").write_text("[1, 2]"),
    "another notebook": lambda folder: altered(folder, "broken", "another"),
    "not executed": lambda folder: altered(folder, '"execution_count": 1', '"execution_count": null'),
    "a file for a folder": lambda folder: (shutil.rmtree(folder), folder.write_text("")),
}


DATABASES = {
    "removed": lambda database: database.unlink(),
    "cut short": cut,
    "no tables": lambda database: (database.unlink(), sqlite3.connect(database).close()),
    "a folder": lambda database: (database.unlink(), database.mkdir()),
    "half a journal": lambda database: database.with_name("global.db-journal").write_bytes(b"x" * 600),
}


def broken_off(monkeypatch, cache):
    """jupyter-cache writes its record first: here it stops before the notebook."""

    def stop(self, *args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.write_text", stop)
    with pytest.raises(KeyboardInterrupt):
        store(cache, "broken")
    monkeypatch.undo()
    assert len(cache.list_cache_records()) == 2


@pytest.mark.parametrize("damage", ["broken off", *BREAKAGES, *DATABASES])
def test_what_is_broken_in_the_cache_goes_and_what_is_whole_stays(cache, monkeypatch, damage):
    store(cache, "kept")
    if damage in BREAKAGES:
        BREAKAGES[damage](store(cache, "broken"))
    elif damage in DATABASES:
        cache.db.dispose()
        DATABASES[damage](cache.path / "global.db")
    else:
        broken_off(monkeypatch, cache)
    build_cache.restore(cache.path)
    assert results(cache.path) == {"kept": "kept"}
    assert len([*(cache.path / "executed").iterdir()]) == 1
    with build_cache.opened(cache.path) as again:
        (record,) = again.list_cache_records()
        # MyST-NB asks for its date and for how long the execution took, which may be unknown; no page shows them.
        assert record.created.timestamp() > 0
        assert record.data.get("execution_seconds") is None
        store(again, "broken")
    assert results(cache.path) == {"kept": "kept", "broken": "broken"}, "what went can be cached again"


# ---- the pages ----------------------------------------------------------------------------------------


@pytest.fixture
def book(tmp_path):
    """What a build leaves: a page and what Sphinx knows of it."""
    for name in ("html/index.html", ".doctrees/environment.pickle"):
        file = tmp_path / "_build" / name
        file.parent.mkdir(parents=True)
        file.write_text("")
    return tmp_path


def left(book):
    """The files that a build that begins now finds."""
    app = application(book)
    build_cache.start(app, SimpleNamespace())
    return {file.name for folder in (app.outdir, app.doctreedir) for file in folder.glob("*")}, app


@pytest.mark.parametrize(
    ("ends", "warnings"),
    [("well", 0), ("well", 1), ("with an error", 0), ("broken off, which Sphinx does not tell", 0)],
)
def test_the_pages_of_a_build_stay_only_where_it_succeeded(book, ends, warnings):
    found, app = left(book)
    assert found == {"index.html", "environment.pickle"}
    app._warncount = warnings
    if not ends.startswith("broken off"):
        build_cache.finish(app, None if ends == "well" else OSError("stopped"))
    assert left(book)[0] == (found if (ends, warnings) == ("well", 0) else set())
    assert app.outdir.is_dir()


@pytest.mark.parametrize("lost", ["results", "code", "nothing"])
def test_a_page_whose_results_are_gone_is_read_again(book, cache, lost):
    app = application(book)
    app.config = SimpleNamespace(nb_execution_cache_path=cache.path)
    env = SimpleNamespace(metadata={"page": {"kernelspec": {}}, "no notebook": {}})
    code = book / "_build" / "jupyter_execute" / "page.ipynb"
    code.parent.mkdir()
    nbformat.write(notebook("kept"), code)
    if lost != "results":
        store(cache, "kept")
    if lost == "code":
        cut(code)
    gone = build_cache.pages_not_in_cache(app, env, set(), set(), set())
    assert gone == ([] if lost == "nothing" else ["page"])
