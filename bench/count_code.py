"""How much code there is, in lines without docstrings, comments and blank ones: `python -m bench.count_code`.

Of `lib` the root, in which `sharded` is counted too, and what is there for speed; and
all else, since no part is to shrink at another's cost. Data is what is neither code nor text, in KiB.
"""

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
SCRIPTS, TEXT = (".js", ".mjs"), (".md", ".css", ".toml", ".yml", ".html", ".svg", ".txt", ".bib", ".cff", "")


def lines_of_code(path):
    """Of a file in Python."""
    text = path.read_text(encoding="utf-8")
    told = set()
    for node in ast.walk(ast.parse(text)):
        documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        if documented and ast.get_docstring(node) is not None:
            told |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(text.splitlines(), start=1)
    return sum(bool(line.strip()) and line.strip()[0] != "#" and number not in told for number, line in lines)


def lines_of_script(path):
    """Of a file in JavaScript."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return sum(bool(line.strip()) and not line.strip().startswith("//") for line in text.splitlines())


def part_of(path):
    """Which parts a file is counted in."""
    top, *rest = path.parts
    if top != "lib":
        return [top if rest else "other"]
    if len(rest) == 1:
        return ["lib", "lib, root"] + ["lib, root: sharded"] * (rest == ["sharded.py"])
    return ["lib", "lib, for speed" if rest[0] == "fast" else f"lib, {rest[0]}"]


def counted(root):
    """{(part, kind): how much} of the files that git knows."""
    known = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout
    found = Counter()
    for path in map(Path, known.splitlines()):
        kind, count = "data, KiB", lambda p: p.stat().st_size / 1024
        if path.suffix == ".py":
            kind, count = "Python", lines_of_code
        elif path.suffix in SCRIPTS:
            kind, count = "JavaScript", lines_of_script
        elif path.suffix in TEXT:
            continue
        for part in part_of(path):
            found[part, kind] += count(root / path)
    return found


if __name__ == "__main__":
    found = counted(ROOT)
    kinds = "Python", "JavaScript", "data, KiB"
    print(f"{'':20}", *(f"{kind:>10}" for kind in kinds))
    for part in sorted({part for part, _ in found}):
        print(f"{part:20}", *(f"{found[part, kind]:10.0f}" for kind in kinds))
