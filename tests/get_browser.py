"""Make sure of a Chromium for the browser tests: one that is there, a system package, or a download."""

import os
import shutil
import subprocess
import sys

from browser import find_chromium


def commands():
    """Ways to get one, the least intrusive that this machine allows first."""
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        yield ["apt-get", "update", "-qq"]
        yield ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-liberation"]
    yield [sys.executable, "-m", "playwright", "install", "chromium"]


def main():
    if find_chromium():
        return 0
    for command in commands():
        print("No Chromium yet:", " ".join(command), flush=True)
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        if find_chromium():
            return 0
    print("No Chromium could be found or installed. Set CHROME_PATH to one.", file=sys.stderr)
    return 1 if os.environ.get("CI") else 0  # the browser tests then skip, and say so


if __name__ == "__main__":
    sys.exit(main())
