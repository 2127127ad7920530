"""The site as a host serves it: what its pages may run, and what a reader finds who follows a broken link."""

import re
import shutil
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace

import pytest

from book.builder import site_address
from tools.browser import Visit, serve

POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
MISSING = "no/such/page.html"


def test_every_page_allows_scripts_of_its_own_folder_and_no_others_and_holds_none(site):
    for page in site.rglob("*.html"):
        html = page.read_text("utf-8")
        (policy,) = POLICY.findall(html)
        rules = {name: allowed for name, *allowed in (rule.split() for rule in unescape(policy).split(";"))}
        assert rules["script-src"] == rules["default-src"] == ["'self'", "file:"], page
        assert rules["worker-src"] == ["blob:"], page
        assert rules["object-src"] == rules["frame-src"] == ["'none'"], page
        assert rules["connect-src"] == ["'self'"], page
        before = html.partition("Content-Security-Policy")[0]
        assert not re.search("<(?:script|link|style)", before), f"{page}: what stands before is not held to it"
        assert re.findall(r"<script(?![^>]*\bsrc=)[^>]*>", html) == [], page
        tags = re.findall(r"<[a-zA-Z][^<>]*>", html)
        assert [tag for tag in tags if re.search(r"""\son\w+\s*=\s*["']|javascript:""", tag)] == [], page


MORE = "<script>window.strange = 1</script><img src=x onerror='window.strange = 2'><script src=own.js></script>"


@pytest.mark.parametrize("over", ["http", "file"])
def test_a_script_that_is_not_the_books_does_not_run(site, browser, tmp_path, over):
    """The same page, as it is and with a script more, which a browser must refuse."""
    folder = tmp_path / "html"
    shutil.copytree(site / "_static", folder / "_static")
    html = (site / "index.html").read_text("utf-8")
    (folder / "own.html").write_text(html, "utf-8")
    (folder / "own.js").write_text("window.own = 1; Function('window.strange = 3')()", "utf-8")
    (folder / "more.html").write_text(html.replace("</body>", f"{MORE}</body>"), "utf-8")
    with serve(folder) as url, Visit(browser, bypass_csp=False) as visit:
        for page, refused in (("own", False), ("more", True)):
            visit.go(f"{url if over == 'http' else folder.as_uri()}/{page}.html")
            visit.page.wait_for_selector("[data-figure][data-ready]")
            assert any("Content Security Policy" in error for error in visit.errors) == refused
        assert visit.page.evaluate("window.own") == 1, "a script from its own folder runs"
        assert visit.page.evaluate("window.strange") is None


def test_under_the_policy_a_model_trains_and_pages_beside_the_text_are_silent(site, browser):
    with Visit(browser, bypass_csp=False) as visit:
        for page in ("search.html", "source/lib/softmax.html", "chapters/experiments.html"):
            visit.go(f"{site.as_uri()}/{page}")
        figure = visit.page.locator("#experiments-learn")
        figure.locator("button", has_text="neither").click()
        figure.locator("button", has_text="Train").first.click()
        figure.locator(".ws-progress", has_text=re.compile("^step [1-9]")).wait_for()
        assert visit.errors == visit.away == []


class WithNotFound(SimpleHTTPRequestHandler):
    """A host that answers with 404.html where there is no page."""

    def send_error(self, code, *more):
        with open(f"{self.directory}/404.html", "rb") as file:
            found = file.read()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(found)

    def log_message(self, *args):
        pass


def test_a_broken_link_leads_to_a_page_from_which_the_book_is_reached(site, browser):
    server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *given: WithNotFound(*given, directory=str(site)))
    Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        with Visit(browser) as visit:
            visit.go(f"{base}/{MISSING}")
            page = visit.page
            assert page.inner_text("h1") == "There is no such page"
            assert all(r.ok for r in visit.responses if MISSING not in r.url), "its styles and scripts are found"
            assert page.evaluate("getComputedStyle(document.querySelector('.sidebar-drawer')).display") == "flex"
            links = page.eval_on_selector_all("a[href]", "all => all.map((a) => a.href)")
            links = {link.partition("#")[0] for link in links if link.startswith(base)}
            assert len(links) > 20
            assert [link for link in links if MISSING not in link and not page.request.get(link).ok] == []
            page.click("main a")
            assert page.url == f"{base}/index.html"
    finally:
        server.shutdown()
        server.server_close()


def test_where_its_styles_are_not_found_the_page_of_a_broken_link_is_readable_all_the_same(site, tmp_path, tab):
    """Over a sub-path, or from a disk, nobody knows where they are."""
    shutil.copy(site / "404.html", tmp_path)
    tab.page.goto((tmp_path / "404.html").as_uri())
    seen = tab.page.evaluate("document.body.innerText").split("\n")
    assert seen[0] == "There is no such page", "nothing of the frame stands before it"
    assert tab.page.locator("h1").bounding_box()["x"] > 20
    assert (
        tab.page.locator(".sidebar-drawer, .toc-drawer, input, .back-to-top").locator("visible=true").count() == 0
    )


def test_an_address_of_the_book_that_is_none_is_refused(monkeypatch):
    monkeypatch.setenv("BOOK_URL", "example.org")
    with pytest.raises(ValueError, match="BOOK_URL should begin with https://"):
        site_address.set_address(None, SimpleNamespace())
