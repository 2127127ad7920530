"""What the figures look like: sizes, themes, paper, motion, and what the rules of accessibility ask.

Most of it is read off pages that show every figure of `gallery` in every state; what is wrong is
named by its figure and state.
"""

import numpy as np
import pytest
from figure_page import OVERLAPS, come_alive, drawn, rgb, said
from gallery import GALLERY

FIGURES = {(kind, state): figure for kind, states in GALLERY.items() for state, figure in states.items()}
AUDITED = {
    "weights": ["masked", "prior"],
    "curves": ["plain"],
    "compromise": ["plain", "corner"],
    "tell": ["plain", "humps"],
    "race": ["plain"],
    "width": ["plain", "undivided"],
    "cost": ["plain", "one"],
    "formats": ["plain", "overflow"],
    "stream": ["plain", "merged"],
    "sampling": ["plain", "min-p"],
    "side": ["plain", "sharp"],
    "outside": ["plain", "silent"],
    "two": ["plain", "led"],
    "real": ["plain", "hard"],
    "heads": ["plain", "off", "sparse"],
    "seventy": ["plain", "long"],
    "learn": ["plain", "empty"],
    "dispersion": ["plain", "melted"],
    "mixture": ["plain", "hard"],
}
AUDITED["predict"] = list(GALLERY["predict"])
AUDITED = [FIGURES[kind, state] for kind, states in AUDITED.items() for state in states]

# --- before and after the script -----------------------------------------------------------------

PARTS = [
    "head",
    "tokens",
    "plot",
    "curves",
    "ticks",
    "presets",
    "beta",
    "choice",
    "game",
    "rise",
    "slider",
    "tests",
    "runs",
    "kinds",
]
PARTS += ["say", "read", "tools", "caption", "question"]
BOXES = """parts => Object.fromEntries([...document.querySelectorAll('.ws-figure')].map(figure => {
  const box = el => { const { x, y, width, height } = el.getBoundingClientRect(); return [x, y, width, height]; };
  const seen = part => [...figure.querySelectorAll(`.ws-${part}`)].filter(el => el.getClientRects().length);
  return [figure.id, {
    figure: box(figure), tops: Object.fromEntries(parts.map(part => [part, seen(part).map(el => box(el)[1])])),
  }];
}))"""
WATCH_SHIFTS = """() => {
  window.shift = 0;
  new PerformanceObserver(list => list.getEntries().forEach(e => window.shift += e.value))
    .observe({ type: 'layout-shift', buffered: true });
}"""


@pytest.mark.parametrize("width", [1280, 500, 360])
def test_nothing_moves_when_figures_take_their_pictures_places(visit, width):
    page = visit(*FIGURES.values(), script=False, width=width).page
    page.evaluate(WATCH_SHIFTS)
    before = page.evaluate(BOXES, PARTS)
    come_alive(page)
    after = page.evaluate(BOXES, PARTS)
    for name, then in after.items():
        assert then["figure"] == before[name]["figure"], name
        stood = {part: tops for part, tops in before[name]["tops"].items() if tops}
        assert {"say"} <= set(stood) or "predict" in name
        for part, tops in stood.items():
            assert tops == then["tops"][part], (name, part)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    assert page.evaluate("window.shift") < 0.001


def test_without_script_the_picture_stands_and_nothing_can_be_pressed(visit):
    page = visit(*FIGURES.values(), java_script_enabled=False).page
    pressable = page.locator(".ws-figure :is(button, input, [tabindex])")
    assert pressable.count() == 0
    for kind, pictures in {
        "weights": 1,
        "curves": 1,
        "compromise": 1,
        "tell": 1,
        "race": 2,
        "width": 3,
        "cost": 3,
        "formats": 8,
        "stream": 2,
        "real": 1,
        "heads": 1,
        "learn": 11,
        "mixture": 1,
    }.items():
        figure = page.locator(f"#{kind}-plain")
        assert figure.locator("svg[role=img]").count() == pictures
    seen = "all => all.filter(el => el.checkVisibility({ visibilityProperty: true })).map(el => el.textContent)"
    for hidden in (".ws-tools", ".ws-presets", ".ws-choice", ".ws-answers", ".ws-runs"):
        assert page.locator(hidden).count(), "its room is kept"
        assert page.locator(f"{hidden}, {hidden} *").evaluate_all(seen) == [], hidden
    expected = FIGURES["weights", "plain"].weights
    np.testing.assert_allclose(drawn(page, "#weights-plain"), expected, atol=1e-5)  # written to six digits
    assert "“cat” gets 37%" in said(page, "#weights-plain")
    assert "“cat” 52%" in said(page, "#compromise-plain")
    assert "on its way to Chernoff’s" in said(page, "#tell-plain")
    assert "divided by √d, scores are spread by 1" in said(page, "#width-plain")


# --- at rest ---------------------------------------------------------------------------------------

LABELS = {
    "weights": [".ws-plot text, .ws-tokens li, .ws-head span", ".ws-ticks span, .ws-ends span", "dt, dd"],
    "curves": [".ws-called, .ws-name .ws-number, .ws-ticks span"],
    "compromise": [".ws-token, .ws-corner small, .ws-corner b, .ws-tag, .ws-head span"],
    "tell": [".ws-plot :is(text, b)", ".ws-rise text", ".ws-head span", ".ws-test span", ".ws-ticks span"],
    "race": [".ws-lanes text", ".ws-shares text", ".ws-tokens .ws-word", ".ws-head span", ".ws-ticks span"],
    "width": ["svg:first-of-type text", ".ws-rise text", ".ws-head span", ".ws-ticks span", ".ws-choice span"],
    "raise": [".ws-plot text, .ws-tokens li, .ws-head span", ".ws-changes text", ".ws-ticks span, .ws-ends span"],
    "jacobian": [
        ".ws-plot text, .ws-tokens li, .ws-head span",
        ".ws-map text",
        ".ws-level, .ws-ticks span",
    ],
    "side": [
        ".ws-plot text, .ws-tokens li, .ws-head span",
        ".ws-of-map + svg text",
        ".ws-two text",
        ".ws-ticks span, .ws-ends span",
    ],
    "outside": [
        ".ws-plot text, .ws-tokens li, .ws-head span",
        ".ws-of-map + svg text",
        ".ws-sums text",
        ".ws-ticks span, .ws-ends span",
    ],
    "two": [".ws-mosaic text, .ws-head span", ".ws-slider .ws-ticks span, .ws-ends span"],
    "rules": [".ws-plot text, .ws-tokens li, .ws-head span", ".ws-of-map + svg text"],
    "mixture": [
        ".ws-plot text, .ws-tokens li, .ws-line .ws-word, .ws-head span, .ws-parts text",
        ".ws-piece",
        ".ws-ticks span, .ws-ends span",
    ],
    "mask": [".ws-tokens > *", ".ws-head span", ".ws-ticks span", ".ws-choice span"],
    "cost": [".ws-costs li, .ws-costs text", ".ws-power:first-child .ws-ticks span", ".ws-choice span"],
    "formats": [".ws-head span", ".ws-scale span", ".ws-tokens > *", ".ws-slider .ws-ticks span"],
    "stream": ["svg:first-of-type text", ".ws-tokens small", ".ws-slider:first-of-type .ws-ticks span", "th, td"],
    "sampling": [
        ".ws-logits text, .ws-tokens li, .ws-head span, .ws-value",
        ".ws-weights text",
        ".ws-drawn text",
        ".ws-choice span",
    ],
    "real": [".ws-head span", ".ws-word, .ws-part", ".ws-small", ".ws-below text", ".ws-own span, .ws-ticks span"],
    "heads": [".ws-head span", ".ws-symbol b", ".ws-pick span", ".ws-next :is(b, span, small)", ".ws-ticks span"],
    "seventy": [
        ".ws-head span",
        ".ws-letter",
        ".ws-count, .ws-axis",
        ".ws-opened li, .ws-opened .ws-corner-of",
        ".ws-word, .ws-part",
        ".ws-own span, .ws-ticks span",
    ],
    "learn": [".ws-head span", ".ws-learning text", ".ws-row, .ws-scored b, .ws-spread, .ws-named"],
    "dispersion": [
        ".ws-on-scale text",
        ".ws-head span",
        ".ws-slider:first-of-type .ws-ticks span",
        ".ws-choice span, .ws-melting span",
    ],
    "predict": [".ws-ticks span, .ws-head span"],
}
OUTSIDE = """() => [...document.querySelectorAll('.ws-figure *')].filter(el => {
  const box = el.getBoundingClientRect();
  return box.width > 1 && (box.left < 3 || box.right > innerWidth - 3);
}).map(el => `${el.closest('.ws-figure').id}: ${el.className}`)"""
SMALL_TEXT = """() => [...document.querySelectorAll('.ws-figure *')].filter(el => [...el.childNodes].some(
  n => n.nodeType === 3 && n.textContent.trim()) && parseFloat(getComputedStyle(el).fontSize) < 12).map(
  el => `${el.closest('.ws-figure').id}: ${el.textContent}`)"""
TARGETS = """() => [...document.querySelectorAll('.ws-figure :is(button, input, a, [role=slider])')].filter(
  el => el.checkVisibility()).map(el => {
  const { width, height } = (el.closest('label') ?? el).getBoundingClientRect();
  return [el.closest('.ws-figure').id, el.getAttribute('aria-label') || el.textContent || el.value, width, height];
})"""


def open_all(page):
    page.evaluate("() => document.querySelectorAll('.ws-disclose').forEach(button => button.click())")
    assert page.locator(".ws-more[hidden]").count() == 0


def width_beyond_the_page(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@pytest.mark.parametrize("width", [1280, 360])
def test_every_figure_fits_its_page_a_finger_and_the_eye(visit, width):
    """Also when it is opened; on a phone, up to seven words of a usual length."""
    page = visit(*FIGURES.values(), width=width).page
    crowded = [("weights", "eight"), ("curves", "many")] if width == 360 else []
    for kind, state in FIGURES:
        for labels in [] if (kind, state) in crowded[:1] else LABELS[kind]:
            parts = [f"#{kind}-{state} {part}:not(:has(*))" for part in labels.split(", ")]
            assert page.evaluate(OVERLAPS, ", ".join(parts)) == [], (kind, state)
    assert width_beyond_the_page(page) == 0
    assert page.evaluate(OUTSIDE) == []

    for kind, state in crowded:
        page.evaluate("id => document.getElementById(id).remove()", f"{kind}-{state}")
    open_all(page)
    assert width_beyond_the_page(page) == 0
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(SMALL_TEXT) == []
    targets = page.evaluate(TARGETS)
    assert [target for target in targets if min(target[2:]) < 44] == []
    count = lambda name: sum(target[0] == name for target in targets)  # noqa: E731
    assert count("weights-plain") == 7 + 1 + 2 + 3 + 4 * 7  # bars, slider, more and reset, options, table
    assert count("curves-plain") == count("weights-plain") + 4  # presets
    for state in ("plain", "budget"):  # null, mode, slider, tools, divergence, ε or β, link, table
        assert count(f"compromise-{state}") == 3 + 2 + 1 + 2 + 3 + 1 + 1 + 3 * 2
    assert count("tell-plain") == 1 + 2 + 3 + 2 + 3  # draw, sliders, rows, more and reset, options
    assert count("race-plain") == 5 + 4 + 1 + 2 + 4  # runs and clear, noises, slider, more and reset, options
    assert count("width-plain") == 2 + 1 + 2 + 1  # divided or not, slider, more and reset, link
    assert count("cost-plain") == 2 + 2 + 2 + 1  # who asks, sliders, more and reset, link
    assert count("mask-plain") == 49 + 7 + 1 + 2 + 4  # cells, rules, slider, more and reset, fields and link
    assert count("side-plain") == 7 + 2 + 2 + 4  # bars, sliders, more and reset, options
    assert count("outside-plain") == 7 + 3 + 2 + 4  # bars, sliders, more and reset, options
    assert count("two-plain") == 2 + 2 + 1 + 1  # sliders, more and reset, slider, link
    assert count("mixture-plain") == 7 + 1 + 2 + 3 + 2 * 7  # bars, slider, more and reset, options, table
    assert count("real-plain") == 6 + 1 + 2 + 3  # words, slider, more and reset, options
    assert (
        count("seventy-plain") == 2 + 11 + 1 + 2 + 3 + 2
    )  # steps, words, slider, more and reset, maps, β and link
    assert count("dispersion-plain") == 4 + 1 + 2 + 1 + 1  # rule and lead, slider, more and reset, slider, link
    assert count("predict-choice") == 3 + 2


@pytest.mark.parametrize(("theme", "width"), [("light", 360), ("dark", 1280)])
def test_axe_finds_nothing(visit, width, theme):
    """Closed, in the pages of the book; here all are opened and moved, in the one theme or the other."""
    found = visit(*AUDITED, width=width, theme=theme)
    page = found.page
    open_all(page)
    page.locator("#curves-plain .ws-grip").nth(1).focus()  # its curve stands out
    page.locator("#tell-plain").get_by_role("button", name="Draw").click()
    if theme == "dark":
        page.locator("#tell-plain").get_by_role("button", name="from π").click()
    for form in page.locator(".ws-predict").all():
        mark = form.locator("input").first
        mark.check() if mark.get_attribute("type") == "radio" else mark.press("ArrowRight")
        form.get_by_role("button", name="Commit").click()
    assert found.axe() == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_the_static_pictures(visit, theme):
    assert visit(*AUDITED, script=False, theme=theme).axe() == []


# --- themes and paper ------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_chosen_or_ticked_looks_alike_in_every_figure(visit, theme):
    page = visit(*FIGURES.values(), theme=theme).page
    # Those that nobody sees lie over a picture, which is then what one chooses.
    look = """all => all.filter(el => getComputedStyle(el).opacity !== '0').map(el => [el.closest('.ws-figure').id,
      ...['accentColor', 'width', 'height', 'margin', 'flex'].map(name => getComputedStyle(el)[name])])"""
    boxes = page.eval_on_selector_all(".ws-figure input:is([type=radio], [type=checkbox])", look)
    assert len({figure.partition("-")[0] for figure, *_ in boxes}) > 8
    for figure, accent, *size in boxes:
        assert accent == rgb("ink", theme), figure
        assert size == ["18px", "18px", "0px", "0 0 auto"], figure


def colour(page, part=".ws-weight", of="fill"):
    return page.locator(part).first.evaluate(f"el => getComputedStyle(el).{of}")


def assert_palette(page, theme):
    """A quantity has its colour in each figure."""
    assert colour(page, "#weights-plain .ws-weight") == rgb("weight", theme)
    assert colour(page, "#weights-plain .ws-score") == rgb("score", theme)
    assert colour(page, "#compromise-plain .ws-best", "stroke") == rgb("weight", theme)
    pi, u = "#tell-humps .ws-from-pi", "#tell-humps .ws-from-u"
    assert [colour(page, pi, of) for of in ("fill", "stroke")] == [rgb("weight", theme)] * 2
    assert [colour(page, u, of) for of in ("fill", "stroke")] == ["none", rgb("prior", theme)]
    assert colour(page, "#race-plain .ws-weight") == rgb("weight", theme)
    assert colour(page, "#race-plain .ws-score") == rgb("score", theme)
    for kind, name in (("score", "score"), ("weight", "weight")):
        assert colour(page, f"#width-plain rect.ws-{kind}") == rgb(name, theme)
    for side, name in (("first", "weight"), ("second", "sparsemax")):
        assert colour(page, f"#learn-plain path.ws-{side}", "stroke") == rgb(name, theme)
        assert colour(page, f"#learn-plain .ws-square.ws-{side} .ws-shade") == rgb(name, theme)
    assert colour(page, "#real-plain .ws-arc", "stroke") == rgb("weight", theme)
    assert colour(page, "#mixture-plain .ws-strip .ws-weight") == rgb("weight", theme)
    for kind, name in (("divided", "ink"), ("undivided", "quiet")):
        assert colour(page, f"#width-plain path.ws-{kind}", "stroke") == rgb(name, theme)


PLAIN = [
    FIGURES[kind, "plain"]
    for kind in (
        *("weights", "curves", "compromise", "tell", "race", "width", "cost", "formats", "stream"),
        *("real", "learn", "mixture"),
    )
]
PLAIN.append(FIGURES["tell", "humps"])


def test_figures_follow_the_pages_theme_at_once(visit):
    page = visit(*PLAIN).page
    for theme in ["dark", "light"]:
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        assert_palette(page, theme)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_without_script_or_theme_the_systems_wish_counts(visit, theme):
    assert_palette(visit(*PLAIN, theme=theme, set_theme=False, java_script_enabled=False).page, theme)


def test_a_page_that_names_its_theme_is_not_overruled_by_the_system(visit):
    page = visit(*PLAIN, theme="dark").page
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    assert_palette(page, "light")
    page.evaluate("document.documentElement.removeAttribute('data-theme')")
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")  # a light JupyterLab on a dark system
    assert_palette(page, "light")


PRINTED = {
    "weights-plain": [".ws-svg >> nth=0", ".ws-svg >> nth=1", ".ws-tokens", ".ws-say"],
    "curves-plain": [".ws-curves", ".ws-ticks", ".ws-say", ".ws-caption"],
    "compromise-plain": [".ws-svg", ".ws-knob", ".ws-say", ".ws-value >> nth=0"],
    "tell-plain": [".ws-rise", ".ws-tests", ".ws-say"],
    "tell-humps": [".ws-plot", ".ws-errors", ".ws-say"],
    "race-plain": [".ws-lanes", ".ws-tokens", ".ws-shares", ".ws-say"],
    "width-plain": [".ws-svg >> nth=0", ".ws-rise", ".ws-ticks", ".ws-say", ".ws-value"],
    "real-plain": [".ws-arcs", ".ws-line", ".ws-below", ".ws-value", ".ws-say", ".ws-caption"],
    "learn-plain": [
        ".ws-learning >> nth=0",
        ".ws-square >> nth=7",
        ".ws-aside >> nth=0",
        ".ws-say",
        ".ws-caption",
    ],
    "mixture-plain": [
        ".ws-arcs",
        ".ws-line",
        ".ws-plot",
        ".ws-bands",
        ".ws-strip",
        ".ws-value",
        ".ws-say",
        ".ws-caption",
    ],
    "predict-choice": ["text='The answer'", ".ws-answer p"],
}
NOT_PRINTED = {
    "weights-plain": [".ws-grips", ".ws-range", ".ws-tools", ".ws-ticks", ".ws-hint"],
    "curves-plain": [".ws-presets", ".ws-track .ws-range", ".ws-tools"],
    "compromise-plain": [".ws-choice", ".ws-range", ".ws-tools", ".ws-ticks", ".ws-hint"],
    "tell-plain": [".ws-answers", ".ws-range", ".ws-tools"],
    "tell-humps": [".ws-answers", ".ws-range", ".ws-tools"],
    "race-plain": [".ws-runs", ".ws-kinds", ".ws-range", ".ws-tools"],
    "width-plain": [".ws-choice", ".ws-range", ".ws-tools"],
    "real-plain": [".ws-choice", ".ws-own", ".ws-range", ".ws-tools", ".ws-hint"],
    "learn-plain": [".ws-pick-two", ".ws-tools"],
    "mixture-plain": [".ws-grips", ".ws-range", ".ws-tools", ".ws-ticks", ".ws-hint"],
    "predict-choice": [".ws-told", "button"],
}


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_paper_there_are_the_pictures_and_their_words_alone_in_the_light_theme(visit, theme, script):
    page = visit(*PLAIN, FIGURES["predict", "choice"], theme=theme, script=script).page
    page.emulate_media(media="print")
    for name, parts in PRINTED.items():
        for part in parts:
            assert page.locator(f"#{name}").locator(part).is_visible(), (name, part)
    for name, parts in NOT_PRINTED.items():
        for part in parts:
            assert all(one.is_hidden() for one in page.locator(f"#{name}").locator(part).all()), (name, part)
    assert_palette(page, "light")


def test_with_forced_colours_the_bars_take_the_systems(visit):
    page = visit().page
    page.emulate_media(forced_colors="active")
    assert colour(page) not in (rgb("weight", "light"), rgb("weight", "dark"))
    assert colour(page) != colour(page, ".ws-score")


# --- motion ----------------------------------------------------------------------------------------

HEIGHTS = """press => new Promise(done => {
  const bar = document.querySelectorAll('rect.ws-weight')[1];
  const seen = [];
  const look = () => {
    seen.push(Number(bar.getAttribute('height')));
    const still = seen.length > 30 && new Set(seen.slice(-30)).size === 1;
    if (still) done(seen); else requestAnimationFrame(look);
  };
  document.querySelector('.ws-range').dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
  requestAnimationFrame(look);
})"""


@pytest.mark.parametrize("still", [False, True])
def test_a_jump_glides_unless_motion_is_unwanted(visit, still):
    seen = visit(still=still).page.evaluate(HEIGHTS)
    between = {height for height in seen if min(seen) < height < max(seen)}
    assert seen[-1] == max(seen) == pytest.approx(105, abs=1e-9)
    assert between == set() if still else between
    assert seen == sorted(seen)


def test_nothing_glides_while_a_bar_is_held(visit):
    page = visit(still=False).page
    box = page.locator(".ws-grip").nth(0).bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 22)
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] - 22)
    frozen = page.locator(".ws-grip").nth(0).evaluate("el => parseFloat(el.style.top)")
    page.mouse.up()
    assert frozen == pytest.approx(30 + (3 - 1.7) * (168 - 30 - 24) / 4, abs=1)
