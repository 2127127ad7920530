"""What stands after the summary is closed: it opens by a press, by its address, by a link to it, and on paper."""

import re

import pytest
from chapter_code import sources

from tools.browser import Visit

PAGE = "chapters/kl.html"
PART = "what-the-best-is-worth"
OPEN = "() => [...document.querySelectorAll('details.ws-later[open]')].map((fold) => fold.parentElement.id)"


@pytest.fixture(scope="module")
def address(site):
    return (site / PAGE).as_uri()


def test_each_part_of_further_is_one_line_with_its_title_and_its_minutes(site):
    for path in sources():
        if path.parent.name != "chapters":
            continue
        titles = re.findall(r"^### (.+)$", path.read_text("utf-8").partition("\n## Further\n")[2], re.MULTILINE)
        html = (site / f"chapters/{path.stem}.html").read_text("utf-8")
        closed = re.findall(r'<details class="ws-later"><summary>(.*?)</summary>', html, re.DOTALL)
        assert len(closed) == len(titles) > 0, path.stem
        assert all("<h3>" in one and "minute" in one and "<p>" not in one for one in closed)


@pytest.mark.parametrize("script", [True, False])
def test_a_press_opens_a_part_and_closes_it(address, browser, script):
    with Visit(browser, address, java_script_enabled=script) as visit:
        page, inside = visit.page, visit.page.locator(f"#{PART} > details > p").first
        assert not inside.is_visible()
        page.locator(f"#{PART} summary").first.click()
        assert inside.is_visible()
        page.locator(f"#{PART} summary").first.click()
        assert not inside.is_visible()


def test_its_address_opens_it_and_so_does_a_link_in_the_page(address, browser):
    with Visit(browser) as visit:
        visit.go(f"{address}#{PART}")
        page = visit.page
        page.wait_for_function(f"({OPEN})().includes('{PART}')")
        assert page.evaluate(OPEN) == [PART], "and no other"
        assert 0 <= page.locator(f"#{PART} h3").bounding_box()["y"] < 300
        page.locator(
            "article a[href='#kl-other-proof'], .toc-tree a[href='#where-more-budget-is-of-no-use']"
        ).first.click()
        page.wait_for_function(f"({OPEN})().length === 2")
        assert visit.errors == []


def test_on_paper_all_is_open(address, tab):
    tab.go(address)
    tab.page.emulate_media(media="print")
    lines = tab.page.locator("details.ws-later > p").all()
    assert len(lines) > 10
    assert all(line.bounding_box()["height"] > 5 for line in lines)
    tab.page.emulate_media(media="screen")


def test_on_paper_the_table_of_symbols_is_open(site, tab):
    tab.go((site / "appendix/about.html").as_uri())
    row = tab.page.locator("details.sd-dropdown td").first
    assert not row.is_visible()
    tab.page.emulate_media(media="print")
    assert row.bounding_box()["height"] > 5
    tab.page.emulate_media(media="screen")
