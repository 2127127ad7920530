"""What the figures look like: sizes, themes, paper, motion, and what the rules of accessibility ask."""

import math

import pytest
from figure_page import OVERLAPS, READY, beyond, drawn, example, more, rgb

from lib.book.example import TOKENS
from lib.figures import BetaWeights
from lib.figures.bundle import page_script

inf = math.inf
STATES = {
    "plain": example(),
    "zero": example(beta=0),
    "hard": example(beta=inf),
    "low": example(beta=-2.5),
    "deep": BetaWeights(TOKENS, [-1.5, 2.5, -0.4, 0, 1.5, -2.6, 0.8], beta=0.0315),
    "masked": example(where=[True, False, True, True, True, False, True], beta=3.15),
    "prior": example(prior=[1, 1, 2, 1, 1, 9, 0], beta=0.5, caption="A caption."),
    "empty": example(where=[False] * 7),
    "huge": BetaWeights(TOKENS, [1e308, -1e308, 0, 1, 2, 3, 4]),
    "eight": BetaWeights([*TOKENS, "was"], [0.1] * 8),
}


PICTURE = """figure => [...figure.querySelectorAll('rect, line, text')].map(el => ({
  tag: el.tagName, kind: [...el.classList].sort().join(' '), text: el.textContent,
  box: ['x', 'y', 'width', 'height', 'y1', 'y2'].map(a => parseFloat(el.getAttribute(a)) || 0),
  colour: getComputedStyle(el).fill.replace(/#[^)]*/, '#') + getComputedStyle(el).stroke,
}))"""
WORDS = """figure => [...figure.querySelectorAll(
  '.ws-axis, .ws-note, .ws-value, .ws-tokens li, dt, dd, .ws-say, .ws-caption')].map(el => el.textContent)"""


@pytest.mark.parametrize("state", STATES)
def test_the_static_picture_is_the_live_one(visit, state):
    still = visit(STATES[state], script=False).page.locator(".ws-figure")
    live = visit(STATES[state], name="live").page.locator(".ws-figure")
    for a, b in zip(still.evaluate(PICTURE), live.evaluate(PICTURE), strict=True):
        assert a.pop("box") == pytest.approx(b.pop("box"), abs=0.01)
        assert a == b
    assert still.evaluate(WORDS) == live.evaluate(WORDS)


@pytest.mark.parametrize("width", [1280, 500, 360])
@pytest.mark.parametrize("state", STATES)
def test_nothing_moves_when_the_figure_takes_its_pictures_place(visit, state, width):
    page = visit(STATES[state], script=False, width=width).page
    page.evaluate("""() => {
      window.shift = 0;
      new PerformanceObserver(list => list.getEntries().forEach(e => window.shift += e.value))
        .observe({ type: 'layout-shift', buffered: true });
    }""")
    tops = """() => ['.ws-tokens', '.ws-beta', '.ws-say', '.ws-read', '.ws-tools'].map(
      part => document.querySelector(part).getBoundingClientRect().top)"""
    before, height = page.evaluate(tops), page.locator("main").bounding_box()["height"]
    page.add_script_tag(content=page_script())
    page.wait_for_selector(READY)
    assert page.evaluate(tops) == before
    assert page.locator("main").bounding_box()["height"] == height
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    assert page.evaluate("window.shift") < 0.001


@pytest.mark.parametrize("width", [1280, 360])
def test_no_state_moves_what_is_below_the_figure(visit, width):
    page = visit(width=width).page
    top = page.locator(".ws-tools").bounding_box()["y"]
    page.locator(".ws-range").focus()
    for key in ["Home", "End"] + ["PageDown"] * 3:
        page.keyboard.press(key)
        assert page.locator(".ws-tools").bounding_box()["y"] == top


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("state", ["plain", "masked", "prior"])
def test_axe_finds_nothing(visit, state, width, theme):
    found = visit(STATES[state], width=width, theme=theme)
    assert found.axe() == []
    more(found.page)
    assert found.axe() == []


def test_axe_finds_nothing_in_the_static_picture(visit):
    assert visit(STATES["masked"], script=False).axe() == []


@pytest.mark.parametrize("state", STATES)
def test_a_phone_shows_all_of_it(visit, state):
    page = visit(STATES[state], width=360).page
    for _ in range(2):
        root = "document.documentElement"
        assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0
        assert beyond(page) == []
        more(page)


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("state", STATES)
def test_no_label_lies_on_another(visit, state, width):
    page = visit(STATES[state], width=width).page
    for labels in [".ws-plot text, .ws-tokens li, .ws-head span", ".ws-ticks span, .ws-ends span", "dt, dd"]:
        if state == "eight" and width == 360:
            continue  # eight words on a phone: more than a finger's width allows
        selector = ", ".join(f"{part}:not(:has(*))" for part in labels.split(", "))
        assert page.evaluate(OVERLAPS, selector) == []


def test_text_is_large_enough_to_read(visit):
    page = visit(width=360).page
    more(page)
    sizes = """() => [...document.querySelectorAll('.ws-figure *')].filter(el => [...el.childNodes].some(
      n => n.nodeType === 3 && n.textContent.trim())).map(el => parseFloat(getComputedStyle(el).fontSize))"""
    assert min(page.evaluate(sizes)) >= 12


@pytest.mark.parametrize("width", [1280, 360])
def test_every_target_is_as_large_as_a_fingertip(visit, width):
    page = visit(width=width).page
    more(page)
    targets = """() => [...document.querySelectorAll(
      '.ws-figure :is(button, input, a, [role=slider])')].map(el => {
      const box = (el.closest('label') ?? el).getBoundingClientRect();
      return [el.getAttribute('aria-label') ?? el.textContent, box.width, box.height];
    })"""
    found = page.evaluate(targets)
    assert len(found) == 7 + 1 + 2 + 3 + 3 * 7  # bars, slider, more and reset, options, table
    assert [target for target in found if min(target[1:]) < 44] == []


def colour(page, part=".ws-weight"):
    return page.locator(part).first.evaluate("el => getComputedStyle(el).fill")


def test_the_figure_follows_the_pages_theme_at_once(visit):
    page = visit().page
    for theme in ["dark", "light"]:
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        assert colour(page) == rgb("weight", theme)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_without_a_theme_the_systems_wish_counts(visit, theme):
    page = visit(theme=theme, set_theme=False, java_script_enabled=False).page
    assert colour(page) == rgb("weight", theme)


def test_a_page_that_names_its_theme_is_not_overruled_by_the_system(visit):
    page = visit(theme="dark").page
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    assert colour(page) == rgb("weight", "light")
    page.evaluate("document.documentElement.removeAttribute('data-theme')")
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")  # a light JupyterLab on a dark system
    assert colour(page) == rgb("weight", "light")


def test_without_script_the_picture_stands_and_nothing_can_be_pressed(visit):
    page = visit(java_script_enabled=False).page
    assert page.locator("svg[role=img]").count() == 2
    assert "“cat” gets 37%" in page.locator(".ws-say").inner_text()
    assert page.locator(".ws-figure :is(button, input, [tabindex])").count() == 0
    assert page.locator(".ws-tools").bounding_box()["height"] < 10
    assert drawn(page).argmax() == 1


def test_on_paper_there_is_the_picture_and_its_words_alone(visit):
    page = visit(theme="dark").page
    page.emulate_media(media="print")
    for part in [".ws-grips", ".ws-range", ".ws-tools", ".ws-ticks", ".ws-hint"]:
        assert page.locator(part).first.is_hidden()
    for part in [".ws-svg >> nth=0", ".ws-svg >> nth=1", ".ws-tokens", ".ws-say", ".ws-read"]:
        assert page.locator(part).is_visible()
    assert colour(page) == rgb("weight", "light")


def test_with_forced_colours_the_bars_take_the_systems(visit):
    page = visit(forced_colors="active").page
    assert colour(page) not in (rgb("weight", "light"), rgb("weight", "dark"))
    assert colour(page) != colour(page, ".ws-score")


HEIGHTS = """press => new Promise(done => {
  const bar = document.querySelectorAll('rect.ws-weight')[1];
  const seen = [];
  const start = performance.now();
  const look = () => {
    seen.push(Number(bar.getAttribute('height')));
    if (performance.now() - start < 600) requestAnimationFrame(look); else done(seen);
  };
  document.querySelector('.ws-range').dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
  requestAnimationFrame(look);
})"""


@pytest.mark.parametrize("still", [False, True])
def test_a_jump_glides_unless_motion_is_unwanted(visit, still):
    seen = visit(still=still).page.evaluate(HEIGHTS)
    between = {height for height in seen if min(seen) < height < max(seen)}
    assert seen[-1] == max(seen) == pytest.approx(127, abs=1e-9)
    assert between == set() if still else len(between) >= 2
    assert seen == sorted(seen)


def test_nothing_glides_while_a_bar_is_held(visit):
    page = visit(still=False).page
    box = page.locator(".ws-grip").nth(0).bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 22)
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] - 22)
    frozen = page.locator(".ws-grip").nth(0).evaluate("el => parseFloat(el.style.top)")
    page.mouse.up()
    assert frozen == pytest.approx(box_top(1.5), abs=1)


def box_top(score):
    return 32 + (3 - score) * (196 - 32 - 26) / 4
