"""What the browser tests share: a Chromium, a folder served on this machine, a page that is listened to.

Nothing may leave the machine: no other host has an address here, and a request to one is written down.
"""

import os
import shutil
import threading
from contextlib import contextmanager
from functools import partial
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
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",  # the edge of this machine
]

# Formulas are emptied for the while: they are more than half of a page, and axe asks nothing of them. Contrast,
# which takes longest, is asked of one text of each kind: with its colours, size, weight and grounds. `looks`: only
# what a theme and a width can change.
AXE = """async (looks) => {
  const formulas = [...document.querySelectorAll(".math svg, .math-glyphs, .math-spoken")]
    .map((el) => [el, [...el.childNodes]]);
  for (const [el] of formulas) el.replaceChildren();
  const grounds = new Map([[null, ""]]), kinds = new Map();
  for (const el of document.querySelectorAll("*")) {
    const style = getComputedStyle(el), around = el.parentElement && getComputedStyle(el.parentElement).color;
    const placed = ["static", "relative"].includes(style.position) ? "" : el.className;
    const own = [style.backgroundColor, style.backgroundImage, style.opacity, placed].join();
    const below = grounds.get(el.parentElement);
    grounds.set(el, below.endsWith(own) ? below : `${below}/${own}`);
    const kind = [el.localName, style.color, around, style.fontSize, style.fontWeight, grounds.get(el)].join();
    const told = [...el.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (told && !kinds.has(kind) && el.checkVisibility()) kinds.set(kind, el);
  }
  const slow = ["color-contrast", "link-in-text-block"], resultTypes = ["violations"];
  const others = { rules: Object.fromEntries(slow.map((rule) => [rule, { enabled: false }])) };
  const found = [await axe.run({ include: [...kinds.values()] }, { resultTypes, runOnly: slow })];
  found.push(await axe.run({ resultTypes, ...(looks ? { runOnly: ["scrollable-region-focusable"] } : others) }));
  for (const [el, inside] of formulas) el.replaceChildren(...inside);
  return found.flatMap(({ violations }) => violations).flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target}: ${failureSummary}`));
}"""


def find(variable, names, is_it=lambda path: True):
    """The path of a program: the one that the variable names, or one of the system's; else None."""
    named = os.environ.get(variable)
    if named:
        return named if Path(named).exists() else None
    return next((path for path in map(shutil.which, names) if path and is_it(path)), None)


def found(path, name, variable):
    """That path; a missing browser skips the test here and fails it on CI."""
    if path is None:
        message = f"no {name}: run python -m tools.get_browsers, or set {variable}"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
    return path


def find_chromium():
    """The path of a Chromium: CHROME_PATH, one of the system's, or playwright's own; else None."""
    if (path := find("CHROME_PATH", NAMES)) or os.environ.get("CHROME_PATH"):
        return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


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

    path = found(find_chromium(), "Chromium", "CHROME_PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        try:
            yield browser
        finally:
            browser.close()


class Visit:
    """One tab of a browser, listened to, which opens one page after another.

    `page` is playwright's page; `errors` what the console complained of, `away` the addresses
    outside this machine that were asked for, `responses` all answers. `options` go to the tab's
    context (java_script_enabled, has_touch, accept_downloads, ...).
    """

    def __init__(self, browser, url=None, **options):
        looks = {key: options.pop(key) for key in ("width", "height", "theme", "still") if key in options}
        self.errors, self.away, self.responses = [], [], []
        # What a test waits for may be text that is evaluated in the page, which the book's policy refuses; the
        # tour of test_pages.py is made under that policy.
        self.context = browser.new_context(**{"bypass_csp": True, **options})
        self.context.set_default_timeout(30_000)
        self.page = self.listened(self.context.new_page())
        if url:
            self.go(url, **looks)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.context.close()

    def go(self, url, *, width=1280, height=900, theme="light", still=False):
        """Open a page in this tab, as it looks on a screen of this size to who wishes for this theme."""
        motion = "reduce" if still else "no-preference"
        self.media = {"media": "null", "color_scheme": theme, "reduced_motion": motion, "forced_colors": "none"}
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(**self.media)
        self.page.goto(url)

    @contextmanager
    def beside(self, url):
        """A second page, listened to as well."""
        page = self.listened(self.context.new_page())
        try:
            page.emulate_media(**self.media)
            page.goto(url)
            yield page
        finally:
            page.close()

    def listened(self, page):
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._note)
        page.on("response", lambda response: self.responses.append(response))
        return page

    def _note(self, request):
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in ("127.0.0.1", "localhost"):
            self.away.append(request.url)

    def axe(self, looks=False):
        """What axe-core finds wrong with the page, or with what a theme and a width can change: one line each."""
        from axe_playwright_python.base import AXE_SCRIPT

        complaints = len(self.errors)
        self.page.evaluate(AXE_SCRIPT)
        found = self.page.evaluate(AXE, looks)
        del self.errors[complaints:]  # of style sheets that axe may not read again from file://
        return found
