"""A tick after a sentence leads to its check: in place with a script, into the list without one, and on paper."""

import re
from pathlib import Path

import pytest
from docutils import nodes

from book.builder.ticks import close_up, follows_a_tick
from book.builder.ticks import tick as tick_node
from tools.browser import Visit

PAGE = "chapters/kl.html"
TICK = 'a.ws-tick[href="#claim-kl-regret"]'


@pytest.fixture(scope="module")
def address(site):
    return (site / PAGE).as_uri()


def test_a_tick_is_named_after_its_check_has_24_pixels_to_press_and_moves_no_line(address, tab):
    tab.go(address)
    for tick in tab.page.locator("a.ws-tick").all():
        entry = tab.page.locator(tick.get_attribute("href"))
        sentence = entry.locator(".ws-claim-says").text_content().rpartition(" ")[0]
        spaces = {"\u2060": "", "\xa0": " "}  # what keeps T = 1 on one line
        assert tick.get_attribute("aria-label") == f"Checked: {sentence}".translate(str.maketrans(spaces))
        box = tick.bounding_box()
        assert min(box["width"], box["height"]) >= 24
    assert tab.axe() == []
    heights = tab.page.locator(TICK).evaluate(
        """tick => {
          const home = tick.closest("p"), before = home.offsetHeight;
          tick.style.display = "none";
          return [before, home.offsetHeight];
        }"""
    )
    assert heights[0] == heights[1], "its paragraph is as high as without it"


def test_pressed_it_shows_its_check_beside_the_sentence_and_keeps_the_focus(address, tab):
    tab.go(address)
    page, tick = tab.page, tab.page.locator(TICK)
    panel, spoken = page.locator(".ws-panel"), page.locator(".ws-spoken")
    tick.focus()
    page.keyboard.press("Enter")
    assert tick.get_attribute("aria-expanded") == "true"
    assert "The counter-case" in panel.inner_text()
    assert "The counter-case" in spoken.text_content()
    assert tick.evaluate("tick => tick === document.activeElement && tick.nextElementSibling.matches('.ws-panel')")
    assert tab.axe() == []
    page.keyboard.press("Tab")  # into the panel, to the fold with its code
    page.keyboard.press("Enter")
    assert panel.locator("pre").is_visible()
    page.keyboard.press("Escape")
    assert panel.count() == 0
    assert tick.get_attribute("aria-expanded") == "false"
    assert tick.evaluate("tick => tick === document.activeElement")
    for count in (1, 0):  # pressed again it closes
        tick.click()
        assert panel.count() == count
    page.locator("a.ws-tick").first.click()
    tick.click()
    assert panel.count() == 1


@pytest.mark.parametrize("script", [True, False])
def test_an_address_opens_the_list_that_it_leads_into(address, browser, script):
    with Visit(browser, java_script_enabled=script) as visit:
        visit.go(f"{address}#claim-kl-regret")
        visit.page.locator("#claim-kl-regret").wait_for(state="visible")
        if not script:
            visit.go(address)
            visit.page.locator(TICK).click()
            visit.page.locator("#claim-kl-regret").wait_for(state="visible")


def test_an_open_check_is_usable_on_a_phone_in_the_dark_and_on_paper_lists_are_open(address, tab):
    tab.go(address, width=360, theme="dark")
    assert not tab.page.locator(".ws-claim").first.is_visible()
    tab.page.locator(TICK).click()
    tab.page.locator(".ws-panel summary").click()
    tab.page.locator(".ws-checks > summary").first.click()
    tab.page.evaluate("scrollTo(0, 0)")  # the theme's button "Back to top", which is not in question here, goes
    tab.page.wait_for_timeout(400)  # what scrolls sideways can now be reached by keyboard
    assert tab.axe() == []
    assert tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    tab.page.emulate_media(media="print")
    shown = tab.page.locator(".ws-checks .ws-claim p")
    assert shown.count() > 20
    assert all(line.bounding_box()["height"] > 5 for line in shown.all())


def test_the_book_has_ticks_on_every_page_with_checks(site):
    for path in (site / "chapters").glob("*.html"):
        html = path.read_text("utf-8")
        checks = set(re.findall(r'id="claim-([\w-]+)"', html))
        assert checks == set(re.findall(r'class="ws-tick[ \w-]*" href="#claim-([\w-]+)"', html)), Path(path).stem


def test_the_space_before_a_tick_goes_and_no_other():
    """Where the same text, here a full stop and a space, stands earlier in the paragraph, too."""
    mark = tick_node()
    milk, drank = nodes.emphasis(text="milk"), nodes.emphasis(text="drank")
    line = nodes.paragraph("", "", milk, nodes.Text(". "), drank, nodes.Text(". "), mark)
    close_up(mark)
    assert not follows_a_tick(mark)
    again = tick_node()
    line += [nodes.Text(""), again]
    assert follows_a_tick(again)
    assert [child.astext() for child in line[:4]] == ["milk", ". ", "drank", "."]
