"""A figure of the built book fits one screen, with its controls, its sentence and its caption."""

import pytest
from browser import serve
from test_pages import PAGES

SCREENS = {(1280, 800): 620, (360, 740): 700}  # the most that a figure may take of each, in CSS pixels
PREDICTIONS = ".ws-predict"  # an answer, once given, may be long; before, it is a question in the text
HEIGHTS = """not => [...document.querySelectorAll(`.ws-figure:not(${not})`)]
  .filter((el) => el.checkVisibility()).map((el) => [el.id, Math.round(el.getBoundingClientRect().height)])"""


@pytest.fixture(scope="module")
def base(site):
    with serve(site) as url:
        yield url


def with_figures(site):
    return [page for page in PAGES if 'class="ws-figure' in (site / page).read_text("utf-8")]


@pytest.mark.parametrize("screen", SCREENS, ids="{0[0]}x{0[1]}".format)
def test_every_figure_fits_one_screen(base, site, browser, screen):
    width, height = screen
    page = browser.new_page(viewport={"width": width, "height": height})
    found = {}
    for name in with_figures(site):
        page.goto(f"{base}/{name}")
        page.wait_for_function("!document.querySelector('.ws-figure[data-figure]:not([data-ready])')")
        page.evaluate("document.fonts.ready")
        found |= {f"{name}#{figure}": tall for figure, tall in page.evaluate(HEIGHTS, PREDICTIONS)}
    page.close()
    assert len(found) >= 20
    assert {figure: tall for figure, tall in found.items() if tall > SCREENS[screen]} == {}
