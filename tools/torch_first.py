"""Installs torch before pip installs the rest, in the build that is named; pip then leaves it as it is.

    .venv/bin/python -m tools.torch_first cpu requirements.txt

pip's torch for Linux brings CUDA's libraries, several gigabytes. uv knows the names of torch's other builds, and
where they are. A list without torch needs nothing done.
"""

import subprocess
import sys
from pathlib import Path

from tools.pins import pinned

UV = "uv==0.13.9"


def commands(build, text):
    """What has to be run where the file of requirements reads `text`."""
    torch = pinned(text).get("torch")
    if torch is None:
        return []
    python = sys.executable
    with_uv = [python, "-m", "uv", "pip", "install", "--python", python, "--torch-backend", build, torch]
    return [[python, "-m", "pip", "install", UV], with_uv]


if __name__ == "__main__":
    build, file = sys.argv[1:]
    for command in commands(build, Path(file).read_text(encoding="utf-8")):
        if code := subprocess.call(command):
            sys.exit(code)
