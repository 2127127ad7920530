"""A term shows what the glossary says of it, in place, and leads on there; no page is left by accident."""

import re
from html import unescape
from types import SimpleNamespace

import pytest
from docutils import nodes
from sphinx import addnodes

from book.builder.terms import GLOSSARY, depend_on_glossary
from tools.browser import Visit

PAGE = "chapters/kl.html"
SAYS = "The largest divergence from the null, in nats, that weights may have when divergence is limited and not "
SAYS += "priced."
TERM = 'a.ws-term[href$="#term-budget"]'


def test_a_page_with_terms_is_written_anew_when_the_glossary_changes_and_no_other(tmp_path):
    (tmp_path / "appendix").mkdir()
    (tmp_path / f"{GLOSSARY}.md").touch()
    for kind, depends in (("term", [str(tmp_path / f"{GLOSSARY}.md")]), ("doc", [])):
        noted = []
        env = SimpleNamespace(docname="chapters/kl", note_dependency=noted.append)
        page = nodes.paragraph("", "", addnodes.pending_xref("", reftype=kind))
        depend_on_glossary(SimpleNamespace(srcdir=tmp_path, env=env), page)
        assert noted == depends


def test_every_link_to_a_term_in_the_book_has_its_sentence(site):
    glossary = (site / "appendix" / "glossary.html").read_text("utf-8")
    seen = 0
    for path in [*(site / "chapters").glob("*.html"), *(site / "appendix").glob("*.html"), site / "index.html"]:
        if path.stem == "glossary":
            continue
        html = path.read_text("utf-8")
        links = re.findall(r'<a [^>]*href="[^"#]*glossary\.html#term-[^>]*>', html)
        linked = [re.search('#term-([^"]+)', link)[1] for link in links]
        assert linked == [re.search('aria-describedby="says-([^"]+)"', link)[1] for link in links], path.stem
        assert all("ws-term" in link for link in links)
        says = re.findall(r'<li id="says-([^"]+)">(.*?)</li>', html)
        assert [id for id, _ in says] == sorted(set(linked)), path.stem
        for id, text in says:
            entry = re.search(rf'<dt id="term-{re.escape(id)}">.*?<dd>(.*?)</dd>', glossary, re.DOTALL)[1]
            whole = " ".join(unescape(re.sub("<[^>]+>", "", entry)).split())
            said = unescape(text)
            assert whole.startswith(said.removesuffix(".")), id
            assert re.fullmatch(r"(?:[^.!?]|[.!?](?! [A-Z]))*[^\s:,]\.", said), f"{id} is one sentence"
            place = re.search(r"<span class=\"doc\">(.*)</span>", entry)[1]
            assert not re.search(rf"(?:, see|{re.escape(unescape(place))})\.$", said), f"{id} without its page"
        seen += len(says)
    assert seen > 100


@pytest.fixture(scope="module")
def address(site):
    return (site / PAGE).as_uri()


@pytest.fixture
def desk(address, browser):
    with Visit(browser, address) as visit:
        yield visit
        assert visit.errors == []


def test_a_press_shows_it_and_the_next_goes_on_and_to_rest_on_it_does_nothing(desk, address):
    page, bubble, term = desk.page, desk.page.locator(".ws-bubble"), desk.page.locator(TERM)
    term.hover()
    page.wait_for_timeout(600)
    assert bubble.count() == 0
    for onward in (TERM, ".ws-bubble a"):
        term.click()
        assert bubble.locator("span").inner_text() == SAYS
        assert desk.axe() == []
        assert page.url == address
        page.emulate_media(media="print")
        assert not bubble.is_visible()
        assert not page.locator(".ws-terms").is_visible()
        page.emulate_media(media="screen")
        page.locator(onward).first.click()
        page.wait_for_url("**/appendix/glossary.html#term-budget")
        page.go_back()
        page.wait_for_url(address)
        assert not bubble.is_visible()


def test_a_term_is_marked_once_on_a_page(site):
    for path in (site / "chapters").glob("*.html"):
        terms = re.findall(r'href="[^"#]*glossary\.html#term-([^"]+)"', path.read_text("utf-8"))
        assert len(terms) > 10
        assert len(set(terms)) == len(terms), path.stem


def test_a_tap_shows_it_within_the_screen_and_elsewhere_closes_it(address, browser):
    with Visit(browser, has_touch=True, is_mobile=True) as finger:
        finger.go(address, width=360, height=740)
        page, bubble = finger.page, finger.page.locator(".ws-bubble")
        for term in page.locator("a.ws-term:visible").all():
            term.tap()
            box, of_term = bubble.bounding_box(), term.bounding_box()
            assert 0 <= box["x"] <= box["x"] + box["width"] <= 360
            assert box["y"] >= of_term["y"] + of_term["height"], "it stands below its line"
            assert page.evaluate("document.documentElement.scrollWidth") == 360
            assert page.locator(".ws-spoken").text_content() == bubble.locator("span").inner_text()
            page.keyboard.press("Escape")
        page.locator(TERM).tap()
        page.locator("h1").tap()
        assert not bubble.is_visible()
        assert page.url == address
        page.locator(TERM).tap()
        assert finger.axe() == []
        page.locator(".ws-bubble a").tap()
        page.wait_for_url("**/appendix/glossary.html#term-budget")
        assert finger.errors == []


def test_by_keyboard_enter_shows_it_tab_leads_into_it_and_escape_back(desk):
    page, term, bubble = desk.page, desk.page.locator(TERM), desk.page.locator(".ws-bubble")
    assert page.locator(f"#{term.get_attribute('aria-describedby')}").text_content() == SAYS
    term.focus()
    assert bubble.count() == 0
    page.keyboard.press("Enter")
    assert bubble.is_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "In the glossary"
    page.keyboard.press("Escape")
    assert not bubble.is_visible()
    assert term.evaluate("term => term === document.activeElement")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.wait_for_url("**/appendix/glossary.html#term-budget")


def test_without_a_script_the_link_is_a_link(address, browser):
    with Visit(browser, address, java_script_enabled=False) as plain:
        plain.page.locator(TERM).click()
        plain.page.wait_for_url("**/appendix/glossary.html#term-budget")
