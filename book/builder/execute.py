"""Executes the pages several at a time, before Sphinx reads them one after another.

The results go into the cache of executed notebooks, where they are found when a page is read. Threads, not
processes: in one process no two kernels are given the same ports.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import is_myst_markdown_notebook, myst_nb_reader_plugin
from sphinx.util import logging

from book.builder.build_cache import opened

TOGETHER = min(4, os.cpu_count())  # a kernel with torch takes half a gigabyte

# The compiled kernels that a page may call, forward and backward
CALLS = """
import sys
import torch
from lib import attention, entmax

for dtype in sys.argv[1:]:
    x = torch.zeros(256, 256, dtype=getattr(torch, dtype), requires_grad=True)
    entmax(x).sum().backward()
    attention(x, x, x, weights="entmax").sum().backward()
"""
DTYPES = "float32", "float64"

log = logging.getLogger(__name__)


def missing(cache, paths):
    """The notebooks among these files that the cache has no results for."""
    for path in paths:
        if is_myst_markdown_notebook(path.read_text("utf-8")):
            notebook = myst_nb_reader_plugin(str(path))
            try:
                cache.match_cache_notebook(notebook)
            except KeyError:
                yield path, notebook


def compile_kernels():
    """Have Numba compile the kernels of `lib`, unless it has: a page that had to wait for it would say so.

    For both dtypes at once. Two processes that write at the same moment may lose what one of them has compiled. So
    where one said that it was compiling, both are called once more.
    """
    log.info("compiling the kernels of lib, half a minute or more unless it has been done")
    with ThreadPoolExecutor() as threads:
        done = [*threads.map(call_kernels, DTYPES)]
    if any(each.stderr for each in done):
        done.append(call_kernels(*DTYPES))
    if faults := [each.stderr for each in done if each.returncode]:
        log.warning("the kernels of lib do not compile:\n%s", faults[0])


def call_kernels(*dtypes):
    return subprocess.run([sys.executable, "-P", "-c", CALLS, *dtypes], capture_output=True, text=True)


def execute(path, notebook, timeout):
    done = single_nb_execution(notebook, cwd=str(path.parent), timeout=timeout, allow_errors=False)
    if done.err is None:
        log.info("%s: executed in %.0f seconds", path.stem, done.time)
        return CacheBundleIn(notebook, str(path), data={"execution_seconds": done.time})
    log.info("%s: failed", path.stem)  # it is executed again when it is read, and the error reported then
    return None


def execute_all(app, env, pages):
    with opened(app.config.nb_execution_cache_path) as cache, ThreadPoolExecutor(TOGETHER) as threads:
        paths = [Path(env.doc2path(page)) for page in pages]
        if todo := [*missing(cache, paths)]:
            # Pages that wait for each other's threads take five times as long.
            os.environ.setdefault("OMP_NUM_THREADS", str(max(1, os.cpu_count() // TOGETHER)))
            compile_kernels()
        tasks = [threads.submit(execute, *each, app.config.nb_execution_timeout) for each in todo]
        try:
            for task in tasks:
                if bundle := task.result():
                    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        except BaseException:  # Ctrl-C: what is done is kept, what has not begun is not begun
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def setup(app):
    app.connect("env-before-read-docs", execute_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
