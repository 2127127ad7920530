"""Make sure of a Chromium and a Firefox for the tests: those that are there, system packages, a download."""

import os
import shutil
import subprocess
import sys

from tools.browser import find_chromium
from tools.firefox import find_firefox

PLAYWRIGHTS_OWN = [[sys.executable, "-m", "playwright", "install", "chromium"]]
BROWSERS = {  # how it is found, packages that may have it, what else to try, the variable that names one
    "Chromium": (find_chromium, ["chromium fonts-liberation"], PLAYWRIGHTS_OWN, "CHROME_PATH"),
    "Firefox": (find_firefox, ["firefox-esr", "firefox"], [], "FIREFOX_PATH"),
}


def by_packages(packages):
    """The commands that install system packages, where this machine allows it."""
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        yield ["apt-get", "update", "-qq"]
        for names in packages:
            yield ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *names.split()]


def get(name):
    """Whether there is such a browser, at last: the least intrusive ways come first."""
    find, packages, others, variable = BROWSERS[name]
    for command in [None, *by_packages(packages), *others]:
        if command:
            print(f"No {name} yet:", " ".join(command), flush=True)
            subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        if find():
            return True
    print(f"No {name} could be found or installed. Set {variable} to one.", file=sys.stderr)
    return False


def main():
    missing = [name for name in BROWSERS if not get(name)]
    return 1 if missing and os.environ.get("CI") else 0  # the tests in that browser then skip, and say so


if __name__ == "__main__":
    sys.exit(main())
