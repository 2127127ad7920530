"""*Can you tell?* as a reader's browser shows it, and as Python sets it."""

import json
import math
import re
from html import unescape

import numpy as np
import pytest
from figure_page import OVERLAPS, READY, beyond, more, rgb

from lib.book.example import SCORES, TOKENS
from lib.figures import CanYouTell, tell
from lib.figures.bundle import page_script, widget_module


def figure(**options):
    return CanYouTell(TOKENS, SCORES, **options)


STATES = {
    "plain": figure(caption="A caption."),
    "one": figure(m=1, hold="misses"),
    "few": figure(m=3, hold="false alarms"),
    "many": figure(m=1000, beta=0.5),
    "hot": figure(beta=10, m=5, hold="false alarms"),
    "flat": figure(beta=0.1, m=50, hold="misses"),
    "other": CanYouTell(["a", "b", "c"], [-0.3, 3.2, 0.5], beta=2.5, m=7),
}


@pytest.fixture
def visit(visit):
    return lambda *figures, **options: visit(*(figures or [STATES["plain"]]), **options)


def slider(page, name):
    return page.get_by_role("slider", name=name)


def said(page, name):
    return slider(page, name).get_attribute("aria-valuetext")


def exponents(page):
    return [float(text) for text in page.locator("label.ws-test .ws-cell:nth-of-type(3)").all_inner_texts()]


def sentence(page):
    return page.locator(".ws-say").inner_text()


def assert_shown(page, m, beta, hold="neither"):
    """The rows and the sentence say what `lib.figures.tell` says."""
    found = [tell.exponent(SCORES, beta, m, hold=one) for one in tell.HOLDS]
    np.testing.assert_allclose(exponents(page), found, rtol=6e-3)
    assert sentence(page) == figure(m=m, beta=beta, hold=hold)._sentence()
    assert page.get_by_role("radio", checked=True).get_attribute("value") == hold


# --- moving it -----------------------------------------------------------------------------------


def test_keys_move_m_by_round_numbers(visit):
    page = visit().page
    slider(page, "tokens").focus()
    steps = [("ArrowRight", 25), ("ArrowUp", 32), ("ArrowLeft", 25), ("PageUp", 100), ("PageDown", 10)]
    for key, m in [*steps, ("Home", 1), ("ArrowRight", 2), ("ArrowUp", 3), ("End", 1000), ("ArrowLeft", 800)]:
        page.keyboard.press(key)
        assert said(page, "tokens") == ("m = 1 token" if m == 1 else f"m = {m} tokens")
        assert_shown(page, m, 1.0)


def test_keys_move_beta(visit):
    page = visit().page
    slider(page, "β").focus()
    for key, beta in [("ArrowRight", 1.25), ("PageUp", 10), ("ArrowLeft", 8), ("Home", 0.1), ("ArrowUp", 0.125)]:
        page.keyboard.press(key)
        assert said(page, "β").startswith(f"β = {beta:g}, temperature")
        assert_shown(page, 20, beta)


@pytest.mark.parametrize(("share", "m"), [(0.0, 1), (1 / 3, 10), (0.5, 32), (1.0, 1000)])
def test_a_pointer_reaches_every_m_between_the_ends(visit, share, m):
    page = visit().page
    box = slider(page, "tokens").bounding_box()
    page.mouse.click(box["x"] + 12 + share * (box["width"] - 24), box["y"] + 22)
    assert said(page, "tokens").startswith(f"m = {m} ")


def test_a_screen_readers_single_steps_never_stand_still(visit):
    page = visit(figure(m=1)).page
    step = "(range, by) => { range.value = Number(range.value) + by; range.dispatchEvent(new Event('input')) }"
    for by, m in [(1, 2), (1, 3), (-1, 2), (-1, 1)]:
        slider(page, "tokens").evaluate(step, by)
        assert said(page, "tokens").startswith(f"m = {m} ")


def test_each_test_is_chosen_by_its_row(visit):
    page = visit().page
    for hold in ("misses", "false alarms", "neither"):
        page.locator(".ws-held").get_by_text(hold, exact=True).click()
        assert_shown(page, 20, 1.0, hold)
        chosen = page.locator("path.ws-chosen")
        assert chosen.count() == 1
        assert f"ws-test-{tell.HOLDS.index(hold)}" in chosen.get_attribute("class")
    page.get_by_role("radio", checked=True).focus()
    page.keyboard.press("ArrowUp")
    assert_shown(page, 20, 1.0, "false alarms")


def test_numbers_are_typed_and_what_does_not_fit_is_put_back(visit):
    page = visit().page
    more(page)
    for name, text in [("m", "137"), ("β", "0,75")]:
        page.get_by_role("textbox", name=name, exact=True).fill(text)
        page.keyboard.press("Enter")
    assert_shown(page, 137, 0.75)
    for name, text in [("m", "1001"), ("m", "2.5"), ("β", "inf"), ("β", "0")]:
        page.get_by_role("textbox", name=name, exact=True).fill(text)
        page.keyboard.press("Enter")
        assert "stays" in page.get_by_role("status").inner_text()
        assert_shown(page, 137, 0.75)


def test_the_table_holds_the_exponents_and_their_limits(visit):
    page = visit(figure(beta=2)).page
    more(page)
    rows = [row.split("\t") for row in page.locator(".ws-table tbody tr").all_inner_texts()]
    assert [row[0] for row in rows] == ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1000", "limit"]
    for name, *shown in rows:
        expected = [
            tell.limit(SCORES, 2.0, hold) if name == "limit" else tell.exponent(SCORES, 2.0, int(name), hold=hold)
            for hold in tell.HOLDS
        ]
        np.testing.assert_allclose(np.array(shown, dtype=float), expected, rtol=6e-3)


def test_the_tails_are_as_large_as_the_errors(visit):
    """The area of each shaded tail is its error's share of the area under its outline."""
    area = """(kind) => {
      const path = document.querySelector('path.' + kind);
      const [x0, y0, ...steps] = path.getAttribute('d').match(/[HV]?[\\d.]+/g);
      let [x, height, sum] = [Number(x0), 0, 0];
      for (const step of steps) {
        if (step[0] === 'V') height = 98 - Number(step.slice(1));
        else { sum += height * (Number(step.slice(1)) - x); x = Number(step.slice(1)); }
      }
      return sum;
    }"""
    for options in ({"m": 7, "hold": "misses"}, {"m": 20}, {"m": 3, "hold": "false alarms"}):
        page = visit(figure(**options), name=f"m{options['m']}").page
        test = figure(**options).test
        for tail, whole, log in (
            ("ws-miss", "ws-from-pi", test.log_miss),
            ("ws-alarm", "ws-from-u", test.log_false_alarm),
        ):
            share = page.evaluate(area, tail) / page.evaluate(area, whole)
            assert share == pytest.approx(math.exp(log), abs=0.01)


# --- the game ------------------------------------------------------------------------------------


def ask(page):
    return page.locator(".ws-ask").inner_text()


def press(page, name):
    page.get_by_role("button", name=name).click()


def test_a_sample_is_drawn_guessed_and_counted(visit):
    page = visit(figure(m=13)).page
    test, score = figure(m=13).test, dict(zip(TOKENS, SCORES, strict=True))
    assert ask(page).startswith("Somebody shows you 13 tokens, all drawn from π or all from the null u.")
    right = of_test = 0
    for rounds in range(1, 10):
        press(page, "Draw")
        assert page.get_by_role("button", name="They are from u").evaluate("el => el === document.activeElement")
        counts = {token: int(count) for token, count in re.findall(r"(\w+) (\d+)(?:,|\.)", ask(page))}
        assert sum(counts.values()) == 13
        mean = sum(counts[token] * score[token] for token in score) / 13
        says = "π" if 13 * mean > test.bar - 1e-9 else "u"
        assert page.locator(".ws-drawn").get_attribute("visibility") == "hidden"
        press(page, "from π")
        verdict = ask(page)
        truth = re.search(r"from (\w)\.", verdict)[1]
        assert verdict.startswith("Right" if truth == "π" else "No")
        right, of_test = right + (truth == "π"), of_test + (truth == says)
        assert float(re.search(r"mean score is (\d\.\d\d)", verdict)[1]) == pytest.approx(mean, abs=0.0051)
        assert f"the test says {says}." in verdict
        assert f"You: {right} of {rounds}. The test: {of_test} of {rounds}, and " in verdict
        assert page.locator(".ws-game [aria-live]").text_content() == verdict
        assert page.locator(".ws-drawn").get_attribute("visibility") == "visible"
        assert page.get_by_role("button", name="Draw another").evaluate("el => el === document.activeElement")
    expected = 9 * (1 - (math.exp(test.log_false_alarm) + math.exp(test.log_miss)) / 2)
    assert verdict.endswith(f"and {expected:.1f} on average.")
    assert 0 < right < of_test < 9


def test_the_same_seed_gives_the_same_samples_and_another_gives_others(visit):
    seen = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        page = visit(figure(seed=seed), name=name).page
        press(page, "Draw")
        seen.append(ask(page))
    assert seen[0] == seen[1] != seen[2]


def test_more_tokens_may_be_asked_for_before_the_guess_but_not_after(visit):
    page = visit(figure(m=3)).page
    press(page, "Draw")
    first = ask(page).removeprefix("3 tokens: ").removesuffix(".").split(", ")
    slider(page, "tokens").focus()
    page.keyboard.press("ArrowRight")
    assert ask(page).removeprefix("4 tokens: ").split(", ")[:3] == first
    press(page, "from u")
    slider(page, "tokens").focus()
    page.keyboard.press("ArrowRight")
    assert ask(page).startswith("Somebody shows you 5 tokens")
    assert page.locator(".ws-drawn").get_attribute("visibility") == "hidden"


# --- what it keeps -------------------------------------------------------------------------------


def test_reset_brings_everything_back(visit):
    page = visit(figure(m=7, beta=2)).page
    press(page, "Draw")
    press(page, "from u")
    slider(page, "β").focus()
    page.keyboard.press("End")
    page.get_by_role("radio", name="misses").check()
    press(page, "Reset")
    assert_shown(page, 7, 2.0)
    assert ask(page).startswith("Somebody")
    press(page, "Draw a sample")
    press(page, "from u")
    assert "of 1. The test" in ask(page)


def test_a_link_stores_the_state(visit):
    found = visit()
    page = found.page
    slider(page, "tokens").focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("radio", name="false alarms").check()
    press(page, "Draw")
    shown = ask(page)
    more(page)
    press(page, "Copy link")
    page.wait_for_function("document.querySelector('.ws-status').textContent.match(/link/i)")
    assert unescape(page.url).endswith("#can-you-tell?m=16&hold=false%20alarms&sample=1")
    again = found.open(page.url)
    again.wait_for_selector(READY)
    assert_shown(again, 16, 1.0, "false alarms")
    assert ask(again) == shown
    assert again.get_by_role("button", name="from u").is_visible()


@pytest.mark.parametrize(
    "part",
    [
        "m=0",
        "m=1001",
        "m=2.5",
        "beta=inf",
        "beta=20",
        "hold=all",
        "sample=-1",
        "scores=1,2,3",
        "scores=1,1,1,1,1,1,1.05",
    ],
)
def test_a_damaged_link_changes_nothing(visit, part):
    found = visit()
    page = found.open(found.page.url + f"#can-you-tell?{part}")
    page.wait_for_selector(READY)
    assert_shown(page, 20, 1.0)
    assert ask(page).startswith("Somebody")


def test_the_state_is_said_once_it_has_come_to_rest(visit):
    page = visit().page
    spoken = page.locator(".ws-say + [aria-live=polite]")
    assert "m = 20" in spoken.inner_text()
    slider(page, "tokens").focus()
    page.keyboard.press("End")
    assert "m = 20" in spoken.inner_text()
    page.wait_for_function("document.querySelector('.ws-say + [aria-live]').textContent.includes('m = 1000')")
    assert page.locator(".ws-game [aria-live]").inner_text() == ""


AS_A_NOTEBOOK_DOES = """async ([text, state]) => {
  const module = await import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
  const listeners = new Set();
  const model = {
    get: key => state[key], set: (key, value) => { state[key] = value; }, save_changes() { this.saved = true; },
    on: (event, call) => listeners.add(call), off: (event, call) => listeners.delete(call),
  };
  const el = document.body.appendChild(document.createElement('div'));
  const end = module.default.render({ model, el });
  const before = listeners.size;
  el.querySelector('.ws-range').dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
  el.querySelector('[value=misses]').click();
  end();
  return { before, after: listeners.size, m: state.m, hold: state.hold, saved: model.saved,
    link: el.textContent.includes('Copy link') };
}"""


def test_the_widgets_module_stands_alone_and_cleans_up(visit):
    state = {key: value for key, value in figure().get_state().items() if not key.startswith("_")}
    state.pop("layout")
    found = visit(script=False).page.evaluate(AS_A_NOTEBOOK_DOES, [widget_module("can_you_tell"), state])
    assert found == {"before": 1, "after": 0, "m": 1000, "hold": "misses", "saved": True, "link": False}


# --- how it looks --------------------------------------------------------------------------------

PICTURE = """figure => [...figure.querySelectorAll('svg :is(path, line, circle, text)')].map(el => ({
  tag: el.tagName, kind: [...el.classList].sort().join(' '), text: el.textContent,
  hidden: el.getAttribute('visibility') === 'hidden',
  numbers: ['d', 'x', 'y', 'dx', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r'].flatMap(
    a => ((el.getAttribute(a) ?? '').match(/-?[\\d.]+/g) ?? []).map(Number)),
  style: ['fill', 'stroke', 'strokeWidth', 'strokeDasharray', 'textAnchor', 'fontWeight'].map(
    a => getComputedStyle(el)[a]),
})).filter(({ kind }) => kind !== 'ws-drawn')"""
WORDS = """figure => [...figure.querySelectorAll(
  '.ws-ask, .ws-verdicts, .ws-head span, .ws-ticks span, .ws-heads span, .ws-held, .ws-cell, .ws-say'
  )].map(el => el.textContent)"""


@pytest.mark.parametrize("state", STATES)
def test_the_static_picture_is_the_live_one(visit, state):
    still = visit(STATES[state], script=False).page.locator(".ws-figure")
    live = visit(STATES[state], name="live").page.locator(".ws-figure")
    for a, b in zip(still.evaluate(PICTURE), live.evaluate(PICTURE), strict=True):
        assert a.pop("numbers") == pytest.approx(b.pop("numbers"), abs=0.11), b  # one decimal, either way
        assert a == b
    assert still.evaluate(WORDS) == live.evaluate(WORDS)


PARTS = [
    ".ws-game",
    ".ws-plot",
    ".ws-rise",
    ".ws-slider >> nth=0",
    ".ws-slider >> nth=1",
    ".ws-tests",
    ".ws-say",
    ".ws-tools",
]


@pytest.mark.parametrize("width", [1280, 500, 360])
@pytest.mark.parametrize("state", STATES)
def test_nothing_moves_when_the_figure_takes_its_pictures_place(visit, state, width):
    page = visit(STATES[state], script=False, width=width).page
    boxes = lambda: [page.locator(part).bounding_box() for part in [*PARTS, "main"]]  # noqa: E731
    before = boxes()
    page.add_script_tag(content=page_script())
    page.wait_for_selector(READY)
    assert boxes() == before


@pytest.mark.parametrize("width", [1280, 360])
def test_no_state_moves_what_is_below_the_figure(visit, width):
    page = visit(width=width).page
    tops = lambda: [page.locator(part).bounding_box()["y"] for part in PARTS]  # noqa: E731
    before = tops()
    for name, key in [("tokens", "End"), ("β", "Home"), ("β", "End"), ("tokens", "Home"), ("β", "Home")]:
        slider(page, name).focus()
        page.keyboard.press(key)
        for hold in ("misses", "false alarms", "neither"):
            page.get_by_role("radio", name=hold).check()
            press(page, "Draw")
            assert tops() == before
            press(page, "from π")
            assert tops() == before


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing(visit, width, theme):
    found = visit(width=width, theme=theme)
    assert found.axe() == []
    press(found.page, "Draw")
    more(found.page)
    assert found.axe() == []
    press(found.page, "from π")
    assert found.axe() == []


def test_axe_finds_nothing_in_the_static_picture(visit):
    assert visit(script=False).axe() == []


@pytest.mark.parametrize("state", STATES)
def test_a_phone_shows_all_of_it(visit, state):
    page = visit(STATES[state], width=360).page
    root = "document.documentElement"
    for then in (lambda: press(page, "Draw"), lambda: more(page), lambda: press(page, "from u"), lambda: None):
        assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0
        assert beyond(page) == []
        then()


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("state", STATES)
def test_no_label_lies_on_another(visit, state, width):
    page = visit(STATES[state], width=width).page
    for labels in (".ws-plot :is(text, b)", ".ws-rise text", ".ws-head span", ".ws-test span", ".ws-ticks span"):
        assert page.evaluate(OVERLAPS, f"{labels}:not(:has(*))") == []


@pytest.mark.parametrize("width", [1280, 360])
def test_every_target_is_as_large_as_a_fingertip(visit, width):
    page = visit(width=width).page
    press(page, "Draw")
    more(page)
    targets = """() => [...document.querySelectorAll('.ws-figure :is(button, input)')].filter(
      el => el.checkVisibility()).map(el => {
        const box = (el.closest('label') ?? el).getBoundingClientRect();
        return [el.getAttribute('aria-label') ?? el.textContent, box.width, box.height];
      })"""
    found = page.evaluate(targets)
    assert len(found) == 2 + 2 + 3 + 2 + 3  # sliders, guesses, rows, more and reset, options
    assert [target for target in found if min(target[1:]) < 44] == []


def test_without_script_the_picture_stands_and_nothing_can_be_pressed(visit):
    page = visit(java_script_enabled=False).page
    assert page.locator("svg[role=img]").count() == 2
    assert page.locator(".ws-figure :is(button, input, [tabindex])").count() == 0
    assert page.locator(".ws-answers").is_hidden()
    assert "on its way to Chernoff’s" in sentence(page)


def test_on_paper_there_is_the_picture_and_its_words_alone(visit):
    page = visit(theme="dark").page
    page.emulate_media(media="print")
    for part in (".ws-answers", ".ws-range >> nth=0", ".ws-tools"):
        assert page.locator(part).is_hidden()
    for part in (".ws-plot", ".ws-rise", ".ws-tests", ".ws-say"):
        assert page.locator(part).is_visible()
    assert page.locator(".ws-miss").evaluate("el => getComputedStyle(el).fill") == rgb("weight", "light")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pi_has_the_weights_colour_and_u_is_an_outline(visit, theme):
    page = visit(theme=theme).page
    style = "el => [getComputedStyle(el).fill, getComputedStyle(el).stroke]"
    assert page.locator(".ws-from-pi").evaluate(style) == [rgb("weight", theme)] * 2
    assert page.locator(".ws-from-u").evaluate(style) == ["none", rgb("prior", theme)]


def test_ticks_differ_also_where_the_scores_are_close():
    for scores in ([0.0, 0.1], [-0.3, -0.1], [0.0, 10.0], list(SCORES)):
        html = CanYouTell([str(i) for i in range(len(scores))], scores)._repr_html_()
        labels = re.findall(r'ws-tick-label"[^>]*>([^<]*)<', html)
        assert 3 <= len(set(labels)) == len(labels) <= 7


# --- Python --------------------------------------------------------------------------------------

BAD = [
    ("beta", 0.05, "from 0.1 to 10"),
    ("beta", math.inf, "from 0.1 to 10"),
    ("beta", math.nan, "from 0.1 to 10"),
    ("beta", "hot", "'hot'"),
    ("m", 0, "whole number from 1 to 1000"),
    ("m", 1001, "from 1 to 1000"),
    ("m", 2.5, "whole number"),
    ("m", True, "True"),
    ("hold", "both", "'both' is none of 'neither', 'misses', 'false alarms'"),
    ("sample", -1, "from 0"),
    ("seed", 0.5, "whole number"),
    ("scores", [0.0, 0.25], "multiples of 0.1"),
    ("scores", [1.0, 1.0], "not all equal"),
    ("scores", [0.0, 10.1], "at most 10 apart"),
    ("scores", [1.0], "1 values for 2 tokens"),
    ("tokens", ["a"], "1 words for 2 scores"),
    ("name", "two words", "letters"),
]


@pytest.mark.parametrize(("name", "value", "says"), BAD)
def test_a_bad_value_is_named_and_nothing_is_lost(name, value, says):
    widget = CanYouTell(["a", "b"], [0.0, 0.3], m=5)
    before = widget._state()
    with pytest.raises(ValueError, match=rf"^{name}: .*{re.escape(says)}"):
        setattr(widget, name, value)
    assert widget._state() == before


def test_traits_are_set_and_observed():
    widget, seen = figure(), []
    widget.observe(lambda change: seen.append(change["new"]), ["m", "hold", "beta"])
    widget.m, widget.hold, widget.beta = np.int64(7), "misses", np.float32(2)
    assert seen == [7, "misses", 2.0]
    assert widget.exponent == tell.exponent(SCORES, 2.0, 7, hold="misses")
    assert widget.test == tell.best_test(SCORES, 2.0, 7, hold="misses")
    assert widget.limit == tell.limit(SCORES, 2.0, "misses")
    json.dumps(widget.get_state(), allow_nan=False)


def test_the_mime_bundle_serves_jupyter_the_page_and_plain_text():
    data, _ = figure()._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    assert data["text/plain"].startswith("At β = 1 and m = 20, with neither held, false alarms are 4.5%")
    html = data["text/html"]
    assert html.startswith('<div class="ws-figure ws-tell" data-figure="can_you_tell" id="can-you-tell"')
    assert "<script" not in html
    hostile = "<b>'\"&</b>"
    assert "<b>" not in CanYouTell([hostile, "b"], [1, 2], caption=hostile, alt=hostile)._repr_html_()
