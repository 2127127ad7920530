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
def mouse(address, browser):
    with Visit(browser, address) as visit:
        yield visit
        assert visit.errors == []


def test_under_a_mouse_it_shows_stays_while_the_pointer_is_in_it_and_goes_as_it_does_on_paper(mouse, address):
    page, bubble = mouse.page, mouse.page.locator(".ws-bubble")
    page.locator(TERM).first.hover()
    bubble.wait_for(state="visible")
    assert bubble.locator("p").inner_text() == SAYS
    bubble.locator("p").hover()
    page.wait_for_timeout(600)  # longer than a pointer that leaves is waited for
    assert bubble.is_visible()
    assert mouse.axe() == []
    page.mouse.move(5, 5)
    bubble.wait_for(state="hidden")
    page.locator(TERM).first.hover()
    bubble.wait_for(state="visible")
    page.keyboard.press("Escape")
    assert not bubble.is_visible()
    page.locator(TERM).first.click()
    assert bubble.is_visible()
    page.emulate_media(media="print")
    assert not bubble.is_visible()
    assert not page.locator(".ws-terms").is_visible()
    page.emulate_media(media="screen")
    for onward in (TERM, ".ws-bubble a"):  # the first press shows it, the second goes on
        page.mouse.move(5, 5)
        page.wait_for_timeout(600)
        assert bubble.is_visible(), "what was pressed is held"
        assert page.url == address
        page.locator(onward).first.click()
        page.wait_for_url("**/appendix/glossary.html#term-budget")
        page.go_back()
        page.wait_for_url(address)
        assert not bubble.is_visible()
        page.locator(TERM).first.click()


def test_a_tap_shows_it_within_the_screen_and_elsewhere_closes_it(address, browser):
    with Visit(browser, has_touch=True, is_mobile=True) as finger:
        finger.go(address, width=360, height=740)
        page, bubble = finger.page, finger.page.locator(".ws-bubble")
        for term in page.locator("a.ws-term:visible").all():
            term.tap()
            box, of_term = bubble.bounding_box(), term.bounding_box()
            assert 0 <= box["x"] <= box["x"] + box["width"] <= 360
            above = box["y"] + box["height"] <= of_term["y"]
            assert above or box["y"] >= of_term["y"] + of_term["height"], "it leaves the term free"
            assert page.evaluate("document.documentElement.scrollWidth") == 360
            assert page.locator(".ws-spoken").text_content() == bubble.locator("p").inner_text()
            page.keyboard.press("Escape")
        page.locator(TERM).first.tap()
        page.locator("h1").tap()
        assert not bubble.is_visible()
        assert page.url == address
        page.locator(TERM).first.tap()
        assert finger.axe() == []
        page.locator(".ws-bubble a").tap()
        page.wait_for_url("**/appendix/glossary.html#term-budget")
        assert finger.errors == []


def test_by_keyboard_it_shows_with_the_focus_and_enter_goes_on(mouse):
    page, term, bubble = mouse.page, mouse.page.locator(TERM).first, mouse.page.locator(".ws-bubble")

    def arrive():
        term.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")

    arrive()
    assert bubble.is_visible()
    assert page.locator(f"#{term.get_attribute('aria-describedby')}").text_content() == SAYS
    page.keyboard.press("Escape")
    assert not bubble.is_visible()
    assert term.evaluate("term => term === document.activeElement")
    arrive()
    page.keyboard.press("Tab")  # on to what comes next in the text, not into the bubble
    assert not page.locator(".ws-bubble a").evaluate("link => link === document.activeElement")
    assert bubble.locator("p").inner_text() != SAYS or not bubble.is_visible()
    arrive()
    page.keyboard.press("Enter")
    page.wait_for_url("**/appendix/glossary.html#term-budget")


def test_without_a_script_the_link_is_a_link(address, browser):
    with Visit(browser, address, java_script_enabled=False) as plain:
        plain.page.locator(TERM).first.click()
        plain.page.wait_for_url("**/appendix/glossary.html#term-budget")
