"""A tick after a sentence leads to its check, in place with a script, else at the page's foot; what is folded."""

import re
from html import unescape

import pytest
from chapter_code import checks_of, sources

from book.claims import find
from tools.browser import Visit

PAGE = "chapters/kl.html"
CHECKS = [name for path in sources() for name in checks_of(path)]
TICK = 'a.ws-tick[href="#claim-kl-regret"]'


@pytest.fixture(scope="module")
def address(site):
    return (site / PAGE).as_uri()


def test_every_tick_is_named_after_its_check_which_stands_at_the_page_s_foot_with_all_others(site):
    for path in (site / "chapters").glob("*.html"):
        html = path.read_text("utf-8")
        ticks = dict(
            re.findall(r'class="ws-tick[ \w-]*" href="#claim-([\w-]+)" aria-label="Checked: (.*?)"', html)
        )
        foot = html.partition('<details class="ws-foot"')[2]
        checks = re.findall(r'id="claim-([\w-]+)"', html)
        assert checks == re.findall(r'id="claim-([\w-]+)"', foot), "they stand nowhere else"
        assert checks == [one for one in CHECKS if one.startswith(f"{path.stem}-")], path.stem
        assert f"its {len(checks)} checks" in foot
        assert set(ticks) <= set(checks)
        for name, says in ticks.items():
            assert unescape(says) == find(name).says
        before = re.findall(r'(\s|</a>|)\u2060<a class="ws-tick( ws-again|)"', html)
        assert all((space == "</a>") == bool(again) and not space.isspace() for space, again in before), path.stem
        assert not re.search(r"\w[.,;:]<(?:em|strong|code)\b", html), f"{path.stem}: another space is gone"


def test_a_tick_has_24_pixels_to_press_moves_no_line_and_shows_its_check_beside_the_sentence(address, tab):
    tab.go(address)
    page, tick = tab.page, tab.page.locator(TICK)
    boxes = [one.bounding_box() for one in page.locator("a.ws-tick:visible").all()]
    assert all(min(box["width"], box["height"]) >= 24 for box in boxes)
    heights = """tick => {
      const home = tick.closest("p"), before = home.offsetHeight;
      tick.style.display = "none";
      const found = [before, home.offsetHeight];
      tick.style.display = "";
      return found;
    }"""
    before, without = tick.evaluate(heights)
    assert before == without

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
    for part in (TICK, ".ws-panel summary", ".ws-foot > summary"):
        tab.page.locator(part).first.click()
    tab.page.evaluate("scrollTo(0, 0)")  # the theme's button "Back to top", which is not in question here, goes
    tab.page.wait_for_timeout(400)  # what scrolls sideways can now be reached by keyboard
    assert tab.axe() == []
    assert tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    tab.page.emulate_media(media="print")
    shown = tab.page.locator(".ws-foot .ws-claim p")
    assert shown.count() > 20
    assert all(line.bounding_box()["height"] > 5 for line in shown.all())


def test_a_tick_of_the_first_page_leads_to_the_check_in_its_chapter(site):
    html = (site / "index.html").read_text("utf-8")
    ticks = re.findall(r'class="ws-tick[ \w-]*" href="([^"#]*)#claim-([\w-]+)" aria-label="Checked: (.*?)"', html)
    assert 4 <= len(ticks) <= 6
    for page, name, says in ticks:
        assert page == f"chapters/{name.partition('-')[0]}.html"
        assert unescape(says) == find(name).says
        assert f'id="claim-{name}"' in (site / page).read_text("utf-8")
