"""The map of the book: every chapter once, in order, with its minutes and the chapters it builds on."""

import re
import tomllib
from datetime import date
from pathlib import Path

import pytest
import yaml

from book.builder.book_map import short

ROOT = Path(__file__).parents[2]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
PARTS = [[entry["file"] for entry in part["chapters"]] for part in TOC["parts"]]
PARTS = [part for part in PARTS if part[0].startswith("chapters/")]
ORDER = [page for part in PARTS for page in part]
SOURCES = {page: (ROOT / f"{page}.md").read_text("utf-8") for page in ORDER}
READ = tomllib.loads((ROOT / "reading/minutes.toml").read_text("utf-8"))
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()


def test_the_page_about_the_book_shows_the_map(site):
    html = re.sub(r"\s", " ", (site / "appendix/about.html").read_text("utf-8"))  # spaces that do not break, too
    shown = html[html.index('class="book-map') : html.index('id="two-ways')]
    assert re.findall(r'href="\.\./(chapters/\w+)\.html"', shown) == ORDER
    assert sorted(ORDER) == sorted(f"chapters/{path.stem}" for path in (ROOT / "chapters").glob("*.md"))
    told = re.findall(r'book-map-told">(\d+) min(?: · after ([\w, ]+))?<', shown)
    names = [short(re.search(r"^# (.*)$", SOURCES[page], re.MULTILINE)[1]) for page in ORDER]
    assert len(set(names)) == len(names)
    for page, (minutes, named_before) in zip(ORDER, told, strict=True):
        assert READ[page.partition("/")[2]]["main"] == int(minutes)
        paragraph = SOURCES[page].partition("**You need**")[2].partition("\n\n")[0]
        named = re.findall(r"\{doc\}`(?:[^`<]*<)?(\w+)>?`", paragraph)
        before = [ORDER[names.index(name)] for name in re.findall(r"[A-Z][^,]*", named_before)]
        assert before == [other for other in ORDER if other.partition("/")[2] in named]
        assert all(ORDER.index(other) < ORDER.index(page) for other in before), "a chapter needs earlier ones"
        assert before or page == ORDER[0], f"{page} names no chapter in its paragraph You need"


@pytest.mark.parametrize("page", ORDER)
def test_a_page_says_how_long_it_takes_and_further_adds_up(site, page):
    read = READ[page.partition("/")[2]]
    said = f"A first reader took {read['main']} minutes for this chapter, without the exercises. "
    said += f"All of Further takes about {read['further']} more."
    html = (site / f"{page}.html").read_text("utf-8")
    assert html.count(f'<p class="minutes">{said}</p>') == 1
    assert html.index('class="minutes"') > html.index('data-figure="'), "the figure comes first"
    assert html.index('class="minutes"') < html.index("<h2>")
    optional = SOURCES[page].partition("\n## Further\n")[2].partition("\n## ")[0]
    leads = [section.split("\n\n")[1] for section in re.split("^### ", optional, flags=re.MULTILINE)[1:]]
    stated = [re.search(rf"\b({'|'.join(NUMBERS)}) minutes?\b", lead, re.IGNORECASE)[1] for lead in leads]
    assert sum(NUMBERS.index(number.lower()) for number in stated) == read["further"]


def test_each_chapter_has_been_read_and_none_takes_more_than_half_an_hour():
    assert sorted(READ) == sorted(page.partition("/")[2] for page in ORDER)
    for page, read in READ.items():
        assert 10 <= read["main"] <= 30, page
        assert date(2026, 11, 1) <= read["read"] <= date.today(), page
