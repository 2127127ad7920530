"""The built book as a reader's browser sees it: light, silent, whole, and usable by everyone."""

import gzip
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from browser import Visit, serve

ROOT = Path(__file__).parents[1]
PAGES = [f"{entry}.html" for entry in re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text())]
BUDGET = 250 * 1024  # bytes of one page with all it loads, gzipped


@pytest.fixture(scope="session")
def base(site):
    with serve(site) as url:
        yield url


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
    return {p: Tags((site / p).read_text("utf-8")).tags for p in PAGES}


def test_every_chapter_is_in_the_table_of_contents_and_every_entry_is_a_page(site):
    chapters = {f"chapters/{path.stem}.html" for path in (ROOT / "chapters").glob("*.md")}
    assert chapters <= set(PAGES)
    assert all((site / page).is_file() for page in PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_links_and_their_targets_exist(site, tags, page):
    ids = {name: {a["id"] for _, a in found if "id" in a} for name, found in tags.items()}
    for tag, attributes in tags[page]:
        link = attributes.get("href") or attributes.get("src")
        if not link or (tag == "link" and attributes.get("rel") == "canonical"):
            continue
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (site / page).parent / unquote(parts.path) if parts.path else site / page
        assert target.is_file(), f"{page}: {link}"
        name = target.resolve().relative_to(site.resolve()).as_posix()
        if parts.fragment and name in ids:
            assert unquote(parts.fragment) in ids[name], f"{page}: {link}"


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_named_that_a_browser_would_fetch_from_another_host(tags, page):
    fetching = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "use": "href"}
    for tag, attributes in tags[page]:
        url = attributes.get(fetching.get(tag, ""), "")
        assert not url.startswith(("http:", "https:", "//")), f"{page}: <{tag}> {url}"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_what_it_is(site, tags, page):
    found = tags[page]
    descriptions = [a["content"] for t, a in found if t == "meta" and a.get("name") == "description"]
    assert len(descriptions) == 1
    assert 50 <= len(descriptions[0]) <= 300
    assert sum(t == "h1" for t, _ in found) == 1
    assert sum(t == "main" for t, _ in found) == 1
    assert sum((t == "input" and a.get("type") == "search") or a.get("name") == "q" for t, a in found) == 1
    assert next(a["lang"] for t, a in found if t == "html").startswith("en")
    assert all(a.get("alt") for t, a in found if t == "img")


@pytest.mark.parametrize("page", PAGES)
def test_every_formula_is_typeset_before_the_page_is_opened(site, page):
    text = (site / page).read_text("utf-8")
    formulas = re.findall(r'class="math notranslate nohighlight"[^>]*>(.{0,60})', text, re.DOTALL)
    assert formulas or "$" not in (ROOT / page).with_suffix(".md").read_text("utf-8")
    assert all("<svg" in formula for formula in formulas)
    outlines = set(re.findall(r'<path id="(TEX-[^"]+)"', text))
    assert set(re.findall(r'<use href="#(TEX-[^"]+)"', text)) == outlines


@pytest.mark.parametrize("way", ["http", "file"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_in_silence(site, base, page, way, browser):
    """No request to any other host, no console message of an error, and every figure stands."""
    url = f"{base}/{page}" if way == "http" else (site / page).as_uri()
    with Visit(url, browser=browser) as visit:
        figures = visit.page.locator("[data-figure]")
        for i in range(figures.count()):
            figures.nth(i).locator("xpath=self::*[@data-ready]").wait_for(state="attached", timeout=10_000)
        assert visit.away == []
        assert visit.errors == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_weighs_little(base, page, browser):
    with Visit(f"{base}/{page}", browser=browser) as visit:
        bodies = [r.body() for r in visit.responses if r.ok]
    text = sum(len(gzip.compress(body, 6)) for body in bodies)
    assert len(bodies) >= 2
    assert text <= BUDGET, f"{page}: {text / 1024:.0f} KiB"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing(base, page, width, theme, browser):
    with Visit(f"{base}/{page}", width=width, theme=theme, browser=browser) as visit:
        assert visit.page.evaluate("document.documentElement.dataset.theme") == theme
        assert visit.axe() == []


@pytest.mark.parametrize("page", PAGES)
def test_nothing_scrolls_sideways_on_a_phone(base, page, browser):
    with Visit(f"{base}/{page}", width=360, browser=browser) as visit:
        wide = visit.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0


def test_the_theme_toggle_and_the_root_element_agree(base, browser):
    with Visit(f"{base}/index.html", theme="light", browser=browser) as visit:
        theme = "document.documentElement.dataset.theme"
        seen = []
        for _ in range(3):
            visit.page.locator("button.theme-toggle:visible").click()
            visit.page.wait_for_function(
                f"{theme} === (document.body.dataset.theme === 'dark' ? 'dark' : 'light')"
            )
            seen.append(visit.page.evaluate(theme))
        assert set(seen) == {"light", "dark"}
        visit.page.evaluate(f"{theme} = 'dark'")
        visit.page.wait_for_function("document.body.dataset.theme === 'dark'")


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith(("index", "chapters"))])
def test_what_moves_has_one_ring_in_focus_and_it_is_round_the_knob(base, page, browser):
    """The page's own ring, round the whole of a slider, would strike out the numbers below it."""
    with Visit(f"{base}/{page}", browser=browser) as visit:
        visit.page.locator("[data-ready] .ws-range").first.wait_for()
        for part in visit.page.locator("[data-ready] :is(.ws-range, .ws-grip):visible").all():
            part.focus()
            ring = "el => el.matches(':focus-visible') && getComputedStyle(el).outlineStyle"
            assert part.evaluate(ring) == "none"
            knob = part.locator(".ws-knob")
            if knob.count():
                assert knob.evaluate("el => getComputedStyle(el).outlineStyle") == "solid"


def test_the_menu_opens_by_keyboard_on_a_phone(base, browser):
    with Visit(f"{base}/index.html", width=360, browser=browser) as visit:
        button = visit.page.get_by_role("button", name="Toggle site navigation sidebar")
        button.focus()
        visit.page.keyboard.press("Enter")
        assert button.get_attribute("aria-expanded") == "true"
        visit.page.get_by_role("complementary", name="Chapters").get_by_role("link").last.wait_for(state="visible")
        visit.page.keyboard.press("Escape")
        assert button.get_attribute("aria-expanded") == "false"


def test_search_finds_a_word_from_a_folder_on_disk(site, browser):
    with Visit((site / "search.html").as_uri() + "?q=divergence", browser=browser) as visit:
        visit.page.locator("#search-results li a").first.wait_for(timeout=10_000)
        assert visit.away == []
        assert visit.errors == []
