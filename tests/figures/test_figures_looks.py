"""What the figures look like: sizes, themes, paper, motion, and what the rules of accessibility ask.

Most of it is read off pages that show every figure of `gallery` in every state; what is wrong is
named by its figure and state.
"""

import json

import numpy as np
import pytest
from figure_page import come_alive, drawn, frames, rgb, said
from gallery import GALLERY

FIGURES = {figure.name: figure for states in GALLERY.values() for figure in states.values()}
PLAIN = [figure for name, figure in FIGURES.items() if name.endswith("-plain")]
CHANGED = """
    weights-masked weights-prior compromise-corner tell-humps width-divided cost-one formats-overflow
    stream-merged sampling-min-p outside-silent two-led one-price-square real-hard heads-off
    lake-between lake-dry repairs-shifted repairs-gate repairs-length
    pairs-filled which-all yours-long yours-zero
    heads-sparse learn-empty dispersion-melted mixture-hard predict-choice predict-number predict-even
    two-rules-asked two-rules-melted answer-number answer-row answer-words answer-right answer-wrong
""".split()
ASKING = ("predict-", "answer-")  # these draw nothing
AUDITED = [*PLAIN, *(FIGURES[name] for name in CHANGED)]
COLOURED = [*PLAIN, *(FIGURES[name] for name in ("tell-humps", "compromise-edge", "compromise-corner"))]

# --- all of them on one page, before and after the script ------------------------------------------

PARTS = """
    head tokens plot curves ticks beta choice game rise slider tests runs kinds say read tools caption
    question
""".split()
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
# Of all that is drawn: the element, its attributes, its text and the colours it comes to. Ids made at random
# become their places; numbers are compared for themselves.
DRAWN = r"""() => JSON.stringify(Object.fromEntries([...document.querySelectorAll('.ws-figure')].map(figure => {
  const ids = [...figure.querySelectorAll('[id]')].map(el => el.id);
  const named = new RegExp([...ids].sort((a, b) => b.length - a.length).join('|') || '^$', 'g');
  const plain = text => text.replace(named, id => id && `#${ids.indexOf(id)}`);
  const number = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g;
  const all = [...figure.querySelectorAll('svg[role=img], svg[role=img] *, .ws-plot svg, .ws-plot svg *')]
    .filter(el => !el.closest('.ws-more'));
  return [figure.id, all.map(el => {
    const style = getComputedStyle(el);
    const neat = value => plain(value).replaceAll('"', '').replaceAll(': ', ':').replace(/;$/, '');
    const attributes = [...el.attributes].map(({ name, value }) => [name, neat(value)]).sort();
    return {
      tag: el.localName,
      shape: attributes.map(([name, value]) => `${name}=${value.replace(number, '0')}`).join(' '),
      numbers: attributes.flatMap(([, value]) => (value.match(number) ?? []).map(Number)),
      text: el.children.length ? '' : el.textContent,
      look: ['fill', 'stroke', 'strokeWidth', 'strokeDasharray', 'textAnchor', 'fontWeight', 'visibility'].map(
        name => plain(style[name])).join(' '),
    };
  })];
})))"""
TEXTS = """() => Object.fromEntries([...document.querySelectorAll('.ws-figure')].map(figure => [figure.id, [
  ...figure.querySelectorAll(`.ws-axis, .ws-note, .ws-value, .ws-tokens > *, .ws-corner, .ws-tag, .ws-ask,
    .ws-verdicts, .ws-held, .ws-cell, .ws-ticks span, .ws-heads span, dt, dd, .ws-say, .ws-caption, .ws-question,
    .ws-choices > *`)
].filter(el => !el.closest('.ws-more')).map(el => `${el.className}: ${el.textContent}`)]))"""
# Of each text that is seen its figure, itself and its box, as far as it is not cut off.
SEEN_TEXTS = """[...document.querySelectorAll('.ws-figure')].map(figure => {
  const texts = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT), all = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parent = text.parentElement;
    if (!text.data.trim() || parent.closest('.ws-unseen, option')) continue;
    const clipped = getComputedStyle(parent).clipPath !== 'none';
    if (clipped || !parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    let end = Infinity;  // of what is seen of a text that is cut off
    for (let el = parent; el !== figure; el = el.parentElement) {
      if (getComputedStyle(el).overflow !== 'visible') end = Math.min(end, el.getBoundingClientRect().right);
    }
    all.push(...[...range.getClientRects()].map(({ left, right, top, bottom }) =>
      [text, { left, right: Math.min(right, end), top, bottom }]));
  }
  return [figure, all];
})"""
LAID_OVER = """() => SEEN_TEXTS.flatMap(([figure, all]) => {
  const meet = (a, b) =>
    a.left + 1 < b.right && b.left + 1 < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
  return all.flatMap(([a, box], i) => all.slice(i + 1).filter(([b, other]) => a !== b && meet(box, other)).map(
    ([b]) => `${figure.id}: ${a.data} on ${b.data}`));
})""".replace("SEEN_TEXTS", SEEN_TEXTS)
# But for the numbers at the ends of a slider, which stand in the middle under their places.
BESIDE = """() => SEEN_TEXTS.flatMap(([figure, all]) => {
  const { left, right } = figure.getBoundingClientRect();
  const labels = all.filter(([text]) => !text.parentElement.closest('.ws-ticks'));
  return labels.filter(([, box]) => box.left < left - 4.5 || box.right > right + 4.5).map(([text]) =>
    `${figure.id}: ${text.data}`);
})""".replace("SEEN_TEXTS", SEEN_TEXTS)
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
HEIGHTS = """() => Object.fromEntries([...document.querySelectorAll('.ws-figure')].map(figure => {
  const [tall, say] = [figure, figure.querySelector('.ws-say')].map(el => el?.getBoundingClientRect().height);
  const top = el => el?.getBoundingClientRect().top;
  const parts = [...figure.children].filter((el) => el.checkVisibility() && !el.matches('.ws-unseen'));
  const after = parts.findIndex((el) => el.matches('.ws-caption, .ws-tools'));
  const tools = parts[after - 1]?.getBoundingClientRect().bottom - top(figure);
  return [figure.id, { tall, say, tools }];
}))"""
# What is kept free under a sentence, for a longer one: in the eye a hole over the caption.
HOLES = """() => [...document.querySelectorAll('.ws-figure > .ws-say:has(~ .ws-caption)')].filter(say => {
  const text = document.createRange();
  text.selectNodeContents(say);
  return say.getBoundingClientRect().bottom - text.getBoundingClientRect().bottom > 6;
}).map(say => say.parentElement.id)"""
# A shape without a rule for it is black, which no colour of the book is.
BLACK = """() => [...document.querySelectorAll(
  '.ws-figure svg :is(rect, circle, path, polygon, ellipse)')].filter(el => {
  const { width, height } = el.getBoundingClientRect();
  return width * height > 1 && el.checkVisibility() && getComputedStyle(el).fill === 'rgb(0, 0, 0)';
}).map(el => `${el.closest('.ws-figure').id}: ${el.getAttribute('class')}`)"""
HEADS_CUT = """() => [...document.querySelectorAll('.ws-head')].filter(el => el.scrollWidth > el.clientWidth).map(
  el => `${el.closest('.ws-figure').id}: ${el.textContent}`)"""
BEYOND = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def open_all(page):
    page.evaluate("() => document.querySelectorAll('.ws-disclose').forEach(button => button.click())")
    assert page.locator(".ws-more[hidden]").count() == 0


@pytest.fixture(scope="module", params=[1280, 500, 360])
def seen(pages, request):
    """What is seen of all figures on a page this wide: before its script has run, after that, and all opened."""
    width = request.param
    page = pages(*FIGURES.values(), script=False, width=width).page
    page.evaluate(WATCH_SHIFTS)
    found = {"width": width, "boxes": [page.evaluate(BOXES, PARTS)]}
    drawn = lambda: (json.loads(page.evaluate(DRAWN)), page.evaluate(TEXTS)) if width == 1280 else None  # noqa: E731
    still = drawn()
    come_alive(page)
    found["boxes"].append(page.evaluate(BOXES, PARTS))
    found["drawn"] = still, drawn()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    found["shift"] = page.evaluate("window.shift")
    pages.quiet()
    if width == 500:
        return found
    crowded = ["weights-eight", "curves-many"] if width < 500 else []  # more than seven words of a usual length
    laid_over = [text for text in page.evaluate(LAID_OVER) if text.partition(":")[0] not in crowded]
    # Scores so far apart that the slider of all of them begins beside a phone; those of the book are near 0.
    apart = ["formats-other"] if width < 500 else []
    inside = lambda found: [part for part in found if part.partition(":")[0] not in apart]  # noqa: E731
    outside = [page.evaluate(BEYOND), *(inside(page.evaluate(look)) for look in (OUTSIDE, BESIDE))]
    found["wrong"] = [laid_over, *outside, page.evaluate(HEADS_CUT), page.evaluate(BLACK), page.evaluate(HOLES)]
    if width == 1280:  # there a figure of the book is 656 pixels wide, as here on a screen of 688
        page.set_viewport_size({"width": 688, "height": 900})
    found["heights"] = page.evaluate(HEIGHTS)
    page.set_viewport_size({"width": width, "height": 900})
    for name in [*crowded, *apart]:
        page.evaluate("id => document.getElementById(id).remove()", name)
    open_all(page)
    found["opened"] = [page.evaluate(BEYOND), page.evaluate(OUTSIDE), page.evaluate(SMALL_TEXT)]
    found["targets"] = page.evaluate(TARGETS)
    pages.quiet()
    return found


def test_nothing_moves_when_figures_take_their_pictures_places(seen):
    before, after = seen["boxes"]
    for name, now in after.items():
        assert now["figure"] == before[name]["figure"], name
        stood = {part: tops for part, tops in before[name]["tops"].items() if tops}
        assert {"say"} <= set(stood) or name.startswith(ASKING)
        assert stood == {part: now["tops"][part] for part in stood}, name
    assert seen["shift"] < 0.001


def test_node_draws_what_chromium_shows(seen):
    if seen["width"] != 1280:
        return
    (still, still_texts), (live, live_texts) = seen["drawn"]
    assert still_texts == live_texts
    for name in FIGURES:
        assert (len(live[name]) > 5 and len(live_texts[name]) > 3) or name.startswith(ASKING)
        for a, b in zip(still[name], live[name], strict=True):
            assert a.pop("numbers") == pytest.approx(b.pop("numbers"), rel=1e-5, abs=1e-4), (name, a, b)
            assert a == b, name


def test_each_figure_fits_its_page_a_finger_and_the_eye(seen):
    """Also when it is opened."""
    if seen["width"] == 500:
        return
    assert seen["wrong"] == [[], 0, [], [], [], [], []]
    assert seen["opened"] == [0, [], []]
    # The tokens of a long sentence are narrower in their two lines on a phone, and as high.
    least = lambda name: 36 if name == "yours-long" else 44  # noqa: E731
    assert [one for one in seen["targets"] if min(one[2:]) < least(one[0]) or one[3] < 44] == []
    assert {target[0] for target in seen["targets"]} >= {one.name for one in PLAIN}


SAYS = {
    "real": (44, 88),
    "heads": (168, 170),
}  # how high their sentence is at most, on a wide screen and a narrow one
# In all states of as many tokens what follows them stands alike.
ALIKE = ["mixture", "real", "two-rules", "yours", "pairs", "which", "learn", "heads", "twice"]


def test_each_figure_fits_one_screen(seen):
    """But for those of which the book has some parts behind More, or no caption."""
    if seen["width"] == 500:
        return
    narrow = seen["width"] == 360
    tall = {name: found["tall"] for name, found in seen["heights"].items() if found["tall"] > (620, 700)[narrow]}
    exempt = ("width-", "mask-", "flat-plain")
    assert [name for name in tall if not name.startswith(exempt)] == []
    for kind, most in SAYS.items():
        assert max(seen["heights"][f"{kind}-{state}"]["say"] for state in GALLERY[kind]) <= most[narrow], kind
    for kind in ALIKE:
        places = {}
        for state, figure in GALLERY[kind].items():
            tokens = len(getattr(figure, "tokens", "")) if narrow else 0
            places.setdefault(tokens, set()).add(round(seen["heights"][f"{kind}-{state}"]["tools"], 3))
        assert all(len(one) == 1 for one in places.values()), (kind, places)


def test_without_script_the_picture_stands_and_nothing_can_be_pressed(visit):
    page = visit(*COLOURED, FIGURES["predict-choice"], java_script_enabled=False).page
    assert page.locator(".ws-figure :is(button, input, [tabindex])").count() == 0
    seen = "all => all.filter(el => el.checkVisibility({ visibilityProperty: true })).map(el => el.textContent)"
    for hidden in (".ws-tools", ".ws-choice", ".ws-answers", ".ws-runs"):
        assert page.locator(hidden).count(), "its room is kept"
        assert page.locator(f"{hidden}, {hidden} *").evaluate_all(seen) == [], hidden
    expected = FIGURES["weights-plain"].weights
    np.testing.assert_allclose(drawn(page, "#weights-plain"), expected, atol=1e-5)  # written to six digits
    assert "“cat” gets 37%" in said(page, "#weights-plain")
    assert "With 16 random terms" in said(page, "#width-plain")


# Of what axe would judge as often as there are rows, two rows are enough; what is in a picture is one to it, whose
# texts' contrast it cannot tell.
THINNED = "document.querySelectorAll('svg[role=img] > *, tbody tr:nth-child(n + 3)').forEach(el => el.remove())"


@pytest.mark.parametrize(("theme", "width", "rules"), [("light", 360, None), ("dark", 1280, ["color-contrast"])])
def test_axe_finds_nothing(visit, theme, width, rules):
    """Closed, in the pages of the book; here all are opened and moved. The other theme differs in colours only."""
    found = visit(*AUDITED, width=width, theme=theme)
    page = found.page
    open_all(page)
    page.locator("#curves-plain .ws-grip").nth(1).focus()  # its curve stands out
    page.locator("#tell-plain").get_by_role("button", name="Draw").click()
    if theme == "dark":
        page.locator("#tell-plain").get_by_role("button", name="softmax’s weights").click()
    for form in page.locator(".ws-predict").all():
        for mark in form.locator(".ws-range").all():
            mark.press("ArrowRight")
        form.locator(".ws-guess, .ws-commit").first.click()
    page.evaluate(THINNED)
    assert found.axe(rules) == []


def test_axe_finds_nothing_in_the_static_pictures(visit):
    found = visit(*AUDITED, script=False)
    found.page.evaluate(THINNED)
    assert found.axe() == []


# --- themes and paper ------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_chosen_or_ticked_looks_alike_in_every_figure(visit, theme):
    page = visit(*PLAIN, FIGURES["predict-choice"], theme=theme).page
    open_all(page)
    # Those that nobody sees lie over a picture, which is then what one chooses.
    look = """all => all.filter(el => getComputedStyle(el).opacity !== '0').map(el => [el.closest('.ws-figure').id,
      ...['accentColor', 'width', 'height', 'margin', 'flex'].map(name => getComputedStyle(el)[name])])"""
    boxes = page.eval_on_selector_all(".ws-figure input:is([type=radio], [type=checkbox])", look)
    assert len({figure for figure, *_ in boxes}) > 8
    for figure, accent, *size in boxes:
        assert accent == rgb("ink", theme), figure
        assert size == ["18px", "18px", "0px", "0 0 auto"], figure


# A quantity has its colour in each figure.
COLOURS = [
    ("#weights-plain .ws-weight", "fill", "weight"),
    ("#weights-plain .ws-score", "fill", "score"),
    *[(f"#compromise-{state} .ws-best", "stroke", "weight") for state in ("plain", "edge", "corner")],
    ("#compromise-plain .ws-gone", "stroke", "weight"),
    ("#compromise-plain .ws-gone", "strokeDasharray", None),
    ("#compromise-edge .ws-gone", "stroke", "sparsemax"),
    ("#compromise-corner .ws-gone", "stroke", "entmax"),
    ("#tell-humps .ws-from-pi", "fill", "weight"),
    ("#tell-humps .ws-from-pi", "stroke", "weight"),
    ("#tell-humps .ws-from-u", "stroke", "prior"),
    ("#tell-humps .ws-from-u", "fill", "prior"),
    ("#race-plain .ws-weight", "fill", "weight"),
    ("#race-plain .ws-score", "fill", "score"),
    ("#width-plain path.ws-walk", "stroke", "score"),
    ("#width-plain path.ws-ribbon:not(.ws-slight)", "fill", "weight"),
    ("#width-plain path.ws-ribbon.ws-slight", "fill", "prior"),
    ("#width-plain path.ws-edge", "stroke", "ink"),
    ("#uphill-plain path.ws-slope.ws-weight", "stroke", "weight"),
    ("#uphill-plain path.ws-slope.ws-logarithm", "stroke", "ink"),
    ("#learn-plain path.ws-first", "stroke", "weight"),
    ("#learn-plain path.ws-second", "stroke", "sparsemax"),
    ("#learn-plain .ws-square.ws-first .ws-shade", "fill", "weight"),
    ("#learn-plain .ws-square.ws-second .ws-shade", "fill", "sparsemax"),
    ("#real-plain .ws-arc", "stroke", "weight"),
    ("#mixture-plain .ws-strip .ws-weight", "fill", "weight"),
]


def assert_palette(page, theme):
    read = "all => all.map(([part, of]) => getComputedStyle(document.querySelector(part))[of])"
    found = page.evaluate(read, [[part, of] for part, of, _ in COLOURS])
    assert found == [rgb(name, theme) if name else "none" for *_, name in COLOURS]


def test_figures_follow_the_pages_theme_at_once_and_the_system_only_where_it_names_none(visit):
    page = visit(*COLOURED, theme="dark").page
    for theme in ["light", "dark", "light"]:
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        assert_palette(page, theme)
    page.evaluate("document.documentElement.removeAttribute('data-theme')")
    assert_palette(page, "dark")
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")  # a light JupyterLab on a dark system
    assert_palette(page, "light")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_without_script_or_theme_the_systems_wish_counts(visit, theme):
    assert_palette(visit(*COLOURED, theme=theme, set_theme=False, java_script_enabled=False).page, theme)


SEEN = """parts => [...document.querySelectorAll(parts)].filter(
  el => el.checkVisibility({ visibilityProperty: true, opacityProperty: true })).map(
  el => `${el.closest('.ws-figure').id}: ${el.getAttribute('class') ?? el.localName}`)"""
# Where a recorded run is kept for paper, its pictures and another sentence are printed.
PRINTED = """.ws-figure:not(.ws-kept) :is(svg[role=img], .ws-say), .ws-tokens, .ws-line, .ws-value, .ws-caption,
    .ws-tests, .ws-errors, .ws-question"""
NOT_PRINTED = """
    .ws-grips .ws-range .ws-tools .ws-hint .ws-choice .ws-answers .ws-runs .ws-kinds .ws-sides
    .ws-go .ws-told
""".split()


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_paper_there_are_the_pictures_and_their_words_alone_in_the_light_theme(visit, theme, script):
    page = visit(*COLOURED, FIGURES["predict-choice"], theme=theme, script=script).page
    on_screen = page.evaluate(SEEN, PRINTED)
    page.emulate_media(media="print")
    assert page.evaluate(SEEN, PRINTED) == on_screen
    assert len(page.evaluate(SEEN, "#learn-plain svg[role=img]")) == 9
    assert page.evaluate(SEEN, ", ".join(NOT_PRINTED)) == []
    for part in ("#weights-plain .ws-ticks", "#real-plain .ws-own", "#predict-number .ws-commit"):
        assert page.evaluate(SEEN, part) == []
    assert page.evaluate(SEEN, "#curves-plain .ws-ticks, .ws-answer p") != []
    assert_palette(page, "light")


def test_with_forced_colours_the_bars_take_the_systems(visit):
    page = visit().page
    page.emulate_media(forced_colors="active")
    weight, score = (
        page.locator(part).first.evaluate("el => getComputedStyle(el).fill")
        for part in (".ws-weight", ".ws-score")
    )
    assert weight not in (score, rgb("weight", "light"), rgb("weight", "dark"))


# --- motion ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("still", [False, True])
def test_a_jump_glides_unless_motion_is_unwanted(visit, still):
    height = "() => Number(document.querySelectorAll('rect.ws-weight')[1].getAttribute('height'))"
    seen = frames(visit(still=still).page, height, "End")
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
    assert frozen == pytest.approx(30 + (4.5 - 2.4) * (176 - 30 - 24) / 6, abs=1)
