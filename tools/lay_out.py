"""Lays the notebooks of the last build out in `notebooks/`, for `make lab`: each page once, its exercises open.

They are the reader's to write in. One that was changed is never overwritten: a newer one lands beside it. What was
laid out, and not changed, follows the build.
"""

import hashlib
import json
import re
import sys
from itertools import chain, count
from pathlib import Path

LIST = ".laid-out"  # in the folder: a line for each file, with the digest of what was laid out there
OPEN = "-exercises"  # ends the name of the form without solutions


def digest(data):
    """Of the cells alone: JupyterLab writes the version of Python into a notebook that is merely looked at."""
    try:
        cells = json.loads(data)["cells"]
    except (ValueError, LookupError, TypeError):  # it is no notebook, or no longer one
        return hashlib.sha256(data).hexdigest()
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()


def one_form(built):
    """The notebooks of a build by their names, without the solutions of those that have exercises.

    A page without exercises has only one notebook. Its links lead to those with solutions; here, to what is here.
    """
    exercises = {path.stem.removesuffix(OPEN) for path in built.glob(f"*{OPEN}.ipynb")}
    solved = "|".join(map(re.escape, sorted(exercises)))
    link = re.compile(rf"(\]\(<?)({solved})(?=\.ipynb[#>)])")
    for path in sorted(built.glob("*.ipynb")):
        if path.stem not in exercises:
            text = path.read_text(encoding="utf-8")
            yield path.name, (link.sub(rf"\g<1>\g<2>{OPEN}", text) if solved else text).encode()


def places(name):
    """Where a notebook may lie, the next if the reader has changed what lies there: x, x-new, x-new-2, ..."""
    stem = name.removesuffix(".ipynb")
    return chain([name, f"{stem}-new.ipynb"], (f"{stem}-new-{k}.ipynb" for k in count(2)))


def replace(path, data):
    """Write a file whole or not at all: one cut short would look as if the reader had changed it."""
    unfinished = path.with_name(".unfinished")
    unfinished.write_bytes(data)
    unfinished.replace(path)


def lay_out(built, folder):
    """Bring the folder up to the build in `built`; gives a sentence for each notebook that the reader has changed
    and of which there is a newer one.
    """
    folder.mkdir(exist_ok=True)
    listed = folder / LIST
    lines = listed.read_text(encoding="utf-8", errors="replace").splitlines() if listed.exists() else []
    laid = {name: old for old, _, name in (line.partition("  ") for line in lines) if name}
    here = {path.name: digest(path.read_bytes()) for path in folder.glob("*.ipynb")}
    kept, said = set(), []
    for name, data in one_form(built):
        new = digest(data)
        for place in places(name):
            # A changed file whose last version here is the build's has nothing newer beside it.
            if place in here and new in (here[place], laid.get(place)):
                break
            if place not in here or here[place] == laid.get(place):
                replace(folder / place, data)
                here[place] = new
                break
        laid[place] = new
        kept.add(place)
        if place != name:
            said.append(f"{name} has your changes; the newer one is {place}")
    for place in here.keys() - kept:  # of a page that is gone, or beside a change that was taken back
        if here[place] == laid.get(place):
            (folder / place).unlink()
            del here[place]
    lines = [f"{old}  {name}\n" for name, old in sorted(laid.items()) if name in here]
    replace(listed, "".join(lines).encode())
    return said


if __name__ == "__main__":
    root = Path(__file__).parents[1]
    for sentence in lay_out(root / "_build" / "html" / "notebooks", root / "notebooks"):
        print(f"notebooks/{sentence}", file=sys.stderr)
