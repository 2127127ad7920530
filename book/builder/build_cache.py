"""Keeps a build from using results that are stale or half made.

jupyter-cache knows a notebook by its own code alone. Here the cache's folder carries a fingerprint of `lib`
and `book`, of the pinned requirements, of the Python that runs them and of whether the pretrained encoder is
installed, and Sphinx is told that every page depends on it.

A build may be broken off at any point. The next one checks what is left of it: cached notebooks that are whole
stay and are not executed again; everything else is made anew.
"""

import hashlib
import shutil
import sys
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.cache.db import DB_NAME, NbCacheRecord

from book.models import encoder_files

UNFINISHED = ".unfinished"  # lies in the build folder from the start of a build until it has succeeded


BUILDER = Path("book", "builder")


def fingerprint(root, *folders, but=None, also=""):
    """A short hash over these folders without `but`, the pinned requirements, the Python that runs, and a word."""
    root = Path(root)
    digest = hashlib.sha256(f"{sys.version}{also}".encode())
    files = chain.from_iterable((root / folder).rglob("*") for folder in folders)
    for path in sorted([*files, root / "requirements.txt"]):
        left_out = "__pycache__" in path.parts or (but and path.is_relative_to(root / but))
        if path.is_file() and not left_out:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def remove(path):
    """Remove a file, or a folder with all that is in it, if there is one."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def start(app, config):
    """Choose the cache that fits this state of the book, and clear up after a build that did not end well."""
    encoder = "encoder" if encoder_files.available() else ""
    config.book_fingerprint = fingerprint(app.srcdir, "lib", "book", but=BUILDER, also=encoder)
    config.book_hooks = fingerprint(app.srcdir, BUILDER)
    build = Path(app.outdir).parent
    cache = build / f".jupyter_cache-{config.book_fingerprint}"
    config.nb_execution_cache_path = str(cache)
    restore(cache)
    if (build / UNFINISHED).exists():  # its pages may be cut short or have a fault
        remove(Path(app.doctreedir))
        remove(Path(app.outdir))
    Path(app.outdir).mkdir(parents=True, exist_ok=True)
    (build / UNFINISHED).touch()


def restore(folder):
    """Make the database of the cache in this folder agree with the notebooks that lie there.

    jupyter-cache writes its record of a notebook first and the notebook after it. A build that is broken
    off in between leaves a record of nothing, at which every later build would fail. A notebook shows by
    itself whether it is whole, so the database is written anew from those that are, and the others go.
    """
    if not folder.is_dir():
        remove(folder)
        return
    for database in folder.glob(f"{DB_NAME}*"):  # with the journal of a change that was broken off
        remove(database)
    with opened(folder) as cache:
        for notebook in sorted(folder.glob("executed/*")):
            if is_whole(cache, notebook):
                NbCacheRecord.create_record(uri="", hashkey=notebook.name, db=cache.db, data={})
            else:
                remove(notebook)


@contextmanager
def opened(folder):
    """The cache in this folder; its database is closed afterwards."""
    cache = get_cache(folder)
    try:
        yield cache
    finally:
        cache.db.dispose()


def is_whole(cache, folder):
    """Whether this folder of the cache holds the notebook that it is named after, with every cell executed."""
    try:
        notebook = nbformat.read(folder / "base.ipynb", nbformat.NO_CONVERT)
        counts = [cell.execution_count for cell in notebook.cells]
        return cache.create_hashed_notebook(notebook)[1] == folder.name and counts == [*range(1, len(counts) + 1)]
    except Exception:  # it is not there, cut short, or something else; whatever it is, it is no such notebook
        return False


def pages_not_in_cache(app, env, added, changed, removed):
    """The pages that Sphinx would not read again although the results of their cells are gone."""
    gone = []
    with opened(app.config.nb_execution_cache_path) as cache:
        for page in (page for page, about in env.metadata.items() if "kernelspec" in about):
            try:
                code = Path(app.outdir).parent / "jupyter_execute" / f"{page}.ipynb"
                cache.match_cache_notebook(nbformat.read(code, as_version=4))
            except Exception:  # no such file, none that can be read, or no results for it
                gone.append(page)
    return gone


def finish(app, error):
    """The build has succeeded if nothing stopped it and nothing was warned of."""
    if error is None and not app._warncount:
        (Path(app.outdir).parent / UNFINISHED).unlink(missing_ok=True)


def setup(app):
    app.add_config_value("book_fingerprint", "", "env")  # a new value makes Sphinx read every page again
    app.add_config_value("book_hooks", "", "env")  # so does this one: all of book/builder has a say in every page
    app.connect("config-inited", start)
    app.connect("env-get-outdated", pages_not_in_cache)
    app.connect("build-finished", finish, priority=1000)  # after all others
    return {"parallel_read_safe": True, "parallel_write_safe": True}
