"""A page in other forms than at first sight: magnified to twice its size, without motion, on paper."""

import pytest

PAGES = ["index.html", "chapters/attention.html", "chapters/patterns.html", "appendix/claims.html"]
READY = "!document.querySelector('.ws-figure[data-figure]:not([data-ready])')"
each_page = pytest.mark.parametrize("name", PAGES)


@pytest.fixture
def opened(base, browser):
    """Opens a page in a window of its own, with what a browser can be asked for."""
    pages = []

    def open_page(name, **options):
        pages.append(browser.new_page(bypass_csp=True, **options))
        pages[-1].goto(f"{base}/{name}")
        pages[-1].wait_for_function(READY)
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()


# ---- twice as large

TOO_WIDE = """() => {
  const right = document.documentElement.clientWidth;
  const scrolls = (el) => el && (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(el).overflowX)
    || scrolls(el.parentElement));
  const wide = [...document.querySelectorAll('article *')].filter((el) => el.checkVisibility() && !scrolls(el)
    && el.getBoundingClientRect().width > 0 && el.getBoundingClientRect().right > right + 1);
  return [document.documentElement.scrollWidth > right, wide.map((el) => el.outerHTML.slice(0, 120))];
}"""


@each_page
def test_magnified_or_with_letters_twice_as_large_nothing_is_cut_off(opened, name):
    """A browser that magnifies a window of 1280 by 800 to 200 percent lays the page out in half of that."""
    page = opened(name, viewport={"width": 640, "height": 400}, device_scale_factor=2)
    assert page.evaluate(TOO_WIDE) == [False, []]
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate(TOO_WIDE) == [False, []]


# ---- without motion

MOVING = """() => [...document.querySelectorAll('*')].filter((el) => ['', '::before', '::after'].some((part) => {
  const { transitionDuration, animationDuration, animationName } = getComputedStyle(el, part || null);
  const lasts = (list) => list.split(',').some((one) => parseFloat(one) > 0.001);
  return lasts(transitionDuration) || (animationName !== 'none' && lasts(animationDuration));
})).map((el) => el.outerHTML.slice(0, 100))"""
AFTER_A_MOVE = """() => {
  const drawn = () => [...document.querySelectorAll('#real-head .ws-arc, #real-head .ws-word')]
    .map((el) => el.getAttribute('stroke-width') + el.getAttribute('style')).join();
  const range = document.querySelector('#real-head .ws-range'), before = drawn();
  range.value = range.max;
  range.dispatchEvent(new Event('input', { bubbles: true }));
  const at_once = drawn();
  return new Promise((done) => setTimeout(() => done([before, at_once, drawn()]), 600));
}"""


def test_a_figure_jumps_where_motion_is_not_wanted_and_glides_where_it_is(opened):
    before, at_once, later = opened("index.html", reduced_motion="reduce").evaluate(AFTER_A_MOVE)
    assert before != at_once == later
    before, at_once, later = opened("index.html", reduced_motion="no-preference").evaluate(AFTER_A_MOVE)
    assert before != later
    assert at_once != later


# ---- on paper

ON_PAPER = """() => {
  const seen = (selector) => [...document.querySelectorAll(selector)].filter((el) =>
    el.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
  return {
    fixed: seen('body *').filter((el) => ['fixed', 'sticky'].includes(getComputedStyle(el).position))
      .map((el) => el.outerHTML.slice(0, 100)),
    controls: seen('.ws-figure :is(button, [type=range], [type=number], select)')
      .map((el) => el.outerHTML.slice(0, 100)),
    furniture: seen('.sidebar-drawer, .toc-drawer, .mobile-header, .related-pages').length,
    hidden: [...document.querySelectorAll("article h2")].filter((el) => !el.checkVisibility())
      .map((el) => el.innerText),
    figures: seen('.ws-figure').filter((el) => el.querySelector('svg, canvas, .ws-sentence')).length,
  };
}"""


@each_page
def test_who_wants_no_motion_gets_none_and_paper_shows_text_and_figures_and_nothing_to_press(opened, name):
    page = opened(name, viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    assert page.evaluate(MOVING) == []
    page.evaluate("document.documentElement.classList.add('show-back-to-top')")  # as after a jump down the page
    page.emulate_media(media="print")
    found = page.evaluate(ON_PAPER)
    assert found.pop("figures") >= (name != "appendix/claims.html")
    assert found == {"fixed": [], "controls": [], "furniture": 0, "hidden": []}, "what says nothing on paper"
