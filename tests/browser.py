"""What the browser tests share: a Chromium, a folder served on this machine, a page that is listened to.

Nothing may leave the machine: every request to another host is refused and written down.
"""

import os
import shutil
import threading
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGS = [
    "--no-sandbox",  # containers have no user namespace for it; the pages opened here are our own
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


def find_chromium():
    """The path of a Chromium: CHROME_PATH, one of the system's, or playwright's own; else None."""
    named = os.environ.get("CHROME_PATH")
    if named:
        return named if Path(named).exists() else None
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found:
        return found
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


@cache
def chromium():
    """As `find_chromium`, but a missing one skips the test here and fails it on CI."""
    path = find_chromium()
    if path is None:
        message = "no Chromium: run tests/get_browser.py, or set CHROME_PATH"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
    return path


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@contextmanager
def serve(folder):
    """Serve a folder on the loopback address; gives the address without a slash at its end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def launched():
    """A browser for several visits in a row; starting one takes about a second."""
    from playwright.sync_api import sync_playwright

    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        try:
            yield browser
        finally:
            browser.close()


class Visit:
    """One page, opened and listened to, with the network cut at this machine's edge.

    `page` is playwright's page; `errors` what the console complained of, `away` the addresses
    outside this machine that were asked for, `responses` all answers. `browser` is one from
    `launched`, or None to start one for this visit. `options` go to the browser's context
    (java_script_enabled, has_touch, reduced_motion, ...).
    """

    def __init__(self, url, *, width=1280, height=900, theme="light", browser=None, **options):
        self.url, self.browser = url, browser
        self.options = {"viewport": {"width": width, "height": height}, "color_scheme": theme, **options}
        self.errors, self.away, self.responses = [], [], []

    def __enter__(self):
        self._stack = ExitStack()
        with self._stack:
            browser = self.browser or self._stack.enter_context(launched())
            self.context = browser.new_context(**self.options)
            self._stack.callback(self.context.close)
            self.context.set_default_timeout(10_000)
            self.context.route("**/*", self._gate)
            self.page = self.open(self.url)
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *error):
        self._stack.close()

    def open(self, url):
        """A page of this visit's browser, listened to as well."""
        page = self.context.new_page()
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("response", lambda response: self.responses.append(response))
        page.goto(url)
        return page

    def _gate(self, route):
        parts = urlsplit(route.request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost"):
            self.away.append(route.request.url)
            route.abort()
        else:
            route.continue_()

    def axe(self):
        """What axe-core finds wrong with the page: one line each."""
        from axe_playwright_python.sync_playwright import Axe

        complaints = len(self.errors)
        found = Axe().run(self.page).response["violations"]
        del self.errors[complaints:]  # of style sheets that axe may not read again from file://
        return [
            f"{violation['id']}: {violation['help']}: {node['target']}: {node['failureSummary']}"
            for violation in found
            for node in violation["nodes"]
        ]
