"""A JupyterLab of one's own for the browser tests: folders, token and port that nothing else uses."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

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


@contextmanager
def running(root, *options):
    """JupyterLab on the folder `root`/work; gives the address of it, or of a path in it, as a function."""
    env = {**os.environ, **{name: str(root / name.lower()) for name in OWN}}
    token, port = secrets.token_hex(16), free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}"]
    command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root / 'work'}", "--allow-root"]
    # Nothing is asked of the network: no news, no update check, no extension list.
    command += ["--ServerApp.port_retries=0", "--LabApp.news_url=None", "--LabApp.extension_manager=readonly"]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", *options]
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
