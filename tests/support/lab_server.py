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


# What the notebook itself holds: cells out of sight are not drawn.
CELLS = """() => {
    const { model, widgets } = jupyterapp.shell.currentWidget.content;
    return [...model.cells].map((cell, i) => {
        const { cell_type: kind, source, execution_count: count, outputs } = cell.toJSON();
        return { kind, source, count, outputs, folded: widgets[i].inputHidden === true };
    });
}"""
# Whether the notebook of this name is open and can be run: before, a cell that is run is silently not run.
READY = """name => {
    const { path, sessionContext } = window.jupyterapp?.shell.currentWidget?.context ?? {};
    return path === name && sessionContext.isReady && sessionContext.session?.kernel?.status === "idle";
}"""


# Runs code in the notebook's kernel, beside its cells: what it prints, or its error.
PYTHON = """async code => {
    const future = jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute({ code });
    let said = "";
    future.onIOPub = ({ content }) => { said += content.text ?? content.evalue ?? ""; };
    await future.done;
    return said.trim();
}"""


class Notebook:
    """What a reader does in the notebook of this path, once it is open. A cell is named by a text in it."""

    def __init__(self, page, path):
        self.page = page
        page.wait_for_function(READY, arg=path)
        self.shown = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook")
        self.cells = self.shown.locator(".jp-CodeCell")
        self.cells.first.wait_for()

    def cell(self, name):
        return self.cells.filter(has_text=name).first

    def run(self, name):
        prompt = self.cell(name).locator(".jp-InputPrompt")
        before = prompt.inner_text()
        self.cell(name).locator(".jp-Editor").click()
        self.page.keyboard.press("Shift+Enter")
        expect(prompt).not_to_have_text(before, timeout=WAIT)
        expect(prompt).to_have_text(RAN, timeout=WAIT)

    def python(self, code):
        return self.page.evaluate(PYTHON, code)

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

    def held(self, kind="code"):
        """The cells of this kind, each as {source, count, outputs, folded}."""
        return [cell for cell in self.page.evaluate(CELLS) if cell["kind"] == kind]

    def run_all(self):
        """Run all cells; all return, and none with an error."""
        self.menu("Run", "Run All Cells")
        done = f"() => ({CELLS})().filter(cell => cell.kind === 'code').every((cell, i) => cell.count === i + 1)"
        self.page.wait_for_function(done, timeout=2 * WAIT)
        assert not [cell for cell in self.held() for output in cell["outputs"] if output["output_type"] == "error"]
