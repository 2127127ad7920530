"""The map on the first page: every chapter once, in order, with its minutes and the chapters it builds on."""

import re
from pathlib import Path

import yaml

from book.builder.book_map import needed, parts
from book.builder.minutes import of_main_line

ROOT = Path(__file__).parents[2]
PARTS = parts(yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8")))
ORDER = [page for _, pages in PARTS for page in pages]


def test_every_chapter_is_in_one_part_and_the_appendix_in_none():
    assert sorted(ORDER) == sorted(f"chapters/{path.stem}" for path in (ROOT / "chapters").glob("*.md"))


def test_what_a_chapter_needs_stands_in_its_own_paragraph():
    order = ["chapters/one", "chapters/two", "chapters/three"]
    source = "{doc}`three`\n\n**You need** {doc}`b <two>` and {doc}`one`, {doc}`../appendix/x`.\n\n"
    assert needed(source, "chapters/three", order) == ["chapters/one", "chapters/two"]
    assert needed("Nothing is needed.\n", "chapters/one", order) == []


def test_a_chapter_of_the_main_part_needs_earlier_ones_only():
    for page in ORDER:
        before = needed((ROOT / f"{page}.md").read_text("utf-8"), page, ORDER)
        assert all(ORDER.index(other) < ORDER.index(page) for other in before), page
        assert before or page == ORDER[0], f"{page} names no chapter in its paragraph You need"


def test_the_first_page_shows_the_map(site):
    html = re.sub(r"\s", " ", (site / "index.html").read_text("utf-8"))  # spaces that do not break, too
    shown = html[html.index('class="book-map') : html.index('id="three-ways')]
    links = re.findall(r'href="(chapters/\w+)\.html"', shown)
    assert links == ORDER
    told = re.findall(r'book-map-told">(\d+) min(?: · needs ([\d, ]+))?<', shown)
    for page, (minutes, numbers) in zip(ORDER, told, strict=True):
        source = (ROOT / f"{page}.md").read_text("utf-8")
        assert int(minutes) == of_main_line(source)
        assert [ORDER[int(n) - 1] for n in numbers.split(", ") if n] == needed(source, page, ORDER)
    assert [int(n) for n in re.findall(r'<ol[^>]* start="(\d+)"', shown)][-1] == len(ORDER) - len(PARTS[-1][1]) + 1
