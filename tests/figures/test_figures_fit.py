"""A figure of the built book fits one screen, with its controls, its sentence and its caption, also where the text
leads it: by a phrase, or by the answer to a prediction, which it moves to."""

import pytest
from chapter_code import BUILT

from tools.browser import serve

SCREENS = {(1280, 800): 620, (360, 740): 700}  # the most that a figure may take of each, in CSS pixels
# How high each figure is, and where its hint stands: how far below its top, and from its right edge. Those behind
# More are not seen. Predictions are left out: an answer, once given, may be long.
AT_REST = """() => [...document.querySelectorAll('.ws-figure:not(.ws-predict), figure.ws-static')]
  .filter((el) => el.checkVisibility()).map((el) => {
    const box = el.getBoundingClientRect();
    const seen = [...el.querySelectorAll('.ws-hint')].filter((hint) => hint.checkVisibility());
    const hints = seen.map((hint) => hint.getBoundingClientRect());
    const places = hints.map(({ top, right }) => [top - box.top, box.right - right]);
    return [el.id, box.height, places, lyingUnder(el)];
  });"""
# What a figure's hint lies on: texts and buttons.
UNDER = """(el) => {
  const hint = el.querySelector('.ws-hint');
  if (!hint) return [];
  const box = hint.getBoundingClientRect();
  const meets = ({ left, right, top, bottom, width }) =>
    width > 1 && left < box.right + 2 && box.left - 2 < right && top < box.bottom - 3 && box.top + 3 < bottom;
  const texts = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parent = text.parentElement;
    const shown = text.data.trim() && !parent.closest('.ws-unseen, .ws-hint, sup') && parent.checkVisibility();
    if (!shown) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    if ([...range.getClientRects()].some(meets)) found.push(text.data);
  }
  const buttons = [...el.querySelectorAll('button, input')].filter((one) => one.checkVisibility());
  return [...found, ...buttons.filter((one) => meets(one.getBoundingClientRect())).map((one) => one.outerHTML)];
}"""
# Presses each phrase, and commits to each prediction: [the state that it leads to, how high its figure then is].
LED_TO = """() => {
  const found = [];
  const tell = (state) => {
    const el = document.getElementById(state.split('?')[0]);
    found.push([state, el.checkVisibility() ? el.getBoundingClientRect().height : 0]);
  };
  for (const phrase of document.querySelectorAll('.ws-set')) {
    phrase.click();
    tell(phrase.dataset.set);
  }
  for (const asked of document.querySelectorAll('.ws-predict')) {
    const first = asked.querySelector('input');
    if (first.type === 'radio') first.click();
    else first.dispatchEvent(new Event('input'));
    asked.querySelector('form').requestSubmit();
    tell(asked.querySelector('.ws-seen').hash.slice(1)); // the one whose answer has no figure fails here
  }
  return found;
}"""


@pytest.fixture(scope="module")
def base(site):
    with serve(site) as url:
        yield url


def with_figures(site):
    return [page for page in BUILT if 'class="ws-figure' in (site / page).read_text("utf-8")]


@pytest.fixture(scope="module", params=SCREENS, ids="{0[0]}x{0[1]}".format)
def seen(base, site, browser, request):
    """On one of the screens: its limit, {figure: how high, hints, what lies under one}, {state: how high}."""
    width, height = request.param
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce", bypass_csp=True)
    figures, states = {}, {}
    for name in with_figures(site):
        page.goto(f"{base}/{name}")
        page.wait_for_function("!document.querySelector('.ws-figure[data-figure]:not([data-ready])')")
        page.evaluate("document.fonts.ready")
        at_rest = AT_REST.replace("() =>", f"() => {{ const lyingUnder = {UNDER}; return", 1) + "}"
        figures |= {f"{name}#{figure}": rest for figure, *rest in page.evaluate(at_rest)}
        states |= {f"{name}#{state}": tall for state, tall in page.evaluate(LED_TO)}
    page.close()
    return SCREENS[request.param], figures, states


def test_every_figure_fits_one_screen(seen):
    limit, figures, _ = seen
    assert len(figures) >= 40
    assert {figure: tall for figure, (tall, *_) in figures.items() if round(tall) > limit} == {}


def test_it_fits_wherever_the_text_leads_it(seen):
    limit, _, states = seen
    assert len(states) >= 70
    assert min(states.values()) > 200
    assert {state: tall for state, tall in states.items() if round(tall) > limit} == {}


def test_what_moves_a_figure_stands_at_its_top_right_and_on_nothing(seen):
    _, figures, _ = seen
    hints = {figure: (hints, under) for figure, (_, hints, under) in figures.items() if hints}
    assert len(hints) >= 23
    for figure, (places, under) in hints.items():
        assert places == [[pytest.approx(0, abs=1)] * 2], figure
        assert under == [], figure
