"""The site as a host serves it: what its pages may run, and what a reader finds who follows a broken link."""

import re
import shutil
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace

import pytest
from small_book import build, new_book

from book.builder import content_policy, site_address
from tools.browser import Visit, serve

POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
MISSING = "no/such/page.html"


def rules(html):
    """The policy of a page, as {directive: what it allows}."""
    found = POLICY.findall(html)
    assert len(found) == 1, "a page has one policy"
    return {name: allowed for name, *allowed in (rule.split() for rule in unescape(found[0]).split("; "))}


@pytest.fixture(scope="module")
def pages(site):
    return {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


def test_every_page_allows_its_own_scripts_and_no_others(pages):
    for name, html in pages.items():
        found = rules(html)
        hashes = {rule for rule in found["script-src"] if rule.startswith("'sha256-")}
        assert set(found["script-src"]) == {"'self'", "file:", *hashes}, name
        assert hashes == set(content_policy.hashes(html)), name
        assert found["worker-src"] == ["blob:"], name
        assert found["object-src"] == found["frame-src"] == ["'none'"], name
        assert found["connect-src"] == ["'self'"], name
        assert html.index("Content-Security-Policy") < min(
            html.find(tag) for tag in ("<script", "<link", "<style") if tag in html
        ), f"{name}: what stands before the policy is not held to it"


def test_no_page_has_a_handler_in_a_tag_or_a_link_that_is_a_script(pages):
    for name, html in pages.items():
        tags = re.findall(r"<[a-zA-Z][^<>]*>", re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL))
        found = [tag for tag in tags if re.search(r"""\son\w+\s*=\s*["']|javascript:""", tag)]
        assert found == [], name


@pytest.mark.parametrize("over", ["http", "file"])
def test_a_script_that_is_not_the_books_does_not_run(site, browser, tmp_path, over):
    """The same page, as it is and with a script more, which a browser must refuse."""
    folder = tmp_path / "html"
    shutil.copytree(site / "_static", folder / "_static")
    html = (site / "index.html").read_text(encoding="utf-8")
    (folder / "own.html").write_text(html, encoding="utf-8")
    (folder / "own.js").write_text("window.own = 1; Function('window.strange = 3')()", encoding="utf-8")
    more = (
        "<script>window.strange = 1</script><img src=x onerror='window.strange = 2'><script src=own.js></script>"
    )
    (folder / "more.html").write_text(html.replace("</body>", f"{more}</body>"), encoding="utf-8")
    with serve(folder) as url, Visit(browser, bypass_csp=False) as visit:
        base = url if over == "http" else folder.as_uri()
        visit.go(f"{base}/own.html")
        visit.page.wait_for_selector("[data-figure][data-ready]")
        assert [error for error in visit.errors if "Content Security Policy" in error] == []
        visit.go(f"{base}/more.html")
        visit.page.wait_for_selector("[data-figure][data-ready]")
        assert visit.page.evaluate("window.own") == 1, "a script from its own folder runs"
        assert visit.page.evaluate("window.strange") is None
        assert [error for error in visit.errors if "Content Security Policy" in error] != []


def test_every_page_opens_in_silence_from_a_folder_under_the_policy_and_a_model_trains(site, browser, pages):
    """Every figure is drawn, nothing is asked of any other host, and the console is silent."""
    names = sorted(name for name in pages if name.count("/") < 2 and name != "404.html")  # which needs a host
    with Visit(browser, bypass_csp=False) as visit:
        for name in [*names, "chapters/experiments.html"]:
            visit.go(f"{site.as_uri()}/{name}")
            visit.page.wait_for_selector("[data-figure]:not([data-ready])", state="detached")
            assert visit.errors == [], name
            assert visit.away == [], name
        figure = visit.page.locator("#experiments-learn")
        figure.locator("button", has_text="Train").first.click()
        figure.locator(".ws-progress", has_text=re.compile("^step [1-9]")).wait_for()
        assert visit.errors == []


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
    try:
        base = f"http://127.0.0.1:{server.server_address[1]}"
        with Visit(browser) as visit:
            visit.go(f"{base}/{MISSING}")
            page = visit.page
            assert page.inner_text("h1") == "There is no such page"
            assert all(r.ok for r in visit.responses if MISSING not in r.url), "its styles and scripts are found"
            assert page.evaluate("getComputedStyle(document.querySelector('.sidebar-drawer')).display") == "flex"
            links = page.eval_on_selector_all("a[href]", "all => all.map((a) => a.href)")
            links = {link.partition("#")[0] for link in links}
            assert len(links) > 20
            for link in sorted(link for link in links if link.startswith(base)):
                assert MISSING in link or page.request.get(link).ok, link
            page.click("main a")
            assert page.url == f"{base}/index.html"
    finally:
        server.shutdown()
        server.server_close()


def test_a_published_book_knows_its_address(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOK_URL", "example.org")
    with pytest.raises(ValueError, match="BOOK_URL should begin with https://"):
        site_address.set_address(None, SimpleNamespace())
    book = new_book(tmp_path)
    monkeypatch.setenv("BOOK_URL", "https://example.org/deep/book")
    status, said = build(book, "A page of text.\n")
    assert status == 0, said
    html = book / "_build" / "html"
    assert (html / ".nojekyll").exists(), "else GitHub leaves out folders that begin with an underscore"
    listed = re.findall("<loc>(.*?)</loc>", (html / "sitemap.xml").read_text(encoding="utf-8"))
    assert listed == ["https://example.org/deep/book/index.html"]
    lost = (html / "404.html").read_text(encoding="utf-8")
    assert 'href="/deep/book/index.html"' in lost
    assert 'name="robots" content="noindex"' in lost
    assert rules(lost)
    canonical = '<link rel="canonical" href="https://example.org/deep/book/index.html"'
    assert canonical in (html / "index.html").read_text(encoding="utf-8")


def test_a_policy_that_has_changed_reaches_the_pages_of_an_earlier_build(tmp_path, monkeypatch):
    page = tmp_path / "page.html"
    page.write_text('<head>\n    <meta charset="utf-8"/>\n    <script>one()</script></head>', encoding="utf-8")
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    content_policy.write_policies(app, None)
    first = page.read_text(encoding="utf-8")
    monkeypatch.setattr(content_policy, "OWN", "'self'")
    content_policy.write_policies(app, None)
    second = page.read_text(encoding="utf-8")
    assert rules(first)["default-src"] == ["'self'", "file:"]
    assert rules(second)["default-src"] == ["'self'"]
    assert rules(second).keys() == rules(first).keys()
