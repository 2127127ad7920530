"""The frame around the text: columns that show where one is, drawers, jumps."""

from itertools import pairwise

import pytest

from book.builder.page_assets import unbroken

PAGE = "chapters/divergences.html"  # its entry stands below the first screen of the sidebar
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
PHONE = {"width": 360, "height": 740}


def opened(tab, site, **looks):
    tab.go((site / PAGE).as_uri(), **looks)
    tab.page.wait_for_function("!document.querySelector('[data-figure]:not([data-ready])')")
    tab.page.evaluate(FRAMES)
    return tab.page


@pytest.mark.parametrize("width", [1264, 1920])
def test_sidebar_text_and_contents_stand_side_by_side_and_the_sidebar_shows_where_one_is(tab, site, width):
    page = opened(tab, site, width=width, height=600)
    boxes = [page.locator(part).bounding_box() for part in (".sidebar-drawer", "article", ".toc-drawer")]
    assert boxes[0]["x"] == page.locator(".sidebar-container").bounding_box()["x"] == 0
    for left, right in pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"]
    assert boxes[2]["x"] + boxes[2]["width"] <= page.evaluate("document.documentElement.clientWidth")
    assert page.locator(".toc-drawer a:visible").count() > 10
    assert not page.get_by_role("button", name="Toggle table of contents").is_visible()
    assert page.locator("article p").first.bounding_box()["width"] > 600
    box = page.locator(".sidebar-tree [aria-current=page]").bounding_box()
    seen = page.locator(".sidebar-scroll").bounding_box()
    assert seen["y"] <= box["y"] <= box["y"] + box["height"] <= seen["y"] + seen["height"]
    assert page.locator(".sidebar-scroll").evaluate("box => box.scrollTop") > 0, "it had to be scrolled"


@pytest.mark.parametrize("look", [{"width": 1280, "height": 900}, PHONE])
def test_the_titles_of_parts_begin_where_their_pages_do(tab, site, look):
    page = opened(tab, site, **look)
    first, part = page.locator(".sidebar-tree .ws-first"), page.locator(".sidebar-tree .caption-text").nth(1)
    edges = [
        one.evaluate(
            """el => {
              const range = document.createRange();
              range.selectNodeContents(el);
              return range.getBoundingClientRect().left;
            }"""
        )
        for one in (first, part, page.locator(".sidebar-tree details[open] .reference").first)
    ]
    assert max(edges) - min(edges) <= 1
    mark = "getComputedStyle(document.querySelectorAll('.sidebar-tree summary')[1], '::after').width"
    assert float(page.evaluate(mark).removesuffix("px")) >= 8, "a square on its corner, so 11 px across"


def test_no_line_of_a_title_ends_within_a_word():
    title = '<h1>Attention, softmax-plus-one: x<a class="headerlink" href="#softmax-plus-one">'
    assert unbroken(f"{title}</h1>") == (
        '<h1>Attention, <span class="ws-unbroken">softmax-plus-one</span>: x'
        '<a class="headerlink" href="#softmax-plus-one"></h1>'
    )


def here(page):
    page.evaluate(FRAMES)
    return page.locator(".toc-tree a[aria-current]").all_inner_texts()


def test_the_contents_show_which_part_is_read(tab, site):
    page = opened(tab, site, height=500)
    assert here(page) == []
    for heading in page.locator("article :is(h2, h3):not(#further *)").all():  # its parts are closed, a line each
        heading.evaluate("heading => scrollTo(0, scrollY + heading.getBoundingClientRect().top - 120)")
        if page.evaluate("innerHeight + scrollY < document.documentElement.scrollHeight - 2"):
            assert here(page) == [heading.evaluate("heading => heading.textContent.replace('¶', '')")]
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert here(page) == ["Sources"]
    box, seen = page.locator(".toc-tree a[aria-current]").bounding_box(), page.locator(".ws-toc").bounding_box()
    assert box["y"] + box["height"] <= seen["y"] + seen["height"], "the column is scrolled to it"
    page.evaluate("scrollTo(0, 0)")
    assert here(page) == []


def test_on_a_phone_the_drawer_closes_after_a_choice_and_the_pages_before_and_after_stand_apart(tab, site):
    page = opened(tab, site, **PHONE)
    before, after = (page.locator(f".related-pages .{which}-page").bounding_box() for which in ("prev", "next"))
    assert before["x"] + before["width"] + 16 <= after["x"]
    button = page.get_by_role("button", name="Toggle table of contents")
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    page.locator(".toc-drawer a").get_by_text("Where it breaks").click()
    assert button.get_attribute("aria-expanded") == "false"
    page.wait_for_function("document.querySelector('.toc-drawer').getBoundingClientRect().left >= innerWidth")
    head = page.locator(".mobile-header").bounding_box()
    top = page.get_by_role("heading", name="Where it breaks").bounding_box()["y"]
    assert head["y"] + head["height"] <= top < 400


SHIFTS = """() => new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntries().map(({ value }) => value)))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done([]), 500);
})"""
JUMPED = """() => {
  document.querySelector(".toc-tree a[href='#sources']").click();
  return document.getElementById("sources").getBoundingClientRect().top;
}"""


@pytest.mark.parametrize("looks", [{}, PHONE], ids=["desk", "phone"])
def test_nothing_shifts_while_a_page_is_opened_and_a_jump_is_made_at_once(tab, site, looks):
    page = opened(tab, site, **looks)
    assert page.evaluate(SHIFTS) == []
    assert 0 <= page.evaluate(JUMPED) < 900
    for box in (".sidebar-scroll", ".ws-toc", "html"):
        assert page.locator(box).evaluate("box => getComputedStyle(box).scrollBehavior") == "auto"
