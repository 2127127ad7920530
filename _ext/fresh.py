"""No stale results: the chapters are executed again whenever what they import has changed.

jupyter-cache knows a notebook by its own code alone. Here the cache's folder carries a
fingerprint of `lib`, of the pinned requirements and of the Python that runs them, and Sphinx
is told that every page depends on it.
"""

import hashlib
import sys
from pathlib import Path


def fingerprint(root, beside=("requirements.txt",), folder="lib"):
    """A short hash over all that an executed chapter depends on beside its own text: `lib` and these files."""
    root = Path(root)
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted([*root.glob(f"{folder}/**/*"), *(root / name for name in beside)]):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def choose_cache(app, config):
    config.book_fingerprint = fingerprint(app.srcdir)
    config.nb_execution_cache_path = str(Path(app.outdir).parent / f".jupyter_cache-{config.book_fingerprint}")
    config.book_hooks = fingerprint(app.srcdir, folder="_ext")


def setup(app):
    app.add_config_value("book_fingerprint", "", "env")  # a new value makes Sphinx read every page again
    app.add_config_value("book_hooks", "", "env")  # so does one of these: the hooks have a say in every page
    app.connect("config-inited", choose_cache)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
