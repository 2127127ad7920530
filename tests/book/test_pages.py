"""A tour of the built book, as a reader's browser sees it: light, silent, whole, and usable by everyone.

Each page is opened once in each look, under its own policy, and all is asked there. What fails is named by page,
look and question.
"""

import gzip
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from chapter_code import BUILT

from tools.browser import Visit, serve
from tools.firefox import MATHML

ROOT = Path(__file__).parents[2]
DESK = {"width": 1280, "height": 900, "theme": "light"}
PHONE = {"width": 360, "height": 740, "theme": "dark"}
# KiB of a page with all it loads, gzipped; the first page has six figures.
# The model that runs in patterns and on the first page comes on a press, and is not counted.
BUDGETS, BUDGET = {"index.html": 200, "chapters/patterns.html": 175}, 150
SCREEN = 800

# --- what is asked of every page: each gives what is wrong, or nothing ---------------------------------


def nothing_is_asked_of_another_host(page, visit):
    return visit.away


def the_console_is_silent(page, visit):
    return visit.errors


def it_is_light(page, visit):
    bodies = [response.body() for response in visit.responses if response.ok]
    weight = sum(len(gzip.compress(body, 6)) for body in bodies) / 1024
    return [f"{weight:.0f} KiB"] if len(bodies) < 2 or weight > BUDGETS.get(page, BUDGET) else []


# Of what axe would judge as often as there are rows, two rows are enough; a picture is one image to it.
THINNED = """() => {
  const parts = [...document.querySelectorAll('svg[role=img], .ws-table tbody')];
  window.whole = parts.map((el) => [el, [...el.childNodes]]);
  for (const [el, rows] of window.whole) el.replaceChildren(...(el.localName === 'svg' ? [] : rows.slice(0, 2)));
}"""
WHOLE = "() => { for (const [el, inside] of window.whole) el.replaceChildren(...inside); }"


def everyone_can_use_it(page, visit, **options):
    visit.page.evaluate(THINNED)
    wrong = visit.axe(**options)
    visit.page.evaluate(WHOLE)
    return wrong


def everyone_can_use_it_in_the_dark_on_a_phone(page, visit):
    assert visit.page.evaluate("document.documentElement.dataset.theme") == "dark"
    return everyone_can_use_it(page, visit, looks=True)


TOO_WIDE = """() => {
  const right = document.documentElement.clientWidth;
  const scrolls = (el) => el && (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(el).overflowX)
    || scrolls(el.parentElement));
  const wide = [...document.querySelectorAll('article *')].filter((el) => !el.closest('svg *, math')
    && el.getBoundingClientRect().right > right + 1 && el.getBoundingClientRect().width > 0
    && el.checkVisibility() && !scrolls(el)).map((el) => el.outerHTML.slice(0, 120));
  return document.documentElement.scrollWidth > right ? ['the page scrolls sideways', ...wide] : wide;
}"""


def nothing_is_wider_than_the_screen(page, visit):
    return visit.page.evaluate(TOO_WIDE)


def nothing_is_cut_off_where_all_or_its_letters_are_twice_as_large(page, visit):
    """A browser that magnifies a window of 1280 by 800 to 200 percent lays the page out in half of that."""
    visit.page.set_viewport_size({"width": 640, "height": 400})
    magnified = visit.page.evaluate(TOO_WIDE)
    visit.page.set_viewport_size({"width": 1280, "height": 800})
    visit.page.evaluate("document.documentElement.style.fontSize = '200%'")
    letters = visit.page.evaluate(TOO_WIDE)
    visit.page.evaluate("document.documentElement.style.fontSize = ''")
    return magnified + letters


# Displayed formulas of which a part is out of sight, and numbers of equations that lie over what is seen of them.
FORMULAS = """() => [...document.querySelectorAll('.math-scroll')].filter((el) => el.checkVisibility())
  .filter((el) => el.scrollWidth > el.clientWidth + 1).map((el) => `${el.scrollWidth} px: ${el.textContent}`)"""
NUMBERS = """() => [...document.querySelectorAll('.eqno')].filter((number) => {
  const a = number.getBoundingClientRect(), seen = number.parentElement.querySelector('.math-scroll');
  const right = seen.getBoundingClientRect().right;
  return a.width && [...seen.querySelectorAll('svg')].map((svg) => svg.getBoundingClientRect()).some((b) =>
    Math.min(b.right, right) > a.left + 1 && b.left < a.right && b.bottom > a.top && b.top < a.bottom);
}).map((number) => number.textContent)"""


def formulas_fit_and_their_numbers_stand_beside_them(page, visit):
    return visit.page.evaluate(FORMULAS) + visit.page.evaluate(NUMBERS)


def formulas_that_are_spoken_have_all_their_parts(page, visit):
    return visit.page.evaluate(f"() => {{{MATHML}}}")


EDGES = """() => {
  const text = document.querySelector('article p').getBoundingClientRect();
  const shown = ':is(.ws-figure, .ws-static, .output > .highlight)';
  const figures = [...document.querySelectorAll(`article section > div > .cell_output ${shown}`)];
  const off = figures.map((figure) => [figure.className, figure.getBoundingClientRect()]).filter(([, box]) =>
    box.width && (Math.abs(box.left - text.left) > 1 || Math.abs(box.right - text.right) > 1));
  return [figures.length, off.map(([name, box]) => [name, box.left - text.left, box.right - text.right])];
}"""


def on_a_large_screen_figures_have_the_edges_of_the_text(page, visit):
    visit.page.set_viewport_size({"width": 1920, "height": 1080})
    count, off = visit.page.evaluate(EDGES)
    return off + ["no figure"] * (count < 2) if page.startswith("chapters") else []


# The outlines of each slider or grip in focus and of its knob.
RINGS = """() => [...document.querySelectorAll('[data-ready] :is(.ws-range:enabled, .ws-grip)')].filter(
  part => part.checkVisibility({ checkVisibilityCSS: true })).map(part => {
    part.focus({ focusVisible: true });
    const [own, knob] = [part, part.querySelector('.ws-knob')].map(el => el && getComputedStyle(el).outlineStyle);
    return [part.matches(':focus-visible') ? own : 'no focus', knob];
  })"""


def a_slider_in_focus_has_one_ring_round_its_knob(page, visit):
    """The page's own ring, round the whole of a slider, would strike out the numbers below it."""
    found = visit.page.evaluate(RINGS)
    missing = page.startswith(("index", "chapters")) and not found and page != "chapters/patterns.html"
    missing |= page == "chapters/attention.html" and ["none", "solid"] not in found
    wrong = [rings for rings in found if rings not in (["none", None], ["none", "solid"])]
    return wrong + ["no slider, or none with a knob"] * missing


# Where the first figure of a chapter ends, without its caption and its buttons, and where that part of it ends
# which is pressed or pulled first.
FIRST = """() => {
  const figure = document.querySelector('article .ws-figure:not(.ws-predict)');
  const end = (el) => el.getBoundingClientRect().bottom;
  const drawn = [...figure.children].filter((el) => !el.matches('.ws-caption, .ws-tools, .ws-more, .ws-unseen'));
  const acts = [...figure.querySelectorAll('.ws-call, .ws-grip, input, button')];
  const action = acts.find((el) => el.checkVisibility() && !el.closest('.ws-tools'));
  return [Math.max(...drawn.map(end)), action ? end(action) : Infinity];
}"""
ARRIVAL = {1280: 900, 360: 780}  # how high a screen is


def what_a_chapter_is_about_is_seen_on_arrival(page, visit):
    """The whole of its first figure; on a phone, what one does with it."""
    if not page.startswith("chapters"):
        return []
    width = visit.page.viewport_size["width"]
    visit.page.set_viewport_size({"width": width, "height": ARRIVAL[width]})
    whole, action = visit.page.evaluate(FIRST)
    reaches = whole if width > 1000 else action
    return [f"down to {reaches:.0f} of {ARRIVAL[width]} pixels"] * (reaches > ARRIVAL[width] + 0.5)


# How high each figure is, how far its hint stands from its top and right edges, and the texts and buttons that lie
# under the hint. Those behind More are not seen. Predictions are left out: an answer, once given, may be long.
AT_REST = """() => [...document.querySelectorAll('.ws-figure:not(.ws-predict), figure.ws-static')]
  .filter((el) => el.checkVisibility()).map((el) => {
    const box = el.getBoundingClientRect();
    const hint = [...el.querySelectorAll('.ws-hint')].find((one) => one.checkVisibility());
    if (!hint) return { id: el.id, tall: box.height, away: 0, under: [] };
    const { left, right, top, bottom } = hint.getBoundingClientRect();
    const meets = (other) => other.width > 1 && other.left < right + 2 && left - 2 < other.right
      && other.top < bottom - 3 && top + 3 < other.bottom;
    const texts = document.createTreeWalker(el, NodeFilter.SHOW_TEXT), under = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const parent = text.parentElement, range = document.createRange();
      range.selectNodeContents(text);
      const shown = text.data.trim() && !parent.closest('.ws-unseen, .ws-hint, sup') && parent.checkVisibility();
      if (shown && [...range.getClientRects()].some(meets)) under.push(text.data);
    }
    const buttons = [...el.querySelectorAll('button, input')].filter((one) => one.checkVisibility());
    under.push(...buttons.filter((one) => meets(one.getBoundingClientRect())).map((one) => one.outerHTML));
    const away = Math.max(Math.abs(top - box.top), Math.abs(box.right - right));
    return { id: el.id, tall: box.height, away, under };
  })"""
MOST = {1280: 620, 360: 700}  # of each screen the most that a figure may take, in CSS pixels


def a_figure_fits_one_screen_and_its_hint_stands_at_its_top_right_on_nothing(page, visit):
    most, found = MOST[visit.page.viewport_size["width"]], visit.page.evaluate(AT_REST)
    wrong = [one for one in found if round(one["tall"]) > most or one["away"] > 1 or one["under"]]
    return wrong + ["no figure"] * (page.startswith(("index", "chapters")) and not found)


# Presses each phrase, and commits to each prediction: [the state that it leads to, how high its figure then is].
LED_TO = """() => {
  const told = (state) => {
    const el = document.getElementById(state.split('?')[0]);
    return [state, el.checkVisibility() ? el.getBoundingClientRect().height : 0];
  };
  const pressed = [...document.querySelectorAll('.ws-set')].map((phrase) => {
    phrase.click();
    return told(phrase.dataset.set);
  });
  return [...pressed, ...[...document.querySelectorAll('.ws-predict')].map((asked) => {
    asked.querySelector('.ws-range')?.dispatchEvent(new Event('input'));
    asked.querySelector('.ws-guess, .ws-commit').click();
    return told(JSON.parse(asked.dataset.state).figure); // the one whose answer has no figure fails here
  })];
}"""


def a_figure_fits_wherever_the_text_leads_it(page, visit):
    """By a phrase, or by the answer to a prediction, which it moves to."""
    most, found = MOST[visit.page.viewport_size["width"]], visit.page.evaluate(LED_TO)
    wrong = [[state, tall] for state, tall in found if not 200 < round(tall) <= most]
    return wrong + ["no phrase and no prediction"] * (page.startswith("chapters") and len(found) < 2)


# Of each phrase that sets a figure, how far its top is from the figure's, in pixels; and what a press makes of it.
APART = """() => [...document.querySelectorAll('.ws-set')].map((el) => {
  const figure = document.getElementById(el.dataset.set.split('?')[0]);
  return Math.abs(el.getBoundingClientRect().top - figure.getBoundingClientRect().top);
})"""
PRESSED = """() => [...document.querySelectorAll('.ws-set')].map((el) => {
  el.click();
  return [el.role, el.getAttribute('aria-current')].join() === 'button,true' ? '' : el.outerHTML;
}).filter((wrong) => wrong)"""


def a_phrase_stands_near_its_figure_and_moves_it(page, visit):
    """At most two screens from it: else a reader would be led about the page."""
    apart = visit.page.evaluate(APART) or [0]
    far = max(apart) > 2 * SCREEN
    return [f"{apart} pixels: give a section a figure of its own"] * far + visit.page.evaluate(PRESSED)


MOVING = """() => [...document.querySelectorAll('*')].filter((el) => !el.closest('.math > *, .math-scroll > *'))
  .filter((el) => ['', '::before', '::after'].some((part) => {
    const { transitionDuration, animationDuration, animationName } = getComputedStyle(el, part || null);
    const lasts = (list) => list.split(',').some((one) => parseFloat(one) > 0.001);
    return lasts(transitionDuration) || (animationName !== 'none' && lasts(animationDuration));
  })).map((el) => el.outerHTML.slice(0, 100))"""


def who_wants_no_motion_gets_none(page, visit):
    visit.page.emulate_media(reduced_motion="reduce")
    return visit.page.evaluate(MOVING)


# What says nothing on paper, and what is lacking there. A ring and a newcomer are words of the
# picture, and answers to choose from are read.
ON_PAPER = """() => {
  const seen = (selector) => [...document.querySelectorAll(selector)].filter((el) =>
    el.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
  const fixed = seen('body :not(.math *)').filter((el) =>
    ['fixed', 'sticky'].includes(getComputedStyle(el).position));
  const press = 'button:not(.ws-spot, .ws-ring, .ws-newcomer, .ws-guess, .ws-tests *)';
  const controls = seen(`.ws-figure :is(${press}, [type=range], [type=number], select)`);
  const furniture = seen('.sidebar-drawer, .toc-drawer, .mobile-header, .related-pages');
  const lost = [...document.querySelectorAll('article h2')].filter((el) => !el.checkVisibility());
  const drawn = seen('.ws-figure').some((el) => el.querySelector('svg, canvas, .ws-sentence'));
  const wrong = [...fixed, ...controls, ...furniture, ...lost].map((el) => el.outerHTML.slice(0, 100));
  return drawn || !document.querySelector('.ws-figure') ? wrong : ['no figure', ...wrong];
}"""


def no_button_of_the_theme_lies_over_a_figure(page, visit):
    visit.page.evaluate("document.documentElement.classList.add('show-back-to-top')")  # as after a step back up
    return visit.page.locator(".back-to-top").filter(visible=True).all_text_contents()


def paper_shows_text_and_figures_and_nothing_to_press(page, visit):
    visit.page.emulate_media(media="print")
    return visit.page.evaluate(ON_PAPER)


TOUR = {
    "light, on a desk": (
        DESK,
        it_is_light,
        what_a_chapter_is_about_is_seen_on_arrival,
        a_figure_fits_one_screen_and_its_hint_stands_at_its_top_right_on_nothing,
        formulas_that_are_spoken_have_all_their_parts,
        everyone_can_use_it,
        on_a_large_screen_figures_have_the_edges_of_the_text,
        a_slider_in_focus_has_one_ring_round_its_knob,
        nothing_is_cut_off_where_all_or_its_letters_are_twice_as_large,
        a_phrase_stands_near_its_figure_and_moves_it,
        a_figure_fits_wherever_the_text_leads_it,
        who_wants_no_motion_gets_none,
        paper_shows_text_and_figures_and_nothing_to_press,
        nothing_is_asked_of_another_host,
        the_console_is_silent,
    ),
    "dark, on a phone, from a folder": (
        PHONE,
        what_a_chapter_is_about_is_seen_on_arrival,
        everyone_can_use_it_in_the_dark_on_a_phone,
        nothing_is_wider_than_the_screen,
        no_button_of_the_theme_lies_over_a_figure,
        formulas_fit_and_their_numbers_stand_beside_them,
        a_figure_fits_one_screen_and_its_hint_stands_at_its_top_right_on_nothing,
        a_figure_fits_wherever_the_text_leads_it,
        nothing_is_asked_of_another_host,
        the_console_is_silent,
    ),
}


def wrong_with(page, look, folder, base, visit):
    """Everything that is wrong with a page in this look: one line each."""
    screen, *questions = TOUR[look]
    visit.page.goto("about:blank")  # so that nothing of the page before arrives late
    for list_ in (visit.errors, visit.away, visit.responses):
        list_.clear()
    visit.go(f"{folder.as_uri() if 'folder' in look else base}/{page}", **screen)
    visit.page.wait_for_function("() => !document.querySelector('[data-figure]:not([data-ready])')")
    arrived = [ask for ask in questions if ask is what_a_chapter_is_about_is_seen_on_arrival]
    found = [f"{page}, {look}, {ask.__name__}: {one}" for ask in arrived for one in ask(page, visit)]
    visit.page.evaluate("for (const fold of document.querySelectorAll('.ws-later')) fold.open = true")
    visit.page.wait_for_timeout(400)  # what scrolls sideways can now be reached by keyboard
    questions = [ask for ask in questions if ask not in arrived]
    return found + [
        f"{page}, {look}, {ask.__name__}: {found}" for ask in questions for found in ask(page, visit)[:5]
    ]


@pytest.fixture(scope="module")
def tab(browser):
    """A tab in which the policy of the pages holds."""
    with Visit(browser, bypass_csp=False) as visit:
        yield visit


@pytest.mark.parametrize("look", TOUR)
@pytest.mark.parametrize("page", BUILT)
def test_the_tour(site, base, tab, page, look):
    found = wrong_with(page, look, site, base, tab)
    assert not found, "\n".join(found)


BROKEN = """<!doctype html><html lang=en data-theme=dark><meta charset=utf-8><title>A page</title>
<style>.sidebar-drawer { position: fixed; transition: all 1s }</style><body class=sidebar-drawer><article>
<p style="width: 1200px; font-size: 1200px">W</p><p style="color: #eee; background: #fff"><img src="x.png">pale</p>
<section><div><div class=cell_output><div class=ws-figure style="width: 9px; height: 999px">
<p class=ws-hint>hint</p></div></div></div></section>
<div data-ready><input type=range class=ws-range style="outline: 1px solid"></div>
<div class=math><math><msub></msub></math>
<div class=math-scroll style="width: 9px; overflow: auto"><svg width=999></svg></div>
<span class=eqno style="position: absolute; left: 0; margin-top: -9px">(1)</span></div>
<a class=back-to-top>Back to top</a>
<span class=ws-set data-set="far?x=1">a phrase</span><div style="height: 5000px"></div><div id=far></div></article>
<script>new Image().src = "http://elsewhere.invalid/x.png"; lost()</script>"""


def test_each_question_finds_what_it_asks_for(tmp_path, tab):
    """On a page on which all is wrong."""
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "page.html").write_text(BROKEN, encoding="utf-8")
    with serve(tmp_path) as base:
        for look, (_, *questions) in TOUR.items():
            found = wrong_with("chapters/page.html", look, tmp_path, base, tab)
            silent = [ask.__name__ for ask in questions if not any(ask.__name__ in line for line in found)]
            assert silent == []


# --- what is read in the pages themselves -------------------------------------------------------------


class Tags(HTMLParser):
    """Every start tag of a page, as (name, attributes)."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def texts(site):
    return {page: (site / page).read_text("utf-8") for page in BUILT}


@pytest.fixture(scope="module")
def tags(texts):
    return {page: Tags(text).tags for page, text in texts.items()}


def test_every_chapter_is_in_the_table_of_contents():
    assert {f"chapters/{path.stem}.html" for path in (ROOT / "chapters").glob("*.md")} <= set(BUILT)


FETCHING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "use": "href"}


def test_links_and_their_targets_exist_and_nothing_is_fetched_from_another_host(site, tags):
    ids = {(site / page).resolve(): {a["id"] for _, a in found if "id" in a} for page, found in tags.items()}
    for page, tag, attributes in ((page, *each) for page, found in tags.items() for each in found):
        url = attributes.get(FETCHING.get(tag, ""), "")
        assert not url.startswith(("http:", "https:", "//")), f"{page}: <{tag}> {url}"
        link = attributes.get("href") or attributes.get("src") or ""
        parts = urlsplit(link)
        if not link or parts.scheme or parts.netloc or attributes.get("rel") == "canonical":
            continue
        target = ((site / page).parent / unquote(parts.path) if parts.path else site / page).resolve()
        assert target.is_file(), f"{page}: {link}"
        assert not parts.fragment or unquote(parts.fragment) in ids.get(target, {unquote(parts.fragment)}), (
            f"{page}: {link}"
        )


def test_a_page_says_what_it_is(tags):
    for page, found in tags.items():
        names = [tag for tag, _ in found]
        assert names.count("h1") == names.count("main") == 1, page
        assert sum((t == "input" and a.get("type") == "search") or a.get("name") == "q" for t, a in found) == 1, (
            page
        )
        assert next(a["lang"] for tag, a in found if tag == "html").startswith("en"), page
        assert all(a.get("alt") for tag, a in found if tag == "img"), page
        (said,) = [a["content"] for tag, a in found if tag == "meta" and a.get("name") == "description"]
        assert 50 <= len(said) <= 300, page


def test_every_formula_is_typeset_before_the_page_is_opened(texts):
    for page, text in texts.items():
        formulas = re.findall(r'class="math notranslate nohighlight"[^>]*>(.{0,60})', text, re.DOTALL)
        assert formulas or "$" not in (ROOT / page).with_suffix(".md").read_text("utf-8"), page
        assert all("<svg" in formula for formula in formulas), page
        outlines = set(re.findall(r'<path id="(TEX-[^"]+)"', text))
        assert set(re.findall(r'<use href="#(TEX-[^"]+)"', text)) == outlines, page


# --- what a reader sets -------------------------------------------------------------------------------


def test_the_theme_toggle_and_the_root_element_agree(base, browser):
    with Visit(browser, f"{base}/index.html") as visit:  # a tab of its own, for the page keeps what was chosen
        theme, body = "document.documentElement.dataset.theme", "document.body.dataset.theme === 'dark'"
        seen = []
        for _ in range(3):
            visit.page.locator("button.theme-toggle:visible").click()
            visit.page.wait_for_function(f"{theme} === ({body} ? 'dark' : 'light')")
            seen.append(visit.page.evaluate(theme))
        assert set(seen) == {"light", "dark"}
        visit.page.evaluate(f"{theme} = 'dark'")
        visit.page.wait_for_function(body)


def test_the_menu_opens_by_keyboard_on_a_phone(base, tab):
    tab.go(f"{base}/index.html", **PHONE)
    page = tab.page
    button = page.get_by_role("button", name="Toggle site navigation sidebar")
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    page.get_by_role("complementary", name="Chapters").get_by_role("link").last.wait_for(state="visible")
    page.keyboard.press("Escape")
    assert button.get_attribute("aria-expanded") == "false"
