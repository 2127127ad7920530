"""The built book as a reader's browser sees it: light, silent, whole, and usable by everyone."""

import gzip
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from chapter_code import BUILT

from tools.browser import Visit

ROOT = Path(__file__).parents[2]
# What a theme and a width can change.
OF_LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]
BUDGET = 150 * 1024  # bytes of one page with all it loads, gzipped


# The numbers of equations that lie over what is seen of their formulas.
NUMBERS_ON_FORMULAS = """() => [...document.querySelectorAll(".eqno")].filter((number) => {
  const a = number.getBoundingClientRect(), seen = number.parentElement.querySelector(".math-scroll");
  const right = seen.getBoundingClientRect().right;
  return a.width && [...seen.querySelectorAll("svg")].map((svg) => svg.getBoundingClientRect()).some((b) =>
    Math.min(b.right, right) > a.left + 1 && b.left < a.right && b.bottom > a.top && b.top < a.bottom);
}).map((number) => number.textContent)"""


class Tags(HTMLParser):
    """Every start tag of a page, as (name, attributes)."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


@pytest.fixture(scope="session")
def tags(site):
    return {p: Tags((site / p).read_text("utf-8")).tags for p in BUILT}


def test_every_chapter_is_in_the_table_of_contents_and_every_entry_is_a_page(site):
    chapters = {f"chapters/{path.stem}.html" for path in (ROOT / "chapters").glob("*.md")}
    assert chapters <= set(BUILT)
    assert all((site / page).is_file() for page in BUILT)


FETCHING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "use": "href"}


@pytest.mark.parametrize("page", BUILT)
def test_links_and_their_targets_exist_and_nothing_is_fetched_from_another_host(site, tags, page):
    ids = {name: {a["id"] for _, a in found if "id" in a} for name, found in tags.items()}
    for tag, attributes in tags[page]:
        url = attributes.get(FETCHING.get(tag, ""), "")
        assert not url.startswith(("http:", "https:", "//")), f"{page}: <{tag}> {url}"
        link = attributes.get("href") or attributes.get("src") or ""
        parts = urlsplit(link)
        if not link or parts.scheme or parts.netloc or attributes.get("rel") == "canonical":
            continue
        target = (site / page).parent / unquote(parts.path) if parts.path else site / page
        assert target.is_file(), f"{page}: {link}"
        name = target.resolve().relative_to(site.resolve()).as_posix()
        if parts.fragment and name in ids:
            assert unquote(parts.fragment) in ids[name], f"{page}: {link}"


@pytest.mark.parametrize("page", BUILT)
def test_a_page_says_what_it_is_also_where_it_is_posted(site, tags, page):
    """The address of its card is relative where the book does not know its own; else see test_card.py."""
    found = tags[page]
    names = [tag for tag, _ in found]
    assert names.count("h1") == names.count("main") == 1
    assert sum(tag == "meta" and a.get("name") == "description" for tag, a in found) == 1
    assert sum((tag == "input" and a.get("type") == "search") or a.get("name") == "q" for tag, a in found) == 1
    assert next(a["lang"] for tag, a in found if tag == "html").startswith("en")
    assert all(a.get("alt") for tag, a in found if tag == "img")
    said = {a.get("property") or a.get("name"): a.get("content") for tag, a in found if tag == "meta"}
    assert 50 <= len(said["description"]) <= 300
    title = unescape(re.search(r"<title>(.*?)</title>", (site / page).read_text("utf-8"), re.DOTALL)[1])
    assert said["og:title"].lower() in title.lower()
    assert said["og:description"] == said["description"]
    assert said["twitter:card"] == "summary_large_image"
    assert said["og:image"].endswith("_static/side-by-side.png")
    assert ((site / page).parent / said["og:image"]).is_file()


@pytest.mark.parametrize("page", BUILT)
def test_every_formula_is_typeset_before_the_page_is_opened(site, page):
    text = (site / page).read_text("utf-8")
    formulas = re.findall(r'class="math notranslate nohighlight"[^>]*>(.{0,60})', text, re.DOTALL)
    assert formulas or "$" not in (ROOT / page).with_suffix(".md").read_text("utf-8")
    assert all("<svg" in formula for formula in formulas)
    outlines = set(re.findall(r'<path id="(TEX-[^"]+)"', text))
    assert set(re.findall(r'<use href="#(TEX-[^"]+)"', text)) == outlines


def opened(tab, url, **looks):
    """The page there, once every figure on it stands."""
    for list_ in (tab.errors, tab.away, tab.responses):
        list_.clear()
    tab.go(url, **looks)
    tab.page.wait_for_function("!document.querySelector('[data-figure]:not([data-ready])')")
    return tab.page


@pytest.mark.parametrize("page", BUILT)
def test_a_page_is_light_and_usable_by_everyone(base, tab, page):
    """On a wide screen in light colours, on a phone in dark ones."""
    opened(tab, f"{base}/{page}")
    bodies = [response.body() for response in tab.responses if response.ok]
    weight = sum(len(gzip.compress(body, 6)) for body in bodies)
    assert len(bodies) >= 2
    assert weight <= BUDGET, f"{page}: {weight / 1024:.0f} KiB"
    assert tab.axe() == [], f"{page}, 1280 pixels wide"

    opened(tab, f"{base}/{page}", width=360, theme="dark")
    assert tab.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert tab.axe(OF_LOOKS) == [], f"{page}, dark, 360 pixels wide"
    wide = tab.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0, "nothing scrolls sideways on a phone"
    assert tab.page.evaluate(NUMBERS_ON_FORMULAS) == []
    assert tab.away == []
    assert tab.errors == []


def test_the_theme_toggle_and_the_root_element_agree(base, browser):
    with Visit(browser, f"{base}/index.html") as visit:  # a tab of its own, for the page keeps what was chosen
        theme, body = "document.documentElement.dataset.theme", "document.body.dataset.theme === 'dark'"
        seen = []
        for _ in range(3):
            visit.page.locator("button.theme-toggle:visible").click()
            visit.page.wait_for_function(f"{theme} === ({body} ? 'dark' : 'light')")
            seen.append(visit.page.evaluate(theme))
        assert set(seen) == {"light", "dark"}
        visit.page.evaluate(f"{theme} = 'dark'")
        visit.page.wait_for_function(body)


RINGS = """() => [...document.querySelectorAll('[data-ready] :is(.ws-range:enabled, .ws-grip)')].filter(
  part => part.checkVisibility({ checkVisibilityCSS: true })).map(part => {
    part.focus({ focusVisible: true });
    const [own, knob] = [part, part.querySelector('.ws-knob')].map(el => el && getComputedStyle(el).outlineStyle);
    return [part.matches(':focus-visible') ? own : 'no focus', knob];
  })"""


EDGES = """() => {
  const text = document.querySelector("article p").getBoundingClientRect(), off = [];
  const shown = ":is(.ws-figure, .ws-static, .output > .highlight)";
  const figures = document.querySelectorAll(`article section > div > .cell_output ${shown}`);
  for (const figure of figures) {
    const box = figure.getBoundingClientRect();
    if (box.width && (Math.abs(box.left - text.left) > 1 || Math.abs(box.right - text.right) > 1))
      off.push([figure.className, box.left - text.left, box.right - text.right]);
  }
  return [figures.length, off];
}"""


@pytest.mark.parametrize("page", [page for page in BUILT if page.startswith(("index", "chapters"))])
def test_on_a_large_screen_figures_have_the_edges_of_the_text_and_one_ring_round_the_knob_in_focus(
    base, page, tab
):
    """The page's own ring, round the whole of a slider, would strike out the numbers below it."""
    opened(tab, f"{base}/{page}", width=1920, height=1080)
    count, off = tab.page.evaluate(EDGES)
    assert page == "index.html" or (count >= 2 and off == [])
    found = tab.page.evaluate(RINGS)
    assert found
    assert {own for own, _ in found} == {"none"}
    assert {knob for _, knob in found} <= {None, "solid"}
    assert "solid" in {knob for _, knob in found} or "attention" not in page


def test_the_menu_opens_by_keyboard_on_a_phone(base, tab):
    page = opened(tab, f"{base}/index.html", width=360)
    button = page.get_by_role("button", name="Toggle site navigation sidebar")
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    page.get_by_role("complementary", name="Chapters").get_by_role("link").last.wait_for(state="visible")
    page.keyboard.press("Escape")
    assert button.get_attribute("aria-expanded") == "false"
