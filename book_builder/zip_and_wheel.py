"""The zip that a reader takes away: every notebook, the wheel of `lib` that they import, and two commands.

The same sources give the same bytes where SOURCE_DATE_EPOCH is set; else the files are dated when they are built.
The wheel is built when something in it has changed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

from book_builder.build_cache import fingerprint

NAME = "why-softmax"
PACKAGE = ("LICENSE", "README.md", "pyproject.toml")  # with lib/, all that goes into the wheel
EARLIEST = 315_532_800  # 1 January 1980, where the dates of zip files begin
DATED = "SOURCE_DATE_EPOCH"  # in seconds since 1970, as everywhere else

README = """\
Why Softmax? The notebooks of the book.

They need Python 3.11 to 3.14. In the folder of this file, best in a virtual environment of its own:

    python -m pip install -r requirements.txt
    jupyter lab notebooks/{first}

The first command installs JupyterLab, the book's package `lib` (the .whl file beside this one) and what
it imports, in the versions that the book was tested with. On Linux it brings PyTorch with its CUDA libraries,
several gigabytes. If you have no NVIDIA GPU, install the CPU build of {torch} before it, as
https://pytorch.org/get-started/locally/ says.

In reading order:

{contents}

Each of them is complete: text, code and results. Those whose names end in -exercises leave out the
solutions. In JupyterLab, Run > Run All Cells runs a whole notebook; its figures are then live.
"""


def date():
    """Of what is built now, in seconds since 1970."""
    return max(int(os.environ.get(DATED) or time.time()), EARLIEST)


def pins(root):
    """What JupyterLab and all that the wheel may ask for are pinned to, {package: line}; its extras."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = chain(project["dependencies"], *extras.values(), ["jupyterlab"])
    names = sorted({re.match(r"[\w-]+", need)[0] for need in asked})
    lines = (root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.partition("==")[0]: line.partition("#")[0].strip() for line in lines if "==" in line}
    return {name: pinned[name] for name in names}, sorted(extras)


def build_wheel(root, into):
    """Have the build backend that pyproject.toml names make the wheel of `lib`, from clean copies."""
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(root / "lib", Path(scratch, "lib"), ignore=shutil.ignore_patterns("__pycache__"))
        for file in PACKAGE:
            shutil.copy(root / file, scratch)
        made = Path(scratch, "made")
        made.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", "from setuptools.build_meta import build_wheel; build_wheel('made')"],
            cwd=scratch,
            env={**os.environ, DATED: str(date())},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"the wheel of lib does not build:\n{done.stdout}{done.stderr}")
        (wheel,) = made.glob("*.whl")
        into.mkdir(parents=True, exist_ok=True)
        copied = Path(shutil.copy(wheel, into / "unfinished"))
        return copied.replace(into / wheel.name)  # renamed once it is whole: copying may be broken off


def wheel(root, build):
    """The wheel of `lib` as it now is; kept in the build folder until `lib` changes."""
    folder = build / f".wheel-{fingerprint(root, PACKAGE)}-{os.environ.get(DATED, '')}"
    for other in set(build.glob(".wheel-*")) - {folder}:
        shutil.rmtree(other)
    return next(folder.glob("*.whl"), None) or build_wheel(root, folder)


def pack(root, build, notebooks, contents):
    """Write the zip beside the notebooks in the folder `notebooks`.

    `contents` has a title and the names of its notebooks for each page, in reading order.
    """
    package = wheel(root, build)
    listed = "\n".join(f"    {title}\n        {', '.join(names)}" for title, names in contents)
    pinned, extras = pins(root)
    needs = [f"./{package.name}[{','.join(extras)}]", *pinned.values()]
    files = {
        package.name: package.read_bytes(),
        "README.txt": README.format(first=contents[0][1][0], contents=listed, **pinned).encode(),
        "requirements.txt": "".join(f"{need}\n" for need in needs).encode(),
    }
    for _, names in contents:
        files |= {f"notebooks/{name}": (notebooks / name).read_bytes() for name in names}
    now = time.gmtime(date())[:6]
    with zipfile.ZipFile(notebooks / f"{NAME}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{NAME}/{name}", now)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
