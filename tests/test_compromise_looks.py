"""What *the compromise* looks like: sizes, themes, paper, motion, and what the rules of accessibility ask."""

import numpy as np
import pytest
from compromise_page import SCORES, STATES, assert_best, choose, figure, say, spots, weights_of
from figure_page import OVERLAPS, READY, beyond, more, rgb

import lib
from lib.figures.bundle import page_script


@pytest.fixture
def visit(visit):
    return lambda shown=None, **options: visit(shown or figure(), **options)


PATHS = """figure => [...figure.querySelectorAll('svg path')].map(el => {
  const style = getComputedStyle(el);
  return { kind: el.getAttribute('class'), d: el.getAttribute('d'),
    style: [style.stroke, style.strokeWidth, style.strokeDasharray, style.fill, style.vectorEffect] };
})"""
WORDS = """figure => [...figure.querySelectorAll(
  '.ws-axis, .ws-aside, .ws-note, .ws-value, .ws-corner, .ws-tag, dt, dd, .ws-say, .ws-caption')].filter(
  el => el.getClientRects().length && !el.closest('.ws-more')).map(el => el.textContent)"""
BOXES = """figure => [...figure.querySelectorAll('.ws-corner, .ws-tag, .ws-point, .ws-knob, .ws-key')].map(el => {
  const box = el.getBoundingClientRect();
  return [box.x, box.y, box.width, box.height];
})"""


def assert_same_points(a, b):
    """Each point of one lies within two tenths of one of the other, and back: pieces may come in any order."""
    a, b = spots(a), spots(b)
    assert len(a) == len(b)
    if len(a):
        gaps = np.abs(a[:, None] - b[None]).max(axis=-1)
        assert gaps.min(axis=0).max() < 0.21
        assert gaps.min(axis=1).max() < 0.21


@pytest.mark.parametrize("state", STATES)
def test_the_static_picture_is_the_live_one(visit, state):
    still = visit(STATES[state], script=False).page.locator(".ws-figure")
    live = visit(STATES[state], name="live").page.locator(".ws-figure")
    for a, b in zip(
        sorted(still.evaluate(PATHS), key=lambda path: path["kind"]),
        sorted(live.evaluate(PATHS), key=lambda path: path["kind"]),
        strict=True,
    ):
        assert (a["kind"], a["style"]) == (b["kind"], b["style"])
        assert_same_points(a["d"], b["d"])
    assert still.evaluate(WORDS) == live.evaluate(WORDS)
    np.testing.assert_allclose(still.evaluate(BOXES), live.evaluate(BOXES), atol=0.02)
    labels = [page.locator("svg").get_attribute("aria-label") for page in (still, live)]
    assert labels[0] == labels[1]


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("state", ["plain", "free", "edge", "tied"])
def test_nothing_moves_when_the_figure_takes_its_pictures_place(visit, state, width):
    page = visit(STATES[state], script=False, width=width).page
    tops = """() => ['.ws-simplex', '.ws-choice', '.ws-beta', '.ws-say', '.ws-read', '.ws-tools'].map(part => {
      const shown = [...document.querySelectorAll(part)].find(el => el.getClientRects().length);
      return shown.getBoundingClientRect().top;
    })"""
    before, height = page.evaluate(tops), page.locator("main").bounding_box()["height"]
    page.add_script_tag(content=page_script())
    page.wait_for_selector(READY)
    assert page.evaluate(tops) == before
    assert page.locator("main").bounding_box()["height"] == height


@pytest.mark.parametrize("width", [1280, 360])
def test_no_state_moves_what_is_below_the_figure(visit, width):
    page = visit(width=width).page
    more(page)
    height = "() => document.querySelector('.ws-tools').offsetTop - document.querySelector('.ws-head').offsetTop"
    top = page.evaluate(height)
    for divergence in ["softmax", "entmax", "sparsemax"]:
        choose(page, divergence)
        for mode, slider in [("price", "inverse temperature"), ("budget", "budget")]:
            choose(page, mode)
            page.get_by_role("slider", name=slider).focus()
            for key in ["Home", *["PageUp"] * 3, *["ArrowRight"] * 2, *["PageUp"] * 2, "End"]:
                page.keyboard.press(key)
                assert page.evaluate(height) == top, say(page)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("state", ["plain", "corner"])
def test_axe_finds_nothing(visit, state, width, theme):
    found = visit(STATES[state], width=width, theme=theme)
    assert found.axe() == []
    more(found.page)
    assert found.axe() == []


def test_axe_finds_nothing_in_the_static_picture(visit):
    assert visit(STATES["budget"], script=False).axe() == []


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
    labels = ".ws-token, .ws-corner small, .ws-corner b, .ws-tag, .ws-head span:not(:has(*))"
    assert page.evaluate(OVERLAPS, labels) == []


@pytest.mark.parametrize("mode", ["price", "budget"])
@pytest.mark.parametrize("width", [1280, 360])
def test_every_target_is_as_large_as_a_fingertip(visit, width, mode):
    page = visit(figure(mode=mode), width=width).page
    more(page)
    targets = """() => [...document.querySelectorAll('.ws-figure :is(button, input, a)')].map(el => {
      const box = (el.closest('label') ?? el).getBoundingClientRect();
      return [el.getAttribute('aria-label') ?? el.value, box.width, box.height];
    }).filter(target => target[1])"""
    found = page.evaluate(targets)
    assert len(found) == 3 + 2 + 1 + 3 + 3 + 2 + 3 * 2 - 1  # null, mode, slider, tools, divergence, ε or β, table
    assert [target for target in found if min(target[1:]) < 44] == []


def test_three_controls_are_in_view(visit):
    page = visit().page
    groups = "[role=radiogroup], .ws-point, .ws-range, .ws-more *"
    seen = [el for el in page.locator(groups).all() if el.is_visible()]
    assert len(seen) == 3


FRAMES = """() => new Promise(done => {
  const dot = document.querySelector('.ws-best');
  const seen = [];
  const start = performance.now();
  const look = () => {
    seen.push(dot.getAttribute('d'));
    if (performance.now() - start < 500) requestAnimationFrame(look); else done(seen);
  };
  document.querySelector('.ws-range').dispatchEvent(new KeyboardEvent('keydown', { key: 'PageUp' }));
  requestAnimationFrame(look);
})"""


@pytest.mark.parametrize("still", [False, True])
def test_the_dot_glides_along_its_path_unless_motion_is_unwanted(visit, still):
    page = visit(still=still).page
    frames = page.evaluate(FRAMES)
    assert_best(page, beta=10.0)
    between = {frame for frame in frames if frame not in (frames[0], frames[-1])}
    assert (len(between) == 0) if still else (len(between) >= 2)
    betas = np.geomspace(0.5, 20, 4000)[:, None]
    way = lib.softmax(np.array(SCORES), betas)
    for frame in frames:
        at = weights_of(spots(frame))[0]
        assert np.abs(way - at).max(axis=1).min() < 2e-3


def test_without_script_the_picture_stands_and_nothing_can_be_pressed(visit):
    page = visit(java_script_enabled=False).page
    assert page.locator("svg[role=img]").count() == 1
    assert_best(page)
    assert "“cat” 52%" in say(page)
    assert page.locator(".ws-figure :is(button, input, [tabindex])").count() == 0
    assert page.locator(".ws-choice").bounding_box()["height"] == 0


def test_on_paper_there_is_the_picture_and_its_words_alone(visit):
    page = visit(theme="dark").page
    page.emulate_media(media="print")
    for part in [".ws-choice", ".ws-range", ".ws-tools", ".ws-ticks", ".ws-hint"]:
        assert page.locator(part).first.is_hidden()
    for part in [".ws-svg", ".ws-knob", ".ws-say", ".ws-read", ".ws-value >> nth=0"]:
        assert page.locator(part).is_visible()
    assert page.locator(".ws-best").evaluate("el => getComputedStyle(el).stroke") == rgb("weight", "light")
