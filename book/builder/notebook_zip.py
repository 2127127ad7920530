"""The zip that a reader takes away: every notebook, `lib` and `book` beside them, and two commands.

The same sources give the same bytes where SOURCE_DATE_EPOCH is set; else the files are dated when they are built.
"""

import os
import re
import time
import tomllib
import zipfile
from itertools import chain

NAME = "why-softmax"
PACKAGES = "lib", "book"
EARLIEST = 315_532_800  # 1 January 1980, where the dates of zip files begin
DATED = "SOURCE_DATE_EPOCH"  # in seconds since 1970, as everywhere else

README = """\
Why Softmax? The notebooks of the book.

They need Python 3.11 to 3.14. In the folder of this file, best in a virtual environment of its own:

    python -m pip install -r requirements.txt
    jupyter lab notebooks/{first}

The first command installs JupyterLab and what the notebooks import, in the versions that the book was tested
with. The book's own packages, `lib` and `book`, need no installation: they are the two folders beside the
notebooks. On Linux the command brings PyTorch with its CUDA libraries, several gigabytes. If you have no
NVIDIA GPU, install the CPU build of {torch} before it, as https://pytorch.org/get-started/locally/ says.

In reading order:

{contents}

Each of them is complete: text, code and results. Those whose names end in -exercises leave out the
solutions. In JupyterLab, Run > Run All Cells runs a whole notebook; its figures are then live.
"""


def pins(root):
    """What JupyterLab and all that `lib` and `book` may import are pinned to, {package: line}."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = chain(project["dependencies"], *project["optional-dependencies"].values(), ["jupyterlab"])
    names = sorted({re.match(r"[\w-]+", need)[0] for need in asked})
    lines = (root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.partition("==")[0]: line.partition("#")[0].strip() for line in lines if "==" in line}
    return {name: pinned[name] for name in names}


def sources(root):
    """{name in the zip: bytes} of both packages, without what builds the book."""
    for path in chain.from_iterable((root / name).rglob("*") for name in PACKAGES):
        name = path.relative_to(root).as_posix()
        if path.is_file() and "__pycache__" not in path.parts and not name.startswith("book/builder/"):
            yield f"notebooks/{name}", path.read_bytes()


def pack(root, notebooks, contents):
    """Write the zip beside the notebooks in the folder `notebooks`.

    `contents` has a title and the names of its notebooks for each page, in reading order.
    """
    listed = "\n".join(f"    {title}\n        {', '.join(names)}" for title, names in contents)
    pinned = pins(root)
    files = {
        "LICENSE": (root / "LICENSE").read_bytes(),
        "README.txt": README.format(first=contents[0][1][0], contents=listed, **pinned).encode(),
        "requirements.txt": "".join(f"{need}\n" for need in pinned.values()).encode(),
        **dict(sources(root)),
    }
    for _, names in contents:
        files |= {f"notebooks/{name}": (notebooks / name).read_bytes() for name in names}
    now = time.gmtime(max(int(os.environ.get(DATED) or time.time()), EARLIEST))[:6]
    with zipfile.ZipFile(notebooks / f"{NAME}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{NAME}/{name}", now)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
