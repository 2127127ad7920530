"""What the tests in Firefox share: the system's Firefox, driven by its own Marionette, a page at a time.

Nothing may leave the machine: another host is asked for through a proxy that is not there.
"""

import os
import warnings
from contextlib import contextmanager
from pathlib import Path

from tools.browser import find, found

NAMES = (
    *("firefox", "firefox-esr", "/usr/lib/firefox/firefox", "/usr/lib64/firefox/firefox"),
    "/Applications/Firefox.app/Contents/MacOS/firefox",
)
NOWHERE = {  # of what is not on the loopback address
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.no_proxies_on": "localhost, 127.0.0.1",
}
READY = "return document.readyState === 'complete' && !document.querySelector('[data-figure]:not([data-ready])')"
COMPLAINTS = """
    const found = Services.console.getMessageArray().filter((message) => message instanceof Ci.nsIScriptError);
    Services.console.reset();
    return found.filter((error) => !(error.flags & Ci.nsIScriptError.warningFlag))
        .filter((error) => error.category !== "Layout: MathML")  // also of a formula of which half has been read
        .filter((error) => /^(http|file):/.test(error.sourceName)).map((error) => error.errorMessage);
"""
MATHML = """
    const parts = { msub: 2, msup: 2, mfrac: 2, mover: 2, munder: 2, mroot: 2, msubsup: 3, munderover: 3 };
    return [...document.querySelectorAll(Object.keys(parts).join())]
        .filter((el) => el.childElementCount !== parts[el.localName]).map((el) => el.outerHTML);
"""
AWAY = """
    return performance.getEntriesByType("resource").map((entry) => entry.name)
        .filter((name) => !name.startsWith(location.origin + "/") && !/^(data|blob):/.test(name));
"""


def find_firefox():
    """The path of a Firefox: FIREFOX_PATH, or one of the system's; else None."""
    return find("FIREFOX_PATH", NAMES, is_the_program)


def is_the_program(path):
    """Whether Firefox itself lies there, with the file that says its version: of a script that starts it not."""
    folder = Path(path).resolve().parent
    return any((place / "application.ini").exists() for place in (folder, folder.parent / "Resources"))


@contextmanager
def firefox():
    """A Firefox for several pages in a row; without one the test is skipped, and on CI fails."""
    path = found(find_firefox(), "Firefox", "FIREFOX_PATH")
    with warnings.catch_warnings(action="ignore"):  # those of the driver itself, of sockets that it leaves open
        from marionette_driver.marionette import Marionette

        driver = Marionette(bin=path, headless=True, port=0, prefs=NOWHERE, gecko_log=os.devnull)
    driver.start_session()
    try:
        yield driver
    finally:
        driver.quit()
        driver.cleanup()


def opened(driver, url, width=1280, height=900):
    """Opens a page, and waits until every figure on it stands."""
    from marionette_driver.wait import Wait

    complaints(driver)  # of the page before
    driver.set_window_rect(width=width, height=height)
    driver.navigate(url)
    Wait(driver, timeout=20).until(
        lambda page: page.execute_script(READY), message=f"a figure of {url} never stands"
    )


def complaints(driver):
    """The console's errors from pages since it was last asked, and formulas with a part too few or many."""
    with driver.using_context(driver.CONTEXT_CHROME):
        errors = driver.execute_script(COMPLAINTS)
    return errors + driver.execute_script(MATHML)


def away(driver):
    """What the page asked other hosts for."""
    return driver.execute_script(AWAY)
