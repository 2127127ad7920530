"""`make lint`, for what ruff does not read: no line of code is longer than 115 characters.

Prose, data and pictures may be as wide as they are, and so may a line with an expression of GitHub's workflows,
which cannot be broken; Python is ruff's.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LONGEST = 115
EXEMPT = {".bib", ".html", ".json", ".md", ".png", ".py", ".svg", ".toml", ".txt"}


def known_to_git(root):
    """The files of a project, those that are not yet committed included."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=root, capture_output=True, check=True, encoding="utf-8").stdout
    return [path for name in names.split("\0")[:-1] if (path := root / name).is_file()]


def too_long(root, paths):
    """A message for each line that is too long."""
    for path in paths:
        if path.suffix not in EXEMPT:
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
                if len(line) > LONGEST and "${{" not in line:
                    yield f"{path.relative_to(root)}:{number}: {len(line)} characters, more than {LONGEST}"


if __name__ == "__main__":
    found = list(too_long(ROOT, known_to_git(ROOT)))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
