"""The page of claims in a browser: counts are filters, reasons are folded, and without a script all is shown."""

import re
from collections import Counter
from pathlib import Path

import pytest

from book.claims_page import ALL, COUNTS, VERDICTS
from book.figures.bundle import palette
from tools.browser import Visit

PAGE = "appendix/claims.html"
CSS = Path(__file__).parents[2] / "book" / "builder" / "static" / "claims.css"
SHOWN = """() => [...document.querySelectorAll("[data-verdict][data-text]")]
  .filter((claim) => claim.checkVisibility()).map((claim) => claim.id.replace("verdict-", ""))"""
HEADINGS = """() => [...document.querySelectorAll("article h2")].filter((heading) => heading.checkVisibility())
  .map((heading) => heading.firstChild.textContent)"""
SEEN = """id => {
  const { top } = document.getElementById(id).getBoundingClientRect();
  return top >= 0 && top < innerHeight;
}"""
BOXES = """() => [...document.querySelectorAll("article :is(.ws-scores li, h2, .ws-verdict)")].map((element) => {
  const { x, y, width } = element.getBoundingClientRect();
  return [x, y, width].map(Math.round);
})"""
WRONG = {id for id, verdict in VERDICTS.items() if verdict.word == "does not hold"}


@pytest.fixture(scope="module")
def address(site):
    return (site / PAGE).as_uri()


@pytest.fixture(scope="module")
def visit(browser):
    with Visit(browser) as tab:
        yield tab


@pytest.fixture
def tab(visit, address):
    visit.go(address)
    yield visit
    assert visit.errors == []


def button(page, name):
    return page.locator(".ws-scores").get_by_role("button", name=name)


def said(page):
    return page.locator(".ws-scores [role=status]").text_content()


@pytest.mark.parametrize("width", [1280, 360])
def test_without_its_script_all_is_shown_and_nothing_moves_when_counts_become_buttons(browser, address, width):
    with Visit(browser) as late:
        late.page.route("**/claims.js", lambda route: route.abort())
        late.go(address, width=width)
        before = late.page.evaluate(BOXES)
        assert late.page.locator(".ws-verdict:visible").count() == len(VERDICTS)
        assert late.page.locator(".ws-scores-verdicts").is_visible()
        assert late.page.locator(".ws-scores button").count() == 0
        late.page.add_script_tag(path=CSS.with_name("claims.js"))
        assert late.page.locator(".ws-scores button").count() > 10
        assert late.page.evaluate(BOXES) == before


def test_a_verdict_is_chosen_by_keyboard_and_the_page_says_how_many_are_left(tab, address):
    page = tab.page
    assert sorted(page.evaluate(SHOWN)) == sorted(ALL)
    assert said(page) == f"All {len(ALL)} claims shown"
    for word, n in Counter(verdict.word for verdict in VERDICTS.values()).items():
        assert button(page, re.compile(rf"^{n} {word}$")).get_attribute("aria-pressed") == "false"
    chosen = button(page, "does not hold")
    chosen.focus()
    page.keyboard.press("Space")
    assert chosen.get_attribute("aria-pressed") == "true"
    assert set(page.evaluate(SHOWN)) == WRONG
    assert said(page) == f"{len(WRONG)} of {len(ALL)} claims shown"
    assert page.url == f"{address}?verdict=does-not-hold"
    headings = page.evaluate(HEADINGS)
    assert headings == ["What does not hold", "The sources that the texts name"]
    page.keyboard.press("Enter")
    assert len(page.evaluate(SHOWN)) == len(ALL)
    assert page.url == address
    assert tab.axe() == []


def test_verdict_and_text_are_chosen_together_and_counts_follow(tab):
    page = tab.page
    button(page, "documentation").click()
    assert len(page.evaluate(SHOWN)) == COUNTS["B"]
    wrong_in_b = {id for id in WRONG if id[0] == "B"}
    assert button(page, "does not hold").text_content() == f"{len(wrong_in_b)} does not hold"
    button(page, "does not hold").click()
    assert set(page.evaluate(SHOWN)) == wrong_in_b
    button(page, "not judged").click()  # two verdicts: either
    assert set(page.evaluate(SHOWN)) == {*wrong_in_b, *(id for id in ALL if id[0] == "B" and id not in VERDICTS)}
    assert tab.axe() == []
    button(page, "Show all").click()
    assert len(page.evaluate(SHOWN)) == len(ALL)
    assert page.evaluate("document.activeElement.closest('.ws-scores') !== null")


def test_an_address_brings_a_choice_back_or_shows_an_entry_with_its_reasons_or_a_part(visit, address):
    page = visit.page
    visit.go(f"{address}?verdict=holds,does-not-hold&text=E")
    words = "holds", "does not hold"
    assert set(page.evaluate(SHOWN)) == {id for id, v in VERDICTS.items() if id[0] == "E" and v.word in words}
    visit.go(f"{address}?verdict=nonsense&text=Z")
    assert len(page.evaluate(SHOWN)) == len(ALL)
    visit.go("about:blank")
    visit.go(f"{address}?verdict=does-not-hold#verdict-A5")
    assert "A5" in page.evaluate(SHOWN)
    assert page.locator("#verdict-A5 details").evaluate("fold => fold.open")
    assert not page.locator("#verdict-B3 details").evaluate("fold => fold.open")
    page.wait_for_function(SEEN, arg="verdict-A5")  # it is scrolled to
    assert page.url == f"{address}#verdict-A5"
    button(page, "does not hold").click()
    page.evaluate("location.hash = 'what-holds'")
    page.wait_for_function(SEEN, arg="what-holds")
    assert len(page.evaluate(SHOWN)) == len(ALL)
    folds = "() => [...document.querySelectorAll('.ws-verdict-more')].filter(fold => fold.open).length"
    for press, opened in (("Open all reasons", len(VERDICTS)), ("Fold all reasons", 0)):
        button(page, press).click()
        assert page.evaluate(folds) == opened


def test_paper_has_all_claims_and_their_reasons_whatever_is_chosen(tab):
    page = tab.page
    button(page, "does not hold").click()
    counts = "() => [...document.querySelectorAll('.ws-scores-texts b')].map(count => Number(count.textContent))"
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(counts) == list(COUNTS.values())
    assert sorted(page.evaluate(SHOWN)) == sorted(ALL)
    assert page.locator("#verdict-A5 .ws-verdict-claims").bounding_box()["height"] > 0
    assert not button(page, "Show all").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert sum(page.evaluate(counts)) == len(WRONG)
    page.emulate_media(media="screen")


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (360, "dark")])
def test_what_is_pressed_has_44_pixels_and_colours_and_quotations_can_be_read(visit, address, width, theme):
    visit.go(address, width=width, theme=theme)
    page, colours = visit.page, palette()[theme]
    assert all(one.bounding_box()["height"] >= 44 for one in page.locator(".ws-scores button:visible").all())
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0

    quotation, font = page.locator("#verdict-A5 q"), "el => getComputedStyle(el).fontFamily"
    assert quotation.inner_text().strip("“”").split("\n") == VERDICTS["A5"].says.split("\n")
    assert "serif" in quotation.evaluate(font).split(", ")
    assert "serif" not in page.locator("#verdict-A5 .ws-verdict-says").evaluate(font).split(", ")

    names = ["does-not-hold", "holds-in-part", "holds-when", "holds"]
    read = "name => getComputedStyle(document.documentElement).getPropertyValue(`--ws-${name}`).trim()"
    ours = [page.evaluate(read, name) for name in names]
    assert len(set(ours)) == len(names)
    assert not set(ours) & set(colours.values()), "a colour of a map is no verdict's"
    assert visit.axe() == []


def test_both_ways_to_the_dark_theme_have_the_same_colours():
    by_choice, by_system = re.findall(r":root(?:\[|:not)[^{]*\{(.*?)\}", CSS.read_text("utf-8"), re.DOTALL)
    assert by_choice.split() == by_system.split()
