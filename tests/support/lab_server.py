"""A JupyterLab of one's own for the browser tests: folders, token and port that nothing else uses."""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import nbformat
from playwright.sync_api import expect

SETTINGS = Path(__file__).parents[2] / "lab-settings.json"
WAIT = 60_000  # milliseconds, for a whole chapter on a busy machine
RAN = re.compile(r"^\[\d+\]:$")
OWN = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "JUPYTERLAB_WORKSPACES_DIR")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return json.load(reply)
    except OSError:
        return None


def write(path, sources):
    """A notebook with these code cells."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in sources]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)


def wait_for_kernel(page):
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    # Before the status bar says so, a cell that is run is silently not run.
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()


@contextmanager
def running(root):
    """JupyterLab on the folder `root`/work, with the project's settings.

    Gives the address of it, or of a path in it, as a function.
    """
    (root / "settings").mkdir()
    shutil.copy(SETTINGS, root / "settings" / "overrides.json")
    env = {**os.environ, **{name: str(root / name.lower()) for name in OWN}}
    token, port = secrets.token_hex(16), free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}"]
    command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root / 'work'}", "--allow-root"]
    # Nothing is asked of the network: no news, no update check, no extension list.
    command += ["--ServerApp.port_retries=0", "--LabApp.news_url=None", "--LabApp.extension_manager=readonly"]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    command += [f"--LabApp.app_settings_dir={root / 'settings'}", "--LabApp.expose_app_in_browser=True"]
    with (root / "log").open("w") as log:
        process = subprocess.Popen(command, env=env, stdout=log, stderr=subprocess.STDOUT, cwd=root)
    base = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while answers(f"{base}/api/status?token={token}") is None:
            assert process.poll() is None, (root / "log").read_text()
            assert time.monotonic() < deadline, (root / "log").read_text()
            time.sleep(0.2)
        yield lambda path="": f"{base}/lab{path}?token={token}"
    finally:
        stop(process, f"{base}/api/shutdown?token={token}")


def stop(process, url):
    """Ask for an orderly end, which stops the kernels too; insist if it does not come."""
    try:
        urllib.request.urlopen(urllib.request.Request(url, method="POST"), timeout=10).close()
    except OSError:
        process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


# What the notebook itself holds: cells out of sight are not drawn. One entry for each code cell.
RESULTS = """() => {
    const code = [...jupyterapp.shell.currentWidget.content.model.cells].filter(cell => cell.type === "code");
    return code.map(({ executionCount, outputs }) => (
        { count: executionCount, kinds: outputs.toJSON().map(output => output.output_type) }
    ));
}"""


class Notebook:
    """What a reader does in the open notebook. A cell is named in `cells`, or else by a text that stands in it."""

    def __init__(self, page, cells=()):
        self.page, self.cells = page, list(cells)

    def cell(self, name):
        found = self.page.locator(".jp-Notebook .jp-CodeCell")
        return found.nth(self.cells.index(name)) if self.cells else found.filter(has_text=name).first

    def run(self, name):
        prompt = self.cell(name).locator(".jp-InputPrompt")
        before = prompt.inner_text()
        self.cell(name).locator(".jp-Editor").click()
        self.page.keyboard.press("Shift+Enter")
        expect(prompt).not_to_have_text(before, timeout=WAIT)
        expect(prompt).to_have_text(RAN, timeout=WAIT)

    def printed(self, name):
        self.run(name)
        return self.cell(name).locator(".jp-OutputArea-output pre").inner_text().strip()

    def figures(self, name):
        found = self.cell(name).locator(".ws-figure")
        found.first.wait_for()
        return found.all()

    def menu(self, *items):
        self.page.locator(".lm-MenuBar-item", has_text=items[0]).click()
        for item in items[1:]:
            self.page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()

    def run_all(self, count):
        """Run all cells, of which so many are code; all return, and none with an error."""
        self.menu("Run", "Run All Cells")
        self.page.wait_for_function(f"({RESULTS})().length === {count}")
        self.page.wait_for_function(f"({RESULTS})().every((cell, i) => cell.count === i + 1)", timeout=2 * WAIT)
        assert "error" not in {kind for cell in self.page.evaluate(RESULTS) for kind in cell["kinds"]}
